package web_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
)

func linkOf(m contract.Member) string { return strings.TrimPrefix(m.InviteURL, apptest.PublicURL) }

func TestANewPersonJoinsByTheLink(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	r := open(t, func(c *app.Config) {
		c.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	ws := r.Workspace("Bell & Rope")
	address := linkOf(ws.Invite("ada@example.org", core.RoleViewer))
	b := r.browser()
	page := b.get(address).is(t, http.StatusOK)
	page.says(t, "Join Bell & Rope", "Owner of Bell & Rope has invited you to join the workspace Bell & Rope as a viewer.",
		"New to Belfry? Enter your name and choose a password.",
		"Already have an account here? Enter its password. The account keeps its current name.")
	if page.value(t, "email") != "ada@example.org" || page.value(t, "name") != "ada" ||
		page.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("the page is %s", page.text())
	}
	for input, wrong := range map[string]string{"name": " ", "password": "short"} {
		page := b.post(address,
			with([]string{"name", "Ada Lovelace", "password", "crooked bells ring"}, input, wrong)...).is(t,
			http.StatusBadRequest)
		page.one(t, testid(input+"-error"))
		if page.value(t, "password") != "" || input == "password" && page.value(t, "name") != "Ada Lovelace" {
			t.Error("the form lost the name, or drew a password")
		}
	}
	foreign := r.browser()
	foreign.header.Set("Sec-Fetch-Site", "cross-site")
	foreign.post(address, "name", "Ada", "password", "crooked bells ring").is(t, http.StatusForbidden)
	if len(b.cookies)+len(foreign.cookies) != 0 {
		t.Error("a refusal made a session")
	}
	b.post(address, "name", "Ada Lovelace", "password", "crooked bells ring", "email", "other@example.org").leads(t,
		"/posts")
	b.get("/posts").is(t, http.StatusOK).says(t, "Ada Lovelace", "Bell & Rope", "You have joined the workspace.")
	b.get(address).is(t, http.StatusNotFound)
	if token := strings.TrimPrefix(address, "/invitations/"); strings.Contains(log.String(), token[:20]) ||
		!strings.Contains(log.String(), "/invitations/:token") {
		t.Error("the log repeats the token, or does not have the route")
	}
}

func TestAKnownPersonJoinsByTheLinkWithTheirPassword(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws, own := r.Workspace("one"), r.Workspace("two")
	stranger, known := linkOf(ws.Invite("xxx@example.org", core.RoleViewer)), linkOf(ws.Invite(own.Email, core.RoleViewer))
	b := r.browser()
	// Who has the link cannot tell by the page whether the person is known.
	bare := func(address string) string {
		body := b.get(address).is(t, http.StatusOK).body
		return strings.NewReplacer(address, "", "xxx", "", own.Email, "@example.org", `value="two"`, `value=""`).Replace(body)
	}
	if bare(stranger) != bare(known) {
		t.Errorf("the pages differ:\n%s\n%s", bare(stranger), bare(known))
	}
	for range 5 {
		b.post(known, "name", "x", "password", "crooked bells ring").is(t, http.StatusUnauthorized).says(t,
			"this is not its password")
	}
	page := b.post(known, "name", "x", "password", apptest.Password).is(t, http.StatusTooManyRequests)
	if page.Header.Get("Retry-After") == "" {
		t.Error("no word on how long to wait")
	}
	r.Clock.Advance(3 * time.Minute)
	b.post(known, "name", "x", "password", apptest.Password).leads(t, "/posts")
	b.get("/posts").is(t, http.StatusOK).says(t, "Owner of two", "one")
}

// Expired, used, withdrawn and unknown: one page, which tells what to do.
func TestALinkThatDoesNotWorkSaysWhatToDo(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	expired := linkOf(ws.Invite("expired@example.org", core.RoleViewer))
	r.Clock.Advance(8 * 24 * time.Hour)
	withdrawn := ws.Invite("withdrawn@example.org", core.RoleViewer)
	must(t, r.App.RemoveMemberOrInvitation(t.Context(), ws.Owner, withdrawn.ID))
	used := linkOf(ws.Invite("used@example.org", core.RoleViewer))
	b := r.browser()
	b.post(used, "name", "Ada", "password", "crooked bells ring").leads(t, "/posts")
	var seen string
	for _, address := range []string{expired, linkOf(withdrawn), used, "/invitations/unknown", "/invitations/%00"} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			page := r.browser().send(method, address, pairsOf("name", "Ada", "password", "crooked bells ring").Encode()).is(t,
				http.StatusNotFound)
			page.one(t, testid("no-invitation"))
			page.says(t, "ask the person who invited you")
			if seen == "" {
				seen = page.body
			}
			if page.body != seen {
				t.Errorf("%s %s has another page", method, address)
			}
		}
	}
}

func TestAWorkspaceWithoutRoomSaysSoToWhoJoins(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	address := linkOf(ws.Invite("ada@example.org", core.RoleViewer))
	ws.Use(core.PlanFree)
	page := r.browser().post(address, "name", "Ada", "password", "crooked bells ring").is(t, http.StatusPaymentRequired)
	page.says(t, "The subscription plan's limit is 1 member, and", "Ask an owner or admin of the workspace to remove a member")
	if len(page.all(`a[href="https://example.org/plans"]`)) != 0 {
		t.Error("a guest is sent to buy a plan")
	}
}
