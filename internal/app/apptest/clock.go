package apptest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Start returns the time at which every test begins: a Monday without a clock change in any zone.
func Start() time.Time { return time.Date(2026, 10, 5, 9, 0, 0, 0, time.UTC) }

// Clock is the clock of the App, its database and the simulated networks. It moves only when a test moves it.
type Clock struct {
	t    testing.TB
	pool *pgxpool.Pool
	mu   sync.Mutex
	now  time.Time
}

// newClockSetToStart returns a clock that shows Start, and sets the database's clock to the same time.
func newClockSetToStart(t testing.TB, pool *pgxpool.Pool) *Clock {
	t.Helper()
	c := &Clock{t: t, pool: pool}
	c.Set(Start())
	return c
}

// Now returns the time of the clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock forward.
func (c *Clock) Advance(by time.Duration) {
	c.t.Helper()
	c.Set(c.Now().Add(by))
}

// Set sets the clock to a time.
func (c *Clock) Set(to time.Time) {
	c.t.Helper()
	if err := c.trySet(to); err != nil {
		c.t.Fatalf("set the database's clock: %v", err)
	}
}

// TryAdvance is like Advance, but returns an error if the database does not respond.
func (c *Clock) TryAdvance(by time.Duration) error { return c.trySet(c.Now().Add(by)) }

func (c *Clock) trySet(to time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	to = to.UTC().Truncate(time.Microsecond)
	sql := `CREATE OR REPLACE FUNCTION clock() RETURNS timestamptz LANGUAGE sql STABLE AS
		$$SELECT '` + to.Format(time.RFC3339Nano) + `'::timestamptz$$`
	if _, err := c.pool.Exec(context.WithoutCancel(c.t.Context()), sql); err != nil {
		return err
	}
	c.now = to
	return nil
}
