package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// openSettings opens a page of the settings by its name.
func (b *browser) openSettings(name string) {
	b.t.Helper()
	b.clickLink(testid("nav-settings"))
	path := evaluateScript[string](b, `[...document.querySelectorAll(".settings-nav a")]
		.find((a) => a.innerText === "`+name+`").getAttribute("href")`)
	b.clickLink(`.settings-nav a[href="` + path + `"]`)
}

// texts returns the texts of all elements that match a selector.
func (b *browser) texts(selector string) []string {
	b.t.Helper()
	return evaluateScript[[]string](b, `[...document.querySelectorAll(`+"`"+selector+"`"+`)].map((n) => n.innerText.trim())`)
}

// Each role is invited by a form and joins by the link of the email. What the role may not do is not offered.
func TestInvitedMembersAreOfferedWhatTheirRoleMayDo(t *testing.T) {
	t.Parallel()
	_, b := openHarbourBakery(t)
	roles := []string{"viewer", "editor", "admin", "owner"}
	b.openSettings("Members")
	for _, role := range roles {
		b.typeInto("#invite-email", role+"@example.org")
		b.runActions("choose a role", chromedp.SetValue(chromedp.CSS("#invite-role"), role))
		b.runActions("invite", clickOn(testid("invite")))
		b.waitFor(`document.readyState === "complete" && ` +
			`document.querySelector("main .alert-title")?.innerText.includes("` + role + `@example.org") === true`)
	}
	b.checkAccessibility("members with invitations")
	outbox := evaluateScript[string](b, `document.querySelector("main [data-testid=outbox][target=_blank]").href`)
	b.runActions("open the outbox", chromedp.Navigate(outbox))
	b.checkAccessibility("the outbox")
	links := map[string]string{}
	for _, role := range roles {
		links[role] = evaluateScript[string](b, `[...document.querySelectorAll("[data-testid=mail]")]
			.find((m) => m.querySelector("[data-testid=mail-to]").innerText === "`+role+`@example.org")
			.querySelector("[data-testid=mail-action]").href`)
	}
	workspace := []string{"General", "Members", "API keys", "Usage and limits", "Audit log"}
	you := []string{"Profile", "Password and sessions", "Theme and shortcuts"}
	for _, role := range roles {
		writes, manages := role != "viewer", role == "admin" || role == "owner"
		b.runActions("open the invitation", chromedp.Navigate(links[role]))
		b.typeInto("#password", password)
		b.clickLink(testid("join-submit"))
		if got := len(b.texts(".rail " + testid("nav-compose"))); got != 1 && writes || got != 0 && !writes {
			t.Errorf("%s: %d links to the composer", role, got)
		}
		b.clickLink(testid("nav-accounts"))
		if got := len(b.texts(testid("connect-threads"))); got != 1 && manages || got != 0 && !manages {
			t.Errorf("%s: %d buttons to connect an account", role, got)
		}
		b.openSettings("Profile")
		want := slices.Concat([]string{"Usage and limits"}, you)
		if manages {
			want = slices.Concat(workspace, you)
		}
		if got := b.texts(".settings-nav a"); !slices.Equal(got, want) {
			t.Errorf("%s: the settings are %q", role, got)
		}
		if got := b.texts(testid("role")); len(got) != 1 || !strings.EqualFold(got[0], role) {
			t.Errorf("%s: the profile says %q", role, got)
		}
		if manages {
			b.openSettings("Members")
			if got := len(b.texts(`option[value="owner"]`)); (got > 0) != (role == "owner") {
				t.Errorf("%s: may choose an owner in %d places", role, got)
			}
		}
		b.clickLink(testid("sign-out"))
	}
	b.checkConsole()
}

func TestAForgottenPasswordIsReplacedInABrowser(t *testing.T) {
	t.Parallel()
	s := newStandaloneService(t)
	s.serveUntilReady()
	defer s.process.requireStop(t)
	b := newBrowser(t)
	b.setUp(s)
	b.openSettings("Password and sessions")
	b.checkAccessibility("password and sessions")
	b.clickLink(testid("sign-out"))
	b.clickLink(testid("forgot") + " a")
	b.checkAccessibility("a forgotten password")
	b.typeInto("#email", "ada@example.org")
	b.clickLink(testid("forgot-submit"))
	b.clickLink(testid("outbox"))
	b.waitFor(`document.querySelector("[data-testid=mail-action]") !== null || (location.reload(), false)`)
	b.clickLink(testid("mail-action"))
	b.checkAccessibility("choosing a new password")
	b.typeInto("#password", "seven quiet ropes hang")
	b.clickLink(testid("reset-submit"))
	if got := b.texts("main .alert-title"); !slices.Equal(got, []string{"Your password was changed"}) {
		t.Errorf("the sign-in page says %q", got)
	}
	b.typeInto("#email", "ada@example.org")
	b.typeInto("#password", "seven quiet ropes hang")
	b.clickLink(testid("sign-in-submit"))
	for _, page := range []string{"Usage and limits", "Audit log", "Theme and shortcuts", "Profile"} {
		b.openSettings(page)
		b.checkAccessibility(page)
	}
	b.checkConsole()
}

// Browsers suggest only zones that contain the value of an input, so a person whose zone was filled in saw no others.
func TestEveryTimeZoneThatTheBrowserKnowsCanBeChosen(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.serveUntilReady()
	b := s.signInWithBrowser(s.seedWorkspace())
	b.openSettings("General")
	b.waitFor(`Intl.supportedValuesOf("timeZone").every((zone) => [...document.querySelector("select#tz").options].some((o) => o.value === zone))`)
	b.checkAccessibility("the menu of time zones")
	const shown = `document.querySelector("#tz").selectedOptions[0].text`
	b.waitFor(shown + ` === "Berlin (Europe)"`)
	b.runActions("choose a zone", chromedp.SetValue(chromedp.CSS("#tz"), "America/Argentina/Salta"))
	b.clickLink(testid("save-workspace"))
	b.waitFor(shown + ` === "Salta (America/Argentina)"`)
	b.checkConsole()
}
