package app_test

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/core"
	"belfry/internal/store"
)

func TestABusyWorkspaceHidesNoNewsOfAnother(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	quiet, busy := h.Workspace("quiet"), h.Workspace("busy")
	post := quiet.Draft("ding", quiet.Account("threads"))
	busy.Draft("dong", busy.Account("threads"))
	_, err := h.Pool.Exec(t.Context(), `
		INSERT INTO post_events (workspace_id, post_id, kind, at)
		SELECT p.workspace_id, p.id, 'edited', clock() FROM posts p, generate_series(1, 2000) WHERE p.workspace_id = $1`, busy.Owner.Workspace())
	must(t, err)
	both := []core.WorkspaceID{busy.Owner.Workspace(), quiet.Owner.Workspace()}
	found, err := h.Store.RecentAndOngoingActivity(t.Context(), both)
	must(t, err)
	isOurs := func(activity store.Activity) bool { return activity.Post.String() == post.ID }
	if !slices.ContainsFunc(found, isOurs) {
		t.Error("the draft of the quiet workspace is not among what goes on")
	}
}

func TestASlowReaderGetsAllThatHasChangedAtOnce(t *testing.T) {
	t.Parallel()
	var w app.Watchers
	workspace := core.NewID[core.WorkspaceKind]()
	changes := w.Watch(workspace)
	event := func(n int) store.Activity {
		return store.Activity{Workspace: workspace, Post: core.NewID[core.PostKind](), What: "event " + strconv.Itoa(n)}
	}
	first, second, third := event(1), event(2), event(3)
	w.Tell(false, first)
	w.Tell(false, first, second)
	w.Tell(false, third) // the others are too old by now
	got := <-changes
	want := []string{first.Post.String(), second.Post.String(), third.Post.String()}
	slices.Sort(want)
	if !slices.Equal(got.Posts, want) || got.All {
		t.Errorf("the reader gets %+v; want %v", got, want)
	}
	w.Tell(false, third)
	if len(changes) != 0 {
		t.Errorf("it gets %+v once more", <-changes)
	}
	for n := range 1001 {
		w.Tell(false, event(n))
	}
	if got := <-changes; !got.All || len(got.Posts) != 0 {
		t.Errorf("of 1,001 changes, %d are named", len(got.Posts))
	}
}

func TestAfterAnOutageAnythingMayHaveChanged(t *testing.T) {
	t.Parallel()
	var w app.Watchers
	changes := w.Watch(core.NewID[core.WorkspaceKind]())
	w.Tell(true)
	if len(changes) != 1 || !(<-changes).All {
		t.Error("the reader is not told")
	}
}

// The look of the first watcher meets a table that is locked.
func TestALookDoesNotWaitForADatabaseThatHangs(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	tx, err := h.Pool.Begin(t.Context())
	must(t, err)
	defer tx.Rollback(t.Context())
	_, err = tx.Exec(t.Context(), `LOCK TABLE post_events`)
	must(t, err)
	_, err = h.App.WatchRecentAndNewChanges(t.Context(), ws.Owner)
	must(t, err)
	waits := func(pid int) (n int) {
		must(t, tx.QueryRow(t.Context(), `
			SELECT coalesce(max(pid), 0) FROM pg_locks
			WHERE NOT granted AND relation = 'post_events'::regclass AND $1 IN (0, pid)`, pid).Scan(&n))
		return n
	}
	pid := 0
	h.Eventually("a look waits for the table", func() bool { pid = waits(0); return pid != 0 })
	began := time.Now()
	h.Eventually("the look has given up", func() bool { return waits(pid) == 0 })
	if took := time.Since(began); took > 2*app.LookTime {
		t.Errorf("it has waited %s", took)
	}
}
