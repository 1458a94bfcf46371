package intake

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"belfry/internal/core"
	"belfry/internal/queue"
	"belfry/internal/restore"
	"belfry/internal/store"
)

// sweepBatch is how many files one sweep handles.
const sweepBatch = 1000

// SweepFiles finds files that are due, whatever happened to their jobs: unused reservations fail, and files that wait
// for a worker get a job.
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
	// unreferencedAge is how old bytes must be before they are deleted because no row refers to them: whoever stores
	// bytes writes the row long before that.
	unreferencedAge = 24 * time.Hour
	// blobSweepInterval is the time between two sweeps of the stored bytes, blobSliceTime how long the sweep of one
	// slice of blobSliceKeys keys may take before another replica continues.
	blobSweepInterval = 24 * time.Hour
	blobSliceTime     = 10 * time.Minute
	blobSliceKeys     = 1000
)

// SweepBlobs deletes bytes that no row refers to, and the rest of interrupted uploads. It does nothing unless a sweep
// is due, which one replica performs once a day. An interrupted sweep continues where it stopped.
func (s *Service) SweepBlobs(ctx context.Context) error {
	after, due, err := s.cfg.Store.TakeBlobSweep(ctx, blobSliceTime)
	if err != nil || !due {
		return err
	}
	before := s.cfg.Now().Add(-unreferencedAge)
	for ended := false; !ended; {
		if after, ended, err = s.sweepBlobSlice(ctx, after, before); err != nil {
			return fmt.Errorf("sweep bytes: %w", err)
		}
		if err := s.cfg.Store.SaveBlobSweep(ctx, after, blobSliceTime); err != nil {
			return err
		}
	}
	if _, err := s.cfg.Blobs.Tidy(ctx, before); err != nil {
		return fmt.Errorf("remove unfinished uploads: %w", err)
	}
	return s.cfg.Store.SaveBlobSweep(ctx, "", blobSweepInterval)
}

// sweepBlobSlice sweeps the next keys after the given one, and returns the last of them and whether there are no
// more.
func (s *Service) sweepBlobSlice(
	ctx context.Context, after string, before time.Time,
) (last string, ended bool, err error) {
	errFull := errors.New("the batch of keys is full")
	seen, old := 0, []string{}
	err = s.cfg.Blobs.Each(ctx, after, func(key string, _ int64, modified time.Time) error {
		if modified.Before(before) && !strings.HasPrefix(key, restore.Prefix) {
			old = append(old, key)
		}
		if seen, last = seen+1, key; seen == blobSliceKeys {
			return errFull
		}
		return nil
	})
	if err != nil && !errors.Is(err, errFull) {
		return after, false, err
	}
	unreferenced, listErr := s.cfg.Store.UnreferencedBlobs(ctx, old)
	if listErr != nil {
		return after, false, listErr
	}
	return last, err == nil, s.DeleteBlobs(ctx, unreferenced)
}
