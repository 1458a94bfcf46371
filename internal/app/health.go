package app

import (
	"context"
	"fmt"
	"time"

	"belfry/internal/core"
)

// Bounds of health (security.md, Operational promises).
const (
	workerSilence = 30 * time.Second
	overdueAfter  = 60 * time.Second
)

// RecordHeartbeat notes that a worker is at work.
func (a *App) RecordHeartbeat(ctx context.Context, worker string) error {
	return a.cfg.Store.RecordHeartbeat(ctx, worker)
}

// CountOverdue brings the figures of posts that are due and held by nobody up to date.
func (a *App) CountOverdue(ctx context.Context) error {
	count, oldest, err := a.cfg.Store.Overdue(ctx, overdueAfter)
	if err != nil {
		return fmt.Errorf("count overdue posts: %w", err)
	}
	a.cfg.Metrics.SetOverdue(count, oldest)
	return nil
}

// Healthy returns an error, unavailable with a sentence for the operator, when the database is away or its
// schema is not this program's, when no worker has reported lately, and when a post has been due and held
// by nobody for too long. Waiting for a network, a retry or a throttle is no illness.
func (a *App) Healthy(ctx context.Context) error {
	pulse, err := a.cfg.Store.Pulse(ctx, workerSilence, overdueAfter)
	if err != nil {
		return core.Fail(core.CodeUnavailable, "The database does not respond.").Because(err)
	}
	if a.cfg.Schema != nil {
		if err := a.cfg.Schema(ctx); err != nil {
			return core.Fail(core.CodeUnavailable, "The database's schema does not match this program.").
				WithHint("Run belfry migrate.").Because(err)
		}
	}
	if !pulse.WorkerSeen {
		return core.Fail(core.CodeUnavailable, "No worker has reported in the last %d seconds.", int(workerSilence.Seconds()))
	}
	if pulse.Overdue {
		return core.Fail(core.CodeUnavailable, "A post has been due for more than %d seconds, and no worker has claimed it.",
			int(overdueAfter.Seconds()))
	}
	return nil
}
