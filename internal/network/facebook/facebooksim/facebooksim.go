// Package facebooksim simulates Facebook Pages. Where the network's documents are ambiguous, it follows the strictest
// reading, so it is never more lenient than the network.
package facebooksim

import (
	_ "embed"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"belfry/internal/network/meta/metasim"
	"belfry/internal/network/sim"
)

// Name is the network's id.
const Name = "facebook"

// Options on the control page.
const (
	OptDuplicates = "facebook.refuse_duplicates"
	OptProof      = metasim.OptProof
	OptListDelay  = "facebook.list_delay_seconds"
	OptProcess    = "facebook.process_seconds"
)

// Values of options that are either on or off.
const (
	On  = metasim.On
	Off = "off"
)

//go:embed style.css
var style []byte

//go:embed errors.txt
var errorTable string

// Sim is the simulated network.
type Sim struct {
	kit    *sim.Kit
	login  *metasim.PageLogin
	graph  *metasim.Graph
	photos *sim.Table[*photo]
	videos *sim.Table[*video]
	tries  map[attemptKey]*publishAttempt
}

// New restores the network's state from the journal and registers it with the kit.
func New(kit *sim.Kit) (*Sim, error) {
	errs, err := metasim.ParseErrors(errorTable)
	if err != nil {
		return nil, err
	}
	s := &Sim{
		kit: kit, login: metasim.JoinPageLogin(kit), photos: sim.OpenTable[*photo](kit, Name, "photo"),
		videos: sim.OpenTable[*video](kit, Name, "video"), tries: map[attemptKey]*publishAttempt{},
	}
	s.graph = metasim.NewGraph(kit, Name, nil, &s.login.Lock, metasim.PageWords(32, "pages"))
	s.graph.Errors = errs
	s.login.Join(metasim.Member{Graph: s.graph, Node: s.findNode, Upload: s.findUpload, Site: s.serveSite})
	for _, p := range kit.Posts.All() {
		// A sandbox that was killed may have stored the post but not its video.
		if v := s.videos.Get(p.Extra["media_id"]); v != nil && p.Network == Name {
			v.Post = p.ID
		}
	}
	for v := range s.videos.All() {
		if v.URL != "" && v.Fetched == nil {
			s.fetchVideoInBackground(v)
		}
	}
	if err := kit.Register(s.About(), s.deleteUploadsAndAttempts); err != nil {
		return nil, fmt.Errorf("restore simulated %s: %w", Name, err)
	}
	return s, nil
}

// Hosts returns the network's real host names.
func (s *Sim) Hosts() []string {
	return []string{metasim.PageSite, metasim.PageGraph, metasim.PageUpload}
}

// Names of calls that a fault can target.
const (
	callPublish   = "publish"
	callFeed      = "feed"
	callList      = "list"
	callPermalink = "permalink"
	callDelete    = "delete"
	callCreate    = "create"
	callUpload    = "upload"
	callPhotos    = "photos"
	callStatus    = "status"
	callFinish    = "finish"
	callStories   = "stories"
)

// About describes the network for the control page.
func (s *Sim) About() sim.About {
	return sim.About{
		ID: Name, Title: "Facebook", Hosts: s.Hosts(), Containers: true, Style: style, Errors: s.graph.Errors,
		Text: "publishes text and links in one call, and photos, videos, Reels and Stories in two steps.",
		Calls: []string{
			metasim.CallExchange, metasim.CallToken, metasim.CallDebug, metasim.CallProfile, metasim.CallAccounts, callPublish,
			callFeed, callList, callPermalink, callDelete, metasim.CallRevoke, callCreate, callUpload, callPhotos, callStatus,
			callFinish, callStories, sim.CallFetch,
		},
		Options: []sim.Option{
			{
				Name: OptDuplicates, Title: "Facebook: refuse a text post identical to the previous one", Default: On,
				Choices: []string{On, Off},
			},
			{Name: OptProof, Title: "Facebook: require appsecret_proof", Default: Off, Choices: []string{Off, On}},
			{Name: OptListDelay, Title: "Facebook: seconds until a post is listed", Default: "0"},
			{Name: OptProcess, Title: "Facebook: seconds until a video is processed", Default: "0"},
		},
	}
}

