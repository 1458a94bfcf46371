package store

import (
	"context"
	"errors"
	"time"
)

// Throttle lets a key act burst times at once and then once per interval. It returns how long to wait, or 0 if the
// key may act now. A refusal does not count, so a caller that waits that long succeeds. It never blocks a key for
// longer than one interval.
func (s *Store) Throttle(ctx context.Context, key string, burst int, interval time.Duration) (time.Duration, error) {
	a := args{"key": key, "interval": interval, "burst": interval * time.Duration(burst)}
	_, err := queryValue[string](s.query(ctx, `
		INSERT INTO throttles AS t (key, tat) VALUES (@key, clock() + @interval::interval)
		ON CONFLICT (key) DO UPDATE SET tat = greatest(t.tat, clock()) + @interval::interval
		WHERE greatest(t.tat, clock()) + @interval::interval <= clock() + @burst::interval
		RETURNING key`, a))
	if !errors.Is(err, ErrNotFound) {
		return 0, err
	}
	row, err := queryOne[throttleRow](s.query(ctx, `SELECT tat, clock() AS now FROM throttles WHERE key = @key`, args{"key": key}))
	if errors.Is(err, ErrNotFound) { // forgiven in between
		return time.Second, nil
	}
	return max(row.TAT.Add(interval-interval*time.Duration(burst)).Sub(row.Now), time.Second), err
}

type throttleRow struct {
	TAT time.Time
	Now time.Time
}

// RefundThrottle reverses one action that Throttle allowed for a key.
func (s *Store) RefundThrottle(ctx context.Context, key string, interval time.Duration) error {
	return s.exec(ctx, `UPDATE throttles SET tat = tat - @interval::interval WHERE key = @key`, args{"key": key, "interval": interval})
}

// ResetThrottle deletes the count of a key.
func (s *Store) ResetThrottle(ctx context.Context, key string) error {
	return s.exec(ctx, `DELETE FROM throttles WHERE key = @key`, args{"key": key})
}
