package tiktoksim

import (
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"belfry/internal/network/sim"
)

type account struct {
	ID       string `json:"id"` // open_id
	Username string `json:"username"`
	Name     string `json:"name"`
}

func demoAccounts() []*account {
	return []*account{
		{ID: "-000harbour9kQpXvB2mTz71LdYw4", Username: "harbour.bakery", Name: "Harbour Bakery"},
		{ID: "-000nightowl4RsWc8uNf05JhGe6X", Username: "nightowl.cycles", Name: "Night Owl Cycles"},
	}
}

func (s *Sim) pictureURL(a *account) string { return s.kit.PictureURL(site, a.ID, a.Name) }

const (
	scopeBasic   = "user.info.basic"
	scopeProfile = "user.info.profile"
	scopeStats   = "user.info.stats"
	scopeList    = "video.list"
	scopePublish = "video.publish"
)

func (s *Sim) newOAuth() *sim.OAuth {
	return sim.NewOAuth(s.kit, sim.OAuthConfig{
		Network: Name, Title: title, ClientParam: "client_key", Needed: []string{scopeBasic},
		Scopes: []string{scopeBasic, scopeProfile, scopeStats, scopeList, scopePublish, "video.upload"},
		Params: []string{"disable_auto_auth"}, Form: []string{"account", "username"}, PKCE: sim.PKCEHex, NeedPKCE: true,
		Withhold: true, CodeLife: 10 * time.Minute, CodePrefix: "c.",
		Prefixes: map[string]string{sim.AccessToken: "act.", sim.RefreshToken: "rft."},
		Allow:    "Continue", Heading: "wants to access a TikTok account", Lead: "Choose the account that this app can post to.",
		UnknownApp: "client_key: the app does not exist", BadScope: "invalid scope",
		Denied: [][2]string{
			{"error", "access_denied"}, {"error_description", "The user denied the request"},
		},
		Granted:  func(c sim.Consented) [][2]string { return [][2]string{{"scopes", strings.Join(c.Scopes, ",")}} },
		Accounts: s.offerAccounts, Choose: s.chooseOrCreateAccount, Check: checkRedirectAddress, NameOf: s.findName,
		Removed: func(person string, _ bool) { s.reportRemoval(person, removedByUser) },
	})
}

// checkRedirectAddress refuses a redirect address that TikTok does not register.
func checkRedirectAddress(r *http.Request) error {
	back := r.Form.Get("redirect_uri")
	if strings.Contains(back, "?") || len(back) >= 512 {
		return errors.New("redirect_uri must be shorter than 512 characters and have no query")
	}
	return nil
}

func (s *Sim) offerAccounts() sim.Group {
	group := sim.Group{
		Title: "Which account?", Field: "username", FieldLabel: "Or another username",
		FieldHint: "If no account has this username, one is created.",
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for a := range s.accounts.All() {
		group.Choices = append(group.Choices, sim.Choice{
			Type: "radio", Name: "account", Value: a.ID, Label: a.Name, Note: "@" + a.Username, Picture: s.pictureURL(a),
		})
	}
	return group
}

var usernames = regexp.MustCompile(`^[a-z0-9_][a-z0-9_.]{0,22}[a-z0-9_]$`)

// chooseOrCreateAccount returns the account that a person chose or, if they entered a username, the account with that
// name, which it creates if necessary.
func (s *Sim) chooseOrCreateAccount(form url.Values) (sim.Consented, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	username := strings.ToLower(strings.TrimPrefix(strings.TrimSpace(form.Get("username")), "@"))
	a := s.accounts.Get(form.Get("account"))
	if username != "" {
		a = s.findAccountByUsername(username)
	}
	switch {
	case a != nil:
		return sim.Consented{Subject: a.ID}, nil
	case !usernames.MatchString(username):
		return sim.Consented{}, errors.New("choose an account or enter a username of 2 to 24 characters: a to z, digits, underscores, and periods between them")
	}
	a = &account{ID: sim.StableID("-000sandbox", username, s.accounts.Has), Username: username, Name: username}
	return sim.Consented{Subject: a.ID}, s.accounts.Put(a.ID, a)
}

// findAccountByUsername returns the account with a username, or nil if there is none.
func (s *Sim) findAccountByUsername(username string) *account {
	for a := range s.accounts.All() {
		if a.Username == username {
			return a
		}
	}
	return nil
}

func (s *Sim) findName(person string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.accounts.Get(person); a != nil {
		return a.Name
	}
	return person
}

// scopeOfField is the permission that a field of an account needs.
var scopeOfField = map[string]string{
	"open_id": scopeBasic, "union_id": scopeBasic, "avatar_url": scopeBasic, "avatar_url_100": scopeBasic,
	"avatar_large_url": scopeBasic, "display_name": scopeBasic, "username": scopeProfile, "bio_description": scopeProfile,
	"is_verified": scopeProfile, "profile_deep_link": scopeProfile, "profile_web_link": scopeProfile,
	"follower_count": scopeStats, "following_count": scopeStats, "likes_count": scopeStats, "video_count": scopeStats,
}

// readProfile serves the requested fields. If the permission for one is missing, the whole call fails.
func (s *Sim) readProfile(q *sim.Request) (any, error) {
	a := s.accounts.Get(q.Account)
	posts, likes := 0, 0
	for p := range s.kit.Posts.Newest(Name, a.ID) {
		posts++
		likes += s.kit.PostFigures(p).Likes
	}
	all := map[string]any{
		"open_id": a.ID, "union_id": "union" + a.ID, "avatar_url": s.pictureURL(a), "avatar_url_100": s.pictureURL(a),
		"avatar_large_url": s.pictureURL(a), "display_name": a.Name, "username": a.Username, "bio_description": "",
		"is_verified": false, "profile_deep_link": profileURL(a), "profile_web_link": profileURL(a),
		"follower_count": s.kit.CountFollowers(a.ID, s.kit.Now()), "following_count": 12, "likes_count": likes,
		"video_count": posts,
	}
	user := map[string]any{}
	for name := range strings.SplitSeq(q.Params.Get("fields"), ",") {
		scope, known := scopeOfField[name]
		switch {
		case !known:
			return nil, newInvalidParamError("fields: " + name + " does not exist")
		case !q.Token.HasScopes(scope):
			return nil, &sim.ScopeError{Scope: scope}
		}
		user[name] = all[name]
	}
	return successBody(map[string]any{"user": user}), nil
}

func profileURL(a *account) string { return "https://" + site + "/@" + a.Username }
