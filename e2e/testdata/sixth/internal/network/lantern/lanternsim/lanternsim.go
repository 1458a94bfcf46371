// Package lanternsim imitates Lantern.
package lanternsim

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"belfry/internal/network/sim"
)

// Name is the network's id.
const Name = "lantern"

const (
	title   = "Lantern"
	site    = "lantern.example"
	maxText = 400
)

// errorTable has the errors that Lantern documents, as sim.ParseDocumented reads them.
const errorTable = `
rate_limited  | 429 | * | throttled account 1m | again | Too many calls.
unavailable   | 500 | * | transient |  | Come back later.
token_expired | 401 | * | expired | reconnect | The token has expired.
token_revoked | 401 | * | revoked | reconnect | The token is not valid.
text_too_long | 400 | publish | rejected author | correct | The note is too long.
duplicate     | 400 | publish | rejected author | correct | This is the same as the last note.
`

type account struct{ ID, Handle string }

// Sim is the simulated network.
type Sim struct {
	kit      *sim.Kit
	mu       sync.Mutex
	api      *sim.API
	oauth    *sim.OAuth
	accounts *sim.Table[*account]
	errors   []sim.Documented
}

// New restores what the journal holds and makes the network known to the sandbox.
func New(kit *sim.Kit) (*Sim, error) {
	documented, err := sim.ParseDocumented(errorTable)
	if err != nil {
		return nil, err
	}
	s := &Sim{kit: kit, accounts: sim.OpenTable[*account](kit, Name, "account"), errors: documented}
	s.oauth = sim.NewOAuth(kit, sim.OAuthConfig{
		Network: Name, Title: title, Scopes: []string{"read", "write"}, Needed: []string{"read"}, Withhold: true,
		CodeLife: 10 * time.Minute, CodePrefix: "lc.", Prefixes: map[string]string{sim.AccessToken: "la."},
		Form: []string{"username"}, Allow: "Allow", Heading: "wants to write notes", Lead: "Choose a profile.",
		UnknownApp: "the app does not exist", BadScope: "unknown scope", Denied: [][2]string{{"error", "access_denied"}},
		Accounts: func() sim.Group {
			return sim.Group{
				Title: "Which profile?", Field: "username", FieldLabel: "Username", FieldHint: "A new one is created.",
			}
		},
		Choose: s.chooseAccount,
	})
	s.api = &sim.API{
		Kit: kit, Network: Name, OAuth: s.oauth, Lock: &s.mu, Error: errorAnswer, Fault: faultAnswer,
	}
	if err := kit.Register(s.About(), func() error { return nil }); err != nil {
		return nil, fmt.Errorf("restore simulated %s: %w", Name, err)
	}
	return s, nil
}

// Hosts are the network's host names.
func (s *Sim) Hosts() []string { return []string{site} }

// About describes the network to the control surface.
func (s *Sim) About() sim.About {
	return sim.About{
		ID: Name, Title: title, Hosts: s.Hosts(), Text: "publishes a note in one call.",
		Calls:  []string{"exchange", "profile", "publish", "list", "permalink"},
		Errors: s.errors,
	}
}

func (s *Sim) pictureURL(a *account) string { return s.kit.PictureURL(site, a.ID, a.Handle) }

var usernames = regexp.MustCompile(`[^a-z0-9._]+`)

// chooseAccount finds the account of a username, or makes it.
func (s *Sim) chooseAccount(form url.Values) (sim.Consented, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	handle := usernames.ReplaceAllString(strings.ToLower(form.Get("username")), "")
	if handle == "" {
		handle = "keeper"
	}
	if a := s.accountNamed(handle); a != nil {
		return sim.Consented{Subject: a.ID}, nil
	}
	a := &account{ID: sim.StableID("77", handle, s.accounts.Has), Handle: handle}
	return sim.Consented{Subject: a.ID}, s.accounts.Put(a.ID, a)
}

// apiError is an error in the network's words.
type apiError struct {
	status        int
	code, message string
}

func (e *apiError) Error() string { return e.message }

func (e *apiError) answer() sim.Answer {
	return sim.Answer{Status: e.status, Body: map[string]any{
		"error": map[string]any{"code": e.code, "message": e.message, "trace": sim.RandomDigits("5", 12)},
	}}
}

