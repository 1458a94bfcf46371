package web_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
)

func TestAProfileIsChangedByAForm(t *testing.T) {
	t.Parallel()
	r := open(t, keepMail)
	ws, other := r.Workspace("one"), r.Workspace("two")
	b := r.as(ws)
	form := b.get("/settings/profile").is(t, http.StatusOK).form(t, testid("profile-form"))
	if form.Get("name") != "Owner of one" || form.Get("email") != ws.Email || form.Get("mail") != "all" {
		t.Errorf("the form is %v", form)
	}
	r.Clock.Advance(time.Hour) // a name needs no password
	b.post("/settings/profile", "name", "Ada", "email", ws.Email, "mail", "none").leads(t, "/settings/profile")
	form = b.get("/settings/profile").form(t, testid("profile-form"))
	if form.Get("name") != "Ada" || form.Get("mail") != "none" {
		t.Errorf("stored: %v", form)
	}
	// An address does.
	asked := b.post("/settings/profile", "name", "Ada", "email", "ada@example.org", "mail", "own").is(t, http.StatusForbidden)
	carried := asked.form(t, testid("password-form"))
	carried.Set("current-password", apptest.Password)
	b.send(http.MethodPost, "/settings/profile", carried.Encode()).leads(t, "/settings/profile")
	form = b.get("/settings/profile").form(t, testid("profile-form"))
	if form.Get("email") != "ada@example.org" || form.Get("mail") != "own" {
		t.Errorf("stored: %v", form)
	}
	for input, pairs := range map[string][]string{
		"email": {"name", "Ada", "email", other.Email}, "name": {"name", " ", "email", "ada@example.org"},
	} {
		refused := b.post("/settings/profile", pairs...)
		refused.one(t, testid(input+"-error"))
		if refused.StatusCode < 400 || refused.value(t, "email") != pairs[3] {
			t.Errorf("%s: %d, and the form has %s", input, refused.StatusCode, refused.value(t, "email"))
		}
	}
	r.browser().post("/sign-in", "email", "ada@example.org", "password", apptest.Password).leads(t, "/posts")
}

func TestAChangedPasswordEndsAllOtherSessions(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	b, other := r.as(ws), r.as(ws)
	const better = "seven quiet ropes hang"
	for input, pairs := range map[string][]string{
		"current": {"current", "wrong", "new", better}, "new": {"current", apptest.Password, "new", "password"},
	} {
		refused := b.post("/settings/security", pairs...).is(t, http.StatusBadRequest)
		refused.one(t, testid(input+"-error"))
		if refused.value(t, "new") != "" || refused.value(t, "current") != "" {
			t.Error("a password is drawn again")
		}
	}
	before := b.cookies["belfry"].Value
	b.post("/settings/security", "current", apptest.Password, "new", better).leads(t, "/settings/security")
	if b.cookies["belfry"].Value == before {
		t.Error("the session keeps its token")
	}
	b.get("/settings/security").is(t, http.StatusOK).says(t, "Password changed.")
	other.get("/posts").leads(t, "/sign-in?next=%2Fposts")
	r.browser().post("/sign-in", "email", ws.Email, "password", better).leads(t, "/posts")
}

