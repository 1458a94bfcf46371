package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// The two buttons beside a person were cut off to the same words, and people sat eight thousand pixels below the only
// way back.
func TestTheSandboxFitsAPhone(t *testing.T) {
	t.Parallel()
	s, b := openHarbourBakery(t)
	b.sendPost("Rye bread is back.", "now")
	b.waitFor(`document.querySelector("[data-testid=post][data-status=live]") !== null`)
	s.addFault(map[string]any{"kind": "server_error", "network": "threads", "call": "create"})
	b.runActions("open the sandbox", chromedp.Navigate(s.networks+"/_/"))
	b.runActions("unfold everything", chromedp.Evaluate[chromedp.Void](
		`document.querySelectorAll("details").forEach((fold) => { fold.open = true; })`))
	b.checkAccessibility("the sandbox")
	for _, width := range []int64{320, 375} {
		b.runActions("use a phone", chromedp.EmulateViewport(width, 800))
		if wide := evaluateScript[string](b, `[document.documentElement, ...document.querySelectorAll(".table, button")]
			.filter((part) => part.scrollWidth > part.clientWidth).map((part) => part.outerHTML.slice(0, 60)).join(", ")`); wide != "" {
			t.Errorf("%d px are too narrow for %s", width, wide)
		}
		b.runActions("go to the people", clickOn(`nav a[href="#people"]`))
		b.waitFor(`(() => {
			const { top } = document.querySelector("#people").getBoundingClientRect();
			return top >= document.querySelector("nav").getBoundingClientRect().bottom && top < 200;
		})()`)
		if !evaluateScript[bool](b, `(() => {
			const home = document.querySelector("[data-testid=home]").getBoundingClientRect();
			return home.top >= 0 && home.bottom < 200;
		})()`) {
			t.Errorf("in a window of %d px, nothing beside the people leads back", width)
		}
		b.checkAccessibility("the sandbox on a phone")
	}
}
