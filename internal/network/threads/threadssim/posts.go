package threadssim

import (
	"cmp"
	"net/http"
	"strings"

	"belfry/internal/network/meta/metasim"
	"belfry/internal/network/sim"
)

var postKind = metasim.NewKind(
	"ThreadsMedia", "id", "permalink", "shortcode", "timestamp", "media_type", "media_product_type", "text", "owner",
	"username", "media_url", "thumbnail_url", "children", "alt_text", "link_attachment_url", "topic_tag", "has_replies",
	"is_quote_post", "reply_audience",
)

// postNode returns a post as the API shows it.
func (s *Sim) postNode(p sim.Post) map[string]any {
	kind := p.Extra["media_type"]
	node := map[string]any{
		"id": p.ID, "permalink": p.URL, "shortcode": p.Extra["shortcode"], "timestamp": metasim.FormatTime(p.CreatedAt),
		"media_type":         cmp.Or(map[string]string{typeText: "TEXT_POST", typeCarousel: "CAROUSEL_ALBUM"}[kind], kind),
		"media_product_type": "THREADS", "owner": map[string]any{"id": p.Account}, "username": p.AccountName,
		"has_replies": false, "is_quote_post": false, "reply_audience": "EVERYONE",
	}
	link, media := p.Link, ""
	if found := findLinks(p.Text); link == "" && kind == typeText && len(found) > 0 {
		link = found[0]
	}
	if kind != typeCarousel && len(p.Media) > 0 {
		media = sim.MediaURL(site, p.Media[0])
	}
	for name, value := range map[string]string{
		"text": p.Text, "alt_text": p.Extra["alt_text"], "link_attachment_url": link, "topic_tag": p.Extra["topic_tag"],
		"media_url": media,
	} {
		if value != "" {
			node[name] = value
		}
	}
	if kind == typeCarousel {
		node["children"] = metasim.ChildNodes(p)
	}
	return node
}

// listPosts serves the profile's posts, newest first.
func (s *Sim) listPosts(q *sim.Request) (any, error) {
	return s.graph.ListPosts(q, "threads", OptListDelay, postKind, sim.Post.IsVisible, s.postNode)
}

// deletePost deletes one of the profile's posts.
func (s *Sim) deletePost(q *sim.Request, id string) (any, error) {
	p, ok := s.kit.Posts.Get(Name, id)
	if !ok {
		return nil, metasim.NotFound(q.R.Method, id)
	}
	deleted, since := 0, s.kit.Now().Add(-quotaWindow)
	for other := range s.kit.Posts.Newest(Name, q.Account) {
		if other.DeletedAt.After(since) {
			deleted++
		}
	}
	if deleted >= quotaDeletes {
		return nil, metasim.LimitReached()
	}
	return s.graph.DeletePost(p)
}

// findPostPageOrNil returns the public page of an account's post, or nil if there is no such post.
func (s *Sim) findPostPageOrNil(a *account, code string) *sim.PostPage {
	for p := range s.kit.Posts.Newest(Name, a.ID) {
		if p.IsVisible() && p.Extra["shortcode"] == code {
			page := s.kit.NewPostPage(p, site)
			page.Title, page.Name, page.Handle, page.Picture = title, a.Name, "@"+a.Username, s.pictureURL(a)
			page.Topic = p.Extra["topic_tag"]
			return page
		}
	}
	return nil
}

// serveAccount serves the page of an account, @username, or of one of its posts.
func (s *Sim) serveAccount(w http.ResponseWriter, r *http.Request, username, post string) {
	s.mu.Lock()
	a := s.findAccountByUsername(strings.ToLower(username))
	s.mu.Unlock()
	switch {
	case a == nil:
		s.kit.ServePost(w, r, nil)
	case post == "":
		s.kit.ServeProfile(w, r, sim.ProfilePage{
			Network: Name, Title: title, Name: a.Name, Handle: "@" + a.Username, Picture: s.pictureURL(a),
		}, site, a.ID)
	default:
		s.kit.ServePost(w, r, s.findPostPageOrNil(a, post))
	}
}
