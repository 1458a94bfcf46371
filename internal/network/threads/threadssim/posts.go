package threadssim

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"belfry/internal/network/sim"
)

const (
	stampFormat  = "2006-01-02T15:04:05-0700"
	defaultLimit = 25
	maxLimit     = 100
)

func postURL(a *account, p *post) string {
	return "https://www.threads.net/@" + a.Username + "/post/" + p.Code
}

var postFields = sim.Known(
	"id", "permalink", "shortcode", "timestamp", "media_type", "media_product_type", "text", "owner", "username", "media_url",
	"thumbnail_url", "children", "alt_text", "link_attachment_url", "topic_tag", "has_replies", "is_quote_post", "reply_audience",
)

// postNode is a post as the API reads it back. The caller holds the lock.
func (s *Sim) postNode(p *post) map[string]any {
	a, c := s.accounts[p.Account], p.container
	node := map[string]any{
		"id": p.ID, "permalink": postURL(a, p), "shortcode": p.Code, "timestamp": p.At.UTC().Format(stampFormat),
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

// readPost answers one post of the profile's own.
func (s *Sim) readPost(q *apiCall, p *post) {
	s.runCall(q, callPermalink, p.container.Text, func(bool) sim.Answer {
		if name, ok := onlyParams(q.params, "fields"); !ok {
			return badParameter("Param " + name + " is not allowed")
		}
		s.mu.Lock()
		node := s.postNode(p)
		s.mu.Unlock()
		return pickAnswer(q, node, postFields, "id")
	})
}

// readProfile answers the profile behind the token.
func (s *Sim) readProfile(q *apiCall) {
	s.runCall(q, callProfile, "", func(bool) sim.Answer {
		if name, ok := onlyParams(q.params, "fields"); !ok {
			return badParameter("Param " + name + " is not allowed")
		}
		a := q.owner
		node := map[string]any{
			"id": a.ID, "username": a.Username, "name": a.Name, "threads_profile_picture_url": pictureURL(a), "is_verified": false,
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

// listPosts answers the profile's posts, newest first.
func (s *Sim) listPosts(q *apiCall) {
	s.runCall(q, callList, "", func(bool) sim.Answer {
		if name, ok := onlyParams(q.params, "fields", "since", "until", "limit", "before", "after"); !ok {
			return badParameter("Param " + name + " is not allowed")
		}
		win, problem := readWindow(q.params)
		if problem != "" {
			return badParameter(problem)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		page, more := s.selectPosts(q.owner, win)
		data := make([]any, 0, len(page))
		for _, p := range page {
			picked, refusal := pickFields(q.params.Get("fields"), s.postNode(p), postFields, "id")
			if refusal != nil {
				return *refusal
			}
			data = append(data, picked)
		}
		return sim.OK(s.pagedBody(q, data, page, more))
	})
}

func readWindow(params url.Values) (window, string) {
	win := window{limit: defaultLimit}
	var err error
	if text := params.Get("limit"); text != "" {
		if win.limit, err = strconv.Atoi(text); err != nil || win.limit < 1 || win.limit > maxLimit {
			return win, "Param limit must be a number from 1 to 100"
		}
	}
	for name, into := range map[string]*time.Time{"since": &win.since, "until": &win.until} {
		if text := params.Get(name); text != "" {
			if *into, err = readTime(text); err != nil {
				return win, "Param " + name + " must be a Unix timestamp or a date"
			}
		}
	}
	for name, into := range map[string]*string{"before": &win.before, "after": &win.after} {
		if text := params.Get(name); text != "" {
			raw, err := base64.RawURLEncoding.DecodeString(text)
			if err != nil {
				return win, "Invalid cursor in param " + name
			}
			*into = string(raw)
		}
	}
	return win, ""
}

func readTime(text string) (time.Time, error) {
	if unix, err := strconv.ParseInt(text, 10, 64); err == nil {
		return time.Unix(unix, 0).UTC(), nil
	}
	for _, format := range []string{time.RFC3339, stampFormat, time.DateOnly} {
		if t, err := time.Parse(format, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("no time: %q", text)
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

func (s *Sim) pagedBody(q *apiCall, data []any, page []*post, more bool) map[string]any {
	body := map[string]any{"data": data}
	if len(page) == 0 {
		return body
	}
	cursor := func(p *post) string { return base64.RawURLEncoding.EncodeToString([]byte(p.ID)) }
	paging := map[string]any{"cursors": map[string]any{"before": cursor(page[0]), "after": cursor(page[len(page)-1])}}
	if more {
		next := url.Values{"after": {cursor(page[len(page)-1])}}
		for name, values := range q.params {
			if name != "before" && name != "after" {
				next[name] = values
			}
		}
		if q.r.Header.Get("Authorization") == "" {
			next.Set("access_token", q.bearer)
		}
		paging["next"] = "https://" + sim.Host(q.r) + "/v1.0/" + q.owner.ID + "/threads?" + next.Encode()
	}
	body["paging"] = paging
	return body
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
		s.showNotice(w, r, http.StatusNotFound, "Post not available", "It was deleted, or it was never published.")
		return
	}
	s.kit.Page(w, r, http.StatusOK, "post", page)
}
