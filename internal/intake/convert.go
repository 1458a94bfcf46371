package intake

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"belfry/internal/blob"
	"belfry/internal/core"
	"belfry/internal/media"
	"belfry/internal/store"
)

// OpenBytes opens the bytes of a file or, if jpeg is not nil, the JPEG that is sent in its place. It returns
// blob.ErrNotFound if the file cannot be sent.
func (s *Service) OpenBytes(ctx context.Context, m store.Media, jpeg *core.Conversion) (blob.Object, error) {
	switch {
	case m.Issue() != nil || m.Blob == "":
		return nil, blob.ErrNotFound
	case jpeg == nil:
		return s.cfg.Blobs.Open(ctx, m.Blob)
	}
	key, known := m.Blob+" "+jpeg.String(), &s.cfg.Decoder.converted
	made := known.findJPEG(key)
	if made == nil {
		var err error
		made, err = s.cfg.Decoder.decodeExclusively(ctx, func() ([]byte, error) {
			if made := known.findJPEG(key); made != nil { // another request has made it in the meantime
				return made, nil
			}
			made, err := s.convertFile(ctx, m, *jpeg)
			if err == nil {
				known.keepJPEG(key, made)
			}
			return made, err
		})
		if err != nil {
			return nil, err
		}
	}
	return jpegObject{bytes.NewReader(made)}, nil
}

func (s *Service) convertFile(ctx context.Context, m store.Media, jpeg core.Conversion) ([]byte, error) {
	object, err := s.cfg.Blobs.Open(ctx, m.Blob)
	if err != nil {
		return nil, err
	}
	made, err := media.ConvertToJPEG(ctx, object, object.Size(), jpeg)
	if err = errors.Join(err, object.Close()); err != nil {
		return nil, fmt.Errorf("convert media %s: %w", m.ID, err)
	}
	return made, nil
}

// jpegObject is a converted picture as an object of the storage.
type jpegObject struct{ *bytes.Reader }

// Close does nothing.
func (jpegObject) Close() error { return nil }

// maxConvertedCache is the maximum number of bytes of converted pictures in the cache.
const maxConvertedCache = 16 << 20

// jpegCache holds the latest converted pictures, because networks request each one several times: for its size, for its
// bytes, and again after an error. It is safe for concurrent use.
type jpegCache struct {
	mu   sync.Mutex
	all  []cachedJPEG // the latest is the last
	size int
}

type cachedJPEG struct {
	key  string
	jpeg []byte
}

// findJPEG returns a converted picture, or nil.
func (c *jpegCache) findJPEG(key string) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := slices.IndexFunc(c.all, func(made cachedJPEG) bool { return made.key == key }); i >= 0 {
		return c.all[i].jpeg
	}
	return nil
}

// keepJPEG adds a converted picture, and removes the oldest ones until the rest fits into maxConvertedCache.
func (c *jpegCache) keepJPEG(key string, jpeg []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all, c.size = append(c.all, cachedJPEG{key, jpeg}), c.size+len(jpeg)
	for c.size > maxConvertedCache {
		c.size -= len(c.all[0].jpeg)
		c.all = slices.Delete(c.all, 0, 1)
	}
}
