package instagramsim

import (
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"belfry/internal/network/meta/metasim"
	"belfry/internal/network/sim"
)

// Types of accounts. Only the first two are professional.
const (
	typeBusiness = "BUSINESS"
	typeCreator  = "MEDIA_CREATOR"
	typePersonal = "PERSONAL"
)

var typeWords = map[string]string{
	typeBusiness: "business account", typeCreator: "creator account", typePersonal: "personal account",
}

type account struct {
	ID       string `json:"id"`
	Username string `json:"username"`
	Name     string `json:"name"`
	Type     string `json:"type"`
	Page     string `json:"page,omitempty"` // the Page that it is linked to
}

// appScopedID returns the account's id for one app, which only the profile call returns.
func (a *account) appScopedID() string { return "25" + a.ID[2:] }

func demoAccounts() []*account {
	return []*account{
		{
			ID: "17841405309217644", Username: "harbour.bakery", Name: "Harbour Bakery", Type: typeBusiness,
			Page: "104758391620475",
		},
		{ID: "17841408811453092", Username: "nightowl.cycles", Name: "Night Owl Cycles", Type: typeCreator},
		{ID: "17841411762290158", Username: "maren.writes", Name: "Maren Holt", Type: typePersonal},
	}
}

func (s *Sim) pictureURL(a *account) string { return s.kit.PictureURL(site, a.ID, a.Name) }

// lockAndFindAccountByUsername returns the account with a username, or nil if there is none. The caller does not hold
// the lock.
func (s *Sim) lockAndFindAccountByUsername(username string) *account {
	s.pages.Lock.Lock()
	defer s.pages.Lock.Unlock()
	return s.findAccount(func(a *account) bool { return strings.EqualFold(a.Username, username) })
}

func (s *Sim) findAccount(match func(*account) bool) *account {
	for a := range s.accounts.All() {
		if match(a) {
			return a
		}
	}
	return nil
}

// findOrCreateLinkedAccount returns the professional account that is linked to a Page. The first call creates it.
func (s *Sim) findOrCreateLinkedAccount(p *metasim.Page) (map[string]any, error) {
	a := s.findAccount(func(a *account) bool { return a.Page == p.ID })
	if a == nil {
		username := strings.Trim(notUsername.ReplaceAllString(strings.ToLower(p.Name), "."), ".")
		a = &account{
			ID: sim.StableID("1784142", "page "+p.ID, s.accounts.Has), Username: username, Name: p.Name, Type: typeBusiness,
			Page: p.ID,
		}
		if err := s.accounts.Put(a.ID, a); err != nil {
			return nil, err
		}
	}
	return s.profileNode(a), nil
}

func (s *Sim) newOAuth() *sim.OAuth {
	return sim.NewOAuth(s.kit, sim.OAuthConfig{
		Network: Name, Title: title, Needed: []string{"instagram_business_basic"}, Withhold: true,
		Scopes: []string{
			"instagram_business_basic", "instagram_business_content_publish", "instagram_business_manage_insights",
			"instagram_business_manage_comments", "instagram_business_manage_messages",
		},
		Params: []string{"enable_fb_login", "force_reauth"}, CodeLife: time.Hour, CodePrefix: "AQ",
		Prefixes: metasim.Prefixes("IGAA"), Fragment: "#_", Denied: metasim.Denied,
		Allow: "Allow", Heading: "wants to use an Instagram account", Lead: "Choose the account that this app can publish to.",
		UnknownApp: "Invalid platform app", BadScope: "Invalid scopes", Form: []string{"profile", "username"},
		Accounts: s.offerAccounts, Choose: s.chooseOrCreateAccount,
		NameOf: func(person string) string { return s.lockAndGetAccount(person).Name },
		Removed: func(person string, erase bool) {
			metasim.ReportRemoval(s.kit, Name, s.lockAndGetAccount(person).appScopedID(), erase)
		},
		Erases: true,
	})
}

// lockAndGetAccount returns the account of a person who signed in. The caller does not hold the lock.
func (s *Sim) lockAndGetAccount(person string) *account {
	s.pages.Lock.Lock()
	defer s.pages.Lock.Unlock()
	return s.accounts.Get(person)
}

