package threadssim

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"belfry/internal/network/sim"
)

const (
	shortLife   = time.Hour
	longLife    = 60 * 24 * time.Hour
	refreshAge  = 24 * time.Hour
	grantLife   = 90 * 24 * time.Hour
	subExpired  = 463
	subRemoved  = 458
	bearerToken = "bearer"
)

type token struct {
	Token     string    `json:"token"`
	Account   string    `json:"account"`
	Scopes    []string  `json:"scopes"`
	Long      bool      `json:"long"`
	IssuedAt  time.Time `json:"issuedAt"`
	ExpiresAt time.Time `json:"expiresAt"`
	// Ended is the subcode with which the token died before its time; 0 while it lives.
	Ended int `json:"ended"`
}

func (t *token) markEnded(e tokenEnd) {
	t.Ended = subExpired
	if e.Revoked {
		t.Ended = subRemoved
	}
	if e.Subcode != 0 {
		t.Ended = e.Subcode
	}
}

func (t *token) hasScope(scope string) bool { return slices.Contains(t.Scopes, scope) }

// deathCause is why a token no longer works; ok means it does.
func (t *token) deathCause(now time.Time) (subcode int, message string, ok bool) {
	switch {
	case t.Ended == subExpired || (t.Ended == 0 && !now.Before(t.ExpiresAt)):
		return subExpired, fmt.Sprintf("Session has expired on %s. The current time is %s.",
			t.expiresOn(now).Format(time.RFC1123), now.Format(time.RFC1123)), false
	case t.Ended == subRemoved:
		return subRemoved, "The user has not authorized application.", false
	case t.Ended == 460:
		return t.Ended, "The session has been invalidated because the user changed their password or the session was " +
			"changed for security reasons.", false
	case t.Ended != 0:
		return t.Ended, "The session is invalid because the user logged out.", false
	}
	return 0, "", true
}

// expiresOn is when the token ended or will end.
func (t *token) expiresOn(now time.Time) time.Time {
	if t.Ended == subExpired && now.Before(t.ExpiresAt) {
		return now.Add(-time.Second)
	}
	return t.ExpiresAt
}

// authenticateCall finds the live token of a call and its profile, or the refusal.
func (s *Sim) authenticateCall(q *apiCall) (sim.Answer, bool) {
	if q.bearer == "" {
		return sim.GraphError{
			Status: 401, Code: 190, Type: oauthError, Message: "An access token is required to request this resource.",
		}.Answer(), true
	}
	now := s.kit.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.tokens[q.bearer]
	if !ok {
		return sim.GraphError{
			Status: 401, Code: 190, Type: oauthError, Message: "Invalid OAuth access token - Cannot parse access token",
		}.Answer(), true
	}
	if subcode, message, live := t.deathCause(now); !live {
		return badToken(subcode, message), true
	}
	q.token, q.owner = t, s.accounts[t.Account]
	return sim.Answer{}, false
}

// killToken ends a token for good, as a scripted fault asks.
func (s *Sim) killToken(t *token, revoked bool, subcode int) error {
	e := tokenEnd{Token: t.Token, Revoked: revoked, Subcode: subcode}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.kit.Record(Name, recTokenEnd, e); err != nil {
		return err
	}
	t.markEnded(e)
	return nil
}

// issueToken makes a token. The caller holds the lock.
func (s *Sim) issueToken(account string, scopes []string, long bool, life time.Duration) (*token, error) {
	now := s.kit.Now()
	t := &token{
		Token: sim.Secret("THQ"), Account: account, Scopes: scopes, Long: long, IssuedAt: now, ExpiresAt: now.Add(life),
	}
	if err := s.kit.Record(Name, recToken, t); err != nil {
		return nil, err
	}
	s.tokens[t.Token] = t
	return t, nil
}

func exchangeFailure(message string) sim.Answer {
	return sim.Answer{Status: 400, Body: map[string]any{
		"error_type": oauthError, "code": 400, "error_message": message,
	}}
}

// exchangeGrant turns a code into a token of one hour.
func (s *Sim) exchangeGrant(q *apiCall) {
	s.mu.Lock()
	if c, ok := s.codes[q.params.Get("code")]; ok {
		q.owner = s.accounts[c.Account]
	}
	s.mu.Unlock()
	s.runCall(q, callExchange, "", func(bool) sim.Answer { return s.exchangeCode(q) })
}

