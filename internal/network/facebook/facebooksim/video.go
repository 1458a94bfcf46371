package facebooksim

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"belfry/internal/network/meta/metasim"
	"belfry/internal/network/sim"
)

// Edges that create videos and Stories.
const (
	edgeVideos       = "videos"
	edgeReels        = "video_reels"
	edgeStories      = "video_stories"
	edgePhotoStories = "photo_stories"
)

const (
	videoLife    = 24 * time.Hour // of an unpublished video
	maxTitle     = 255
	reelsADay    = 30
	reelRatio    = 9.0 / 16
	reelSlack    = 0.01
	codeFormat   = 352
	codeUnfetch  = 389
	reelTooOdd   = 1363040
	reelTooSmall = 1363127
	reelLength   = 1363128
	reelFPS      = 1363129
)

// video is an uploaded video, published or not.
type video struct {
	ID          string    `json:"id"`
	Page        string    `json:"page"`
	Edge        string    `json:"edge"`
	Title       string    `json:"title,omitempty"`
	Description string    `json:"description,omitempty"`
	Stuck       bool      `json:"stuck,omitempty"`
	At          time.Time `json:"at"`
	ArrivedAt   time.Time `json:"arrivedAt"`
	// Size is the size that the start of a session has declared; 0 without a session.
	Size int64 `json:"size,omitempty"`
	// URL is the address from which the file is fetched. Fetched is the result of fetching or uploading it.
	URL     string       `json:"url,omitempty"`
	Fetched *fetchResult `json:"fetched,omitempty"`
	// TakenAt is when the publishing call was accepted, and TakenArrivedAt when it arrived; zero before.
	TakenAt        time.Time `json:"takenAt,omitzero"`
	TakenArrivedAt time.Time `json:"takenArrivedAt,omitzero"`
	Post           string    `json:"post,omitempty"` // the id of the visible post
	Calls          int       `json:"calls,omitempty"`
	First          time.Time `json:"first,omitzero"`
}

// fetchResult is the result of the download or the upload of a video.
type fetchResult struct {
	Media   sim.Media `json:"media"`
	Failed  string    `json:"failed,omitempty"` // why there is no file
	Code    int       `json:"code,omitempty"`   // why the file is not accepted
	Problem string    `json:"problem,omitempty"`
	Ready   time.Time `json:"ready"` // when its processing ends
}

// addVideo stores a new video.
func (s *Sim) addVideo(q *sim.Request, v *video) error {
	v.ID, v.Page, v.Stuck = s.videos.NewID("98", 16), q.Account, q.Unready
	v.At, v.ArrivedAt = s.kit.Now(), s.kit.ArrivalTime(q.R)
	return s.videos.Put(v.ID, v)
}

// checkVideoFile returns the network's code and message for a file that an edge does not accept, or 0 and "" if it
// does.
func checkVideoFile(edge string, m sim.Media) (codeOrZero int, problemOrEmpty string) {
	if m.Kind != sim.MP4 || m.Video == "" {
		return codeFormat, "The video file you selected is in a format that we don't support."
	}
	if edge == edgeStories && m.Ms > 60_000 {
		return reelLength, "The video of a story must be at most 60 seconds long."
	}
	if edge != edgeReels {
		return 0, ""
	}
	switch {
	case !slices.Contains([]string{"avc1", "avc3", "hvc1", "hev1", "vp09", "av01"}, m.Video) ||
		m.Audio != "" && m.Audio != "mp4a":
		return codeFormat, "The video file you selected is in a format that we don't support."
	case m.Width > 0 && !m.HasRatioWithin(reelRatio*(1-reelSlack), reelRatio*(1+reelSlack)):
		return reelTooOdd, "The aspect ratio of the reel is not supported."
	case m.Width < 540 || m.Height < 960:
		return reelTooSmall, "The resolution of the reel must be at least 540 by 960."
	case (m.Ms > 0 || !m.Fragmented) && (m.Ms < 3_000 || m.Ms > 90_000):
		return reelLength, "The duration of the reel must be between 3 and 90 seconds."
	case m.FPS > 0 && (m.FPS < 24 || m.FPS > 60):
		return reelFPS, "The frame rate of the reel must be between 24 and 60."
	}
	return 0, ""
}

