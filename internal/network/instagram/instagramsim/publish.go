package instagramsim

import (
	"slices"
	"strings"
	"time"

	"belfry/internal/network/meta/metasim"
	"belfry/internal/network/sim"
)

const (
	window        = 24 * time.Hour
	maxContainers = 400 // of an account in the window
	storyLife     = 24 * time.Hour
	codeThrottled = 80002
)

// Products of the network: where a post is shown.
const (
	productFeed  = "FEED"
	productReel  = "REELS"
	productStory = "STORY"
)

// newContainerGoneError returns the error for a container that no longer exists.
func newContainerGoneError() *metasim.Error {
	return &metasim.Error{
		Code: 24, Subcode: 2207008, Message: "The requested resource does not exist", Title: "Media container not found",
		Detail: "The media container with the given id does not exist or has expired.",
	}
}

// accountRoute returns the route of a call of an account, such as "POST media".
func (s *Sim) accountRoute(v variant, a *account, methodAndEdge string) (route sim.Route, ok bool) {
	routes := map[string]sim.Route{
		"GET ": {
			Names: []string{metasim.CallProfile}, Params: []string{"fields"}, Scopes: v.read,
			Serve: func(q *sim.Request) (any, error) { return s.readProfile(v, q, a) },
		},
		"POST media": {
			Names: []string{"create"}, Params: []string{"*"}, Scopes: v.publish, Text: sim.JoinParams("caption"), Fetch: "image_url",
			Serve: func(q *sim.Request) (any, error) { return s.createContainer(v, q) },
		},
		"POST media_publish": {
			Names: []string{"publish"}, Params: []string{"creation_id"}, Scopes: v.publish, Text: s.containers.CallText,
			Arrive: s.containers.CountAttempt, Serve: func(q *sim.Request) (any, error) { return s.publishContainer(q, a) },
		},
		"GET media": {
			Names: []string{"list"}, Params: metasim.ListParams, Scopes: v.read,
			Serve: func(q *sim.Request) (any, error) { return s.listMedia(q, false) },
		},
		"GET stories": {
			Names: []string{"list"}, Params: metasim.ListParams, Scopes: v.read,
			Serve: func(q *sim.Request) (any, error) { return s.listMedia(q, true) },
		},
		"GET content_publishing_limit": {
			Names: []string{"limit"}, Params: []string{"fields", "since"}, Scopes: v.publish, Serve: s.readQuota,
		},
		"GET insights": {
			Names: []string{"insights"}, Scopes: v.figures, Serve: s.accountInsights,
			Params: []string{"metric", "period", "metric_type", "since", "until", "breakdown", "timeframe"},
		},
	}
	route, ok = routes[methodAndEdge]
	return route, ok
}

// createContainer creates a container, which publishes nothing yet.
func (s *Sim) createContainer(v variant, q *sim.Request) (any, error) {
	if s.containers.CountSince(q.Account, s.kit.Now().Add(-window)) >= maxContainers {
		return nil, metasim.LimitReached()
	}
	c, err := parseContainer(q, v.bytes)
	if err != nil {
		return nil, err
	}
	body, err := s.containers.Add(q, c)
	switch {
	case err != nil:
		return nil, err
	case c.Type == kindImage:
		return body, s.containers.StoreFile(c, q.Media, nil)
	case c.Pending && c.MediaURL == "":
		version, _, _ := strings.Cut(strings.TrimPrefix(q.R.URL.Path, "/"), "/")
		return map[string]any{
			"id": c.ID, "uri": "https://" + metasim.PageUpload + "/" + uploadPath + "/" + version + "/" + c.ID,
		}, nil
	}
	return body, nil
}

var containerKind = metasim.NewKind(
	"IGContainer", "id", "status", "status_code", "video_status", "copyright_check_status",
)