func TestSessionsAreListedAndEnded(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	phone, desk := r.browser(), r.browser()
	phone.header.Set("User-Agent", "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Safari/604.1")
	desk.header.Set("User-Agent", "Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0")
	phone.signIn(ws)
	r.Clock.Advance(time.Minute)
	desk.signIn(ws)
	r.as(r.Workspace("two"))
	page := desk.get("/settings/security").is(t, http.StatusOK)
	rows := page.all(testid("session"))
	if len(rows) != 2 || !strings.Contains(textOf(rows[0]), "Firefox on Windows This browser") ||
		!strings.Contains(textOf(rows[1]), "Safari on iPhone") {
		t.Fatalf("sessions: %s", page.text())
	}
	end := attribute(page.one(t, testid("session")+" form"), "action")
	r.as(r.Workspace("three")).post(end).is(t, http.StatusNotFound) // of somebody else
	phone.get("/posts").is(t, http.StatusOK)
	desk.get(end).leads(t, "/settings/security")
	desk.post(end).leads(t, "/settings/security")
	phone.get("/posts").leads(t, "/sign-in?next=%2Fposts")
	desk.post(end).is(t, http.StatusNotFound)
	if rows := desk.get("/settings/security").all(testid("session")); len(rows) != 1 {
		t.Errorf("%d sessions are left", len(rows))
	}

	phone.signIn(ws)
	desk.part(http.MethodGet, "/settings/security/sign-out").is(t, http.StatusOK).says(t, "Sign out of all browsers?")
	desk.post("/settings/security/sign-out").leads(t, "/sign-in?ended=1")
	desk.get("/sign-in?ended=1").says(t, "You are now signed out of all browsers")
	for _, b := range []*browser{phone, desk} {
		b.get("/posts").leads(t, "/sign-in?next=%2Fposts")
	}
}

// A session keeps its place in the list when its token changes.
func TestASessionIsListedOnceAfterItsTokenIsRenewed(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	b := r.as(ws)
	r.Clock.Advance(time.Hour)
	b.post("/settings/workspace", "name", "A", "slug", "one", "tz", "UTC", "current-password", apptest.Password).leads(t,
		"/settings/workspace")
	if rows := b.get("/settings/security").all(testid("session")); len(rows) != 1 {
		t.Errorf("%d sessions", len(rows))
	}
}

// 100 posts that were moved together filled two pages.
func TestAnActionOnManyPostsIsOneLineOfTheAuditLog(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	var queued []contract.Post
	for n := range 42 {
		queued = append(queued, s.ws.Queued("hello", s.threads, s.Clock.Now().Add(time.Duration(n+1)*time.Hour)))
	}
	s.bulk(queued[:40], "act", "cancel")
	s.act(queued[40], "cancel")
	s.act(queued[41], "cancel")
	page := s.b.get("/settings/audit?action=post_changed").is(t, http.StatusOK)
	var links []int
	for n := range page.all(testid("audit-entry")) {
		links = append(links, len(page.all(fmt.Sprintf("%s:nth-child(%d) .audit-what a", testid("audit-entry"), n+1))))
	}
	if !slices.Equal(links, []int{1, 1, 40}) {
		t.Errorf("the lines lead to %v posts", links)
	}
	if said := textOf(page.one(t, testid("audit-entry")+" summary")); said != "40 entries" {
		t.Errorf("the line says %q", said)
	}
}

func TestTheAuditLogIsFilteredAndPaged(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	b := r.as(ws)
	admin := ws.Member(core.RoleAdmin)
	for range 60 {
		ws.Key(core.Read)
	}
	made, err := r.App.InviteMember(t.Context(), admin, contract.InviteMember{Email: "ben@example.org", Role: "viewer"})
	must(t, err)
	_, err = r.App.ChangeMemberOrInvitationRole(t.Context(), admin, contract.EditMember{ID: made.ID, Role: "editor"})
	must(t, err)

	page := b.get("/settings/audit").is(t, http.StatusOK)
	page.says(t, "Role changed", "Role: Viewer → Editor", "A admin", "API key created", "Name: a test's key")
	if n := len(page.all(testid("audit-entry"))); n != 50 {
		t.Errorf("a page has %d entries", n)
	}
	if strings.Contains(page.text(), "IP address") {
		t.Error("the log has a column of addresses, but not one address")
	}
	older := b.get(attribute(page.one(t, "a[rel=next]"), "href")).is(t, http.StatusOK)
	if n := len(older.all(testid("audit-entry"))); n != 13 || len(older.all("a[rel=next]")) != 0 {
		t.Errorf("the last page has %d entries", n)
	}
	mine := b.get("/settings/audit?user="+admin.AttributedUser().String()).is(t, http.StatusOK)
	if n := len(mine.all(testid("audit-entry"))); n != 2 {
		t.Errorf("the admin did %d things", n)
	}
	mine.says(t, "Person: A admin")
	if strings.Contains(mine.text(), "Clear all") {
		t.Error("a single condition is offered to be removed twice")
	}
	b.get("/settings/audit?action=member_invited&user="+admin.AttributedUser().String()).says(t, "Action: Member invited", "Clear all")
	invited := b.get("/settings/audit?action=member_invited").is(t, http.StatusOK)
	if n := len(invited.all(testid("audit-entry"))); n != 1 {
		t.Errorf("%d invitations", n)
	}
	b.get("/settings/audit?action=plan_changed").says(t, "No matching entries")
	b.post("/settings/profile", "name", "Ada", "email", ws.Email).leads(t, "/settings/profile")
	b.get("/settings/audit?action=profile_changed").says(t, "IP address", "127.0.0.1")
	for _, wrong := range []string{"cursor=x", "action=%00", "action=%ff"} {
		b.get("/settings/audit?"+wrong).is(t, http.StatusBadRequest)
	}
	other := r.as(r.Workspace("two")).get("/settings/audit").is(t, http.StatusOK)
	if strings.Contains(other.text(), "ben@example.org") {
		t.Error("another workspace sees the log")
	}
}

