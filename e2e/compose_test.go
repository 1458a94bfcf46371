package e2e

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func (b *browser) click(selector string) {
	b.t.Helper()
	b.waitFor(`(() => {
		const found = document.querySelector(` + strconv.Quote(selector) + `);
		found?.scrollIntoView({block: "center"});
		return found !== null;
	})()`)
	b.runActions("click "+selector, clickOn(selector))
}

func (b *browser) pressKeys(keys ...string) {
	b.t.Helper()
	for _, key := range keys {
		b.runActions("press a key", chromedp.KeyEvent(key))
	}
}

// tabTo presses Tab until an element has the focus.
func (b *browser) tabTo(selector string) {
	b.t.Helper()
	for range 80 {
		if evaluateScript[bool](b, `document.activeElement?.matches('`+selector+`') ?? false`) {
			return
		}
		b.pressKeys(kb.Tab)
	}
	b.t.Fatalf("the keyboard does not reach %s", selector)
}

// postsWith returns the posts with a word in their text.
func (c *client) postsWith(word string) []post {
	c.t.Helper()
	return c.do("GET", "/posts?q="+word, nil).requireStatus(c.t, 200).Posts
}

// tileNames are the names of the composer's files in their order.
const tileNames = `[...document.querySelectorAll("#tiles .file-name")].map((name) => name.innerText).join(" ")`

// ofFive is what each network's post has of its own: a text, and a setting that is not as it is by default.
var ofFive = map[string]struct{ text, setting string }{
	"facebook":  {"Dawn, for the Page", "contentType"},
	"instagram": {"Dawn in one film", "shareToFeed"},
	"threads":   {"Dawn, and nobody awake", "topicTag"},
	"tiktok":    {"POV: the harbour at dawn", "privacyLevel"},
	"youtube":   {"How the harbour wakes up", "visibility"},
}

// Beside a tall preview, the bar covered the last rows of the plan, or the plan was out of sight.
func TestTheBarOfTheComposerCoversNoPlan(t *testing.T) {
	t.Parallel()
	s := newService(t, allNetworks())
	s.serveUntilReady()
	press := s.newKindsPress(nil)
	b := press.signInWithBrowser()
	b.runActions("compose", chromedp.EmulateViewport(1440, 900), chromedp.Navigate(s.url+"/compose"))
	for _, account := range press.accounts {
		b.click(`label:has(input[name=account][value="` + account + `"])`)
	}
	b.addFromLibrary(press.media["tall.mp4"])
	b.waitForPlan()
	b.waitFor(`document.querySelectorAll(".composer-side [data-testid=plan-row]").length === 5`)
	if evaluateScript[bool](b, `(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight)(
		document.querySelector(".composer-side"))`) {
		t.Error("the plan scrolls on its own")
	}
	// Even on a page that is longer than the plan, which then sticks.
	for _, height := range []string{"0", "3000px"} {
		if plan := evaluateScript[string](b, `(() => {
			document.querySelector(".composer-main").style.minHeight = "`+height+`";
			scrollTo(0, document.documentElement.scrollHeight);
			const [plan, bar] = ["#plan", ".send-bar"].map((part) => document.querySelector(part).getBoundingClientRect());
			return plan.bottom <= bar.top && plan.bottom > 0 ? "" : plan.bottom + " px, the bar at " + bar.top;
		})()`); plan != "" {
			t.Errorf("at the end of a page of at least %s, the plan ends at %s", height, plan)
		}
	}
	b.checkConsole()
}

