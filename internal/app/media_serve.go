package app

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

// File is a file's content as it is served. Whoever opened it closes it.
type File struct {
	Content  io.ReadSeekCloser
	Name     string
	Mime     string
	Tag      string // another for other bytes
	Modified time.Time
}

// thumbnailMime is the format of every thumbnail.
const thumbnailMime = "image/jpeg"

// OpenFile opens what a signed address speaks for: a file, or its thumbnail. An address that is not ours, one
// that is over, and one whose bytes are gone are not_found.
func (a *App) OpenFile(ctx context.Context, token string) (File, error) {
	t, id, err := a.ofSigned(purposeFile, token)
	thumbnail := errors.Is(err, secret.ErrSigned)
	if thumbnail {
		t, id, err = a.ofSigned(purposeThumbnail, token)
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
		f.Name, f.Mime, key = "thumbnail.jpg", thumbnailMime, m.Thumbnail
	}
	if key == "" || m.Status != core.MediaReady { // bytes that nobody has looked at are served to nobody
		return File{}, core.NotFound()
	}
	object, err := a.cfg.Blobs.Open(ctx, key)
	if errors.Is(err, blob.ErrNotFound) { // deleted this very moment
		return File{}, core.NotFound().Because(err)
	}
	if err != nil {
		return File{}, fmt.Errorf("open media %s: %w", id, err)
	}
	f.Content, f.Tag = object, key[len(key)-16:]
	return f, nil
}
