// Package instagramsim simulates Instagram with both of its logins. Where the network's documents are ambiguous, it
// follows the strictest reading, so it is never more lenient than the network.
package instagramsim

import (
	_ "embed"
	"fmt"
	"net/http"
	"strings"

	"belfry/internal/network/meta/metasim"
	"belfry/internal/network/sim"
)

// Name is the network's id.
const Name = "instagram"

// Options on the control page.
const (
	OptQuota         = "instagram.quota_total"
	OptRepeatPublish = "instagram.repeat_publish"
	OptListDelay     = "instagram.list_delay_seconds"
	OptProcess       = "instagram.process_seconds"
	OptAccountType   = "instagram.new_account_type"
	OptExchange      = "instagram.exchange_answer"
)

// Values of OptRepeatPublish: the response to a second publishing call for a container.
const (
	RepeatError  = "error"
	RepeatSameID = "same_id"
)

// Values of OptExchange: whether the exchange of a code returns a list, as documented, or an object, as observed.
const (
	AnswerList   = "list"
	AnswerObject = "object"
)

const (
	site      = "www.instagram.com"
	loginHost = "api.instagram.com"
	graphHost = "graph.instagram.com"
	title     = "Instagram"
)

//go:embed style.css
var style []byte

//go:embed errors.txt
var errorTable string

// Sim is the simulated network.
type Sim struct {
	kit        *sim.Kit
	pages      *metasim.PageLogin // for accounts that are linked to Pages
	own        *metasim.OwnLogin  // for accounts that are connected with Instagram Login
	accounts   *sim.Table[*account]
	containers *metasim.Containers
}

// variant is one of the two logins. Each has its own API.
type variant struct {
	graph *metasim.Graph
	// read, publish and figures are the scopes that its calls need.
	read, publish, figures []string
	profile                metasim.Kind
	// bytes is true if a Reel's bytes can be sent.
	bytes bool
}

// New restores the network's state from the journal and registers it with the kit.
func New(kit *sim.Kit) (*Sim, error) {
	errs, err := metasim.ParseErrors(errorTable)
	if err != nil {
		return nil, err
	}
	s := &Sim{
		kit: kit, pages: metasim.JoinPageLogin(kit), accounts: sim.OpenTable[*account](kit, Name, "account"),
	}
	for _, a := range demoAccounts() {
		s.accounts.PutDefault(a.ID, a)
	}
	own := metasim.NewGraph(kit, Name, s.newOAuth(), &s.pages.Lock, metasim.Words{
		Type: "IGApiException", TokenType: metasim.TypeOAuth, TokenStatus: http.StatusBadRequest, MissingToken: 190,
		Scope: "(#10) Application does not have permission for this action: %s was not granted", Throttled: codeThrottled,
		Usage: Name, Race: *newContainerGoneError(),
	})
	own.TakeJSON, own.Proof = true, true
	own.Route, own.Errors = s.authenticateAndFindOwnRoute, errs
	s.own = &metasim.OwnLogin{Graph: own, Short: "ig", Basic: "instagram_business_basic", Answer: s.exchangeBody}
	words := metasim.PageWords(codeThrottled, Name)
	words.Race = *newContainerGoneError()
	linked := metasim.NewGraph(kit, Name, nil, &s.pages.Lock, words)
	linked.Errors = errs
	s.pages.Join(metasim.Member{
		Graph: linked, Scope: "instagram_basic", Link: s.findOrCreateLinkedAccount, Upload: s.findUpload,
		Node: func(q *sim.Request, id, edge string) (sim.Route, bool, error) {
			return s.linkedRoute(linked, q, id, edge)
		},
	})
	s.containers = metasim.OpenContainers(own, OptProcess, checkFile)
	if err := kit.Register(s.About(), func() error { return nil }); err != nil {
		return nil, fmt.Errorf("restore simulated %s: %w", Name, err)
	}
	return s, nil
}

// Hosts returns the network's real host names.
func (s *Sim) Hosts() []string {
	return []string{graphHost, loginHost, site, metasim.PageSite, metasim.PageGraph, metasim.PageUpload}
}

// About describes the network for the control page.
func (s *Sim) About() sim.About {
	return sim.About{
		ID: Name, Title: title, Hosts: s.Hosts(), Containers: true, Style: style, Errors: s.own.Graph.Errors,
		Text: "publishes in two steps: one call creates a container, and another publishes it.",
		Calls: []string{
			metasim.CallExchange, metasim.CallToken, metasim.CallRefresh, metasim.CallDebug, metasim.CallProfile,
			metasim.CallAccounts, metasim.CallRevoke, "create", "upload", "status", "publish", "list", "permalink", "limit",
			"insights", sim.CallFetch,
		},
		Options: []sim.Option{
			{Name: OptQuota, Title: "Instagram: maximum number of posts in 24 hours", Default: "100"},
			{
				Name: OptRepeatPublish, Title: "Instagram: response to a second publishing call",
				Default: RepeatError, Choices: []string{RepeatError, RepeatSameID},
			},
			{Name: OptListDelay, Title: "Instagram: seconds until a post is listed", Default: "0"},
			{Name: OptProcess, Title: "Instagram: seconds until a file is processed", Default: "0"},
			{
				Name: OptAccountType, Title: "Instagram: type of new accounts", Default: typeBusiness,
				Choices: []string{typeBusiness, typeCreator, typePersonal},
			},
			{
				Name: OptExchange, Title: "Instagram: format of the response with a new token", Default: AnswerList,
				Choices: []string{AnswerList, AnswerObject},
			},
		},
	}
}

// ServeHTTP serves all hosts of the network.
func (s *Sim) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch host := sim.RequestHost(r); {
	case host == graphHost, host == loginHost && r.URL.Path == "/oauth/access_token":
		s.own.Graph.ServeHTTP(w, r)
	case host != site && host != loginHost:
		s.pages.ServeHTTP(w, r)
	case r.URL.Path == "/oauth/authorize":
		s.own.Graph.API.OAuth.ServeConsent(w, r)
	case len(parts) == 2 && (parts[0] == "p" || parts[0] == "reel"), len(parts) == 3 && parts[0] == "stories":
		s.servePost(w, r)
	case len(parts) == 1 && s.lockAndFindAccountByUsername(parts[0]) != nil:
		a := s.lockAndFindAccountByUsername(parts[0])
		s.kit.ServeProfile(w, r, sim.ProfilePage{
			Network: Name, Title: title, Name: a.Name, Handle: "@" + a.Username, Picture: s.pictureURL(a),
		}, site, a.ID)
	default:
		s.kit.ServeSite(w, r, Name, title)
	}
}

// servePost serves the public page of a post or, for a day, of a Story.
func (s *Sim) servePost(w http.ResponseWriter, r *http.Request) {
	address := "https://" + site + strings.TrimSuffix(r.URL.Path, "/") + "/"
	for _, p := range s.kit.Posts.All() {
		if p.Network != Name || p.URL != address || isStoryOver(p, s.kit.Now()) {
			continue
		}
		page := s.kit.NewPostPage(p, site)
		page.Title, page.Handle, page.Picture = title, "@"+p.AccountName, s.pictureURL(s.lockAndGetAccount(p.Account))
		s.kit.ServePost(w, r, page)
		return
	}
	s.kit.ServePost(w, r, nil)
}