func errorAnswer(err error) sim.Answer {
	if e, ok := errors.AsType[*apiError](err); ok {
		return e.answer()
	}
	return (&apiError{http.StatusBadRequest, "refused", err.Error()}).answer()
}

func faultAnswer(f sim.Fault, _ *sim.Request) sim.Answer {
	e := map[string]apiError{
		sim.Reject:       {http.StatusBadRequest, "refused", "The note was refused."},
		sim.RateLimited:  {http.StatusTooManyRequests, "rate_limited", "Too many calls."},
		sim.ServerError:  {http.StatusInternalServerError, "unavailable", "Come back later."},
		sim.TokenExpired: *tokenError(sim.Expired),
		sim.TokenRevoked: *tokenError(sim.Revoked),
	}[f.Kind]
	e.status = cmp.Or(f.Status, e.status, http.StatusBadRequest)
	e.code, e.message = cmp.Or(f.Reason, e.code, "refused"), cmp.Or(f.Message, e.message, "Refused.")
	answer := e.answer()
	if f.RetryAfter > 0 {
		answer.Header = http.Header{"Retry-After": {strconv.Itoa(f.RetryAfter)}}
	}
	return answer
}

func tokenError(why sim.Refusal) *apiError {
	if why == sim.Expired {
		return &apiError{http.StatusUnauthorized, "token_expired", "The token has expired."}
	}
	return &apiError{http.StatusUnauthorized, "token_revoked", "The token is not valid."}
}

// ServeHTTP serves the network's host.
func (s *Sim) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch path := r.URL.Path; {
	case path == "/oauth/authorize":
		s.oauth.ServeConsent(w, r)
	case path == "/oauth/token" || strings.HasPrefix(path, "/api/"):
		s.serveCall(w, r)
	case strings.HasPrefix(path, "/@"):
		s.serveProfile(w, r, path[len("/@"):])
	case strings.HasPrefix(path, "/notes/"):
		var page *sim.PostPage
		if p, ok := s.kit.Posts.Get(Name, strings.TrimPrefix(path, "/notes/")); ok {
			page = s.kit.NewPostPage(p, site)
			page.Title = title
		}
		s.kit.ServePost(w, r, page)
	default:
		s.kit.ServeSite(w, r, Name, title)
	}
}

// serveProfile draws the public page of a profile.
func (s *Sim) serveProfile(w http.ResponseWriter, r *http.Request, handle string) {
	s.mu.Lock()
	a := s.accountNamed(handle)
	s.mu.Unlock()
	if a == nil {
		s.kit.ServePost(w, r, nil)
		return
	}
	s.kit.ServeProfile(w, r, sim.ProfilePage{
		Network: Name, Title: title, Name: a.Handle, Handle: "@" + a.Handle, Picture: s.pictureURL(a),
	}, site, a.ID)
}

// accountNamed finds the account of a username; nil when there is none. The caller holds the lock.
func (s *Sim) accountNamed(handle string) *account {
	for a := range s.accounts.All() {
		if a.Handle == handle {
			return a
		}
	}
	return nil
}

func (s *Sim) serveCall(w http.ResponseWriter, r *http.Request) {
	q, err := sim.ReadCall(w, r, false)
	if err != nil {
		s.kit.SendAnswer(w, r, errorAnswer(err))
		return
	}
	id, isNote := strings.CutPrefix(r.URL.Path, "/api/notes/")
	var route sim.Route
	switch call := r.Method + " " + r.URL.Path; {
	case call == "POST /oauth/token":
		s.api.ServeCall(r.Context(), q, sim.Route{
			Names: []string{"exchange"}, Serve: s.exchange,
			Params: []string{"client_id", "client_secret", "code", "grant_type", "redirect_uri"},
		})
		return
	case call == "GET /api/me":
		route = sim.Route{Names: []string{"profile"}, Serve: s.readProfile}
	case call == "POST /api/notes":
		route = sim.Route{
			Names: []string{"publish"}, Scopes: []string{"write"}, Params: []string{"text", "visibility"},
			Text: sim.JoinParams("text"), Serve: s.publish,
		}
	case call == "GET /api/notes":
		route = sim.Route{Names: []string{"list"}, Params: []string{"since"}, Serve: s.listNotes}
	case isNote && r.Method == http.MethodGet:
		route = sim.Route{Names: []string{"permalink"}, Serve: func(q *sim.Request) (any, error) {
			p, ok := s.kit.Posts.Get(Name, id)
			if !ok || p.Account != q.Account {
				return nil, &apiError{http.StatusNotFound, "not_found", "There is no such note."}
			}
			return noteNode(p), nil
		}}
	default:
		s.kit.SendAnswer(w, r, (&apiError{http.StatusNotFound, "not_found", "There is no such call."}).answer())
		return
	}
	t, why := s.oauth.FindToken(q.Bearer)
	if why != "" {
		s.kit.SendAnswer(w, r, tokenError(why).answer())
		return
	}
	q.Token = t
	s.api.ServeCall(r.Context(), q, route)
}

