package facebooksim

import (
	"slices"
	"time"

	"belfry/internal/network/sim"
)

const (
	shortLife = 85 * time.Minute // expires_in 5100
	longLife  = 60 * 24 * time.Hour
	dataLife  = 90 * 24 * time.Hour

	subExpired = 463
	subRemoved = 458

	// Codes an exchange fails with.
	subCodeExpired  = 36007
	subCodeRedirect = 36008
	subCodeUsed     = 36009
)

// token is a person's, or a Page's when Page is set.
type token struct {
	Token    string    `json:"token"`
	Page     string    `json:"page"`
	Pages    []string  `json:"pages"` // what a person's token may list
	Scopes   []string  `json:"scopes"`
	Declined []string  `json:"declined"`
	Long     bool      `json:"long"`
	IssuedAt time.Time `json:"issuedAt"`
	// ExpiresAt is zero for Page tokens that came from a long-lived token: those end only by events.
	ExpiresAt time.Time `json:"expiresAt"`
	// Parent is the person's token a Page token was derived from.
	Parent string `json:"parent"`
	// Ended is the subcode with which the token died before its time; 0 while it lives.
	Ended int `json:"ended"`
}

type tokenEnd struct {
	Token   string `json:"token"`
	Subcode int    `json:"subcode"`
}

func (t *token) hasScope(scope string) bool { return slices.Contains(t.Scopes, scope) }

// subjectID is whom the token speaks for.
func (t *token) subjectID() string {
	if t.Page != "" {
		return t.Page
	}
	return demoPerson().ID
}

// canSee says whether a token may look at a Page at all.
func (t *token) canSee(page string) bool {
	if t.Page != "" {
		return t.Page == page
	}
	return slices.Contains(t.Pages, page)
}

// deathSubcode is the error subcode of a token that no longer works; 0 when it works.
func (t *token) deathSubcode(now time.Time) int {
	if t.Ended == 0 && !t.ExpiresAt.IsZero() && !now.Before(t.ExpiresAt) {
		return subExpired
	}
	return t.Ended
}

// authenticateCall finds the live token of a call, or the refusal.
func (s *Sim) authenticateCall(q *apiCall) (sim.Answer, bool) {
	if q.bearer == "" {
		return graphError(104, 0, "An access token is required to request this resource."), true
	}
	if a, refused := s.checkProof(q); refused {
		return a, true
	}
	return s.findToken(q)
}

// findToken finds the token, without a proof that the app's server holds it.
func (s *Sim) findToken(q *apiCall) (sim.Answer, bool) {
	now := s.kit.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.tokens[q.bearer]
	if !ok {
		return graphError(190, 0, "Invalid OAuth access token - Cannot parse access token"), true
	}
	if subcode := t.deathSubcode(now); subcode != 0 {
		return graphError(190, subcode, deathMessage(subcode)), true
	}
	q.token = t
	return sim.Answer{}, false
}

func deathMessage(subcode int) string {
	if text, ok := endings[subcode]; ok {
		return text
	}
	return "Error validating access token: The session is invalid."
}