// The goal: compose to five networks with a file, a text and a setting of each network's own and its preview, and see
// the plan once more before everything is sent. One film is what all five take.
func TestOnePostIsComposedForFiveNetworks(t *testing.T) {
	t.Parallel()
	s := newService(t, allNetworks())
	s.serveUntilReady()
	press := s.newKindsPress(nil)
	b := press.signInWithBrowser()
	b.runActions("compose", chromedp.Navigate(s.url+"/compose"))
	for _, account := range press.accounts {
		b.click(`label:has(input[name=account][value="` + account + `"])`)
	}
	b.typeInto(testid("text"), "The harbour at dawn")
	b.waitForPlan()
	b.waitFor(`[...document.querySelectorAll("#strip .note-what")].some((what) =>
		what.innerText.startsWith("A post on ") && what.innerText.includes(" or "))`) // one cause of several networks
	b.uploadFiles(filesOfKinds(), "tall.mp4")
	b.typeInto("#title", "Dawn")
	b.waitForPlan()
	b.waitFor(`document.querySelector("[data-testid=issue] a[href='#setting-tiktok-privacyLevel']") !== null`)
	b.click(`[data-testid=issue] a[href="#setting-tiktok-privacyLevel"]`)
	b.waitFor(`document.querySelector("#tab-tiktok").checked && document.activeElement.name === "settings.tiktok.privacyLevel"`)
	b.checkAccessibility("compose with a problem in a tab")
	b.click(testid("tab-threads"))
	b.click(`[data-copies-to="override-threads"]`)
	b.waitFor(`document.activeElement.matches("#override-threads:not(:placeholder-shown)") &&
		document.activeElement.value === document.querySelector("#text").value`)
	b.waitFor(`!document.querySelector("#compose").hasAttribute("data-planning") &&
		document.querySelector("label[for=tab-threads] .tab-changed") !== null &&
		document.querySelector("[data-copies-to=override-threads]").offsetWidth === 0`)
	b.checkAccessibility("compose with a copied text")
	evaluateScript[string](b, `document.querySelector("#override-threads").value = ""`)
	rows := map[string]settingRow{}
	for network, own := range ofFive {
		b.click(testid("tab-" + network))
		b.typeInto("#override-"+network, own.text)
		for _, row := range settingRows() {
			if row.network == network && row.name == own.setting {
				rows[network] = row
			}
		}
		b.enterSetting("settings."+network+"."+own.setting, fmt.Sprint(rows[network].value))
	}
	b.click(testid("when-now"))
	b.waitFor(`!document.querySelector("#submit").disabled`)
	b.waitFor(`document.querySelectorAll("[data-testid=preview] .preview-media img").length === 5`)
	for network, own := range ofFive {
		part, shows := "[data-testid=preview-text]", own.text
		if network == "youtube" { // which shows the title alone
			part, shows = ".preview-title", "Dawn"
		}
		b.waitFor(fmt.Sprintf(`document.querySelector("#preview-%s %s")?.textContent.trim() === %q`, network, part, shows))
	}
	b.waitFor(`[...document.querySelectorAll("#previews details")].every((preview) =>
		getComputedStyle(preview.querySelector(".chevron")).rotate === (preview.open ? "90deg" : "none"))`)
	b.checkAccessibility("compose for five networks")
	b.click(testid("submit"))
	b.waitFor(`document.querySelectorAll("[data-testid=confirm-send][open] [data-testid=plan-row]").length === 5`)
	b.waitFor(`[...document.querySelectorAll("[data-testid=confirm-send] .plan-own")].filter((own) =>
		own.innerText === "own text").length === 5`)
	for _, own := range ofFive {
		b.waitFor(fmt.Sprintf(`document.querySelector("[data-testid=confirm-send]").innerText.includes(%q)`, own.text))
	}
	b.waitFor(`document.querySelector("#submit").innerText === "Send 5 posts now…" &&
		document.querySelector("[data-testid=confirm]").innerText === "Send 5 posts now"`)
	b.checkAccessibility("the question before sending")
	b.clickLink(testid("confirm"))
	b.waitFor(`document.querySelector("[data-testid=flash] [data-testid=undo]") !== null`)
	b.checkConsole()

	for network, own := range ofFive {
		sent := press.postsWith(strings.ReplaceAll(own.text, " ", "+"))
		if len(sent) != 1 || sent[0].AccountID != press.accounts[network] {
			t.Fatalf("%q went to %+v", own.text, sent)
		}
		live := press.waitForStatus(sent[0].ID, "live", time.Minute)
		shown := sentKind{kindOfPost: kindOfPost{network: network}, press: press, label: own.text, id: live.ID}
		if got := shown.shownAs(t, live); got.Text != own.text || len(got.Media) == 0 {
			t.Errorf("%s has %+v", network, got)
		}
		rows[network].checkArrived(t, shown, live)
	}
}