// storeFileOrFailure stores a video's file, or fileErr as the reason why there is none.
func (s *Sim) storeFileOrFailure(v *video, media sim.Media, fileErr error) error {
	v.Fetched = &fetchResult{Media: media, Ready: s.kit.Now().Add(s.kit.SecondsOption(OptProcess))}
	if fileErr != nil {
		v.Fetched.Failed = fileErr.Error()
	} else {
		v.Fetched.Code, v.Fetched.Problem = checkVideoFile(v.Edge, media)
	}
	return s.videos.Put(v.ID, v)
}

// fetchVideoInBackground fetches a video from its address in the background, and stores the file or the failure.
func (s *Sim) fetchVideoInBackground(v *video) {
	id, page, address := v.ID, v.Page, v.URL
	s.kit.RunJob(func(ctx context.Context) {
		media, err := s.kit.FetchFile(ctx, Name, page, address)
		if ctx.Err() != nil {
			return // the sandbox is stopping; the next run downloads the file
		}
		s.login.Lock.Lock()
		defer s.login.Lock.Unlock()
		if s.videos.Get(id) == v {
			// If the result cannot be stored, the next run downloads the file again.
			_ = s.storeFileOrFailure(v, media, err)
		}
	})
}

// States of a video.
const (
	stateUploading  = "uploading"
	stateFailed     = "upload_failed"
	stateProcessing = "processing"
	stateReady      = "ready"
	stateError      = "error"
	stateExpired    = "expired"
)

// statusAt returns the video_status.
func (v *video) statusAt(now time.Time) string {
	switch {
	case v.TakenAt.IsZero() && now.Sub(v.At) >= videoLife:
		return stateExpired
	case v.Fetched == nil:
		return stateUploading
	case v.Fetched.Failed != "":
		return stateFailed
	case v.Stuck || now.Before(v.Fetched.Ready):
		return stateProcessing
	case v.Fetched.Problem != "":
		return stateError
	}
	return stateReady
}

// phaseNodes returns the status of a video as the API shows it. arrived is how many bytes of an upload have arrived.
func (v *video) phaseNodes(state string, arrived int64) map[string]any {
	phase := func(status string) map[string]any { return map[string]any{"status": status} }
	uploading, processing, publishing := phase("complete"), phase("not_started"), phase("not_started")
	switch state {
	case stateUploading, stateExpired:
		uploading = phase("in_progress")
	case stateFailed:
		uploading = phase("error")
		uploading["error"] = map[string]any{"message": v.Fetched.Failed}
	case stateProcessing:
		processing = phase("in_progress")
	case stateError:
		processing = phase("error")
		processing["errors"] = []any{map[string]any{"code": v.Fetched.Code, "message": v.Fetched.Problem}}
	case stateReady:
		processing = phase("complete")
	}
	if v.Fetched != nil {
		arrived = v.mediaOrZero().Bytes
	}
	//nolint:misspell // as the network spells it
	uploading["bytes_transfered"], uploading["source_file_size"] = arrived, max(v.Size, arrived)
	if !v.TakenAt.IsZero() && v.Edge != edgeVideos {
		publishing["publish_status"], publishing["publish_time"] = "published", v.TakenAt.Unix()
	}
	if v.Post != "" {
		publishing["status"] = "complete"
	}
	return map[string]any{
		"video_status": state, "uploading_phase": uploading, "processing_phase": processing, "publishing_phase": publishing,
	}
}

// mediaOrZero returns the uploaded or fetched file, or the zero value before the file has arrived.
func (v *video) mediaOrZero() sim.Media {
	if v.Fetched == nil {
		return sim.Media{}
	}
	return v.Fetched.Media
}

