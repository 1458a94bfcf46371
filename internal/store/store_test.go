package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
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

// PostgreSQL changes a row without touching the table's indexes only if no index is on a column that changes, in its
// condition neither. A claim changes each due post's rows, so that matters most when many are due at once.
func TestAClaimChangesNoIndexedColumn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for table, columns := range map[string][]string{
		"posts":        {"error_code", "error_message", "error_hint", "attempts", "updated_at"},
		"publications": {"lease_epoch", "lease_owner", "lease_until", "rest", "calling"},
	} {
		rows, err := w.pool.Query(t.Context(), `
			SELECT DISTINCT d.objid::regclass::text || ' on ' || a.attname FROM pg_depend d
			JOIN pg_class c ON c.oid = d.objid AND c.relkind = 'i' AND d.classid = 'pg_class'::regclass
			JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
			WHERE d.refobjid = $1::regclass AND a.attname = ANY($2)`, table, columns)
		must(t, err)
		indexes, err := pgx.CollectRows(rows, pgx.RowTo[string])
		must(t, err)
		for _, index := range indexes {
			t.Errorf("the index %s is changed by each claim", index)
		}
	}
}

func TestWritingARowThatAnotherWorkspaceOwnsOrNobodyReturnsNotFound(t *testing.T) {
	t.Parallel()
	ctx, w := t.Context(), newWorld(t)
	s, nobody := w.two.Tenant, core.NewID[core.UserKind]()
	post, account := core.NewID[core.PostKind](), core.NewID[core.AccountKind]()
	file := store.Media{Media: core.Media{ID: core.NewID[core.MediaKind]()}}
	for what, err := range map[string]error{
		"a folder":                 s.UpdateFolder(ctx, core.Folder{ID: core.NewID[core.FolderKind]()}, ""),
		"a group":                  s.UpdateGroupFields(ctx, store.Group{ID: core.NewID[core.GroupKind]()}),
		"a deleted group":          s.DeleteGroup(ctx, core.NewID[core.GroupKind]()),
		"a file":                   s.UpdateMediaDetails(ctx, file),
		"a purged file":            s.MarkMediaPurgedAndFreeStorage(ctx, file, start),
		"a post":                   s.UpdatePostExceptMedia(ctx, core.Post{ID: post}),
		"a deleted post":           s.DeletePost(ctx, post),
		"a disconnected account":   s.DisconnectAccount(ctx, account, "", start),
		"a held account":           s.HoldAccountPosts(ctx, account, start),
		"a checked account":        s.ScheduleAccountCheck(ctx, account, time.Hour),
		"a revoked key":            s.DeleteKey(ctx, core.NewID[core.KeyKind]()),
		"another's name":           s.UpdateUser(ctx, core.User{ID: w.one.owner, Name: "A", Email: "a@example.org"}),
		"another's password":       s.SetMemberPasswordHash(ctx, w.one.owner, "hash"),
		"another's choice":         s.SetMailChoice(ctx, w.one.owner, core.MailNone),
		"another's first steps":    s.HideFirstSteps(ctx, w.one.owner),
		"nobody's password":        w.SetPasswordHash(ctx, nobody, "hash"),
		"nobody's shortcuts":       w.SetShortcutsEnabled(ctx, nobody, true),
		"the plan of no workspace": w.SetWorkspacePlan(ctx, core.NewID[core.WorkspaceKind](), core.PlanOwner),
	} {
		missing(t, what, err)
	}
}
