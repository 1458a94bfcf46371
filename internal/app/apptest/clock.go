package apptest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Start is when every test begins: a Monday, in no zone's clock change.
func Start() time.Time { return time.Date(2026, 10, 5, 9, 0, 0, 0, time.UTC) }

// Clock is the time of the App, of its database and of the simulated networks. It stands still.
type Clock struct {
	t    testing.TB
	pool *pgxpool.Pool
	mu   sync.Mutex
	now  time.Time
}

func newClock(t testing.TB, pool *pgxpool.Pool) *Clock {
	t.Helper()
	c := &Clock{t: t, pool: pool}
	c.Set(Start())
	return c
}

// Now is what the clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock.
func (c *Clock) Advance(by time.Duration) {
	c.t.Helper()
	c.Set(c.Now().Add(by))
}

// Set puts the clock to a time.
func (c *Clock) Set(to time.Time) {
	c.t.Helper()
	if err := c.trySet(to); err != nil {
		c.t.Fatalf("set the database's clock: %v", err)
	}
}

// TryAdvance moves the clock, unless the database does not respond.
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
