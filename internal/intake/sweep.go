package intake

import (
	"context"
	"fmt"
	"time"

	"belfry/internal/core"
	"belfry/internal/queue"
	"belfry/internal/store"
)

// sweepBatch is how many files one sweep looks at.
const sweepBatch = 1000

// SweepFiles finds files whose time has come, whatever happened to their jobs: reservations that were never used
// fail, and files that wait for a worker get a job.
func (s *Service) SweepFiles(ctx context.Context) error {
	var due []store.DueMedia
	err := s.cfg.Store.Tx(ctx, func(db *store.Store) (err error) {
		if due, err = db.TakeDueMedia(ctx, startPatience, sweepBatch); err != nil {
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
		return db.EnqueueMany(ctx, jobs)
	})
	if err != nil {
		return fmt.Errorf("sweep files: %w", err)
	}
	for _, d := range due {
		if d.Status != core.MediaUploading || d.Fetched {
			continue
		}
		if err := s.expireUpload(ctx, s.tenant(d.Workspace), d.ID); err != nil {
			return fmt.Errorf("end the reservation of media %s: %w", d.ID, err)
		}
	}
	return nil
}

const (
	// orphanAge is how old bytes must be before they are deleted because no row names them: whoever stores bytes
	// writes the row long before.
	orphanAge = 24 * time.Hour
	// orphanBatch is how many keys are looked up at once.
	orphanBatch = 1000
)

// SweepBlobs deletes bytes that no row names, and what interrupted uploads left behind.
func (s *Service) SweepBlobs(ctx context.Context) error {
	before := s.cfg.Now().Add(-orphanAge)
	var old []string
	check := func() error {
		unnamed, err := s.cfg.Store.UnnamedBlobs(ctx, old)
		if err != nil {
			return err
		}
		old = old[:0]
		return s.DeleteBlobs(ctx, unnamed)
	}
	err := s.cfg.Blobs.Each(ctx, "", func(key string, _ int64, modified time.Time) error {
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
		_, err = s.cfg.Blobs.Tidy(ctx, before)
	}
	if err != nil {
		return fmt.Errorf("sweep bytes: %w", err)
	}
	return nil
}
