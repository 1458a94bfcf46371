package app

import (
	"context"
	"fmt"
	"time"

	"belfry/internal/queue"
	"belfry/internal/store"
)

const (
	// jobPatience is how long a job may take to start before the sweep adds another; one too many does
	// no harm, since only one can claim.
	jobPatience = 2 * time.Second
	sweepBatch  = 1000
)

// Sweep wakes the workers for publications that are due, held by nobody and without a job on the way:
// whatever happened to the job or the worker before, the ledger row brings the post back. It answers
// how many it woke.
func (a *App) Sweep(ctx context.Context) (int, error) {
	var woken int
	err := a.cfg.Store.Tx(ctx, func(s *store.Store) error {
		due, err := s.WakeDue(ctx, jobPatience, sweepBatch)
		if err != nil {
			return err
		}
		jobs := make([]queue.Job, len(due))
		for i, d := range due {
			jobs[i] = queue.Publish{Workspace: d.Workspace, Post: d.Post}
		}
		woken = len(jobs)
		return s.EnqueueMany(ctx, jobs)
	})
	if err != nil {
		return 0, fmt.Errorf("sweep due posts: %w", err)
	}
	a.cfg.Metrics.Woken(woken)
	return woken, nil
}

// Release gives back the leases of a worker that stops, so that another can go on at once.
func (a *App) Release(ctx context.Context, owner string) error {
	return a.cfg.Store.ReleaseLeases(ctx, owner)
}
