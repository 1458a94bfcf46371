package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// openCalendar shows a view of the calendar.
func (b *browser) openCalendar(s *service, query string) {
	b.t.Helper()
	b.runActions("open the calendar", chromedp.Navigate(s.url+"/calendar?"+query))
	b.waitFor(`document.readyState === "complete" && document.querySelector("#calendar [tabindex]") !== null`)
}

// dragByMouse presses the mouse on one element, moves it onto a day or an hour, and releases it there or, if that is
// given, on a last element.
func (b *browser) dragByMouse(from, onto string, last ...string) {
	b.t.Helper()
	x, y := b.middleOf(from)
	toX, toY := b.middleOf(onto)
	left := []chromedp.MouseOption{chromedp.ButtonLeft, chromedp.ClickCount(1)}
	b.runActions("drag "+from+" onto "+onto, chromedp.MouseEvent(chromedp.MousePressed, x, y, left...),
		chromedp.MouseEvent(chromedp.MouseMoved, (x+toX)/2, (y+toY)/2, left...),
		chromedp.MouseEvent(chromedp.MouseMoved, toX, toY, left...))
	b.waitFor(`document.querySelector(".ghost") !== null && document.querySelector(".drop") !== null`)
	for _, end := range last {
		toX, toY = b.middleOf(end)
		b.runActions("drag it on", chromedp.MouseEvent(chromedp.MouseMoved, toX, toY, left...))
	}
	b.runActions("drop it", chromedp.MouseEvent(chromedp.MouseReleased, toX, toY, left...))
}

// onDay is a script that tells whether a day or an hour shows a post, which has come to rest there.
func onDay(day, text string) string {
	return fmt.Sprintf(`[...document.querySelectorAll("#calendar [data-day='%s'] .entry:not(.moving)")].some((entry) =>
		entry.innerText.includes(%q))`, day, text)
}

// forgiveRefusal drops the console's lines about a move that was just refused.
func (b *browser) forgiveRefusal() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.complaints = nil
}

func TestAPostIsDraggedToAnotherDay(t *testing.T) {
	t.Parallel()
	s, b := openHarbourBakery(t)
	thursday := nextThursday()
	friday := thursday.AddDate(0, 0, 1).Format(time.DateOnly)
	b.schedule(thursday, "Rye bread is back.")
	b.openCalendar(s, "date="+thursday.Format(time.DateOnly))
	b.checkAccessibility("the month")
	b.dragByMouse("td .entry", `td[data-day="`+friday+`"]`)
	b.waitFor(onDay(friday, "Rye bread is back."))
	b.waitFor(`document.querySelector("[data-testid=moved]").innerText.startsWith("Moved to Fri ")`)
	b.checkAccessibility("the month after a move")
	b.runActions("undo", chromedp.Focus(chromedp.CSS(testid("undo"))), chromedp.KeyEvent("\r"))
	b.waitFor(onDay(thursday.Format(time.DateOnly), "Rye bread is back."))
	b.waitFor(`document.querySelector("[data-testid=moved]").innerText.startsWith("Moved back to Thu ")`)
	b.waitFor(`document.activeElement.matches(".entry")`)
	if n := evaluateScript[int](b, `document.querySelectorAll("#calendar").length`); n != 1 {
		t.Errorf("after Undo, the page has %d calendars", n)
	}
	b.dragByMouse("td .entry", `td[data-day="`+friday+`"]`, "h1")
	b.waitFor(`document.querySelector("#toasts").innerText.includes("Not moved. Drop the post on a day.")`)
	b.waitFor(onDay(thursday.Format(time.DateOnly), "Rye bread is back."))
	b.checkConsole()

	b.openCalendar(s, "view=list")
	today := time.Now().UTC().Format(time.DateOnly)
	b.schedule(time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 1), "Buns at midnight.")
	b.openCalendar(s, "view=list&date="+today)
	tomorrow := time.Now().UTC().AddDate(0, 0, 1).Format(time.DateOnly)
	b.dragByMouse(".entry", `[data-day="`+today+`"] h2`)
	b.waitFor(`document.querySelector("#fault [role=alert]:not([data-of-update] *)")?.innerText.includes("The time is in the past.") === true`)
	b.waitFor(onDay(tomorrow, "Buns at midnight."))
	b.checkAccessibility("a refusal")
	b.forgiveRefusal()
	b.clickLink("#fault " + testid("send-now"))
	b.waitFor(`document.querySelector("[data-testid=post]") !== null`)
}

