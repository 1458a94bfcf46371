package youtubesim

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"belfry/internal/network/sim"
)

const (
	chunkUnit = 256 << 10
	maxFile   = 256 << 30
	maxJSON   = 1 << 20
)

// session is a resumable upload. There is no video until its last byte has arrived.
type session struct {
	ID, Channel, Type string
	Video             video
	Size              int64
	CreatedAt         time.Time
	FirstPublishAt    time.Time
	PublishCalls      int
	Post              string // the id of the video, once there is one
}

// startUploadRoute reads the metadata of a video from the body, and returns the route that starts an upload with it.
func (s *Sim) startUploadRoute(q *sim.Request) (sim.Route, error) {
	var v video
	body, err := io.ReadAll(io.LimitReader(q.R.Body, maxJSON))
	if err != nil {
		return sim.Route{}, err
	}
	decoder := json.NewDecoder(strings.NewReader(string(body)))
	decoder.DisallowUnknownFields()
	problem := decoder.Decode(&v)
	return sim.Route{
		Names: []string{"create"}, Params: []string{"uploadType", "part", "notifySubscribers"},
		Text: func(*sim.Request) string { return v.Snippet.Title + " " + v.Snippet.Description },
		Serve: withAnyScopeCheck(toUpload, func(q *sim.Request) (any, error) {
			switch {
			case q.Params.Get("uploadType") != "resumable":
				return nil, badRequest("only uploadType=resumable is simulated")
			case !strings.HasPrefix(q.R.Header.Get("Content-Type"), "application/json"):
				return nil, badRequest("the content type must be application/json")
			case problem != nil:
				return nil, badRequest("Invalid JSON payload received: %v", problem)
			}
			return s.openSession(q, v, body)
		}),
	}, nil
}

func (s *Sim) openSession(q *sim.Request, v video, body []byte) (any, error) {
	size, err := strconv.ParseInt(q.R.Header.Get("X-Upload-Content-Length"), 10, 64)
	kind := q.R.Header.Get("X-Upload-Content-Type")
	switch {
	case err != nil || size < 1 || size > maxFile:
		return nil, badRequest("X-Upload-Content-Length must be the size of the file")
	case !strings.HasPrefix(kind, "video/") && kind != "application/octet-stream":
		return nil, badRequest("Media type '%s' is not supported.", kind)
	}
	if e := checkParts(strings.Split(q.Params.Get("part"), ","), body); e != nil {
		return nil, e
	}
	if e := v.checkMetadata(); e != nil {
		return nil, e
	}
	v.Notify = q.Params.Get("notifySubscribers")
	if s.kit.Posts.CountSince(Name, q.Account, s.kit.Now().Add(-24*time.Hour)) >= s.kit.NumberOption(OptChannelUploads) {
		return nil, newDocumentedError("uploadLimitExceeded")
	}
	if err := s.spendQuotaOrRefuse("uploads", 1, OptUploads, errUploadsExceeded); err != nil {
		return nil, err
	}
	u := &session{
		ID: sim.NewSecret("AHmUCY"), Channel: q.Account, Type: kind, Video: v, Size: size, CreatedAt: s.kit.Now(),
	}
	address := "https://www.googleapis.com/upload/youtube/v3/videos?uploadType=resumable&upload_id=" + u.ID
	return sim.Answer{Status: http.StatusOK, Header: http.Header{"Location": {address}}}, s.sessions.Put(u.ID, u)
}

var ranges = regexp.MustCompile(`^bytes (?:([0-9]+)-([0-9]+)|\*)/([0-9]+|\*)$`)

