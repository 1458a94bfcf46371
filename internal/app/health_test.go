package app_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
)

func TestHealthNeedsAWorkerThatReports(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	if e := want(t, core.CodeUnavailable, h.App.CheckDatabaseAndWorkers(t.Context())); !strings.Contains(e.Message, "worker") {
		t.Errorf("it says %s", e.Message)
	}
	must(t, h.App.RecordHeartbeat(t.Context(), "worker-1"))
	must(t, h.App.CheckDatabaseAndWorkers(t.Context()))
	h.Clock.Advance(30 * time.Second)
	want(t, core.CodeUnavailable, h.App.CheckDatabaseAndWorkers(t.Context()))
	must(t, h.Replica().RecordHeartbeat(t.Context(), "worker-2"))
	must(t, h.App.CheckDatabaseAndWorkers(t.Context()))
}

func TestHealthNeedsTheDatabaseAndItsSchema(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	must(t, h.App.RecordHeartbeat(t.Context(), "w"))
	old := h.Replica(func(c *app.Config) {
		c.Schema = func(context.Context) error { return errors.New("version 1 of 2") }
	})
	if e := want(t, core.CodeUnavailable, old.CheckDatabaseAndWorkers(t.Context())); !strings.Contains(e.Message, "schema") ||
		strings.Contains(e.Message, "version 1") {
		t.Errorf("it says %s", e.Message)
	}
	h.Pool.Close()
	if e := want(t, core.CodeUnavailable, h.App.CheckDatabaseAndWorkers(context.WithoutCancel(t.Context()))); !strings.Contains(e.Message,
		"database") {
		t.Errorf("it says %s", e.Message)
	}
}

func TestHealthReportsAnOverduePost(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	at := h.Clock.Now().Add(time.Hour)
	post := ws.Queued("hello", ws.Account("threads"), at)
	healthy := func() bool {
		t.Helper()
		must(t, h.App.RecordHeartbeat(t.Context(), "w"))
		err := h.App.CheckDatabaseAndWorkers(t.Context())
		if err != nil && !strings.Contains(err.Error(), "A post has been due") {
			t.Fatal(err)
		}
		return err == nil
	}
	h.Clock.Set(at.Add(59 * time.Second))
	if !healthy() {
		t.Error("red before a minute")
	}
	h.Clock.Set(at.Add(60 * time.Second))
	if healthy() {
		t.Error("green after a minute")
	}
	ledger(t, h, post, `lease_until = clock() + '10 seconds'::interval, lease_owner = 'w'`)
	if !healthy() {
		t.Error("red while a worker holds it")
	}
	h.Clock.Advance(69 * time.Second)
	if !healthy() {
		t.Error("red although the worker died less than a minute ago")
	}
	h.Clock.Advance(time.Second)
	if healthy() {
		t.Error("green although the worker died a minute ago")
	}
	ledger(t, h, post, `next_action_at = clock() + '5 minutes'::interval, lease_until = NULL`)
	if !healthy() {
		t.Error("red while it waits for a retry")
	}
}

func TestHousekeepingDeletesWhatHasExpired(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	count := func() map[string]int {
		t.Helper()
		counts := map[string]int{}
		for _, table := range []string{"sessions", "connections", "idempotency", "create_log", "address_log", "throttles", "workers", "river_job"} {
			var n int
			must(t, h.Pool.QueryRow(t.Context(), `SELECT count(*) FROM `+table).Scan(&n))
			counts[table] = n
		}
		return counts
	}
	fill := func() {
		t.Helper()
		_, err := h.Pool.Exec(t.Context(), `INSERT INTO sessions (token, data, expiry) VALUES ($1, '', $2)`, h.Clock.Now().String(), h.Clock.Now().Add(time.Hour))
		must(t, err)
		_, err = h.App.StartConnect(t.Context(), ws.Owner, contract.Connect{Platform: "threads"})
		must(t, err)
		_, err = h.App.Admit(t.Context(), ws.Owner, creation, replayOf("key-"+h.Clock.Now().Format("150405"), ""))
		must(t, err)
		_, err = h.App.CountRequestAndFindCaller(t.Context(), h.Clock.Now().String(), "")
		must(t, err)
		_, err = h.Store.CountActionUnlessThrottled(t.Context(), h.Clock.Now().String(), 1, time.Hour)
		must(t, err)
		must(t, h.App.RecordHeartbeat(t.Context(), h.Clock.Now().String()))
	}
	fill()
	for _, kind := range []string{"link", "publish"} { // no worker of this version works the second
		_, err := h.Pool.Exec(t.Context(), `INSERT INTO river_job (kind, args) VALUES ($1, '{}')`, kind)
		must(t, err)
	}
	must(t, h.App.DeleteExpiredRowsAndUpdateSecretKeyMetric(t.Context()))
	for table, n := range count() {
		if n != 1 {
			t.Errorf("%s: %d rows after housekeeping at once", table, n)
		}
	}
	h.Clock.Advance(25 * time.Hour)
	fill()
	must(t, h.App.DeleteExpiredRowsAndUpdateSecretKeyMetric(t.Context()))
	for table, n := range count() {
		if n != 1 {
			t.Errorf("%s: %d rows a day later", table, n)
		}
	}
}

func TestLimitsAreThoseOfTheNetworks(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	got, err := h.App.GetNetworkLimits(t.Context(), h.Workspace("one").Key(core.Read).Caller)
	must(t, err)
	for _, card := range h.App.ListSupportedNetworks() {
		if got.Limits[string(card.ID)] == nil || !card.Configured {
			t.Errorf("%s is missing or not configured", card.ID)
		}
	}
}

func TestTheFiguresTellOfOverduePosts(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	at := h.Clock.Now().Add(time.Hour)
	ws.Queued("hello", ws.Account("threads"), at)
	figures := func() [2]float64 {
		t.Helper()
		must(t, h.App.UpdateOverdueMetrics(t.Context()))
		return [2]float64{gauge(t, h, "publications_overdue"), gauge(t, h, "oldest_due_seconds")}
	}
	if got := figures(); got != [2]float64{0, 0} {
		t.Errorf("before its time: %v", got)
	}
	h.Clock.Set(at.Add(90 * time.Second))
	if got := figures(); got != [2]float64{1, 90} {
		t.Errorf("90 seconds after it: %v", got)
	}
}

func gauge(t *testing.T, h *apptest.Harness, name string) float64 {
	t.Helper()
	families, err := h.Config.Metrics.Registry.Gather()
	must(t, err)
	for _, f := range families {
		if f.GetName() == name {
			return f.GetMetric()[0].GetGauge().GetValue()
		}
	}
	t.Fatalf("there is no figure %s", name)
	return 0
}