func TestPostsComposedTogetherAreMovedTogether(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.serveUntilReady()
	seed := s.seedWorkspace()
	b := s.signInWithBrowser(seed)
	thursday := nextThursday()
	day, friday := thursday.Format(time.DateOnly), thursday.AddDate(0, 0, 1).Format(time.DateOnly)
	b.clickLink(testid("nav-compose"))
	b.scheduleFor(thursday, "Rye bread is back.", seed.Accounts["threads"], seed.Accounts["facebook"])
	b.runActions("use a high window", chromedp.EmulateViewport(1280, 1600)) // the week may be the month's last
	b.openCalendar(s, "date="+day)
	together := `[data-day="` + day + `"] [data-together]`
	b.checkAccessibility("a month with posts composed together")
	b.runActions("ask for a time", chromedp.Focus(chromedp.CSS("td"+together)), chromedp.KeyEvent("m"))
	b.waitFor(`document.querySelector("#move[open]")?.innerText.includes("Queued, 2 posts on Facebook, Threads") === true`)
	b.waitFor(`document.querySelector("#move [type=submit]").innerText === "Move 2 posts"`)
	b.runActions("close the dialog", chromedp.KeyEvent(kb.Escape))
	b.runActions("open the list", clickOn("td"+together))
	b.waitFor(`document.querySelectorAll("#dialog[open] [data-testid=together-post]").length === 2`)
	b.checkAccessibility("the posts composed together")
	b.runActions("move them all", clickOn(testid("move-together")))
	b.waitFor(`document.querySelector("#move[open]")?.innerText.includes("Queued, 2 posts on Facebook, Threads") === true`)
	b.waitFor(`document.activeElement.id === "move-at" && !document.querySelector("#dialog").open`)
	b.runActions("close the dialog", chromedp.KeyEvent(kb.Escape))
	b.runActions("open the list again", clickOn("td"+together))
	b.waitFor(`document.querySelectorAll("#dialog[open] [data-testid=together-post]").length === 2`)
	b.runActions("close it", clickOn("#dialog [data-closes]"))
	b.dragByMouse("td"+together, `td[data-day="`+friday+`"]`)
	b.waitFor(`document.querySelector("[data-testid=moved]")?.innerText.startsWith("2 posts moved to Fri ") === true`)
	b.waitFor(onDay(friday, "Rye bread is back."))
	if evaluateScript[bool](b, `document.querySelector("#dialog").open`) {
		t.Error("the click that ends the drag opens the list")
	}
	b.runActions("undo", chromedp.Click(chromedp.CSS(testid("undo"))))
	b.waitFor(onDay(day, "Rye bread is back."))
	b.checkConsole()

	late := thursday.AddDate(0, 0, 7).Truncate(24 * time.Hour).Add(21 * time.Hour)
	b.schedule(late, "Buns for the night.")
	b.runActions("use a low window", chromedp.EmulateViewport(1440, 600))
	b.openCalendar(s, "view=week")
	b.waitFor(showsPresentHour)

	b.openCalendar(s, "view=week&date="+late.Format(time.DateOnly))
	b.waitFor(`document.querySelector(".week").scrollTop > 0`)
	if !evaluateScript[bool](b, `(() => {
		const days = document.querySelector(".week h2").getBoundingClientRect().bottom;
		return [...document.querySelectorAll(".week-hours span")].map((hour) => hour.getBoundingClientRect()).
			every((hour) => hour.bottom <= days + 1 || hour.top >= days - 2);
	})()`) {
		t.Error("the days cover half of an hour")
	}

	b.clickLink(testid("view-month"))
	b.clickLink(testid("view-week"))
	b.waitFor(`document.readyState === "complete" && document.querySelector("#calendar [tabindex]") !== null`)
	b.waitFor(`document.querySelector(".week").scrollTop > 0`)
	if top := evaluateScript[float64](b, drawnScroll, chromedp.EvalAwaitPromise); top != 0 {
		t.Errorf("the page of the week opens scrolled by %g px", top)
	}
}

