package facebooksim

import (
	"cmp"
	"crypto/sha256"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"belfry/internal/network/meta/metasim"
	"belfry/internal/network/sim"
)

const (
	// maxMessage is in UTF-16 code units, the strictest count for a limit that the network does not document.
	maxMessage = 63_206
	triesKept  = 100_000
)

// publishAttempt counts the calls with the same content until one of them creates a post. Nothing else records a lost
// call.
type publishAttempt struct {
	calls int
	first time.Time
}

type attemptKey [sha256.Size]byte

var feedParams = []string{"message", "link", "published", "unpublished_content_type", "fields"}

func (s *Sim) newAttemptKey(q *sim.Request) attemptKey {
	content := []string{q.Account, q.Params.Get("message"), q.Params.Get("link")}
	ids, _ := readAttachedPhotos(q.Params)
	for _, m := range s.listPhotoFiles(ids) {
		content = append(content, m.SHA256)
	}
	return sha256.Sum256([]byte(strings.Join(content, "\x00")))
}

// countFeedAttempt counts a call that publishes to the feed when it arrives, whatever its outcome.
func (s *Sim) countFeedAttempt(q *sim.Request) {
	key := s.newAttemptKey(q)
	t := s.tries[key]
	if t == nil {
		if len(s.tries) >= triesKept {
			clear(s.tries) // attempts that created no post; without them, a later count is only smaller
		}
		t = &publishAttempt{first: s.kit.ArrivalTime(q.R)}
		s.tries[key] = t
	}
	t.calls++
}

// readPost returns the post and the ids of the photos in the parameters of a feed call, or the network's refusal.
func (s *Sim) readPost(params url.Values) (p sim.Post, photos []string, err error) {
	if photos, err = readAttachedPhotos(params); err != nil {
		return p, nil, err
	}
	p = sim.Post{Network: Name, Text: params.Get("message"), Link: params.Get("link")}
	switch params.Get("published") {
	case "", "true", "1":
	case "false", "0":
		p.Draft = true
	default:
		return p, nil, metasim.Bad("Param published must be a boolean")
	}
	kind := params.Get("unpublished_content_type")
	switch {
	case kind != "" && (!p.Draft || kind != "DRAFT"):
		err = metasim.Bad("Param unpublished_content_type must be DRAFT, together with published=false")
	case strings.TrimSpace(p.Text) == "" && p.Link == "" && len(photos) == 0:
		err = metasim.Bad("Missing message or attachment")
	case p.Link != "" && len(photos) > 0:
		err = metasim.Bad("Param link cannot be combined with attached_media")
	case !utf8.ValidString(p.Text) || strings.ContainsRune(p.Text, 0):
		err = metasim.Bad("Param message must be valid UTF-8")
	case len(utf16.Encode([]rune(p.Text))) > maxMessage:
		err = metasim.Bad("Param message must be at most 63206 characters long")
	case params.Has("link"):
		err = checkLink(p.Link)
	}
	return p, photos, err
}

// checkLink refuses an invalid link, a link to Facebook, and a link that cannot be fetched.
func checkLink(link string) error {
	no := func(subcode int, message string) error {
		return &metasim.Error{Code: 100, Subcode: subcode, Message: "(#100) " + message}
	}
	u, err := url.Parse(link)
	if err != nil || u.Host == "" || u.User != nil || (u.Scheme != "http" && u.Scheme != "https") ||
		strings.ContainsAny(link, " \t\r\n") {
		return no(2061006, "The URL you supplied is invalid")
	}
	host := strings.ToLower(u.Hostname())
	for _, own := range []string{"facebook.com", "fb.com", "fb.me", "fb.watch", "fbcdn.net"} {
		if host == own || strings.HasSuffix(host, "."+own) {
			return no(1609008, "You can't share links to Facebook this way")
		}
	}
	if strings.HasSuffix(host, ".invalid") {
		return no(1609005, "The link could not be scraped")
	}
	return nil
}

