package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Count is what is left of a limit after a request was counted, or refused.
type Count struct {
	Granted   bool
	Remaining int
	// Reset is how long until the oldest counted request drops out of the window.
	Reset time.Duration
	// RetryAfter is how long until one more request passes; 0 when it was granted.
	RetryAfter time.Duration
}

// CountCreate counts a creation of posts, unless that would make more than limit in any window of the given
// length. The workspace's row is locked meanwhile, so creations are counted one after the other; the
// count commits by itself, also when the creation fails later, and does not wait for the disk: a crash of the
// database may forget the creations of its last moment.
func (t Tenant) CountCreate(ctx context.Context, limit int, window time.Duration) (Count, error) {
	return t.countCreates(ctx, limit, window, true)
}

// PeekCreate tells what CountCreate would say of the next creation, without counting one.
func (t Tenant) PeekCreate(ctx context.Context, limit int, window time.Duration) (Count, error) {
	return t.countCreates(ctx, limit, window, false)
}

type createRow struct {
	Granted bool
	Used    int64      // before this one
	Oldest  *time.Time // of those counted before
	Gate    *time.Time // the one that must drop out before one more passes
	Now     time.Time
}

func (t Tenant) countCreates(ctx context.Context, limit int, window time.Duration, count bool) (Count, error) {
	// Sent together, the statements are one transaction, and the second sees what was committed while the first
	// waited for the lock.
	var batch pgx.Batch
	var rows []createRow
	batch.Queue(`SELECT `+relaxed+` FROM workspaces WHERE id = @ws FOR NO KEY UPDATE`, t.withWorkspace(nil))
	queueMany(&batch, `
		WITH counted AS (
			SELECT count(*) AS used, min(at) AS oldest FROM create_log
			WHERE workspace_id = @ws AND at > clock() - @window::interval
		), granted AS (
			INSERT INTO create_log (workspace_id, at) SELECT @ws, clock() FROM counted WHERE @count
				AND used < @limit RETURNING at
		)
		SELECT used, oldest, clock() AS now, EXISTS (SELECT FROM granted) AS granted,
			CASE WHEN used >= @limit THEN (
				SELECT at FROM create_log WHERE workspace_id = @ws ORDER BY at DESC OFFSET @limit - 1 LIMIT 1
			) END AS gate
		FROM counted`, t.withWorkspace(args{"limit": limit, "window": window, "count": count}), &rows)
	if err := t.sendBatch(ctx, &batch); err != nil {
		return Count{}, fmt.Errorf("count a creation: %w", err)
	}
	return rows[0].toCount(limit, window), nil
}

func (r createRow) toCount(limit int, window time.Duration) Count {
	oldest := r.Now // this one's own time, if it is the first
	if r.Oldest != nil {
		oldest = *r.Oldest
	}
	c := Count{Granted: r.Granted, Remaining: max(limit-int(r.Used), 0)}
	if r.Granted {
		c.Remaining--
	}
	if r.Granted || r.Oldest != nil {
		c.Reset = oldest.Add(window).Sub(r.Now)
	}
	if !r.Granted && r.Gate != nil {
		c.RetryAfter = r.Gate.Add(window).Sub(r.Now)
	}
	return c
}
