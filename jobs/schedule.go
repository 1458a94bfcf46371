package jobs

import (
	"context"
	"time"

	"belfry/internal/queue"
)

// task is something that happens again and again. Every replica runs every task: each is harmless when
// it runs twice.
type task struct {
	name  string
	every time.Duration
	run   func(context.Context) error
}

// schedule is the table of periodic work.
func (j *Jobs) schedule() []task {
	a := j.cfg.App
	return []task{
		{"beat", 5 * time.Second, func(ctx context.Context) error { return a.Beat(ctx, j.cfg.Owner) }},
		{"mark", 15 * time.Second, a.Guard().KeepMark},
		{"receipts", time.Hour, a.Guard().DropOldReceipts},
		{"overdue", 10 * time.Second, a.CountOverdue},
		{"refresh", time.Minute, each(j, a.DueRefreshes)},
		{"check", time.Minute, each(j, a.DueChecks)},
		{"links", 10 * time.Minute, each(j, a.Engine().MissingLinks)},
		{"media", 5 * time.Second, a.Intake().SweepFiles},
		{"purge", time.Minute, a.Intake().PurgeFiles},
		{"blobs", time.Hour, a.Intake().SweepBlobs},
		{"housekeep", 10 * time.Minute, a.Housekeep},
	}
}

// every runs a task at once and then at its interval until ctx ends. A failure is logged and the next
// turn comes all the same.
func (j *Jobs) every(ctx context.Context, t task) {
	tick := time.NewTicker(t.every)
	defer tick.Stop()
	for {
		if err := t.run(ctx); err != nil && ctx.Err() == nil {
			j.cfg.Log.Error("periodic task failed", "task", t.name, "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// each gives everything that is due a job of its own.
func each[J queue.Job](j *Jobs, due func(context.Context) ([]J, error)) func(context.Context) error {
	return func(ctx context.Context) error {
		jobs, err := due(ctx)
		if err != nil {
			return err
		}
		for _, job := range jobs {
			if _, err := j.client.Insert(ctx, job, nil); err != nil {
				return err
			}
		}
		return nil
	}
}