// createPost publishes a text, a link or uploaded photos in one call.
func (s *Sim) createPost(q *sim.Request) (any, error) {
	p, photos, err := s.readPost(q.Params)
	if err != nil {
		return nil, err
	}
	if err := s.checkPhotos(q, photos); err != nil {
		return nil, err
	}
	key := s.newAttemptKey(q)
	if last, ok := s.findLastVisibleFeedPost(q.Account); ok && last.Text == p.Text && last.Link == p.Link &&
		last.Extra["photos"] == "" && len(photos) == 0 && s.kit.Option(OptDuplicates) == On {
		delete(s.tries, key)
		s.kit.Posts.CountPublishCall(Name, last.ID)
		return nil, &metasim.Error{
			Code: 506, Subcode: 1455006, Message: "(#506) Duplicate status message",
			Title: "Duplicate Status Update", Detail: "This status update is identical to the last one you posted.",
		}
	}
	own := sim.RandomDigits("122", 17)
	p.ID, p.URL = q.Account+"_"+own, "https://"+metasim.PageSite+"/"+q.Account+"/posts/"+own
	p.Account, p.AccountName, p.CreatedAt = q.Account, s.login.Page(q.Account).Name, s.kit.Now()
	p.ArrivedAt, p.Media = s.kit.ArrivalTime(q.R), s.listPhotoFiles(photos)
	if len(photos) > 0 {
		p.Extra = map[string]string{"photos": strings.Join(photos, ",")}
	}
	p.FirstCallAt, p.PublishCalls = p.ArrivedAt, 1
	if t := s.tries[key]; t != nil {
		p.FirstCallAt, p.PublishCalls = t.first, t.calls
	}
	if p.FirstPublishCallAt = p.FirstCallAt; p.Draft {
		p.FirstPublishCallAt, p.PublishCalls = time.Time{}, 0
	}
	for _, id := range photos {
		if at := s.photos.Get(id).At; at.Before(p.FirstCallAt) {
			p.FirstCallAt = at
		}
	}
	body, err := postKind.Pick(cmp.Or(q.Params.Get("fields"), "id"), s.postNode(p))
	if err != nil {
		return nil, err
	}
	delete(s.tries, key)
	if err := s.kit.Posts.Put(p); err != nil {
		return nil, err
	}
	return body, s.markCheckedPhotosUsed(photos, p.ID)
}

// findLastVisibleFeedPost returns the newest visible post of a Page's feed that is not a video, a Reel or a Story, or
// false if there is none.
func (s *Sim) findLastVisibleFeedPost(page string) (p sim.Post, ok bool) {
	for p := range s.kit.Posts.Newest(Name, page) {
		if p.IsVisible() && p.Extra["edge"] == "" {
			return p, true
		}
	}
	return sim.Post{}, false
}

var postKind = metasim.NewKind(
	"PagePost", "created_time,message,id", "message", "created_time", "updated_time", "permalink_url", "is_published",
	"application", "from", "attachments", "status_type", "story", "full_picture", "shares", "is_hidden", "is_expired", "link",
)

// postNode returns a post as the API shows it.
func (s *Sim) postNode(p sim.Post) map[string]any {
	at := metasim.FormatTime(p.CreatedAt)
	node := map[string]any{
		"id": p.ID, "created_time": at, "updated_time": at, "permalink_url": p.URL,
		"is_published": !p.Draft, "is_hidden": false, "is_expired": false, "status_type": "mobile_status_update",
		"application": map[string]any{"id": s.kit.ClientID(), "name": s.kit.AppName(), "category": "Business"},
		"from":        map[string]any{"id": p.Account, "name": p.AccountName},
	}
	if p.Text != "" {
		node["message"] = p.Text
	}
	attach := func(status string, attachment map[string]any) {
		node["status_type"], node["attachments"] = status, map[string]any{"data": []any{attachment}}
	}
	if p.Link != "" {
		shim := "https://l.facebook.com/l.php?u=" + url.QueryEscape(p.Link)
		node["link"] = p.Link
		attach("shared_story", map[string]any{
			"type": "share", "media_type": "link", "title": p.Link, "unshimmed_url": p.Link, "url": shim,
			"target": map[string]any{"url": shim},
		})
	}
	var photos []any
	for id := range strings.SplitSeq(p.Extra["photos"], ",") {
		address := "https://" + metasim.PageSite + "/photo/?fbid=" + id
		photos = append(photos, map[string]any{
			"type": "photo", "media_type": "photo", "url": address, "target": map[string]any{"id": id, "url": address},
		})
	}
	if p.Extra["photos"] != "" {
		album := map[string]any{
			"type": "album", "media_type": "album", "url": p.URL, "target": map[string]any{"id": p.ID, "url": p.URL},
			"subattachments": map[string]any{"data": photos},
		}
		if one, ok := photos[0].(map[string]any); ok && len(photos) == 1 {
			album = one
		}
		attach("added_photos", album)
	}
	return node
}

