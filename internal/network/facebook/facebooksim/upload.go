package facebooksim

import (
	"context"
	"net/http"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"belfry/internal/network/sim"
)

type publishedVideo struct {
	ID    string    `json:"id"`
	Post  string    `json:"post"`
	At    time.Time `json:"at"`
	Calls int       `json:"calls"`
}

// videoLive shows a recorded video. The caller holds the lock, or the network is still starting.
func (s *Sim) videoLive(live publishedVideo) error {
	v, err := sim.Find(s.videos, live.ID)
	if err != nil {
		return err
	}
	v.post = live.Post
	owner, t := s.pages[v.Page], v.taken
	s.kit.Posts.Add(sim.Post{
		Network: Name, Account: v.Page, AccountName: owner.Name, ID: v.post, URL: v.siteURL(), Text: t.Description,
		Media:     []sim.Media{v.fetched.Media},
		CreatedAt: live.At, ArrivedAt: t.ArrivedAt, FirstCallAt: v.ArrivedAt, FirstPublishCallAt: t.First,
		PublishCalls: live.Calls,
		Extra:        map[string]string{"title": t.Title, "edge": v.Edge},
	})
	if v.Edge == edgeStories {
		owner.stories = append(
			owner.stories, story{Post: v.post, Media: v.ID, Kind: "video", At: live.At, File: v.fetched.Media},
		)
	}
	return nil
}

// sitePath is where the site shows the video; address is the whole.
func (v *video) sitePath() string {
	switch v.Edge {
	case edgeReels:
		return "/reel/" + v.ID + "/"
	case edgeStories:
		return "/stories/" + v.Page + "/" + v.post
	}
	return "/" + v.Page + "/videos/" + v.ID + "/"
}

func (v *video) siteURL() string { return "https://" + site + v.sitePath() }

// checkWords says why title and description cannot be taken.
func checkWords(title, description string) string {
	switch {
	case !utf8.ValidString(title + description):
		return "Param description must be valid UTF-8"
	case utf8.RuneCountInString(title) > maxTitle:
		return "Param title must be at most 255 characters long"
	case len(utf16.Encode([]rune(description))) > maxMessage:
		return "Param description must be at most 63206 characters long"
	}
	return ""
}