// findUploadRoute returns the route of a call to an upload: one that sends a chunk, one that sends the last chunk, or a
// query of its progress.
func (s *Sim) findUploadRoute(q *sim.Request) (sim.Route, error) {
	from, to := int64(-1), int64(-1)
	span := ranges.FindStringSubmatch(q.R.Header.Get("Content-Range"))
	if span == nil {
		return sim.Route{}, badRequest("Failed to parse Content-Range header.")
	}
	s.mu.Lock()
	u := s.sessions.Get(q.Params.Get("upload_id"))
	s.mu.Unlock()
	route := sim.Route{Names: []string{callStatus}, Params: []string{"uploadType", "upload_id"}}
	if span[1] != "" {
		from, _ = strconv.ParseInt(span[1], 10, 64)
		to, _ = strconv.ParseInt(span[2], 10, 64)
		route.Names = []string{callUpload}
		if span[3] == fmt.Sprint(to+1) {
			route.Names = []string{callPublish}
		}
	}
	if u != nil {
		route.Text = func(*sim.Request) string { return u.Video.Snippet.Title + " " + u.Video.Snippet.Description }
	}
	route.Arrive = func(q *sim.Request) {
		if u == nil || route.Names[0] != callPublish {
			return
		}
		if u.PublishCalls++; u.PublishCalls == 1 {
			u.FirstPublishAt = s.kit.ArrivalTime(q.R)
		}
		s.kit.Posts.CountPublishCall(Name, u.Post)
	}
	route.Unlocked = true
	route.Serve = withAnyScopeCheck(toUpload, func(q *sim.Request) (any, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		switch {
		case u == nil || u.Channel != q.Account, s.kit.Now().After(u.CreatedAt.Add(s.uploadSessionLife())):
			return nil, newDocumentedError("notFound")
		case u.Post != "": // the final response is repeated
			return s.finalAnswer(u)
		case span[3] != "*" && span[3] != fmt.Sprint(u.Size):
			return nil, badRequest("the upload has %d bytes, not %s", u.Size, span[3])
		case from >= 0:
			return s.receiveChunkReleasingLock(q, u, from, to)
		case span[3] != "*" && s.kit.UploadSize(u.ID) == u.Size: // an empty request closes an exact multiple
			return s.finishUpload(q, u)
		}
		return s.incompleteAnswer(q, u), nil
	})
	return route, nil
}

func (s *Sim) uploadSessionLife() time.Duration {
	return time.Duration(s.kit.NumberOption(OptSession)) * time.Hour
}

// receiveChunkReleasingLock adds bytes to an upload. A chunk that does not begin where the last one ended stores
// nothing. The caller holds the lock, which is released while bytes arrive.
func (s *Sim) receiveChunkReleasingLock(q *sim.Request, u *session, from, to int64) (any, error) {
	length := to - from + 1
	switch {
	case length < 1 || to >= u.Size || q.R.ContentLength != length:
		return nil, badRequest("Content-Range is invalid or does not match Content-Length")
	case to+1 < u.Size && length%chunkUnit != 0:
		return nil, badRequest("the size of every chunk except the last must be a multiple of %d bytes", chunkUnit)
	}
	s.mu.Unlock()
	size, err := s.kit.AppendUpload(u.ID, from, io.LimitReader(q.R.Body, length))
	s.mu.Lock()
	switch {
	case errors.Is(err, sim.ErrOffset) || err == nil && size < u.Size:
		return s.incompleteAnswer(q, u), nil
	case err != nil:
		return nil, err
	case u.Post != "": // an empty request has already finished the upload
		return s.finalAnswer(u)
	}
	return s.finishUpload(q, u)
}

// incompleteAnswer returns the response with the number of bytes that have arrived. Google's own clients get another
// status.
func (s *Sim) incompleteAnswer(q *sim.Request, u *session) sim.Answer {
	answer := sim.Answer{Status: http.StatusPermanentRedirect, Header: http.Header{}}
	if q.R.Header.Get("X-GUploader-No-308") == "yes" {
		answer.Status = http.StatusOK
		answer.Header.Set("X-Http-Status-Code-Override", "308")
	}
	if size := s.kit.UploadSize(u.ID); size > 0 {
		answer.Header.Set("Range", fmt.Sprintf("bytes=0-%d", size-1))
	}
	return answer
}

