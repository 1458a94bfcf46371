package threadssim

import (
	"net/http"
	"net/url"
	"strings"

	"belfry/internal/network/sim"
)

// Names a fault may aim at.
const (
	callExchange  = "exchange"
	callToken     = "token"
	callRefresh   = "refresh"
	callDebug     = "debug"
	callProfile   = "profile"
	callCreate    = "create"
	callStatus    = "status"
	callPublish   = "publish"
	callList      = "list"
	callPermalink = "permalink"
	callLimit     = "limit"
	callDelete    = "delete"
)

// apiCall is one call to the Graph host, with its parameters merged and checked for duplicates.
type apiCall struct {
	w      http.ResponseWriter
	r      *http.Request
	params url.Values
	bearer string
	token  *token
	owner  *account
}

func (s *Sim) serveGraph(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Idempotency-Key") != "" || r.Header.Get("X-Idempotency-Key") != "" {
		s.kit.Send(
			w, r, badParameter("The network knows no idempotency keys, and Go's transport resends requests that carry one."),
		)
		return
	}
	params, err := sim.Params(w, r, false)
	if err != nil {
		s.kit.Send(w, r, badParameter(err.Error()))
		return
	}
	bearer, err := sim.TakeToken(r, params)
	if err != nil {
		s.kit.Send(w, r, badParameter(err.Error()))
		return
	}
	q := &apiCall{w: w, r: r, params: params, bearer: bearer}
	route := r.Method + " " + r.URL.Path
	switch route {
	case "POST /oauth/access_token":
		s.exchangeGrant(q)
	case "GET /oauth/access_token":
		s.appToken(q)
	case "GET /access_token":
		s.extendToken(q)
	case "GET /refresh_access_token":
		s.refreshToken(q)
	default:
		s.serveVersion(q)
	}
}

func (s *Sim) serveVersion(q *apiCall) {
	path, ok := strings.CutPrefix(q.r.URL.Path, "/v1.0/")
	if !ok {
		s.kit.Send(q.w, q.r, unknownPath(q.r.URL.Path))
		return
	}
	parts := strings.Split(path, "/")
	if len(parts) == 1 && parts[0] == "debug_token" && q.r.Method == http.MethodGet {
		s.debugToken(q)
		return
	}
	if a, refused := s.authenticateCall(q); refused {
		s.kit.Send(q.w, q.r, a)
		return
	}
	self := parts[0] == "me" || parts[0] == q.owner.ID
	if len(parts) == 1 {
		s.serveNode(q, parts[0], self)
		return
	}
	edges := map[string]func(*apiCall){
		"POST threads": s.createContainer, "GET threads": s.listPosts, "POST threads_publish": s.servePublish,
		"GET threads_publishing_limit": s.readQuota,
	}
	edge, ok := edges[q.r.Method+" "+parts[1]]
	switch {
	case len(parts) != 2 || !ok:
		s.kit.Send(q.w, q.r, unknownPath(q.r.URL.Path))
	case !self:
		s.kit.Send(q.w, q.r, notFoundError(q.r.Method, parts[0]))
	default:
		edge(q)
	}
}

func (s *Sim) serveNode(q *apiCall, id string, self bool) {
	s.mu.Lock()
	c, isContainer := s.containers[id]
	p, isPost := s.posts[id]
	s.mu.Unlock()
	switch {
	case self && q.r.Method == http.MethodGet:
		s.readProfile(q)
	case isContainer && c.Account == q.owner.ID && q.r.Method == http.MethodGet:
		s.readContainerStatus(q, c)
	case isPost && p.Account == q.owner.ID && q.r.Method == http.MethodGet:
		s.readPost(q, p)
	case isPost && p.Account == q.owner.ID && q.r.Method == http.MethodDelete:
		s.deletePost(q, p)
	default:
		s.kit.Send(q.w, q.r, notFoundError(q.r.Method, id))
	}
}

// runCall performs a call under the script of faults.
func (s *Sim) runCall(q *apiCall, name, text string, effect func(neverReady bool) sim.Answer) {
	c := sim.Call{Network: Name, Names: []string{name}, Text: text, Containers: true, Fault: faultAnswer}
	if q.owner != nil {
		c.Account = q.owner.ID
	}
	if t := q.token; t != nil {
		c.Kill = func(revoked bool, subcode int) error { return s.killToken(t, revoked, subcode) }
	}
	s.kit.Run(q.w, q.r, c, effect)
}
