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
	// processTime is the time limit for processing one file.
	processTime = 10 * time.Minute
	// maxTries is how often a file is fetched or examined before it fails.
	maxTries = 5
	// firstRetry is the delay after the first failure. Each following delay is four times as long.
	firstRetry = 15 * time.Second
)

// reasonInternal is the reason shown for a file that failed because of an error in this service.
const reasonInternal = "The file could not be processed. Add the file again."

// examination is what examineAndStoreCopies found and stored. If cleanBlob is empty, the original bytes are kept.
type examination struct {
	facts     core.FileFacts
	cleanBlob string
	thumbnail string
}

// ClaimAndProcessFile examines a file's bytes, makes a thumbnail and, if necessary, a copy without private metadata,
// and accepts or refuses the file (Spec §3, Media). It may run twice or be killed at any time, because only the worker
// that has claimed the file changes it.
func (s *Service) ClaimAndProcessFile(ctx context.Context, ws core.WorkspaceID, id core.MediaID) error {
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
	var result examination
	err = s.renewLeaseWhile(ctx, t, claim, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, processTime)
		defer cancel()
		return s.examineAndStoreCopies(ctx, m, &result)
	})
	stopping := ctx.Err() != nil
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTime)
	defer cancel()
	if err == nil {
		return s.acceptFileOrDeleteCopies(ctx, t, claim, result)
	}
	defer s.tryDeleteBlobs(ctx, result.cleanBlob, result.thumbnail)
	refusal, refused := errors.AsType[*media.Refusal](err)
	switch {
	case refused:
		return s.failFileAndDeleteBytes(ctx, t, claim, refusal.Reason)
	case errors.Is(err, errLeaseLost):
		return nil
	case stopping:
		return t.ReleaseMediaClaimIfHeld(ctx, claim, 0, false)
	case m.Tries+1 >= maxTries:
		s.cfg.Log.Error("a file could not be processed", "media", id, "error", err)
		return s.failFileAndDeleteBytes(ctx, t, claim, reasonInternal)
	}
	return errors.Join(
		fmt.Errorf("process media %s: %w", id, err), t.ReleaseMediaClaimIfHeld(ctx, claim, retryDelay(m.Tries), true))
}

// retryDelay returns how long to wait before the next attempt, if there were earlierFailures before the latest one.
func retryDelay(earlierFailures int) time.Duration {
	return firstRetry << (2 * min(earlierFailures, maxTries))
}

// examineAndStoreCopies reads the file, and stores its thumbnail and, if necessary, a copy without private metadata. It
// fills result, even after an error, with what it has found and stored by then. A *media.Refusal means that the file is
// not accepted.
func (s *Service) examineAndStoreCopies(ctx context.Context, m store.Media, result *examination) error {
	object, err := s.cfg.Blobs.Open(ctx, m.Blob)
	if err != nil {
		return err
	}
	defer object.Close()
	facts, err := media.Examine(ctx, object, object.Size(), media.DeclaredType{Name: m.Name, Mime: m.Mime})
	if err != nil {
		return err
	}
	picture, err := s.makeThumbnailOrPlaceholder(ctx, object, facts)
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
	if result.facts.Bytes, err = s.storeCopyWithoutPrivateMetadata(ctx, key, object, facts); err == nil {
		result.cleanBlob = key
	}
	return err
}

// makeThumbnailOrPlaceholder returns a JPEG thumbnail of a picture or video.
func (s *Service) makeThumbnailOrPlaceholder(
	ctx context.Context, object blob.Object, facts media.Facts,
) (picture []byte, err error) {
	if facts.Kind == core.FileVideo {
		return media.MakeVideoThumbnailOrPlaceholder(ctx, object, facts)
	}
	return s.cfg.Decoder.decodeExclusively(ctx, func() ([]byte, error) {
		return media.MakePictureThumbnailOrPlaceholder(ctx, object, facts)
	})
}

// storeCopyWithoutPrivateMetadata stores a copy of a file without private metadata, and returns its size.
func (s *Service) storeCopyWithoutPrivateMetadata(
	ctx context.Context, key string, object blob.Object, facts media.Facts,
) (size int64, err error) {
	size = blob.Unknown
	if facts.Kind == core.FileVideo {
		size = object.Size() // cleaning overwrites private metadata in videos, so the size stays the same
	}
	reader, writer := io.Pipe()
	var cleaning sync.WaitGroup
	cleaning.Go(func() { writer.CloseWithError(stripPrivateMetadataRecoveringPanic(ctx, writer, object, facts)) })
	defer cleaning.Wait()
	defer func() { _ = reader.Close() }() // stops the cleaning if the storage stops reading; never fails
	copied := &trackingReader{reader: reader}
	err = s.cfg.Blobs.Put(ctx, key, copied, size)
	return copied.n, err
}

// stripPrivateMetadataRecoveringPanic writes a copy of a file without private metadata, and turns a panic into an
// error, because a panic in this goroutine would end the process.
func stripPrivateMetadataRecoveringPanic(
	ctx context.Context, w io.Writer, object blob.Object, facts media.Facts,
) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	return media.StripPrivateMetadata(ctx, w, object, facts)
}

// acceptFileOrDeleteCopies ends the claim, marks the file as ready, and charges the bytes that are kept. If the claim
// was lost or the file was deleted, it deletes the thumbnail and the copy that result names.
func (s *Service) acceptFileOrDeleteCopies(
	ctx context.Context, t store.Tenant, claim store.MediaClaim, result examination,
) error {
	changed, err := s.changeStateAndDeleteUnusedBytes(ctx, t, claim, func(m store.Media) store.MediaChange {
		change := store.MediaChange{
			MediaMove: core.MediaAccept, Facts: result.facts, Charged: result.facts.Bytes,
			Blob: m.Blob, Thumbnail: result.thumbnail,
		}
		if result.cleanBlob != "" {
			change.Blob = result.cleanBlob
		}
		return change
	})
	if err == nil && !changed {
		s.tryDeleteBlobs(ctx, result.cleanBlob, result.thumbnail)
	}
	// The commit may have succeeded, so the new bytes stay. If it did not, DeleteUnreferencedBlobsIfDue deletes them.
	return err
}

// failFileAndDeleteBytes ends the claim and marks the file as failed. Its bytes no longer count, and are deleted.
func (s *Service) failFileAndDeleteBytes(
	ctx context.Context, t store.Tenant, claim store.MediaClaim, reason string,
) error {
	_, err := s.changeStateAndDeleteUnusedBytes(ctx, t, claim, func(m store.Media) store.MediaChange {
		move := core.MediaRefuse
		if m.Status == core.MediaUploading {
			move = core.MediaAbandon
		}
		return store.MediaChange{MediaMove: move, FailReason: reason, Facts: m.FileFacts}
	})
	return err
}

// changeStateAndDeleteUnusedBytes applies a change that ends a claim, and enqueues the deletion of bytes that the file
// no longer uses. It returns false if the claim was lost or the file was deleted.
func (s *Service) changeStateAndDeleteUnusedBytes(
	ctx context.Context, t store.Tenant, claim store.MediaClaim, change func(store.Media) store.MediaChange,
) (changed bool, err error) {
	err = lockAndUpdateMediaIfExists(ctx, t, claim.ID, func(t store.Tenant, m store.Media) (err error) {
		c := change(m)
		if changed, err = t.ChangeMediaStateAndEndClaim(ctx, m, claim.Epoch, c); err != nil || !changed || c.Blob == m.Blob {
			return err
		}
		return enqueueBlobDeletion(ctx, t, m.Blob)
	})
	return changed && err == nil, err
}