// ServeHTTP serves all hosts of the network.
func (s *Sim) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.login.ServeHTTP(w, r) }

// deleteUploadsAndAttempts deletes photos, videos and the counts of attempts. The kit deletes the visible posts.
func (s *Sim) deleteUploadsAndAttempts() error {
	s.login.Lock.Lock()
	defer s.login.Lock.Unlock()
	clear(s.tries)
	if err := s.photos.Clear(); err != nil {
		return err
	}
	return s.videos.Clear()
}

// findNode returns the route of a call of a Page, a post, a photo or a video.
func (s *Sim) findNode(q *sim.Request, id, edge string) (route sim.Route, ok bool, err error) {
	s.login.Lock.Lock()
	defer s.login.Lock.Unlock()
	post, isPost := s.kit.Posts.Get(Name, id)
	photo, video := s.photos.Get(id), s.videos.Get(id)
	methodAndEdge := q.R.Method + " " + edge
	switch {
	case s.login.Page(id) != nil:
		route, ok = s.pageRoute(q, s.login.Page(id), methodAndEdge)
	case photo != nil && metasim.CanSee(q.Token, photo.Page):
		route, ok = s.photoRoute(photo), methodAndEdge == "GET "
	case video != nil && metasim.CanSee(q.Token, video.Page):
		route, ok = s.videoRoute(q, video, methodAndEdge)
	case isPost && metasim.CanSee(q.Token, post.Account):
		route, ok = s.postRoute(post, methodAndEdge)
	}
	return route, ok, nil
}

// pageRoute returns the route of a call of a Page, such as "POST feed".
func (s *Sim) pageRoute(q *sim.Request, p *metasim.Page, methodAndEdge string) (route sim.Route, ok bool) {
	upload := s.startUploadRoute
	if q.Params.Get("upload_phase") == "finish" {
		upload = s.publishUploadRoute
	}
	routes := map[string]sim.Route{
		"POST feed": {
			Names: []string{callPublish, callFeed}, Text: sim.JoinParams("message", "link"), Arrive: s.countFeedAttempt,
			Params: append([]string{"attached_media*"}, feedParams...), Serve: s.createPost,
		},
		"POST photos": {
			Names: []string{callUpload, callPhotos}, Text: sim.JoinParams("url"),
			Params: []string{"url", "published", "alt_text_custom"},
			Fetch:  "url", Serve: s.uploadPhoto,
		},
		"POST videos": {
			Names: []string{callCreate}, Text: sim.JoinParams("description", "file_url"),
			Params: []string{"file_url", "title", "description", "published"}, Fetch: "file_url", Serve: s.createVideo,
		},
		"POST video_reels":   upload(edgeReels),
		"POST video_stories": upload(edgeStories),
		"POST photo_stories": {
			Names: []string{callPublish}, Params: []string{"photo_id"},
			Arrive: s.countPhotoStoryAttempt, Serve: s.publishPhotoStory,
		},
		"GET stories":         {Names: []string{callStories}, Params: metasim.ListParams, Serve: s.listStories},
		"GET feed":            {Names: []string{callList}, Params: metasim.ListParams, Serve: s.listPosts},
		"GET published_posts": {Names: []string{callList}, Params: metasim.ListParams, Serve: s.listPosts},
	}
	route, ok = routes[methodAndEdge]
	if phase := q.Params.Get("upload_phase"); methodAndEdge == "POST videos" && phase != "" {
		if route = s.sessionRouteOrZero(phase); route.Serve == nil {
			route.Serve = func(*sim.Request) (any, error) { return nil, metasim.Bad("Param upload_phase has an unknown value") }
			route.Names, route.Params = []string{callCreate}, []string{"*"}
		}
	}
	switch {
	case strings.HasPrefix(methodAndEdge, "POST"):
		route.Serve = withAccessCheck(p, route.Serve, checkPublishAccess)
	default:
		route.Serve = withAccessCheck(p, route.Serve, checkListAccess)
		route.Scopes = []string{scopeRead}
	}
	return route, ok
}

