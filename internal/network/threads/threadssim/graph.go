package threadssim

import (
	"net/http"
	"strings"
	"time"

	"belfry/internal/network/meta/metasim"
	"belfry/internal/network/sim"
)

const (
	quotaWindow  = 24 * time.Hour
	quotaReplies = 1000
	quotaDeletes = 100
)

// newMediaNotFoundError returns the error for a container that cannot be published.
func newMediaNotFoundError() *metasim.Error {
	return &metasim.Error{
		Code: 24, Subcode: 4279009, Message: "The requested resource does not exist", Title: "Media Not Found",
		Detail: "The media with the given id could not be found.",
	}
}

// authenticateAndFindRoute returns the route of a call. It first authenticates the call, unless the call is about
// tokens.
func (s *Sim) authenticateAndFindRoute(q *sim.Request, path string) (sim.Route, error) {
	switch q.R.Method + " " + path {
	case "POST oauth/access_token":
		return s.login.ExchangeRoute(), nil
	case "GET oauth/access_token":
		return s.login.AppTokenRoute(), nil
	case "GET access_token":
		return s.login.ExtendRoute(q)
	case "GET refresh_access_token":
		return s.login.RefreshRoute(q)
	case "GET v1.0/debug_token":
		return s.login.DebugRoute(q)
	}
	path, known := strings.CutPrefix(path, "v1.0/")
	if !known {
		return sim.Route{}, metasim.UnknownPath(path)
	}
	if err := s.graph.Authenticate(q); err != nil {
		return sim.Route{}, err
	}
	id, edge, _ := strings.Cut(path, "/")
	if id == "me" || id == q.Token.Subject {
		return s.profileRoute(q, path, edge)
	}
	if edge != "" {
		return sim.Route{}, metasim.NotFound(q.R.Method, id)
	}
	return s.nodeRoute(q, id)
}

// profileRoute returns the route of a call of the token's profile.
func (s *Sim) profileRoute(q *sim.Request, path, edge string) (sim.Route, error) {
	switch q.R.Method + " " + edge {
	case "GET ":
		return sim.Route{Names: []string{"profile"}, Params: []string{"fields"}, Serve: s.readProfile}, nil
	case "POST threads":
		return sim.Route{
			Names: []string{"create"}, Params: []string{"*"}, Scopes: []string{scopePublish}, Text: sim.JoinParams("text"),
			Serve: s.createContainer,
		}, nil
	case "GET threads":
		return sim.Route{Names: []string{"list"}, Params: metasim.ListParams, Serve: s.listPosts}, nil
	case "POST threads_publish":
		return sim.Route{
			Names: []string{"publish"}, Params: []string{"creation_id"}, Scopes: []string{scopePublish},
			Text: s.containers.CallText, Arrive: s.containers.CountAttempt, Serve: s.publishContainer,
		}, nil
	case "GET threads_publishing_limit":
		return sim.Route{
			Names: []string{"limit"}, Params: []string{"fields"}, Scopes: []string{scopePublish}, Serve: s.readQuota,
		}, nil
	}
	return sim.Route{}, metasim.UnknownPath(path)
}

// nodeRoute returns the route of a call of one of the profile's containers or posts.
func (s *Sim) nodeRoute(q *sim.Request, id string) (sim.Route, error) {
	s.mu.Lock()
	c := s.containers.Find(q.Token.Subject, id)
	s.mu.Unlock()
	p, isPost := s.kit.Posts.Get(Name, id)
	isPost = isPost && p.Account == q.Token.Subject
	switch {
	case c != nil && q.R.Method == http.MethodGet:
		return sim.Route{
			Names: []string{"status"}, Params: []string{"fields"}, Text: func(*sim.Request) string { return c.Text },
			Serve: func(q *sim.Request) (any, error) { return s.readContainer(q, c) },
		}, nil
	case isPost && q.R.Method == http.MethodGet:
		return sim.Route{
			Names: []string{"permalink"}, Params: []string{"fields"}, Text: func(*sim.Request) string { return p.Text },
			Serve: func(q *sim.Request) (any, error) { return postKind.Pick(q.Params.Get("fields"), s.postNode(p)) },
		}, nil
	case isPost && q.R.Method == http.MethodDelete:
		return sim.Route{
			Names: []string{"delete"}, Scopes: []string{scopeDelete}, Text: func(*sim.Request) string { return p.Text },
			Serve: func(q *sim.Request) (any, error) { return s.deletePost(q, id) },
		}, nil
	}
	return sim.Route{}, metasim.NotFound(q.R.Method, id)
}