// sitePath returns the path of the video's page on the site.
func (v *video) sitePath() string {
	switch v.Edge {
	case edgeReels:
		return "/reel/" + v.ID + "/"
	case edgeStories:
		return "/stories/" + v.Page + "/" + v.Post
	}
	return "/" + v.Page + "/videos/" + v.ID + "/"
}

// publishIfAcceptedAndReady publishes a video that has been accepted for publishing, once it is processed.
func (s *Sim) publishIfAcceptedAndReady(v *video) error {
	now := s.kit.Now()
	if v.TakenAt.IsZero() || v.Post != "" || v.statusAt(now) != stateReady {
		return nil
	}
	v.Post = v.ID
	if v.Edge == edgeStories {
		v.Post = sim.RandomDigits("77", 15)
	}
	p := sim.Post{
		Network: Name, Account: v.Page, AccountName: s.login.Page(v.Page).Name, ID: v.Post, Text: v.Description,
		URL: "https://" + metasim.PageSite + v.sitePath(), Media: []sim.Media{v.Fetched.Media}, CreatedAt: now,
		ArrivedAt: v.TakenArrivedAt, FirstCallAt: v.ArrivedAt, FirstPublishCallAt: v.First, PublishCalls: v.Calls,
		Extra: map[string]string{"title": v.Title, "edge": v.Edge, "kind": "video", "media_id": v.ID},
	}
	if err := s.kit.Posts.Put(p); err != nil {
		return err
	}
	return s.videos.Put(v.ID, v)
}

// checkTexts returns an error unless the title and the description are valid.
func checkTexts(title, description string) error {
	switch {
	case !utf8.ValidString(title + description):
		return metasim.Bad("Params title and description must be valid UTF-8")
	case utf8.RuneCountInString(title) > maxTitle:
		return metasim.Bad("Param title must be at most 255 characters long")
	case len(utf16.Encode([]rune(description))) > maxMessage:
		return metasim.Bad("Param description must be at most 63206 characters long")
	}
	return nil
}

// createVideo stores a fetched Page video, which is published later.
func (s *Sim) createVideo(q *sim.Request) (any, error) {
	v := &video{
		Edge: edgeVideos, Title: q.Params.Get("title"), Description: q.Params.Get("description"), URL: q.Params.Get("file_url"),
	}
	if err := checkTexts(v.Title, v.Description); err != nil {
		return nil, err
	}
	if v.URL == "" {
		return nil, metasim.Bad("Missing parameter: file_url")
	}
	if err := checkUploadDoesNotPublish(q); err != nil {
		return nil, err
	}
	if q.MediaError != nil {
		return nil, &metasim.Error{
			Code: codeUnfetch, Message: "(#389) Unable to fetch video file from URL: " + q.MediaError.Error(),
		}
	}
	if code, problem := checkVideoFile(v.Edge, q.Media); code != 0 {
		return nil, &metasim.Error{Code: code, Message: problem}
	}
	if err := s.addVideo(q, v); err != nil {
		return nil, err
	}
	return map[string]any{"id": v.ID}, s.storeFileOrFailure(v, q.Media, nil)
}

// startUploadRoute returns the route that starts the upload of a Reel or a video Story.
func (s *Sim) startUploadRoute(edge string) sim.Route {
	return sim.Route{
		Names: []string{callCreate}, Params: []string{"upload_phase"},
		Serve: func(q *sim.Request) (any, error) {
			if q.Params.Get("upload_phase") != "start" {
				return nil, metasim.Bad("Param upload_phase must be one of {start, finish}")
			}
			v := &video{Edge: edge}
			if err := s.addVideo(q, v); err != nil {
				return nil, err
			}
			version, _, _ := strings.Cut(strings.TrimPrefix(q.R.URL.Path, "/"), "/")
			return map[string]any{
				"video_id": v.ID, "upload_url": "https://" + metasim.PageUpload + "/video-upload/" + version + "/" + v.ID,
			}, nil
		},
	}
}

