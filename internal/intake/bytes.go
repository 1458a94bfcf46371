package intake

import (
	"context"
	"crypto/rand"
	"io"
	"strings"
	"time"

	"belfry/internal/blob"
	"belfry/internal/queue"
	"belfry/internal/store"
)

// newBlobKey returns a key under which nothing was ever stored: who lost a lease cannot touch another's bytes.
func newBlobKey() string { return blob.Key("media", strings.ToLower(rand.Text())) }

// enqueueDelete has bytes deleted after the transaction has committed. Empty keys are left out.
func enqueueDelete(ctx context.Context, t store.Tenant, keys ...string) error {
	var job queue.Discard
	for _, key := range keys {
		if key != "" {
			job.Keys = append(job.Keys, key)
		}
	}
	if len(job.Keys) == 0 {
		return nil
	}
	return t.Enqueue(ctx, job, time.Time{})
}

// DeleteBlobs deletes bytes that no file's row names any more. Keys under which nothing is stored are no error.
func (s *Service) DeleteBlobs(ctx context.Context, keys []string) error {
	for _, key := range keys {
		if err := s.cfg.Blobs.Delete(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

// deleteUnused deletes bytes that no row names, as far as that succeeds: the sweep deletes the rest later.
func (s *Service) deleteUnused(ctx context.Context, keys ...string) {
	for _, key := range keys {
		if key == "" {
			continue
		}
		if err := s.cfg.Blobs.Delete(ctx, key); err != nil {
			s.cfg.Log.Warn("could not delete unused bytes; the sweep will try again", "key", key, "error", err)
		}
	}
}

// errTrackingReader remembers why reading failed, so that a sender's failure can be told from the storage's.
type errTrackingReader struct {
	reader io.Reader
	err    error // the last error but io.EOF
}

// Read implements io.Reader.
func (r *errTrackingReader) Read(b []byte) (int, error) {
	n, err := r.reader.Read(b)
	if err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
}
