package app_test

import (
	"strings"
	"testing"

	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
)

func TestTheOperatorMakesWorkspacesForOnePerson(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	in := contract.CreateWorkspace{Name: "Demo", OwnerEmail: "demo@example.org", Password: apptest.Password}
	first, err := h.App.CreateWorkspaceWithOwner(t.Context(), in)
	must(t, err)
	in.Password = "is not needed again"
	second, err := h.App.CreateWorkspaceWithOwner(t.Context(), in)
	must(t, err)
	if first.Slug != "demo" || second.Slug != "demo-2" || first.User != second.User || first.Name != "demo" {
		t.Errorf("they are %+v and %+v", first, second)
	}
	got, err := h.App.SignIn(t.Context(), contract.SignIn{Email: "demo@example.org", Password: apptest.Password}, from(address))
	if err != nil || got.Workspace != first.Workspace {
		t.Errorf("the old password: %+v, %v", got, err)
	}
	list, err := h.Store.Memberships(t.Context(), first.User)
	if err != nil || len(list) != 2 || list[0].Slug != "demo" || list[1].Slug != "demo-2" ||
		list[1].Role != core.RoleOwner {
		t.Errorf("the switcher shows %+v, %v", list, err)
	}
	in.Slug = "demo-2"
	_, err = h.App.CreateWorkspaceWithOwner(t.Context(), in)
	want(t, core.CodeConflict, err)
	for _, bad := range []contract.CreateWorkspace{
		{Name: "x", Slug: "Not Good", OwnerEmail: "demo@example.org"},
		{Name: "x", Plan: "golden", OwnerEmail: "demo@example.org"},
		{Name: "x", OwnerEmail: "demo"},
		{Name: "x", OwnerEmail: "new@example.org", Password: "short"},
		{OwnerEmail: "demo@example.org"},
	} {
		_, err := h.App.CreateWorkspaceWithOwner(t.Context(), bad)
		want(t, core.CodeInvalidRequest, err)
	}
}

// The form of the settings sends the slug along, which must be one that may be set.
func TestANumberedSlugIsNotTooLong(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	for range 2 {
		made, err := h.App.CreateWorkspaceWithOwner(t.Context(), contract.CreateWorkspace{
			Name: strings.Repeat("harbour bakery ", 4), OwnerEmail: ws.Email,
		})
		must(t, err)
		if len(made.Slug) > 40 {
			t.Errorf("the slug %q has %d characters", made.Slug, len(made.Slug))
		}
	}
}

func TestTheOperatorNamesAWorkspaceBySlugOrID(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	must(t, h.App.SetWorkspacePlan(t.Context(), "one", core.PlanStudio))
	must(t, h.App.SetWorkspacePlan(t.Context(), ws.ID.String(), core.PlanAgency))
	who, err := h.App.Whoami(t.Context(), ws.Owner)
	if err != nil || who.Usage.Plan != "agency" {
		t.Errorf("the plan is %s, %v", who.Usage.Plan, err)
	}
	want(t, core.CodeInvalidRequest, h.App.SetWorkspacePlan(t.Context(), "one", "golden"))
	want(t, core.CodeNotFound, h.App.SetWorkspacePlan(t.Context(), "none", core.PlanFree))

	key, err := h.App.CreateKeyForFirstOwner(t.Context(), "one", "deploy", core.Write)
	must(t, err)
	if c := mustKey(t, h, key.Key); c.Workspace() != ws.ID || c.AttributedUser() != ws.Owner.AttributedUser() || c.RequireScope(core.Write) != nil {
		t.Errorf("the key's caller is %+v", c)
	}
	_, err = h.App.CreateKeyForFirstOwner(t.Context(), "none", "deploy", core.Write)
	want(t, core.CodeNotFound, err)
}

func TestTheOperatorSetsAPassword(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	const password = "a quite different one"
	want(t, core.CodeInvalidRequest, h.App.SetUserPassword(t.Context(), ws.Email, "short"))
	want(t, core.CodeNotFound, h.App.SetUserPassword(t.Context(), "nobody@example.org", password))
	must(t, h.App.SetUserPassword(t.Context(), ws.Email, password))
	_, err := h.App.SignIn(t.Context(), contract.SignIn{Email: ws.Email, Password: apptest.Password}, from(address))
	want(t, core.CodeUnauthenticated, err)
	_, err = h.App.SignIn(t.Context(), contract.SignIn{Email: ws.Email, Password: password}, from(address))
	must(t, err)
}
