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

// sessionHandle is the prefix of the handle of a Page video until all its bytes are sent.
const sessionHandle = "session:"

// uploadSession is an upload of a Page video. Facebook determines which bytes come next.
type uploadSession struct {
	ID     meta.ID   `json:"video_id"`
	Upload string    `json:"upload_session_id"`
	Range  byteRange `json:"range"`
}

// byteRange is the range from Start up to, but not including, End. Facebook writes the numbers as strings. Both equal
// the file's size once all bytes have arrived.
type byteRange struct {
	Start int64 `json:"start_offset,string"`
	End   int64 `json:"end_offset,string"`
}

func (r byteRange) isWithin(size int64) bool {
	return r.Start >= 0 && r.Start <= r.End && r.End <= size
}

func (s uploadSession) encodeHandle() string {
	text, err := json.Marshal(s)
	if err != nil {
		return "" // cannot happen: every field can be encoded
	}
	return sessionHandle + string(text)
}

// decodeSessionHandle returns the session in a handle; ok is false if the handle has none.
func decodeSessionHandle(handle string) (s uploadSession, ok bool) {
	text, ok := strings.CutPrefix(handle, sessionHandle)
	return s, ok && json.Unmarshal([]byte(text), &s) == nil
}

func (n *Network) startUploadSession(ctx context.Context, it network.Item) (handle string, err error) {
	size := it.Files[0].Bytes
	var out struct {
		uploadSession
		byteRange
	}
	form := url.Values{"upload_phase": {"start"}, "file_size": {strconv.FormatInt(size, 10)}}
	if err := n.postToEdge(ctx, it, "videos", form, &out); err != nil {
		return "", err
	}
	if out.Range = out.byteRange; out.ID == "" || out.Upload == "" || !out.isWithin(size) {
		return "", &network.Error{Kind: network.Unknown, Message: "Facebook did not begin the upload."}
	}
	return out.encodeHandle(), nil
}

// continueUploadSession sends the next range of bytes, or completes the upload if none are left. A lost response is
// not an error, because Facebook reports how many bytes have arrived.
func (n *Network) continueUploadSession(ctx context.Context, it network.Item, s uploadSession) (network.Status, error) {
	if len(it.Files) == 0 {
		return network.Status{}, newNoFileError()
	}
	if s.Range.Start == s.Range.End {
		return n.finishUploadAsUnpublishedVideo(ctx, it, s)
	}
	form := url.Values{
		"upload_phase": {"transfer"}, "upload_session_id": {s.Upload}, "start_offset": {strconv.FormatInt(s.Range.Start, 10)},
	}
	var next byteRange
	size := it.Files[0].Bytes
	err := n.postFileToEdge(ctx, it, "videos", form, meta.FilePart{
		Field: "video_file_chunk", File: it.Files[0], From: s.Range.Start, Size: s.Range.End - s.Range.Start,
	}, &next)
	if err == nil && next.Start > s.Range.Start && next.isWithin(size) {
		s.Range = next
		return network.Status{Verdict: core.Progress, Handle: s.encodeHandle()}, nil
	}
	if e, ok := errors.AsType[*network.Error](err); err != nil && !isRejectedOrTransient(err) &&
		(!ok || e.Kind != network.Unknown) {
		return network.Status{}, err
	}
	v, askErr := n.fetchVideo(ctx, it, string(s.ID))
	arrived := v.Status.Uploading.Bytes
	switch {
	case askErr != nil:
		return n.pendingOrDeadIfMissing(it, askErr)
	case v.hasFailed():
		return v.pendingOrFailed(it)
	case (arrived <= s.Range.Start || arrived > size) && isRejectedOrTransient(err):
		return network.Status{}, err
	case arrived <= s.Range.Start || arrived > size:
		return network.Status{Verdict: core.Pending}, nil
	}
	s.Range = byteRange{arrived, min(arrived+s.Range.End-s.Range.Start, size)}
	return network.Status{Verdict: core.Progress, Handle: s.encodeHandle()}, nil
}

// finishUploadAsUnpublishedVideo turns the uploaded bytes into an unpublished video. If an earlier response was lost,
// Facebook refuses the repeated call but returns the video.
func (n *Network) finishUploadAsUnpublishedVideo(
	ctx context.Context, it network.Item, s uploadSession,
) (network.Status, error) {
	form := newUnpublishedVideoForm(it)
	form.Set("upload_phase", "finish")
	form.Set("upload_session_id", s.Upload)
	err := n.postToEdge(ctx, it, "videos", form, &successResponse{})
	if isRejectedOrTransient(err) {
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

// isRejectedOrTransient reports whether an error shows that Facebook refused the request itself.
func isRejectedOrTransient(err error) bool {
	e, ok := errors.AsType[*network.Error](err)
	return ok && (e.Kind == network.Rejected || e.Kind == network.Transient)
}
