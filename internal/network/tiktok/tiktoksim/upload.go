package tiktoksim

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"slices"

	"belfry/internal/network/sim"
)

// part is the range of bytes that a call declares.
type part struct{ first, last, total int64 }

// serveUpload receives one part. The bytes of an incomplete part do not count.
func (s *Sim) serveUpload(w http.ResponseWriter, r *http.Request) {
	t := s.taskOfUploadOrNil(r)
	var p part
	_, err := fmt.Sscanf(r.Header.Get("Content-Range"), "bytes %d-%d/%d", &p.first, &p.last, &p.total)
	names := []string{"upload"}
	call := sim.Call{Network: Name, Fault: func(f sim.Fault) sim.Answer {
		return s.withRetryAfter(f, s.scriptedUploadAnswer(f))
	}}
	if t != nil && p.last+1 == t.Source.Size {
		names = []string{"publish", "upload"}
		s.countLastPartAttempt(t, r)
	}
	if call.Names = names; t != nil {
		call.Account, call.Text = t.Account, t.Info.Title
	}
	body, readErr := io.ReadAll(io.LimitReader(r.Body, maxLast+1))
	s.kit.RunCall(w, r, call, func(bool) sim.Answer {
		s.mu.Lock()
		defer s.mu.Unlock()
		if err != nil || readErr != nil {
			return sim.Answer{Status: http.StatusBadRequest, Body: struct{}{}}
		}
		return s.receivePart(t, r, p, body)
	})
}

// taskOfUploadOrNil returns the task to whose address a call was made, or nil if the address is not valid. The caller
// does not hold the lock.
func (s *Sim) taskOfUploadOrNil(r *http.Request) *task {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := r.URL.Query()
	for t := range s.tasks.All() {
		if r.URL.Path == "/video/" && t.UploadID == q.Get("upload_id") && t.Secret == q.Get("upload_token") {
			return t
		}
	}
	return nil
}

// countLastPartAttempt counts a call with the last part when it arrives, whatever its outcome.
func (s *Sim) countLastPartAttempt(t *task, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.Calls++; t.Calls == 1 {
		t.First = s.kit.ArrivalTime(r)
	}
	if t.Post != "" {
		s.kit.Posts.CountPublishCall(Name, t.Post)
	}
}

// scriptedUploadAnswer returns the response for a scripted fault at the upload host, whose errors have their own
// format.
func (s *Sim) scriptedUploadAnswer(f sim.Fault) sim.Answer {
	status := map[string]int{
		sim.RateLimited: http.StatusTooManyRequests, sim.ServerError: http.StatusInternalServerError,
	}[f.Kind]
	d, _ := sim.FindDocumented(s.errors, f)
	return sim.Answer{
		Status: cmp.Or(f.Status, d.Status, status, http.StatusBadRequest),
		Body:   map[string]any{"message": cmp.Or(f.Message, d.Message)},
	}
}

var videoTypes = []string{"video/mp4", "video/quicktime", "video/webm"}

// countUploadedBytes returns how many bytes of a task have arrived.
func (s *Sim) countUploadedBytes(t *task) int64 {
	if !t.DoneAt.IsZero() {
		return t.Source.Size
	}
	return s.kit.UploadSize(t.ID)
}

// receivePart stores a part, and finishes the upload with the last one.
func (s *Sim) receivePart(t *task, r *http.Request, p part, body []byte) sim.Answer {
	refuse := func(status int) sim.Answer { return sim.Answer{Status: status, Body: struct{}{}} }
	switch {
	case t == nil:
		return refuse(http.StatusNotFound)
	case s.kit.Now().Sub(t.MadeAt) >= addressLife:
		return refuse(http.StatusForbidden)
	case r.Method != http.MethodPut, r.Header.Get("Authorization") != "",
		!slices.Contains(videoTypes, r.Header.Get("Content-Type")), r.ContentLength != int64(len(body)),
		p.total != t.Source.Size, p.last-p.first+1 != int64(len(body)):
		return refuse(http.StatusBadRequest)
	case p.first != s.countUploadedBytes(t):
		return refuse(http.StatusRequestedRangeNotSatisfiable)
	}
	wanted := t.Source.Chunk
	if p.first == (t.Source.Count-1)*t.Source.Chunk {
		wanted = t.Source.Size - p.first
	}
	if int64(len(body)) != wanted {
		return refuse(http.StatusBadRequest)
	}
	size, err := s.kit.AppendUpload(t.ID, p.first, bytes.NewReader(body))
	if err != nil {
		return sim.InternalError(err)
	}
	header := http.Header{"Content-Range": {fmt.Sprintf("bytes 0-%d/%d", size-1, t.Source.Size)}}
	if size < t.Source.Size {
		return sim.Answer{Status: http.StatusPartialContent, Header: header, Body: struct{}{}}
	}
	if err := s.finishUpload(t, r); err != nil {
		return sim.InternalError(err)
	}
	return sim.Answer{Status: http.StatusCreated, Header: header, Body: struct{}{}}
}

func (s *Sim) finishUpload(t *task, r *http.Request) error {
	media, err := s.kit.FinishUpload(t.ID)
	if err != nil {
		return err
	}
	t.Files, t.DoneAt, t.LastAt = []sim.Media{media}, s.kit.Now(), s.kit.ArrivalTime(r)
	if err := s.tasks.Put(t.ID, t); err != nil {
		return err
	}
	s.schedulePublishUnlessImmediate(t)
	return s.publishOrFailIfProcessed(t)
}
