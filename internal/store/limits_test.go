package store_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"belfry/internal/store"
)

func TestLimitsHoldByTheRunningClock(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, count := range map[string]func() (store.RateCount, error){
		"address": func() (store.RateCount, error) {
			return w.CountAddressRequestIfAllowed(t.Context(), "192.0.2.1", 40, time.Hour)
		},
		"creations": func() (store.RateCount, error) {
			return w.one.CountPostCreationRequestIfAllowed(t.Context(), 40, time.Hour)
		},
	} {
		var granted atomic.Int64
		var group sync.WaitGroup
		for range 120 {
			group.Go(func() {
				c, err := count()
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
				if c.Granted {
					granted.Add(1)
				} else if c.RetryAfter <= 0 || c.RetryAfter > time.Hour+time.Minute || c.Remaining != 0 {
					t.Errorf("%s: a refusal says %+v", name, c)
				}
			})
		}
		group.Wait()
		if granted.Load() != 40 {
			t.Errorf("%s: %d were granted of 40", name, granted.Load())
		}
	}
	if c, err := w.two.PostCreationCount(t.Context(), 40, time.Hour); err != nil || c.Remaining != 40 || c.Granted {
		t.Errorf("a look at the other's: %+v, %v", c, err)
	}
}

// A short window really passes: nothing here moves a clock.
func TestAShortWindowPasses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	count := func() store.RateCount {
		t.Helper()
		c, err := w.CountAddressRequestIfAllowed(t.Context(), "192.0.2.1", 2, time.Second)
		must(t, err)
		return c
	}
	count()
	count()
	deadline := time.Now().Add(20 * time.Second)
	for c := count(); !c.Granted; c = count() {
		if time.Now().After(deadline) {
			t.Fatal("nothing passes any more")
		}
		<-time.After(c.RetryAfter)
	}
}

func TestAThrottleGivesABurstAndThenOneAtATime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	try := func() time.Duration {
		t.Helper()
		wait, err := w.CountActionUnlessThrottled(t.Context(), "k", 3, time.Hour)
		must(t, err)
		return wait
	}
	for i := range 3 {
		if wait := try(); wait != 0 {
			t.Errorf("try %d waits %s", i, wait)
		}
	}
	for range 2 { // a refusal costs nothing
		if wait := try(); wait <= 59*time.Minute || wait > time.Hour {
			t.Errorf("the fourth waits %s", wait)
		}
	}
	must(t, w.ResetThrottle(t.Context(), "k"))
	if wait := try(); wait != 0 {
		t.Errorf("once forgiven it waits %s", wait)
	}
}

// A file on its way takes what is left as its refusal told it: nobody may take that first.
func TestWhatARefusalSaysOfTheStorageStaysTrue(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	limit := int64(10)
	take := func(in store.Tenant, n, used int64, want bool) {
		t.Helper()
		if got, ok, err := in.ReserveStorage(t.Context(), n, &limit); err != nil || ok != want || got != used {
			t.Errorf("taking %d: %d, %v, %v; want %d, %v", n, got, ok, err, used, want)
		}
	}
	take(w.one.Tenant, 1, 1, true)
	var group sync.WaitGroup
	must(t, w.one.Tx(t.Context(), func(one store.Tenant) error {
		take(one, 10, 1, false)
		taken := make(chan struct{})
		group.Go(func() {
			defer close(taken)
			take(w.one.Tenant, 4, 10, false)
		})
		if w.ends(t, taken) {
			t.Error("another takes of it")
		}
		take(one, 9, 10, true)
		return nil
	}))
	group.Wait()
	take(w.two.Tenant, 10, 10, true)
}

func TestReplaysBelongToOneWorkspaceAndRoute(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := store.ReplayKey{Route: "POST /posts", Key: "k", Fingerprint: []byte("f")}
	begin := func(in store.Tenant, r store.ReplayKey) (store.FirstRequest, bool) {
		t.Helper()
		kept, first, err := in.ReserveReplayKey(t.Context(), r, time.Minute, time.Hour)
		must(t, err)
		return kept, first
	}
	if _, first := begin(w.one.Tenant, r); !first {
		t.Error("the first is none")
	}
	if kept, first := begin(w.one.Tenant, r); first || kept.Status != 0 {
		t.Errorf("while it runs: %+v", kept)
	}
	if _, first := begin(w.two.Tenant, r); !first {
		t.Error("another workspace's is taken for a repetition")
	}
	must(t, w.two.ReleaseReplayKey(t.Context(), r))
	keep := func(w store.Tenant, status int, body string, want bool) {
		t.Helper()
		if kept, err := w.SaveReplay(t.Context(), r, status, []byte(body)); err != nil || kept != want {
			t.Errorf("keeping %q: %v, %v; want %v", body, kept, err, want)
		}
	}
	keep(w.two.Tenant, 201, "", false) // its key is free
	keep(w.one.Tenant, 201, "body", true)
	keep(w.one.Tenant, 200, "late", false)
	must(t, w.one.ReleaseReplayKey(t.Context(), r)) // too late as well
	if kept, first := begin(w.one.Tenant, r); first || kept.Status != 201 || string(kept.Body) != "body" ||
		string(kept.Fingerprint) != "f" {
		t.Errorf("the answer: %+v", kept)
	}
	other := r
	other.Route = "POST /media/uploads"
	if _, first := begin(w.one.Tenant, other); !first {
		t.Error("another route's is taken for a repetition")
	}
}

func TestPulseAndHousekeeping(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if p, err := w.ReadPulse(t.Context(), time.Minute, time.Minute); err != nil || p.WorkerSeen || p.Overdue {
		t.Errorf("at first: %+v, %v", p, err)
	}
	must(t, w.RecordHeartbeat(t.Context(), "w"))
	must(t, w.RecordHeartbeat(t.Context(), "w"))
	if p, err := w.ReadPulse(t.Context(), time.Minute, time.Minute); err != nil || !p.WorkerSeen {
		t.Errorf("after a beat: %+v, %v", p, err)
	}
	uses := store.Retention{Replays: time.Hour, Creations: time.Hour, Addresses: time.Hour, Workers: time.Hour}
	must(t, w.DeleteOldRows(t.Context(), start, uses))
	if p, err := w.ReadPulse(t.Context(), time.Minute, time.Minute); err != nil || !p.WorkerSeen {
		t.Errorf("housekeeping dropped a worker that reports: %+v, %v", p, err)
	}
	must(t, w.MarkExpiredAccounts(t.Context(), "late"))
	must(t, w.RestoreAccountsConnectedViaAndRevokeOthers(t.Context(), "http://here", "elsewhere"))
}
