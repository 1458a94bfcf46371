package youtube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"belfry/internal/network"
)

// Sizes of parts of an upload. All but the last are multiples of the unit; the last, which publishes, is at most one.
const (
	unit       = 256 << 10
	firstChunk = 8 << 20 // must be sent within half a lease
)

// upload is the handle of a post: a resumable upload.
type upload struct {
	Address string `json:"uri"` // whoever has it can send bytes to the upload
	Size    int64  `json:"size"`
	Chunk   int64  `json:"chunk"`
	// Tail is where the bytes begin that are held back until the video is published; 0 as long as others are missing.
	Tail int64 `json:"tail,omitempty"`
}

// encodeHandle writes the upload as the handle of its post.
func (u upload) encodeHandle() string {
	raw, err := json.Marshal(u)
	if err != nil {
		return ""
	}
	return string(raw)
}

func parseHandle(handle string) (u upload, err error) {
	if json.Unmarshal([]byte(handle), &u) != nil || !isUploadAddress(u.Address) || u.Size < 1 {
		err = &network.Error{Kind: network.Unknown, Message: "The handle of the upload cannot be read."}
	}
	return u, err
}

// isUploadAddress tells whether bytes may be sent to an address that an answer named.
func isUploadAddress(address string) bool {
	u, err := url.Parse(address)
	return err == nil && network.URLOnHosts(address, "googleapis.com") != "" && u.Query().Get("upload_id") != ""
}

// nextChunk is how many bytes to send next; 0 when only the tail is missing.
func (u upload) nextChunk(offset int64) int64 {
	return min(u.Chunk, (u.Size-offset-1)/unit*unit)
}

// startUpload begins an upload with the metadata of its video. Nothing is on the channel until its last byte has
// arrived.
func (n *Network) startUpload(ctx context.Context, it network.Item, s Settings) (upload, error) {
	file, err := videoOf(it)
	if err != nil {
		return upload{}, err
	}
	video := newResource(it, s)
	query := url.Values{"uploadType": {"resumable"}, "part": {video.sectionNames()}}
	if s.NotifySubscribers != nil && !*s.NotifySubscribers {
		query.Set("notifySubscribers", "false")
	}
	resp, err := n.sendRequest(ctx, network.Request{
		Method: http.MethodPost, URL: uploadBase + "/videos", Query: query, JSON: video, Token: it.Token.Access,
		Header: http.Header{
			"X-Upload-Content-Length": {strconv.FormatInt(file.Bytes, 10)}, "X-Upload-Content-Type": {file.Mime},
		},
		Complete: []int{http.StatusOK},
	})
	if err != nil {
		return upload{}, err
	}
	u := upload{Address: resp.Header.Get("Location"), Size: file.Bytes, Chunk: firstChunk}
	if !isUploadAddress(u.Address) {
		return upload{}, resp.Fail(network.Error{Kind: network.Unknown, Message: "YouTube did not return an upload address."})
	}
	return u, nil
}

// progress is what YouTube says of an upload: how many bytes it has, or the video that it has become.
type progress struct {
	Offset int64
	Video  *videoNode
}

// askUpload asks how far the upload is.
func (n *Network) askUpload(ctx context.Context, it network.Item, u upload) (progress, error) {
	return n.putBytes(ctx, it, u, fmt.Sprintf("bytes */%d", u.Size), nil)
}

// sendPart sends bytes of the file to the upload.
func (n *Network) sendPart(ctx context.Context, it network.Item, u upload, from, size int64) (progress, error) {
	file, err := videoOf(it)
	switch {
	case err != nil:
		return progress{}, err
	case file.Bytes != u.Size:
		return progress{}, &network.Error{Kind: network.Rejected, Message: "The video has changed since its upload began."}
	}
	return n.putBytes(ctx, it, u, fmt.Sprintf("bytes %d-%d/%d", from, from+size-1, u.Size), file.Part(from, size))
}

var (
	stored   = regexp.MustCompile(`^bytes=0-([0-9]{1,18})$`)
	videoIDs = regexp.MustCompile(`^[A-Za-z0-9_-]{6,64}$`)
)

// putBytes makes a call to the upload: it sends bytes, or asks how far the upload is.
func (n *Network) putBytes(
	ctx context.Context, it network.Item, u upload, contentRange string, body *network.Body,
) (progress, error) {
	address, err := url.Parse(u.Address)
	if err != nil {
		return progress{}, err
	}
	resp, err := n.sendRequest(ctx, network.Request{
		Method: http.MethodPut, URL: u.Address, Body: body, Token: it.Token.Access,
		Header:   http.Header{"Content-Range": {contentRange}},
		Secrets:  []network.Secret{network.Secret(address.Query().Get("upload_id"))},
		Complete: []int{http.StatusPermanentRedirect},
	})
	if err != nil {
		return progress{}, err
	}
	var p progress
	if resp.Status == http.StatusPermanentRedirect {
		value := resp.Header.Get("Range")
		if match := stored.FindStringSubmatch(value); match != nil {
			last, err := strconv.ParseInt(match[1], 10, 64)
			p.Offset = last + 1
			if err == nil && p.Offset <= u.Size {
				return p, nil
			}
		} else if value == "" {
			return p, nil
		}
	} else if json.Unmarshal(resp.Body, &p.Video) == nil && p.Video != nil && videoIDs.MatchString(p.Video.ID) {
		return p, nil
	}
	return progress{}, resp.Fail(network.Error{Kind: network.Unknown, Message: "YouTube responded in an unexpected way."})
}

// isGone tells whether an error says that there is no such upload.
func isGone(err error) bool {
	e, ok := errors.AsType[*network.Error](err)
	return ok && (e.Status == http.StatusNotFound || e.Status == http.StatusGone) && e.Kind == network.Rejected
}

// isLost tells whether a call may pass when it is repeated with fewer bytes.
func isLost(err error) bool {
	e, ok := errors.AsType[*network.Error](err)
	return ok && (e.Kind == network.Unknown || e.Kind == network.Transient)
}

func watchURL(id string) string {
	return "https://www.youtube.com/watch?v=" + url.QueryEscape(strings.TrimSpace(id))
}
