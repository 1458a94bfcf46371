package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Count is where a limit stands after a request was counted, or refused.
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
	Used    int64
	Oldest  *time.Time // of those counted
	Gate    *time.Time // the one that must drop out before one more passes
	Now     time.Time
}

func (t Tenant) countCreates(ctx context.Context, limit int, window time.Duration, count bool) (c Count, err error) {
	// Sent together, the statements are one transaction, and each sees what was committed while the first
	// waited for the lock.
	var b pgx.Batch
	b.Queue(`SELECT `+relaxed+` FROM workspaces WHERE id = @ws FOR NO KEY UPDATE`, t.args(nil))
	b.Queue(`
		INSERT INTO create_log (workspace_id, at)
		SELECT @ws, clock() WHERE @count AND @limit > (SELECT count(*) FROM create_log WHERE workspace_id = @ws AND at > clock() - @window::interval)`,
		t.args(args{"limit": limit, "window": window, "count": count}))
	b.Queue(`
		SELECT count(*) AS used, min(at) AS oldest, clock() AS now, false AS granted,
			(SELECT at FROM create_log WHERE workspace_id = @ws AND at > clock() - @window::interval
				ORDER BY at DESC OFFSET @limit - 1 LIMIT 1) AS gate
		FROM create_log WHERE workspace_id = @ws AND at > clock() - @window::interval`,
		t.args(args{"limit": limit, "window": window}))
	results := t.store.q.SendBatch(ctx, &b)
	defer func() { err = errors.Join(err, results.Close()) }()
	if _, err = results.Exec(); err != nil {
		return c, fmt.Errorf("lock the workspace to count a creation: %w", err)
	}
	inserted, err := results.Exec()
	if err != nil {
		return c, fmt.Errorf("count a creation: %w", err)
	}
	row, err := one[createRow](results.Query())
	if err != nil {
		return c, fmt.Errorf("read the count of creations: %w", err)
	}
	row.Granted = inserted.RowsAffected() == 1
	return row.count(limit, window), nil
}

func (r createRow) count(limit int, window time.Duration) Count {
	c := Count{Granted: r.Granted, Remaining: max(limit-int(r.Used), 0)}
	if r.Oldest != nil {
		c.Reset = r.Oldest.Add(window).Sub(r.Now)
	}
	if !r.Granted && r.Gate != nil {
		c.RetryAfter = r.Gate.Add(window).Sub(r.Now)
	}
	return c
}