// containerRoute returns the route that returns the state of a container, but not the id of its post.
func (s *Sim) containerRoute(v variant, c *metasim.Container) sim.Route {
	return sim.Route{
		Names: []string{"status"}, Params: []string{"fields"}, Scopes: v.publish,
		Text: func(*sim.Request) string { return c.Text },
		Serve: func(q *sim.Request) (any, error) {
			state := c.State(s.kit.Now())
			if q.Unready && state == metasim.Finished {
				state = metasim.InProgress
			}
			node := map[string]any{"id": c.ID, "status_code": state, "status": map[string]string{
				metasim.InProgress: "In progress: Media is still being processed.",
				metasim.Finished:   "Finished: Media has been uploaded and it is ready to be published.",
				metasim.Published:  "Published: Media has been successfully published.",
				metasim.Outdated:   "Expired: The container was not published within 24 hours.",
				metasim.Failed:     "Error: Media upload has failed with error code " + c.Problem,
			}[state]}
			if isVideo(c.Type) {
				node["video_status"] = s.phaseNodes(c, state)
				node["copyright_check_status"] = map[string]any{"status": "completed", "matches_found": false}
			}
			return containerKind.Pick(q.Params.Get("fields"), node)
		},
	}
}

func (s *Sim) phaseNodes(c *metasim.Container, state string) map[string]any {
	uploading := map[string]any{"status": "complete", "bytes_transferred": c.Media.Bytes}
	processing := map[string]any{"status": "complete"}
	if c.Pending {
		uploading = map[string]any{"status": "in_progress", "bytes_transferred": s.kit.UploadSize(c.ID)}
	}
	switch {
	case state == metasim.Failed:
		processing["status"] = "error"
	case state == metasim.InProgress:
		processing["status"] = "in_progress"
	}
	return map[string]any{"uploading_phase": uploading, "processing_phase": processing}
}

// publishContainer publishes a container, which is irreversible.
func (s *Sim) publishContainer(q *sim.Request, a *account) (any, error) {
	id := q.Params.Get("creation_id")
	if id == "" {
		return nil, metasim.Bad("The parameter creation_id is required")
	}
	now := s.kit.Now()
	c := s.containers.Find(a.ID, id)
	if c == nil {
		return nil, newContainerGoneError()
	}
	switch c.State(now) {
	case metasim.Published:
		if s.kit.Option(OptRepeatPublish) == RepeatSameID {
			return map[string]any{"id": c.Post}, nil
		}
		return nil, newMediaNotFoundError()
	case metasim.Outdated:
		return nil, newContainerGoneError()
	case metasim.InProgress:
		return nil, metasim.NotReady()
	case metasim.Failed:
		return nil, newMediaNotFoundError()
	}
	if c.Item {
		return nil, metasim.Bad("A carousel item cannot be published by itself")
	}
	if used := s.kit.Posts.CountSince(Name, a.ID, now.Add(-window)); used >= s.kit.NumberOption(OptQuota) {
		return nil, metasim.LimitReached()
	}
	path := "/p/" + metasim.NewShortcode() + "/"
	switch c.Type {
	case kindReel:
		path = "/reel/" + metasim.NewShortcode() + "/"
	case kindStory, kindStoryVideo:
		path = "/stories/" + a.Username + "/" + sim.RandomDigits("36", 19) + "/"
	}
	return s.containers.Publish(q, c, sim.Post{AccountName: a.Username, URL: "https://" + site + path})
}

// newMediaNotFoundError returns the error for a container that can no longer be published.
func newMediaNotFoundError() *metasim.Error {
	return &metasim.Error{
		Code: 24, Subcode: 2207006, Message: "The requested resource does not exist", Title: "Media Not Found",
		Detail: "The media with the given id could not be found.",
	}
}

var mediaKind = metasim.NewKind(
	"IGMedia", "id", "caption", "media_type", "media_product_type", "permalink", "shortcode", "timestamp", "username",
	"media_url", "thumbnail_url", "children", "owner", "like_count", "comments_count", "is_shared_to_feed", "alt_text",
)

// mediaNode returns a post as the API shows it.
func (s *Sim) mediaNode(p sim.Post) map[string]any {
	kind, figures := p.Extra["media_type"], s.kit.PostFigures(p)
	node := map[string]any{
		"id": p.ID, "permalink": p.URL, "shortcode": p.Extra["shortcode"], "timestamp": metasim.FormatTime(p.CreatedAt),
		"media_type": kindImage, "media_product_type": p.Extra["product"], "username": p.AccountName,
		"owner": map[string]any{"id": p.Account}, "like_count": figures.Likes, "comments_count": figures.Comments,
	}
	switch {
	case kind == kindCarousel:
		node["media_type"], node["children"] = "CAROUSEL_ALBUM", metasim.ChildNodes(p)
	case isVideo(kind):
		node["media_type"] = "VIDEO"
	}
	if kind != kindCarousel && len(p.Media) > 0 {
		node["media_url"] = sim.MediaURL(site, p.Media[0])
	}
	if kind == kindReel {
		node["is_shared_to_feed"] = p.Extra["share_to_feed"] == "true"
	}
	for name, value := range map[string]string{"caption": p.Text, "alt_text": p.Extra["alt_text"]} {
		if value != "" {
			node[name] = value
		}
	}
	return node
}

