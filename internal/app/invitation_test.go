package app_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
)

const newPassword = "analytical engine no. 1"

func tokenOf(t *testing.T, m contract.Member) string {
	t.Helper()
	token, ok := strings.CutPrefix(m.InviteURL, apptest.PublicURL+"/invitations/")
	if !ok || len(token) != 43 {
		t.Fatalf("the link is %s", m.InviteURL)
	}
	return token
}

func join(t *testing.T, h *apptest.Harness, token, password string) (app.SignedIn, error) {
	t.Helper()
	return h.App.AcceptInvitation(t.Context(), token, contract.Join{Name: "Ada Lovelace", Password: password}, from("192.0.2.1"))
}

func callerOf(t *testing.T, h *apptest.Harness, in app.SignedIn) core.Caller {
	t.Helper()
	c, err := h.App.AuthenticateSession(t.Context(), sessionOf(in, h.Clock.Now()))
	must(t, err)
	return c
}

func TestANewPersonJoins(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.WorkspaceOn(core.PlanCreator, "one", "UTC")
	made := ws.Invite("Ada@example.org", core.RoleEditor)
	if made.Name != "Ada" || made.Email != "Ada@example.org" || made.Role != "editor" || made.Status != "invited" ||
		!made.CreatedAt.Equal(h.Clock.Now()) || !made.ExpiresAt.Equal(h.Clock.Now().Add(7*24*time.Hour)) {
		t.Errorf("the invitation is %+v", made)
	}
	token := tokenOf(t, made)
	if listed := membersOf(t, h, ws.Owner)[made.ID]; listed.InviteURL != "" || listed.Status != "invited" ||
		listed.ExpiresAt == nil {
		t.Errorf("it is listed as %+v", listed)
	}
	// Invited, somebody counts, and has no rights.
	if who, err := h.App.Whoami(t.Context(), ws.Owner); err != nil || who.Usage.Members.Used != 2 {
		t.Errorf("%d members are used, %v", who.Usage.Members.Used, err)
	}
	_, err := h.App.AuthenticateSession(t.Context(), app.Session{User: made.ID, Workspace: ws.ID.String(), Proof: app.SessionProof(""), ProvedAt: h.Clock.Now()})
	want(t, core.CodeUnauthenticated, err)
	_, err = h.App.SignIn(t.Context(), contract.SignIn{Email: "ada@example.org", Password: ""}, from("192.0.2.1"))
	want(t, core.CodeUnauthenticated, err)
	var stored int
	must(t, h.Pool.QueryRow(t.Context(), `SELECT count(*) FROM invitations i WHERE i::text LIKE '%' || $1 || '%'`, token).Scan(&stored))
	if stored != 0 {
		t.Error("the token itself is stored")
	}

	shown, err := h.App.GetInvitation(t.Context(), token)
	must(t, err)
	if shown != (app.Invitation{
		Workspace: "one", Email: "Ada@example.org", Name: "Ada", Role: core.RoleEditor, InvitedBy: "Owner of one",
	}) {
		t.Errorf("the link shows %+v", shown)
	}
	_, err = join(t, h, token, "short")
	want(t, core.CodeInvalidRequest, err)
	h.Clock.Advance(time.Hour)
	in, err := join(t, h, token, newPassword)
	must(t, err)
	c, err := h.App.AuthenticateSession(t.Context(), sessionOf(in, h.Clock.Now()))
	must(t, err)
	if in.User.String() != made.ID || c.Role() != core.RoleEditor || in.Workspace != ws.ID || in.Slug != ws.Slug {
		t.Errorf("who joined is %+v", in)
	}
	m := membersOf(t, h, ws.Owner)[made.ID]
	if m.Status != "active" || m.ExpiresAt != nil || m.Name != "Ada Lovelace" || !m.CreatedAt.Equal(h.Clock.Now()) {
		t.Errorf("who joined is listed as %+v", m)
	}
	if who, err := h.App.Whoami(t.Context(), ws.Owner); err != nil || who.Usage.Members.Used != 2 {
		t.Errorf("%d members are used, %v", who.Usage.Members.Used, err)
	}
	_, err = h.App.SignIn(t.Context(), contract.SignIn{Email: "ADA@example.org", Password: newPassword}, from("192.0.2.1"))
	must(t, err)
	_, err = join(t, h, token, newPassword) // it works once
	want(t, core.CodeNotFound, err)
	_, err = h.App.InviteMember(t.Context(), ws.Owner, contract.InviteMember{Email: "ada@EXAMPLE.org", Role: "viewer"})
	want(t, core.CodeConflict, err)
}

