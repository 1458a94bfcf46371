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
// one part longer than need be. In SQL it is written out as 60, which the planner can fold.
const subWindows = 60

// bucket numbers the part of @step that the database's clock is in. behind is how many parts have begun
// since the row's newest, 61 when none of its counts matter any more: they are too old, or of another
// step, or from before the clock was set back.
const (
	bucket = `floor(extract(epoch FROM clock()) / extract(epoch FROM @step::interval))::bigint`
	behind = `(CASE WHEN a.newest - excluded.newest > 60 THEN 61 ELSE least(greatest(excluded.newest - a.newest, 0), 61) END)::int`
)

// A row's tally has, for each of the 61 parts, how many requests there had been at its end, and one figure
// before them for how many there had been at their beginning. So a sum is one subtraction.
const countAddress = `
	INSERT INTO address_log AS a (address, newest, tally)
	VALUES (@address, ` + bucket + `, array_fill(0::bigint, ARRAY[61]) || 1::bigint)
	ON CONFLICT (address) DO UPDATE SET
		newest = CASE ` + behind + ` WHEN 61 THEN excluded.newest ELSE greatest(a.newest, excluded.newest) END,
		tally = CASE ` + behind + ` WHEN 0 THEN a.tally[1:61] || a.tally[62] + 1
			ELSE a.tally[` + behind + ` + 1:] || array_fill(a.tally[62], ARRAY[` + behind + ` - 1]) || a.tally[62] + 1 END
	WHERE a.tally[62] - a.tally[` + behind + ` + 1] < @limit
	RETURNING newest, tally, clock() AS now`

// CountAddress counts a request of a client address, unless that would make more than limit in any window
// of the given length. One statement locks the address's row, so replicas count exactly together.
func (s *Store) CountAddress(ctx context.Context, address string, limit int, window time.Duration) (Count, error) {
	step := subWindow(window)
	row, err := one[addressRow](s.query(ctx, countAddress, args{"address": address, "step": step, "limit": limit}))
	return s.counted(ctx, row, err, address, limit, step)
}

// CountAndFind counts a request as CountAddress does and finds the key it brought as KeyHolder does, on one
// way to the database and back. The key's error is the second; it says nothing when the first is there, or
// when the request was not granted.
func (s *Store) CountAndFind(ctx context.Context, address string, limit int, window time.Duration, hash []byte) (Count, KeyHolder, error, error) {
	step := subWindow(window)
	batch := &pgx.Batch{}
	batch.Queue(countAddress, named{s.memory, args{"address": address, "step": step, "limit": limit}})
	batch.Queue(keyHolder, named{s.memory, args{"hash": hash}})
	results := s.q.SendBatch(ctx, batch)
	row, countErr := one[addressRow](results.Query())
	holder, keyErr := one[KeyHolder](results.Query())
	if err := results.Close(); err != nil && countErr == nil {
		countErr = err
	}
	count, err := s.counted(ctx, row, countErr, address, limit, step)
	return count, holder, err, keyErr
}

// counted reads what counting came to.
func (s *Store) counted(ctx context.Context, row addressRow, err error, address string, limit int, step time.Duration) (Count, error) {
	if err == nil {
		return row.count(limit, step, true), nil
	}
	if core.CodeOf(err) != core.CodeNotFound {
		return Count{}, fmt.Errorf("count an address: %w", err)
	}
	// Nothing was updated: the limit is reached. When it will not be any more stands in the row.
	row, err = one[addressRow](s.query(ctx, `SELECT newest, tally, clock() AS now FROM address_log WHERE address = @address`,
		args{"address": address}))
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
	Tally  []int64
	Now    time.Time
}

// count reads the figures off the parts, oldest first. Parts that have dropped out since the row was
// written count no more.
func (r addressRow) count(limit int, step time.Duration, granted bool) Count {
	last := len(r.Tally) - 1
	// A part is forgotten once the one that is as far ahead of it as all the others has begun.
	ends := func(i int) time.Duration {
		return time.Unix(0, (r.Newest-int64(last-i)+subWindows+1)*int64(step)).Sub(r.Now)
	}
	first := 1
	for first < last && ends(first) <= 0 {
		first++
	}
	before := r.Tally[first-1]
	total := int(r.Tally[last] - before)
	c := Count{Granted: granted, Remaining: max(limit-total, 0)}
	for i := first; i <= last; i++ {
		dropped := int(r.Tally[i] - before)
		if dropped > 0 && c.Reset == 0 {
			c.Reset = ends(i)
		}
		if !granted && dropped > total-limit {
			c.RetryAfter = ends(i)
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
