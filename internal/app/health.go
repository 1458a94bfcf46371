package app

import (
	"context"
	"fmt"
	"time"

	"belfry/internal/core"
	"belfry/internal/store"
)

// Limits that CheckDatabaseAndWorkers applies (security.md, Operational promises).
const (
	workerSilence = 30 * time.Second
	overdueAfter  = 60 * time.Second
)

// RecordHeartbeat records that a worker is running.
func (a *App) RecordHeartbeat(ctx context.Context, worker string) error {
	return a.cfg.Store.RecordHeartbeat(ctx, worker)
}

// UpdateOverdueMetrics counts the overdue posts and updates their metrics.
func (a *App) UpdateOverdueMetrics(ctx context.Context) error {
	count, oldest, err := a.cfg.Store.CountOverduePublications(ctx, overdueAfter)
	if err != nil {
		return fmt.Errorf("count overdue posts: %w", err)
	}
	a.cfg.Metrics.SetOverduePublications(count, oldest)
	return nil
}

// CheckDatabaseAndWorkers returns unavailable, with a message for the operator, if the database does not respond or has
// another schema, or if CheckWorkers would.
func (a *App) CheckDatabaseAndWorkers(ctx context.Context) error {
	pulse, err := a.cfg.Store.ReadPulse(ctx, workerSilence, overdueAfter)
	if err != nil {
		return core.Fail(core.CodeUnavailable, "The database is not responding.").WithCause(err)
	}
	if a.cfg.Schema != nil {
		if err := a.cfg.Schema(ctx); err != nil {
			return core.Fail(core.CodeUnavailable, "The database's schema does not match this version of Belfry.").
				WithHint("Run `belfry migrate`.").WithCause(err)
		}
	}
	return checkPulse(pulse)
}

// CheckWorkers returns unavailable, with a message for the operator, if no worker has reported recently, or if no
// worker has claimed a post that has been due for too long. Posts that have to wait, for example for a retry, do not
// count. Any other error means that the database cannot be read.
func (a *App) CheckWorkers(ctx context.Context) error {
	pulse, err := a.cfg.Store.ReadPulse(ctx, workerSilence, overdueAfter)
	if err != nil {
		return fmt.Errorf("check the workers: %w", err)
	}
	return checkPulse(pulse)
}

func checkPulse(pulse store.Pulse) error {
	if !pulse.WorkerSeen {
		return core.Fail(core.CodeUnavailable, "No worker has reported in the last %d seconds.",
			int(workerSilence.Seconds())).
			WithHint("Posts are published only while `belfry serve` runs with the role worker (BELFRY_ROLES).")
	}
	if pulse.Overdue {
		return core.Fail(core.CodeUnavailable, "A post has been due for more than %d seconds, and no worker has claimed it.",
			int(overdueAfter.Seconds()))
	}
	return nil
}

// workerMemory is how long Belfry remembers a worker that no longer reports.
const workerMemory = 24 * time.Hour

// erasureKept is how long a person can see that their data was deleted.
const erasureKept = 365 * 24 * time.Hour

// DeleteExpiredRowsAndUpdateSecretKeyMetric deletes expired sessions, devices, consents, stored responses, rate limit
// counters, revocations and erasures, and the turns that dead workers have left. It also updates the metric that counts
// the encrypted values of each secret key.
func (a *App) DeleteExpiredRowsAndUpdateSecretKeyMetric(ctx context.Context) error {
	err := a.cfg.Store.DeleteOldRows(ctx, a.cfg.Now(), store.Retention{
		Replays: replayKeep, Creations: a.cfg.LimitCreate.Window, Addresses: a.cfg.LimitAddress.Window, Workers: workerMemory,
		Devices: DeviceLifetime,
	})
	if err != nil {
		return fmt.Errorf("delete expired rows: %w", err)
	}
	if err := a.cfg.Store.DeleteOldRevocations(ctx, core.FollowUpLifetime+time.Hour, 2*connectFor); err != nil {
		return fmt.Errorf("delete old revocations: %w", err)
	}
	if err := a.cfg.Store.DeleteOldErasures(ctx, erasureKept); err != nil {
		return fmt.Errorf("delete old erasures: %w", err)
	}
	_, err = a.CountSealedBySecretKeyAndUpdateMetric(ctx)
	return err
}