// createContainer creates a container, which publishes nothing yet.
func (s *Sim) createContainer(q *sim.Request) (any, error) {
	c, err := parseContainer(q.Params)
	if err != nil {
		return nil, err
	}
	return s.containers.Add(q, c)
}

var containerKind = metasim.NewKind("ThreadsMediaContainer", "id", "status", "error_message")

// readContainer returns the state of a container, but not the id of its post.
func (s *Sim) readContainer(q *sim.Request, c *metasim.Container) (any, error) {
	state := c.State(s.kit.Now())
	if q.Unready && state == metasim.Finished {
		state = metasim.InProgress
	}
	node := map[string]any{"id": c.ID, "status": state}
	if state == metasim.Failed {
		node["error_message"] = c.Problem
	}
	return containerKind.Pick(q.Params.Get("fields"), node)
}

// publishContainer publishes a container, which is irreversible.
func (s *Sim) publishContainer(q *sim.Request) (any, error) {
	id := q.Params.Get("creation_id")
	if id == "" {
		return nil, metasim.Bad("The parameter creation_id is required")
	}
	c, now := s.containers.Find(q.Account, id), s.kit.Now()
	if c == nil {
		return nil, newMediaNotFoundError()
	}
	switch c.State(now) {
	case metasim.Published:
		if s.kit.Option(OptRepeatPublish) == RepeatSameID {
			return map[string]any{"id": c.Post}, nil
		}
		return nil, newMediaNotFoundError()
	case metasim.Outdated:
		return nil, newMediaNotFoundError()
	case metasim.InProgress:
		return nil, metasim.NotReady()
	case metasim.Failed:
		return nil, metasim.Bad("The media container failed: %s", c.Problem)
	}
	if c.Item {
		return nil, metasim.Bad("A carousel item cannot be published by itself")
	}
	if used := s.kit.Posts.CountSince(Name, q.Account, now.Add(-quotaWindow)); used >= s.kit.NumberOption(OptQuota) {
		return nil, metasim.LimitReached() // the code of another network of Meta; Threads documents none
	}
	a := s.accounts.Get(q.Account)
	return s.containers.Publish(q, c, sim.Post{
		AccountName: a.Username, URL: "https://" + site + "/@" + a.Username + "/post/" + metasim.NewShortcode(),
	})
}

var quotaKind = metasim.NewKind(
	"ThreadsPublishingLimit", "quota_usage", "quota_usage", "config", "reply_quota_usage", "reply_config",
)

// readQuota serves how much of the publishing quota is used.
func (s *Sim) readQuota(q *sim.Request) (any, error) {
	used := s.kit.Posts.CountSince(Name, q.Account, s.kit.Now().Add(-quotaWindow))
	day := int(quotaWindow.Seconds())
	picked, err := quotaKind.Pick(q.Params.Get("fields"), map[string]any{
		"quota_usage": used, "config": map[string]any{"quota_total": s.kit.NumberOption(OptQuota), "quota_duration": day},
		"reply_quota_usage": 0, "reply_config": map[string]any{"quota_total": quotaReplies, "quota_duration": day},
	})
	return map[string]any{"data": []any{picked}}, err
}

var profileKind = metasim.NewKind(
	"ThreadsUser", "id", "username", "name", "threads_profile_picture_url", "threads_biography", "is_verified",
)

// readProfile serves the token's profile.
func (s *Sim) readProfile(q *sim.Request) (any, error) {
	a := s.accounts.Get(q.Account)
	node := map[string]any{
		"id": a.ID, "username": a.Username, "name": a.Name, "threads_profile_picture_url": s.pictureURL(a),
		"is_verified": false,
	}
	if a.Bio != "" {
		node["threads_biography"] = a.Bio
	}
	return profileKind.Pick(q.Params.Get("fields"), node)
}
