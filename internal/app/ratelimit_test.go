package app_test

import (
	"context"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/core"
)

const address = "203.0.113.7"

// together runs f n times at once and counts how often it succeeded and how often it was rate limited.
func together(t *testing.T, n int, f func(i int) error) (passed, limited int64) {
	t.Helper()
	var ok, refused atomic.Int64
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			switch err := f(i); {
			case err == nil:
				ok.Add(1)
			case core.CodeOf(err) == core.CodeRateLimited:
				refused.Add(1)
			default:
				t.Errorf("call %d: %v", i, err)
			}
		})
	}
	group.Wait()
	return ok.Load(), refused.Load()
}

func limitAddress(most int, window time.Duration) func(*app.Config) {
	return func(c *app.Config) { c.LimitAddress = app.Rate{Max: most, Window: window} }
}

func TestReplicasCountAnAddressExactlyTogether(t *testing.T) {
	t.Parallel()
	h := apptest.New(t, limitAddress(50, 10*time.Minute))
	replicas := []*app.App{h.App, h.Replica(), h.Replica()}
	passed, limited := together(t, 200, func(i int) error {
		_, err := replicas[i%len(replicas)].CountRequestAndFindCaller(t.Context(), address, "")
		return err
	})
	if passed != 50 || limited != 150 {
		t.Errorf("%d passed and %d were refused; want 50 and 150", passed, limited)
	}
	if c, err := h.App.CountRequestAndFindCaller(t.Context(), "203.0.113.8", ""); err != nil || c.Counted.Remaining != 49 {
		t.Errorf("another address: %+v, %v", c, err)
	}
}

// The limit holds for every window, not for clock-aligned ones: after a burst the whole of it counts until
// it is out of the window.
func TestNoWindowOfAnAddressHoldsTooMany(t *testing.T) {
	t.Parallel()
	const most = 20
	window := 10 * time.Minute
	h := apptest.New(t, limitAddress(most, window))
	var passed []time.Time
	random := rand.New(rand.NewPCG(1, 2))
	for range 600 {
		if _, err := h.App.CountRequestAndFindCaller(t.Context(), address, ""); err == nil {
			passed = append(passed, h.Clock.Now())
		} else if core.CodeOf(err) != core.CodeRateLimited {
			t.Fatal(err)
		}
		h.Clock.Advance(time.Duration(random.Int64N(int64(20 * time.Second))))
	}
	for i, at := range passed {
		n := 0
		for _, other := range passed[i:] {
			if other.Sub(at) < window {
				n++
			}
		}
		if n > most {
			t.Fatalf("%d requests passed within one window from %s on", n, at)
		}
	}
	// About ten windows went by.
	if len(passed) < 8*most {
		t.Errorf("only %d passed in about 100 minutes", len(passed))
	}
}

func TestRetryAfterIsWhenOneRequestPasses(t *testing.T) {
	t.Parallel()
	h := apptest.New(t, limitAddress(7, 10*time.Minute))
	random := rand.New(rand.NewPCG(3, 4))
	refused := 0
	for refused < 200 {
		arrival, err := h.App.CountRequestAndFindCaller(t.Context(), address, "")
		c := arrival.Counted
		if err == nil {
			h.Clock.Advance(time.Duration(random.Int64N(int64(30 * time.Second))))
			continue
		}
		refused++
		e := core.ErrorOrInternal(err)
		if e.Code != core.CodeRateLimited || c.Remaining != 0 || c.RetryAfter < c.Reset ||
			time.Duration(e.RetryAfter)*time.Second < c.RetryAfter {
			t.Fatalf("a refusal says %+v, %+v", c, e)
		}
		h.Clock.Advance(c.RetryAfter - time.Microsecond)
		if _, err := h.App.CountRequestAndFindCaller(t.Context(), address, ""); err == nil {
			t.Fatalf("a request passed before RetryAfter of %s", c.RetryAfter)
		}
		h.Clock.Advance(time.Duration(e.RetryAfter)*time.Second - c.RetryAfter + time.Microsecond)
		if _, err := h.App.CountRequestAndFindCaller(t.Context(), address, ""); err != nil {
			t.Fatalf("after exactly Retry-After of %d seconds: %v", e.RetryAfter, err)
		}
	}
}

func TestAFloodDoesNotReachTheDatabase(t *testing.T) {
	t.Parallel()
	h := apptest.New(t, limitAddress(3, time.Minute))
	for range 4 {
		_, _ = h.App.CountRequestAndFindCaller(t.Context(), address, "")
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel() // no query can succeed with this context
	if c, err := h.App.CountRequestAndFindCaller(gone, address, ""); core.CodeOf(err) != core.CodeRateLimited || c.Counted.RetryAfter <= 0 {
		t.Errorf("a refused address was asked about again: %+v, %v", c, err)
	}
	if _, err := h.App.CountRequestAndFindCaller(gone, "203.0.113.9", ""); err == nil || core.CodeOf(err) == core.CodeRateLimited {
		t.Errorf("an address that was not refused never reached the database: %v", err)
	}
	h.Clock.Advance(62 * time.Second)
	if _, err := h.App.CountRequestAndFindCaller(t.Context(), address, ""); err != nil {
		t.Errorf("after the window: %v", err)
	}
}

func TestManyRefusedAddressesTakeBoundedMemory(t *testing.T) {
	t.Parallel()
	h := apptest.New(t, limitAddress(1, time.Minute))
	for i := range 300 {
		key := "198.51.100." + strconv.Itoa(i)
		_, _ = h.App.CountRequestAndFindCaller(t.Context(), key, "")
		if _, err := h.App.CountRequestAndFindCaller(t.Context(), key, ""); core.CodeOf(err) != core.CodeRateLimited {
			t.Fatalf("%s: %v", key, err)
		}
	}
	if n := h.App.RefusedAddresses(); n != 300 {
		t.Errorf("%d addresses are remembered", n)
	}
}

func TestAClockSetBackDoesNotLockAnAddressOut(t *testing.T) {
	t.Parallel()
	h := apptest.New(t, limitAddress(2, time.Minute))
	h.Clock.Advance(24 * time.Hour)
	for range 3 {
		_, _ = h.App.CountRequestAndFindCaller(t.Context(), address, "")
	}
	h.Clock.Set(apptest.Start())
	if _, err := h.Replica().CountRequestAndFindCaller(t.Context(), address, ""); err != nil {
		t.Errorf("after the clock was set right: %v", err)
	}
}
