package intake

import (
	"context"
	"errors"
	"fmt"

	"belfry/internal/core"
	"belfry/internal/store"
)

// DeleteFile deletes a file and frees its storage. It returns conflict when a draft or queued post uses the file, and
// not_found. Posts that were published with it keep its id.
func (s *Service) DeleteFile(ctx context.Context, t store.Tenant, id core.MediaID) error {
	return t.Tx(ctx, func(t store.Tenant) error {
		m, err := t.LockMedia(ctx, id)
		if err != nil {
			return err
		}
		used, err := t.MediaInUse(ctx, id)
		if err != nil {
			return err
		}
		if used {
			return core.Fail(core.CodeConflict, "A draft or a queued post uses the file.").
				WithHint("Remove it from those posts first, or delete them.")
		}
		if err := t.DeleteMedia(ctx, m, s.cfg.Now()); err != nil {
			return err
		}
		return enqueueDelete(ctx, t, m.Blob, m.Thumbnail)
	})
}

// PurgeFiles deletes the bytes of files whose last post went live longer ago than the retention time, unless they are
// pinned or used by a post that is still to be published (Spec §1.8, §8). The rows stay. A file that fails does not
// keep the others from being purged.
func (s *Service) PurgeFiles(ctx context.Context) error {
	due, err := s.cfg.Store.PurgeableMedia(ctx, s.cfg.Retention, sweepBatch)
	if err != nil {
		return fmt.Errorf("look for files to purge: %w", err)
	}
	var failed error
	for _, d := range due {
		if err := s.purgeFile(ctx, d); err != nil {
			failed = errors.Join(failed, fmt.Errorf("purge media %s: %w", d.ID, err))
		}
	}
	return errors.Join(failed, s.cfg.Store.ForgetMedia(ctx))
}

// purgeFile checks the conditions again under the file's lock, which keeps posts from taking the file up.
func (s *Service) purgeFile(ctx context.Context, d store.DueMedia) error {
	return updateLocked(ctx, s.tenant(d.Workspace), d.ID, func(t store.Tenant, m store.Media) error {
		now := s.cfg.Now().UTC()
		if m.Pinned || m.Status != core.MediaReady || !m.PurgedAt.IsZero() || m.PublishedAt.IsZero() ||
			now.Before(m.PublishedAt.Add(s.cfg.Retention)) {
			return nil
		}
		used, err := t.MediaInUse(ctx, m.ID)
		if err != nil || used {
			return err
		}
		if err := t.PurgeMedia(ctx, m, now); err != nil {
			return err
		}
		return enqueueDelete(ctx, t, m.Blob, m.Thumbnail)
	})
}