func (s *Sim) offerAccounts() sim.Group {
	group := sim.Group{
		Title: "Which account?", Field: "username", FieldLabel: "Or another username",
		FieldHint: "If no account has this username, one is created.",
	}
	s.pages.Lock.Lock()
	defer s.pages.Lock.Unlock()
	for a := range s.accounts.All() {
		group.Choices = append(group.Choices, sim.Choice{
			Type: "radio", Name: "profile", Value: a.ID, Label: a.Name, Note: "@" + a.Username + ", " + typeWords[a.Type],
			Picture: s.pictureURL(a),
		})
	}
	return group
}

var (
	usernames   = regexp.MustCompile(`^[a-z0-9_](?:[a-z0-9_.]{0,28}[a-z0-9_])?$`)
	notUsername = regexp.MustCompile(`[^a-z0-9]+`)
)

// chooseOrCreateAccount returns the account that a person chose or, if they entered a username, the account with that
// name, which it creates if necessary.
func (s *Sim) chooseOrCreateAccount(form url.Values) (sim.Consented, error) {
	username := strings.ToLower(strings.TrimPrefix(strings.TrimSpace(form.Get("username")), "@"))
	known := s.lockAndFindAccountByUsername(username)
	s.pages.Lock.Lock()
	defer s.pages.Lock.Unlock()
	if username == "" {
		known = s.accounts.Get(form.Get("profile"))
	}
	switch {
	case known != nil:
		return sim.Consented{Subject: known.ID}, nil
	case username == "":
		return sim.Consented{}, errors.New("choose an account or enter a username")
	case !usernames.MatchString(username):
		return sim.Consented{}, errors.New("a username must have 1 to 30 characters: a to z, digits, underscores, and periods between them")
	}
	a := &account{
		ID: sim.StableID("1784142", username, s.accounts.Has), Username: username, Name: username,
		Type: s.kit.Option(OptAccountType),
	}
	return sim.Consented{Subject: a.ID}, s.accounts.Put(a.ID, a)
}

// exchangeBody returns the body of the response with a token of one hour.
func (s *Sim) exchangeBody(t sim.Token) any {
	id := ""
	if a := s.accounts.Get(t.Subject); a != nil {
		id = a.appScopedID()
	}
	body := map[string]any{"access_token": t.Text, "user_id": id, "permissions": strings.Join(t.Scopes, ",")}
	if s.kit.Option(OptExchange) == AnswerObject {
		return body
	}
	return map[string]any{"data": []any{body}}
}

// authenticateAndFindOwnRoute returns the route of a call for an account that was connected with Instagram Login. It
// first authenticates the call, unless the call is about tokens.
func (s *Sim) authenticateAndFindOwnRoute(q *sim.Request, path string) (sim.Route, error) {
	call := q.R.Method + " " + sim.RequestHost(q.R) + "/" + path
	switch call {
	case "POST " + loginHost + "/oauth/access_token":
		return s.own.ExchangeRoute(), nil
	case "GET " + graphHost + "/access_token":
		return s.own.ExtendRoute(q)
	case "GET " + graphHost + "/refresh_access_token":
		return s.own.RefreshRoute(q)
	}
	version, path, _ := strings.Cut(path, "/")
	if err := metasim.CheckVersion(version); err != nil {
		return sim.Route{}, err
	}
	if err := s.own.Graph.Authenticate(q); err != nil {
		return sim.Route{}, err
	}
	id, edge, _ := strings.Cut(path, "/")
	if id == "me" {
		id = q.Token.Subject
	}
	v := variant{
		graph: s.own.Graph, read: []string{"instagram_business_basic"}, profile: ownProfile,
		publish: []string{"instagram_business_basic", "instagram_business_content_publish"},
		figures: []string{"instagram_business_basic", "instagram_business_manage_insights"},
	}
	s.pages.Lock.Lock()
	defer s.pages.Lock.Unlock()
	a := s.accounts.Get(q.Token.Subject)
	if a.Type == typePersonal && (id != a.ID || edge != "") {
		return sim.Route{}, &metasim.Error{
			Status: http.StatusForbidden, Code: 10, Message: "(#10) This action requires a professional account",
		}
	}
	if route, ok := s.findRoute(v, q, a, id, edge); ok {
		return route, nil
	}
	return sim.Route{}, metasim.NotFound(q.R.Method, id)
}

