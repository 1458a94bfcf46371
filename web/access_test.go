package web_test

import (
	"net/http"
	"strings"
	"testing"

	"belfry/internal/app/apptest"
	"belfry/internal/core"
)

// Every address with an id answers for another workspace's exactly as for one that never was.
func TestAnotherWorkspacesIDsAreNowhere(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	two := s.Workspace("two")
	account := two.Account("threads")
	post, key, invited := two.Draft("nobody elses", account), two.Key(core.Read),
		two.Invite("nobody@example.net", core.RoleViewer)
	const nobody = "01kbmwz6v3f1ht6hz9n8q4w2ce"
	for _, c := range []struct{ method, path, foreign, unknown string }{
		{http.MethodGet, "/posts/ID", post.ID, "post_" + nobody},
		{http.MethodGet, "/posts/ID/edit", post.ID, "post_" + nobody},
		{http.MethodPost, "/posts/ID/edit", post.ID, "post_" + nobody},
		{http.MethodPost, "/posts/ID/edit/plan", post.ID, "post_" + nobody},
		{http.MethodPost, "/posts/ID/queue", post.ID, "post_" + nobody},
		{http.MethodPost, "/posts/ID/send-now", post.ID, "post_" + nobody},
		{http.MethodPost, "/posts/ID/reschedule", post.ID, "post_" + nobody},
		{http.MethodPost, "/posts/ID/cancel", post.ID, "post_" + nobody},
		{http.MethodPost, "/posts/ID/retry", post.ID, "post_" + nobody},
		{http.MethodPost, "/posts/ID/duplicate", post.ID, "post_" + nobody},
		{http.MethodGet, "/posts/ID/delete", post.ID, "post_" + nobody},
		{http.MethodPost, "/posts/ID/delete", post.ID, "post_" + nobody},
		{http.MethodPost, "/posts/ID/settle", post.ID, "post_" + nobody},
		{http.MethodGet, "/posts?accountId=ID", account.ID, "acc_" + nobody},
		{http.MethodGet, "/accounts/ID/reconnect", account.ID, "acc_" + nobody},
		{http.MethodGet, "/accounts/ID/disconnect", account.ID, "acc_" + nobody},
		{http.MethodPost, "/accounts/ID/disconnect", account.ID, "acc_" + nobody},
		{http.MethodGet, "/settings/keys/ID/revoke", key.ID, "key_" + nobody},
		{http.MethodPost, "/settings/keys/ID/revoke", key.ID, "key_" + nobody},
		{http.MethodPost, "/settings/members/ID", invited.ID, "usr_" + nobody},
		{http.MethodGet, "/settings/members/ID/remove", invited.ID, "usr_" + nobody},
		{http.MethodPost, "/settings/members/ID/remove", invited.ID, "usr_" + nobody},
	} {
		var pages []string
		for _, id := range []string{c.foreign, c.unknown, "nonsense"} {
			for _, htmx := range []string{"", "true"} {
				form := pairsOf("outcome", "live", "at", "2026-10-07T10:00", "text", "x", "when", "draft", "role",
					"viewer").Encode()
				page := s.b.send(c.method, strings.Replace(c.path, "ID", id, 1), form, "HX-Request", htmx)
				page.is(t, http.StatusNotFound).one(t, testid("fault"))
				if strings.Contains(page.body, "nobody elses") {
					t.Errorf("%s %s shows it", c.method, c.path)
				}
				pages = append(pages, htmx+page.body)
			}
		}
		if pages[0] != pages[2] || pages[2] != pages[4] || pages[1] != pages[3] || pages[3] != pages[5] {
			t.Errorf("%s %s: the pages differ", c.method, c.path)
		}
	}
	if got, err := s.App.GetPost(t.Context(), two.Owner, post.ID); err != nil || got.Status != "draft" {
		t.Errorf("the other's post is %v, %v", got.Status, err)
	}
}

