package web_test

import (
	"net/http"
	"strings"
	"testing"

	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
)

// withTwoWorkspaces is a person of two workspaces, with the slugs "one" and "second", and a draft in the first.
func withTwoWorkspaces(t *testing.T, r *rig) (one *apptest.Workspace, draft string) {
	t.Helper()
	one = r.Workspace("one")
	draft = one.Draft("of the first", one.Account("threads")).ID
	_, err := r.App.CreateWorkspaceWithOwner(t.Context(), contract.CreateWorkspace{Name: "Second", OwnerEmail: one.Email})
	must(t, err)
	return one, draft
}

func (p *page) workspaceName(t *testing.T) string {
	t.Helper()
	return textOf(p.is(t, http.StatusOK).one(t, testid("workspace")+" .workspace-name"))
}

func TestTheAddressNamesTheWorkspace(t *testing.T) {
	t.Parallel()
	r := open(t)
	one, draft := withTwoWorkspaces(t, r)
	b := r.as(one)
	for range 2 { // two tabs side by side
		first, second := b.get("/w/one/posts?status=draft"), b.get("/w/second/posts?status=draft")
		if name := first.workspaceName(t); name != "one" || len(first.all("[data-post]")) != 1 {
			t.Errorf("the first workspace is %s", name)
		}
		if name := second.workspaceName(t); name != "Second" || len(second.all("[data-post]")) != 0 {
			t.Errorf("the second workspace is %s", name)
		}
		for page, own := range map[*page]string{first: `href="/w/one/compose"`, second: `href="/w/second/compose"`} {
			if !strings.Contains(page.body, own) {
				t.Errorf("no link with %s", own)
			}
		}
		if !strings.Contains(first.body, `href="/w/second/posts"`) || !strings.Contains(second.body, `href="/w/one/posts"`) {
			t.Error("no way leads to the other workspace")
		}
	}
	b.get("/w/one/posts/"+draft).is(t, http.StatusOK)
	b.get("/w/second/posts/"+draft).is(t, http.StatusNotFound)
	b.post("/w/second/posts/"+draft+"/duplicate").is(t, http.StatusNotFound)
	b.post("/w/one/posts/"+draft+"/duplicate").is(t, http.StatusSeeOther)
}

// The message of an action showed on whatever page came next, also in another workspace's tab.
func TestAMessageStaysInItsWorkspace(t *testing.T) {
	t.Parallel()
	r := open(t)
	one, draft := withTwoWorkspaces(t, r)
	b := r.as(one)
	b.post("/w/one/posts/bulk", "act", "delete", "post", draft).is(t, http.StatusSeeOther)
	if n := len(b.get("/w/second/posts").is(t, http.StatusOK).all(testid("flash"))); n != 0 {
		t.Error("the other workspace shows the message")
	}
	b.get("/w/one/posts").says(t, "1 post deleted.")
	if n := len(b.get("/w/one/posts").all(testid("flash"))); n != 0 {
		t.Error("the message shows again")
	}
}

func TestAnAddressWithoutAWorkspaceLeadsToTheLastOne(t *testing.T) {
	t.Parallel()
	r := open(t)
	one, draft := withTwoWorkspaces(t, r)
	b := r.as(one)
	for _, slug := range []string{"one", "second", "one"} {
		b.get("/w/"+slug+"/posts").is(t, http.StatusOK)
		b.part(http.MethodGet, "/w/one/posts").is(t, http.StatusOK) // a tab that looks for news is no visit
		if got := b.get("/posts?status=draft").workspaceName(t); !strings.EqualFold(got, slug) {
			t.Errorf("after %s, the last workspace is %s", slug, got)
		}
		b.get("/").leads(t, "/posts")
		b.get("/w/"+slug).leads(t, "/posts")
	}
	b.post("/posts/"+draft+"/duplicate").is(t, http.StatusSeeOther)
	r.browser().get("/posts?status=draft").leads(t, "/sign-in?next=%2Fposts%3Fstatus%3Ddraft")
	r.browser().get("/w/one/posts").leads(t, "/sign-in?next=%2Fw%2Fone%2Fposts")
}

// A form without a workspace acted in the one that was visited last, which may be another than its page's.
func TestAFormWithoutAWorkspaceActsNowhere(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	b := r.as(ws)
	draft := ws.Draft("text", ws.Account("threads"))
	for _, path := range []string{"/posts/" + draft.ID + "/delete", "/posts/" + draft.ID + "/edit"} {
		b.sendOnce(http.MethodPost, path, "text=changed").leads(t, "/w/one"+path)
	}
	got, err := r.App.GetPost(t.Context(), ws.Owner, draft.ID)
	must(t, err)
	if got.Text != "text" {
		t.Errorf("the draft holds %q", got.Text)
	}
}

func TestAFormerSlugLeadsToThePresentOne(t *testing.T) {
	t.Parallel()
	r := open(t)
	one, other := r.Workspace("one"), r.Workspace("other")
	rename := func(ws *apptest.Workspace, slug string) {
		_, err := r.App.EditWorkspace(t.Context(), ws.Owner, contract.EditWorkspace{Slug: &slug})
		must(t, err)
	}
	b, stranger := r.as(one), r.as(other)
	rename(one, "bells")
	rename(one, "ropes")
	for _, slug := range []string{"one", "bells", "ropes"} {
		page := b.get("/w/" + slug + "/posts?q=ding")
		if page.workspaceName(t) != "one" || !strings.Contains(page.body, "/w/ropes/compose") ||
			page.value(t, "q") != "ding" {
			t.Errorf("/w/%s leads elsewhere", slug)
		}
		b.get("/w/"+slug).leads(t, "/posts")
		stranger.get("/w/"+slug+"/posts").is(t, http.StatusNotFound)
	}
	draft := one.Draft("text", one.Account("threads"))
	b.post("/w/one/posts/"+draft.ID+"/duplicate").is(t, http.StatusSeeOther)
	rename(one, "bells") // it takes a former one back
	b.get("/w/bells/posts").is(t, http.StatusOK)
}