func (s *Sim) exchangeCode(q *apiCall) sim.Answer {
	if name, unknown := sim.UnknownParam(
		q.params, "client_id", "client_secret", "code", "grant_type", "redirect_uri",
	); unknown {
		return exchangeFailure("Param " + name + " is not allowed")
	}
	if q.r.URL.RawQuery != "" {
		return exchangeFailure("The code, the secret and all else belong into the form body")
	}
	if q.params.Get("client_id") != s.kit.ClientID() || q.params.Get("client_secret") != s.kit.ClientSecret() {
		return exchangeFailure("Error validating client secret")
	}
	if q.params.Get("grant_type") != "authorization_code" {
		return exchangeFailure("Invalid grant_type")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.codes[q.params.Get("code")]
	if !ok || c.Used || !s.kit.Now().Before(c.ExpiresAt) {
		return exchangeFailure("Matching code was not found or was already used")
	}
	if c.RedirectURI != q.params.Get("redirect_uri") {
		return exchangeFailure("Error validating verification code. Please make sure your redirect_uri is identical to the one " +
			"you used in the OAuth dialog request")
	}
	if err := s.kit.Record(Name, recCodeUsed, c.Code); err != nil {
		return sim.InternalError(err)
	}
	c.Used = true
	t, err := s.issueToken(c.Account, c.Scopes, false, shortLife)
	if err != nil {
		return sim.InternalError(err)
	}
	// The id is a JSON number above 2^53 here, and only here.
	return sim.OK(map[string]any{"access_token": t.Token, "user_id": json.RawMessage(c.Account)})
}

// appToken serves the app's own token, which cannot publish.
func (s *Sim) appToken(q *apiCall) {
	s.runCall(q, callToken, "", func(bool) sim.Answer {
		if q.params.Get("grant_type") != "client_credentials" || q.params.Get("client_id") != s.kit.ClientID() ||
			q.params.Get("client_secret") != s.kit.ClientSecret() {
			return exchangeFailure("Error validating client secret")
		}
		return sim.OK(map[string]any{"access_token": s.appTokenText(), "token_type": bearerToken})
	})
}

func (s *Sim) appTokenText() string { return "TH|" + s.kit.ClientID() + "|" + s.kit.ClientSecret() }

// extendToken exchanges a token of one hour for one of 60 days.
func (s *Sim) extendToken(q *apiCall) {
	if a, refused := s.authenticateCall(q); refused {
		s.kit.Send(q.w, q.r, a)
		return
	}
	s.runCall(q, callToken, "", func(bool) sim.Answer {
		if name, unknown := sim.UnknownParam(q.params, "grant_type", "client_secret"); unknown {
			return badParameter("Param " + name + " is not allowed")
		}
		if q.params.Get("grant_type") != "th_exchange_token" {
			return badParameter("Invalid grant_type")
		}
		if q.params.Get("client_secret") != s.kit.ClientSecret() {
			return sim.GraphError{Code: 101, Type: oauthError, Message: "Error validating client secret."}.Answer()
		}
		if q.token.Long {
			return sim.GraphError{
				Code: 452, Type: oauthError,
				Message: "Session key invalid. This could be because the session key has an incorrect format, or because the user has revoked this session",
			}.Answer()
		}
		return s.issueLong(q)
	})
}

// refreshToken gives a token of 60 days another 60 days.
func (s *Sim) refreshToken(q *apiCall) {
	if a, refused := s.authenticateCall(q); refused {
		s.kit.Send(q.w, q.r, a)
		return
	}
	s.runCall(q, callRefresh, "", func(bool) sim.Answer {
		if name, unknown := sim.UnknownParam(q.params, "grant_type"); unknown {
			return badParameter("Param " + name + " is not allowed")
		}
		switch {
		case q.params.Get("grant_type") != "th_refresh_token":
			return badParameter("Invalid grant_type")
		case !q.token.Long:
			return badParameter("Only long-lived access tokens can be refreshed")
		case s.kit.Now().Sub(q.token.IssuedAt) < refreshAge:
			return badParameter("The access token must be at least 24 hours old to be refreshed")
		case !q.token.hasScope(scopeBasic):
			return noPermission(scopeBasic)
		}
		return s.issueLong(q)
	})
}

func (s *Sim) issueLong(q *apiCall) sim.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.issueToken(q.owner.ID, q.token.Scopes, true, longLife)
	if err != nil {
		return sim.InternalError(err)
	}
	return sim.OK(map[string]any{
		"access_token": t.Token, "token_type": bearerToken, "expires_in": int(longLife.Seconds()),
	})
}

// debugToken tells what a token is. The caller shows a live token of the same app, or the app's own.
func (s *Sim) debugToken(q *apiCall) {
	if q.bearer != s.appTokenText() {
		if a, refused := s.authenticateCall(q); refused {
			s.kit.Send(q.w, q.r, a)
			return
		}
	}
	s.runCall(q, callDebug, "", func(bool) sim.Answer {
		if name, unknown := sim.UnknownParam(q.params, "input_token"); unknown {
			return badParameter("Param " + name + " is not allowed")
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		t, ok := s.tokens[q.params.Get("input_token")]
		if !ok {
			return sim.OK(map[string]any{"data": map[string]any{"is_valid": false}})
		}
		now := s.kit.Now()
		_, _, live := t.deathCause(now)
		return sim.OK(map[string]any{"data": map[string]any{
			"type": "USER", "application": s.kit.AppName(), "is_valid": live, "scopes": t.Scopes, "user_id": t.Account,
			"issued_at": t.IssuedAt.Unix(), "expires_at": t.expiresOn(now).Unix(),
			"data_access_expires_at": t.IssuedAt.Add(grantLife).Unix(),
		}})
	})
}