// postRoute returns the route of a call of a post.
func (s *Sim) postRoute(p sim.Post, methodAndEdge string) (route sim.Route, ok bool) {
	page := s.login.Page(p.Account)
	routes := map[string]sim.Route{
		"GET ": {
			Names: []string{callPermalink}, Params: []string{"fields"}, Scopes: []string{scopeRead},
			Serve: func(q *sim.Request) (any, error) { return postKind.Pick(q.Params.Get("fields"), s.postNode(p)) },
		},
		"POST ": {Names: []string{callPublish}, Params: []string{"is_published"}, Serve: withAccessCheck(page,
			func(q *sim.Request) (any, error) { return s.publishDraft(q, p.ID) }, checkPublishAccess)},
		"DELETE ": {Names: []string{callDelete}, Serve: withAccessCheck(page, func(*sim.Request) (any, error) {
			if _, ok := s.kit.Posts.Get(Name, p.ID); !ok {
				return nil, metasim.NotFound(http.MethodDelete, p.ID)
			}
			return s.graph.DeletePost(p)
		}, checkPublishAccess)},
	}
	route, ok = routes[methodAndEdge]
	route.Text = func(*sim.Request) string { return p.Text + " " + p.Link }
	return route, ok
}

// publishDraft publishes a post that was created unpublished. A repeated call changes nothing.
func (s *Sim) publishDraft(q *sim.Request, id string) (any, error) {
	if q.Params.Get("is_published") != "true" {
		return nil, metasim.Bad("Param is_published must be true")
	}
	p, ok := s.kit.Posts.Get(Name, id)
	if !ok {
		return nil, metasim.NotFound(q.R.Method, id)
	}
	if p.PublishCalls++; p.Draft {
		p.Draft, p.CreatedAt, p.ArrivedAt = false, s.kit.Now(), s.kit.ArrivalTime(q.R)
		p.FirstPublishCallAt = p.ArrivedAt
	}
	return map[string]any{"success": true}, s.kit.Posts.Put(p)
}

// listPosts serves a Page's posts except Stories, newest first: all of them at feed, the published ones at
// published_posts.
func (s *Sim) listPosts(q *sim.Request) (any, error) {
	edge := q.R.URL.Path[strings.LastIndexByte(q.R.URL.Path, '/')+1:]
	fits := func(p sim.Post) bool {
		return !strings.HasSuffix(p.Extra["edge"], "stories") && (edge == "feed" || !p.Draft)
	}
	return s.graph.ListPosts(q, edge, OptListDelay, postKind, fits, s.listedNode)
}

// listedNode returns a post as a list shows it. A video and a Reel appear as a post that has its own id and the video's
// description as its message. Facebook does not list every Reel; the simulator does.
func (s *Sim) listedNode(p sim.Post) map[string]any {
	node := s.postNode(p)
	if p.Extra["edge"] != "" {
		node["id"], node["status_type"] = p.Account+"_"+p.ID, "added_video"
		node["attachments"] = map[string]any{"data": []any{map[string]any{
			"type": "video_inline", "media_type": "video", "url": p.URL, "target": map[string]any{"id": p.ID, "url": p.URL},
		}}}
	}
	return node
}

// listStories serves a Page's Stories of the last day, newest first. Facebook lists older ones only if the Page keeps
// an archive of its Stories; no simulated Page does.
func (s *Sim) listStories(q *sim.Request) (any, error) {
	fits := func(p sim.Post) bool {
		return strings.HasSuffix(p.Extra["edge"], "stories") && s.kit.Now().Sub(p.CreatedAt) < storyLife
	}
	posts, err := s.graph.PostsBetween(q, q.Account, OptListDelay, fits)
	if err != nil {
		return nil, err
	}
	data := []any{}
	for _, p := range posts {
		data = append(data, map[string]any{
			"post_id": p.ID, "status": "PUBLISHED", "creation_time": strconv.FormatInt(p.CreatedAt.Unix(), 10),
			"media_type": p.Extra["kind"], "media_id": p.Extra["media_id"], "url": p.URL,
		})
	}
	return map[string]any{"data": data}, nil
}
