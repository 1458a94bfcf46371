package web_test

import (
	"net/http"
	"strings"
	"testing"

	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
)

// A whole life of a membership, by forms alone.
func TestMembersAreInvitedChangedAndRemoved(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	b := r.as(ws)
	page := b.post("/settings/members", "email", "ben@example.org", "name", "", "role", "editor").is(t, http.StatusCreated)
	address := textOf(page.one(t, testid("new-link")))
	page = b.get("/settings/members").is(t, http.StatusOK)
	page.says(t, "Invitation expires")
	if len(page.all(testid("member"))) != 2 || strings.Contains(page.body, address) {
		t.Error("the invited one is not listed, or the link is shown twice")
	}
	again := textOf(b.post("/settings/members", "email", "ben@example.org", "name", "Ben", "role", "editor").is(t,
		http.StatusCreated).one(t, testid("new-link")))
	invitation := "/settings/members/" + attribute(b.get("/settings/members").all(testid("member"))[1], "data-member-id")
	b.post(invitation, "role", "editor").leads(t, "/settings/members")
	b.get("/settings/members").says(t, "Ben will join as an editor.")
	guest := r.browser()
	guest.get(strings.TrimPrefix(address, apptest.PublicURL)).is(t, http.StatusNotFound)
	guest.post(strings.TrimPrefix(again, apptest.PublicURL), "name", "Ben Miller", "password",
		"crooked bells ring").leads(t, "/posts")
	guest.get("/settings/members").is(t, http.StatusForbidden)
	guest.get("/settings/workspace").is(t, http.StatusForbidden)
	guest.post("/settings/workspace", "name", "Mine", "slug", "mine", "tz", "UTC").is(t, http.StatusForbidden)

	ben := "/settings/members/" + attribute(b.get("/settings/members").all(testid("member"))[1], "data-member-id")
	b.post(ben, "role", "admin").leads(t, "/settings/members")
	b.get("/settings/members").says(t, "Ben Miller is now an admin.")
	page = guest.get("/settings/members").is(t, http.StatusOK)
	if n := len(page.all(`[data-testid="member"] select`)); n != 1 || len(page.all(`option[value="owner"]`)) != 0 {
		t.Errorf("an admin may change %d members, or make owners", n)
	}
	b.get(ben).leads(t, "/settings/members")
	b.part(http.MethodGet, ben+"/remove").is(t, http.StatusOK).says(t, "Remove Ben Miller?", "Their posts remain in the workspace.")
	b.post(ben+"/remove").leads(t, "/settings/members")
	guest.get("/posts").leads(t, "/sign-in?next=%2Fposts")
	b.get(ben+"/remove").is(t, http.StatusNotFound)
	b.post(ben, "role", "viewer").is(t, http.StatusNotFound)

	me := "/settings/members/" + ws.Owner.AttributedUser().String()
	b.post(me, "role", "viewer").is(t, http.StatusConflict).says(t, "this member is the only owner")
	b.post(me+"/remove").is(t, http.StatusConflict).says(t, "this member is the only owner")
	ws.Member(core.RoleOwner)
	b.get(me+"/remove").says(t, "Leave this workspace?")
	b.post(me+"/remove").leads(t, "/sign-in")
	b.get("/posts").leads(t, "/sign-in?next=%2Fposts")
}

// The page offered the only owner a role and a way to leave, both of which were then refused.
func TestTheOnlyOwnerIsOfferedNeitherARoleNorToLeave(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	b := r.as(ws)
	_, err := r.App.InviteMember(t.Context(), ws.Owner, contract.InviteMember{Email: "ben@example.org", Role: "owner"})
	must(t, err) // who is only invited is no owner
	mine := testid("member") + `[data-member-id="` + ws.Owner.AttributedUser().String() + `"] `
	page := b.get("/settings/members").is(t, http.StatusOK)
	page.says(t, "You are the only owner. Make someone else an owner before you leave.")
	if n := len(page.all(mine+"select")) + len(page.all(mine+testid("remove-member"))); n != 0 {
		t.Errorf("the page offers %d changes that are refused", n)
	}
	ws.Member(core.RoleOwner)
	page = b.get("/settings/members").is(t, http.StatusOK)
	page.one(t, mine+"select")
	page.one(t, mine+testid("remove-member"))
	if strings.Contains(page.text(), "only owner") {
		t.Error("two owners are called the only one")
	}
}

func TestARefusedInvitationKeepsItsForm(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	b := r.as(ws)
	for input, form := range map[string][]string{
		"invite-email": {"email", "ben@", "name", "Ben", "role", "viewer"},
		"invite-name":  {"email", "ben@example.org", "name", strings.Repeat("x", 81), "role", "viewer"},
		"invite-role":  {"email", "ben@example.org", "name", "Ben", "role", "king"},
	} {
		page := b.post("/settings/members", form...).is(t, http.StatusBadRequest)
		page.one(t, testid(input+"-error"))
		if page.value(t, "email") != form[1] || page.value(t, "name") != form[3] || len(page.all(testid("member"))) != 1 {
			t.Errorf("%s: the form lost its values, or invited somebody", input)
		}
	}
	ws.Use(core.PlanFree)
	b.post("/settings/members", "email", "ben@example.org", "role", "viewer").is(t, http.StatusPaymentRequired).says(t,
		"Remove a member or an invitation", "See subscription plans")
}

