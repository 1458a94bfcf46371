package threadssim

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"belfry/internal/network/sim"
)

const codeLife = time.Hour

// grantCode is the one-time code between the consent window and the exchange.
type grantCode struct {
	Code        string    `json:"code"`
	Account     string    `json:"account"`
	RedirectURI string    `json:"redirectUri"`
	Scopes      []string  `json:"scopes"`
	ExpiresAt   time.Time `json:"expiresAt"`
	Used        bool      `json:"used"`
}

func demoProfiles() []*account {
	return []*account{
		{ID: "17841405793187218", Username: "harbour.bakery", Name: "Harbour Bakery", Bio: "Bread before sunrise."},
		{ID: "17841408120554391", Username: "nightowl.cycles", Name: "Night Owl Cycles", Bio: "Repairs until late."},
		{ID: "17841411306627745", Username: "maren.writes", Name: "Maren Holt", Bio: "Short stories, long walks."},
	}
}

// knownScopes are all permissions of the network.
func knownScopes() []string {
	return []string{
		scopeBasic, scopePublish, "threads_manage_insights", "threads_manage_replies", "threads_read_replies", scopeDelete,
		"threads_manage_mentions", "threads_keyword_search", "threads_location_tagging", "threads_profile_discovery",
		"threads_share_to_instagram",
	}
}

const (
	scopeBasic   = "threads_basic"
	scopePublish = "threads_content_publish"
	scopeDelete  = "threads_delete"
)

// consentForm are the fields a person fills in.
var consentForm = []string{"decision", "profile", "username", "withhold"}

var consentParams = []string{"client_id", "redirect_uri", "scope", "response_type", "state"}

// consentRequest is a checked visit to the consent window.
type consentRequest struct {
	redirectURI, state string
	scopes             []string
}

