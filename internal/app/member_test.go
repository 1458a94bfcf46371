package app_test

import (
	"sync"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
)

func setRole(t *testing.T, h *apptest.Harness, c core.Caller, id string, role core.Role) error {
	t.Helper()
	_, err := h.App.ChangeMemberOrInvitationRole(t.Context(), c, contract.EditMember{ID: id, Role: string(role)})
	return err
}

func membersOf(t *testing.T, h *apptest.Harness, c core.Caller) map[string]contract.Member {
	t.Helper()
	list, err := h.App.ListMembersAndInvitations(t.Context(), c)
	must(t, err)
	if list.NextCursor != nil {
		t.Errorf("the list goes on at %s", *list.NextCursor)
	}
	out := map[string]contract.Member{}
	for _, m := range list.Members {
		out[m.ID] = m
	}
	return out
}

// A profile named all managers, however many there were.
func TestOnlyTheFirstManagersAreListed(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws, other := h.Workspace("one"), h.Workspace("two")
	other.Member(core.RoleAdmin)
	ws.Invite("ben@example.org", core.RoleAdmin)
	viewer := ws.Member(core.RoleViewer)
	list := func() []contract.Member {
		found, err := h.App.ListManagers(t.Context(), viewer)
		must(t, err)
		return found
	}
	if found := list(); len(found) != 1 || found[0].Role != string(core.RoleOwner) {
		t.Errorf("those who have not joined and those of other workspaces are listed: %+v", found)
	}
	h.Clock.Advance(time.Minute)
	for range app.MaxManagersListed {
		ws.Member(core.RoleAdmin)
	}
	if found := list(); len(found) != app.MaxManagersListed || found[0].Role != string(core.RoleOwner) {
		t.Errorf("%d are listed", len(found))
	}
}

// Who may give whom which role, and who may remove whom (decisions.md, Credentials).
func TestRolesSayWhoMayChangeMembers(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	roles := []core.Role{core.RoleOwner, core.RoleAdmin, core.RoleEditor, core.RoleViewer}
	for _, by := range roles {
		caller := ws.Member(by)
		key := core.NewCaller(core.Credential{
			Workspace: ws.ID, User: caller.AttributedUser(), Kind: core.CredentialKey, Role: by,
			Plan: core.PlanOwner, Scope: core.Write,
		})
		for _, from := range roles {
			for _, to := range append(roles, "") {
				target := ws.Member(from).AttributedUser().String()
				change := func(c core.Caller) error {
					if to == "" {
						return h.App.RemoveMemberOrInvitation(t.Context(), c, target)
					}
					return setRole(t, h, c, target, to)
				}
				want(t, core.CodeInsufficientScope, change(key))
				err := change(caller)
				allowed := by == core.RoleOwner || by == core.RoleAdmin && from != core.RoleOwner && to != core.RoleOwner
				if got := err == nil; got != allowed {
					t.Errorf("%s turns %s into %q: %v", by, from, to, err)
				}
				after, there := membersOf(t, h, ws.Owner)[target]
				switch {
				case !allowed && (core.CodeOf(err) != core.CodeInsufficientScope || after.Role != string(from)):
					t.Errorf("%s may not turn %s into %q: %v, %+v", by, from, to, err, after)
				case allowed && (there != (to != "") || after.Role != string(to)):
					t.Errorf("%s turned %s into %q: %+v", by, from, to, after)
				}
			}
		}
		if err := setRole(t, h, caller, caller.AttributedUser().String(), core.RoleOwner); by != core.RoleOwner {
			want(t, core.CodeInsufficientScope, err)
		}
	}
	want(t, core.CodeInvalidRequest, setRole(t, h, ws.Owner, ws.Owner.AttributedUser().String(), "king"))
	_, err := h.App.ListMembersAndInvitations(t.Context(), ws.Member(core.RoleEditor))
	want(t, core.CodeInsufficientScope, err)
}

