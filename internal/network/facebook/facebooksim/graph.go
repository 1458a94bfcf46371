package facebooksim

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"

	"belfry/internal/network/sim"
)

// Names a fault may aim at. The publishing call of a text is both publish and feed.
const (
	callExchange  = "exchange"
	callToken     = "token"
	callDebug     = "debug"
	callProfile   = "profile"
	callAccounts  = "accounts"
	callPublish   = "publish"
	callFeed      = "feed"
	callList      = "list"
	callPermalink = "permalink"
	callDelete    = "delete"
	callRevoke    = "revoke"
	callCreate    = "create"
	callUpload    = "upload"
	callPhotos    = "photos"
	callStatus    = "status"
	callFinish    = "finish"
	callStories   = "stories"
)

// apiCall is one call to the Graph host, with its parameters merged and checked for duplicates.
type apiCall struct {
	w       http.ResponseWriter
	r       *http.Request
	version string
	params  url.Values
	bearer  string
	token   *token
}

func (s *Sim) serveGraph(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Idempotency-Key") != "" || r.Header.Get("X-Idempotency-Key") != "" {
		s.kit.Send(
			w, r, badParameter("The network knows no idempotency keys, and Go's transport resends requests that carry one."),
		)
		return
	}
	params, err := sim.Params(w, r, true)
	if err != nil {
		s.kit.Send(w, r, badParameter(err.Error()))
		return
	}
	version, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if problem := versionProblem(version); problem != "" {
		s.kit.Send(w, r, graphError(2635, 0, problem))
		return
	}
	bearer, err := sim.TakeToken(r, params)
	if err != nil {
		s.kit.Send(w, r, badParameter(err.Error()))
		return
	}
	w.Header().Set("Facebook-Api-Version", version)
	q := &apiCall{w: w, r: r, version: version, params: params, bearer: bearer}
	switch path {
	case "oauth/access_token":
		s.serveTokens(q)
	case "debug_token":
		s.debugToken(q)
	default:
		s.serveNode(q, strings.Split(path, "/"))
	}
}

// serveNode serves everything that needs a token: the person, a Page, a post, and their edges.
func (s *Sim) serveNode(q *apiCall, parts []string) {
	if a, refused := s.authenticateCall(q); refused {
		s.kit.Send(q.w, q.r, a)
		return
	}
	id, edge := parts[0], strings.Join(parts[1:], "/")
	if id == "me" {
		id = q.token.subjectID()
	}
	s.mu.Lock()
	p, isPage := s.pages[id]
	post, isPost := s.posts[id]
	photo, isPhoto := s.photos[id]
	video, isVideo := s.videos[id]
	s.mu.Unlock()
	switch {
	case id == s.person.ID:
		s.servePerson(q, edge)
	case isPage && q.token.canSee(id):
		s.servePage(q, p, edge)
	case isPost && q.token.canSee(post.Page):
		s.servePostNode(q, post, edge)
	case isPhoto && q.token.canSee(photo.Page) && edge == "" && q.r.Method == http.MethodGet:
		s.readPhoto(q, photo)
	case isVideo && q.token.canSee(video.Page) && edge == "" && q.r.Method == http.MethodGet:
		s.readVideo(q, video)
	case isVideo && q.token.canSee(video.Page) && edge == "" && q.r.Method == http.MethodPost:
		s.updateVideo(q, video)
	default:
		s.kit.Send(q.w, q.r, notFoundError(q.r.Method, id))
	}
}

type edgeKey struct{ method, edge string }

func (s *Sim) servePerson(q *apiCall, edge string) {
	edges := map[edgeKey]func(*apiCall){
		{http.MethodGet, ""}: s.readPerson, {http.MethodGet, "accounts"}: s.listAccounts,
		{http.MethodGet, "permissions"}:    s.listPermissions,
		{http.MethodDelete, "permissions"}: s.revokeConsent,
	}
	serve, ok := edges[edgeKey{q.r.Method, edge}]
	if !ok || q.token.Page != "" {
		s.noEdge(q, s.person.ID, edge, "User")
		return
	}
	serve(q)
}