// killToken ends a token for good, as a scripted fault asks.
func (s *Sim) killToken(t *token, revoked bool, subcode int) error {
	if subcode == 0 {
		subcode = subExpired
		if revoked {
			subcode = subRemoved
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.kit.Record(Name, recTokenEnd, tokenEnd{Token: t.Token, Subcode: subcode}); err != nil {
		return err
	}
	t.Ended = subcode
	return nil
}

// issueToken records a token. The caller holds the lock.
func (s *Sim) issueToken(t *token) error {
	t.Token, t.IssuedAt = sim.Secret("EAA"), s.kit.Now()
	if err := s.kit.Record(Name, recToken, t); err != nil {
		return err
	}
	s.tokens[t.Token] = t
	return nil
}

// serveTokens exchanges a code, or a short-lived token for a long-lived one.
func (s *Sim) serveTokens(q *apiCall) {
	name := callExchange
	if q.params.Get("grant_type") == "fb_exchange_token" {
		name = callToken
		s.mu.Lock()
		q.token = s.tokens[q.params.Get("fb_exchange_token")]
		s.mu.Unlock()
	}
	s.runCall(q, []string{name}, "", func() sim.Answer {
		if q.bearer != "" {
			return badParameter("access_token is not allowed here")
		}
		if q.params.Get("client_id") != s.kit.ClientID() {
			return graphError(101, 0, "Error validating application. Cannot get application info due to a system error.")
		}
		if q.params.Get("client_secret") != s.kit.ClientSecret() {
			return graphError(101, 0, "Error validating client secret.")
		}
		switch grant := q.params.Get("grant_type"); grant {
		case "", "authorization_code":
			return s.exchangeCode(q)
		case "fb_exchange_token":
			return s.extendToken(q)
		case "client_credentials":
			return sim.OK(map[string]any{"access_token": s.appToken(), "token_type": "bearer"})
		default:
			return badParameter("Invalid grant_type: " + grant)
		}
	})
}

func (s *Sim) appToken() string { return s.kit.ClientID() + "|" + s.kit.ClientSecret() }

func (s *Sim) exchangeCode(q *apiCall) sim.Answer {
	if name, odd := sim.UnknownParam(q.params, "client_id", "client_secret", "redirect_uri", "code", "grant_type"); odd {
		return badParameter("Param " + name + " is not allowed")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.codes[q.params.Get("code")]
	switch {
	case !ok:
		return graphError(100, 0, "Invalid verification code format.")
	case c.Used:
		return graphError(100, subCodeUsed, "This authorization code has been used.")
	case !s.kit.Now().Before(c.ExpiresAt):
		return graphError(100, subCodeExpired, "This authorization code has expired.")
	case c.RedirectURI != q.params.Get("redirect_uri"):
		return graphError(100, subCodeRedirect, "Error validating verification code. Please make sure your redirect_uri is "+
			"identical to the one you used in the OAuth dialog request")
	}
	if err := s.kit.Record(Name, recCodeUsed, c.Code); err != nil {
		return sim.InternalError(err)
	}
	c.Used = true
	return s.grantToken(&token{
		Pages: c.Pages, Scopes: c.Scopes, Declined: c.Declined, ExpiresAt: s.kit.Now().Add(shortLife),
	}, shortLife)
}

// extendToken gives a token of 60 days. That exchanging a long one extends it is documented nowhere, so here it
// keeps its old end.
func (s *Sim) extendToken(q *apiCall) sim.Answer {
	if name, odd := sim.UnknownParam(q.params, "client_id", "client_secret", "grant_type", "fb_exchange_token"); odd {
		return badParameter("Param " + name + " is not allowed")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t := q.token
	if t == nil || t.Page != "" {
		return graphError(190, 0, "Invalid OAuth access token - Cannot parse access token")
	}
	now := s.kit.Now()
	if subcode := t.deathSubcode(now); subcode != 0 {
		return graphError(190, subcode, deathMessage(subcode))
	}
	end := now.Add(longLife)
	if t.Long {
		end = t.ExpiresAt
	}
	return s.grantToken(
		&token{Pages: t.Pages, Scopes: t.Scopes, Declined: t.Declined, Long: true, ExpiresAt: end}, end.Sub(now),
	)
}

// grantToken issues a person's token and returns the answer with it. The caller holds the lock.
func (s *Sim) grantToken(t *token, life time.Duration) sim.Answer {
	if err := s.issueToken(t); err != nil {
		return sim.InternalError(err)
	}
	return sim.OK(map[string]any{"access_token": t.Token, "token_type": "bearer", "expires_in": int(life.Seconds())})
}

// debugToken tells what a token is, to the app's own token or another token of the app.
func (s *Sim) debugToken(q *apiCall) {
	if q.bearer != s.appToken() {
		if a, refused := s.authenticateCall(q); refused {
			s.kit.Send(q.w, q.r, a)
			return
		}
	} else if a, refused := s.checkProof(q); refused {
		s.kit.Send(q.w, q.r, a)
		return
	}
	s.runCall(q, []string{callDebug}, "", func() sim.Answer {
		if name, odd := sim.UnknownParam(q.params, "input_token"); odd {
			return badParameter("Param " + name + " is not allowed")
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		t, ok := s.tokens[q.params.Get("input_token")]
		if !ok {
			return sim.OK(map[string]any{"data": map[string]any{
				"is_valid": false, "scopes": []string{},
				"error": map[string]any{"code": 190, "message": "Invalid OAuth access token - Cannot parse access token"},
			}})
		}
		return sim.OK(map[string]any{"data": s.describeToken(t)})
	})
}

func (s *Sim) describeToken(t *token) map[string]any {
	now := s.kit.Now()
	subcode := t.deathSubcode(now)
	data := map[string]any{
		"app_id": s.kit.ClientID(), "application": s.kit.AppName(), "type": "USER", "is_valid": subcode == 0,
		"scopes": t.Scopes, "user_id": s.person.ID, "issued_at": t.IssuedAt.Unix(), "expires_at": 0,
		"data_access_expires_at": t.IssuedAt.Add(dataLife).Unix(),
	}
	targets := t.Pages
	if t.Page != "" {
		data["type"], data["profile_id"] = "PAGE", t.Page
		targets = []string{t.Page}
	}
	var granular []any
	for _, scope := range t.Scopes {
		if scope != scopeProfile {
			granular = append(granular, map[string]any{"scope": scope, "target_ids": targets})
		}
	}
	data["granular_scopes"] = granular
	if !t.ExpiresAt.IsZero() {
		data["expires_at"] = t.ExpiresAt.Unix()
	}
	if subcode != 0 {
		if subcode == subExpired && now.Before(t.ExpiresAt) {
			data["expires_at"] = now.Add(-time.Second).Unix()
		}
		data["error"] = map[string]any{"code": 190, "subcode": subcode, "message": deathMessage(subcode)}
	}
	return data
}
