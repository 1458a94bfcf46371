//go:build screenshots

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

const screenshotFolder = "../bin/screenshots"

// screen is a page that is photographed. links lead to it from its path, one after the other; prepare brings it into
// the state to show.
type screen struct {
	name, path string
	links      []string
	prepare    func(*browser)
	refused    bool // the browser says that the page answers with an error
}

const (
	demoPath  = "/w/harbour-bakery"
	emptyPath = "/w/lighthouse"
	firstPost = `main a[href*="/posts/post_"]`
)

// openPalette opens the command palette.
func openPalette(b *browser) {
	b.runActions("open the palette", chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.waitFor(`document.querySelector("#palette[open]") !== null`)
}

// selectFirst ticks the first of some boxes, or presses the first of some buttons.
func selectFirst(boxes string) func(*browser) {
	return func(b *browser) {
		b.runActions("select", chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.querySelector(%q).click()`, boxes)))
	}
}

// writePost writes a post for an account on each of two networks.
func writePost(b *browser) {
	b.runActions("begin anew, without what was written before", chromedp.Evaluate[chromedp.Void]("localStorage.clear()"),
		chromedp.Reload())
	for _, network := range []string{"threads", "facebook"} {
		b.runActions("choose an account", chromedp.Evaluate[chromedp.Void](
			fmt.Sprintf(`document.querySelector("input[data-platform=%s]").click()`, network)))
	}
	b.typeInto(testid("text"), "Warm rye bread from six o'clock. See you at the harbour!")
	b.waitFor(`document.querySelector("[data-testid=plan-row][data-ok=true]") !== null && ` +
		`!document.querySelector("#submit").disabled`)
}

// openFold opens a filter, a menu or another fold.
func openFold(fold string) func(*browser) {
	return func(b *browser) {
		b.runActions("open "+fold, chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.querySelector(%q).open = true`, fold)))
	}
}

// confirmWrittenPost writes posts and opens the dialog that shows once more what will be sent.
func confirmWrittenPost(b *browser) {
	writePost(b)
	b.runActions("send", clickOn("#submit"))
	b.waitFor(`document.querySelector(".confirm-send[open]") !== null`)
}

// openPicker opens the library in the composer.
func openPicker(b *browser) {
	b.waitFor(`document.querySelector("#compose:not([inert])") !== null`) // the text written before is restored
	selectFirst(testid("open-library"))(b)
	b.waitFor(`document.querySelector("[data-testid=picker-file]") !== null`)
}

// askForTime asks for another time of the first post of the calendar.
func askForTime(b *browser) {
	b.runActions("focus a post", chromedp.Focus(chromedp.CSS("#calendar [data-movable]")), chromedp.KeyEvent("m"))
	b.waitFor(`document.querySelector("dialog[open]") !== null`)
}

// openShortcuts shows the shortcuts.
func openShortcuts(b *browser) {
	b.runActions("show the shortcuts", chromedp.KeyEvent("?"))
	b.waitFor(`document.querySelector("#shortcuts[open]") !== null`)
}

// screensOfStrangers are the pages before somebody signs in.
func screensOfStrangers() []screen {
	return []screen{
		{name: "sign-in", path: "/sign-in"},
		{name: "forgot-password", path: "/forgot-password"},
		{name: "invitation-unknown", path: "/invitations/unknown", refused: true},
	}
}

// screensOfNewcomers are the pages of a workspace in which nothing is yet.
func screensOfNewcomers() []screen {
	return []screen{
		{name: "empty-posts", path: emptyPath + "/posts"},
		{name: "empty-posts-failed", path: emptyPath + "/posts?status=failed"},
		{name: "empty-calendar", path: emptyPath + "/calendar"},
		{name: "empty-compose", path: emptyPath + "/compose"},
		{name: "empty-media", path: emptyPath + "/media"},
		{name: "empty-accounts", path: emptyPath + "/accounts"},
		{name: "empty-groups", path: emptyPath + "/groups"},
		{name: "empty-keys", path: emptyPath + "/settings/keys"},
	}
}