// publishUploadRoute returns the route that accepts an uploaded Reel or video Story for publishing. It becomes visible
// once it is processed.
func (s *Sim) publishUploadRoute(edge string) sim.Route {
	params := []string{"upload_phase", "video_id"}
	if edge == edgeReels {
		params = append(params, "video_state", "title", "description")
	}
	return sim.Route{
		Names: []string{callPublish, callFinish}, Params: params, Text: sim.JoinParams("description"),
		Arrive: func(q *sim.Request) { s.countVideoAttempt(q, edge, q.Params.Get("video_id")) },
		Serve: func(q *sim.Request) (any, error) {
			title, description := q.Params.Get("title"), q.Params.Get("description")
			if err := checkTexts(title, description); err != nil {
				return nil, err
			}
			v := s.videos.Get(q.Params.Get("video_id"))
			switch {
			case v == nil || v.Page != q.Account || v.Edge != edge:
				return nil, metasim.NotFound(q.R.Method, q.Params.Get("video_id"))
			case edge == edgeReels && q.Params.Get("video_state") != "PUBLISHED":
				return nil, metasim.Bad("Param video_state must be PUBLISHED; drafts and schedules are not simulated")
			case v.TakenAt.IsZero():
				v.Title, v.Description = title, description
			}
			return s.acceptVideoForPublishing(q, v)
		},
	}
}

// countVideoAttempt counts a publishing call when it arrives, whatever its outcome.
func (s *Sim) countVideoAttempt(q *sim.Request, edge, id string) {
	v := s.videos.Get(id)
	if v == nil || v.Page != q.Account || v.Edge != edge {
		return
	}
	if v.Calls++; v.Calls == 1 {
		v.First = s.kit.ArrivalTime(q.R)
	}
	if v.Post != "" {
		s.kit.Posts.CountPublishCall(Name, v.Post)
	}
}

// acceptVideoForPublishing accepts a video for publishing, and publishes it once it is processed.
func (s *Sim) acceptVideoForPublishing(q *sim.Request, v *video) (any, error) {
	now := s.kit.Now()
	state := v.statusAt(now)
	switch {
	case !v.TakenAt.IsZero() && v.Edge == edgeStories:
		return nil, &metasim.Error{Code: 100, Subcode: 1366051, Message: "(#100) This media was already posted."}
	case !v.TakenAt.IsZero():
		return map[string]any{"success": true}, nil
	case state == stateError:
		return nil, &metasim.Error{Code: 100, Subcode: v.Fetched.Code, Message: "(#100) " + v.Fetched.Problem}
	case state == stateUploading, state == stateFailed, state == stateExpired, v.Edge == edgeVideos && state != stateReady:
		return nil, &metasim.Error{Code: 6000, Message: "(#6000) There was a problem with the video: its state is " + state}
	case v.Edge == edgeReels && s.countReelsOfLastDay(v.Page, now) >= reelsADay:
		const text = "(#80001) There have been too many reels published from this Page in 24 hours"
		return nil, &metasim.Error{Code: 80001, Message: text}
	}
	v.TakenAt, v.TakenArrivedAt = now, s.kit.ArrivalTime(q.R)
	if err := s.videos.Put(v.ID, v); err != nil {
		return nil, err
	}
	err := s.publishIfAcceptedAndReady(v)
	body := map[string]any{"success": true}
	if v.Edge == edgeStories && v.Post != "" {
		body["post_id"] = metasim.BigNumber(v.Post)
	}
	return body, err
}

// countReelsOfLastDay counts the Reels that a Page has published in the 24 hours before now.
func (s *Sim) countReelsOfLastDay(page string, now time.Time) int {
	n := 0
	for v := range s.videos.All() {
		if v.Page == page && v.Edge == edgeReels && !v.TakenAt.IsZero() && now.Sub(v.TakenAt) < 24*time.Hour {
			n++
		}
	}
	return n
}

var videoKind = metasim.NewKind(
	"Video", "id,created_time", "status", "published", "permalink_url", "title", "description", "created_time", "length",
)