func TestTheWorkspaceIsChangedByAForm(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws, other := r.Workspace("one"), r.Workspace("two")
	b := r.as(ws)
	page := b.get("/settings/workspace").is(t, http.StatusOK)
	if page.value(t, "name") != "one" || page.value(t, "slug") != "one" || page.value(t, "tz") != "UTC" {
		t.Errorf("the form is %s", page.text())
	}
	right := []string{"name", "Bell & Rope", "slug", "bell-rope", "tz", "Europe/Berlin"}
	for input, wrong := range map[string]string{"name": " ", "slug": "Bell Rope", "tz": "Atlantis"} {
		page := b.post("/settings/workspace", with(right, input, wrong)...).is(t, http.StatusBadRequest)
		page.one(t, testid(input+"-error"))
		if page.value(t, input) != wrong {
			t.Errorf("a wrong %s is lost", input)
		}
	}
	b.post("/settings/workspace", with(right, "slug", other.Slug)...).is(t, http.StatusConflict).one(t,
		testid("slug-error"))
	b.post("/settings/workspace", with(right, "tz", "west")...).is(t, http.StatusBadRequest).says(t,
		"Several time zones have this name. Enter Australia/West or Brazil/West.")
	b.post("/settings/workspace", with(right, "tz", " berlin ")...).leads(t, "/settings/workspace")
	page = b.get("/settings/workspace").is(t, http.StatusOK)
	page.says(t, "Workspace saved.", "Bell & Rope")
	if page.value(t, "slug") != "bell-rope" || page.value(t, "tz") != "Europe/Berlin" {
		t.Errorf("the form is %s", page.text())
	}
}

// Of a form that was sent several times at once, each sending made the link of the one before it invalid.
func TestAnInvitationThatIsSentSeveralTimesAtOnceIsCreatedOnce(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	page, ben := s.b.get("/settings/members"), []string{"email", "ben@example.org", "role", "editor"}
	if n := s.sendAtOnce(http.StatusCreated, page, testid("invite-form"), ben...); n != 1 {
		t.Errorf("%d pages show a link", n)
	}
	page = s.b.get("/settings/members")
	first := s.submit(page, "form:has("+testid("resend")+")").is(t, http.StatusCreated)
	s.submit(page, "form:has("+testid("resend")+")").leads(t, "/settings/members")
	s.b.get("/settings/members").says(t, "This invitation has already been created, and its link was shown only once.")
	link := textOf(first.one(t, testid("new-link")))
	s.browser().get(strings.TrimPrefix(link, apptest.PublicURL)).is(t, http.StatusOK)
	if n := s.countAudited("^member_invited$"); n != 2 {
		t.Errorf("%d invitations", n)
	}
}

// The message told people to press a button that the page no longer had.
func TestARepeatedInvitationSaysWhatHasBecomeOfIt(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	page := s.b.get("/settings/members")
	again := func(says string) {
		t.Helper()
		s.submit(page, testid("invite-form"), "email", " Ben@example.org", "role", "editor").leads(t, "/settings/members")
		s.b.get("/settings/members").says(t, says)
	}
	made := s.submit(page, testid("invite-form"), "email", " Ben@example.org", "role", "editor").is(t, http.StatusCreated)
	again("If you need another link, select")
	address := strings.TrimPrefix(textOf(made.one(t, testid("new-link"))), apptest.PublicURL)
	s.browser().post(address, "name", "Ben", "password", "crooked bells ring").leads(t, "/posts")
	again("Ben is already a member.")
	ben := attribute(s.b.get("/settings/members").all(testid("member"))[1], "data-member-id")
	s.b.post("/settings/members/"+ben+"/remove").leads(t, "/settings/members")
	again("This invitation is no longer valid.")
}

// The second sending of a removal was answered with "Page not found".
func TestAFormOfAMemberThatIsSentTwiceActsOnce(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	ben := "/settings/members/" + s.ws.Member(core.RoleEditor).AttributedUser().String()
	before := s.countAudited("^member_")
	page := s.b.get("/settings/members")
	for range 2 {
		s.submit(page, `form[action$="`+ben+`"]`, "role", "admin").leads(t, "/settings/members")
		s.b.get("/settings/members").says(t, "is now an admin.")
	}
	page = s.b.get(ben + "/remove")
	for range 2 {
		s.submit(page, testid("confirm-form")).leads(t, "/settings/members")
		s.b.get("/settings/members").says(t, "This person has no access to the workspace.")
	}
	if n := s.countAudited("^member_") - before; n != 2 {
		t.Errorf("they acted %d times", n)
	}
}

// The second sending must not bring back the session that the first one has ended.
func TestAPersonWhoLeavesSeveralTimesAtOnceIsSignedOut(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	s.ws.Member(core.RoleOwner)
	page := s.b.get("/settings/members/" + s.ws.Owner.AttributedUser().String() + "/remove")
	if n := s.sendAtOnce(http.StatusSeeOther, page, testid("confirm-form")); n != 4 {
		t.Errorf("%d of 4 led to a page", n)
	}
	s.b.get("/posts").leads(t, "/sign-in?next=%2Fposts")
}
