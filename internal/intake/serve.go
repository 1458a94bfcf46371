package intake

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"belfry/internal/blob"
	"belfry/internal/core"
	"belfry/internal/secret"
)

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
