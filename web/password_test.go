package web_test

import (
	"net/http"
	"testing"
	"time"

	"belfry/internal/app/apptest"
	"belfry/internal/core"
)

// A stolen or forgotten session could make keys, invite owners and take the workspace's name.
func TestChangesToKeysMembersAndTheWorkspaceNeedThePasswordAgain(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	key, editor := ws.Key(core.Read), ws.Member(core.RoleEditor)
	b := r.as(ws)
	changes := map[string]string{
		"/settings/keys":                                                    "create the API key “nightly job”",
		"/settings/keys/" + key.ID + "/revoke":                              "revoke the API key",
		"/settings/members":                                                 "invite ada@example.org",
		"/settings/members/" + editor.AttributedUser().String():             "make this person a viewer",
		"/settings/members/" + editor.AttributedUser().String() + "/remove": "end this person's access to the workspace",
		"/settings/workspace":                                               "save the workspace's settings",
	}
	for name, form := range map[string][]string{
		"/settings/keys":                       {"name", "nightly\r\njob", "scope", "write", "form", "1"},
		"/settings/keys/" + key.ID + "/revoke": nil,
		"/settings/members": {
			"email", "ada@example.org", "name", "Ada", "role",
			"admin",
		},
		"/settings/members/" + editor.AttributedUser().String():             {"role", "viewer"},
		"/settings/members/" + editor.AttributedUser().String() + "/remove": nil,
		"/settings/workspace": {
			"name", "Other name", "slug", "other", "tz",
			"Europe/Paris",
		},
	} {
		r.Clock.Advance(10 * time.Minute)
		page := b.post(name, form...).is(t, http.StatusForbidden)
		page.says(t, "To "+changes[name]+", enter your password again.")
		asked := page.form(t, testid("password-form"))
		for i := 0; i < len(form); i += 2 {
			if asked.Get(form[i]) == "" {
				t.Errorf("%s: the page lost %s", name, form[i])
			}
		}
		if got := attribute(page.one(t, testid("password-form")), "action"); got != name {
			t.Errorf("%s: the form goes to %s", name, got)
		}
	}
	if n := count(t, r, "SELECT count(*) FROM api_keys"); n != 1 {
		t.Errorf("%d keys", n)
	}
}

func TestAfterThePasswordTheFormGoesOnAsItWasSent(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	b := r.as(ws)
	r.Clock.Advance(time.Hour)
	sent := b.post("/settings/workspace", "name", "A <b>new</b> \"name\"", "slug", "renamed", "tz", "Europe/Paris").is(t,
		http.StatusForbidden)
	form := sent.form(t, testid("password-form"))
	before := b.cookies["belfry"].Value

	form.Set("current-password", "not this one")
	wrong := b.send(http.MethodPost, "/settings/workspace", form.Encode()).is(t, http.StatusBadRequest)
	wrong.says(t, "The password is wrong. Check it and try again.")
	form = wrong.form(t, testid("password-form"))
	form.Set("current-password", apptest.Password)
	b.send(http.MethodPost, "/settings/workspace", form.Encode()).leads(t, "/settings/workspace")
	page := b.get("/settings/workspace").is(t, http.StatusOK)
	if page.value(t, "name") != "A <b>new</b> \"name\"" || page.value(t, "slug") != "renamed" {
		t.Errorf("stored: %q, %q", page.value(t, "name"), page.value(t, "slug"))
	}
	if b.cookies["belfry"].Value == before {
		t.Error("the session keeps its token although it may do more")
	}
	// For the next minutes it is not asked again; then it is.
	r.Clock.Advance(9 * time.Minute)
	b.post("/settings/workspace", "name", "Again", "slug", "renamed", "tz", "Europe/Paris").leads(t, "/settings/workspace")
	r.Clock.Advance(time.Minute)
	b.post("/settings/workspace", "name", "Too late", "slug", "renamed", "tz", "Europe/Paris").is(t, http.StatusForbidden)
}

func TestASessionAllowsFewGuessesOfItsPassword(t *testing.T) {
	t.Parallel()
	r := open(t)
	b := r.as(r.Workspace("one"))
	for range 5 {
		b.post("/settings/workspace", "name", "x", "current-password", "guess").is(t, http.StatusBadRequest)
	}
	page := b.post("/settings/workspace", "name", "x", "current-password", apptest.Password).is(t,
		http.StatusTooManyRequests)
	if page.Header.Get("Retry-After") == "" {
		t.Error("no word on how long to wait")
	}
}

func count(t *testing.T, r *rig, sql string) (n int) {
	t.Helper()
	must(t, r.Pool.QueryRow(t.Context(), sql).Scan(&n))
	return n
}
