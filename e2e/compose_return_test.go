package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// signInWithBrowser opens a browser in which the press has signed in.
func (p *kindsPress) signInWithBrowser() *browser {
	b := newBrowser(p.service.t)
	b.runActions("open the service", chromedp.Navigate(p.service.url+"/sign-in"))
	b.typeInto("#email", p.seed.Email)
	b.typeInto("#password", p.seed.Password)
	b.clickLink(testid("sign-in-submit"))
	return b
}

// addFromLibrary opens the library in the composer and adds files.
func (b *browser) addFromLibrary(ids ...string) {
	b.t.Helper()
	if len(ids) == 0 {
		return
	}
	b.click(testid("open-library"))
	for _, id := range ids {
		b.click(`label:has([data-pick][value="` + id + `"])`)
		b.waitFor(`document.querySelector('[data-pick][value="` + id + `"]').checked`)
	}
	b.click("#picker " + testid("pick"))
	for _, id := range ids {
		b.waitFor(`document.querySelector("#tile-` + id + ` .file-name") !== null`)
	}
	b.waitForPlan()
}

// waitForPlan waits until the composer's plan has seen everything that was entered.
func (b *browser) waitForPlan() {
	b.t.Helper()
	b.waitFor(`document.querySelector("#compose:not([data-planning])") !== null`)
}

// moveEarlier moves the last file of the composer one place towards the first.
func (b *browser) moveEarlier() {
	b.t.Helper()
	b.click(testid("file") + ":last-child " + testid("move-earlier"))
	b.waitForPlan()
}

// composed is what the composer would send, without the id of its form, and what its plan says.
const composed = `JSON.stringify([[...new FormData(document.querySelector("#compose"))]
	.filter(([name, value]) => name !== "form" && typeof value === "string"),
	[...document.querySelectorAll("[data-testid=file] .file-name")].map((name) => name.innerText),
	document.querySelector("#plan").innerText])`

// Files were published that the form did not show, in reverse order, and without the title that they need.
func TestComposerComesBackAsItWasLeft(t *testing.T) {
	t.Parallel()
	s := newService(t, allNetworks())
	s.serveUntilReady()
	press := s.newKindsPress(nil)
	b := press.signInWithBrowser()
	b.runActions("compose", chromedp.Navigate(s.url+"/compose?account="+press.accounts["youtube"]))
	b.typeInto(testid("text"), "The harbour at dawn")
	b.addFromLibrary(press.media["wide.mp4"], press.media["square.jpg"])

	const back = `document.readyState === "complete" && document.querySelector("#restored:not([hidden])") !== null && ` +
		`!document.querySelector("#compose").inert`
	untitled := evaluateScript[string](b, `document.querySelector("#plan").innerText`)
	b.typeInto("#title", "Dawn")
	b.waitFor(fmt.Sprintf(`document.querySelector("#plan").innerText !== %q`, untitled))
	for _, change := range []string{"written", "put in another order"} {
		before := evaluateScript[string](b, composed)
		b.clickLink(testid("nav-posts"))
		b.clickLink(testid("nav-compose"))
		b.waitFor(back)
		if after := evaluateScript[string](b, composed); after != before {
			t.Errorf("%s, the form was\n%s\nand comes back as\n%s", change, before, after)
		}
		b.moveEarlier()
	}
	b.checkAccessibility("compose with what was restored")

	b.clickLink(testid("nav-posts"))
	b.clickLink(testid("nav-compose"))
	b.waitFor(back)
	b.clickLink("#restored button")
	b.waitFor(`document.readyState === "complete" && document.querySelector("[data-testid=text]")?.value === "" &&
		document.querySelector("#restored[hidden]") !== null && document.querySelector("[data-testid=file]") === null`)
	b.checkConsole()
}

// The setting stayed red beside a plan that was ready.
func TestErrorsOfInputsGoWhenThePlanHasNoneOfThem(t *testing.T) {
	t.Parallel()
	s := newService(t, allNetworks())
	s.serveUntilReady()
	press := s.newKindsPress(nil)
	b := press.signInWithBrowser()
	b.runActions("compose", chromedp.Navigate(s.url+"/compose?account="+press.accounts["tiktok"]))
	b.typeInto(testid("text"), "The harbour at dawn")
	b.addFromLibrary(press.media["tall.mp4"])
	const wrong = `document.querySelectorAll("#setting-tiktok-privacyLevel[aria-invalid], #setting-tiktok-privacyLevel-error")`
	b.waitFor(wrong + `.length === 2`)
	b.typeInto(testid("text"), "The harbour at noon")
	b.waitForPlan()
	if !evaluateScript[bool](b, wrong+`.length === 2`) {
		t.Error("a problem of the plan is no longer shown at its input")
	}
	b.enterSetting("settings.tiktok.privacyLevel", "PUBLIC_TO_EVERYONE")
	b.waitFor(`document.querySelector("#submit:not(:disabled)") !== null`)
	if !evaluateScript[bool](b, wrong+`.length === 0`) {
		t.Error("the setting is still shown as wrong")
	}
	b.checkConsole()
}
