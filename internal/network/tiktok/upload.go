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
	// partSize is about how large the parts of a video are. TikTok takes 5 to 64 MB, and the last one may be larger.
	// Half a lease must be enough for one.
	partSize = 5_000_000
	// addressLife is how long TikTok takes parts.
	addressLife = time.Hour
	// lateParts is how much earlier a new part is not begun, and how much later none can arrive any more.
	lateParts = 2 * time.Minute
)

// postHandle is a post that TikTok has begun. It is stored encrypted, since whoever has the address of an upload may
// send bytes to it.
type postHandle struct {
	Task string `json:"task"` // publish_id
	// The rest is of a video.
	Address string    `json:"address"`
	Size    int64     `json:"size"`
	Part    int64     `json:"part"`   // size of each part but the last
	Offset  int64     `json:"offset"` // of the next part, as far as the handle knows
	Until   time.Time `json:"until"`  // when TikTok takes no more parts
}

func (h postHandle) encode() string {
	text, err := json.Marshal(h)
	if err != nil {
		return "" // it holds nothing that cannot be written
	}
	return string(text)
}

func decodeHandle(text string) (h postHandle, err error) {
	if err := json.Unmarshal([]byte(text), &h); err != nil {
		return h, fmt.Errorf("read the handle of an upload to tiktok: %w", err)
	}
	return h, nil
}

// isPhotos tells whether TikTok fetches the files.
func (h postHandle) isPhotos() bool { return h.Size == 0 }

// countParts is how many parts there are.
func (h postHandle) countParts() int64 { return h.Size / h.Part }

// lastPartOffset is where the last part begins, which takes the remainder too.
func (h postHandle) lastPartOffset() int64 { return (h.countParts() - 1) * h.Part }

// isExpired tells whether it is too late to begin a part.
func (h postHandle) isExpired(now time.Time) bool { return !now.Before(h.Until.Add(-lateParts)) }

// newVideoHandle divides a file into parts of about the same size. A file below twice that size is one part.
func newVideoHandle(size int64) postHandle {
	count := max(size/partSize, 1)
	return postHandle{Size: size, Part: size / count}
}

// startUpload makes the upload of a video, of which nothing is visible before its last part.
func (n *Network) startUpload(ctx context.Context, it network.Item, info postInfo) (string, error) {
	h := newVideoHandle(it.Files[0].Bytes)
	body := map[string]any{
		"post_info": info,
		"source_info": map[string]any{
			"source": "FILE_UPLOAD", "video_size": h.Size, "chunk_size": h.Part, "total_chunk_count": h.countParts(),
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

// sendPart sends the part that begins at an offset. The address is its credential.
func (n *Network) sendPart(
	ctx context.Context,
	it network.Item,
	h postHandle,
	offset int64,
) (*network.Response, error) {
	size := h.Part
	if offset == h.lastPartOffset() {
		size = h.Size - offset
	}
	secrets := []network.Secret{network.Secret(h.Address)}
	if u, err := url.Parse(h.Address); err == nil {
		for _, values := range u.Query() {
			secrets = append(secrets, network.Secret(values[0]))
		}
	}
	resp, err := n.env.Client.Do(ctx, network.Request{
		Method: http.MethodPut, URL: h.Address, Body: it.Files[0].PartBody(offset, size), Secrets: secrets,
		Header:   http.Header{"Content-Range": {fmt.Sprintf("bytes %d-%d/%d", offset, offset+size-1, h.Size)}},
		Complete: []int{http.StatusCreated, http.StatusPartialContent},
	})
	switch {
	case err != nil:
		return nil, err
	case resp.Status == http.StatusTooManyRequests:
		return nil, n.newAPIError(resp, apiFault{Message: "TikTok's upload server temporarily takes no more parts."})
	case resp.Status != http.StatusCreated && resp.Status != http.StatusPartialContent:
		return nil, resp.CompleteError(network.Error{
			Kind: network.Unknown, Message: fmt.Sprintf("TikTok did not take a part of the video (status %d).", resp.Status),
		})
	}
	return resp, nil
}
