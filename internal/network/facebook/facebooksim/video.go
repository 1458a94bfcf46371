package facebooksim

import (
	"context"
	"slices"
	"time"

	"belfry/internal/network/sim"
)

// Edges at which videos are made; they say what becomes of one.
const (
	edgeVideos  = "videos"
	edgeReels   = "video_reels"
	edgeStories = "video_stories"
)

const (
	videoLife    = 24 * time.Hour // of one that was never published
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

// video is a film on its way to the public.
type video struct {
	ID          string    `json:"id"`
	Page        string    `json:"page"`
	Edge        string    `json:"edge"`
	Title       string    `json:"title,omitempty"`
	Description string    `json:"description,omitempty"`
	Stuck       bool      `json:"stuck,omitempty"`
	At          time.Time `json:"at"`
	ArrivedAt   time.Time `json:"arrivedAt"`

	url     string // that is being fetched, or was
	fetched fetchResult
	taken   acceptedVideo
	post    string // what the public knows it by

	calls int
	first time.Time
}

// fetchResult is how the download of a video ended.
type fetchResult struct {
	ID      string    `json:"id"`
	Media   sim.Media `json:"media"`
	Failed  string    `json:"failed,omitempty"` // why there is no file
	Code    int       `json:"code,omitempty"`   // why the file is no good
	Problem string    `json:"problem,omitempty"`
	Ready   time.Time `json:"ready"` // when it is processed
}

// acceptedVideo is the accepted call that publishes a video.
type acceptedVideo struct {
	ID          string    `json:"id"`
	Title       string    `json:"title,omitempty"`
	Description string    `json:"description,omitempty"`
	At          time.Time `json:"at"`
	ArrivedAt   time.Time `json:"arrivedAt"`
	First       time.Time `json:"first"`
}

type upload struct {
	ID  string `json:"id"`
	URL string `json:"url"`
}

// addVideo begins a video. The caller holds the lock.
func (s *Sim) addVideo(q *apiCall, v *video) *sim.Answer {
	v.At, v.ArrivedAt = s.kit.Now(), s.kit.Arrived(q.r)
	for v.ID == "" || s.videos[v.ID] != nil {
		v.ID = sim.Digits("98", 16)
	}
	if err := s.kit.Record(Name, recVideo, v); err != nil {
		a := sim.InternalError(err)
		return &a
	}
	s.videos[v.ID] = v
	return nil
}

// checkVideoFile is what the network finds in a file for an edge, in its own numbers.
func checkVideoFile(edge string, m sim.Media) (code int, problem string) {
	if m.Kind != sim.MP4 || m.Video == "" {
		return codeFormat, "The video file you selected is in a format that we don't support."
	}
	if edge == edgeStories && m.Ms > 60_000 {
		return reelLength, "The video of a story is at most 60 seconds long."
	}
	if edge != edgeReels {
		return 0, ""
	}
	switch {
	case !slices.Contains([]string{"avc1", "avc3", "hvc1", "hev1", "vp09", "av01"}, m.Video) ||
		m.Audio != "" && m.Audio != "mp4a":
		return codeFormat, "The video file you selected is in a format that we don't support."
	case m.Width > 0 && !m.Within(reelRatio*(1-reelSlack), reelRatio*(1+reelSlack)):
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

// fetchOutcome is what became of a download.
func (s *Sim) fetchOutcome(v *video, media sim.Media, err error) fetchResult {
	e := fetchResult{ID: v.ID, Media: media, Ready: s.kit.Now().Add(time.Duration(s.kit.Number(OptProcess)) * time.Second)}
	if err != nil {
		e.Failed = err.Error()
		return e
	}
	e.Code, e.Problem = checkVideoFile(v.Edge, media)
	return e
}

// fetchVideo fetches a hosted file after its address was taken.
func (s *Sim) fetchVideo(v *video) {
	s.kit.Go(func(ctx context.Context) {
		media, err := s.kit.Fetch(ctx, Name, v.Page, v.url)
		if ctx.Err() != nil {
			return // the sandbox ends; the next run downloads again
		}
		e := s.fetchOutcome(v, media, err)
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.videos[v.ID] == v && s.kit.Record(Name, recFetched, e) == nil {
			v.fetched = e
		}
	})
}

// resumeUploads restarts downloads that the end of an earlier run interrupted.
func (s *Sim) resumeUploads() {
	for _, v := range s.videos {
		if v.url != "" && v.fetched.ID == "" {
			s.fetchVideo(v)
		}
	}
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

// videoStatus is video_status. The caller holds the lock.
func (v *video) videoStatus(now time.Time) string {
	switch {
	case v.post == "" && v.taken.ID == "" && now.Sub(v.At) >= videoLife:
		return stateExpired
	case v.fetched.Failed != "":
		return stateFailed
	case v.fetched.ID == "":
		return stateUploading
	case v.Stuck || now.Before(v.fetched.Ready):
		return stateProcessing
	case v.fetched.Problem != "":
		return stateError
	}
	return stateReady
}

// phaseNodes is the status of a video as the network tells it. The caller holds the lock.
func (v *video) phaseNodes(state string) map[string]any {
	phase := func(status string) map[string]any { return map[string]any{"status": status} }
	uploading, processing, publishing := phase("complete"), phase("not_started"), phase("not_started")
	switch state {
	case stateUploading, stateExpired:
		uploading = phase("in_progress")
	case stateFailed:
		uploading = phase("error")
		uploading["error"] = map[string]any{"message": v.fetched.Failed}
	case stateProcessing:
		processing = phase("in_progress")
	case stateError:
		processing = phase("error")
		processing["errors"] = []any{map[string]any{"code": v.fetched.Code, "message": v.fetched.Problem}}
	case stateReady:
		processing = phase("complete")
	}
	size := v.fetched.Media.Bytes
	//nolint:misspell // spelt as the network spells it
	uploading["bytes_transfered"], uploading["source_file_size"] = size, size
	if v.taken.ID != "" && v.Edge != edgeVideos {
		publishing["publish_status"], publishing["publish_time"] = "published", v.taken.At.Unix()
	}
	if v.post != "" {
		publishing["status"] = "complete"
	}
	return map[string]any{
		"video_status": state, "uploading_phase": uploading, "processing_phase": processing, "publishing_phase": publishing,
	}
}

// showVideo makes a taken video visible once it is processed. The caller holds the lock.
func (s *Sim) showVideo(v *video) error {
	now := s.kit.Now()
	if v.taken.ID == "" || v.post != "" || v.videoStatus(now) != stateReady {
		return nil
	}
	live := publishedVideo{ID: v.ID, Post: v.ID, At: now, Calls: v.calls}
	if v.Edge == edgeStories {
		live.Post = sim.Digits("77", 15)
	}
	if err := s.kit.Record(Name, recVideoLive, live); err != nil {
		return err
	}
	return s.videoLive(live)
}