func TestAnInvitationDoesNotNameSomebodyWhoHasLeft(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	admin := ws.Member(core.RoleAdmin)
	made, err := h.App.InviteMember(t.Context(), admin, contract.InviteMember{Email: "ada@example.org", Role: "editor"})
	must(t, err)
	for _, name := range []string{"A admin", ""} {
		shown, err := h.App.GetInvitation(t.Context(), tokenOf(t, made))
		must(t, err)
		if shown.InvitedBy != name {
			t.Errorf("the invitation is from %q, want %q", shown.InvitedBy, name)
		}
		if name != "" {
			must(t, h.App.RemoveMemberOrInvitation(t.Context(), admin, admin.AttributedUser().String()))
		}
	}
}

func TestAKnownPersonJoinsWithTheirPassword(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws, own := h.Workspace("one"), h.Workspace("two")
	stranger, made := ws.Invite("new@example.org", core.RoleViewer), ws.Invite(own.Email, core.RoleViewer)
	// Nothing tells that one of the two is known: not the name, nor an id that is older than the invitation.
	if made.Name != "two" || stranger.Name != "new" || made.ID == own.Owner.AttributedUser().String() ||
		made.ID < stranger.ID {
		t.Errorf("the answers are %+v and %+v", stranger, made)
	}
	token := tokenOf(t, made)
	h.Clock.Advance(time.Hour)
	for range 3 {
		_, err := join(t, h, token, newPassword)
		want(t, core.CodeUnauthenticated, err)
	}
	in, err := join(t, h, token, apptest.Password)
	must(t, err)
	if in.User != own.Owner.AttributedUser() || in.Workspace != ws.ID || in.Name != "Owner of two" {
		t.Errorf("who joined is %+v", in)
	}
	list, err := h.App.ListJoinedWorkspaces(t.Context(), callerOf(t, h, in))
	if err != nil || len(list) != 2 || list[1].ID != ws.ID {
		t.Errorf("their workspaces are %+v, %v", list, err)
	}
	if m := membersOf(t, h, ws.Owner)[in.User.String()]; m.Status != "active" || m.Name != "Owner of two" {
		t.Errorf("who joined is listed as %+v", m)
	}
}

// The password of a known person cannot be guessed faster by an invitation than at sign-in.
func TestTriesToJoinAreThrottled(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws, victim := h.Workspace("one"), h.Workspace("two")
	token := tokenOf(t, ws.Invite(victim.Email, core.RoleViewer))
	var err error
	for n := range 11 {
		_, err = h.App.AcceptInvitation(t.Context(), token, contract.Join{Password: fmt.Sprint("guess ", n)}, from(fmt.Sprint("192.0.2.", n)))
	}
	if e := want(t, core.CodeRateLimited, err); e.RetryAfter == 0 {
		t.Errorf("it does not say when to try again: %+v", e)
	}
	_, err = h.App.SignIn(t.Context(), contract.SignIn{Email: victim.Email, Password: apptest.Password}, from("198.51.100.1"))
	want(t, core.CodeRateLimited, err)
}

