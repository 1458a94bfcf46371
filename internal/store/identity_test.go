package store_test

import (
	"testing"
	"time"

	"belfry/internal/core"
	"belfry/internal/store"
)

func TestAWorkspaceIsFoundBySlugAndID(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, name := range []string{"one", w.one.id.String()} {
		got, err := w.WorkspaceBySlugOrID(t.Context(), name)
		if err != nil || got.ID != w.one.id || got.Name != "Workspace one" || got.Zone.Name() != "UTC" ||
			got.Plan != core.PlanOwner {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	_, err := w.WorkspaceBySlugOrID(t.Context(), "three")
	missing(t, "an unknown slug", err)
	must(t, w.SetWorkspacePlan(t.Context(), w.one.id, core.PlanFree))
	if got, err := w.one.Workspace(t.Context()); err != nil || got.Plan != core.PlanFree {
		t.Errorf("after the change: %+v, %v", got, err)
	}
	if got, err := w.two.Workspace(t.Context()); err != nil || got.Plan != core.PlanOwner {
		t.Errorf("the other: %+v, %v", got, err)
	}
	missing(t, "an unknown id", w.SetWorkspacePlan(t.Context(), core.NewID[core.WorkspaceKind](), core.PlanFree))
	_, err = w.In(core.NewID[core.WorkspaceKind]()).Workspace(t.Context())
	missing(t, "an unknown tenant", err)
	missing(t, "a lock on it", w.In(core.NewID[core.WorkspaceKind]()).LockWorkspace(t.Context()))
	must(t, w.one.LockWorkspace(t.Context()))
	added, err := w.AddWorkspace(t.Context(), core.Workspace{ID: core.NewID[core.WorkspaceKind](), Slug: "one"}, start)
	if err != nil || added {
		t.Errorf("a second of that slug: %v, %v", added, err)
	}
	if exists, err := w.HasAnyWorkspace(t.Context()); err != nil || !exists {
		t.Errorf("none exists? %v, %v", exists, err)
	}
}

func TestPeopleAndTheirMemberships(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	u, err := w.UserForSignIn(t.Context(), "ONE@example.org")
	if err != nil || u.ID != w.one.owner || u.PasswordHash != "hash of one" || u.Name != "Owner one" {
		t.Errorf("by email: %+v, %v", u, err)
	}
	_, err = w.UserForSignIn(t.Context(), "three@example.org")
	missing(t, "an unknown address", err)
	conflict(t, "an address in use", w.AddUser(t.Context(), core.User{ID: core.NewID[core.UserKind](), Email: "One@Example.org"}, "", start))
	must(t, w.SetPasswordHash(t.Context(), u.ID, "new"))
	if u, err := w.UserForSignIn(t.Context(), "one@example.org"); err != nil || u.PasswordHash != "new" {
		t.Errorf("a new password: %+v, %v", u, err)
	}

	m, err := w.SessionMember(t.Context(), w.one.owner, w.one.id)
	if err != nil || m.Role != core.RoleOwner || m.Plan != core.PlanOwner || m.Workspace != w.one.id ||
		m.User != w.one.owner {
		t.Errorf("a member: %+v, %v", m, err)
	}
	_, err = w.SessionMember(t.Context(), w.one.owner, w.two.id)
	missing(t, "a member elsewhere", err)
	must(t, w.AddMember(t.Context(), w.two.id, w.one.owner, core.RoleViewer, start.Add(time.Hour)))
	list, err := w.Memberships(t.Context(), w.one.owner)
	if err != nil || len(list) != 2 || list[0].Slug != "one" || list[1].Slug != "two" || list[1].Role != core.RoleViewer {
		t.Errorf("memberships: %+v, %v", list, err)
	}
	if owner, err := w.OldestOwnerOfWorkspace(t.Context(), w.two.id); err != nil || owner != w.two.owner {
		t.Errorf("the owner: %s, %v", owner, err)
	}
	_, err = w.one.MemberUser(t.Context(), w.two.owner)
	missing(t, "a person of another workspace", err)
	if u, err := w.two.MemberUser(t.Context(), w.one.owner); err != nil || u.Email != "one@example.org" {
		t.Errorf("a member: %+v, %v", u, err)
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	add := func(at time.Time, hash string) core.KeyID {
		k := core.Key{
			ID: core.NewID[core.KeyKind](), Name: hash, Scope: core.Write, Hint: "12345678", CreatedBy: w.one.owner,
			CreatedAt: at,
		}
		must(t, w.one.AddKey(t.Context(), k, []byte(hash)))
		return k.ID
	}
	first, second := add(start, "first"), add(start.Add(time.Hour), "second")
	missing(t, "a key of somebody who is no member",
		w.two.AddKey(t.Context(), core.Key{ID: core.NewID[core.KeyKind](), CreatedBy: w.one.owner, CreatedAt: start}, []byte("third")))
	find := func() (store.KeyHolder, error) {
		t.Helper()
		_, h, countErr, err := w.CountRequestAndFindKey(t.Context(), "192.0.2.1", 9, time.Minute, []byte("first"))
		must(t, countErr)
		return h, err
	}
	h, err := find()
	if err != nil || h.Key != first || h.Workspace != w.one.id || h.User != w.one.owner || h.Scope != core.Write ||
		h.Name != "first" || !h.LastUsedAt.IsZero() {
		t.Errorf("the holder: %+v, %v", h, err)
	}
	must(t, w.RecordKeyUse(t.Context(), first, start, start.Add(-time.Minute)))
	must(t, w.RecordKeyUse(t.Context(), first, start.Add(time.Second), start.Add(-time.Minute)))
	list, err := w.one.Keys(t.Context())
	if err != nil || len(list) != 2 || list[0].ID != second || !list[1].LastUsedAt.Equal(start) ||
		list[1].CreatedBy != w.one.owner || list[1].Hint != "12345678" {
		t.Errorf("the list: %+v, %v", list, err)
	}
	if list, err := w.two.Keys(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("the other's: %+v, %v", list, err)
	}
	missing(t, "another's key", w.two.DeleteKey(t.Context(), first))
	must(t, w.one.DeleteKey(t.Context(), first))
	_, err = find()
	missing(t, "a revoked key", err)
}

func TestGroups(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b, foreign := w.one.account(t, "a"), w.one.account(t, "b"), w.two.account(t, "c")
	g := w.one.group(t, "g", b, a)
	got, err := w.one.Group(t.Context(), g)
	if err != nil || len(got.Accounts) != 2 || got.Accounts[0] != b || got.Accounts[1] != a {
		t.Errorf("the group: %+v, %v", got, err)
	}
	for what, call := range map[string]func() error{
		"reading":  func() error { _, err := w.two.Group(t.Context(), g); return err },
		"locking":  func() error { _, err := w.two.LockGroup(t.Context(), g); return err },
		"deleting": func() error { return w.two.DeleteGroup(t.Context(), g) },
		"a foreign account": func() error {
			return w.one.Tx(t.Context(),
				func(one store.Tenant) error { return one.SetGroupAccounts(t.Context(), g, []core.AccountID{foreign}) })
		},
		"a foreign group": func() error { return w.two.SetGroupAccounts(t.Context(), g, []core.AccountID{foreign}) },
	} {
		missing(t, what, call())
	}
	another := store.Group{ID: core.NewID[core.GroupKind](), Name: "g", CreatedAt: start}
	conflict(t, "a name in use", w.one.AddEmptyGroup(t.Context(), another))
	w.two.group(t, "g")
	must(t, w.one.DisconnectAccount(t.Context(), a, "gone", start))
	if got, err := w.one.LockGroup(t.Context(), g); err != nil || len(got.Accounts) != 1 || got.Accounts[0] != b {
		t.Errorf("with a hidden account: %+v, %v", got, err)
	}
	must(t, w.one.DeleteGroup(t.Context(), g))
	if list, err := w.one.Groups(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("after deleting: %+v, %v", list, err)
	}
	if list, err := w.two.Groups(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("the other's: %+v, %v", list, err)
	}
}

func (s side) group(t *testing.T, name string, accounts ...core.AccountID) core.GroupID {
	t.Helper()
	g := store.Group{ID: core.NewID[core.GroupKind](), Name: name, CreatedAt: start}
	must(t, s.AddEmptyGroup(t.Context(), g))
	must(t, s.SetGroupAccounts(t.Context(), g.ID, accounts))
	return g.ID
}
