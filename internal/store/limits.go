package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"belfry/internal/core"
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

// subWindows is into how many parts the window of the address limit is cut. The part in which a window
// begins is counted whole, as one more: no window ever holds too many, and a request may be refused for
// one part longer than need be.
const subWindows = 60

// bucket numbers the sub-windows of @step by the database's clock; behind tells how many of them have
// begun since the row's newest. A row from the future is of another step, or of a clock set back: it
// counts as empty.
const (
	bucket = `floor(extract(epoch FROM clock()) / extract(epoch FROM @step::interval))::bigint`
	behind = `(CASE WHEN a.newest - ` + bucket + ` > @parts THEN @parts + 1
		ELSE least(greatest(` + bucket + ` - a.newest, 0), @parts + 1) END)::int`
)

// CountAddress counts a request of a client address, unless that would make more than limit in any window
// of the given length. One statement locks the address's row, so replicas count exactly together.
func (s *Store) CountAddress(ctx context.Context, address string, limit int, window time.Duration) (Count, error) {
	step := subWindow(window)
	a := args{"address": address, "step": step, "parts": subWindows}
	grant := args{"address": address, "step": step, "parts": subWindows, "limit": limit}
	row, err := one[addressRow](s.query(ctx, `
		INSERT INTO address_log AS a (address, newest, hits) VALUES (@address, `+bucket+`, array_fill(0, ARRAY[@parts::int]) || 1)
		ON CONFLICT (address) DO UPDATE SET
			newest = CASE WHEN a.newest - `+bucket+` > @parts THEN `+bucket+` ELSE greatest(a.newest, `+bucket+`) END,
			hits = CASE WHEN `+behind+` = 0 THEN a.hits[1:@parts] || a.hits[@parts + 1] + 1
				ELSE a.hits[`+behind+` + 1:] || array_fill(0, ARRAY[`+behind+` - 1]) || 1 END
		WHERE (SELECT coalesce(sum(hit), 0) FROM unnest(a.hits[`+behind+` + 1:]) AS hit) < @limit
		RETURNING newest, hits, clock() AS now`, grant))
	if err == nil {
		return row.count(limit, step, true), nil
	}
	if core.CodeOf(err) != core.CodeNotFound {
		return Count{}, fmt.Errorf("count an address: %w", err)
	}
	// Nothing was updated: the limit is reached. When it will not be any more stands in the row.
	row, err = one[addressRow](s.query(ctx, `
		SELECT CASE WHEN a.newest - `+bucket+` > @parts THEN `+bucket+` ELSE greatest(a.newest, `+bucket+`) END AS newest,
			a.hits[`+behind+` + 1:] || array_fill(0, ARRAY[`+behind+`]) AS hits, clock() AS now
		FROM address_log a WHERE address = @address`, a))
	if core.CodeOf(err) == core.CodeNotFound { // dropped as old in between
		return Count{Remaining: limit, RetryAfter: time.Second}, nil
	}
	if err != nil {
		return Count{}, fmt.Errorf("count an address: %w", err)
	}
	return row.count(limit, step, false), nil
}

// subWindow is the length of one part: whole microseconds, as the database counts, and 60 of them no
// shorter than the window.
func subWindow(window time.Duration) time.Duration {
	return (window/subWindows + time.Microsecond - 1).Truncate(time.Microsecond)
}

type addressRow struct {
	Newest int64
	Hits   []int32
	Now    time.Time
}

// count reads the figures off the sub-windows, oldest first.
func (r addressRow) count(limit int, step time.Duration, granted bool) Count {
	total := 0
	for _, n := range r.Hits {
		total += int(n)
	}
	c := Count{Granted: granted, Remaining: max(limit-total, 0)}
	dropped, over := 0, total-limit+1
	for i, n := range r.Hits {
		if n == 0 {
			continue
		}
		// The part is forgotten once the one that is as far ahead of it as all the others has begun.
		number := r.Newest - int64(len(r.Hits)-1-i)
		ends := time.Unix(0, (number+subWindows+1)*int64(step)).Sub(r.Now)
		if dropped == 0 {
			c.Reset = ends
		}
		if dropped += int(n); !granted && dropped >= over {
			c.RetryAfter = ends
			break
		}
	}
	return c
}

// CountCreate counts a creation of posts, unless that would make more than limit in any window of the given
// length. The workspace's row is locked meanwhile, so creations are counted one after the other; the
// count commits by itself, also when the creation fails later.
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
	b.Queue(`SELECT FROM workspaces WHERE id = @ws FOR NO KEY UPDATE`, t.args(nil))
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