func TestALinkStopsWorking(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	expired := tokenOf(t, ws.Invite("expired@example.org", core.RoleViewer))
	h.Clock.Advance(7 * 24 * time.Hour)
	withdrawn := ws.Invite("withdrawn@example.org", core.RoleViewer)
	must(t, h.App.RemoveMemberOrInvitation(t.Context(), ws.Owner, withdrawn.ID))
	first := ws.Invite("again@example.org", core.RoleViewer)
	again, err := h.App.InviteMember(t.Context(), ws.Owner, contract.InviteMember{Email: "AGAIN@example.org", Role: "editor", Name: "Ada"})
	must(t, err)
	if again.ID != first.ID || again.Role != "editor" || again.Name != "Ada" ||
		!again.CreatedAt.Equal(first.CreatedAt.Time) {
		t.Errorf("invited anew: %+v after %+v", again, first)
	}
	var said string
	for what, token := range map[string]string{
		"expired": expired, "withdrawn": tokenOf(t, withdrawn), "replaced": tokenOf(t, first),
		"unknown": strings.Repeat("a", 43), "none": "",
	} {
		_, read := h.App.GetInvitation(t.Context(), token)
		_, used := join(t, h, token, newPassword)
		for _, err := range []error{read, used} {
			want(t, core.CodeNotFound, err)
			if got := body(t, err); said == "" {
				said = got
			} else if got != said {
				t.Errorf("%s: %s, and another %s", what, got, said)
			}
		}
	}
	if n := len(membersOf(t, h, ws.Owner)); n != 3 {
		t.Errorf("%d are listed, want the owner, the expired and the one invited anew", n)
	}
	_, err = join(t, h, tokenOf(t, again), newPassword)
	must(t, err)
}

// An admin must not take an owner's place by inviting an owner, nor change the invitation of one.
func TestOnlyAnOwnerInvitesOwners(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	admin := ws.Member(core.RoleAdmin)
	invite := func(c core.Caller, role string) error {
		_, err := h.App.InviteMember(t.Context(), c, contract.InviteMember{Email: "heir@example.org", Role: role})
		return err
	}
	want(t, core.CodeInsufficientScope, invite(admin, "owner"))
	want(t, core.CodeInsufficientScope, invite(ws.Member(core.RoleEditor), "viewer"))
	want(t, core.CodeInsufficientScope, invite(ws.Key(core.Write).Caller, "viewer"))
	want(t, core.CodeInvalidRequest, invite(ws.Owner, "king"))
	must(t, invite(ws.Owner, "owner"))
	want(t, core.CodeInsufficientScope, invite(admin, "viewer"))
	made := ws.Invite("other@example.org", core.RoleViewer)
	want(t, core.CodeInsufficientScope, setRole(t, h, admin, made.ID, core.RoleOwner))
	must(t, setRole(t, h, admin, made.ID, core.RoleAdmin))
	_, err := join(t, h, tokenOf(t, made), newPassword)
	must(t, err)
	if m := membersOf(t, h, ws.Owner)[made.ID]; m.Role != "admin" {
		t.Errorf("who joined is %+v", m)
	}
	for _, in := range []contract.InviteMember{
		{Email: "nobody", Role: "viewer"},
		{Email: "a@example.org", Role: "viewer", Name: "two\nlines"},
		{Email: "a@example.org"},
	} {
		_, err := h.App.InviteMember(t.Context(), ws.Owner, in)
		want(t, core.CodeInvalidRequest, err)
	}
}

// Must hold under any number at once: never one more than the plan has.
func TestInvitationsStopExactlyAtThePlansLimit(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.WorkspaceOn(core.PlanStudio, "one", "UTC")
	other := h.Replica()
	var through atomic.Int64
	var all sync.WaitGroup
	for n := range 64 {
		all.Go(func() {
			a := []*app.App{h.App, other}[n%2]
			_, err := a.InviteMember(t.Context(), ws.Owner, contract.InviteMember{Email: fmt.Sprintf("p%d@example.org", n), Role: "viewer"})
			if err == nil {
				through.Add(1)
				return
			}
			if e, ok := errors.AsType[*core.Error](err); !ok || e.Code != core.CodeQuotaExceeded ||
				*e.Quota != (core.QuotaFacts{Limit: 10, Used: 10}) {
				t.Errorf("refused by %v", err)
			}
		})
	}
	all.Wait()
	if n := len(membersOf(t, h, ws.Owner)); through.Load() != 9 || n != 10 {
		t.Errorf("%d invitations went through, %d members", through.Load(), n)
	}
}