// linkedRoute returns the route of a call for an account that is linked to a Page, if the token has access to the Page.
func (s *Sim) linkedRoute(
	g *metasim.Graph, q *sim.Request, id, edge string,
) (route sim.Route, ok bool, err error) {
	v := variant{
		graph: g, read: []string{"instagram_basic"}, profile: linkedProfile, bytes: true,
		publish: []string{"instagram_basic", "instagram_content_publish", "pages_read_engagement"},
		figures: []string{"instagram_basic", "instagram_manage_insights", "pages_read_engagement"},
	}
	s.pages.Lock.Lock()
	defer s.pages.Lock.Unlock()
	for a := range s.accounts.All() {
		if p := s.pages.Page(a.Page); p != nil && metasim.CanSee(q.Token, a.Page) {
			if !p.MayCreate() && q.R.Method == http.MethodPost && a.ID == id {
				return sim.Route{}, false, &metasim.Error{
					Status: http.StatusForbidden, Code: 10, Message: "(#10) The person cannot create content on the linked Page",
				}
			}
			if route, ok := s.findRoute(v, q, a, id, edge); ok {
				return route, true, nil
			}
		}
	}
	return sim.Route{}, false, nil
}

// findRoute returns the route of a call of an account, one of its containers or one of its posts.
func (s *Sim) findRoute(v variant, q *sim.Request, a *account, id, edge string) (sim.Route, bool) {
	call, c := q.R.Method+" "+edge, s.containers.Find(a.ID, id)
	p, isPost := s.kit.Posts.Get(Name, id)
	var route sim.Route
	ok := true
	switch {
	case id == a.ID:
		route, ok = s.accountRoute(v, a, call)
	case c != nil && call == "GET ":
		route = s.containerRoute(v, c)
	case isPost && p.Account == a.ID && call == "GET ":
		route = sim.Route{Names: []string{"permalink"}, Params: []string{"fields"}, Scopes: v.read}
		route.Serve = func(q *sim.Request) (any, error) { return mediaKind.Pick(q.Params.Get("fields"), s.mediaNode(p)) }
	case isPost && p.Account == a.ID && call == "GET insights":
		route = s.postInsightsRoute(v, p)
	default:
		return route, false
	}
	arrive := route.Arrive
	route.Arrive = func(q *sim.Request) {
		q.Account = a.ID
		if arrive != nil {
			arrive(q)
		}
	}
	return route, ok
}

var profileFields = []string{
	"username", "name", "biography", "profile_picture_url", "followers_count", "follows_count", "media_count",
}

var (
	ownProfile    = metasim.NewKind("IGUser", "id,username", append(slices.Clone(profileFields), "user_id", "account_type")...)
	linkedProfile = metasim.NewKind("IGUser", "id", append(slices.Clone(profileFields), "ig_id")...)
)

// profileNode returns an account as the API for linked accounts shows it.
func (s *Sim) profileNode(a *account) map[string]any {
	count := 0
	for p := range s.kit.Posts.Newest(Name, a.ID) {
		if p.IsVisible() && p.Extra["product"] != productStory {
			count++
		}
	}
	return map[string]any{
		"id": a.ID, "username": a.Username, "name": a.Name, "profile_picture_url": s.pictureURL(a),
		"followers_count": s.kit.CountFollowers(a.ID, s.kit.Now()), "follows_count": 61, "media_count": count,
	}
}

func (s *Sim) readProfile(v variant, q *sim.Request, a *account) (any, error) {
	node := s.profileNode(a)
	if v.graph == s.own.Graph {
		node["user_id"], node["id"], node["account_type"] = a.ID, a.appScopedID(), a.Type
	}
	return v.profile.Pick(q.Params.Get("fields"), node)
}
