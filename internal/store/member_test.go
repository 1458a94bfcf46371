package store_test

import (
	"slices"
	"testing"
	"time"

	"belfry/internal/core"
	"belfry/internal/store"
)

func TestInvitationsAndMembersStayInTheirWorkspace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	until := start.Add(time.Hour)
	invited := core.Member{
		ID: core.NewID[core.UserKind](), Name: "A", Email: "a@example.org", Role: core.RoleViewer,
		CreatedAt: start, InvitedUntil: until,
	}
	must(t, w.one.SaveInvitation(t.Context(), invited, w.one.owner, []byte("first")))
	if i, err := w.InvitationByToken(t.Context(), []byte("first"), start); err != nil || i.Workspace != w.one.id ||
		i.WorkspaceName != "Workspace one" || i.ID != invited.ID || i.Email != "a@example.org" {
		t.Errorf("by its token: %+v, %v", i, err)
	}
	_, err := w.InvitationByToken(t.Context(), []byte("first"), until)
	missing(t, "when it is over", err)
	for what, find := range map[string]func(store.Tenant) (core.Member, error){
		"by id": func(s store.Tenant) (core.Member, error) { return s.MemberOrInvitation(t.Context(), invited.ID) },
		"by email": func(s store.Tenant) (core.Member, error) {
			return s.MemberOrInvitationByEmail(t.Context(), "A@example.org")
		},
	} {
		if m, err := find(w.one.Tenant); err != nil || m != invited {
			t.Errorf("%s: %+v, %v", what, m, err)
		}
		_, err := find(w.two.Tenant)
		missing(t, "the other's "+what, err)
	}
	// Another workspace changes nothing of it.
	theirs := invited
	theirs.Role, theirs.Name = core.RoleOwner, "B"
	missing(t, "the other's invitation", w.two.SaveInvitation(t.Context(), theirs, w.two.owner, []byte("second")))
	missing(t, "the other's role", w.two.SaveMemberOrInvitationRole(t.Context(), theirs))
	missing(t, "the other's removal", w.two.RemoveMemberOrInvitation(t.Context(), theirs))
	missing(t, "the other's member", w.two.RemoveMemberOrInvitation(t.Context(), core.Member{ID: w.one.owner}))
	_, err = w.two.ConsumeInvitation(t.Context(), []byte("first"), start)
	missing(t, "the other's taking", err)
	list, err := w.one.MembersAndInvitations(t.Context())
	if err != nil || len(list) != 2 || list[0].ID != w.one.owner || list[0].Role != core.RoleOwner || list[1] != invited {
		t.Errorf("the list: %+v, %v", list, err)
	}
	if n, err := w.one.CountMembersAndInvitations(t.Context(), start); err != nil ||
		n != (store.MemberCount{Joined: 1, Owners: 1, Invited: 1}) {
		t.Errorf("the count: %+v, %v", n, err)
	}
	if n, err := w.two.CountMembersAndInvitations(t.Context(), start); err != nil || n != (store.MemberCount{Joined: 1, Owners: 1}) {
		t.Errorf("the other's: %+v, %v", n, err)
	}

	invited.Role = core.RoleEditor
	must(t, w.one.SaveMemberOrInvitationRole(t.Context(), invited))
	role, err := w.one.ConsumeInvitation(t.Context(), []byte("first"), start)
	if err != nil || role != core.RoleEditor {
		t.Errorf("taken: %s, %v", role, err)
	}
	_, err = w.one.ConsumeInvitation(t.Context(), []byte("first"), start)
	missing(t, "taking it twice", err)
	must(t, w.one.JoinWorkspace(t.Context(), core.User{ID: invited.ID, Name: "A", Email: "a@example.org"}, "hash", role, start))
	if m, err := w.SessionMember(t.Context(), invited.ID, w.one.id); err != nil || m.Role != core.RoleEditor ||
		m.PasswordHash != "hash" {
		t.Errorf("joined: %+v, %v", m, err)
	}
	conflict(t, "an address in use", w.two.JoinWorkspace(t.Context(), core.User{ID: core.NewID[core.UserKind](), Email: "A@example.org"}, "hash", role, start))
}

func TestTheCurrentSlugPrecedesTheFormerOnes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, slug := range []string{"bells", "anvils", "clocks", "bells"} {
		_, err := w.one.UpdateWorkspace(t.Context(), nil, new(slug), nil)
		must(t, err)
	}
	slugs, err := w.one.CurrentAndFormerSlugs(t.Context())
	must(t, err)
	if want := []string{"bells", "anvils", "clocks", "one"}; !slices.Equal(slugs, want) {
		t.Errorf("slugs %v, want %v", slugs, want)
	}
}

func TestAWorkspaceIsUpdatedAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	got, err := w.one.UpdateWorkspace(t.Context(), new("New"), nil, new("Europe/Berlin"))
	if err != nil || got.Name != "New" || got.Slug != "one" || got.Zone.Name() != "Europe/Berlin" {
		t.Errorf("updated: %+v, %v", got, err)
	}
	_, err = w.one.UpdateWorkspace(t.Context(), nil, new("two"), nil)
	conflict(t, "a slug in use", err)
	if got, err := w.two.Workspace(t.Context()); err != nil || got.Name != "Workspace two" || got.Zone.Name() != "UTC" {
		t.Errorf("the other: %+v, %v", got, err)
	}
}
