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
	PurposeSource    = "media/source" // seals where a file is fetched from
)

// addressTime is the minimum time for which an address is valid. All addresses of a file signed within this time are
// the same, so that browsers and proxies can cache them.
const addressTime = 24 * time.Hour

// thumbnailName is the last part of every thumbnail's address.
const thumbnailName = "thumbnail.jpg"

// FileURL returns a signed address for a file's bytes.
func (s *Service) FileURL(ws core.WorkspaceID, m store.Media) string {
	return s.signedURL(purposeFile, ws, m.ID, "file"+extensions[m.Mime])
}

// ThumbnailURL returns a signed address for a file's thumbnail.
func (s *Service) ThumbnailURL(ws core.WorkspaceID, m store.Media) string {
	return s.signedURL(purposeThumbnail, ws, m.ID, thumbnailName)
}

func (s *Service) signedURL(purpose string, ws core.WorkspaceID, id core.MediaID, name string) string {
	until := s.cfg.Now().Truncate(addressTime).Add(2 * addressTime)
	return s.cfg.MediaURL + contract.FilePath + s.signToken(purpose, ws, id, until) + "/" + name
}

func (s *Service) signToken(purpose string, ws core.WorkspaceID, id core.MediaID, until time.Time) string {
	return s.cfg.Ring.Sign(purpose, []byte(ws.String()+" "+id.String()), until)
}

// verifyToken returns the file that a token was signed for. The token is the credential: the errors are
// secret.ErrSigned and secret.ErrExpired.
func (s *Service) verifyToken(purpose, token string) (store.Tenant, core.MediaID, error) {
	payload, err := s.cfg.Ring.Verify(purpose, token, s.cfg.Now())
	if err != nil {
		return store.Tenant{}, core.MediaID{}, err
	}
	workspace, media, _ := strings.Cut(string(payload), " ")
	ws, err := core.ParseID[core.WorkspaceKind](workspace)
	if err != nil {
		return store.Tenant{}, core.MediaID{}, err
	}
	id, err := core.ParseID[core.MediaKind](media)
	if err != nil {
		return store.Tenant{}, core.MediaID{}, err
	}
	return s.tenant(ws), id, nil
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
	Tag      string // differs for different bytes
	Modified time.Time
}

// OpenFile opens the file or thumbnail of a signed address. It returns not_found if the address has not been signed
// by this service or has expired, or if the bytes have been deleted.
func (s *Service) OpenFile(ctx context.Context, token string) (File, error) {
	t, id, err := s.verifyToken(purposeFile, token)
	thumbnail := errors.Is(err, secret.ErrSigned)
	if thumbnail {
		t, id, err = s.verifyToken(purposeThumbnail, token)
	}
	if errors.Is(err, secret.ErrSigned) || errors.Is(err, secret.ErrExpired) {
		return File{}, core.NotFound()
	}
	if err != nil {
		return File{}, err
	}
	m, err := t.Media(ctx, id)
	if err != nil {
		return File{}, err
	}
	f, key := File{Name: m.Name, Mime: m.Mime, Modified: m.CreatedAt}, m.Blob
	if thumbnail {
		f.Name, f.Mime, key = thumbnailName, "image/jpeg", m.Thumbnail
	}
	if key == "" || m.Status != core.MediaReady { // bytes that were not examined are never served
		return File{}, core.NotFound()
	}
	object, err := s.cfg.Blobs.Open(ctx, key)
	if errors.Is(err, blob.ErrNotFound) { // deleted since the row was read
		return File{}, core.NotFound().Because(err)
	}
	if err != nil {
		return File{}, fmt.Errorf("open media %s: %w", id, err)
	}
	f.Content, f.Tag = object, key[len(key)-16:]
	return f, nil
}
