package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// RateCount is the state of a rate limit, usually after a request was counted or refused.
type RateCount struct {
	Granted   bool
	Remaining int
	// Reset is the time until the oldest counted request leaves the window.
	Reset time.Duration
	// RetryAfter is the time until another request is allowed; 0 if this request was allowed.
	RetryAfter time.Duration
}

// CountPostCreationRequestIfAllowed counts a request that creates posts, unless the limit for any window of the given
// length would then be exceeded. It locks the workspace's row, so requests are counted one after the other. The count
// is committed even if the creation then fails. The commit does not wait for the disk, so the last requests before a
// crash of the database may not be counted.
func (t Tenant) CountPostCreationRequestIfAllowed(
	ctx context.Context, limit int, window time.Duration,
) (RateCount, error) {
	return t.countOrReadPostCreations(ctx, limit, window, true)
}

// PostCreationCount returns the state of the limit of CountPostCreationRequestIfAllowed, without counting a request:
// Granted is false, and Remaining is how many more requests are allowed now.
func (t Tenant) PostCreationCount(ctx context.Context, limit int, window time.Duration) (RateCount, error) {
	return t.countOrReadPostCreations(ctx, limit, window, false)
}

type creationsRow struct {
	Granted bool
	Used    int64      // before this request
	Oldest  *time.Time // when the oldest request in the window was counted
	Gate    *time.Time // the time of the request that must leave the window first
	Now     time.Time
}

func (t Tenant) countOrReadPostCreations(ctx context.Context, limit int, window time.Duration,
	record bool,
) (RateCount, error) {
	// Sent together, the statements are one transaction, and the second sees what was committed while the first
	// waited for the lock.
	var batch pgx.Batch
	var rows []creationsRow
	batch.Queue(`SELECT `+relaxed+` FROM workspaces WHERE id = @ws FOR NO KEY UPDATE`, t.withWorkspace(nil))
	addBatchQuery(&batch, `
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
		FROM counted`, t.withWorkspace(args{"limit": limit, "window": window, "count": record}), &rows)
	if err := t.sendBatch(ctx, &batch); err != nil {
		return RateCount{}, fmt.Errorf("count a creation: %w", err)
	}
	return rows[0].toRateCount(limit, window), nil
}

func (r creationsRow) toRateCount(limit int, window time.Duration) RateCount {
	oldest := r.Now // this request's own time, if it is the first
	if r.Oldest != nil {
		oldest = *r.Oldest
	}
	c := RateCount{Granted: r.Granted, Remaining: max(limit-int(r.Used), 0)}
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

// CountActionUnlessThrottled counts an action of a key, such as an address. A key can act burst times immediately, and
// then once per interval, on the whole server. CountActionUnlessThrottled returns 0 if the key may act now, and
// otherwise how long it must wait. A refused action does not count, and no key waits longer than one interval.
func (s *Store) CountActionUnlessThrottled(ctx context.Context, serverWideKey string, burst int, interval time.Duration,
) (wait time.Duration, err error) {
	a := args{"key": serverWideKey, "interval": interval, "burst": interval * time.Duration(burst)}
	_, err = queryValue[string](s.query(ctx, `
		INSERT INTO throttles AS t (key, tat) VALUES (@key, clock() + @interval::interval)
		ON CONFLICT (key) DO UPDATE SET tat = greatest(t.tat, clock()) + @interval::interval
		WHERE greatest(t.tat, clock()) + @interval::interval <= clock() + @burst::interval
		RETURNING key`, a))
	if !errors.Is(err, ErrNotFound) {
		return 0, err
	}
	row, err := queryOne[throttleRow](s.query(ctx, `SELECT tat, clock() AS now FROM throttles WHERE key = @key`,
		args{"key": serverWideKey}))
	if errors.Is(err, ErrNotFound) { // reset in the meantime
		return time.Second, nil
	}
	return max(row.TAT.Add(interval-interval*time.Duration(burst)).Sub(row.Now), time.Second), err
}

// CountActionUnlessThrottled is Store.CountActionUnlessThrottled: the workspace is not part of the key. An action in a
// transaction that is rolled back does not count.
func (t Tenant) CountActionUnlessThrottled(ctx context.Context, serverWideKey string, burst int, interval time.Duration,
) (wait time.Duration, err error) {
	return t.store.CountActionUnlessThrottled(ctx, serverWideKey, burst, interval)
}

type throttleRow struct {
	TAT time.Time
	Now time.Time
}

// RefundCountedAction removes one action that CountActionUnlessThrottled has counted for a key.
func (s *Store) RefundCountedAction(ctx context.Context, serverWideKey string, interval time.Duration) error {
	return s.exec(ctx, `UPDATE throttles SET tat = tat - @interval::interval WHERE key = @key`,
		args{"key": serverWideKey, "interval": interval})
}

// ResetThrottle deletes all counted actions of a key.
func (s *Store) ResetThrottle(ctx context.Context, serverWideKey string) error {
	return s.exec(ctx, `DELETE FROM throttles WHERE key = @key`, args{"key": serverWideKey})
}