func (s *Sim) serveConsent(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodPost {
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	params, err := sim.Params(w, r, false)
	var q consentRequest
	if err == nil {
		q, err = s.checkConsent(params, r.Method == http.MethodPost)
	}
	if err != nil {
		s.showNotice(w, r, http.StatusBadRequest, "This app cannot ask for access", err.Error())
		return
	}
	if r.Method == http.MethodPost {
		s.serveDecision(w, r, params, q)
		return
	}
	s.kit.Page(w, r, http.StatusOK, "consent", s.consentPage(sim.Host(r), params, q))
}

func (s *Sim) checkConsent(params url.Values, form bool) (consentRequest, error) {
	q := consentRequest{redirectURI: params.Get("redirect_uri"), state: params.Get("state")}
	known := consentParams
	if form {
		known = slices.Concat(consentParams, consentForm)
	}
	if name, unknown := sim.UnknownParam(params, known...); unknown {
		return q, fmt.Errorf("the consent window knows no parameter %s", name)
	}
	if params.Get("client_id") != s.kit.ClientID() {
		return q, errors.New("4476002: the client_id belongs to no Threads app")
	}
	if err := sim.CheckRedirect(q.redirectURI); err != nil {
		return q, err
	}
	if params.Get("response_type") != "code" {
		return q, errors.New("response_type must be code")
	}
	if q.state == "" {
		return q, errors.New("state is missing")
	}
	q.scopes = strings.FieldsFunc(params.Get("scope"), func(c rune) bool { return c == ',' || c == ' ' })
	for _, scope := range q.scopes {
		if !slices.Contains(knownScopes(), scope) {
			return q, fmt.Errorf("invalid scope: %s", scope)
		}
	}
	if !slices.Contains(q.scopes, scopeBasic) {
		return q, errors.New("scope must include threads_basic")
	}
	return q, nil
}

func (s *Sim) consentPage(host string, params url.Values, q consentRequest) sim.Consent {
	page := sim.Consent{
		Network: Name, Title: "Threads", Allow: "Continue",
		Heading: s.kit.AppName() + " wants to use a Threads profile",
		Lead:    "It asks for " + strings.Join(q.scopes, ", ") + ".",
		Action:  s.kit.Link("https://" + host + "/oauth/authorize"),
	}
	for _, name := range consentParams {
		page.Hidden = append(page.Hidden, [2]string{name, params.Get(name)})
	}
	group := sim.Group{
		Title: "Which profile?", Field: "username", FieldLabel: "Or another username",
		FieldHint: "If there is no profile with this name, it is created.",
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, a := range demoProfiles() {
		group.Choices = append(group.Choices, sim.Choice{
			Type: "radio", Name: "profile", Value: a.ID, Label: a.Name, Note: "@" + a.Username, Picture: pictureURL(a),
			Checked: i == 0,
		})
	}
	withheld := sim.Group{Title: "Permissions to withhold", Folded: true}
	for _, scope := range q.scopes {
		if scope != scopeBasic {
			withheld.Choices = append(
				withheld.Choices, sim.Choice{Type: "checkbox", Name: "withhold", Value: scope, Label: scope},
			)
		}
	}
	page.Groups = []sim.Group{group, withheld}
	return page
}

func (s *Sim) serveDecision(w http.ResponseWriter, r *http.Request, params url.Values, q consentRequest) {
	if params.Get("decision") != "allow" {
		to := sim.Redirect(q.redirectURI, [][2]string{
			{"error", "access_denied"},
			{"error_reason", "user_denied"},
			{"error_description", "The user denied your request"},
			{"state", q.state},
		}, "#_")
		http.Redirect(w, r, to, http.StatusFound)
		return
	}
	a, err := s.chosenProfile(params.Get("profile"), params.Get("username"))
	if err != nil {
		s.showNotice(w, r, http.StatusBadRequest, "No profile was chosen", err.Error())
		return
	}
	granted := slices.DeleteFunc(q.scopes, func(scope string) bool {
		return scope != scopeBasic && slices.Contains(params["withhold"], scope)
	})
	code := &grantCode{
		Code: sim.Secret("AQ"), Account: a.ID, RedirectURI: q.redirectURI, Scopes: granted,
		ExpiresAt: s.kit.Now().Add(codeLife),
	}
	s.mu.Lock()
	err = s.kit.Record(Name, recCode, code)
	if err == nil {
		s.codes[code.Code] = code
	}
	s.mu.Unlock()
	if err != nil {
		s.showNotice(w, r, http.StatusInternalServerError, "The sandbox failed", err.Error())
		return
	}
	http.Redirect(
		w, r, sim.Redirect(q.redirectURI, [][2]string{{"code", code.Code}, {"state", q.state}}, "#_"), http.StatusFound,
	)
}

var usernames = regexp.MustCompile(`^[a-z0-9_](?:[a-z0-9_.]{0,28}[a-z0-9_])?$`)

// chosenProfile finds the profile a person picked; a typed name wins, and a new one makes a new profile.
func (s *Sim) chosenProfile(id, username string) (*account, error) {
	username = strings.ToLower(strings.TrimPrefix(strings.TrimSpace(username), "@"))
	s.mu.Lock()
	defer s.mu.Unlock()
	if username == "" {
		if a, ok := s.accounts[id]; ok {
			return a, nil
		}
		return nil, errors.New("choose a profile or enter a username")
	}
	if a, ok := s.byUsername[username]; ok {
		return a, nil
	}
	if !usernames.MatchString(username) {
		return nil, errors.New("a username has 1 to 30 letters from a to z, digits, full stops and underscores")
	}
	a := &account{ID: s.newAccountID(username), Username: username, Name: username}
	if err := s.kit.Record(Name, recAccount, a); err != nil {
		return nil, err
	}
	s.addAccount(a)
	return a, nil
}

// newAccountID is always the same for a name, so that a lost journal does not turn a profile into a stranger.
func (s *Sim) newAccountID(username string) string {
	return sim.StableID("1784142", username, func(id string) bool { return s.accounts[id] != nil })
}
