package facebooksim

import (
	"errors"
	"strconv"

	"belfry/internal/network/meta/metasim"
	"belfry/internal/network/sim"
)

// sessionPart is how many bytes a session accepts at a time.
const sessionPart = 1 << 20

// sessionRouteOrZero returns the route of a phase of a Page video's upload, or the zero value if there is no such
// phase.
func (s *Sim) sessionRouteOrZero(phase string) sim.Route {
	words := sim.JoinParams("description")
	return map[string]sim.Route{
		"start": {
			Names: []string{callCreate}, Text: words, Params: []string{"upload_phase", "file_size"}, Serve: s.startSession,
		},
		"transfer": {
			Names: []string{callUpload}, Text: words, Params: []string{"upload_phase", "upload_session_id", "start_offset"},
			Serve: s.receivePart,
		},
		"finish": {
			Names: []string{callFinish}, Text: words, Serve: s.finishSession,
			Params: []string{"upload_phase", "upload_session_id", "title", "description", "published"},
		},
	}[phase]
}

func (s *Sim) startSession(q *sim.Request) (any, error) {
	size, err := strconv.ParseInt(q.Params.Get("file_size"), 10, 64)
	if err != nil || size < 1 {
		return nil, metasim.Bad("Param file_size must be a number of bytes")
	}
	v := &video{Edge: edgeVideos, Size: size}
	if err := s.addVideo(q, v); err != nil {
		return nil, err
	}
	body := v.nextRange(0)
	body["video_id"], body["upload_session_id"] = v.ID, v.sessionID()
	return body, nil
}

func (v *video) sessionID() string { return "1" + v.ID }

// nextRange returns the range of bytes that must be sent next.
func (v *video) nextRange(arrived int64) map[string]any {
	return map[string]any{
		"start_offset": strconv.FormatInt(arrived, 10),
		"end_offset":   strconv.FormatInt(min(arrived+sessionPart, v.Size), 10),
	}
}

// findOpenSession returns the video of a session that is not finished, or the network's refusal.
func (s *Sim) findOpenSession(q *sim.Request) (*video, error) {
	for v := range s.videos.All() {
		if v.Size > 0 && v.Page == q.Account && v.sessionID() == q.Params.Get("upload_session_id") && v.Fetched == nil {
			return v, nil
		}
	}
	return nil, &metasim.Error{Code: 6001, Message: "(#6001) There is no open upload session with this id"}
}

// receivePart receives exactly the bytes that nextRange returned.
func (s *Sim) receivePart(q *sim.Request) (any, error) {
	v, err := s.findOpenSession(q)
	if err != nil {
		return nil, err
	}
	file, size, err := sim.OpenFormFile(q.R)
	if err != nil || file == nil {
		return nil, metasim.Bad("The file video_file_chunk is required")
	}
	defer file.Close()
	offset, err := strconv.ParseInt(q.Params.Get("start_offset"), 10, 64)
	if err != nil || size != min(sessionPart, v.Size-offset) {
		return nil, metasim.Bad("Param video_file_chunk must contain the bytes from start_offset to end_offset")
	}
	arrived, err := s.kit.AppendUpload(v.ID, offset, file)
	if errors.Is(err, sim.ErrOffset) {
		return nil, &metasim.Error{Code: 6001, Message: "(#6001) The next offset is " + strconv.FormatInt(arrived, 10)}
	}
	return v.nextRange(arrived), err
}

// finishSession creates an unpublished video from the bytes.
func (s *Sim) finishSession(q *sim.Request) (any, error) {
	v, err := s.findOpenSession(q)
	if err != nil {
		return nil, err
	}
	title, description := q.Params.Get("title"), q.Params.Get("description")
	if err := errors.Join(checkTexts(title, description), checkUploadDoesNotPublish(q)); err != nil {
		return nil, err
	}
	if arrived := s.kit.UploadSize(v.ID); arrived != v.Size {
		return nil, &metasim.Error{Code: 6000, Message: "(#6000) There was a problem uploading the video: bytes are missing"}
	}
	media, err := s.kit.FinishUpload(v.ID)
	if err != nil {
		return nil, err
	}
	v.Title, v.Description = title, description
	return map[string]any{"success": true}, s.storeFileOrFailure(v, media, nil)
}
