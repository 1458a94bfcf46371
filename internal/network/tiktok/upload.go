package tiktok

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"belfry/internal/network"
)

const (
	// partSize is the approximate size of the parts of a video. TikTok accepts 5 to 64 MB, and a larger last part. A
	// part must be sent within half a lease.
	partSize = 5_000_000
	// addressLife is how long TikTok accepts parts.
	addressLife = time.Hour
	// lateParts is the margin around the time at which TikTok stops accepting parts: no part is started within this margin
	// before that time, and none can arrive later than this margin after it.
	lateParts = 2 * time.Minute
)

// postHandle is the handle of a post on TikTok. It is stored encrypted, because anyone who has the address of an upload
// can send bytes to it.
type postHandle struct {
	Task string `json:"task"` // publish_id
	// The other fields are for videos.
	Address string    `json:"address"`
	Size    int64     `json:"size"`
	Part    int64     `json:"part"`   // size of each part except the last
	Offset  int64     `json:"offset"` // of the next part, as last known
	Until   time.Time `json:"until"`  // when TikTok stops accepting parts
}

func (h postHandle) encode() string {
	text, err := json.Marshal(h)
	if err != nil {
		return "" // cannot happen: every field can be encoded
	}
	return string(text)
}

func decodeHandle(handle string) (h postHandle, err error) {
	if err := json.Unmarshal([]byte(handle), &h); err != nil {
		return h, fmt.Errorf("read the handle of a post on TikTok: %w", err)
	}
	return h, nil
}

// isPhotos reports whether the post has photos, which TikTok fetches.
func (h postHandle) isPhotos() bool { return h.Size == 0 }

// countVideoParts returns the number of parts of a video. It panics for photos.
func (h postHandle) countVideoParts() int64 { return h.Size / h.Part }

// lastVideoPartOffset returns the offset of the last part of a video, which includes the remainder. It panics for
// photos.
func (h postHandle) lastVideoPartOffset() int64 { return (h.countVideoParts() - 1) * h.Part }

// isTooLateToSendPart reports whether TikTok has stopped accepting parts, or might while a part is being sent.
func (h postHandle) isTooLateToSendPart(now time.Time) bool {
	return !now.Before(h.Until.Add(-lateParts))
}

// newUnstartedVideoHandle returns a handle that divides a file into parts of at least partSize. A file below twice that
// size is one part.
func newUnstartedVideoHandle(size int64) postHandle {
	count := max(size/partSize, 1)
	return postHandle{Size: size, Part: size / count}
}

// startUpload starts the upload of a video, which nobody can see before its last part is sent, and returns the
// handle.
func (n *Network) startUpload(ctx context.Context, it network.Item, info postInfo) (handle string, err error) {
	h := newUnstartedVideoHandle(it.Files[0].Bytes)
	body := map[string]any{
		"post_info": info,
		"source_info": map[string]any{
			"source": "FILE_UPLOAD", "video_size": h.Size, "chunk_size": h.Part,
			"total_chunk_count": h.countVideoParts(),
		},
	}
	var out struct {
		Task    string `json:"publish_id"`
		Address string `json:"upload_url"`
	}
	begun := n.env.Now()
	if err := n.postJSON(ctx, it.Token.Access, "/v2/post/publish/video/init/", body, &out); err != nil {
		return "", err
	}
	if out.Task == "" || network.URLIfOnDomains(out.Address, "tiktokapis.com", "tiktok.com") == "" {
		return "", &network.Error{Kind: network.Unknown, Message: "TikTok did not return an upload address."}
	}
	h.Task, h.Address, h.Until = out.Task, out.Address, begun.Add(addressLife)
	return h.encode(), nil
}

// sendPart sends the part that starts at an offset. The upload's address is the credential. The status of the response
// is Created once all bytes have arrived, and Partial Content before that.
func (n *Network) sendPart(
	ctx context.Context,
	it network.Item,
	h postHandle,
	offset int64,
) (createdOrPartial *network.Response, _ error) {
	size := h.Part
	if offset == h.lastVideoPartOffset() {
		size = h.Size - offset
	}
	secrets := []network.Secret{network.Secret(h.Address)}
	if u, err := url.Parse(h.Address); err == nil {
		for _, values := range u.Query() {
			secrets = append(secrets, network.Secret(values[0]))
		}
	}
	resp, err := n.env.Client.CallOnce(ctx, network.Request{
		Method: http.MethodPut, URL: h.Address, Body: it.Files[0].PartBody(offset, size), Secrets: secrets,
		Header:              http.Header{"Content-Range": {fmt.Sprintf("bytes %d-%d/%d", offset, offset+size-1, h.Size)}},
		CompleteWithoutJSON: []int{http.StatusCreated, http.StatusPartialContent},
	})
	switch {
	case err != nil:
		return nil, err
	case resp.Status == http.StatusTooManyRequests:
		return nil, n.newAPIError(resp, apiFault{Message: "TikTok's upload server is temporarily refusing further parts of the video."})
	case resp.Status != http.StatusCreated && resp.Status != http.StatusPartialContent:
		return nil, resp.AttachRedactedTo(network.Error{
			Kind: network.Unknown, Message: fmt.Sprintf("TikTok did not accept a part of the video (status %d).", resp.Status),
		})
	}
	return resp, nil
}
