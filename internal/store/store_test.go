package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"belfry/internal/core"
	"belfry/internal/store"
	"belfry/internal/store/storetest"
)

// world is a database with two workspaces, each with an owner.
type world struct {
	*store.Store
	pool     *pgxpool.Pool
	one, two side
}

type side struct {
	store.Tenant
	id    core.WorkspaceID
	owner core.UserID
}

var start = time.Date(2026, 10, 5, 9, 0, 0, 0, time.UTC)

func newWorld(t *testing.T) world {
	t.Helper()
	pool := storetest.Pool(t)
	s, err := store.New(pool)
	must(t, err)
	return world{s, pool, newSide(t, s, "one"), newSide(t, s, "two")}
}

// ends answers true once done is closed, or false when whoever closes it waits for a lock.
func (w world) ends(t *testing.T, done <-chan struct{}) bool {
	t.Helper()
	ticks := time.NewTicker(5 * time.Millisecond)
	defer ticks.Stop()
	for deadline := time.After(20 * time.Second); ; {
		select {
		case <-done:
			return true
		case <-deadline:
			t.Fatal("it neither ends nor waits for a lock")
		case <-ticks.C:
		}
		var waits bool
		must(t, w.pool.QueryRow(t.Context(),
			`SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')`).Scan(&waits))
		if waits {
			return false
		}
	}
}

func newSide(t *testing.T, s *store.Store, slug string) side {
	t.Helper()
	w := core.Workspace{
		ID: core.NewID[core.WorkspaceKind](), Slug: slug, Name: "Workspace " + slug, Plan: core.PlanOwner,
		Currency: "USD",
	}
	added, err := s.AddWorkspace(t.Context(), w, start)
	must(t, err)
	if !added {
		t.Fatalf("%s was not added", slug)
	}
	u := core.User{ID: core.NewID[core.UserKind](), Name: "Owner " + slug, Email: slug + "@example.org"}
	must(t, s.AddUser(t.Context(), u, "hash of "+slug, start))
	must(t, s.AddMember(t.Context(), w.ID, u.ID, core.RoleOwner, start))
	return side{s.In(w.ID), w.ID, u.ID}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func missing(t *testing.T, what string, err error) {
	t.Helper()
	if core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("%s: %v; want not_found", what, err)
	}
}

func conflict(t *testing.T, what string, err error) {
	t.Helper()
	var e *core.Error
	if !errors.As(err, &e) || e.Code != core.CodeConflict || e.Message == "" {
		t.Errorf("%s: %v; want conflict", what, err)
	}
}
