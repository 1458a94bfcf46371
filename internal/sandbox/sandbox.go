// Package sandbox serves all simulated networks behind one handler, with a control surface for the people
// and tests that use them.
package sandbox

import (
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"belfry/internal/network/sim"
)

// Credentials are what the simulated networks take when Config names none.
const Credentials = "sandbox"

// journalName is the one file below Config.JournalDir.
const journalName = "sandbox.jsonl"

// Config says how the simulated networks are served. The zero value is a sandbox at the root that forgets
// everything at its end.
type Config struct {
	// Prefix is the path everything is served below: "" or, inside the product, "/sandbox".
	Prefix string
	// JournalDir keeps accounts, tokens, containers and posts over a restart; empty means memory only.
	JournalDir string
	// Now is the networks' clock; nil means the machine's.
	Now func() time.Time
	// ClientID and ClientSecret default to Credentials.
	ClientID, ClientSecret string
	// AppName is what consent pages call the product; Home is its address, where there is one to go back to.
	AppName, Home string
	// MediaPrefixes, when given, are the only addresses media is downloaded from.
	MediaPrefixes []string
	// Options presets switches such as a network's quota; GET /_/options lists them.
	Options map[string]string
}

// Sandbox is an http.Handler for {Prefix}/{real host}/{path} and {Prefix}/_/.
type Sandbox struct {
	prefix  string
	kit     *sim.Kit
	hosts   map[string]hosted
	control http.Handler
}

type hosted struct {
	network sim.Network
	id      string
}

// New replays the journal and returns a sandbox ready to serve. The caller closes it after its server stopped.
func New(cfg Config) (*Sandbox, error) {
	if cfg.ClientID == "" {
		cfg.ClientID = Credentials
	}
	if cfg.ClientSecret == "" {
		cfg.ClientSecret = Credentials
	}
	cfg.Prefix = strings.TrimSuffix(cfg.Prefix, "/")
	if cfg.Prefix != "" && !strings.HasPrefix(cfg.Prefix, "/") {
		return nil, fmt.Errorf("sandbox prefix %q must begin with a slash", cfg.Prefix)
	}
	journal := ""
	if cfg.JournalDir != "" {
		journal = filepath.Join(cfg.JournalDir, journalName)
	}
	kit, err := sim.New(sim.Config{
		Prefix: cfg.Prefix, JournalPath: journal, Now: cfg.Now, ClientID: cfg.ClientID, ClientSecret: cfg.ClientSecret,
		AppName: cfg.AppName, Home: cfg.Home, MediaPrefixes: cfg.MediaPrefixes, Options: cfg.Options,
	})
	if err != nil {
		return nil, err
	}
	s := &Sandbox{prefix: cfg.Prefix, kit: kit, hosts: map[string]hosted{}}
	for _, start := range newNetworks(kit) {
		n, err := start()
		if err != nil {
			_ = kit.Close()
			return nil, err
		}
		for _, host := range n.Hosts() {
			s.hosts[host] = hosted{network: n, id: n.About().ID}
		}
	}
	s.control = newControl(kit)
	return s, nil
}

// Close ends slow answers and background work and closes the journal.
func (s *Sandbox) Close() error { return s.kit.Close() }

// Kit gives tests that run the sandbox in their own process the record of posts, calls and faults.
func (s *Sandbox) Kit() *sim.Kit { return s.kit }

// ServeHTTP hands a request to the network whose host is its first path segment.
func (s *Sandbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rest, ok := strings.CutPrefix(r.URL.Path, s.prefix)
	if !ok || (rest != "" && rest[0] != '/') {
		http.NotFound(w, r)
		return
	}
	host, path, _ := strings.Cut(strings.TrimPrefix(rest, "/"), "/")
	switch host {
	case "":
		http.Redirect(w, r, s.prefix+"/_/", http.StatusSeeOther)
		return
	case "_":
		s.serveControl(w, r, "/"+path)
		return
	}
	h, ok := s.hosts[strings.ToLower(host)]
	if !ok {
		s.kit.Page(w, r, http.StatusNotFound, "notice", sim.Notice{
			Title: "Sandbox", Heading: "Unknown host", Text: host + " is not a host of a simulated network.",
		})
		return
	}
	h.network.ServeHTTP(w, s.kit.Enter(r, h.id, strings.ToLower(host), "/"+path, rawRest(r.URL, s.prefix, host)))
}

// rawRest keeps an escaped path escaped below the mount, so that a network sees what was really asked for.
func rawRest(u *url.URL, prefix, host string) string {
	if u.RawPath == "" {
		return ""
	}
	rest, ok := strings.CutPrefix(u.RawPath, prefix+"/"+host)
	if !ok {
		return ""
	}
	return rest
}

func (s *Sandbox) serveControl(w http.ResponseWriter, r *http.Request, path string) {
	inner := r.Clone(r.Context())
	inner.URL.Path, inner.URL.RawPath = path, ""
	s.control.ServeHTTP(w, inner)
}