// screensOfOwners are the pages of a workspace with demo data.
func screensOfOwners() []screen {
	posts := demoPath + "/posts"
	return []screen{
		{name: "posts-up-next", path: posts},
		{name: "posts-drafts", path: posts + "?status=draft"},
		{name: "posts-live", path: posts + "?status=live"},
		{name: "posts-failed", path: "/w/night-owl-cycles/posts?status=failed"},
		{name: "posts-all", path: posts + "?status=all"},
		{name: "posts-nothing-found", path: posts + "?status=all&q=nothing+like+this"},
		{name: "post-queued", path: posts, links: []string{firstPost}},
		{name: "posts-selected", path: posts, prepare: selectFirst(`#posts input[type=checkbox]`)},
		{name: "post-failed", path: "/w/night-owl-cycles/posts?status=failed", links: []string{firstPost}},
		{name: "post-live", path: posts + "?status=live", links: []string{firstPost}},
		{name: "post-delete", path: posts + "?status=draft", links: []string{firstPost, testid("delete")}},
		{name: "posts-filter", path: posts, prepare: openFold(testid("filter"))},
		{name: "posts-move", path: posts, prepare: func(b *browser) {
			selectFirst(`#posts input[type=checkbox]`)(b)
			openFold(".post-move")(b)
		}},
		{name: "switcher", path: posts, prepare: openFold(".switcher")},
		{name: "shortcuts", path: posts, prepare: openShortcuts},
		{name: "palette", path: posts, prepare: openPalette},
		{name: "compose", path: demoPath + "/compose"},
		{name: "compose-written", path: demoPath + "/compose", prepare: writePost},
		{name: "compose-confirm", path: demoPath + "/compose", prepare: confirmWrittenPost},
		{name: "compose-library", path: demoPath + "/compose", prepare: openPicker},
		{name: "compose-queued-post", path: posts, links: []string{firstPost, `main a[href$="/edit"]`}},
		{name: "calendar-month", path: demoPath + "/calendar"},
		{name: "calendar-week", path: demoPath + "/calendar?view=week"},
		{name: "calendar-day", path: demoPath + "/calendar?view=day"},
		{name: "calendar-day-posts", path: demoPath + "/calendar?view=list", links: []string{
			".day-list:not(.today) h2 a", testid("move-day"),
		}},
		{name: "calendar-list", path: demoPath + "/calendar?view=list"},
		{name: "calendar-move", path: demoPath + "/calendar?view=list", prepare: askForTime},
		{name: "media-grid", path: demoPath + "/media"},
		{name: "media-list", path: demoPath + "/media?view=list"},
		{name: "media-file", path: demoPath + "/media", links: []string{`main a[href*="/media/files/"]`}},
		{name: "media-selected", path: demoPath + "/media", prepare: selectFirst(`[data-file] input[type=checkbox]`)},
		{name: "accounts", path: demoPath + "/accounts"},
		{name: "groups", path: demoPath + "/groups"},
		{name: "group", path: demoPath + "/groups", links: []string{`main a[href*="/groups/grp_"]`}},
		{name: "group-delete", path: demoPath + "/groups", links: []string{`main a[href$="/delete"]`}},
		{name: "group-new", path: demoPath + "/groups/new"},
		{name: "settings", path: demoPath + "/settings"},
		{name: "settings-workspace", path: demoPath + "/settings/workspace"},
		{name: "settings-members", path: demoPath + "/settings/members"},
		{name: "settings-keys", path: demoPath + "/settings/keys"},
		{name: "settings-plan", path: demoPath + "/settings/plan"},
		{name: "settings-profile", path: demoPath + "/settings/profile"},
		{name: "settings-security", path: demoPath + "/settings/security"},
		{name: "settings-appearance", path: demoPath + "/settings/appearance"},
		{name: "settings-shortcuts", path: demoPath + "/settings/shortcuts"},
		{name: "settings-audit-log", path: demoPath + "/settings", links: []string{`main a[href*="/settings/audit"]`}},
		{name: "design", path: "/design"},
		{name: "sandbox", path: "/sandbox/_/"},
		{name: "error-not-found", path: demoPath + "/nowhere", refused: true},
		{name: "api-reference", path: "/docs/api"},
	}
}