func (s *Sim) servePage(q *apiCall, p *page, edge string) {
	edges := map[edgeKey]func(*apiCall, *page){
		{http.MethodGet, ""}: s.readPage, {http.MethodPost, "feed"}: s.createPost,
		{http.MethodPost, "photos"}: s.uploadPhoto, {http.MethodPost, edgeVideos}: s.createVideo,
		{http.MethodPost, edgeReels}: s.serveUploadPhase, {http.MethodPost, edgeStories}: s.serveUploadPhase,
		{http.MethodPost, "photo_stories"}: s.publishPhotoStory, {http.MethodGet, "stories"}: s.listStories,
		{http.MethodGet, "feed"}: s.listPosts, {http.MethodGet, "published_posts"}: s.listPosts,
	}
	serve, ok := edges[edgeKey{q.r.Method, edge}]
	if !ok {
		s.noEdge(q, p.ID, edge, "Page")
		return
	}
	serve(q, p)
}

func (s *Sim) servePostNode(q *apiCall, p *post, edge string) {
	edges := map[edgeKey]func(*apiCall, *post){
		{http.MethodGet, ""}: s.readPostNode, {http.MethodPost, ""}: s.publishDraft, {http.MethodDelete, ""}: s.deletePost,
	}
	serve, ok := edges[edgeKey{q.r.Method, edge}]
	if !ok {
		s.noEdge(q, p.ID, edge, "PagePost")
		return
	}
	serve(q, p)
}

// noEdge refuses an edge that is not simulated.
func (s *Sim) noEdge(q *apiCall, id, edge, kind string) {
	if q.r.Method == http.MethodGet {
		s.kit.Send(q.w, q.r, badParameter("Tried accessing nonexisting field ("+edge+") on node type ("+kind+")"))
		return
	}
	s.kit.Send(q.w, q.r, notFoundError(q.r.Method, id))
}

// runCall performs a call under the script of faults.
func (s *Sim) runCall(q *apiCall, names []string, text string, effect func() sim.Answer) {
	s.runCallUnready(q, names, text, func(bool) sim.Answer { return effect() })
}

// runCallUnready is run for what can be told to look unready.
func (s *Sim) runCallUnready(q *apiCall, names []string, text string, effect func(neverReady bool) sim.Answer) {
	owner := ""
	c := sim.Call{Network: Name, Names: names, Text: text}
	if t := q.token; t != nil {
		owner = t.Page
		c.Account = t.subjectID()
		c.Kill = func(revoked bool, subcode int) error { return s.killToken(t, revoked, subcode) }
	}
	c.Fault = func(f sim.Fault) sim.Answer { return faultAnswer(f, owner) }
	s.kit.Run(q.w, q.r, c, func(neverReady bool) sim.Answer {
		a := effect(neverReady)
		if a.Header == nil {
			a.Header = http.Header{}
		}
		a.Header.Set("X-App-Usage", appUsage(1))
		if owner != "" {
			a.Header.Set("X-Business-Use-Case-Usage", businessUsage(owner, 1, 0))
		}
		return a
	})
}

// checkProof verifies appsecret_proof when it is sent, and refuses a call without it when the option requires it.
func (s *Sim) checkProof(q *apiCall) (sim.Answer, bool) {
	proof := q.params.Get("appsecret_proof")
	q.params.Del("appsecret_proof")
	if proof == "" {
		if s.kit.Option(OptProof) != On {
			return sim.Answer{}, false
		}
		return sim.GraphError{
			Code: 100, Type: methodError, Message: "API calls from the server require an appsecret_proof argument",
		}.Answer(), true
	}
	mac := hmac.New(sha256.New, []byte(s.kit.ClientSecret()))
	mac.Write([]byte(q.bearer))
	if !hmac.Equal([]byte(hex.EncodeToString(mac.Sum(nil))), []byte(proof)) {
		return sim.GraphError{
			Code: 100, Type: methodError, Message: "Invalid appsecret_proof provided in the API argument",
		}.Answer(), true
	}
	return sim.Answer{}, false
}
