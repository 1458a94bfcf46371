package threadssim

import (
	"errors"
	"net/url"
	"regexp"
	"strings"
	"time"

	"belfry/internal/network/meta/metasim"
	"belfry/internal/network/sim"
)

type account struct {
	ID       string `json:"id"`
	Username string `json:"username"`
	Name     string `json:"name"`
	Bio      string `json:"bio"`
}

func demoProfiles() []*account {
	return []*account{
		{ID: "17841405793187218", Username: "harbour.bakery", Name: "Harbour Bakery", Bio: "Bread before sunrise."},
		{ID: "17841408120554391", Username: "nightowl.cycles", Name: "Night Owl Cycles", Bio: "Repairs until late."},
		{ID: "17841411306627745", Username: "maren.writes", Name: "Maren Holt", Bio: "Short stories, long walks."},
	}
}

func (s *Sim) pictureURL(a *account) string { return s.kit.PictureURL(site, a.ID, a.Name) }

const (
	scopeBasic   = "threads_basic"
	scopePublish = "threads_content_publish"
	scopeDelete  = "threads_delete"
)

func (s *Sim) newOAuth() *sim.OAuth {
	return sim.NewOAuth(s.kit, sim.OAuthConfig{
		Network: Name, Title: title, Needed: []string{scopeBasic}, Withhold: true,
		Scopes: []string{
			scopeBasic, scopePublish, "threads_manage_insights", "threads_manage_replies", "threads_read_replies", scopeDelete,
			"threads_manage_mentions", "threads_keyword_search", "threads_location_tagging", "threads_profile_discovery",
			"threads_share_to_instagram",
		},
		CodeLife: time.Hour, CodePrefix: "AQ", Prefixes: metasim.Prefixes("THQ"), Fragment: "#_",
		Allow: "Continue", Heading: "wants to use a Threads profile", Lead: "Choose the profile that this app can publish to.",
		UnknownApp: "4476002: the client_id belongs to no Threads app", BadScope: "invalid scope", Denied: metasim.Denied,
		Form: []string{"profile", "username"}, Accounts: s.offerProfiles, Choose: s.chooseOrCreateProfile,
		NameOf: s.findName, Removed: func(person string, erase bool) { metasim.ReportRemoval(s.kit, Name, person, erase) },
		Erases: true,
	})
}

func (s *Sim) offerProfiles() sim.Group {
	group := sim.Group{
		Title: "Which profile?", Field: "username", FieldLabel: "Or another username",
		FieldHint: "If no profile has this username, one is created.",
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for a := range s.accounts.All() {
		group.Choices = append(group.Choices, sim.Choice{
			Type: "radio", Name: "profile", Value: a.ID, Label: a.Name, Note: "@" + a.Username, Picture: s.pictureURL(a),
		})
	}
	return group
}

func (s *Sim) findName(person string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.accounts.Get(person); a != nil {
		return a.Name
	}
	return person
}

var usernames = regexp.MustCompile(`^[a-z0-9_](?:[a-z0-9_.]{0,28}[a-z0-9_])?$`)

// chooseOrCreateProfile returns the profile that a person chose or, if they entered a username, the profile with that
// name, which it creates if necessary.
func (s *Sim) chooseOrCreateProfile(form url.Values) (sim.Consented, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	username := strings.ToLower(strings.TrimPrefix(strings.TrimSpace(form.Get("username")), "@"))
	if username == "" {
		if a := s.accounts.Get(form.Get("profile")); a != nil {
			return sim.Consented{Subject: a.ID}, nil
		}
		return sim.Consented{}, errors.New("choose a profile or enter a username")
	}
	if a := s.findAccountByUsername(username); a != nil {
		return sim.Consented{Subject: a.ID}, nil
	}
	if !usernames.MatchString(username) {
		return sim.Consented{}, errors.New("a username must have 1 to 30 characters: a to z, digits, underscores, and periods between them")
	}
	a := &account{ID: sim.StableID("1784142", username, s.accounts.Has), Username: username, Name: username}
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