// finishUpload creates the video of a complete upload.
func (s *Sim) finishUpload(q *sim.Request, u *session) (any, error) {
	media, err := s.kit.FinishUpload(u.ID)
	if err != nil {
		return nil, err
	}
	u.Post = rand.Text()[:11]
	c, now := s.channels.Get(u.Channel), s.kit.Now()
	extra := u.Video.toExtra()
	extra["outcome"] = s.processingOutcome(c, media)
	if s.kit.Option(OptForcePrivate) == "on" {
		extra["privacyStatus"] = "private"
	}
	err = s.kit.Posts.Put(sim.Post{
		Network: Name, Account: c.ID, AccountName: c.Title, ID: u.Post, URL: "https://" + site + "/watch?v=" + u.Post,
		Text: u.Video.Snippet.Description, Media: []sim.Media{media}, CreatedAt: now, Extra: extra,
		ArrivedAt: s.kit.ArrivalTime(q.R), FirstCallAt: u.CreatedAt, FirstPublishCallAt: u.FirstPublishAt,
		PublishCalls: u.PublishCalls, Draft: extra["outcome"] != processed,
	})
	if err == nil {
		err = s.sessions.Put(u.ID, u)
	}
	if err != nil {
		return nil, err
	}
	return s.finalAnswer(u)
}

func (s *Sim) finalAnswer(u *session) (any, error) {
	p, found := s.kit.Posts.Get(Name, u.Post)
	if !found {
		return nil, newDocumentedError("notFound")
	}
	return sim.Answer{Status: http.StatusCreated, Body: s.videoNode(p)}, nil
}

const processed = "processed"

// allOutcomes returns the possible results of processing: processed, or a status and its reason.
func allOutcomes() []string {
	all := []string{processed}
	for _, reason := range []string{"conversion", "invalidFile", "emptyFile", "tooSmall", "codec", "uploadAborted"} {
		all = append(all, "failed/"+reason)
	}
	for _, reason := range []string{
		"copyright", "inappropriate", "duplicate", "termsOfUse", "uploaderAccountSuspended", "length", "claim",
		"uploaderAccountClosed", "trademark", "legal",
	} {
		all = append(all, "rejected/"+reason)
	}
	return append(all, "deleted/")
}

const (
	longMs    = 12 * 3_600_000
	ordinary  = 15 * 60_000
	shortMs   = 180_000
	squareish = 1.0
)

// processingOutcome returns the result of processing a file.
func (s *Sim) processingOutcome(c *channel, m sim.Media) string {
	switch {
	case s.kit.Option(OptOutcome) != processed:
		return s.kit.Option(OptOutcome)
	case m.Kind != sim.MP4:
		return "failed/invalidFile"
	case m.Ms > longMs || m.Ms > ordinary && s.longUploadsStatus(c) != longAllowed:
		return "rejected/length"
	}
	return processed
}

// checkParts returns an error unless all parts exist and include all sections of the body.
func checkParts(parts []string, body []byte) error {
	known := []string{
		"contentDetails", "fileDetails", "id", "liveStreamingDetails", "localizations", "paidProductPlacementDetails",
		"player", "processingDetails", "recordingDetails", "snippet", "statistics", "status", "suggestions", "topicDetails",
	}
	for _, part := range parts {
		if !slices.Contains(known, part) {
			return &apiError{http.StatusBadRequest, "youtube.part", "unknownPart", "'" + part + "'"}
		}
	}
	var sections map[string]json.RawMessage
	if err := json.Unmarshal(body, &sections); err != nil {
		return badRequest("Invalid JSON payload received")
	}
	for section := range sections {
		if !slices.Contains(parts, section) {
			return &apiError{http.StatusBadRequest, "youtube.part", "unexpectedPart", "'" + section + "'"}
		}
	}
	return nil
}
