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

// Sizes of the parts of an upload. All but the last are multiples of the unit. The last part, which publishes, is at
// most one unit.
const (
	unit       = 256 << 10
	firstChunk = 8 << 20 // must be sent within half a lease
)

// uploadHandle is the handle of a post: a resumable upload.
type uploadHandle struct {
	Address string `json:"uri"` // anyone who has it can send bytes to the upload
	Size    int64  `json:"size"`
	Chunk   int64  `json:"chunk"`
	// Tail is the offset of the bytes that are held back until the video is published; 0 while others are missing.
	Tail int64 `json:"tail,omitempty"`
}

// encode returns the handle as text.
func (u uploadHandle) encode() string {
	raw, err := json.Marshal(u)
	if err != nil {
		return ""
	}
	return string(raw)
}

func decodeHandle(handle string) (u uploadHandle, err error) {
	if json.Unmarshal([]byte(handle), &u) != nil || !isUploadURL(u.Address) || u.Size < 1 {
		err = &network.Error{Kind: network.Unknown, Message: "Belfry cannot read its record of the upload."}
	}
	return u, err
}

// isUploadURL reports whether an address in a response is an upload address at Google.
func isUploadURL(address string) bool {
	u, err := url.Parse(address)
	return err == nil && network.URLIfOnDomains(address, "googleapis.com") != "" && u.Query().Get("upload_id") != ""
}

// nextPartSizeBeforeTail returns how many bytes to send next; 0 if only the tail is missing.
func (u uploadHandle) nextPartSizeBeforeTail(offset int64) int64 {
	return min(u.Chunk, (u.Size-offset-1)/unit*unit)
}

// startUpload starts an upload with the metadata of its video. Nothing appears on the channel until the last byte has
// arrived.
func (n *Network) startUpload(ctx context.Context, it network.Item, s Settings) (uploadHandle, error) {
	file, err := requireVideoFile(it)
	if err != nil {
		return uploadHandle{}, err
	}
	video := newVideoResource(it, s)
	query := url.Values{"uploadType": {"resumable"}, "part": {video.joinSectionNames()}}
	if s.NotifySubscribers != nil && !*s.NotifySubscribers {
		query.Set("notifySubscribers", "false")
	}
	resp, err := n.sendRequest(ctx, network.Request{
		Method: http.MethodPost, URL: uploadBase + "/videos", Query: query, JSON: video, Token: it.Token.Access,
		Header: http.Header{
			"X-Upload-Content-Length": {strconv.FormatInt(file.Bytes, 10)}, "X-Upload-Content-Type": {file.Mime},
		},
		CompleteWithoutJSON: []int{http.StatusOK},
	})
	if err != nil {
		return uploadHandle{}, err
	}
	u := uploadHandle{Address: resp.Header.Get("Location"), Size: file.Bytes, Chunk: firstChunk}
	if !isUploadURL(u.Address) {
		return uploadHandle{}, resp.AttachRedactedTo(
			network.Error{Kind: network.Unknown, Message: "YouTube did not return an upload address."},
		)
	}
	return u, nil
}

// uploadProgress is the progress of an upload: how many bytes have arrived, or the video once all have.
type uploadProgress struct {
	Offset int64
	Video  *videoNode
}

// fetchProgress queries the progress of the upload.
func (n *Network) fetchProgress(ctx context.Context, it network.Item, u uploadHandle) (uploadProgress, error) {
	return n.sendBytesOrQueryProgress(ctx, it, u, fmt.Sprintf("bytes */%d", u.Size), nil)
}

// sendPart sends size bytes of the file, starting at from, to the upload.
func (n *Network) sendPart(
	ctx context.Context,
	it network.Item,
	u uploadHandle,
	from, size int64,
) (uploadProgress, error) {
	file, err := requireVideoFile(it)
	switch {
	case err != nil:
		return uploadProgress{}, err
	case file.Bytes != u.Size:
		return uploadProgress{}, &network.Error{
			Kind: network.Rejected, Message: "The video has changed since its upload began.",
		}
	}
	contentRange := fmt.Sprintf("bytes %d-%d/%d", from, from+size-1, u.Size)
	return n.sendBytesOrQueryProgress(ctx, it, u, contentRange, file.PartBody(from, size))
}

var (
	stored   = regexp.MustCompile(`^bytes=0-([0-9]{1,18})$`)
	videoIDs = regexp.MustCompile(`^[A-Za-z0-9_-]{6,64}$`)
)

// sendBytesOrQueryProgress makes a call to the upload: it sends bytes or, without a body, queries the progress.
func (n *Network) sendBytesOrQueryProgress(
	ctx context.Context, it network.Item, u uploadHandle, contentRange string, body *network.Body,
) (uploadProgress, error) {
	address, err := url.Parse(u.Address)
	if err != nil {
		return uploadProgress{}, err
	}
	resp, err := n.sendRequest(ctx, network.Request{
		Method: http.MethodPut, URL: u.Address, Body: body, Token: it.Token.Access,
		Header:              http.Header{"Content-Range": {contentRange}},
		Secrets:             []network.Secret{network.Secret(address.Query().Get("upload_id"))},
		CompleteWithoutJSON: []int{http.StatusPermanentRedirect},
	})
	if err != nil {
		return uploadProgress{}, err
	}
	var p uploadProgress
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
	return uploadProgress{}, resp.AttachRedactedTo(
		network.Error{Kind: network.Unknown, Message: "YouTube responded in an unexpected way."},
	)
}

// isUploadGone reports whether an error means that the upload no longer exists.
func isUploadGone(err error) bool {
	e, ok := errors.AsType[*network.Error](err)
	return ok && (e.Status == http.StatusNotFound || e.Status == http.StatusGone) && e.Kind == network.Rejected
}

// isUnknownOrTransient reports whether a repeated call with fewer bytes may succeed.
func isUnknownOrTransient(err error) bool {
	e, ok := errors.AsType[*network.Error](err)
	return ok && (e.Kind == network.Unknown || e.Kind == network.Transient)
}

func watchURL(id string) string {
	return "https://www.youtube.com/watch?v=" + url.QueryEscape(strings.TrimSpace(id))
}
