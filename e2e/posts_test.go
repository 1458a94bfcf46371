package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// schedule creates queued posts of the one account through the composer's form, one after the other.
func (b *browser) schedule(at time.Time, texts ...string) {
	b.t.Helper()
	b.clickLink(testid("nav-compose"))
	account := evaluateScript[string](b, `document.querySelector("#compose input[name=account]").value`)
	for _, text := range texts {
		b.scheduleFor(at, text, account)
	}
	b.clickLink(testid("nav-posts"))
}

// scheduleFor schedules a post for several accounts through the form of the composer, which is open.
func (b *browser) scheduleFor(at time.Time, text string, accounts ...string) {
	b.t.Helper()
	fields := url.Values{"text": {text}, "when": {"at"}, "at": {at.Format("2006-01-02T15:04")}, "account": accounts}
	script := fmt.Sprintf(`(async () => {
		const form = document.querySelector("#compose");
		return (await fetch(form.getAttribute("action"), {method: "POST", body: new URLSearchParams(%q)})).status;
	})()`, fields.Encode())
	if got := evaluateScript[int](b, script, chromedp.EvalAwaitPromise); got != http.StatusOK {
		b.t.Fatalf("scheduling %q answers %d", text, got)
	}
}

// "Publishing 2 posts begins in 10 seconds." ends, although another post is still queued. Then nothing said where they
// were.
func TestFlashLeadsToItsPostsWhenTheyAreLive(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.serveUntilReady()
	seed := s.seedWorkspace()
	b := s.signInWithBrowser(seed)
	b.clickLink(testid("nav-compose"))
	b.scheduleFor(nextThursday(), "A post for Thursday", seed.Accounts["threads"])
	for _, network := range []string{"threads", "facebook"} {
		b.click(`label:has(input[name=account][value="` + seed.Accounts[network] + `"])`)
	}
	b.typeInto(testid("text"), "The harbour at dawn")
	b.click(testid("when-now"))
	b.waitForPlan()
	b.waitFor(`document.querySelector("#submit:enabled")?.innerText === "Send 2 posts now…"`)
	b.click(testid("submit"))
	b.waitFor(`document.querySelector("[data-testid=confirm-send][open]") !== null`)
	b.clickLink(testid("confirm"))
	b.waitFor(`document.querySelector("[data-testid=flash]")?.innerText.includes("Publishing 2 posts") === true`)
	b.waitFor(`document.querySelectorAll("[data-testid=post-row]").length < 5 && ` +
		`!document.querySelector("[data-testid=posts]").innerText.includes("The harbour at dawn")`)
	b.waitFor(`document.querySelector("[data-testid=flash] p").innerText === "2 posts are live."`)
	b.waitFor(`document.querySelector("[data-testid=undo]") === null`)

	// When the list is empty, it has the same link, but a person sees only one.
	evaluateScript[string](b, `(async () => {
		const form = document.querySelector("[data-testid=bulk]");
		const fields = new URLSearchParams(new FormData(form));
		for (const box of document.querySelectorAll("[data-testid=posts] input[name=post]")) fields.append("post", box.value);
		fields.set("act", "cancel");
		return (await fetch(form.getAttribute("action"), {method: "POST", body: fields, redirect: "manual"})).type;
	})()`, chromedp.EvalAwaitPromise)
	b.waitFor(`document.querySelector("[data-testid=to-live]") !== null`)
	b.waitFor(`[...document.querySelectorAll("main a")].filter((a) => a.offsetWidth > 0 && a.innerText === "View live posts").length === 1`)
	b.clickLink(testid("flash-next"))
	b.waitFor(`document.querySelector("[data-testid=tab-Live][aria-current]") !== null && ` +
		`document.querySelector("[data-testid=posts]").innerText.includes("The harbour at dawn")`)
	b.checkConsole()
}