// The goal: a carousel is put in order with the keyboard, and each step is heard.
func TestCarouselIsReorderedByKeyboard(t *testing.T) {
	t.Parallel()
	s := newService(t, allNetworks())
	s.serveUntilReady()
	press := s.newKindsPress(nil)
	b := press.signInWithBrowser()
	b.runActions("compose", chromedp.Navigate(s.url+"/compose?account="+press.accounts["instagram"]))
	b.typeInto(testid("text"), "The harbour")
	b.addFromLibrary(press.media["square.jpg"], press.media["tall.jpg"], press.media["tall.mp4"])
	const place = `Math.round(((slides) => slides.scrollLeft / slides.clientWidth)(document.querySelector("ul.preview-media")))`
	for _, turn := range []struct{ slide, by, to int }{{1, 1, 1}, {2, 1, 2}, {3, -1, 1}} {
		b.click(fmt.Sprintf(`ul.preview-media > :nth-child(%d) [data-turn="%d"]`, turn.slide, turn.by))
		b.waitFor(place + fmt.Sprintf(" === %d", turn.to))
	}
	b.runActions("begin at the text", chromedp.Focus(chromedp.CSS(testid("text"))))
	b.tabTo("#later-" + press.media["square.jpg"])
	for i, want := range []string{"tall.jpg square.jpg tall.mp4", "tall.jpg tall.mp4 square.jpg"} {
		b.pressKeys(kb.Enter)
		b.waitFor(tileNames + fmt.Sprintf(` === %q`, want))
		b.waitFor(fmt.Sprintf(
			`document.querySelector("#strip-status").innerText === "square.jpg is now file %d of 3."`, i+2))
		b.waitForPlan()
	}
	b.waitFor(`document.activeElement.id === "earlier-` + press.media["square.jpg"] + `"`)
	b.checkAccessibility("compose a carousel")
	b.click(testid("when-draft"))
	b.waitFor(`!document.querySelector("#submit").disabled`)
	b.clickLink(testid("submit"))
	b.checkConsole()
	var names []string
	for _, id := range press.postsWith("harbour")[0].MediaIDs {
		for name, media := range press.media {
			if media == id {
				names = append(names, name)
			}
		}
	}
	if !slices.Equal(names, []string{"tall.jpg", "tall.mp4", "square.jpg"}) {
		t.Errorf("the draft has %v", names)
	}
	b.runActions("compose again", chromedp.Navigate(s.url+"/compose?account="+press.accounts["instagram"]))
	b.uploadFiles(filesOfKinds(), "tall.jpg", "square.jpg")
	b.waitFor(tileNames + ` === "tall.jpg square.jpg"`)
	b.runActions("use a touch screen, and let the library fail",
		chromedp.EmulateViewport(375, 812, chromedp.EmulateMobile, chromedp.EmulateTouch), chromedp.Evaluate[chromedp.Void](
			`document.addEventListener("htmx:configRequest", ({ detail }) => { detail.path = "/nowhere" })`))
	b.click(testid("open-library"))
	b.waitFor(`document.querySelector("#fault [data-code=not_found]") !== null`)
	b.waitFor(`document.querySelector("#picker") === null`)
	b.runActions("see the library", chromedp.EmulateViewport(1280, 900), chromedp.Navigate(s.url+"/media"))
	b.waitFor(`[...document.querySelectorAll(".gallery-name")].slice(0, 2).map((name) => name.textContent).join(" ") === "tall.jpg square.jpg"`)
}

// The goal: a post is scheduled without a mouse.
func TestPostIsScheduledByKeyboardAlone(t *testing.T) {
	t.Parallel()
	s := newService(t, allNetworks())
	s.serveUntilReady()
	press := s.newKindsPress(nil)
	b := press.signInWithBrowser()
	b.waitFor(`document.readyState === "complete"`)
	b.pressKeys("c")
	b.waitFor(`document.readyState === "complete" && document.querySelector("#compose") !== null`)
	for _, network := range []string{"threads", "facebook"} {
		b.tabTo(`input[name=account][value="` + press.accounts[network] + `"]`)
		b.pressKeys(" ")
	}
	b.tabTo("#text")
	b.pressKeys(strings.Split("The harbour", "")...)
	b.waitForPlan() // which draws the tabs
	b.runActions("begin at the tabs", chromedp.Focus(chromedp.CSS("#tab-all")))
	b.pressKeys(kb.ArrowRight)
	b.tabTo("[data-override]")
	b.pressKeys(strings.Split("Dawn", "")...)
	b.tabTo("[name=when]")
	b.pressKeys(kb.ArrowRight)
	b.waitForPlan()
	b.waitFor(`document.querySelector("[data-submit-label]").innerText === "Schedule 2 posts"`)
	b.waitFor(`!document.querySelector("#submit").disabled`)
	b.tabTo("#submit")
	b.pressKeys(kb.Enter)
	b.waitFor(`document.activeElement.matches("[data-testid=confirm]")`)
	b.runActions("use a phone", chromedp.EmulateViewport(375, 800))
	if !evaluateScript[bool](b, `[...document.querySelectorAll("[data-testid=confirm-send] tbody tr")].every((row) =>
		row.querySelector(".plan-who").offsetWidth > 1.5 * row.querySelector(".plan-when").offsetWidth)`) {
		t.Error("on a phone, the times leave too little room for the names of the accounts")
	}
	b.runActions("use a desktop", chromedp.EmulateViewport(1280, 800))
	b.pressKeys(kb.Enter)
	b.waitFor(`document.querySelector("[data-testid=flash]")?.innerText.includes("2 posts scheduled for ") ?? false`)
	b.checkConsole()
	var texts []string
	for _, p := range append(press.postsWith("harbour"), press.postsWith("Dawn")...) {
		texts = append(texts, p.Text+" "+p.Status)
	}
	slices.Sort(texts)
	if !slices.Equal(texts, []string{"Dawn queued", "The harbour queued"}) {
		t.Errorf("the posts are %q", texts)
	}
}