func (s *Sim) exchange(q *sim.Request) (any, error) {
	if s.oauth.CheckClient(q.Params.Get("client_id"), q.Params.Get("client_secret")) != "" {
		return nil, &apiError{http.StatusUnauthorized, "invalid_client", "The app is not known."}
	}
	c, why, err := s.oauth.RedeemCode(q.Params.Get("code"), q.Params.Get("redirect_uri"), "")
	switch {
	case err != nil:
		return nil, err
	case why != "" || q.Params.Get("grant_type") != "authorization_code":
		return nil, &apiError{http.StatusBadRequest, "invalid_grant", "The code is not valid."}
	}
	t, err := s.oauth.IssueToken(sim.Token{Consented: c, Kind: sim.AccessToken}, 0)
	return map[string]any{"access_token": t.Text, "scope": strings.Join(t.Scopes, " ")}, err
}

func (s *Sim) readProfile(q *sim.Request) (any, error) {
	a := s.accounts.Get(q.Account)
	return map[string]any{
		"id": a.ID, "name": a.Handle, "handle": a.Handle, "picture": s.pictureURL(a),
	}, nil
}

// publish shows a note at once.
func (s *Sim) publish(q *sim.Request) (any, error) {
	text, visibility := q.Params.Get("text"), q.Params.Get("visibility")
	switch n := utf8.RuneCountInString(text); {
	case strings.TrimSpace(text) == "" || n > maxText:
		return nil, &apiError{http.StatusBadRequest, "text_too_long", fmt.Sprintf("A note has 1 to %d characters.", maxText)}
	case visibility != "public" && visibility != "unlisted":
		return nil, &apiError{http.StatusBadRequest, "refused", "visibility must be public or unlisted"}
	}
	for last := range s.kit.Posts.Newest(Name, q.Account) {
		if last.Text == text {
			s.kit.Posts.CountPublishCall(Name, last.ID)
			return nil, &apiError{http.StatusBadRequest, "duplicate", "This is the same as the last note."}
		}
		break
	}
	arrived := s.kit.ArrivalTime(q.R)
	p := sim.Post{
		Network: Name, Account: q.Account, AccountName: s.accounts.Get(q.Account).Handle, ID: sim.RandomDigits("41", 16),
		Text:      text,
		CreatedAt: s.kit.Now(), ArrivedAt: arrived, FirstCallAt: arrived, FirstPublishCallAt: arrived, PublishCalls: 1,
		Extra: map[string]string{"visibility": visibility},
	}
	p.URL = "https://" + site + "/notes/" + p.ID
	return noteNode(p), s.kit.Posts.Put(p)
}

func noteNode(p sim.Post) map[string]any {
	return map[string]any{"id": p.ID, "text": p.Text, "url": p.URL, "createdAt": p.CreatedAt.Format(time.RFC3339Nano)}
}

// listNotes lists the account's notes since a time, newest first.
func (s *Sim) listNotes(q *sim.Request) (any, error) {
	since, err := strconv.ParseInt(q.Params.Get("since"), 10, 64)
	if err != nil {
		return nil, &apiError{http.StatusBadRequest, "refused", "since must be a time"}
	}
	notes := []any{}
	for p := range s.kit.Posts.Newest(Name, q.Account) {
		if p.IsVisible() && p.CreatedAt.Unix() >= since {
			notes = append(notes, noteNode(p))
		}
	}
	return map[string]any{"notes": notes}, nil
}
