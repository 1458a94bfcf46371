// Package threadssim imitates Threads, stricter than the network where its documents leave room, and never laxer.
package threadssim

import (
	_ "embed"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"belfry/internal/network/sim"
)

// Name is the network's id.
const Name = "threads"

// Switches of the control surface.
const (
	OptQuota         = "threads.quota_total"
	OptRepeatPublish = "threads.repeat_publish"
	OptListDelay     = "threads.list_delay_seconds"
	OptProcess       = "threads.process_seconds"
)

// Values of OptRepeatPublish: how a second publish of one container is answered.
const (
	RepeatError  = "error"
	RepeatSameID = "same_id"
)

//go:embed style.css
var style []byte

// Sim is the simulated network. Its lock is held for changes in memory and one journal line, never while waiting.
type Sim struct {
	kit *sim.Kit

	mu         sync.Mutex
	accounts   map[string]*account
	byUsername map[string]*account
	codes      map[string]*grantCode
	tokens     map[string]*token
	containers map[string]*container
	posts      map[string]*post
	byCode     map[string]*post
}

type account struct {
	ID       string `json:"id"`
	Username string `json:"username"`
	Name     string `json:"name"`
	Bio      string `json:"bio"`

	posts     []*post     // oldest first, without deleted ones
	published []time.Time // within the quota's window
	deleted   []time.Time
}

// New restores what the journal holds and makes the network known to the sandbox.
func New(kit *sim.Kit) (*Sim, error) {
	s := &Sim{
		kit: kit, accounts: map[string]*account{}, byUsername: map[string]*account{}, codes: map[string]*grantCode{},
		tokens: map[string]*token{}, containers: map[string]*container{}, posts: map[string]*post{},
		byCode: map[string]*post{},
	}
	for _, a := range demoProfiles() {
		s.addAccount(a)
	}
	if err := kit.Replay(Name, s.recordHandlers().Apply); err != nil {
		return nil, fmt.Errorf("restore simulated %s: %w", Name, err)
	}
	s.resumeMedia()
	kit.Register(s.About(), s.resetPosts)
	return s, nil
}

// Hosts are the network's real host names.
func (s *Sim) Hosts() []string {
	return []string{
		"graph.threads.net", "graph.threads.com", "threads.com", "threads.net", "www.threads.net", "www.threads.com",
	}
}

// About describes the network to the control surface.
func (s *Sim) About() sim.About {
	return sim.About{
		ID: Name, Title: "Threads", Hosts: s.Hosts(), Containers: true, Style: style,
		Text: "publishes in two steps: a container is created, then published.",
		Calls: []string{
			callExchange, callToken, callRefresh, callDebug, callProfile, callCreate, callStatus, callPublish,
			callList, callPermalink, callLimit, callDelete, sim.CallFetch,
		},
		Options: []sim.Option{
			{Name: OptQuota, Title: "Threads: posts per moving 24 hours", Default: "250"},
			{
				Name: OptRepeatPublish, Title: "Threads: second publish of a container",
				Default: RepeatError, Choices: []string{RepeatError, RepeatSameID},
			},
			{Name: OptListDelay, Title: "Threads: seconds until a post is listed", Default: "0"},
			{Name: OptProcess, Title: "Threads: seconds until a fetched file is processed", Default: "0"},
		},
	}
}

// ServeHTTP serves all hosts of the network.
func (s *Sim) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(sim.Host(r), "graph.") {
		s.serveGraph(w, r)
		return
	}
	s.serveSite(w, r)
}

func (s *Sim) serveSite(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case r.URL.Path == "/oauth/authorize":
		s.serveConsent(w, r)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
	case len(parts) == 3 && strings.HasPrefix(parts[0], "@") && parts[1] == "post":
		s.servePost(w, r, strings.TrimPrefix(parts[0], "@"), parts[2])
	case len(parts) == 2 && parts[0] == "picture":
		s.kit.Picture(w, r, strings.TrimSuffix(parts[1], ".png"))
	case len(parts) == 2 && parts[0] == "media":
		s.kit.ServeMedia(w, r, parts[1])
	default:
		s.showNotice(
			w, r, http.StatusNotFound, "Not all who wander are lost, but this page is.", "There is nothing at this address.",
		)
	}
}

func (s *Sim) showNotice(w http.ResponseWriter, r *http.Request, status int, heading, text string) {
	s.kit.Page(w, r, status, "notice", sim.Notice{Network: Name, Title: "Threads", Heading: heading, Text: text})
}

func (s *Sim) addAccount(a *account) {
	s.accounts[a.ID] = a
	s.byUsername[a.Username] = a
}

func pictureURL(a *account) string { return "https://www.threads.net/picture/" + a.ID + ".png" }