const (
	scopeRead   = "pages_read_engagement"
	scopeManage = "pages_manage_posts"
	scopeOthers = "pages_read_user_content"
)

// withAccessCheck returns a route's Serve that performs a call of a Page only if check returns no error.
func withAccessCheck(
	p *metasim.Page, serve func(*sim.Request) (any, error), check func(q *sim.Request, p *metasim.Page) error,
) func(*sim.Request) (any, error) {
	return func(q *sim.Request) (any, error) {
		if err := check(q, p); err != nil {
			return nil, err
		}
		return serve(q)
	}
}

func newForbiddenError(message string) error {
	return &metasim.Error{Status: http.StatusForbidden, Code: 200, Message: "(#200) " + message}
}

// checkPublishAccess returns an error unless the call has the Page's own token, the task and the permissions to
// publish.
func checkPublishAccess(q *sim.Request, p *metasim.Page) error {
	switch {
	case !metasim.IsPageToken(q.Token, p.ID):
		return newForbiddenError("A Page access token of this Page is required to publish to it")
	case !p.MayCreate():
		return newForbiddenError("The user does not have permission to create content on this Page")
	case !q.Token.HasScopes(scopeManage, scopeRead):
		return newForbiddenError("If posting to a page, requires both pages_read_engagement and pages_manage_posts permissions")
	}
	return nil
}

// checkListAccess returns an error unless the call has the token and the permissions to list the Page's posts.
func checkListAccess(q *sim.Request, p *metasim.Page) error {
	if !metasim.IsPageToken(q.Token, p.ID) {
		return newForbiddenError("A Page access token of this Page is required")
	}
	if strings.HasSuffix(q.R.URL.Path, "/feed") && !q.Token.HasScopes(scopeOthers) {
		return &sim.ScopeError{Scope: scopeOthers}
	}
	return nil
}

// serveSite serves the public page of a Page, a post, a video, a Reel or a Story. It returns false for any other path.
func (s *Sim) serveSite(w http.ResponseWriter, r *http.Request, parts []string) (served bool) {
	id, kinds := "", []string{}
	s.login.Lock.Lock()
	owner := s.login.Page(parts[0])
	s.login.Lock.Unlock()
	switch {
	case len(parts) == 1 && owner != nil:
		s.kit.ServeProfile(w, r, sim.ProfilePage{
			Network: Name, Title: "Facebook", Name: owner.Name, Handle: owner.Category,
			Picture: s.login.PictureURL(owner.ID, owner.Name),
		}, metasim.PageSite, owner.ID)
		return true
	case len(parts) == 3 && parts[1] == "posts":
		id = parts[0] + "_" + parts[2]
	case len(parts) == 3 && parts[1] == "videos":
		id, kinds = parts[2], []string{edgeVideos}
	case len(parts) == 2 && parts[0] == "reel":
		id, kinds = parts[1], []string{edgeReels}
	case len(parts) == 3 && parts[0] == "stories":
		id, kinds = parts[2], []string{edgeStories, edgePhotoStories}
	case len(parts) == 1 && strings.Contains(parts[0], "_"):
		owner, own, _ := strings.Cut(parts[0], "_")
		s.kit.SendRedirect(w, r, s.kit.SandboxURL("https://"+metasim.PageSite+"/"+owner+"/posts/"+own))
		return true
	default:
		return false
	}
	p, ok := s.kit.Posts.Get(Name, id)
	edge := p.Extra["edge"]
	over := strings.HasSuffix(edge, "stories") && s.kit.Now().Sub(p.CreatedAt) >= storyLife
	if !ok || !p.IsVisible() || over || edge != "" && !slices.Contains(kinds, edge) {
		s.kit.ServePost(w, r, nil)
		return true
	}
	page := s.kit.NewPostPage(p, metasim.PageSite)
	page.Title, page.Picture, page.Topic = "Facebook", s.login.PictureURL(p.Account, p.AccountName), p.Extra["title"]
	s.kit.ServePost(w, r, page)
	return true
}

// storyLife is how long a Story is visible.
const storyLife = 24 * time.Hour
