package intake

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"belfry/internal/core"
	"belfry/internal/queue"
	"belfry/internal/store"
)

// The bytes of a file are deleted in three cases: a person deletes the file (DeleteFile), the retention time after its
// last post is over (PurgeFilesPastRetention, which keeps the row), or no row refers to the bytes
// (DeleteUnreferencedBlobsIfDue).

// DeleteFile deletes a file, frees its storage, and returns the file. It returns conflict if a pending post
// (store.MediaIDsUsedByPendingPosts) uses the file, or not_found. Published posts keep its id.
func (s *Service) DeleteFile(ctx context.Context, t store.Tenant, id core.MediaID) (store.Media, error) {
	deleted, inUse, err := s.DeleteFiles(ctx, t, []core.MediaID{id})
	switch {
	case err != nil:
		return store.Media{}, err
	case len(inUse) > 0:
		return store.Media{}, core.Fail(core.CodeConflict, "This file is used by drafts, queued posts or posts with a pending retry.").
			WithHint("First, remove the file from these posts, or cancel and delete the posts.")
	case len(deleted) == 0:
		return store.Media{}, store.ErrNotFound
	}
	return deleted[0], nil
}

// DeleteFiles deletes files and frees their storage, except those that a pending post uses. It returns the deleted
// files and those in use, and ignores files that do not exist.
func (s *Service) DeleteFiles(
	ctx context.Context, t store.Tenant, ids []core.MediaID,
) (deleted, inUse []store.Media, err error) {
	err = t.Tx(ctx, func(t store.Tenant) error {
		files, err := t.LockManyMedia(ctx, ids)
		if err != nil {
			return err
		}
		pending, err := t.MediaIDsUsedByPendingPosts(ctx, ids)
		if err != nil {
			return err
		}
		var blobs []string
		for _, m := range files {
			if slices.Contains(pending, m.ID) {
				inUse = append(inUse, m)
				continue
			}
			deleted, blobs = append(deleted, m), append(blobs, m.Blob, m.Thumbnail)
		}
		if len(deleted) == 0 {
			return nil
		}
		if err := t.DeleteOrMarkMediaAndFreeStorage(ctx, deleted, s.cfg.Now()); err != nil {
			return err
		}
		return enqueueBlobDeletion(ctx, t, blobs...)
	})
	return deleted, inUse, err
}

// KeptUntil returns when the bytes of a file whose last post went live at lastPublished are deleted, unless the file is
// pinned or in use.
func (s *Service) KeptUntil(lastPublished time.Time) time.Time {
	return lastPublished.Add(s.cfg.Retention)
}

// Retention returns how long a file's bytes are kept after the last post with it went live.
func (s *Service) Retention() time.Duration { return s.cfg.Retention }

// PurgeFilesPastRetention deletes the bytes of files when the retention time after their last post is over, unless they
// are pinned or used by a post that is not published yet (Spec §1.8, §8). It keeps their rows, and continues after an
// error with one file.
func (s *Service) PurgeFilesPastRetention(ctx context.Context) error {
	due, err := s.cfg.Store.PurgeableMedia(ctx, s.cfg.Retention, fileBatch)
	if err != nil {
		return fmt.Errorf("look for files to purge: %w", err)
	}
	var failed error
	for _, d := range due {
		if err := s.purgeIfDue(ctx, d); err != nil {
			failed = errors.Join(failed, fmt.Errorf("purge media %s: %w", d.ID, err))
		}
	}
	return failed
}

// DeleteRowsOfDeletedFiles deletes the rows of the files that people have deleted, once no post refers to them anymore.
func (s *Service) DeleteRowsOfDeletedFiles(ctx context.Context) error {
	return s.cfg.Store.DeleteUnreferencedDeletedMedia(ctx)
}

// purgeIfDue deletes a file's bytes if it is still due. It checks this with the file locked, so that no post can start
// to use the file.
func (s *Service) purgeIfDue(ctx context.Context, d store.DueMedia) error {
	return lockAndUpdateMediaIfExists(ctx, s.tenant(d.Workspace), d.ID, func(t store.Tenant, m store.Media) error {
		due, err := t.IsMediaPurgeable(ctx, m.ID, s.cfg.Retention)
		if err != nil || !due {
			return err
		}
		if err := t.MarkMediaPurgedAndFreeStorage(ctx, m, s.cfg.Now().UTC()); err != nil {
			return err
		}
		return enqueueBlobDeletion(ctx, t, m.Blob, m.Thumbnail)
	})
}

// enqueueBlobDeletion adds a job that deletes bytes after the transaction has committed. It ignores empty keys.
func enqueueBlobDeletion(ctx context.Context, t store.Tenant, keys ...string) error {
	var job queue.DeleteBlobs
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

// DeleteUnreferencedBlobsAndJPEGs deletes the bytes under the keys, except those that a row refers to, and then the
// JPEGs that were made from them. In this order, no JPEG is left: convertAndStoreJPEGIfMissing deletes a JPEG that it
// stores after its image was deleted. DeleteUnreferencedBlobsAndJPEGs ignores keys without bytes.
func (s *Service) DeleteUnreferencedBlobsAndJPEGs(ctx context.Context, keys []string) error {
	if err := s.deleteUnreferencedBlobs(ctx, keys); err != nil {
		return err
	}
	var jpegs []string
	for _, key := range keys {
		made, err := s.listConverted(ctx, key)
		if err != nil {
			return fmt.Errorf("find the JPEGs that were made from %s: %w", key, err)
		}
		jpegs = append(jpegs, made...)
	}
	return s.deleteUnreferencedBlobs(ctx, jpegs)
}

func (s *Service) deleteUnreferencedBlobs(ctx context.Context, keys []string) error {
	unreferenced, err := s.cfg.Store.UnreferencedBlobKeys(ctx, keys)
	if err != nil {
		return fmt.Errorf("find the bytes to delete: %w", err)
	}
	for _, key := range unreferenced {
		if err := s.cfg.Blobs.Delete(ctx, key); err != nil {
			return fmt.Errorf("delete the bytes of %s: %w", key, err)
		}
	}
	return nil
}

// tryDeleteBlobs tries to delete bytes that no row refers to. It only logs errors: DeleteUnreferencedBlobsIfDue deletes
// the bytes later.
func (s *Service) tryDeleteBlobs(ctx context.Context, keys ...string) {
	for _, key := range keys {
		if key == "" {
			continue
		}
		if err := s.cfg.Blobs.Delete(ctx, key); err != nil {
			s.cfg.Log.Warn("could not delete unused bytes; will try again later", "key", key, "error", err)
		}
	}
}
