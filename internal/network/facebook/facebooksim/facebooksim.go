// Package facebooksim imitates Facebook Pages, stricter than the network where its documents leave room, and
// never laxer.
package facebooksim

import (
	_ "embed"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"belfry/internal/network/sim"
)

// Name is the network's id.
const Name = "facebook"

// Switches of the control surface.
const (
	OptDuplicates = "facebook.refuse_duplicates"
	OptProof      = "facebook.require_appsecret_proof"
	OptListDelay  = "facebook.list_delay_seconds"
	OptProcess    = "facebook.process_seconds"
)

// Values of the switches that are either on or off.
const (
	On  = "on"
	Off = "off"
)

const (
	site       = "www.facebook.com"
	graph      = "graph.facebook.com"
	uploadHost = "rupload.facebook.com"
)

//go:embed style.css
var style []byte

// Sim is the simulated network. Its lock is held for changes in memory and one journal line, never while waiting.
type Sim struct {
	kit *sim.Kit

	mu     sync.Mutex
	person person
	pages  map[string]*page
	order  []string // page ids as the person sees them
	codes  map[string]*grantCode
	tokens map[string]*token
	// derived finds a Page token by the person's token and the Page.
	derived map[[2]string]*token
	posts   map[string]*post
	photos  map[string]*photo
	videos  map[string]*video
	tries   map[attemptKey]*publishAttempt
}

// New restores what the journal holds and makes the network known to the sandbox.
func New(kit *sim.Kit) (*Sim, error) {
	s := &Sim{
		kit: kit, person: demoPerson(), pages: map[string]*page{}, codes: map[string]*grantCode{},
		tokens: map[string]*token{}, derived: map[[2]string]*token{}, posts: map[string]*post{},
		photos: map[string]*photo{}, videos: map[string]*video{}, tries: map[attemptKey]*publishAttempt{},
	}
	for _, p := range demoPages() {
		s.addPage(p)
	}
	if err := kit.Replay(Name, s.recordHandlers().Apply); err != nil {
		return nil, fmt.Errorf("restore simulated %s: %w", Name, err)
	}
	s.resumeUploads()
	kit.Register(s.About(), s.resetPosts)
	return s, nil
}

// Hosts are the network's real host names.
func (s *Sim) Hosts() []string { return []string{site, graph, uploadHost} }

// About describes the network to the control surface.
func (s *Sim) About() sim.About {
	return sim.About{
		ID: Name, Title: "Facebook Page", Hosts: s.Hosts(), Containers: true, Style: style,
		Text: "publishes texts and links in one call, and photos, videos, Reels and Stories in two steps.",
		Calls: []string{
			callExchange, callToken, callDebug, callProfile, callAccounts, callPublish, callFeed, callList, callPermalink,
			callDelete, callRevoke, callCreate, callUpload, callPhotos, callStatus, callFinish, callStories, sim.CallFetch,
		},
		Options: []sim.Option{
			{
				Name: OptDuplicates, Title: "Facebook: refuse a text equal to the previous one", Default: On,
				Choices: []string{On, Off},
			},
			{Name: OptProof, Title: "Facebook: require appsecret_proof", Default: Off, Choices: []string{Off, On}},
			{Name: OptListDelay, Title: "Facebook: seconds until a post is listed", Default: "0"},
			{Name: OptProcess, Title: "Facebook: seconds until a fetched video is processed", Default: "0"},
		},
	}
}

// ServeHTTP serves all hosts of the network.
func (s *Sim) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch sim.Host(r) {
	case site:
		s.serveSite(w, r)
	case uploadHost:
		s.serveUpload(w, r)
	default:
		s.serveGraph(w, r)
	}
}

func (s *Sim) serveSite(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if len(parts) == 3 && parts[1] == "dialog" && parts[2] == "oauth" {
		s.serveDialog(w, r, parts[0])
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	switch {
	case len(parts) == 3 && parts[1] == "posts":
		s.servePost(w, r, parts[0]+"_"+parts[2])
	case len(parts) == 3 && parts[1] == "videos":
		s.serveVideo(w, r, parts[2])
	case len(parts) == 2 && parts[0] == "reel":
		s.serveVideo(w, r, parts[1])
	case len(parts) == 3 && parts[0] == "stories":
		s.serveStory(w, r, parts[1], parts[2])
	case len(parts) == 2 && parts[0] == "media":
		s.kit.ServeMedia(w, r, parts[1])
	case len(parts) == 2 && parts[0] == "picture":
		s.kit.Picture(w, r, strings.TrimSuffix(parts[1], ".png"))
	case len(parts) == 1 && strings.Contains(parts[0], "_"):
		owner, id, _ := strings.Cut(parts[0], "_")
		//nolint:gosec // always below our own mount
		http.Redirect(w, r, s.kit.Link("https://"+site+"/"+owner+"/posts/"+id), http.StatusFound)
	default:
		s.showNotice(
			w, r, http.StatusNotFound, "This page isn't available", "The address may be wrong, or the page was removed.",
		)
	}
}

func (s *Sim) showNotice(w http.ResponseWriter, r *http.Request, status int, heading, text string) {
	s.kit.Page(w, r, status, "notice", sim.Notice{Network: Name, Title: "Facebook", Heading: heading, Text: text})
}
