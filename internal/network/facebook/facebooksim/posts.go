package facebooksim

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"belfry/internal/network/sim"
)

// postURL is an address of the post's public page; the bare id redirects there.
func postURL(p *post) string {
	_, own, _ := strings.Cut(p.ID, "_")
	return "https://" + site + "/" + p.Page + "/posts/" + own
}

var postFields = sim.Known(
	"id", "message", "created_time", "updated_time", "permalink_url", "is_published", "application", "from", "attachments",
	"status_type", "story", "full_picture", "shares", "is_hidden", "is_expired", "link",
)

// postNode is a post as the API reads it back. The caller holds the lock.
func (s *Sim) postNode(p *post) map[string]any {
	owner := s.pages[p.Page]
	node := map[string]any{
		"id": p.ID, "created_time": sim.FormatTime(p.At), "updated_time": sim.FormatTime(p.At), "permalink_url": postURL(p),
		"is_published": p.Published, "is_hidden": false, "is_expired": false, "status_type": "mobile_status_update",
		"application": map[string]any{"id": s.kit.ClientID(), "name": s.kit.AppName(), "category": "Business"},
		"from":        map[string]any{"id": owner.ID, "name": owner.Name},
	}
	if p.Message != "" {
		node["message"] = p.Message
	}
	if p.Link != "" {
		node["link"], node["status_type"] = p.Link, "shared_story"
		node["attachments"] = map[string]any{"data": []any{map[string]any{
			"type": "share", "media_type": "link", "title": p.Link, "unshimmed_url": p.Link,
			"url":    "https://l.facebook.com/l.php?u=" + url.QueryEscape(p.Link),
			"target": map[string]any{"url": "https://l.facebook.com/l.php?u=" + url.QueryEscape(p.Link)},
		}}}
	}
	if attachments := s.photoAttachments(p); attachments != nil {
		node["attachments"], node["status_type"] = map[string]any{"data": []any{attachments}}, "added_photos"
	}
	return node
}

// photoAttachments are the photos of a post. The caller holds the lock.
func (s *Sim) photoAttachments(p *post) map[string]any {
	var photos []any
	for _, id := range p.Photos {
		address := "https://" + site + "/photo/?fbid=" + id
		photos = append(photos, map[string]any{
			"type": "photo", "media_type": "photo", "url": address, "target": map[string]any{"id": id, "url": address},
		})
	}
	switch len(photos) {
	case 0:
		return nil
	case 1:
		return photos[0].(map[string]any) //nolint:errcheck // made above
	}
	return map[string]any{
		"type": "album", "media_type": "album", "url": postURL(p), "target": map[string]any{"id": p.ID, "url": postURL(p)},
		"subattachments": map[string]any{"data": photos},
	}
}

// readPostNode serves one post.
func (s *Sim) readPostNode(q *apiCall, p *post) {
	s.runCall(q, []string{callPermalink}, p.Message+" "+p.Link, func() sim.Answer {
		if name, odd := sim.UnknownParam(q.params, "fields"); odd {
			return badParameter("Param " + name + " is not allowed")
		}
		if !q.token.hasScope(scopeReadEngagement) {
			return missingScope(scopeReadEngagement)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		return pickAnswer(q.params.Get("fields"), s.postNode(p), postFields, "created_time,message,id", "PagePost")
	})
}

// listPosts serves a Page's posts, newest first: all of them at feed, the published ones at published_posts.
func (s *Sim) listPosts(q *apiCall, p *page) {
	feed := strings.HasSuffix(q.r.URL.Path, "/feed")
	s.runCall(q, []string{callList}, "", func() sim.Answer {
		if name, odd := sim.UnknownParam(q.params, "fields", "since", "until", "limit", "after", "before"); odd {
			return badParameter("Param " + name + " is not allowed")
		}
		if q.token.Page != p.ID {
			return noPermission(200, "(#200) A Page access token of this Page is required")
		}
		if !q.token.hasScope(scopeReadEngagement) {
			return missingScope(scopeReadEngagement)
		}
		if feed && !q.token.hasScope(scopeReadUserContent) {
			return missingScope(scopeReadUserContent)
		}
		limit, problem := sim.ReadLimit(q.params)
		if problem != "" {
			return badParameter(problem)
		}
		since, until, problem := sim.ReadSpan(q.params)
		if problem != "" {
			return badParameter(problem)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.listAnswer(q, p, limit, s.idsBetween(p, since, until, feed))
	})
}

func (s *Sim) listAnswer(q *apiCall, p *page, limit int, ids []string) sim.Answer {
	ids, more, problem := pageOfIDs(ids, q.params, limit)
	if problem != "" {
		return badParameter(problem)
	}
	data := make([]any, 0, len(ids))
	for _, id := range ids {
		picked, refusal := pickFields(
			q.params.Get("fields"), s.postNode(s.posts[id]), postFields, "created_time,message,id", "PagePost",
		)
		if refusal != nil {
			return *refusal
		}
		data = append(data, picked)
	}
	edge := q.r.URL.Path[strings.LastIndexByte(q.r.URL.Path, '/')+1:]
	return sim.OK(pagedBody(q, data, ids, more, p.ID+"/"+edge))
}

// idsBetween lists newest first. The caller holds the lock.
func (s *Sim) idsBetween(p *page, since, until time.Time, unpublished bool) []string {
	seenUntil := s.kit.Now().Add(-time.Duration(s.kit.Number(OptListDelay)) * time.Second)
	if !until.IsZero() && until.Before(seenUntil) {
		seenUntil = until
	}
	var ids []string
	for _, o := range slices.Backward(p.posts) {
		if o.At.Before(since) {
			break
		}
		if !o.At.After(seenUntil) && (o.Published || unpublished) {
			ids = append(ids, o.ID)
		}
	}
	return ids
}

// deletePost deletes a post.
func (s *Sim) deletePost(q *apiCall, p *post) {
	s.runCall(q, []string{callDelete}, p.Message+" "+p.Link, func() sim.Answer {
		if a, refused := mayPublish(q, s.pages[p.Page]); refused {
			return a
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.posts[p.ID] == nil {
			return notFoundError(q.r.Method, p.ID)
		}
		if err := s.kit.Record(Name, recDelete, p.ID); err != nil {
			return sim.InternalError(err)
		}
		s.hidePost(p)
		return sim.OK(map[string]any{"success": true})
	})
}

// hidePost removes a deleted post. The caller holds the lock, or the network is still starting.
func (s *Sim) hidePost(p *post) {
	delete(s.posts, p.ID)
	owner := s.pages[p.Page]
	owner.posts = slices.DeleteFunc(owner.posts, func(o *post) bool { return o == p })
	s.kit.Posts.Remove(Name, p.ID)
}

// resetPosts forgets all posts, unpublished ones too.
func (s *Sim) resetPosts() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.kit.Record(Name, recReset, true); err != nil {
		return err
	}
	s.forgetPosts()
	return nil
}

func (s *Sim) forgetPosts() {
	clear(s.posts)
	clear(s.photos)
	clear(s.videos)
	clear(s.tries)
	for _, p := range s.pages {
		p.posts, p.stories = nil, nil
	}
	s.kit.Posts.Clear(Name)
}