// createVideo fetches a Page video that is published later. One that is published by the upload is refused
// here: a lost answer would leave nothing to ask about.
func (s *Sim) createVideo(q *apiCall, p *page) {
	v := &video{
		Page: p.ID, Edge: edgeVideos, Title: q.params.Get("title"), Description: q.params.Get("description"),
		url: q.params.Get("file_url"),
	}
	s.runCallUnready(q, []string{callCreate}, v.Description+" "+v.url, func(neverReady bool) sim.Answer {
		if a, refused := mayPublish(q, p); refused {
			return a
		}
		if name, odd := sim.UnknownParam(q.params, "file_url", "title", "description", "published"); odd {
			return badParameter("Param " + name + " is not simulated")
		}
		switch problem := checkWords(v.Title, v.Description); {
		case problem != "":
			return badParameter(problem)
		case v.url == "":
			return badParameter("Missing parameter: file_url")
		case q.params.Get("published") != "false":
			return badParameter("Param published must be false: what is published by its upload is not simulated")
		}
		media, err := s.kit.Fetch(context.WithoutCancel(q.r.Context()), Name, p.ID, v.url)
		if err != nil {
			return graphError(codeUnfetch, 0, "(#389) Unable to fetch video file from URL: "+err.Error())
		}
		if code, problem := checkVideoFile(v.Edge, media); code != 0 {
			return graphError(code, 0, problem)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		v.Stuck = neverReady
		if a := s.addVideo(q, v); a != nil {
			return *a
		}
		e := s.fetchOutcome(v, media, nil)
		if err := s.kit.Record(Name, recFetched, e); err != nil {
			return sim.InternalError(err)
		}
		v.fetched = e
		return sim.OK(map[string]any{"id": v.ID})
	})
}

// serveUploadPhase serves the start and finish calls of Reels and video Stories.
func (s *Sim) serveUploadPhase(q *apiCall, p *page) {
	edge := q.r.URL.Path[strings.LastIndexByte(q.r.URL.Path, '/')+1:]
	switch q.params.Get("upload_phase") {
	case "start":
		s.startVideo(q, p, edge)
	case "finish":
		s.finishVideo(q, p, edge)
	default:
		s.kit.Send(q.w, q.r, badParameter("Param upload_phase must be one of {start, finish}"))
	}
}

func (s *Sim) startVideo(q *apiCall, p *page, edge string) {
	s.runCallUnready(q, []string{callCreate}, "", func(neverReady bool) sim.Answer {
		if a, refused := mayPublish(q, p); refused {
			return a
		}
		if name, odd := sim.UnknownParam(q.params, "upload_phase"); odd {
			return badParameter("Param " + name + " is not simulated")
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		v := &video{Page: p.ID, Edge: edge, Stuck: neverReady}
		if a := s.addVideo(q, v); a != nil {
			return *a
		}
		return sim.OK(
			map[string]any{"video_id": v.ID, "upload_url": "https://" + uploadHost + "/video-upload/" + q.version + "/" + v.ID},
		)
	})
}

// serveUpload accepts the address of a hosted file at the upload host, which has an Authorization scheme of its own.
func (s *Sim) serveUpload(w http.ResponseWriter, r *http.Request) {
	bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "OAuth ")
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if !ok || r.Method != http.MethodPost || len(parts) != 3 || parts[0] != "video-upload" ||
		versionProblem(parts[1]) != "" {
		s.kit.Send(w, r, graphError(100, 0, "Unsupported upload request"))
		return
	}
	q := &apiCall{w: w, r: r, version: parts[1], bearer: bearer, params: map[string][]string{}}
	if a, refused := s.findToken(q); refused {
		s.kit.Send(w, r, a)
		return
	}
	address := r.Header.Get("file_url")
	s.runCall(q, []string{callUpload}, address, func() sim.Answer {
		s.mu.Lock()
		defer s.mu.Unlock()
		v := s.videos[parts[2]]
		switch {
		case v == nil || q.token.Page != v.Page || v.Edge == edgeVideos:
			return notFoundError(r.Method, parts[2])
		case address == "":
			return uploadError("PartialRequestError", "Only a hosted file is simulated: file_url is missing")
		case v.url != "":
			return uploadError("OffsetInvalidError", "The file was given already")
		}
		if err := s.kit.Record(Name, recUpload, upload{ID: v.ID, URL: address}); err != nil {
			return sim.InternalError(err)
		}
		v.url = address
		s.fetchVideo(v)
		return sim.OK(map[string]any{"success": true})
	})
}

// uploadError is an error in the format of the upload host.
func uploadError(kind, message string) sim.Answer {
	return sim.Answer{Status: http.StatusBadRequest, Body: map[string]any{
		"debug_info": map[string]any{"retriable": false, "type": kind, "message": message},
	}}
}

// finishVideo accepts a Reel or a video Story for publishing; it becomes visible later.
func (s *Sim) finishVideo(q *apiCall, p *page, edge string) {
	id, title, description := q.params.Get("video_id"), q.params.Get("title"), q.params.Get("description")
	v := s.attemptVideo(q, p, edge, id)
	s.runCall(q, []string{callPublish, callFinish}, description, func() sim.Answer {
		if a, refused := mayPublish(q, p); refused {
			return a
		}
		names := []string{"upload_phase", "video_id"}
		if edge == edgeReels {
			names = append(names, "video_state", "title", "description")
		}
		if name, odd := sim.UnknownParam(q.params, names...); odd {
			return badParameter("Param " + name + " is not simulated")
		}
		if problem := checkWords(title, description); problem != "" {
			return badParameter(problem)
		}
		switch {
		case v == nil:
			return notFoundError(q.r.Method, id)
		case edge == edgeReels && q.params.Get("video_state") != "PUBLISHED":
			return badParameter("Param video_state must be PUBLISHED; drafts and schedules are not simulated")
		}
		return s.acceptVideo(q, v, title, description)
	})
}

// attemptVideo counts a publishing call when it arrives, whatever becomes of it.
func (s *Sim) attemptVideo(q *apiCall, p *page, edge, id string) *video {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.videos[id]
	if v == nil || v.Page != p.ID || v.Edge != edge {
		return nil
	}
	if v.calls++; v.calls == 1 {
		v.first = s.kit.Arrived(q.r)
	}
	if v.post != "" {
		s.kit.Posts.Called(Name, v.post)
		// A count that cannot be stored does not change the answer.
		_ = s.kit.Record(Name, recCalled, v.post)
	}
	return v
}

// acceptVideo accepts a video for publishing, and shows it when it is processed.
func (s *Sim) acceptVideo(q *apiCall, v *video, title, description string) sim.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.kit.Now()
	state := v.videoStatus(now)
	switch {
	case v.taken.ID != "" && v.Edge == edgeStories:
		return graphError(100, 1366051, "(#100) This media was already posted.")
	case v.taken.ID != "":
		return s.successAnswer(v)
	case state == stateError:
		return graphError(100, v.fetched.Code, "(#100) "+v.fetched.Problem)
	case state == stateUploading, state == stateFailed, state == stateExpired, v.Edge == edgeVideos && state != stateReady:
		return graphError(6000, 0, "(#6000) There was a problem with the video: it is "+state)
	case v.Edge == edgeReels && s.countReels(s.pages[v.Page], now) >= reelsADay:
		return graphError(80001, 0, "(#80001) There have been too many reels published from this Page in 24 hours")
	}
	t := acceptedVideo{
		ID: v.ID, Title: title, Description: description, At: now, ArrivedAt: s.kit.Arrived(q.r), First: v.first,
	}
	if err := s.kit.Record(Name, recTaken, t); err != nil {
		return sim.InternalError(err)
	}
	v.taken = t
	if err := s.showVideo(v); err != nil {
		return sim.InternalError(err)
	}
	return s.successAnswer(v)
}

