// Package youtubesim simulates YouTube's Data API. Where the network's documents are ambiguous, it follows the
// strictest reading, so it is never more lenient than the network.
package youtubesim

import (
	_ "embed"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"belfry/internal/network/sim"
)

// Name is the network's id.
const Name = "youtube"

const title = "YouTube"

// Options on the control page.
const (
	OptProcess        = "youtube.process_seconds"
	OptOutcome        = "youtube.outcome"
	OptUploads        = "youtube.uploads_per_day"
	OptUnits          = "youtube.units_per_day"
	OptChannelUploads = "youtube.channel_uploads_per_day"
	OptSession        = "youtube.session_hours"
	OptAccess         = "youtube.access_seconds"
	OptRefresh        = "youtube.refresh_days"
	OptListDelay      = "youtube.list_delay_seconds"
	OptForcePrivate   = "youtube.force_private"
	OptLongUploads    = "youtube.long_uploads"
)

// Values of OptLongUploads: each channel's own value, or the same for all.
const (
	ofChannel   = "channel"
	longAllowed = "allowed"
)

// Calls to an upload: one that sends a chunk, one that sends the last chunk, and a query of its progress.
const (
	callUpload  = "upload"
	callPublish = "publish"
	callStatus  = "status"
)

const site = "www.youtube.com"

//go:embed style.css
var style []byte

//go:embed errors.txt
var errorTable string

// Sim is the simulated network.
type Sim struct {
	kit       *sim.Kit
	mu        sync.Mutex
	api       *sim.API
	oauth     *sim.OAuth
	channels  *sim.Table[*channel]
	sessions  *sim.Table[*session]
	playlists *sim.Table[*playlistItem]
	used      *sim.Table[int] // by day and bucket of quota
	errors    []sim.Documented
}

// New restores the network's state from the journal and registers it with the kit.
func New(kit *sim.Kit) (*Sim, error) {
	errs, err := sim.ParseDocumented(errorTable)
	if err != nil {
		return nil, err
	}
	s := &Sim{
		kit: kit, errors: errs, channels: sim.OpenTable[*channel](kit, Name, "channel"),
		sessions:  sim.OpenTable[*session](kit, Name, "session"),
		playlists: sim.OpenTable[*playlistItem](kit, Name, "playlistItem"), used: sim.OpenTable[int](kit, Name, "quota"),
	}
	for _, c := range demoChannels() {
		s.channels.PutDefault(c.ID, c)
	}
	s.oauth = s.newOAuth()
	s.api = &sim.API{
		Kit: kit, Network: Name, OAuth: s.oauth, Lock: &s.mu, Error: errorAnswer, Fault: s.faultAnswer,
	}
	if err := kit.Register(s.About(), func() error { return nil }); err != nil {
		return nil, fmt.Errorf("restore simulated %s: %w", Name, err)
	}
	return s, nil
}

// Hosts returns the network's real host names.
func (s *Sim) Hosts() []string {
	return []string{
		"accounts.google.com", tokenHost, "www.googleapis.com", "youtube.googleapis.com", site, "youtube.com",
	}
}

// About describes the network for the control page.
func (s *Sim) About() sim.About {
	return sim.About{
		ID: Name, Title: title, Hosts: s.Hosts(), Style: style, Errors: s.errors,
		Text: "receives a video in parts. The last part publishes the video.",
		Calls: []string{
			"exchange", "refresh", "revoke", "profile", "create", callUpload, callStatus, callPublish, "videos", "list",
			"thumbnail", "playlist", "playlistCheck",
		},
		Options: []sim.Option{
			{Name: OptProcess, Title: "YouTube: seconds until a video is processed", Default: "0"},
			{
				Name: OptOutcome, Title: "YouTube: processing result", Default: allOutcomes()[0], Choices: allOutcomes(),
			},
			{Name: OptUploads, Title: "YouTube: maximum number of uploads by the project per day", Default: "100"},
			{Name: OptUnits, Title: "YouTube: maximum number of quota units for the project per day", Default: "10000"},
			{Name: OptChannelUploads, Title: "YouTube: maximum number of uploads by a channel in 24 hours", Default: "100"},
			{Name: OptSession, Title: "YouTube: hours until an upload expires", Default: "168"},
			{Name: OptAccess, Title: "YouTube: seconds until an access token lapses", Default: "3599"},
			{Name: OptRefresh, Title: "YouTube: days until a refresh token expires (0 for never)", Default: "0"},
			{Name: OptListDelay, Title: "YouTube: seconds until a video is listed", Default: "0"},
			{
				Name: OptForcePrivate, Title: "YouTube: make every video private", Default: "off",
				Choices: []string{"off", "on"},
			},
			{
				Name: OptLongUploads, Title: "YouTube: videos longer than 15 minutes", Default: ofChannel,
				Choices: []string{ofChannel, longAllowed, "eligible", "disallowed", "longUploadsUnspecified"},
			},
		},
	}
}