// replaceText replaces the composer's text.
func (b *browser) replaceText(text string) {
	b.t.Helper()
	b.runActions("empty the text", chromedp.Evaluate[chromedp.Void](`(() => {
		const text = document.querySelector("[data-testid=text]");
		text.value = "";
		text.dispatchEvent(new InputEvent("input", {bubbles: true}));
	})()`))
	b.typeInto(testid("text"), text)
}

// listedDays is a script for the days of the list, each with the number of its posts.
const listedDays = `[...document.querySelectorAll("[data-testid=posts] tbody")].map((day) =>
	day.querySelector("th").textContent.trim().split(/\s+/)[0] + " " + day.querySelectorAll("[data-testid=post-row]").length).join(", ")`

// nextThursday is a Thursday that is neither today nor tomorrow, at ten.
func nextThursday() time.Time {
	at := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 3)
	for at.Weekday() != time.Thursday {
		at = at.AddDate(0, 0, 1)
	}
	return at.Add(10 * time.Hour)
}

func TestThursdaysPostsAreMovedToFridayAndBack(t *testing.T) {
	t.Parallel()
	_, b := openHarbourBakery(t)
	thursday := nextThursday()
	b.schedule(thursday, "Rye bread is back.", "We open earlier.", "Fresh buns at noon.")
	b.schedule(thursday.AddDate(0, 0, -1), "The day before.")
	b.waitFor(listedDays + ` === "Wednesday 1, Thursday 3"`)
	if evaluateScript[bool](b, `getComputedStyle(document.querySelector("#bulk")).display !== "none"`) {
		t.Error("actions show before anything is selected")
	}
	b.checkAccessibility("Up next")

	box := func(n int) string {
		return fmt.Sprintf("[data-testid=posts] tbody:nth-of-type(2) tr:nth-of-type(%d) .post-box", n+1)
	}
	b.runActions("select the first of Thursday", clickOn(box(1)))
	x, y := b.middleOf(box(3))
	b.runActions("and with Shift up to the last", chromedp.MouseClickXY(x, y, chromedp.ButtonModifiers(chromedp.ModifierShift)))
	b.waitFor(`document.querySelector("[data-selected-count]").textContent === "3 selected"`)
	b.runActions("move by a day", clickOn(testid("bulk-move")))
	b.checkAccessibility("Up next with a selection")
	if got := evaluateScript[string](b, `["2", "1"].map((n) => {
		const shift = document.querySelector("#bulk-shift");
		shift.value = n;
		shift.dispatchEvent(new Event("input", {bubbles: true}));
		return [...document.querySelectorAll("#bulk-unit option")].map((unit) => unit.text).join();
	}).join(" ")`); got != "days,hours day,hour" {
		t.Errorf("the units of two and of one are %s", got)
	}
	if got := evaluateScript[string](b, `document.querySelector("[data-testid=bulk-move-submit]").innerText`); got != "Move 3 posts" {
		t.Errorf("the button says %q", got)
	}
	b.clickLink(testid("bulk-move-submit"))
	b.waitFor(`document.querySelector("[data-testid=flash]").innerText.includes("3 posts moved to Fri ")`)
	b.waitFor(listedDays + ` === "Wednesday 1, Friday 3"`)
	b.runActions("use a phone", chromedp.EmulateViewport(375, 800))
	if room := evaluateScript[int](b, `document.querySelector(".flash-words").offsetWidth`); room < 250 {
		t.Errorf("on a phone, the words of the message have %d pixels", room)
	}
	b.runActions("use a desktop", chromedp.EmulateViewport(1280, 800))
	b.clickLink(testid("undo"))
	b.waitFor(listedDays + ` === "Wednesday 1, Thursday 3"`)

	b.runActions("select Thursday", clickOn("tbody:nth-of-type(2) "+testid("select-day")))
	b.waitFor(`document.querySelector("[data-selected-count]").textContent === "3 selected"`)
	b.runActions("press Enter on its check box", chromedp.Evaluate[chromedp.Void](
		`addEventListener("submit", () => (window.submitted = true))`), chromedp.KeyEvent("\r"))
	if evaluateScript[bool](b, `window.submitted === true`) {
		t.Error("Enter on a check box starts the first action")
	}
	b.runActions("clear the selection", clickOn(testid("clear-selection")))
	b.waitFor(`document.querySelector("[data-selected-count]").textContent === "" &&
		document.querySelector("[data-testid=posts] :checked") === null && document.activeElement.id === "select-all"`)

	b.runActions("select with the keyboard", chromedp.KeyEvent("j"), chromedp.KeyEvent("x"), chromedp.KeyEvent("j"),
		chromedp.KeyEvent("x"))
	b.waitFor(`document.querySelectorAll("[name=post]:checked").length === 2`)
	b.clickLink(testid("bulk-cancel"))
	b.waitFor(listedDays + ` === "Thursday 2"`)
	b.clickLink(testid("undo"))
	b.waitFor(listedDays + ` === "Wednesday 1, Thursday 3"`)
	b.runActions("duplicate one, with two presses", chromedp.KeyEvent("j"), chromedp.KeyEvent("x"),
		chromedp.DoubleClick(chromedp.CSS(testid("bulk-duplicate"))))
	b.waitFor(`document.querySelector("[data-testid=flash]")?.innerText.includes("This is a copy.") === true`)
	b.waitFor(`document.querySelector("#compose #at")?.checkVisibility() === true`)
	b.clickLink(testid("nav-posts"))
	b.waitFor(`document.querySelector("[data-testid=tab-Drafts]").innerText.includes("1")`)
	b.clickLink(testid("tab-Drafts"))
	b.runActions("select the copy, which has no time that could be moved", clickOn(".post-box"))
	b.waitFor(`!document.querySelector("[data-testid=bulk-move]").checkVisibility() &&
		document.querySelector("[data-testid=bulk-schedule]").checkVisibility()`)
	b.clickLink(testid("nav-posts"))
	b.checkConsole()

	for _, width := range []int64{320, 375, 768, 2560} {
		b.runActions("change the width", chromedp.EmulateViewport(width, 800))
		b.waitFor(`document.documentElement.scrollWidth <= innerWidth`)
	}
	b.runActions("use a phone", chromedp.EmulateViewport(375, 800))
	b.checkAccessibility("Up next on a phone")
	if small := evaluateScript[float64](b, `Math.min(...[...document.querySelectorAll(".post-box")].map(
		(box) => Math.min(box.offsetWidth || 44, box.offsetHeight || 44)))`); small < 44 {
		t.Errorf("a check box is %g pixels large to a thumb", small)
	}
}