// An invitation whose link has expired takes nobody's place.
func TestAnExpiredInvitationIsNotCounted(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.WorkspaceOn(core.PlanCreator, "one", "UTC") // of three members
	ws.Invite("first@example.org", core.RoleEditor)
	ws.Invite("second@example.org", core.RoleEditor)
	h.Clock.Advance(7 * 24 * time.Hour)
	if who, err := h.App.Whoami(t.Context(), ws.Owner); err != nil || who.Usage.Members.Used != 1 {
		t.Errorf("the usage is %+v, %v", who.Usage.Members, err)
	}
	ws.Invite("third@example.org", core.RoleEditor)
	ws.Invite("second@example.org", core.RoleEditor)
	ws.Invite("second@example.org", core.RoleEditor) // takes its own place
	_, err := h.App.InviteMember(t.Context(), ws.Owner, contract.InviteMember{Email: "first@example.org", Role: "viewer"})
	if e := want(t, core.CodeQuotaExceeded, err); *e.Quota != (core.QuotaFacts{Limit: 3, Used: 3}) {
		t.Errorf("the figures are %+v", *e.Quota)
	}
}

// A smaller plan leaves who is there and takes nobody new.
func TestASmallerPlanTakesNobodyNew(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.WorkspaceOn(core.PlanCreator, "one", "UTC")
	first, second := ws.Invite("first@example.org", core.RoleEditor), ws.Invite("second@example.org", core.RoleEditor)
	_, err := join(t, h, tokenOf(t, first), newPassword)
	must(t, err)
	must(t, h.App.SetWorkspacePlan(t.Context(), ws.Slug, core.PlanFree))
	_, err = join(t, h, tokenOf(t, second), newPassword)
	if e := want(t, core.CodeQuotaExceeded, err); *e.Quota != (core.QuotaFacts{Limit: 1, Used: 3}) {
		t.Errorf("the figures are %+v", *e.Quota)
	}
	for _, email := range []string{"third@example.org", "second@example.org"} {
		_, err = h.App.InviteMember(t.Context(), ws.Owner, contract.InviteMember{Email: email, Role: "viewer"})
		want(t, core.CodeQuotaExceeded, err)
	}
	if n := len(membersOf(t, h, ws.Owner)); n != 3 {
		t.Errorf("%d members are left", n)
	}
	must(t, h.App.SetWorkspacePlan(t.Context(), ws.Slug, core.PlanCreator))
	_, err = join(t, h, tokenOf(t, second), newPassword) // the link was not used up
	must(t, err)
}

// Of many who use a link at once one joins, and nothing of the others is left.
func TestALinkWorksOnceForManyAtOnce(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	token := tokenOf(t, ws.Invite("ada@example.org", core.RoleEditor))
	var joined atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			switch _, err := join(t, h, token, newPassword); core.CodeOf(err) {
			case core.CodeNotFound:
			default:
				if err != nil {
					t.Error(err)
				}
				joined.Add(1)
			}
		})
	}
	all.Wait()
	var users int
	must(t, h.Pool.QueryRow(t.Context(), `SELECT count(*) FROM users WHERE email = 'ada@example.org'`).Scan(&users))
	if joined.Load() != 1 || users != 1 || len(membersOf(t, h, ws.Owner)) != 2 {
		t.Errorf("%d joined, %d users", joined.Load(), users)
	}
}

// Invited to two workspaces, a new person who joins both at once has one account.
func TestTwoInvitationsMakeOnePerson(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	one, two := h.Workspace("one"), h.Workspace("two")
	tokens := []string{
		tokenOf(t, one.Invite("ada@example.org", core.RoleEditor)),
		tokenOf(t, two.Invite("ada@example.org", core.RoleViewer)),
	}
	var all sync.WaitGroup
	for _, token := range tokens {
		all.Go(func() {
			_, err := join(t, h, token, newPassword)
			if core.CodeOf(err) == core.CodeConflict {
				_, err = join(t, h, token, newPassword)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	in, err := h.App.SignIn(t.Context(), contract.SignIn{Email: "ada@example.org", Password: newPassword}, from("192.0.2.9"))
	must(t, err)
	if list, err := h.App.ListJoinedWorkspaces(t.Context(), callerOf(t, h, in)); err != nil || len(list) != 2 {
		t.Errorf("their workspaces are %+v, %v", list, err)
	}
}
