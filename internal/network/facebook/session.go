package facebook

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strconv"
	"strings"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/meta"
)

// sessionHandle begins the handle of a Page video whose bytes are still to be sent.
const sessionHandle = "session:"

// session is an upload of a Page video. Facebook says which bytes it wants next.
type session struct {
	ID     meta.ID   `json:"video_id"`
	Upload string    `json:"upload_session_id"`
	Range  byteRange `json:"range"`
}

// byteRange is the bytes from Start to before End, as numbers that Facebook writes as texts. Both are the size of the
// file once all bytes have arrived.
type byteRange struct {
	Start int64 `json:"start_offset,string"`
	End   int64 `json:"end_offset,string"`
}

func (r byteRange) isWithin(size int64) bool {
	return r.Start >= 0 && r.Start <= r.End && r.End <= size
}

func (s session) encodeHandle() string {
	text, err := json.Marshal(s)
	if err != nil {
		return "" // it holds nothing that cannot be written
	}
	return sessionHandle + string(text)
}

// decodeSessionHandle returns the session of a handle; ok tells whether the handle is one.
func decodeSessionHandle(handle string) (s session, ok bool) {
	text, ok := strings.CutPrefix(handle, sessionHandle)
	return s, ok && json.Unmarshal([]byte(text), &s) == nil
}

func (n *Network) startUploadSession(ctx context.Context, it network.Item) (string, error) {
	size := it.Files[0].Bytes
	var out struct {
		session
		byteRange
	}
	form := url.Values{"upload_phase": {"start"}, "file_size": {strconv.FormatInt(size, 10)}}
	if err := n.postToEdge(ctx, it, "/videos", form, &out); err != nil {
		return "", err
	}
	if out.Range = out.byteRange; out.ID == "" || out.Upload == "" || !out.isWithin(size) {
		return "", &network.Error{Kind: network.Unknown, Message: "Facebook did not begin the upload."}
	}
	return out.encodeHandle(), nil
}

// continueUploadSession sends the bytes that Facebook wants next, and completes the upload when it wants none. A lost
// call is no error: Facebook tells how many bytes have arrived.
func (n *Network) continueUploadSession(ctx context.Context, it network.Item, s session) (network.Status, error) {
	if len(it.Files) == 0 {
		return network.Status{}, newNoFileError()
	}
	if s.Range.Start == s.Range.End {
		return n.finishUploadSession(ctx, it, s)
	}
	form := url.Values{
		"upload_phase": {"transfer"}, "upload_session_id": {s.Upload}, "start_offset": {strconv.FormatInt(s.Range.Start, 10)},
	}
	var next byteRange
	size := it.Files[0].Bytes
	err := n.postFileToEdge(ctx, it, "/videos", form, meta.FilePart{
		Field: "video_file_chunk", File: it.Files[0], From: s.Range.Start, Size: s.Range.End - s.Range.Start,
	}, &next)
	if err == nil && next.Start > s.Range.Start && next.isWithin(size) {
		s.Range = next
		return network.Status{Verdict: core.Progress, Handle: s.encodeHandle()}, nil
	}
	if e, ok := errors.AsType[*network.Error](err); err != nil && !isRefusal(err) && (!ok || e.Kind != network.Unknown) {
		return network.Status{}, err
	}
	v, askErr := n.fetchVideo(ctx, it, string(s.ID))
	arrived := v.Status.Uploading.Bytes
	switch {
	case askErr != nil:
		return n.statusIfMissing(it, askErr)
	case v.hasFailed():
		return v.pendingOrFailed(it)
	case (arrived <= s.Range.Start || arrived > size) && isRefusal(err):
		return network.Status{}, err
	case arrived <= s.Range.Start || arrived > size:
		return network.Status{Verdict: core.Pending}, nil
	}
	s.Range = byteRange{arrived, min(arrived+s.Range.End-s.Range.Start, size)}
	return network.Status{Verdict: core.Progress, Handle: s.encodeHandle()}, nil
}

// finishUploadSession makes the bytes a video that nobody sees yet. If the response was lost, Facebook refuses the
// second call and shows the video.
func (n *Network) finishUploadSession(ctx context.Context, it network.Item, s session) (network.Status, error) {
	form := unpublishedVideoForm(it)
	form.Set("upload_phase", "finish")
	form.Set("upload_session_id", s.Upload)
	err := n.postToEdge(ctx, it, "/videos", form, &successResponse{})
	if isRefusal(err) {
		v, askErr := n.fetchVideo(ctx, it, string(s.ID))
		if askErr == nil && v.Status.Uploading.isComplete() {
			err = nil
		}
	}
	if err != nil {
		return network.Status{}, err
	}
	return network.Status{Verdict: core.Pending, Handle: string(s.ID)}, nil
}

// isRefusal tells whether Facebook has refused the request itself.
func isRefusal(err error) bool {
	e, ok := errors.AsType[*network.Error](err)
	return ok && (e.Kind == network.Rejected || e.Kind == network.Transient)
}
