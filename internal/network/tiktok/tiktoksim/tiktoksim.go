// Package tiktoksim simulates TikTok. Where the network's documents are ambiguous, it follows the strictest reading, so
// it is never more lenient than the network.
package tiktoksim

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
const Name = "tiktok"

// Options on the control page.
const (
	OptAccount  = "tiktok.account"
	OptAudited  = "tiktok.audited"
	OptDuration = "tiktok.longest_seconds"
	OptCap      = "tiktok.posts_a_day"
	OptProcess  = "tiktok.process_seconds"
	OptIDDelay  = "tiktok.id_delay_seconds"
	OptFail     = "tiktok.fail_reason"
	OptOK       = "tiktok.errors_with_200"
	OptAccess   = "tiktok.access_seconds"
	OptRefresh  = "tiktok.refresh_seconds"
	OptRotate   = "tiktok.rotate"
	OptVerified = "tiktok.verified_host"
)

// Values of options.
const (
	On  = "on"
	Off = "off"
	// Public and Private are kinds of account. Quiet is a public account without comments, duets and stitches.
	Public  = "public"
	Private = "private"
	Quiet   = "quiet"
	// NoFailure lets processing succeed.
	NoFailure = "none"
)

const (
	site       = "www.tiktok.com"
	hostAPI    = "open.tiktokapis.com"
	hostUpload = "open-upload.tiktokapis.com"
	title      = "TikTok"
)

//go:embed style.css
var style []byte

//go:embed errors.txt
var errorTable string

// Sim is the simulated network.
type Sim struct {
	kit      *sim.Kit
	mu       sync.Mutex
	oauth    *sim.OAuth
	api      *sim.API // the API with its envelope
	login    *sim.API // the calls about tokens, whose errors are flat
	accounts *sim.Table[*account]
	tasks    *sim.Table[*task]
	recent   map[string][]time.Time // calls of the last minute, by token and name
	errors   []sim.Documented
}

// New restores the network's state from the journal and registers it with the kit.
func New(kit *sim.Kit) (*Sim, error) {
	errs, err := sim.ParseDocumented(errorTable)
	if err != nil {
		return nil, err
	}
	s := &Sim{
		kit: kit, accounts: sim.OpenTable[*account](kit, Name, "account"), tasks: sim.OpenTable[*task](kit, Name, "task"),
		recent: map[string][]time.Time{}, errors: errs,
	}
	for _, a := range demoAccounts() {
		s.accounts.PutDefault(a.ID, a)
	}
	for t := range s.tasks.All() {
		if t.Photos != nil && t.DoneAt.IsZero() {
			s.fetchPhotosAndPublishInBackground(t)
		}
	}
	s.oauth = s.newOAuth()
	s.api = &sim.API{
		Kit: kit, Network: Name, OAuth: s.oauth, Lock: &s.mu, Error: s.errorAnswer,
		Fault: func(f sim.Fault, _ *sim.Request) sim.Answer {
			return s.withRetryAfter(f, s.errorAnswer(s.newScriptedError(f)))
		},
	}
	s.login = &sim.API{
		Kit: kit, Network: Name, OAuth: s.oauth, Lock: &s.mu, Error: s.loginErrorAnswer,
		Fault: func(f sim.Fault, _ *sim.Request) sim.Answer {
			return s.withRetryAfter(f, s.loginErrorAnswer(newScriptedLoginError(f)))
		},
	}
	if err := kit.Register(s.About(), func() error { return nil }); err != nil {
		return nil, fmt.Errorf("restore simulated %s: %w", Name, err)
	}
	return s, nil
}

// Hosts returns the network's real host names.
func (s *Sim) Hosts() []string { return []string{site, hostAPI, hostUpload} }

// About describes the network for the control page.
func (s *Sim) About() sim.About {
	onOff := []string{Off, On}
	return sim.About{
		ID: Name, Title: title, Hosts: s.Hosts(), Style: style, Errors: s.errors,
		Text: "publishes a video after it has received the last part, and photos after it has fetched them.",
		Calls: []string{
			"exchange", "refresh", "revoke", "profile", "creator_info", "create", "upload", "publish", "status", "list", "permalink",
			sim.CallFetch,
		},
		Options: []sim.Option{
			{Name: OptAccount, Title: "TikTok: kind of account", Default: Public, Choices: []string{Public, Private, Quiet}},
			{Name: OptAudited, Title: "TikTok: the app is audited", Default: On, Choices: onOff},
			{Name: OptDuration, Title: "TikTok: maximum video length, in seconds", Default: "600"},
			{Name: OptCap, Title: "TikTok: maximum number of posts in 24 hours", Default: "15"},
			{Name: OptProcess, Title: "TikTok: seconds until an uploaded video is processed", Default: "0"},
			{Name: OptIDDelay, Title: "TikTok: seconds until the ID of a public post is returned", Default: "0"},
			{
				Name: OptFail, Title: "TikTok: reason for failed processing", Default: NoFailure,
				Choices: append([]string{NoFailure}, failures...),
			},
			{Name: OptVerified, Title: "TikTok: the photo host is verified", Default: On, Choices: onOff},
			{Name: OptOK, Title: "TikTok: error responses have HTTP status 200", Default: Off, Choices: onOff},
			{Name: OptAccess, Title: "TikTok: seconds until an access token lapses", Default: "7200"},
			{Name: OptRefresh, Title: "TikTok: seconds until a refresh token expires", Default: "15552000"},
			{Name: OptRotate, Title: "TikTok: a renewal replaces the refresh token", Default: On, Choices: onOff},
		},
	}
}

// ServeHTTP serves all hosts of the network.
func (s *Sim) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch host, path := sim.RequestHost(r), r.URL.Path; {
	case host == hostUpload:
		s.serveUpload(w, r)
	case host == hostAPI && strings.HasPrefix(path, "/v2/oauth/"):
		s.serveLogin(w, r)
	case host == hostAPI:
		s.serveAPI(w, r)
	case path == "/v2/auth/authorize/":
		s.oauth.ServeConsent(w, r)
	case strings.HasPrefix(path, "/@"):
		s.serveAccountOrPost(w, r)
	default:
		s.kit.ServeSite(w, r, Name, title)
	}
}
