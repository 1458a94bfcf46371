package intake

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"time"

	"belfry/internal/blob"
	"belfry/internal/core"
	"belfry/internal/media"
	"belfry/internal/store"
)

const (
	// processTime bounds the work on one file.
	processTime = 10 * time.Minute
	// maxTries is how often a file is fetched or examined before it fails.
	maxTries = 5
	// firstRetry is the delay after the first failure; each later one is four times as long.
	firstRetry = 15 * time.Second
)

// reasonInternal is why a file failed if its sender cannot correct the cause.
const reasonInternal = "The file could not be processed. Upload the file again."

// examined is what examineFile found and stored. An empty cleanBlob means that the original bytes are kept.
type examined struct {
	facts     core.FileFacts
	cleanBlob string
	thumbnail string
}

// ProcessFile examines a file's bytes: its type, whether it is accepted, its thumbnail, and a copy without private
// metadata (Spec §3, Media). It can run twice or be killed at any time: only the holder of the claim changes the
// file.
func (s *Service) ProcessFile(ctx context.Context, ws core.WorkspaceID, id core.MediaID) error {
	t := s.tenant(ws)
	claim, ok, err := t.ClaimMedia(ctx, id, core.MediaProcessing, leaseTime)
	if err != nil || !ok {
		return err
	}
	m, err := t.Media(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	var result examined
	err = s.renewLeaseWhile(ctx, t, claim, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, processTime)
		defer cancel()
		return s.examineFile(ctx, m, &result)
	})
	stopping := ctx.Err() != nil
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTime)
	defer cancel()
	if err == nil {
		return s.acceptFile(ctx, t, claim, result)
	}
	defer s.deleteUnreferenced(ctx, result.cleanBlob, result.thumbnail)
	refusal, refused := errors.AsType[*media.Refusal](err)
	switch {
	case refused:
		return s.failFile(ctx, t, claim, refusal.Reason)
	case errors.Is(err, errLeaseLost):
		return nil
	case stopping:
		return t.ReleaseMediaClaim(ctx, claim, 0, false)
	case m.Tries+1 >= maxTries:
		s.cfg.Log.Error("a file could not be processed", "media", id, "error", err)
		return s.failFile(ctx, t, claim, reasonInternal)
	}
	return errors.Join(
		fmt.Errorf("process media %s: %w", id, err), t.ReleaseMediaClaim(ctx, claim, retryDelay(m.Tries), true))
}

// retryDelay returns how long to wait after a number of failures.
func retryDelay(tries int) time.Duration { return firstRetry << (2 * min(tries, maxTries)) }

// examineFile reads the file, and stores its thumbnail and, if necessary, its clean copy. After an error, result
// contains what was stored so far.
func (s *Service) examineFile(ctx context.Context, m store.Media, result *examined) error {
	object, err := s.cfg.Blobs.Open(ctx, m.Blob)
	if err != nil {
		return err
	}
	defer object.Close()
	facts, err := media.Read(ctx, object, object.Size(), media.DeclaredType{Name: m.Name, Mime: m.Mime})
	if err != nil {
		return err
	}
	picture, err := s.makeThumbnail(ctx, object, facts)
	if err != nil {
		return err
	}
	key := newBlobKey()
	if err := s.cfg.Blobs.Put(ctx, key, bytes.NewReader(picture), int64(len(picture))); err != nil {
		return err
	}
	result.thumbnail, result.facts = key, facts.FileFacts
	if !facts.Private {
		return nil
	}
	key = newBlobKey()
	if result.facts.Bytes, err = s.storeCleanCopy(ctx, key, object, facts); err == nil {
		result.cleanBlob = key
	}
	return err
}

// makeThumbnail returns a file's thumbnail as a JPEG. It decodes one picture at a time.
func (s *Service) makeThumbnail(ctx context.Context, object blob.Object, facts media.Facts) ([]byte, error) {
	if facts.Kind == core.FileVideo {
		return media.Poster(ctx, object, facts)
	}
	select {
	case s.decoding <- struct{}{}:
		defer func() { <-s.decoding }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return media.Thumbnail(ctx, object, facts)
}

// storeCleanCopy stores a copy of a file without private metadata, and returns its size.
func (s *Service) storeCleanCopy(
	ctx context.Context, key string, object blob.Object, facts media.Facts,
) (size int64, err error) {
	size = blob.Unknown
	if facts.Kind == core.FileVideo {
		size = object.Size() // cleaning overwrites what it takes out of a video
	}
	reader, writer := io.Pipe()
	var cleaning sync.WaitGroup
	cleaning.Go(func() { writer.CloseWithError(cleanSafely(ctx, writer, object, facts)) })
	defer cleaning.Wait()
	defer func() { _ = reader.Close() }() // it never fails; ends a copy that nobody reads any more
	copied := &trackingReader{reader: reader}
	err = s.cfg.Blobs.Put(ctx, key, copied, size)
	return copied.n, err
}

// cleanSafely converts a panic to an error. The panic would otherwise end the process, because it happens in a
// separate goroutine.
func cleanSafely(ctx context.Context, w io.Writer, object blob.Object, facts media.Facts) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	return media.Clean(ctx, w, object, facts)
}

// acceptFile marks the file as ready, and charges the bytes that are kept.
func (s *Service) acceptFile(ctx context.Context, t store.Tenant, claim store.MediaClaim, result examined) error {
	moved, err := s.endClaimAndDeleteUnused(ctx, t, claim, func(m store.Media) store.MediaChange {
		change := store.MediaChange{
			MediaMove: core.MediaAccept, Facts: result.facts, Charged: result.facts.Bytes,
			Blob: m.Blob, Thumbnail: result.thumbnail,
		}
		if result.cleanBlob != "" {
			change.Blob = result.cleanBlob
		}
		return change
	})
	if err == nil && !moved {
		s.deleteUnreferenced(ctx, result.cleanBlob, result.thumbnail)
	}
	return err // it may be committed all the same: the new bytes stay, and are swept if it is not
}

// failFile marks the file as failed; its bytes are deleted and no longer count.
func (s *Service) failFile(ctx context.Context, t store.Tenant, claim store.MediaClaim, reason string) error {
	_, err := s.endClaimAndDeleteUnused(ctx, t, claim, func(m store.Media) store.MediaChange {
		move := core.MediaRefuse
		if m.Status == core.MediaUploading {
			move = core.MediaAbandon
		}
		return store.MediaChange{MediaMove: move, FailReason: reason, Facts: m.FileFacts}
	})
	return err
}

// endClaimAndDeleteUnused makes the change that ends a claim, and enqueues the deletion of bytes that the file no
// longer uses. It returns false if the claim was lost or the file was deleted.
func (s *Service) endClaimAndDeleteUnused(
	ctx context.Context, t store.Tenant, claim store.MediaClaim, change func(store.Media) store.MediaChange,
) (moved bool, err error) {
	err = updateLocked(ctx, t, claim.ID, func(t store.Tenant, m store.Media) (err error) {
		c := change(m)
		if moved, err = t.MoveMedia(ctx, m, claim.Epoch, c); err != nil || !moved || c.Blob == m.Blob {
			return err
		}
		return enqueueDelete(ctx, t, m.Blob)
	})
	return moved && err == nil, err
}
