package e2e

import (
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Whoever uses the keyboard alone reaches every page, account and post, and hears what is chosen.
func TestTheCommandPaletteIsUsedWithTheKeyboard(t *testing.T) {
	t.Parallel()
	s, b := openHarbourBakery(t)
	b.sendPost("Rye bread is back.", "draft")
	press := func(what string, keys string, options ...chromedp.KeyOption) {
		t.Helper()
		b.runActions(what, chromedp.KeyEvent(keys, options...))
	}
	const chosen = `document.getElementById(document.activeElement.getAttribute("aria-activedescendant"))?.innerText`
	press("open the palette", "k", chromedp.KeyModifiers(chromedp.ModifierCtrl)) // Ctrl
	b.waitFor(`document.querySelector("#palette[open]") !== null && ` + chosen + `?.startsWith("Compose") === true`)
	b.checkAccessibility("the command palette")
	press("type", "rye")
	b.waitFor(chosen + `?.startsWith("Rye bread is back.") === true`)
	b.waitFor(`document.querySelector("[data-palette-status]").textContent === "1 result"`)
	press("close it", kb.Escape)
	b.waitFor(`document.querySelector("#palette[open]") === null`)
	press("open it again", "k", chromedp.KeyModifiers(chromedp.ModifierCtrl))
	b.click(testid("close-palette")) // a phone has no Esc
	b.waitFor(`document.querySelector("#palette[open]") === null`)
	press("open it once more", "k", chromedp.KeyModifiers(chromedp.ModifierCtrl))
	press("type", "settings")
	b.waitFor(chosen + `?.trim() === "Settings"`)
	press("choose the next", kb.ArrowDown)
	b.waitFor(chosen + `?.startsWith("General") === true`)
	press("go there", kb.Enter)
	b.waitFor(`location.pathname === "/w/harbour-bakery/settings/workspace" && document.readyState === "complete"`)

	press("compose", "c")
	b.waitFor(`location.pathname === "/w/harbour-bakery/compose" && document.readyState === "complete"`)
	b.runActions("switch shortcuts off", chromedp.Navigate(s.url+"/settings/appearance"))
	b.runActions("uncheck", clickOn("[name=shortcuts]"))
	b.clickLink("[data-testid=shortcuts-form] button")
	b.waitFor(`document.body.dataset.shortcuts === "off"`)
	press("type c", "c")
	press("open the palette", "k", chromedp.KeyModifiers(chromedp.ModifierCtrl))
	b.waitFor(`document.querySelector("#palette[open]") !== null && location.pathname.endsWith("/settings/appearance")`)
	b.checkConsole()
}

// Each letter aborted the search for the letters before it, and the browser logged an error for each aborted request.
func TestTypingDuringASlowSearchLogsNoError(t *testing.T) {
	t.Parallel()
	_, b := openHarbourBakery(t)
	b.sendPost("Rye bread is back.", "draft")
	b.clickLink(testid("nav-posts"))
	b.clickLink(testid("tab-Drafts"))
	b.slowDown(1500)
	for _, search := range []struct{ input, found string }{
		{testid("search"), `document.querySelector("[data-testid=posts] mark")?.innerText.toLowerCase() === "rye bread"`},
		{"#palette input", `document.querySelector("#palette-results").innerText.includes("Rye bread is back.")`},
	} {
		if search.input == "#palette input" {
			b.runActions("open the palette", chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
		}
		for _, text := range []string{"rye", " bre", "ad"} {
			b.typeInto(search.input, text)
			b.waitFor(`document.querySelector('` + search.input + `').matches(".htmx-request")`)
		}
		b.waitFor(search.found)
	}
	b.checkConsole()
}

// slowDown delays every response.
func (b *browser) slowDown(milliseconds float64) {
	b.t.Helper()
	conditions := network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: []*network.Conditions{
		{Latency: milliseconds, DownloadThroughput: -1, UploadThroughput: -1},
	}}
	if _, err := chromedp.Call(b.ctx, network.EmulateNetworkConditionsByRule, conditions); err != nil {
		b.t.Fatal(err)
	}
}