// videoRoute returns the route that reads a video or publishes a Page video.
func (s *Sim) videoRoute(q *sim.Request, v *video, methodAndEdge string) (route sim.Route, ok bool) {
	text := func(*sim.Request) string { return v.Description }
	if methodAndEdge == "POST " {
		return sim.Route{
			Names: []string{callPublish}, Params: []string{"published"}, Text: text,
			Arrive: func(q *sim.Request) { s.countVideoAttempt(q, edgeVideos, v.ID) },
			Serve: withAccessCheck(s.login.Page(v.Page), func(q *sim.Request) (any, error) {
				if q.Params.Get("published") != "true" || v.Edge != edgeVideos {
					return nil, metasim.Bad("Param published must be true, and the video must be a Page video")
				}
				return s.acceptVideoForPublishing(q, v)
			}, checkPublishAccess),
		}, true
	}
	name := callStatus
	if strings.Contains(q.Params.Get("fields"), "permalink") {
		name = callPermalink
	}
	return sim.Route{
		Names: []string{name}, Params: []string{"fields"}, Text: text,
		Serve: func(q *sim.Request) (any, error) { return s.publishIfReadyAndReadVideo(q, v) },
	}, methodAndEdge == "GET "
}

// publishIfReadyAndReadVideo serves a video. If the video has been accepted for publishing and is processed, it first
// becomes visible.
func (s *Sim) publishIfReadyAndReadVideo(q *sim.Request, v *video) (any, error) {
	if err := s.publishIfAcceptedAndReady(v); err != nil {
		return nil, err
	}
	state := v.statusAt(s.kit.Now())
	if q.Unready && state == stateReady && v.Post == "" {
		state = stateProcessing
	}
	return videoKind.Pick(q.Params.Get("fields"), map[string]any{
		"id": v.ID, "status": v.phaseNodes(state, s.kit.UploadSize(v.ID)), "published": v.Post != "", "permalink_url": v.sitePath(),
		"title": v.Title, "description": v.Description, "created_time": metasim.FormatTime(v.At),
		"length": v.mediaOrZero().Seconds(),
	})
}

// findUpload returns the route at the upload host that receives the bytes or the address of a Reel or a Story.
func (s *Sim) findUpload(q *sim.Request, kind, id string) (route sim.Route, ok bool, err error) {
	s.login.Lock.Lock()
	defer s.login.Lock.Unlock()
	v := s.videos.Get(id)
	if kind != "video-upload" || v == nil || v.Edge == edgeVideos || !metasim.IsPageToken(q.Token, v.Page) {
		return sim.Route{}, false, nil
	}
	address := q.R.Header.Get("file_url")
	return sim.Route{
		Names: []string{callUpload}, Text: func(*sim.Request) string { return address }, Unlocked: true,
		Serve: func(q *sim.Request) (any, error) { return s.receiveUpload(q, v, address) },
	}, true, nil
}

// receiveUpload receives the remaining bytes of a video, or its address.
func (s *Sim) receiveUpload(q *sim.Request, v *video, address string) (any, error) {
	success := map[string]any{"success": true}
	s.login.Lock.Lock()
	open := v.URL == "" && v.Fetched == nil
	s.login.Lock.Unlock()
	if !open {
		return metasim.UploadError("OffsetInvalidError", "The file has already been sent"), nil
	}
	if address != "" {
		s.login.Lock.Lock()
		defer s.login.Lock.Unlock()
		v.URL = address
		s.fetchVideoInBackground(v)
		return success, s.videos.Put(v.ID, v)
	}
	if kind := q.R.Header.Get("Content-Type"); kind != "application/octet-stream" {
		return metasim.UploadError("PartialRequestError", "The Content-Type must be application/octet-stream"), nil
	}
	media, refusal, err := s.login.ReceiveBytes(q, v.ID)
	if refusal != nil {
		return refusal, nil
	}
	s.login.Lock.Lock()
	defer s.login.Lock.Unlock()
	return success, s.storeFileOrFailure(v, media, err)
}
