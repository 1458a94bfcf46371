package threadssim

import (
	"cmp"
	"strings"

	"belfry/internal/network/meta/metasim"
	"belfry/internal/network/sim"
)

var postKind = metasim.NewKind(
	"ThreadsMedia", "id", "permalink", "shortcode", "timestamp", "media_type", "media_product_type", "text", "owner",
	"username", "media_url", "thumbnail_url", "children", "alt_text", "link_attachment_url", "topic_tag", "has_replies",
	"is_quote_post", "reply_audience",
)

// postNode is a post as the API reads it back.
func (s *Sim) postNode(p sim.Post) map[string]any {
	kind := p.Extra["media_type"]
	node := map[string]any{
		"id": p.ID, "permalink": p.URL, "shortcode": p.Extra["shortcode"], "timestamp": metasim.FormatTime(p.CreatedAt),
		"media_type":         cmp.Or(map[string]string{typeText: "TEXT_POST", typeCarousel: "CAROUSEL_ALBUM"}[kind], kind),
		"media_product_type": "THREADS", "owner": map[string]any{"id": p.Account}, "username": p.AccountName,
		"has_replies": false, "is_quote_post": false, "reply_audience": "EVERYONE",
	}
	link, media := p.Link, ""
	if found := linksIn(p.Text); link == "" && kind == typeText && len(found) > 0 {
		link = found[0]
	}
	if kind != typeCarousel && len(p.Media) > 0 {
		media = metasim.MediaURL(site, p.Media[0])
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
	posts, err := s.graph.PostsBetween(q, q.Account, OptListDelay)
	if err != nil {
		return nil, err
	}
	var nodes []map[string]any
	for _, p := range posts {
		nodes = append(nodes, s.postNode(p))
	}
	return metasim.ListNodes(q, "https://"+sim.Host(q.R)+"/v1.0/"+q.Account+"/threads", postKind, nodes)
}

// deletePost deletes one post of the profile's own.
func (s *Sim) deletePost(q *sim.Request, id string) (any, error) {
	p, ok := s.kit.Posts.Get(Name, id)
	if !ok {
		return nil, metasim.NotFound(q.R.Method, id)
	}
	if _, deleted := s.graph.CountSince(q.Account, s.kit.Now().Add(-quotaWindow)); deleted >= quotaDeletes {
		return nil, metasim.LimitReached()
	}
	return s.graph.DeletePost(p)
}

// findPage is the public page of a post; the username must be its author's.
func (s *Sim) findPage(username, code string) *sim.PostPage {
	s.mu.Lock()
	defer s.mu.Unlock()
	for a := range s.accounts.All() {
		for _, p := range s.kit.Posts.Of(Name, a.ID) {
			if p.Visible() && p.Extra["shortcode"] == code && strings.EqualFold(a.Username, username) {
				return &sim.PostPage{
					Network: Name, Title: "Threads", Name: a.Name, Handle: "@" + a.Username, Picture: pictureURL(a), Text: p.Text,
					Topic: p.Extra["topic_tag"], Link: p.Link, Media: metasim.ShownMedia(site, p.Media), At: p.CreatedAt,
				}
			}
		}
	}
	return nil
}
