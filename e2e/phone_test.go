package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// textBox is a function of a page that returns where the text of the first element of a selector is.
const textBox = `const textBox = (selector) => {
	const range = document.createRange();
	range.selectNodeContents(document.querySelector(selector).firstChild);
	return range.getBoundingClientRect();
};`

func TestThePartsOfAPhonesPagesLineUp(t *testing.T) {
	t.Parallel()
	s := newService(t, allNetworks())
	s.serveUntilReady()
	b := s.signInWithBrowser(s.seedWorkspace())
	check := func(what, script string) {
		t.Helper()
		if got := evaluateScript[string](b, "(() => {"+textBox+script+"})()"); got != "" {
			t.Errorf("%s: %s", what, got)
		}
	}
	b.runActions("compose on a phone", chromedp.EmulateViewport(375, 812), chromedp.Navigate(s.url+"/compose"))
	b.waitFor(`document.querySelector(".needs-choice") !== null`)
	check("without an account, the editor has a second line below its edge", `
		const panel = [...document.querySelectorAll(".editor .tab-panel")].find((panel) => panel.checkVisibility());
		return panel.getBoundingClientRect().top + panel.clientTop > panel.closest(".editor").getBoundingClientRect().top + 1
			? panel.clientTop + " px" : "";`)
	b.click(`label:has(input[data-platform=threads])`)
	b.click(`label:has(input[data-platform=facebook])`)
	b.typeInto(testid("text"), "Rye bread is back.")
	b.click(testid("tab-threads"))
	b.waitFor(`[...document.querySelectorAll(".own-text .link-button")].some((button) => button.checkVisibility())`)
	check("the copy button is not where the line above it begins", `
		const [line, button] = [".own-text:has([data-copies-to*=threads]) span", "[data-copies-to*=threads]"].map(textBox);
		return Math.abs(line.left - button.left) > 1 ? button.left - line.left + " px" : "";`)

	b.runActions("open the posts", chromedp.Navigate(s.url+"/posts"))
	check("a day's box is not in the middle of its name", `
		const box = document.querySelector(".post-day input").getBoundingClientRect();
		const name = textBox(".post-day th");
		const off = (box.top + box.bottom - name.top - name.bottom) / 2;
		return Math.abs(off) > 1 ? off + " px" : "";`)
	check("Posts is not marked in the bar", `
		const colorOf = (entry) => getComputedStyle(document.querySelector(".bar " + entry)).color;
		return colorOf("a[aria-current]") === colorOf("[href$='/media']") ? colorOf("a[aria-current]") : "";`)
	b.runActions("select the first post", clickOn(`[name="post"]`))
	b.waitFor(`document.querySelector(".post-day input").indeterminate`)
	check("the box of a day with a selected post looks empty", `
		const [some, none] = [".post-day input", "[name='post']:not(:checked)"].map((box) => getComputedStyle(document.querySelector(box)));
		return some.backgroundColor === none.backgroundColor ? some.backgroundColor : "";`)
	for page, box := range map[string]string{"/posts": "post", "/media": "file"} {
		b.runActions("select on "+page, chromedp.Navigate(s.url+page), chromedp.Evaluate[chromedp.Void](`document.querySelector("[name=`+box+`]").click()`))
		check("the actions on "+page+" are not directly above the bar", `
			const [acts, bar] = ["[data-testid=bulk]", ".bar"].map((part) => document.querySelector(part).getBoundingClientRect());
			return acts.bottom !== bar.top || acts.left !== 0 || acts.right !== bar.right ? JSON.stringify([acts, bar]) : "";`)
		b.checkAccessibility("selected on " + page + " on a phone")
	}
	for _, page := range []string{"/posts", "/media", "/accounts", "/groups/new", "/settings/profile", "/settings/workspace", "/settings/members", "/settings/keys"} {
		b.runActions("open "+page, chromedp.Navigate(s.url+page))
		check("controls on "+page+" are too small", `
			return [...document.querySelectorAll("main :is(.button, .icon-button, select, input:not([type=checkbox], [type=radio], [type=file]))")]
				.filter((one) => one.checkVisibility() && one.offsetHeight < 44).map((one) => one.outerHTML).join("; ");`)
	}
	b.runActions("open the first page of settings", chromedp.Navigate(s.url+"/settings/workspace"))
	check("links to pages of settings are not in view", `
		return [...document.querySelectorAll(".settings-nav a")].filter((entry) => {
			const { left, right } = entry.getBoundingClientRect();
			return left < 16 || right > innerWidth - 16;
		}).map((entry) => entry.innerText).join(", ");`)
	for _, page := range []string{"/posts", "/calendar", "/media", "/settings/audit"} {
		b.runActions("open the filter of "+page, chromedp.Navigate(s.url+page), clickOn(testid("filter")+" summary"))
		check("the filter of "+page+" does not open below its button", `
			const [button, panel] = ["[data-testid=filter] summary", ".filter-panel"].map((part) => document.querySelector(part).getBoundingClientRect());
			const gap = panel.top - button.bottom;
			return gap < 0 || gap > 80 || panel.left < 8 || panel.right > innerWidth - 8 ? JSON.stringify([button, panel]) : "";`)
	}
	b.runActions("open the profile", chromedp.Navigate(s.url+"/settings/profile"))
	check("signing out is beside the link to the profile, or not on the profile", `
		const [beside, below] = ["sign-out", "profile-sign-out"].map((id) =>
			document.querySelector("[data-testid=" + id + "]").checkVisibility());
		return beside || !below ? beside + ", " + below : "";`)
	b.runActions("open the posts", chromedp.Navigate(s.url+"/posts"))
	b.runActions("open the menu", clickOn(".bar-more summary"))
	check("the icons of the menu are not beside its words", `
		return [...document.querySelectorAll(".bar-more div a")].filter((entry) => {
			const [icon, word] = [".icon", "span"].map((part) => entry.querySelector(part).getBoundingClientRect());
			return icon.right > word.left || Math.abs(icon.top + icon.bottom - word.top - word.bottom) > 4;
		}).map((entry) => entry.innerText).join(", ");`)
	b.checkAccessibility("the menu on a phone")

	b.runActions("connect an account", chromedp.Navigate(s.url+"/accounts#connect"))
	check("the heading sticks to the edge of the window", `
		const { top } = document.querySelector("#connect-title").getBoundingClientRect();
		return top < 12 || top > 100 ? top + " px" : "";`)

	b.runActions("search on a narrow phone", chromedp.EmulateViewport(320, 812), clickOn(testid("open-search")))
	b.waitFor(`document.querySelector("#palette[open]") !== null`)
	check("the hint in the search is cut off", `
		const input = document.querySelector("#palette-query");
		const pen = document.createElement("canvas").getContext("2d");
		pen.font = getComputedStyle(input).font;
		const { width } = pen.measureText(input.placeholder);
		return width > input.clientWidth ? width + " px in " + input.clientWidth + " px" : "";`)
	b.checkConsole()
}
