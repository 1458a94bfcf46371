// Package sandbox serves all simulated networks behind one handler, with a control page for people and a control API
// for tests.
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

// Credentials are the credentials that the simulated networks accept if Config has none.
const Credentials = "sandbox"

// journalName is the only file in Config.JournalDir. The number in its name increases when earlier files can no
// longer be read.
const journalName = "sandbox-2.jsonl"

// Config is the configuration of a Sandbox. The zero value is a sandbox at the root that stores nothing on disk.
type Config struct {
	// Prefix is the path below which everything is served: "" or, inside the product, "/sandbox".
	Prefix string
	// JournalDir stores accounts, tokens, containers and posts across restarts; empty means only in memory.
	JournalDir string
	// JournalAlone makes New fail with ErrJournalInUse if another process uses the journal.
	JournalAlone bool
	// Now is the networks' clock; nil means the machine's.
	Now func() time.Time
	// ClientID and ClientSecret default to Credentials.
	ClientID, ClientSecret string
	// AppName is the name of the product on consent pages; Home is its address, if there is one.
	AppName, Home string
	// Outbox is where the product shows the emails that it keeps; optional.
	Outbox string
	// Tokens and Icon are the addresses of a style sheet with the product's colors and font, and of its icon; optional.
	Tokens, Icon string
	// MediaPrefixes, if set, are the only addresses from which media is downloaded.
	MediaPrefixes []string
	// CallbackURL is the address to which the networks send their callbacks, followed by /{network}/{event}. If it is
	// empty, they send none.
	CallbackURL string
	// Options sets options such as a network's quota; GET /_/options lists them.
	Options map[string]string
}

// ErrJournalInUse is the error of New if another process uses the journal, and one of the two needs it alone.
var ErrJournalInUse = sim.ErrJournalInUse

// Sandbox is the http.Handler for {Prefix}/{real host}/{path} and {Prefix}/_/.
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

// New reads the journal and returns a sandbox. The caller must close the sandbox after the server has stopped.
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
		Prefix: cfg.Prefix, JournalPath: journal, JournalAlone: cfg.JournalAlone, Now: cfg.Now,
		ClientID: cfg.ClientID, ClientSecret: cfg.ClientSecret, AppName: cfg.AppName, Home: cfg.Home, Outbox: cfg.Outbox,
		Tokens: cfg.Tokens, Icon: cfg.Icon, MediaPrefixes: cfg.MediaPrefixes, Options: cfg.Options,
		CallbackURL: cfg.CallbackURL,
	})
	if err != nil {
		return nil, err
	}
	s := &Sandbox{prefix: cfg.Prefix, kit: kit, hosts: map[string]hosted{}}
	for _, start := range networkConstructors(kit) {
		n, err := start()
		if err != nil {
			_ = kit.Close()
			return nil, err
		}
		for _, host := range n.Hosts() {
			s.hosts[host] = hosted{network: n, id: n.About().ID}
		}
	}
	s.control = newControlHandler(kit)
	return s, nil
}

// Close ends delayed responses and background work, and closes the journal.
func (s *Sandbox) Close() error { return s.kit.Close() }

// Kit returns the record of posts, calls and faults, for tests that run the sandbox in their own process.
func (s *Sandbox) Kit() *sim.Kit { return s.kit }

// ServeHTTP passes a request to the network whose host is the first path segment.
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
		s.kit.ServePage(w, r, http.StatusNotFound, "notice", sim.Notice{
			Title: "Sandbox", Heading: "Unknown host", Text: host + " is not a host of a simulated network.",
		})
		return
	}
	escaped := rawNetworkPathOrEmpty(r.URL, s.prefix, host)
	h.network.ServeHTTP(w, s.kit.BeginRequest(r, h.id, strings.ToLower(host), "/"+path, escaped))
}

// rawNetworkPathOrEmpty returns the path at the network in its original escaping, so that the network sees the path
// unchanged. Like url.URL.RawPath, it is "" if this is the default escaping.
func rawNetworkPathOrEmpty(u *url.URL, prefix, host string) string {
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