func TestPostsAreDuplicatedForAnotherTime(t *testing.T) {
	t.Parallel()
	_, b := openHarbourBakery(t)
	thursday := nextThursday()
	b.schedule(thursday, "Rye bread is back.", "We open earlier.")
	b.runActions("select both", clickOn(testid("select-day")))
	b.clickLink(testid("bulk-duplicate"))
	b.waitFor(`document.querySelector("[data-testid=tab-Drafts][aria-current]") !== null`)
	b.waitFor(`document.querySelector("[data-selected-count]").textContent === "2 selected"`)
	monday := thursday.AddDate(0, 0, 4)
	b.runActions("leave an invalid input in a closed panel", chromedp.SetValue(chromedp.CSS("#bulk-shift"), "0"))
	b.runActions("enter Monday", clickOn(testid("bulk-schedule")),
		chromedp.SetValue(chromedp.CSS("#bulk-at"), monday.Format("2006-01-02T15:04")))
	b.runActions("one after another", clickOn(testid("spread-apart")))
	b.waitFor(`document.querySelector("#bulk-every-unit").checkVisibility()`)
	b.checkAccessibility("drafts to schedule")
	b.runActions("use a phone", chromedp.EmulateViewport(375, 800))
	b.waitFor(`document.documentElement.scrollWidth <= innerWidth`)
	b.checkAccessibility("drafts to schedule on a phone")
	b.clickLink(testid("bulk-schedule-submit"))
	b.waitFor(`document.querySelector("[data-testid=flash]").innerText.includes("2 posts scheduled for Mon ")`)
	b.clickLink(testid("flash-next"))
	b.waitFor(listedDays + ` === "Thursday 2, Monday 1, Tuesday 1"`)
	b.checkConsole()
}

