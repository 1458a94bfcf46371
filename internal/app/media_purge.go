package app

import (
	"context"
	"errors"
	"fmt"

	"belfry/internal/core"
	"belfry/internal/store"
)

// PurgeMedia removes the bytes of files so long after the last post with them went live, unless they are
// pinned or a post that is still to go out uses them (Spec §1.8, §8). The rows stay. One that fails holds up no other.
func (a *App) PurgeMedia(ctx context.Context) error {
	due, err := a.cfg.Store.PurgeableMedia(ctx, a.cfg.Retention, sweepBatch)
	if err != nil {
		return fmt.Errorf("look for files to purge: %w", err)
	}
	var failed error
	for _, d := range due {
		if err := a.purge(ctx, d); err != nil {
			failed = errors.Join(failed, fmt.Errorf("purge media %s: %w", d.ID, err))
		}
	}
	return errors.Join(failed, a.cfg.Store.ForgetMedia(ctx))
}

// purge decides once more, while no post can take up the file.
func (a *App) purge(ctx context.Context, d store.DueMedia) error {
	t, err := a.ofMedia(d.Workspace)
	if err != nil {
		return err
	}
	return unlessGone(ctx, t, d.ID, func(t store.Tenant, m store.Media) error {
		now := a.cfg.Now().UTC()
		if m.Pinned || m.Status != core.MediaReady || !m.PurgedAt.IsZero() || m.PublishedAt.IsZero() || now.Before(m.PublishedAt.Add(a.cfg.Retention)) {
			return nil
		}
		used, err := t.MediaInUse(ctx, m.ID)
		if err != nil || used {
			return err
		}
		if err := t.PurgeMedia(ctx, m, now); err != nil {
			return err
		}
		return discard(ctx, t, m.Blob, m.Thumbnail)
	})
}