// drawnScroll is how far the page is scrolled once it is drawn.
const drawnScroll = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(scrollY))))`

func TestAPostIsMovedByKeyboard(t *testing.T) {
	t.Parallel()
	s, b := openHarbourBakery(t)
	thursday := nextThursday()
	b.schedule(thursday, "Rye bread is back.")
	b.schedule(thursday.AddDate(0, 0, 2), "Buns at noon.")
	const focused = `document.activeElement.innerText.includes`
	b.openCalendar(s, "view=month&date="+thursday.Format(time.DateOnly))
	day := `td[data-day="` + thursday.Format(time.DateOnly) + `"]`
	b.runActions("go from a day to its post", chromedp.Focus(chromedp.CSS(day+" .day-link")), chromedp.KeyEvent(kb.ArrowDown))
	b.waitFor(focused + `("Rye bread is back.")`)
	b.runActions("go to the day's link to the composer", chromedp.KeyEvent(kb.ArrowUp), chromedp.KeyEvent(kb.Tab))
	b.waitFor(`document.activeElement.matches('` + day + ` .add')`)
	b.runActions("go on from there", chromedp.KeyEvent(kb.ArrowDown))
	b.waitFor(focused + `("Rye bread is back.")`)
	b.openCalendar(s, "view=week&date="+thursday.Format(time.DateOnly))
	b.checkAccessibility("the week")
	if n := evaluateScript[int](b, `[...document.querySelectorAll("#calendar [tabindex='0']")].length`); n != 1 {
		t.Errorf("Tab stops at %d places of the calendar", n)
	}
	b.runActions("focus the first post", chromedp.Focus(chromedp.CSS(".entry")))
	b.runActions("go two days on and back", chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight))
	b.waitFor(focused + `("Buns at noon.")`)
	b.runActions("go back", chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent(kb.ArrowLeft))
	b.waitFor(focused + `("Rye bread is back.")`)
	b.runActions("ask for a time", chromedp.KeyEvent("m"))
	b.waitFor(`document.querySelector("#move").open && document.activeElement.id === "move-at"`)
	b.waitFor(`document.querySelector("[data-day-of=move-at]").innerText.startsWith("Thursday ")`)
	b.checkAccessibility("the dialog")

	set := func(at time.Time) {
		b.runActions("enter "+at.String(), chromedp.Evaluate[chromedp.Void](
			fmt.Sprintf(`document.querySelector("#move-at").value = %q; undefined`, at.Format("2006-01-02T15:04"))),
			chromedp.KeyEvent("\r"))
	}
	b.checkConsole()
	set(time.Now().UTC().AddDate(0, 0, -2))
	b.waitFor(`document.querySelector("#move-refused").innerText.includes("The time is in the past.")`)
	b.forgiveRefusal()
	to := thursday.AddDate(0, 0, 1).Add(3 * time.Hour)
	set(to)
	b.waitFor(`!document.querySelector("#move").open`)
	b.waitFor(onDay(to.Format(time.DateOnly)+"'] [data-hour='13", "Rye bread is back."))
	b.waitFor(focused + `("Rye bread is back.")`)
	b.checkConsole()
}

// nextSpring is the next Sunday on which the clocks of Berlin go forward.
func nextSpring(t *testing.T) time.Time {
	t.Helper()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	day := time.Now().In(berlin).AddDate(0, 0, 2)
	for day.Month() != time.March || day.Weekday() != time.Sunday || day.Day() < 25 {
		day = day.AddDate(0, 0, 1)
	}
	return day
}

func TestTheWeekOfAClockChange(t *testing.T) {
	t.Parallel()
	s := newStandaloneService(t)
	s.serveUntilReady()
	t.Cleanup(func() { s.process.requireStop(t) })
	b := newBrowser(t)
	berlin := emulation.SetTimezoneOverrideParams{TimezoneID: "Europe/Berlin"}
	if _, err := chromedp.Call(b.ctx, emulation.SetTimezoneOverride, berlin); err != nil {
		t.Fatal(err)
	}
	b.setUp(s)
	b.clickLink(testid("connect-threads"))
	b.clickLink(testid("allow"))
	sunday := nextSpring(t)
	day := sunday.Format(time.DateOnly)
	saturday := sunday.AddDate(0, 0, -1)
	b.schedule(time.Date(saturday.Year(), saturday.Month(), saturday.Day(), 2, 30, 0, 0, time.UTC), "Half past two.")
	b.openCalendar(s, "view=week&date="+day)
	if note := evaluateScript[string](b, `document.querySelector("[data-testid=clock-change]").textContent`); note !=
		"The clocks go forward by 1 hour, so this day has 23 hours." {
		t.Errorf("the day says %q", note)
	}
	if !evaluateScript[bool](b, `document.querySelector(".clock-change .icon").getBoundingClientRect().width > 10`) {
		t.Error("the icon of the clock change is not visible")
	}
	b.checkConsole()
	b.dragByMouse(".entry", ".skipped")
	b.waitFor(`document.querySelector("#fault [role=alert]")?.innerText.includes("does not exist in Europe/Berlin") === true`)
	b.waitFor(onDay(saturday.Format(time.DateOnly), "Half past two."))
	b.forgiveRefusal()
	b.dragByMouse(".entry", `[data-day="`+day+`"] [data-hour="03"]`)
	b.waitFor(onDay(day+"'] [data-hour='03", "03:30"))
	b.checkAccessibility("the week of a clock change")
	b.checkConsole()

	for _, width := range []int64{320, 375, 768, 2560} {
		for _, view := range []string{"month", "week", "list", "day"} {
			b.runActions("change the width", chromedp.EmulateViewport(width, 800))
			b.openCalendar(s, "view="+view+"&date="+day)
			if got := evaluateScript[int](b, `document.documentElement.scrollWidth`); got > int(width) {
				t.Errorf("the %s is %d pixels wide on %d", view, got, width)
			}
		}
	}
	b.runActions("use a phone", chromedp.EmulateViewport(375, 800))
	for _, view := range []string{"month", "week", "list"} {
		b.openCalendar(s, "view="+view+"&date="+day)
		b.checkAccessibility(view + " on a phone")
		if !evaluateScript[bool](b, `(() => {
			const colorOf = (link) => getComputedStyle(document.querySelector(".bar > " + link)).color;
			return colorOf("a[aria-current]") !== colorOf("a:not([aria-current], .compose)");
		})()`) {
			t.Errorf("the %s is not marked in the bar", view)
		}
	}
	b.openCalendar(s, "view=month&date=2050-01-15") // days of two months
	if !evaluateScript[bool](b, `new Set([...document.querySelectorAll(".month td")].map((day) => getComputedStyle(day).
		backgroundColor)).size === 1`) {
		t.Error("days of the next month look like past days")
	}
	b.checkConsole()
}

// showsPresentHour is a script that says whether the present hour of a week is visible whole.
const showsPresentHour = `(() => {
	const [week, now] = [".week", "li.now"].map((one) => document.querySelector(one).getBoundingClientRect());
	return now.top >= week.top && now.bottom <= week.bottom;
})()`

// At the end of a month, the coming week was below the window's edge, and the days of the week scrolled away.
func TestAMonthOpensWithTheComingWeekInSight(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.serveUntilReady()
	b := s.signInWithBrowser(s.seedWorkspace())
	const parts = `const today = document.querySelector(".month .today").closest("tr");
		const [heading, week, next] = [document.querySelector(".month th"), today, today.nextElementSibling ?? today].map(
			(part) => part.getBoundingClientRect());`
	b.openCalendar(s, "view=month")
	height := evaluateScript[float64](b, `(() => { `+parts+` return heading.height + week.height + next.height; })()`)
	// The window is too low for the top of the page, so that even the first week of a month must scroll.
	b.runActions("leave room for two weeks only", chromedp.EmulateViewport(1440, int64(height)+16))
	b.openCalendar(s, "view=month")
	b.waitFor(`(() => {
		` + parts + `
		return heading.top >= 0 && heading.bottom <= week.top + 1 && next.bottom <= innerHeight;
	})() && document.activeElement === document.body`)
	b.checkConsole()
}

// Late in the evening, the end of a tall hour was below the week's edge.
func TestAWeekThatIsOpenedLateShowsThePresentHour(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.serveUntilReady()
	b := s.signInWithBrowser(s.seedWorkspace())
	zone, ahead := "UTC", (22-time.Now().UTC().Hour()+24)%24 // it is 22 o'clock somewhere
	switch {
	case ahead > 14:
		zone = fmt.Sprintf("Etc/GMT+%d", 24-ahead)
	case ahead > 0:
		zone = fmt.Sprintf("Etc/GMT-%d", ahead)
	}
	b.openSettings("General")
	b.runActions("choose a zone that browsers do not offer", chromedp.Evaluate[chromedp.Void](
		fmt.Sprintf(`document.querySelector("#tz").append(new Option(%[1]q, %[1]q, true, true))`, zone)))
	b.clickLink(testid("save-workspace"))
	b.runActions("use a low window", chromedp.EmulateViewport(1440, 600))
	b.openCalendar(s, "view=week")
	b.waitFor(`Number(document.querySelector("li.now").dataset.hour) >= 22`)
	b.waitFor(showsPresentHour)
	b.checkConsole()
}

// The columns of a day were as wide as what they contained, so that each day had other columns.
func TestTheColumnsOfAllListedDaysLineUp(t *testing.T) {
	t.Parallel()
	s, b := openHarbourBakery(t)
	b.sendPost("Rye bread is back.", "now")
	b.schedule(nextThursday(), "Cinnamon buns tomorrow.")
	b.openCalendar(s, "view=list")
	b.waitFor(`document.querySelector(".entry[data-state=live]") !== null`)
	offset := evaluateScript[float64](b, `(() => {
		const [live, queued] = ["live", "queued"].map((state) =>
			document.querySelector(".entry[data-state=" + state + "] .entry-text").getBoundingClientRect().left);
		return live - queued;
	})()`)
	if offset != 0 {
		t.Errorf("the texts of two days begin %v px apart", offset)
	}
}