func TestAQueuedPostIsEditedInPlaceInABrowser(t *testing.T) {
	t.Parallel()
	_, b := openHarbourBakery(t)
	at := nextThursday()
	b.schedule(at, "Rye bred is back.")
	b.clickLink("[data-testid=posts] .row-text")
	before := evaluateScript[string](b, `document.querySelector("[data-testid=status-line]").textContent`)
	b.clickLink(testid("nav-posts"))
	b.clickLink(testid("row-edit"))
	b.replaceText("Rye bread is back.")
	b.waitFor(`!document.querySelector("#submit").disabled && document.querySelector("#submit").innerText.includes("Save changes")`)
	b.clickLink(testid("submit"))
	b.waitFor(`document.querySelector("[data-testid=post][data-status=queued]") !== null`)
	b.waitFor(`document.querySelector("[data-testid=flash]").innerText.startsWith("Saved. The post goes out ")`)
	if after := evaluateScript[string](b, `document.querySelector("[data-testid=status-line]").textContent`); after != before {
		t.Errorf("it was %s, and is %s", before, after)
	}
	b.waitFor(`document.querySelector("[data-testid=preview-text]").innerText.includes("Rye bread is back.")`)

	// On a phone, the form for its time opens in view and is as large as that of the composer.
	b.runActions("use a phone", chromedp.EmulateViewport(375, 480))
	b.click(testid("reschedule-open"))
	b.waitFor(`(() => {
		const bottom = document.querySelector("#reschedule").getBoundingClientRect().bottom;
		const [input, button] = ["#at", "[data-testid=reschedule-submit]"].map((it) => document.querySelector(it));
		return bottom <= document.querySelector(".bar").getBoundingClientRect().top && getComputedStyle(input).fontSize === "16px" &&
			input.offsetHeight === 44 && button.offsetHeight === 44 &&
			getComputedStyle(document.querySelector("#reschedule .chevron")).rotate === "90deg";
	})()`)

	// Most of its actions are in a menu there.
	if !evaluateScript[bool](b, `document.querySelector("#edit").offsetHeight === 44 && !document.querySelector("#delete").checkVisibility()`) {
		t.Error("on a phone, the post has no menu of actions")
	}
	b.click(testid("more"))
	b.waitFor(`[...document.querySelectorAll("#post-more .button")].every((button) => button.offsetHeight === 44)`)
	b.checkAccessibility("the actions of a post on a phone")
	b.runActions("use a large screen", chromedp.EmulateViewport(1280, 900))
	b.runActions("open the post again", chromedp.Reload())
	if evaluateScript[bool](b, `document.querySelector("[data-testid=more]").checkVisibility()`) {
		t.Error("where there is room for all actions, some are in a menu")
	}

	// Send now can be undone, and then again not.
	b.clickLink(testid("send-now"))
	b.clickLink(testid("undo"))
	b.waitFor(`document.querySelector("[data-testid=flash]").innerText.includes("Undone.")`)
	if after := evaluateScript[string](b, `document.querySelector("[data-testid=status-line]").textContent`); after != before {
		t.Errorf("after Undo, it is %s", after)
	}
	b.clickLink(testid("send-now"))
	b.waitFor(`document.querySelector("[data-testid=post][data-status=live]") !== null`)
	b.checkConsole()
}

