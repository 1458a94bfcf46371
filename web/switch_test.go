package web_test

import (
	"net/http"
	"testing"

	"belfry/internal/contract"
)

func TestAPersonSwitchesBetweenTheirWorkspaces(t *testing.T) {
	t.Parallel()
	r := open(t)
	one, foreign := r.Workspace("one"), r.Workspace("foreign")
	draft := one.Draft("of the first", one.Account("threads"))
	b := r.as(one)
	if n := len(b.get("/posts").is(t, http.StatusOK).all(testid("switcher"))); n != 0 {
		t.Error("somebody with one workspace is offered to switch")
	}
	two, err := r.App.CreateWorkspace(t.Context(), contract.CreateWorkspace{Name: "Second", OwnerEmail: one.Email})
	must(t, err)

	page := b.get("/posts").is(t, http.StatusOK)
	if option := page.one(t, testid("switch")); attribute(option, "value") != two.Workspace.String() ||
		textOf(option) != "Second second" {
		t.Errorf("offered is %s, %s", attribute(option, "value"), textOf(option))
	}
	form := page.one(t, testid("switcher")+" form")
	if attribute(form, "method") != "post" || attribute(form, "action") != "/workspace" {
		t.Error("the switch is no form")
	}
	b.post("/workspace", "workspace", two.Workspace.String()).leads(t, "/")
	for range 2 {
		page = b.get("/posts").is(t, http.StatusOK)
		if name := textOf(page.one(t, testid("workspace")+" .workspace-name")); name != "Second" ||
			len(page.all("[data-post-id]")) != 0 {
			t.Errorf("after the switch the workspace is %s", name)
		}
		b.get("/posts/"+draft.ID).is(t, http.StatusNotFound)
		for _, no := range []string{foreign.ID.String(), "nonsense", ""} {
			b.post("/workspace", "workspace", no).is(t, http.StatusNotFound)
		}
	}
	b.get("/workspace").leads(t, "/posts")
	b.send(http.MethodPost, "/workspace", pairsOf("workspace", one.ID.String()).Encode(), "Sec-Fetch-Site", "cross-site",
		"Origin", "https://evil.example").
		is(t, http.StatusForbidden)
	b.post("/workspace", "workspace", one.ID.String()).leads(t, "/")
	b.get("/posts/"+draft.ID).is(t, http.StatusOK)
	r.browser().post("/workspace", "workspace", one.ID.String()).leads(t, "/sign-in")
}