func isStoryOver(p sim.Post, now time.Time) bool {
	return p.Extra["product"] == productStory && now.Sub(p.CreatedAt) >= storyLife
}

// listMedia serves an account's posts, newest first: the Stories of the last day, or all other posts.
func (s *Sim) listMedia(q *sim.Request, stories bool) (any, error) {
	edge := "media"
	if stories {
		edge = "stories"
	}
	now := s.kit.Now()
	fits := func(p sim.Post) bool { return stories == (p.Extra["product"] == productStory) && !isStoryOver(p, now) }
	return s.own.Graph.ListPosts(q, edge, OptListDelay, mediaKind, fits, s.mediaNode)
}

var quotaKind = metasim.NewKind("IGContentPublishingLimit", "quota_usage", "quota_usage", "config")

// readQuota serves how much of the publishing quota is used.
func (s *Sim) readQuota(q *sim.Request) (any, error) {
	now := s.kit.Now()
	since, err := metasim.ReadTime(q.Params, "since")
	switch {
	case err != nil:
		return nil, err
	case since.IsZero():
		since = now.Add(-window)
	case now.Sub(since) > window:
		return nil, metasim.Bad("Param since must not be older than 24 hours")
	}
	used := s.kit.Posts.CountSince(Name, q.Account, since)
	picked, err := quotaKind.Pick(q.Params.Get("fields"), map[string]any{"quota_usage": used, "config": map[string]any{
		"quota_total": s.kit.NumberOption(OptQuota), "quota_duration": int(window.Seconds()),
	}})
	return map[string]any{"data": []any{picked}}, err
}

// uploadPath is the path on the upload host to which the bytes of containers are sent.
const uploadPath = "ig-api-upload"

// findUpload returns the route at the upload host that receives the bytes or the address of a video.
func (s *Sim) findUpload(q *sim.Request, kind, id string) (route sim.Route, ok bool, err error) {
	s.pages.Lock.Lock()
	defer s.pages.Lock.Unlock()
	a := s.findAccount(func(a *account) bool { return s.containers.Find(a.ID, id) != nil })
	if kind != uploadPath || a == nil || !metasim.CanSee(q.Token, a.Page) {
		return sim.Route{}, false, nil
	}
	c := s.containers.Find(a.ID, id)
	return sim.Route{
		Names: []string{"upload"}, Scopes: []string{"instagram_content_publish"}, Unlocked: true,
		Arrive: func(q *sim.Request) { q.Account = a.ID },
		Serve:  func(q *sim.Request) (any, error) { return s.receiveUpload(q, c) },
	}, true, nil
}

// receiveUpload receives the remaining bytes of a video, or its address.
func (s *Sim) receiveUpload(q *sim.Request, c *metasim.Container) (any, error) {
	header, success := q.R.Header, map[string]any{"success": true, "message": "Upload successful."}
	s.pages.Lock.Lock()
	open := c.Pending && c.MediaURL == ""
	s.pages.Lock.Unlock()
	if !open {
		return metasim.UploadError("ProcessingFailedError", "The container does not accept an upload"), nil
	}
	if address := header.Get("File_url"); address != "" {
		s.pages.Lock.Lock()
		defer s.pages.Lock.Unlock()
		return success, s.containers.FetchFile(c, address)
	}
	media, refusal, err := s.pages.ReceiveBytes(q, c.ID)
	if refusal != nil {
		return refusal, nil
	}
	s.pages.Lock.Lock()
	defer s.pages.Lock.Unlock()
	return success, s.containers.StoreFile(c, media, err)
}

func isVideo(kind string) bool {
	return slices.Contains([]string{kindReel, kindVideo, kindStoryVideo}, kind)
}
