package store_test

import (
	"context"
	"testing"
	"time"

	"belfry/internal/core"
	"belfry/internal/store"
)

// The last call that the network takes may be counted while another one waits for the row. What the other one sees
// then does not say how long to wait, and a whole window more would be too long.
func TestACallThatLosesTheLastPlaceLooksAgainSoon(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := store.Budget{Platform: core.Platform("threads"), Name: "uploads", Count: 2, Cost: 1}
	since := time.Now().Add(-24 * time.Hour)
	take := func(s *store.Store) time.Time {
		blocking, err := s.ReserveCallIfRoom(t.Context(), b, since)
		must(t, err)
		return blocking
	}
	if blocking := take(w.Store); !blocking.IsZero() {
		t.Fatalf("the first call waits for the one at %s", blocking)
	}
	var blocking time.Time
	done := make(chan struct{})
	must(t, w.Tx(t.Context(), func(s *store.Store) error {
		if last := take(s); !last.IsZero() {
			t.Errorf("the last call waits for the one at %s", last)
		}
		go func() {
			defer close(done)
			blocking, _ = w.ReserveCallIfRoom(context.WithoutCancel(t.Context()), b, since)
		}()
		if w.ends(t, done) {
			t.Error("the call did not wait for the row")
		}
		return nil
	}))
	<-done
	if blocking.IsZero() || blocking.After(since.Add(time.Second)) {
		t.Errorf("the call waits until the one at %s is out of the window", blocking)
	}
}