func TestAFailedPostIsFixedAndSent(t *testing.T) {
	t.Parallel()
	s, b := openHarbourBakery(t)
	s.addFault(map[string]any{"kind": "reject", "network": "threads", "call": "create", "message": "The text is not allowed."})
	b.sendPost("Rye bread is back!!!", "now")
	b.waitFor(`document.querySelector("[data-testid=post][data-status=failed]") !== null`)
	b.waitFor(`[...document.querySelectorAll(".attention-link:not([hidden])")].map((a) => a.textContent.trim()).join() ===
		"1 to check,1 to check"`)
	b.clickLink(".rail " + testid("attention"))
	b.waitFor(`document.querySelector("[data-testid=row-note]").innerText.includes("The text is not allowed.")`)
	b.clickLink("[data-testid=posts] .row-text")
	b.clickLink(testid("duplicate"))
	b.replaceText("Rye bread is back.")
	b.waitFor(`!document.querySelector("#submit").disabled`)
	b.clickLink(testid("submit"))
	b.waitFor(`document.querySelector("[data-testid=post][data-status=live]") !== null`)
	if n := s.countVisible("Rye bread is back."); n != 1 {
		t.Errorf("it is visible %d times", n)
	}

	// Nothing is left to do, so no number asks for it.
	b.waitFor(`document.querySelector(".attention-link:not([hidden])") === null`)
	b.clickLink(testid("nav-posts"))
	b.waitFor(`document.querySelector(".attention-link:not([hidden])") === null`)
	b.clickLink(testid("tab-All"))
	b.clickLink(testid("row-copy"))
	b.waitFor(`document.querySelector("[data-testid=post][data-status=live]") !== null`)
	b.checkConsole()
}

func TestSeveralPostsAreMovedAndDeletedWithoutScripts(t *testing.T) {
	t.Parallel()
	s := newStandaloneService(t)
	s.serveUntilReady()
	defer s.process.requireStop(t)
	p := newPerson(t, s.url).setUp(s.setUpLink())
	p.connectAccount("threads", nil).requireStatus(http.StatusOK)
	at := nextThursday().Format("2006-01-02T15:04")
	for _, text := range []string{"Rye bread is back.", "We open earlier."} {
		p.openLink("/compose").requireStatus(http.StatusOK)
		account := attrValue(p.findOne("input[name=account]"), "value")
		p.submitForm("#compose", formInput{"account": {account}, "text": {text}, "when": {"at"}, "at": {at}}).
			requireStatus(http.StatusOK)
	}

	listed := func() (ids []string) {
		for _, box := range p.findAll("input[name=post][form=bulk]") {
			ids = append(ids, attrValue(box, "value"))
		}
		return ids
	}
	p.openLink("/posts").requireStatus(http.StatusOK)
	if days := p.visibleText(testid("day")); len(listed()) != 2 || !strings.HasPrefix(days, "Thursday") {
		t.Fatalf("%d posts on %s", len(listed()), days)
	}
	p.submitForm(testid("bulk-move-submit"), formInput{"post": listed(), "shift": {"1"}})
	if p.requireStatus(http.StatusOK); !strings.HasPrefix(p.visibleText(testid("day")), "Friday") {
		t.Errorf("moved by a day, they are on %s", p.visibleText(testid("day")))
	}
	p.submitForm(testid("undo"), nil).requireStatus(http.StatusOK)
	if !strings.HasPrefix(p.visibleText(testid("day")), "Thursday") {
		t.Errorf("after Undo, they are on %s", p.visibleText(testid("day")))
	}
	p.submitForm(testid("bulk-cancel"), formInput{"post": listed()}).requireStatus(http.StatusOK)
	if got := p.visibleText(testid("flash")); !strings.HasPrefix(got, "2 posts moved to drafts.") {
		t.Errorf("the page says %q", got)
	}

	p.openLink("/posts?status=draft").requireStatus(http.StatusOK)
	asked := url.Values{"post": listed(), "back": {p.at.RequestURI()}}
	p.openLink(attrValue(p.findOne(testid("bulk-delete")), "formaction") + "?" + asked.Encode()).requireStatus(http.StatusOK)
	p.submitForm(testid("confirm"), nil).requireStatus(http.StatusOK)
	if got := p.visibleText(testid("flash")); got != "2 posts deleted." || len(listed()) != 0 {
		t.Errorf("the page says %q and lists %d posts", got, len(listed()))
	}
}
