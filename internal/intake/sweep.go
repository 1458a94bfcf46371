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

// fileBatch is how many files one call of RequeueOrFailStalledFiles or PurgeFilesPastRetention handles.
const fileBatch = 1000

// RequeueOrFailStalledFiles handles files that have waited too long. It enqueues another job for a file that waits for
// a worker, and marks a file as failed if its reservation has expired.
func (s *Service) RequeueOrFailStalledFiles(ctx context.Context) error {
	var due []store.DueMedia
	err := s.cfg.Store.Tx(ctx, func(db *store.Store) (err error) {
		if due, err = db.ListAndPostponeDueMedia(ctx, startPatience, fileBatch); err != nil {
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
		return fmt.Errorf("requeue stalled files: %w", err)
	}
	for _, d := range due {
		if d.Status != core.MediaUploading || d.Fetched {
			continue
		}
		if err := s.expireUploadIfUnclaimed(ctx, s.tenant(d.Workspace), d.ID); err != nil {
			return fmt.Errorf("end the reservation of media %s: %w", d.ID, err)
		}
	}
	return nil
}

const (
	// unreferencedAge is the minimum age of bytes that are deleted because no row refers to them. A row that will refer
	// to new bytes is written much earlier.
	unreferencedAge = 24 * time.Hour
	// blobSweepInterval is the time between two sweeps of all stored bytes. A sweep handles blobBatchKeys keys at a time.
	// If a batch takes longer than blobBatchTime, another replica continues.
	blobSweepInterval = 24 * time.Hour
	blobBatchTime     = 10 * time.Minute
	blobBatchKeys     = 1000
)

// DeleteUnreferencedBlobsIfDue deletes bytes that no row refers to, and parts of interrupted uploads. It does nothing
// unless a sweep is due: one replica performs it, once a day. An interrupted sweep continues where it stopped.
func (s *Service) DeleteUnreferencedBlobsIfDue(ctx context.Context) error {
	after, due, err := s.cfg.Store.ClaimBlobSweep(ctx, blobBatchTime)
	if err != nil || !due {
		return err
	}
	before := s.cfg.Now().Add(-unreferencedAge)
	for ended := false; !ended; {
		if after, ended, err = s.deleteUnreferencedBlobBatch(ctx, after, before); err != nil {
			return fmt.Errorf("sweep bytes: %w", err)
		}
		if err := s.cfg.Store.SaveBlobSweepProgress(ctx, after, blobBatchTime); err != nil {
			return err
		}
	}
	if _, err := s.cfg.Blobs.RemoveUnfinishedPuts(ctx, before); err != nil {
		return fmt.Errorf("remove unfinished uploads: %w", err)
	}
	return s.cfg.Store.SaveBlobSweepProgress(ctx, "", blobSweepInterval)
}

// deleteUnreferencedBlobBatch sweeps the next batch of keys after afterKey: it deletes the bytes that no row refers to
// and that were last modified before the given time. It returns the last key of the batch, and whether it was the last
// batch.
func (s *Service) deleteUnreferencedBlobBatch(
	ctx context.Context, afterKey string, modifiedBefore time.Time,
) (lastKey string, isLastBatch bool, err error) {
	errFull := errors.New("the batch of keys is full")
	seen, old := 0, []string{}
	err = s.cfg.Blobs.Each(ctx, "", afterKey, func(key string, _ int64, modified time.Time) error {
		if modified.Before(modifiedBefore) && !strings.HasPrefix(key, restore.Prefix) {
			old = append(old, key)
		}
		if seen, lastKey = seen+1, key; seen == blobBatchKeys {
			return errFull
		}
		return nil
	})
	if err != nil && !errors.Is(err, errFull) {
		return afterKey, false, err
	}
	return lastKey, err == nil, s.deleteUnreferencedBlobs(ctx, old)
}
