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
	b.runActions("click "+selector, chromedp.Click(chromedp.CSS(selector)))
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

// The goal: compose to five networks with overrides, files and settings, and see the plan once more before it is sent.
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
	b.uploadFiles(filesOfKinds(), "tall.mp4")
	b.typeInto("#title", "Dawn")
	own := map[string]string{"threads": "Dawn, and nobody awake", "instagram": "Dawn in one picture"}
	for network, text := range own {
		b.click(testid("tab-" + network))
		b.typeInto("#override-"+network, text)
	}
	b.waitForPlan()
	b.waitFor(`document.querySelector("[data-testid=issue] a[href='#setting-tiktok-privacyLevel']") !== null`)
	b.click(`[data-testid=issue] a[href="#setting-tiktok-privacyLevel"]`)
	b.waitFor(`document.querySelector("#tab-tiktok").checked && document.activeElement.name === "settings.tiktok.privacyLevel"`)
	b.checkAccessibility("compose with a problem in a tab")
	b.enterSetting("settings.tiktok.privacyLevel", "PUBLIC_TO_EVERYONE")
	b.click(testid("when-now"))
	b.waitFor(`!document.querySelector("#submit").disabled`)
	b.waitFor(`document.querySelectorAll("[data-testid=preview]").length === 5`)
	for network, text := range own {
		b.waitFor(`document.querySelector("#preview-` + network + ` [data-testid=preview-text]")?.textContent.trim() === ` +
			fmt.Sprintf("%q", text))
	}
	b.checkAccessibility("compose for five networks")
	b.click(testid("submit"))
	b.waitFor(`document.querySelectorAll("[data-testid=confirm-send][open] [data-testid=plan-row]").length === 5`)
	b.checkAccessibility("the question before sending")
	b.clickLink(testid("confirm"))
	b.checkConsole()

	sent := press.postsWith("dawn")
	if len(sent) != 5 {
		t.Fatalf("%d posts were made", len(sent))
	}
	for _, p := range sent {
		want := "The harbour at dawn"
		for network, text := range own {
			if p.AccountID == press.accounts[network] {
				want = text
			}
		}
		if live := press.waitForStatus(p.ID, "live", time.Minute); live.Text != want || len(live.MediaIDs) != 1 {
			t.Errorf("the post is %+v, want %q", live, want)
		}
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
	b.runActions("begin at the text", chromedp.Focus(chromedp.CSS(testid("text"))))
	b.tabTo("#later-" + press.media["square.jpg"])
	for i, want := range []string{"tall.jpg square.jpg tall.mp4", "tall.jpg tall.mp4 square.jpg"} {
		b.pressKeys(kb.Enter)
		b.waitFor(tileNames + fmt.Sprintf(` === %q`, want))
		b.waitFor(fmt.Sprintf(
			`document.querySelector("#strip-status").innerText === "square.jpg is now number %d of 3."`, i+2))
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
	b.pressKeys(kb.Enter)
	b.waitFor(`document.querySelector("[data-testid=flash]")?.innerText.includes("2 posts scheduled.") ?? false`)
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
