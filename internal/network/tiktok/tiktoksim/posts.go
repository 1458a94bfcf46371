package tiktoksim

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"belfry/internal/network/sim"
)

// publishPost publishes the post of a task. If it is private, only its account can see it.
func (s *Sim) publishPost(t *task) error {
	a := s.accounts.Get(t.Account)
	extra := map[string]string{"privacy_level": t.Info.Privacy, "task": t.ID}
	for name, is := range map[string]bool{
		"disable_comment": t.Info.DisableComment, "disable_duet": t.Info.DisableDuet, "disable_stitch": t.Info.DisableStitch,
		"brand_content_toggle": *t.Info.BrandContent, "brand_organic_toggle": *t.Info.BrandOrganic, "is_aigc": t.Info.AI,
	} {
		extra[name] = strconv.FormatBool(is)
	}
	if t.Info.CoverMs != nil {
		extra["video_cover_timestamp_ms"] = strconv.Itoa(int(*t.Info.CoverMs))
	}
	kind := "video"
	if t.Photos != nil {
		kind = "photo"
		extra["title"], extra["auto_add_music"] = t.Title, strconv.FormatBool(t.Music)
		extra["photo_cover_index"] = strconv.Itoa(t.Photos.Cover)
	}
	return s.kit.Posts.Put(sim.Post{
		Network: Name, Account: t.Account, AccountName: a.Username, ID: t.Post, Text: t.Info.Title,
		URL: profileURL(a) + "/" + kind + "/" + t.Post, Media: t.Files, CreatedAt: s.kit.Now(), Extra: extra,
		ArrivedAt: t.LastAt, FirstCallAt: t.ArrivedAt, FirstPublishCallAt: t.First, PublishCalls: t.Calls,
	})
}

// listPublicPostsWithID returns the posts of an account that everyone can see, newest first. A new post is missing
// until its id is returned (OptIDDelay).
func (s *Sim) listPublicPostsWithID(account string) []sim.Post {
	var posts []sim.Post
	for p := range s.kit.Posts.Newest(Name, account) {
		if p.IsVisible() && p.Extra["privacy_level"] == everyone &&
			!s.kit.Now().Before(p.CreatedAt.Add(s.kit.SecondsOption(OptIDDelay))) {
			posts = append(posts, p)
		}
	}
	return posts
}

var videoFields = []string{
	"id", "create_time", "share_url", "video_description", "duration", "height", "width", "title", "like_count",
	"comment_count", "share_count", "view_count", "is_aigc",
}

// videoNode returns a post as the API shows it, with the given fields.
func (s *Sim) videoNode(p sim.Post, fields []string) map[string]any {
	figures, m := s.kit.PostFigures(p), p.Media[0]
	text := []rune(p.Text)
	all := map[string]any{
		"id": p.ID, "create_time": p.CreatedAt.Unix(), "share_url": p.URL + "?utm_campaign=tt4d_open_api",
		"video_description": string(text[:min(len(text), 150)]), "duration": m.Ms / 1000, "height": m.Height, "width": m.Width,
		"title": "", "like_count": figures.Likes, "comment_count": figures.Comments, "share_count": figures.Shares,
		"view_count": figures.Views, "is_aigc": p.Extra["is_aigc"] == "true",
	}
	node := map[string]any{}
	for _, name := range fields {
		node[name] = all[name]
	}
	return node
}

func readFields(q *sim.Request) ([]string, error) {
	fields := strings.Split(q.Params.Get("fields"), ",")
	for _, name := range fields {
		if !slices.Contains(videoFields, name) {
			return nil, newInvalidParamError("fields: " + name + " does not exist")
		}
	}
	return fields, nil
}

// listVideos lists the public posts, newest first.
func (s *Sim) listVideos(q *sim.Request) (any, error) {
	fields, err := readFields(q)
	if err != nil {
		return nil, err
	}
	limit, cursor := 10, s.kit.Now().UnixMilli()+1
	if text := q.Params.Get("max_count"); text != "" {
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 || limit > 20 {
			return nil, newInvalidParamError("max_count must be from 1 to 20")
		}
	}
	if text := q.Params.Get("cursor"); text != "" {
		if cursor, err = strconv.ParseInt(text, 10, 64); err != nil {
			return nil, newInvalidParamError("cursor is not a number")
		}
	}
	videos, more := []any{}, false
	last := cursor
	for _, p := range s.listPublicPostsWithID(q.Account) {
		switch at := p.CreatedAt.UnixMilli(); {
		case at >= cursor:
		case len(videos) == limit:
			more = true
		default:
			videos, last = append(videos, s.videoNode(p, fields)), at
		}
	}
	return successBody(map[string]any{"videos": videos, "cursor": last, "has_more": more}), nil
}

// queryVideos serves the public posts of the account with the requested ids.
func (s *Sim) queryVideos(q *sim.Request) (any, error) {
	fields, err := readFields(q)
	if err != nil {
		return nil, err
	}
	var filters struct {
		IDs []string `json:"video_ids"`
	}
	if err := json.Unmarshal([]byte(q.Params.Get("filters")), &filters); err != nil || len(filters.IDs) > 20 {
		return nil, newInvalidParamError("filters must be an object with at most 20 video_ids")
	}
	videos := []any{}
	for _, p := range s.listPublicPostsWithID(q.Account) {
		if slices.Contains(filters.IDs, p.ID) {
			videos = append(videos, s.videoNode(p, fields))
		}
	}
	return successBody(map[string]any{"videos": videos}), nil
}

// serveAccountOrPost serves the page of an account, @username, or of one of its public posts.
func (s *Sim) serveAccountOrPost(w http.ResponseWriter, r *http.Request) {
	username, path, isPost := strings.Cut(r.URL.Path[len("/@"):], "/")
	_, post, _ := strings.Cut(path, "/")
	s.mu.Lock()
	a := s.findAccountByUsername(strings.ToLower(username))
	s.mu.Unlock()
	switch {
	case a == nil:
		s.kit.ServePost(w, r, nil)
	case !isPost:
		s.kit.ServeProfile(w, r, sim.ProfilePage{
			Network: Name, Title: title, Name: a.Name, Handle: "@" + a.Username, Picture: s.pictureURL(a),
		}, site, a.ID)
	default:
		s.kit.ServePost(w, r, s.findPostPageOrNil(a, post))
	}
}

// findPostPageOrNil returns the page of one of an account's public posts, or nil if there is no such post.
func (s *Sim) findPostPageOrNil(a *account, id string) *sim.PostPage {
	for _, p := range s.listPublicPostsWithID(a.ID) {
		if p.ID == id {
			page := s.kit.NewPostPage(p, site)
			page.Title, page.Name, page.Handle, page.Picture = title, a.Name, "@"+a.Username, s.pictureURL(a)
			return page
		}
	}
	return nil
}
