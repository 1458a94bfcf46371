package store_test

import (
	"errors"
	"testing"
	"time"

	"belfry/internal/core"
	"belfry/internal/store"
	"belfry/internal/store/storetest"
)

// world is a database with two workspaces, each with an owner.
type world struct {
	*store.Store
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
	s, err := store.New(storetest.Pool(t))
	must(t, err)
	return world{s, newSide(t, s, "one"), newSide(t, s, "two")}
}

func newSide(t *testing.T, s *store.Store, slug string) side {
	t.Helper()
	w := core.Workspace{ID: core.NewID[core.WorkspaceKind](), Slug: slug, Name: "Workspace " + slug, Plan: core.PlanOwner, Currency: "USD"}
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