func TestTheLastOwnerStays(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	me := ws.Owner.AttributedUser().String()
	_, err := h.App.InviteMember(t.Context(), ws.Owner, contract.InviteMember{Email: "second@example.org", Role: "owner"})
	must(t, err) // who is only invited is no owner
	want(t, core.CodeConflict, setRole(t, h, ws.Owner, me, core.RoleAdmin))
	want(t, core.CodeConflict, h.App.RemoveMemberOrInvitation(t.Context(), ws.Owner, me))
	must(t, setRole(t, h, ws.Owner, me, core.RoleOwner))

	other := ws.Member(core.RoleOwner)
	var all sync.WaitGroup // both make the other one an editor at once: one does
	for _, pair := range [][2]core.Caller{{ws.Owner, other}, {other, ws.Owner}} {
		all.Go(func() { _ = setRole(t, h, pair[0], pair[1].AttributedUser().String(), core.RoleEditor) })
	}
	all.Wait()
	owners := 0
	for _, who := range []core.Caller{ws.Owner, other} {
		m, err := h.Store.SessionMember(t.Context(), who.AttributedUser(), ws.ID)
		must(t, err)
		if m.Role == core.RoleOwner {
			owners++
		}
	}
	if owners != 1 {
		t.Errorf("%d owners are left", owners)
	}
}

// Everybody may leave; what they did stays, and they can do no more.
func TestWhoIsRemovedCanDoNoMore(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws, elsewhere := h.Workspace("one"), h.Workspace("two")
	account := ws.Account("threads")
	for _, role := range []core.Role{core.RoleAdmin, core.RoleEditor, core.RoleViewer} {
		for _, leaves := range []bool{true, false} {
			who := ws.Member(role)
			id := who.AttributedUser().String()
			key := core.Caller{}
			bearer := ""
			if role == core.RoleAdmin {
				made, err := h.App.CreateKey(t.Context(), who, contract.CreateKey{Name: "theirs", Scope: "write"})
				must(t, err)
				bearer = made.Key
				key = mustKey(t, h, bearer)
			}
			var post contract.Post
			if role.CanWrite() {
				made, err := h.App.CreatePosts(t.Context(), who, contract.CreatePosts{PlanPosts: contract.PlanPosts{
					Targets: contract.Targets{AccountIDs: []string{account.ID}}, Text: "by " + id, When: &contract.When{Word: "draft"},
				}, Confirm: true})
				must(t, err)
				post = made.Posts[0]
			}
			by := ws.Owner
			if leaves {
				by = who
				want(t, core.CodeNotFound, h.App.RemoveMemberOrInvitation(t.Context(), elsewhere.Owner, id))
			}
			must(t, h.App.RemoveMemberOrInvitation(t.Context(), by, id))
			want(t, core.CodeNotFound, h.App.RemoveMemberOrInvitation(t.Context(), ws.Owner, id))
			_, err := h.App.AuthenticateSession(t.Context(), app.Session{User: id, Workspace: ws.ID.String(), Proof: "", ProvedAt: h.Clock.Now()})
			want(t, core.CodeUnauthenticated, err)
			if !key.IsZero() {
				_, err := h.Caller(bearer)
				want(t, core.CodeUnauthenticated, err)
			}
			if post.ID != "" {
				_, err := h.App.GetPost(t.Context(), ws.Owner, post.ID)
				must(t, err)
			}
			// A request that was let in just before finds the door shut at the lock.
			if role == core.RoleAdmin {
				want(t, core.CodeUnauthenticated, setRole(t, h, who, ws.Owner.AttributedUser().String(), core.RoleViewer))
				_, err := h.App.InviteMember(t.Context(), who, contract.InviteMember{Email: "x@example.org", Role: "viewer"})
				want(t, core.CodeUnauthenticated, err)
			}
		}
	}
	viewer := ws.Member(core.RoleViewer)
	want(t, core.CodeInsufficientScope,
		h.App.RemoveMemberOrInvitation(t.Context(), viewer, core.NewID[core.UserKind]().String()))
}
