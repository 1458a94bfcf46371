package intake

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"belfry/internal/blob"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/secret"
	"belfry/internal/store"
)

// Purposes of signed addresses. Each has its own key, so that an address for one purpose is not valid for another.
const (
	purposeUpload    = "media/upload"
	purposeFile      = "media/file"
	purposeThumbnail = "media/thumbnail"
	PurposeSource    = "media/source" // seals the address from which a file is downloaded
)

// addressTime is the minimum time for which an address is valid. All addresses of a file that are signed within this
// time are the same, so browsers and proxies can cache the file.
const addressTime = 24 * time.Hour

// thumbnailName is the last part of every thumbnail's address.
const thumbnailName = "thumbnail.jpg"

// gateWait is how long a request for a file waits for its gate to open, and gatePoll is how often the gate is checked.
const (
	gateWait = 15 * time.Second
	gatePoll = 100 * time.Millisecond
)

// FileURL returns a signed address of a file's bytes. A request to it waits until the gate is open; "" means no gate.
func (s *Service) FileURL(ws core.WorkspaceID, m store.Media, gate string) string {
	return s.signURL(purposeFile, ws, m.ID, gate, "file"+extensions[m.Mime])
}

// ThumbnailURL returns a signed address of a file's thumbnail.
func (s *Service) ThumbnailURL(ws core.WorkspaceID, m store.Media) string {
	return s.signURL(purposeThumbnail, ws, m.ID, "", thumbnailName)
}

// signURL returns a signed address of a file, whose path ends with name. A token that is signed for one purpose is not
// valid for another. For gate, see FileURL.
func (s *Service) signURL(purpose string, ws core.WorkspaceID, id core.MediaID, gate, name string) string {
	until := s.cfg.Now().Truncate(addressTime).Add(2 * addressTime)
	return s.cfg.MediaURL + contract.FilePath + s.signToken(purpose, ws, id, gate, until) + "/" + name
}

func (s *Service) signToken(purpose string, ws core.WorkspaceID, id core.MediaID, gate string, until time.Time) string {
	return s.cfg.Ring.Sign(purpose, []byte(strings.TrimSpace(ws.String()+" "+id.String()+" "+gate)), until)
}

// verifyToken returns the file for which a token was signed, its gate, and the data of its workspace. The token is the
// only credential. The errors are secret.ErrSigned and secret.ErrExpired.
func (s *Service) verifyToken(purpose, token string) (t store.Tenant, id core.MediaID, gate string, err error) {
	payload, err := s.cfg.Ring.Verify(purpose, token, s.cfg.Now())
	if err != nil {
		return t, id, "", err
	}
	workspace, rest, _ := strings.Cut(string(payload), " ")
	media, gate, _ := strings.Cut(rest, " ")
	ws, err := core.ParseID[core.WorkspaceKind](workspace)
	if err != nil {
		return t, id, "", err
	}
	id, err = core.ParseID[core.MediaKind](media)
	return s.tenant(ws), id, gate, err
}

// waitForGate waits until the gate is open. After gateWait, it returns not_found, so that the network that requests the
// file rejects the post.
func (s *Service) waitForGate(ctx context.Context, t store.Tenant, gate string) error {
	ctx, cancel := context.WithTimeout(ctx, gateWait)
	defer cancel()
	for {
		open, err := t.IsGateOpen(ctx, gate)
		switch {
		case ctx.Err() != nil:
			return core.NotFound().WithCause(ctx.Err())
		case err != nil || open:
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(gatePoll):
		}
	}
}

// extensions are the file name extensions of the accepted formats; some networks require them.
var extensions = map[string]string{
	"image/jpeg": ".jpg", "image/png": ".png", "image/webp": ".webp", "image/gif": ".gif",
	"video/mp4": ".mp4", "video/quicktime": ".mov",
}

// File is an open file to serve. The caller closes Content.
type File struct {
	Content  io.ReadSeekCloser
	Name     string
	Mime     string
	Tag      string // identifies the bytes, for an ETag
	Modified time.Time
}

// OpenFile opens the file or thumbnail of a signed address. It returns not_found if the address was not signed by this
// service or has expired, if its gate does not open in time, or if the bytes have been deleted.
func (s *Service) OpenFile(ctx context.Context, token string) (File, error) {
	t, id, gate, err := s.verifyToken(purposeFile, token)
	thumbnail := errors.Is(err, secret.ErrSigned)
	if thumbnail {
		t, id, gate, err = s.verifyToken(purposeThumbnail, token)
	}
	if errors.Is(err, secret.ErrSigned) || errors.Is(err, secret.ErrExpired) {
		return File{}, core.NotFound()
	}
	if err != nil {
		return File{}, err
	}
	if gate != "" {
		if err := s.waitForGate(ctx, t, gate); err != nil {
			return File{}, err
		}
	}
	m, err := t.Media(ctx, id)
	if err != nil {
		return File{}, err
	}
	f, key := File{Name: m.Name, Mime: m.Mime, Modified: m.CreatedAt}, m.Blob
	if thumbnail {
		f.Name, f.Mime, key = thumbnailName, "image/jpeg", m.Thumbnail
	}
	if key == "" || m.Status != core.MediaReady { // bytes are never served before they were examined
		return File{}, core.NotFound()
	}
	object, err := s.cfg.Blobs.Open(ctx, key)
	if errors.Is(err, blob.ErrNotFound) { // deleted after the row was read
		return File{}, core.NotFound().WithCause(err)
	}
	if err != nil {
		return File{}, fmt.Errorf("open media %s: %w", id, err)
	}
	f.Content, f.Tag = object, key[len(key)-16:]
	return f, nil
}
