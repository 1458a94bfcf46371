package app

import (
	"context"
	"fmt"
	"time"

	"belfry/internal/core"
	"belfry/internal/queue"
	"belfry/internal/store"
)

// SweepMedia looks at the files whose time has come, whatever happened to their jobs before: reservations
// that were never used fail, and files that wait for a worker get a job.
func (a *App) SweepMedia(ctx context.Context) error {
	var due []store.DueMedia
	err := a.cfg.Store.Tx(ctx, func(s *store.Store) (err error) {
		if due, err = s.TakeDueMedia(ctx, jobPatienceMedia, sweepBatch); err != nil {
			return err
		}
		var jobs []queue.Job
		for _, d := range due {
			switch {
			case d.Status == core.MediaProcessing:
				jobs = append(jobs, queue.Process{Workspace: d.Workspace, Media: d.ID})
			case d.Fetched:
				jobs = append(jobs, queue.Fetch{Workspace: d.Workspace, Media: d.ID})
			}
		}
		return s.EnqueueMany(ctx, jobs)
	})
	if err != nil {
		return fmt.Errorf("sweep files: %w", err)
	}
	for _, d := range due {
		if d.Status != core.MediaUploading || d.Fetched {
			continue
		}
		t, err := a.ofMedia(d.Workspace)
		if err == nil {
			err = a.abandon(ctx, t, d.ID, reasonExpired)
		}
		if err != nil {
			return fmt.Errorf("end the reservation of media %s: %w", d.ID, err)
		}
	}
	return nil
}

// orphanAge is how old bytes are that no row names before they are deleted: whatever brings bytes has told
// the database long before.
const orphanAge = 24 * time.Hour

const orphanBatch = 1000

// SweepBlobs deletes bytes that no row names, and what broken-off uploads left behind.
func (a *App) SweepBlobs(ctx context.Context) error {
	before := a.cfg.Now().Add(-orphanAge)
	var old []string
	check := func() error {
		unnamed, err := a.cfg.Store.UnnamedBlobs(ctx, old)
		if err != nil {
			return err
		}
		old = old[:0]
		return a.Discard(ctx, unnamed)
	}
	err := a.cfg.Blobs.Each(ctx, "", func(key string, _ int64, modified time.Time) error {
		if modified.After(before) {
			return nil
		}
		if old = append(old, key); len(old) < orphanBatch {
			return nil
		}
		return check()
	})
	if err == nil {
		err = check()
	}
	if err == nil {
		_, err = a.cfg.Blobs.Tidy(ctx, before)
	}
	if err != nil {
		return fmt.Errorf("sweep bytes: %w", err)
	}
	return nil
}