// successAnswer is the answer to a taken video. The caller holds the lock.
func (s *Sim) successAnswer(v *video) sim.Answer {
	body := map[string]any{"success": true}
	if v.Edge == edgeStories && v.post != "" {
		body["post_id"] = jsonNumber(v.post)
	}
	return sim.OK(body)
}

// countReels counts those that a Page published in the last 24 hours. The caller holds the lock.
func (s *Sim) countReels(p *page, now time.Time) int {
	n := 0
	for _, v := range s.videos {
		if v.Page == p.ID && v.Edge == edgeReels && v.taken.ID != "" && now.Sub(v.taken.At) < 24*time.Hour {
			n++
		}
	}
	return n
}

// updateVideo publishes a Page video; doing it again changes nothing.
func (s *Sim) updateVideo(q *apiCall, v *video) {
	p := s.pages[v.Page]
	s.attemptVideo(q, p, edgeVideos, v.ID)
	s.runCall(q, []string{callPublish}, v.Description, func() sim.Answer {
		if a, refused := mayPublish(q, p); refused {
			return a
		}
		if name, odd := sim.UnknownParam(q.params, "published"); odd {
			return badParameter("Param " + name + " is not simulated")
		}
		if q.params.Get("published") != "true" || v.Edge != edgeVideos {
			return badParameter("Param published must be true, and the video one of the Page's own")
		}
		return s.acceptVideo(q, v, v.Title, v.Description)
	})
}

var videoFields = sim.Known(
	"id", "status", "published", "permalink_url", "title", "description", "created_time", "length",
)

// readVideo serves one video.
func (s *Sim) readVideo(q *apiCall, v *video) {
	names := []string{callStatus}
	if strings.Contains(q.params.Get("fields"), "permalink") {
		names = []string{callPermalink}
	}
	s.runCallUnready(q, names, v.Description, func(neverReady bool) sim.Answer {
		if name, odd := sim.UnknownParam(q.params, "fields"); odd {
			return badParameter("Param " + name + " is not allowed")
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if err := s.showVideo(v); err != nil {
			return sim.InternalError(err)
		}
		state := v.videoStatus(s.kit.Now())
		if neverReady && state == stateReady && v.post == "" {
			state = stateProcessing
		}
		node := map[string]any{
			"id": v.ID, "status": v.phaseNodes(state), "published": v.post != "", "permalink_url": v.sitePath(),
			"title":       v.Title,
			"description": v.Description, "created_time": sim.FormatTime(v.At), "length": v.fetched.Media.Seconds(),
		}
		return pickAnswer(q.params.Get("fields"), node, videoFields, "id,created_time", "Video")
	})
}