// TestScreenshots writes pictures of every page into screenshotFolder: light and dark, for a desktop and a phone.
func TestScreenshots(t *testing.T) {
	s := newStandaloneService(t)
	s.serveUntilReady()
	t.Cleanup(func() { s.process.requireStop(t) })
	b := newBrowser(t)
	b.photograph("", screen{name: "set-up", path: s.setUpLink()})
	b.runActions("open the service", chromedp.Navigate(s.setUpLink()))
	b.typeInto("#workspace", "Lighthouse")
	b.typeInto("#name", "Ada Baker")
	b.typeInto("#email", "ada@example.org")
	b.typeInto("#password", password)
	b.waitFor(`document.querySelector("#tz").value !== ""`)
	b.clickLink(testid("set-up-submit"))
	for _, page := range screensOfNewcomers() {
		b.photograph(s.url, page)
	}
	stranger := newBrowser(t)
	for _, page := range screensOfStrangers() {
		stranger.photograph(s.url, page)
	}
	requireCommand(t, s.env, "", "seed")
	for some := range slices.Chunk(screensOfOwners(), 6) { // a browser is open for 2 minutes at most
		b := newBrowser(t)
		b.runActions("open the sign-in page", chromedp.Navigate(s.url+"/sign-in"))
		b.typeInto("#email", "ada@example.org")
		b.typeInto("#password", password)
		b.clickLink(testid("sign-in-submit"))
		for _, page := range some {
			b.photograph(s.url, page)
		}
	}
}

// drawnWidth is the width of the page once it is drawn in the window's new size.
const drawnWidth = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(
	() => done(document.documentElement.scrollWidth))))`

// picturesShown waits until the pictures in the window and the choice of a theme are shown.
const picturesShown = `Promise.allSettled([...document.images]
	.filter((picture) => picture.checkVisibility() && picture.getBoundingClientRect().top < innerHeight)
	.map((picture) => picture.decode()))
	.then(() => document.querySelector(".themes") === null || document.querySelector(".themes :checked") !== null)`

// photograph writes the four pictures of a page, and fails the test if axe finds a barrier in one of them, if the page
// scrolls sideways in a window of any width, or if the browser complains.
func (b *browser) photograph(server string, page screen) {
	b.t.Helper()
	at := server + page.path
	for _, link := range page.links {
		b.runActions("open "+at, chromedp.Navigate(at))
		at = evaluateScript[string](b, fmt.Sprintf(`document.querySelector(%q)?.href ?? ""`, link))
		if at == "" {
			b.t.Errorf("%s: no link %s", page.name, link)
			return
		}
	}
	for _, scheme := range []string{"light", "dark"} {
		b.chooseScheme(scheme)
		for device, size := range map[string][2]int64{"desktop": {1440, 900}, "phone": {375, 812}} {
			b.runActions("open "+at, chromedp.EmulateViewport(size[0], size[1]), chromedp.Navigate(at))
			if page.prepare != nil {
				page.prepare(b)
			}
			b.waitFor(`document.readyState === "complete" && document.querySelector(".htmx-request") === null`)
			if !evaluateScript[bool](b, picturesShown, chromedp.EvalAwaitPromise) {
				b.t.Errorf("%s: the switch does not show the theme", page.name)
			}
			name := page.name + "-" + scheme + "-" + device
			b.takePicture(name + ".png")
			whole := evaluateScript[int64](b, "document.documentElement.scrollHeight")
			b.runActions("show the whole page, none of which a bar covers", chromedp.EmulateViewport(size[0], whole))
			b.checkAccessibility(name)
		}
	}
	for _, width := range []int64{320, 375, 600, 768, 1024, 1280, 1440, 1920, 2560} {
		b.runActions("resize the window", chromedp.EmulateViewport(width, 900))
		if got := evaluateScript[int64](b, drawnWidth, chromedp.EvalAwaitPromise); got > width {
			wide := evaluateScript[string](b, `[...document.querySelectorAll("body *")].
				filter((part) => part.getBoundingClientRect().right > innerWidth).
				map((part) => part.localName + "." + part.className).join(", ")`)
			b.t.Errorf("%s is %d px wide in a window of %d px, because of %s", page.name, got, width, wide)
		}
	}
	if page.refused {
		b.forgetComplaints()
	}
	b.checkConsole()
}

// chooseScheme makes pages that are opened from now on light or dark.
func (b *browser) chooseScheme(scheme string) {
	b.t.Helper()
	media := emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, media); err != nil {
		b.t.Fatal(err)
	}
}

// takePicture writes what the window shows into a file of screenshotFolder.
func (b *browser) takePicture(name string) {
	b.t.Helper()
	picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Fatalf("take %s: %v", name, err)
	}
	if err := os.MkdirAll(screenshotFolder, 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(screenshotFolder, name), picture, 0o644); err != nil {
		b.t.Fatal(err)
	}
}