// ServeHTTP serves all hosts of the network.
func (s *Sim) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch sim.RequestHost(r) {
	case "accounts.google.com":
		if r.URL.Path == "/o/oauth2/v2/auth" {
			s.oauth.ServeConsent(w, r)
			return
		}
	case tokenHost:
		s.serveTokens(w, r)
		return
	case "www.googleapis.com", "youtube.googleapis.com":
		s.serveAPI(w, r)
		return
	case site, "youtube.com":
		s.servePages(w, r)
		return
	}
	s.kit.ServeSite(w, r, Name, title)
}

// serveAPI serves a call of the Data API.
func (s *Sim) serveAPI(w http.ResponseWriter, r *http.Request) {
	q := &sim.Request{W: w, R: r, Params: r.URL.Query()}
	for name, values := range q.Params {
		if len(values) > 1 {
			s.kit.SendAnswer(w, r, errorAnswer(badRequest("Param %s was given more than once", name)))
			return
		}
	}
	route, err := s.findRoute(q)
	if err == nil {
		bearer, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		token, why := s.oauth.FindToken(bearer)
		if q.Token = token; why != "" || token.Kind != sim.AccessToken {
			err = newDocumentedError("authError")
		}
	}
	if err != nil {
		s.kit.SendAnswer(w, r, errorAnswer(err))
		return
	}
	serve := route.Serve
	route.Serve = func(q *sim.Request) (any, error) {
		if err := s.spendUnitsOrRefuse(q, route.Names[0]); err != nil {
			return nil, err
		}
		return serve(q)
	}
	s.api.ServeCall(r.Context(), q, route)
}

// Permissions: any one of them is enough for a call.
var (
	toRead   = []string{"youtube.readonly", "youtube.force-ssl", "youtube"}
	toUpload = []string{"youtube.upload", "youtube.force-ssl", "youtube"}
	toChange = []string{"youtube.force-ssl", "youtube"}
)

// withAnyScopeCheck returns a route's Serve that performs a call only if the token has one of the scopes.
func withAnyScopeCheck(scopes []string, serve func(*sim.Request) (any, error)) func(*sim.Request) (any, error) {
	return func(q *sim.Request) (any, error) {
		if !slices.ContainsFunc(scopes, func(scope string) bool { return q.Token.HasScopes(scopePrefix + scope) }) {
			return nil, newDocumentedError("insufficientPermissions")
		}
		return serve(q)
	}
}

func (s *Sim) findRoute(q *sim.Request) (sim.Route, error) {
	path := strings.TrimPrefix(q.R.URL.Path, "/resumable")
	switch q.R.Method + " " + path {
	case "GET /youtube/v3/channels":
		return sim.Route{
			Names: []string{"profile"}, Params: []string{"part", "mine"}, Serve: withAnyScopeCheck(toRead, s.listChannels),
		}, nil
	case "GET /youtube/v3/videos":
		return sim.Route{
			Names: []string{"videos"}, Params: []string{"part", "id"}, Serve: withAnyScopeCheck(toRead, s.listVideos),
		}, nil
	case "GET /youtube/v3/playlistItems":
		names := []string{"list"}
		if q.Params.Has("videoId") {
			names = []string{"playlistCheck"}
		}
		return sim.Route{
			Names: names, Params: []string{"part", "playlistId", "videoId", "maxResults", "pageToken"},
			Serve: withAnyScopeCheck(toRead, s.listPlaylist),
		}, nil
	case "POST /youtube/v3/playlistItems":
		return sim.Route{
			Names: []string{"playlist"}, Params: []string{"part"}, Serve: withAnyScopeCheck(toChange, s.addToPlaylist),
		}, nil
	case "POST /upload/youtube/v3/thumbnails/set":
		return sim.Route{
			Names: []string{"thumbnail"}, Params: []string{"videoId", "uploadType"},
			Serve: withAnyScopeCheck(toUpload, s.setThumbnail),
		}, nil
	case "POST /upload/youtube/v3/videos", "PUT /upload/youtube/v3/videos":
		if q.Params.Has("upload_id") {
			return s.findUploadRoute(q)
		}
		return s.startUploadRoute(q)
	}
	return sim.Route{}, &apiError{Status: http.StatusNotFound, Reason: "notFound", Domain: "global", Message: "Not Found"}
}
