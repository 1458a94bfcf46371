// Package threadssim simulates Threads. Where the network's documents are ambiguous, it follows the strictest reading,
// so it is never more lenient than the network.
package threadssim

import (
	_ "embed"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"belfry/internal/network/meta/metasim"
	"belfry/internal/network/sim"
)

// Name is the network's id.
const Name = "threads"

// Options on the control page.
const (
	OptQuota         = "threads.quota_total"
	OptRepeatPublish = "threads.repeat_publish"
	OptListDelay     = "threads.list_delay_seconds"
	OptProcess       = "threads.process_seconds"
)

// Values of OptRepeatPublish: the response to a second publishing call for a container.
const (
	RepeatError  = "error"
	RepeatSameID = "same_id"
)

const (
	site  = "www.threads.net"
	title = "Threads"
)

//go:embed style.css
var style []byte

//go:embed errors.txt
var errorTable string

// Sim is the simulated network.
type Sim struct {
	kit        *sim.Kit
	mu         sync.Mutex
	graph      *metasim.Graph
	login      *metasim.OwnLogin
	accounts   *sim.Table[*account]
	containers *metasim.Containers
}

// New restores the network's state from the journal and registers it with the kit.
func New(kit *sim.Kit) (*Sim, error) {
	errs, err := metasim.ParseErrors(errorTable)
	if err != nil {
		return nil, err
	}
	s := &Sim{kit: kit, accounts: sim.OpenTable[*account](kit, Name, "account")}
	for _, a := range demoProfiles() {
		s.accounts.PutDefault(a.ID, a)
	}
	s.graph = metasim.NewGraph(kit, Name, s.newOAuth(), &s.mu, metasim.Words{
		Type: "THApiException", TokenType: metasim.TypeOAuth, TokenStatus: http.StatusUnauthorized, MissingToken: 190,
		Throttled: 4, Scope: "Application does not have permission for this action: %s was not granted",
		Race: *newMediaNotFoundError(),
	})
	s.graph.Route, s.graph.Errors = s.authenticateAndFindRoute, errs
	s.login = &metasim.OwnLogin{Graph: s.graph, Short: "th", Basic: scopeBasic, Answer: func(t sim.Token) any {
		// The id is a JSON number above 2^53 here, and only here.
		return map[string]any{"access_token": t.Text, "user_id": metasim.BigNumber(t.Subject)}
	}}
	s.containers = metasim.OpenContainers(s.graph, OptProcess, checkFile)
	if err := kit.Register(s.About(), func() error { return nil }); err != nil {
		return nil, fmt.Errorf("restore simulated %s: %w", Name, err)
	}
	return s, nil
}

// Hosts returns the network's real host names.
func (s *Sim) Hosts() []string {
	return []string{
		"graph.threads.net", "graph.threads.com", "threads.com", "threads.net", "www.threads.net", "www.threads.com",
	}
}

// About describes the network for the control page.
func (s *Sim) About() sim.About {
	return sim.About{
		ID: Name, Title: title, Hosts: s.Hosts(), Containers: true, Style: style, Errors: s.graph.Errors,
		Text: "publishes in two steps: one call creates a container, and another publishes it.",
		Calls: []string{
			metasim.CallExchange, metasim.CallToken, metasim.CallRefresh, metasim.CallDebug, "profile", "create", "status",
			"publish", "list", "permalink", "limit", "delete", sim.CallFetch,
		},
		Options: []sim.Option{
			{Name: OptQuota, Title: "Threads: maximum number of posts in 24 hours", Default: "250"},
			{
				Name: OptRepeatPublish, Title: "Threads: response to a second publishing call",
				Default: RepeatError, Choices: []string{RepeatError, RepeatSameID},
			},
			{Name: OptListDelay, Title: "Threads: seconds until a post is listed", Default: "0"},
			{Name: OptProcess, Title: "Threads: seconds until a fetched file is processed", Default: "0"},
		},
	}
}

// ServeHTTP serves all hosts of the network.
func (s *Sim) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case strings.HasPrefix(sim.RequestHost(r), "graph."):
		s.graph.ServeHTTP(w, r)
	case r.URL.Path == "/oauth/authorize":
		s.graph.API.OAuth.ServeConsent(w, r)
	case len(parts) == 1 && strings.HasPrefix(parts[0], "@"):
		s.serveAccount(w, r, parts[0][1:], "")
	case len(parts) == 3 && strings.HasPrefix(parts[0], "@") && parts[1] == "post":
		s.serveAccount(w, r, parts[0][1:], parts[2])
	default:
		s.kit.ServeSite(w, r, Name, title)
	}
}
