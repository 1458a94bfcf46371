package core_test

import (
	"slices"
	"strings"
	"testing"

	"belfry/internal/core"
)

func TestZeroCallerMayDoNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]core.Caller{
		"zero": {}, "no workspace": core.NewCaller(core.Credential{
			User: core.NewID[core.UserKind](), Kind: core.CredentialSession, Role: core.RoleOwner, Scope: core.Write,
		}),
		"a worker of nothing": core.NewWorkerCaller(core.WorkspaceID{}),
	} {
		for what, err := range map[string]error{
			"read": c.RequireScope(core.Read), "write": c.RequireScope(core.Write), "a session": c.RequireSession(),
			"managing": c.RequireManager(),
		} {
			if core.CodeOf(err) != core.CodeUnauthenticated {
				t.Errorf("%s, %s: %v", name, what, err)
			}
		}
		if !c.IsZero() || len(c.Scopes()) != 0 || c.Scopes() == nil {
			t.Errorf("%s: scopes %v", name, c.Scopes())
		}
	}
}

// A key never has more rights than its maker, and a session those of its role (decisions.md, Roles).
func TestRightsOfCallers(t *testing.T) {
	t.Parallel()
	type rights struct{ write, session, manage bool }
	for name, c := range map[string]struct {
		kind  core.CredentialKind
		role  core.Role
		scope core.Scope
		may   rights
	}{
		"owner's session":       {core.CredentialSession, core.RoleOwner, core.Write, rights{true, true, true}},
		"admin's session":       {core.CredentialSession, core.RoleAdmin, core.Write, rights{true, true, true}},
		"editor's session":      {core.CredentialSession, core.RoleEditor, core.Write, rights{true, true, false}},
		"viewer's session":      {core.CredentialSession, core.RoleViewer, core.Write, rights{false, true, false}},
		"owner's write key":     {core.CredentialKey, core.RoleOwner, core.Write, rights{true, false, false}},
		"owner's read key":      {core.CredentialKey, core.RoleOwner, core.Read, rights{false, false, false}},
		"editor's write key":    {core.CredentialKey, core.RoleEditor, core.Write, rights{true, false, false}},
		"viewer's write key":    {core.CredentialKey, core.RoleViewer, core.Write, rights{false, false, false}},
		"a key of no role":      {core.CredentialKey, "", core.Write, rights{false, false, false}},
		"a key of another role": {core.CredentialKey, "root", core.Write, rights{false, false, false}},
		"a key of no scope":     {core.CredentialKey, core.RoleOwner, "", rights{false, false, false}},
	} {
		ws := core.NewID[core.WorkspaceKind]()
		caller := core.NewCaller(core.Credential{Workspace: ws, Kind: c.kind, Role: c.role, Scope: c.scope})
		if caller.Workspace() != ws || caller.RequireScope(core.Read) != nil {
			t.Errorf("%s may not read its own workspace", name)
		}
		got := rights{caller.RequireScope(core.Write) == nil, caller.RequireSession() == nil, caller.RequireManager() == nil}
		if got != c.may {
			t.Errorf("%s: %+v, want %+v", name, got, c.may)
		}
		scopes := []core.Scope{core.Read}
		if c.may.write {
			scopes = append(scopes, core.Write)
		}
		if !slices.Equal(caller.Scopes(), scopes) {
			t.Errorf("%s: scopes %v", name, caller.Scopes())
		}
		for _, err := range []error{caller.RequireScope(core.Write), caller.RequireManager()} {
			if err != nil && core.CodeOf(err) != core.CodeInsufficientScope {
				t.Errorf("%s is refused with %v", name, err)
			}
		}
	}
}

// A person is told of their role, and a program of its key.
func TestWhoOnlyReadsIsToldWhy(t *testing.T) {
	t.Parallel()
	for kind, want := range map[core.CredentialKind]string{core.CredentialSession: "the editor role", core.CredentialKey: "API key"} {
		err := core.NewCaller(core.Credential{
			Workspace: core.NewID[core.WorkspaceKind](), User: core.NewID[core.UserKind](), Kind: kind, Role: core.RoleViewer,
			Scope: core.Read,
		}).RequireScope(core.Write)
		if e := core.ErrorOrInternal(err); !strings.Contains(e.Message+e.Hint, want) {
			t.Errorf("%s: %s %s", kind, e.Message, e.Hint)
		}
	}
}

func TestCallerKeepsItsCredential(t *testing.T) {
	t.Parallel()
	in := core.Credential{
		Workspace: core.NewID[core.WorkspaceKind](), User: core.NewID[core.UserKind](),
		Kind: core.CredentialKey, Name: "deploy", Role: core.RoleEditor, Scope: core.Write, Via: core.ViaAPI,
	}
	c := core.NewCaller(in)
	if c.AttributedUser() != in.User || c.Kind() != in.Kind || c.CredentialName() != "deploy" ||
		c.Role() != core.RoleEditor || c.Via() != core.ViaAPI || c.IsSession() {
		t.Errorf("%+v of %+v", c, in)
	}
}

func TestWorkerActsInItsWorkspace(t *testing.T) {
	t.Parallel()
	ws := core.NewID[core.WorkspaceKind]()
	w := core.NewWorkerCaller(ws)
	if w.Workspace() != ws || w.RequireScope(core.Write) != nil || w.Kind() != core.CredentialWorker || w.IsSession() {
		t.Errorf("worker: %+v", w)
	}
	if core.CodeOf(w.RequireSession()) != core.CodeInsufficientScope {
		t.Error("a worker passes for a signed-in person")
	}
}
