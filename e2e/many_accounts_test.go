package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// With hundreds of accounts, a phone took a third of a second to draw them all before it could react to anything.
func TestAccountsOutOfViewAreFoundAndChosen(t *testing.T) {
	t.Parallel()
	s := newService(t, allNetworks())
	s.serveUntilReady()
	b := (&kindsPress{service: s, seed: s.seedWorkspace("--accounts=24")}).signInWithBrowser()
	b.runActions("compose on a phone", chromedp.EmulateViewport(375, 812), chromedp.Navigate(s.url+"/compose"))
	b.waitFor(`(() => {
		const drawn = [...document.querySelectorAll("#account-choice .avatar")]
			.map((avatar) => avatar.checkVisibility({ contentVisibilityAuto: true }));
		return drawn.length === 120 && drawn[0] && !drawn[119];
	})()`)

	b.typeInto("[data-searches-accounts]", "_21")
	b.waitFor(`(() => {
		const found = [...document.querySelectorAll("#account-choice .chip")].filter((chip) => chip.offsetHeight > 0);
		return found.length === 5 && found.every((chip) => chip.textContent.includes("_21"));
	})()`)
	b.runActions("choose the first account found", chromedp.SendKeys(chromedp.CSS("[data-searches-accounts]"), kb.Enter))
	b.waitFor(`document.querySelector("[data-picked]").textContent === "1 of 120 selected"`)

	b.runActions("open the keyboard of the phone", chromedp.EmulateViewport(375, 400))
	b.waitFor(`getComputedStyle(document.querySelector(".bar")).display === "none"`)
	b.runActions("close it", chromedp.EmulateViewport(375, 812))
	b.waitFor(`getComputedStyle(document.querySelector(".bar")).display !== "none"`)
	b.checkConsole()
}