// seat is a browser in which a member has signed in.
func (r *rig) seat(c core.Caller) *browser {
	r.t.Helper()
	email := c.AttributedUser().String() + "@example.org"
	must(r.t, r.App.SetUserPassword(r.t.Context(), email, apptest.Password))
	b := r.browser()
	b.post("/sign-in", "email", email, "password", apptest.Password).leads(r.t, "/posts")
	return b
}

func TestRolesAreOfferedWhatTheyMay(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	post := s.ws.Draft("hello", s.threads)
	for _, c := range []struct {
		role            core.Role
		writes, manages bool
	}{{core.RoleViewer, false, false}, {core.RoleEditor, true, false}, {core.RoleAdmin, true, true}} {
		b := s.seat(s.ws.Member(c.role))
		page := b.get("/posts/"+post.ID).is(t, http.StatusOK)
		if got := len(page.all(testid("edit"))) == 1; got != c.writes {
			t.Errorf("%s: editing is offered: %t", c.role, got)
		}
		page.one(t, testid("nav-settings"))
		if said := b.get("/accounts").text(); strings.Contains(said, "You approve access") != c.manages ||
			strings.Contains(said, "To connect another one, ask") == c.manages {
			t.Errorf("the page with the accounts tells a member with the role %s: %s", c.role, said)
		}
		if got := len(b.get("/accounts").is(t, http.StatusOK).all(testid("disconnect"))) > 0; got != c.manages {
			t.Errorf("%s: disconnecting is offered: %t", c.role, got)
		}
		allowed := map[bool]int{true: http.StatusOK, false: http.StatusForbidden}
		b.get("/compose").is(t, allowed[c.writes])
		b.get("/posts/"+post.ID+"/edit").is(t, allowed[c.writes])
		b.get("/settings/keys").is(t, allowed[c.manages])
		if !c.writes {
			b.post("/posts", s.written()...).is(t, http.StatusForbidden).one(t, testid("fault"))
			b.post("/posts/"+post.ID+"/delete").is(t, http.StatusForbidden)
		}
		if !c.manages {
			b.post("/accounts/"+s.threads.ID+"/disconnect").is(t, http.StatusForbidden)
			b.get("/accounts/connect/threads").is(t, http.StatusForbidden)
			b.post("/settings/keys", "name", "x", "scope", "read").is(t, http.StatusForbidden)
		}
	}
}

func TestEveryRoleReachesItsProfileInSettings(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	for _, role := range []core.Role{core.RoleViewer, core.RoleEditor, core.RoleAdmin} {
		member := s.ws.Member(role)
		b := s.seat(member)
		first := "/settings/profile"
		if role.CanManage() {
			first = "/settings/workspace"
		}
		b.get("/settings").leads(t, first)
		page := b.get("/settings/profile").is(t, http.StatusOK)
		if page.value(t, "email") != member.AttributedUser().String()+"@example.org" || page.value(t, "name") != "A "+string(role) {
			t.Errorf("%s: the profile is %s", role, page.text())
		}
		if pages := len(page.all("nav[aria-label=Settings] a")); role.CanManage() != (pages == 8) || !role.CanManage() &&
			pages != 4 {
			t.Errorf("%s: %d pages", role, pages)
		}
	}
}

func TestASessionAlsoOpensTheAPI(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	b := r.as(ws)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/whoami", nil)
	must(t, err)
	if caller, err := r.web.FindCallerByCookieInRefererWorkspace(request); !caller.IsZero() || err != nil {
		t.Errorf("without a cookie: %+v, %v", caller, err)
	}
	request.AddCookie(b.cookies["belfry"])
	caller, err := r.web.FindCallerByCookieInRefererWorkspace(request)
	if err != nil || caller.Workspace() != ws.ID || !caller.IsSession() ||
		caller.SessionID() != b.cookies["belfry"].Value {
		t.Errorf("with a cookie: %+v, %v", caller, err)
	}
}