func TestUsageShowsLimitsAndWhatHappensThere(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.WorkspaceOn(core.PlanFree, "one", "UTC")
	account := ws.Account("threads")
	ws.Draft("A draft", account)
	page := r.as(ws).get("/settings/plan").is(t, http.StatusOK)
	for meter, want := range map[string]string{
		"posts": "0 of 30", "storage": "0 bytes of 2 GB", "drafts": "1 of 100", "accounts": "1 of 3", "members": "1 of 1",
	} {
		if got := textOf(page.one(t, testid("meter-"+meter))); !strings.Contains(got, want) {
			t.Errorf("%s: %s", meter, got)
		}
	}
	page.says(t, "Limit reached: you cannot invite more people.", "Change subscription plan")
	r.as(r.Workspace("two")).get("/settings/plan").says(t, "Unlimited", "0 · No limit")
}

// What a role may not do is not shown, and refused to whoever asks for it all the same.
func TestSettingsShowWhatARoleMayDo(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	for _, role := range []core.Role{core.RoleViewer, core.RoleEditor, core.RoleAdmin} {
		address := linkOf(ws.Invite(string(role)+"@example.org", role))
		b := r.browser()
		b.post(address, "name", "A "+string(role), "password", "seven quiet ropes hang").leads(t, "/posts")
		page := b.get("/settings/profile").is(t, http.StatusOK)
		var shown []string
		for _, a := range page.all(".settings-nav a") {
			shown = append(shown, attribute(a, "href"))
		}
		for path, managers := range map[string]bool{
			"/settings/workspace": true, "/settings/members": true, "/settings/keys": true, "/settings/audit": true,
			"/settings/plan": false, "/settings/profile": false, "/settings/security": false, "/settings/appearance": false,
		} {
			may := !managers || role.CanManage()
			if listed := strings.Contains(strings.Join(shown, " ")+" ", path+" "); listed != may {
				t.Errorf("%s: %s is listed: %v", role, path, listed)
			}
			want := http.StatusOK
			if !may {
				want = http.StatusForbidden
			}
			b.get(path).is(t, want)
		}
	}
}

// Radios of one name are one group: the switch in the rail and that on the page took each other's choice.
func TestTheSwitchesOfTheThemeAreSeparateGroups(t *testing.T) {
	t.Parallel()
	r := open(t)
	page := r.as(r.Workspace("one")).get("/settings/appearance").is(t, http.StatusOK)
	groups := map[string]int{}
	for _, n := range page.all(`input[type=radio][name^=theme]`) {
		groups[attribute(n, "name")]++
	}
	if len(groups) != 2 || groups["theme"] != 3 {
		t.Errorf("the groups are %v", groups)
	}
}
