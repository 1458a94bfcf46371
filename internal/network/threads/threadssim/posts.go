package threadssim

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"belfry/internal/network/sim"
)

func postURL(a *account, p *post) string {
	return "https://www.threads.net/@" + a.Username + "/post/" + p.Code
}

var postFields = sim.Known(
	"id", "permalink", "shortcode", "timestamp", "media_type", "media_product_type", "text", "owner", "username",
	"media_url",
	"thumbnail_url", "children", "alt_text", "link_attachment_url", "topic_tag", "has_replies", "is_quote_post",
	"reply_audience",
)

// postNode is a post as the API reads it back. The caller holds the lock.
func (s *Sim) postNode(p *post) map[string]any {
	a, c := s.accounts[p.Account], p.container
	node := map[string]any{
		"id": p.ID, "permalink": postURL(a, p), "shortcode": p.Code, "timestamp": sim.FormatTime(p.At),
		"media_type":         map[string]string{typeText: "TEXT_POST", typeCarousel: "CAROUSEL_ALBUM"}[c.Type],
		"media_product_type": "THREADS", "owner": map[string]any{"id": a.ID}, "username": a.Username,
		"has_replies": false, "is_quote_post": false, "reply_audience": "EVERYONE",
	}
	if c.Type == typeImage || c.Type == typeVideo {
		node["media_type"] = c.Type
	}
	link := c.Link
	if found := linksIn(c.Text); link == "" && c.Type == typeText && len(found) > 0 {
		link = found[0]
	}
	for name, value := range map[string]string{
		"text": c.Text, "alt_text": c.Alt, "link_attachment_url": link, "topic_tag": c.Topic, "media_url": mediaURL(c.media),
	} {
		if value != "" {
			node[name] = value
		}
	}
	if len(c.Children) > 0 {
		items := make([]any, 0, len(c.Children))
		for _, id := range c.Children {
			items = append(items, map[string]any{"id": id})
		}
		node["children"] = map[string]any{"data": items}
	}
	return node
}

// readPost serves one post of the profile's own.
func (s *Sim) readPost(q *apiCall, p *post) {
	s.runCall(q, callPermalink, p.container.Text, func(bool) sim.Answer {
		if name, unknown := sim.UnknownParam(q.params, "fields"); unknown {
			return badParameter("Param " + name + " is not allowed")
		}
		s.mu.Lock()
		node := s.postNode(p)
		s.mu.Unlock()
		return pickAnswer(q, node, postFields, "id")
	})
}

// readProfile serves the profile behind the token.
func (s *Sim) readProfile(q *apiCall) {
	s.runCall(q, callProfile, "", func(bool) sim.Answer {
		if name, unknown := sim.UnknownParam(q.params, "fields"); unknown {
			return badParameter("Param " + name + " is not allowed")
		}
		a := q.owner
		node := map[string]any{
			"id": a.ID, "username": a.Username, "name": a.Name, "threads_profile_picture_url": pictureURL(a),
			"is_verified": false,
		}
		if a.Bio != "" {
			node["threads_biography"] = a.Bio
		}
		known := sim.Known("id", "username", "name", "threads_profile_picture_url", "threads_biography", "is_verified")
		return pickAnswer(q, node, known, "id")
	})
}

// window is a checked request for a page of posts.
type window struct {
	since, until  time.Time
	limit         int
	before, after string
}

// listPosts serves the profile's posts, newest first.
func (s *Sim) listPosts(q *apiCall) {
	s.runCall(q, callList, "", func(bool) sim.Answer {
		if name, unknown := sim.UnknownParam(q.params, "fields", "since", "until", "limit", "before", "after"); unknown {
			return badParameter("Param " + name + " is not allowed")
		}
		win, problem := readWindow(q.params)
		if problem != "" {
			return badParameter(problem)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		page, more := s.selectPosts(q.owner, win)
		data, ids := make([]any, 0, len(page)), make([]string, 0, len(page))
		for _, p := range page {
			picked, refusal := pickFields(q.params.Get("fields"), s.postNode(p), postFields, "id")
			if refusal != nil {
				return *refusal
			}
			data, ids = append(data, picked), append(ids, p.ID)
		}
		address := "https://" + sim.Host(q.r) + "/v1.0/" + q.owner.ID + "/threads"
		return sim.OK(sim.PagedBody(q.r, q.params, q.bearer, address, data, ids, more))
	})
}

func readWindow(params url.Values) (win window, problem string) {
	if win.limit, problem = sim.ReadLimit(params); problem != "" {
		return win, problem
	}
	if win.since, win.until, problem = sim.ReadSpan(params); problem != "" {
		return win, problem
	}
	if win.before, problem = sim.ReadCursor(params, "before"); problem != "" {
		return win, problem
	}
	win.after, problem = sim.ReadCursor(params, "after")
	return win, problem
}

// selectPosts selects newest first and says whether older ones follow. The caller holds the lock.
func (s *Sim) selectPosts(a *account, win window) ([]*post, bool) {
	seenUntil := s.kit.Now().Add(-time.Duration(s.kit.Number(OptListDelay)) * time.Second)
	if !win.until.IsZero() && win.until.Before(seenUntil) {
		seenUntil = win.until
	}
	newest := len(a.posts)
	if win.after != "" {
		newest = slices.IndexFunc(a.posts, func(p *post) bool { return p.ID == win.after })
	}
	var page []*post
	for i := newest - 1; i >= 0; i-- {
		p := a.posts[i]
		if p.ID == win.before || p.At.Before(win.since) {
			return page, false
		}
		if p.At.After(seenUntil) {
			continue
		}
		if len(page) == win.limit {
			return page, true
		}
		page = append(page, p)
	}
	return page, false
}

// deletePost deletes one post of the profile's own.
func (s *Sim) deletePost(q *apiCall, p *post) {
	s.runCall(q, callDelete, p.container.Text, func(bool) sim.Answer {
		if !q.token.hasScope(scopeDelete) {
			return noPermission(scopeDelete)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.posts[p.ID] == nil {
			return notFoundError(http.MethodDelete, p.ID)
		}
		now := s.kit.Now()
		if q.owner.deleted = dropOlder(q.owner.deleted, now); len(q.owner.deleted) >= quotaDeletes {
			return quotaUsed()
		}
		if err := s.kit.Record(Name, recDelete, p.ID); err != nil {
			return sim.InternalError(err)
		}
		q.owner.deleted = append(q.owner.deleted, now)
		s.hidePost(p)
		return sim.OK(map[string]any{"success": true, "deleted_id": p.ID})
	})
}

// servePost draws the public page of a post; the username must be its author's.
func (s *Sim) servePost(w http.ResponseWriter, r *http.Request, username, code string) {
	s.mu.Lock()
	p, ok := s.byCode[code]
	var page sim.PostPage
	if ok = ok && strings.EqualFold(s.accounts[p.Account].Username, username); ok {
		a, c := s.accounts[p.Account], p.container
		page = sim.PostPage{
			Network: Name, Title: "Threads", Name: a.Name, Handle: "@" + a.Username, Picture: pictureURL(a), Text: c.Text,
			Topic: c.Topic, Link: c.Link, Media: shownMedia(s.containerFiles(c)), At: p.At,
		}
	}
	s.mu.Unlock()
	if !ok {
		s.showNotice(w, r, http.StatusNotFound, "Post not available", "It was deleted or never published.")
		return
	}
	s.kit.Page(w, r, http.StatusOK, "post", page)
}
