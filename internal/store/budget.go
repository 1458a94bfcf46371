package store

import (
	"context"
	"time"

	"belfry/internal/core"
)

// Budget identifies calls that a network counts together: those of an account or, with an empty scope, those of the
// server.
type Budget struct {
	Platform core.Platform
	Scope    string
	Name     string
	Count    int // how many the network allows
	Cost     int // how many the next call counts as
}

// ReserveCallIfRoom counts a call that is about to be made and returns the zero time, unless the calls since
// windowStart leave no room for it. In that case, it returns the time of the call that must leave the window first. If
// that call is not known yet, because another worker has just taken the room, it returns windowStart.
func (s *Store) ReserveCallIfRoom(ctx context.Context, b Budget, windowStart time.Time,
) (blockingCallAtOrZero time.Time, err error) {
	type answer struct{ Blocking time.Time }
	found, err := queryOne[answer](s.query(ctx, `
		WITH taken AS (
			INSERT INTO call_budgets AS b (platform, scope, name, calls)
			VALUES (@platform, @scope, @name, array_fill(clock(), ARRAY[@cost::int]))
			ON CONFLICT (platform, scope, name) DO UPDATE
				SET calls = ARRAY(SELECT at FROM unnest(b.calls) AS at WHERE at > @since) || excluded.calls
				WHERE (SELECT count(*) FROM unnest(b.calls) AS at WHERE at > @since) <= @count::int - @cost::int
			RETURNING platform, `+relaxed+`
		)
		SELECT CASE WHEN NOT EXISTS (SELECT FROM taken) THEN coalesce((
			SELECT at FROM call_budgets b, unnest(b.calls) AS at
			WHERE b.platform = @platform AND b.scope = @scope AND b.name = @name AND at > @since
			ORDER BY at DESC OFFSET @count::int - @cost::int LIMIT 1), @since) END AS blocking`,
		args{
			"platform": b.Platform, "scope": b.Scope, "name": b.Name, "count": b.Count, "cost": b.Cost, "since": windowStart,
		}))
	return found.Blocking, err
}

// CountedCalls are the calls that count for a budget.
type CountedCalls struct {
	Platform core.Platform
	Scope    string
	Name     string
	Calls    []time.Time
}

// CountedCalls returns the calls that were counted for the given scopes on the given platforms.
func (s *Store) CountedCalls(ctx context.Context, platforms []core.Platform, scopes []string) ([]CountedCalls, error) {
	return queryMany[CountedCalls](s.query(ctx, `
		SELECT platform, scope, name, calls FROM call_budgets WHERE platform = ANY(@platforms) AND scope = ANY(@scopes)`,
		args{"platforms": platforms, "scopes": scopes}))
}

// RefundUnmadeCall removes the latest call that ReserveCallIfRoom counted, because it was not made.
func (s *Store) RefundUnmadeCall(ctx context.Context, b Budget) error {
	return s.exec(ctx, `UPDATE call_budgets SET calls = calls[:cardinality(calls) - @cost::int]
		WHERE platform = @platform AND scope = @scope AND name = @name`,
		args{"platform": b.Platform, "scope": b.Scope, "name": b.Name, "cost": b.Cost})
}