// Links of a workspace's members led to strangers once another workspace had taken the slug.
func TestAFormerSlugStaysWithItsWorkspace(t *testing.T) {
	t.Parallel()
	r := open(t)
	one, other := r.Workspace("one"), r.Workspace("other")
	_, err := r.App.EditWorkspace(t.Context(), one.Owner, contract.EditWorkspace{Slug: new("bells")})
	must(t, err)
	for _, slug := range []string{"one", "bells"} {
		_, err := r.App.EditWorkspace(t.Context(), other.Owner, contract.EditWorkspace{Slug: &slug})
		if core.CodeOf(err) != core.CodeConflict {
			t.Errorf("another workspace may take %s: %v", slug, err)
		}
	}
	if r.as(one).get("/w/one/posts").workspaceName(t) != "one" {
		t.Error("the former slug leads elsewhere")
	}
	if made := r.Workspace("one!"); made.Slug == "one" {
		t.Error("a new workspace has the former slug of another")
	}
}

func TestAnotherWorkspacesSlugIsUnknown(t *testing.T) {
	t.Parallel()
	r := open(t)
	one, foreign := r.Workspace("one"), r.Workspace("foreign")
	renamed := r.Workspace("before")
	_, err := r.App.EditWorkspace(t.Context(), renamed.Owner, contract.EditWorkspace{Slug: new("after")})
	must(t, err)
	b := r.as(one)
	answer := func(method, target string) string {
		page := b.send(method, target, "").is(t, http.StatusNotFound)
		return page.body
	}
	for _, path := range []string{"/posts", "", "/settings/members", "/posts/" + foreign.Draft("x", foreign.Account("threads")).ID} {
		unknown := answer(http.MethodGet, "/w/nobody"+path)
		for _, slug := range []string{"foreign", "before", "after", foreign.ID.String(), "%2e%2e", "Foreign", "%00", "%ff"} {
			if answer(http.MethodGet, "/w/"+slug+path) != unknown {
				t.Errorf("/w/%s%s differs from an unknown workspace", slug, path)
			}
		}
	}
	if answer(http.MethodPost, "/w/foreign/posts") != answer(http.MethodPost, "/w/nobody/posts") {
		t.Error("a form to a foreign workspace differs from one to an unknown workspace")
	}
}

func TestAPersonWhoLeavesAWorkspaceStaysSignedInElsewhere(t *testing.T) {
	t.Parallel()
	r := open(t)
	one, _ := withTwoWorkspaces(t, r)
	b := r.as(one)
	b.get("/w/one/posts").is(t, http.StatusOK)
	_, err := r.Pool.Exec(t.Context(), `DELETE FROM members WHERE workspace_id = $1`, one.ID)
	must(t, err)
	b.get("/w/one/posts").is(t, http.StatusNotFound)
	if got := b.get("/posts").workspaceName(t); got != "Second" {
		t.Errorf("the remaining workspace is %s", got)
	}
}

func TestSomebodyWithOneWorkspaceIsOfferedNoOther(t *testing.T) {
	t.Parallel()
	r := open(t)
	if n := len(r.as(r.Workspace("one")).get("/posts").is(t, http.StatusOK).all(testid("switcher"))); n != 0 {
		t.Error("somebody with one workspace is offered to switch")
	}
}

// The consent page leads back to an address that names no workspace.
func TestAConsentEndsInTheWorkspaceInWhichItBegan(t *testing.T) {
	t.Parallel()
	r := open(t)
	one, _ := withTwoWorkspaces(t, r)
	b := r.as(one)
	began := b.get("/w/second/accounts/connect/threads").is(t, http.StatusSeeOther)
	b.get("/w/one/accounts").is(t, http.StatusOK) // in another tab
	b.get(callback("threads", r.Consent(began.Header.Get("Location"), "bell.ringer"))).leads(t, "/accounts")
	if n := len(b.get("/w/second/accounts").all(testid("account"))); n != 1 {
		t.Errorf("%d accounts are connected where the consent began", n)
	}
	if n := len(b.get("/w/one/accounts").all(testid("account"))); n != 1 { // its own
		t.Errorf("%d accounts are connected elsewhere", n)
	}
}

// A page asks the API for its own workspace's data.
func TestAPageCallsTheAPIInItsWorkspace(t *testing.T) {
	t.Parallel()
	r := open(t)
	one, _ := withTwoWorkspaces(t, r)
	b := r.as(one)
	b.get("/w/one/posts").is(t, http.StatusOK)
	for referer, slug := range map[string]string{
		"/w/one/posts": "one", "/w/second/compose?account=x": "second", "/docs/api": "one", "": "one", "/w/foreign/posts": "",
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/whoami", nil)
		must(t, err)
		request.AddCookie(b.cookies["belfry"])
		request.Header.Set("Referer", "http://localhost:8080"+referer)
		caller, err := r.web.FindCallerByCookieInRefererWorkspace(request)
		must(t, err)
		got := ""
		if !caller.IsZero() {
			who, err := r.App.Whoami(t.Context(), caller)
			must(t, err)
			got = who.Workspace.Slug
		}
		if got != slug {
			t.Errorf("a page at %s calls the API in %q", referer, got)
		}
	}
}