func TestFaultsArePagesAndParts(t *testing.T) {
	t.Parallel()
	r := open(t)
	b := r.as(r.Workspace("one"))
	for path, status := range map[string]int{"/nowhere": http.StatusNotFound, "/posts/nothing/at/all": http.StatusNotFound} {
		page := b.get(path, "Referer", "http://localhost:8080/posts?status=live").is(t, status)
		page.one(t, "nav[aria-label=Main]")
		if back := attribute(page.one(t, testid("back")), "href"); back != "/posts?status=live" {
			t.Errorf("back leads to %s", back)
		}
		if back := attribute(b.get(path, "Referer", "https://evil.example/posts").one(t, testid("back")), "href"); back != "/posts" {
			t.Errorf("back leads to %s", back)
		}
		part := b.part(http.MethodGet, path).is(t, status)
		if part.one(t, testid("fault")); len(part.all("title, nav")) != 0 {
			t.Error("the part is a page")
		}
		stranger := r.browser().get(path).is(t, status)
		if len(stranger.all("nav")) != 0 || strings.Contains(stranger.body, "one") &&
			len(stranger.all(testid("workspace"))) != 0 {
			t.Error("a stranger sees the inside")
		}
	}
	if b.send(http.MethodPost, "/accounts", "").is(t, http.StatusMethodNotAllowed); b.get("/accounts").StatusCode != http.StatusOK {
		t.Error("a wrong method breaks the page")
	}
}

func TestADatabaseThatIsAwayLosesNothing(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	s.Pool.Close()
	for _, b := range []*browser{s.b, s.browser()} {
		for _, path := range []string{"/", "/posts", "/sign-in", "/compose"} {
			page := b.get(path).is(t, http.StatusServiceUnavailable)
			page.one(t, testid("fault"))
			if page.Header.Get("Retry-After") == "" {
				t.Errorf("%s does not say when to come back", path)
			}
		}
	}
	page := s.b.post("/posts", s.written("text", "a long\r\nthought")...).is(t, http.StatusServiceUnavailable)
	if got := raw(page.one(t, testid("kept"))); got != "a long\nthought" {
		t.Errorf("the text is %q", got)
	}
	if page := s.b.post("/sign-in", "email", "a@example.org", "password", "secret words"); strings.Contains(page.body,
		"secret words") {
		t.Error("a password is drawn")
	}
}

// The page of members, which explains the roles, is only for managers.
func TestMembersLearnWhatTheirRoleMayDoAndWhomToAsk(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	ws.Account("threads")
	ws.Invite("ben@example.org", core.RoleAdmin) // who has not joined cannot help
	b := r.seat(ws.Member(core.RoleEditor))
	profile := b.get("/settings/profile").is(t, http.StatusOK)
	profile.one(t, testid("roles"))
	if said := textOf(profile.one(t, testid("managers")+" ul")); said != "Owner of one, Owner: "+ws.Email {
		t.Errorf("the profile names %q", said)
	}
	b.get("/accounts").says(t, "To connect another one, ask Owner of one.")
	ws.Member(core.RoleAdmin)
	b.get("/accounts").says(t, "To connect another one, ask Owner of one or A admin.")
}

// Whoever is refused learns which role it takes and who can give it.
func TestARefusedPersonLearnsWhichRoleItTakes(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	for role, want := range map[core.Role][]string{
		core.RoleViewer: {"at least the editor role", "owner or admin of the workspace can give you that role"},
		core.RoleEditor: {"Only an owner or admin of the workspace", "give you another role. Your profile, under Settings, lists them."},
	} {
		path := map[core.Role]string{core.RoleViewer: "/groups", core.RoleEditor: "/settings/keys"}[role]
		method := map[core.Role]string{core.RoleViewer: http.MethodPost, core.RoleEditor: http.MethodGet}[role]
		page := r.seat(ws.Member(role)).send(method, path, "name=x").is(t, http.StatusForbidden)
		for _, words := range want {
			if text := textOf(page.one(t, testid("fault"))); !strings.Contains(text, words) {
				t.Errorf("a %s reads %q, not %q", role, text, words)
			}
		}
	}
}
