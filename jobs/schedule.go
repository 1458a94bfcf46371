package jobs

import (
	"context"
	"time"

	"belfry/internal/queue"
)

// periodicTask is a task that runs on every replica. It must be safe to run it several times, also concurrently.
type periodicTask struct {
	name  string
	every time.Duration
	run   func(context.Context) error
}

// periodicTasks returns all periodic tasks.
func (j *Jobs) periodicTasks() []periodicTask {
	a := j.cfg.App
	return []periodicTask{
		{"beat", 5 * time.Second, func(ctx context.Context) error { return a.RecordHeartbeat(ctx, j.cfg.Owner) }},
		{"mark", 15 * time.Second, a.GuardOrNil().UpdateMarkOrHoldPublishingUnlessOnHold},
		{"receipts", time.Hour, a.GuardOrNil().DeleteOldReceipts},
		{"overdue", 10 * time.Second, a.UpdateOverdueMetrics},
		{"refresh", time.Minute, newEnqueueTask(j, a.MarkExpiredAccountsAndListDueRefreshes)},
		{"check", time.Minute, newEnqueueTask(j, a.ListDueAccountChecks)},
		{"links", 10 * time.Minute, newEnqueueTask(j, a.Engine().ListLinksToFetch)},
		{"media", 5 * time.Second, a.Intake().RequeueOrFailStalledFiles},
		{"purge", time.Minute, a.Intake().PurgeFilesPastRetention},
		{"files", time.Minute, a.Intake().DeleteRowsOfDeletedFiles},
		{"blobs", time.Hour, a.Intake().DeleteUnreferencedBlobsIfDue},
		{"alerts", 15 * time.Second, a.QueueAlertEmails},
		{"housekeep", 10 * time.Minute, a.DeleteExpiredRowsAndUpdateSecretKeyMetric},
	}
}

// runPeriodically runs a task immediately and then at its interval until ctx ends. It logs errors and continues.
func (j *Jobs) runPeriodically(ctx context.Context, t periodicTask) {
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

// newEnqueueTask returns a task that inserts a job for everything that listDue returns.
func newEnqueueTask[J queue.Job](j *Jobs, listDue func(context.Context) ([]J, error)) func(context.Context) error {
	return func(ctx context.Context) error {
		jobs, err := listDue(ctx)
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
