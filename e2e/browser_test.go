package e2e

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

//go:embed testdata/axe/axe.min.js
var axe string

// browser is a real one, which notes every complaint on its console: errors, and what the
// Content-Security-Policy refused.
type browser struct {
	t   testing.TB
	ctx context.Context //nolint:containedctx // it stands for the tab, as chromedp has it

	mu         sync.Mutex
	complaints []string
}

func newBrowser(t testing.TB) *browser {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()), chromedp.WindowSize(1280, 900),
		chromedp.Flag("disable-gpu", true), chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("force-prefers-reduced-motion", true)) // a colour in the midst of its change has no contrast of its own
	ctx, stop := chromedp.NewExecAllocator(context.WithoutCancel(t.Context()), options...)
	t.Cleanup(stop)
	ctx, closeTab := chromedp.NewContext(ctx)
	t.Cleanup(closeTab)
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute) // only for a browser that hangs: axe alone may take two
	t.Cleanup(cancel)
	b := &browser{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, b.recordComplaints); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *browser) recordComplaints(event any) {
	text := ""
	switch e := event.(type) {
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Source == log.EntrySourceSecurity {
			text = fmt.Sprintf("%s: %s (%s)", e.Entry.Source, e.Entry.Text, e.Entry.URL)
		}
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			text = "console:"
			for _, a := range e.Args {
				text += " " + cmp.Or(string(a.Value), previewOf(a), a.Description)
			}
		}
	case *runtime.EventExceptionThrown:
		text = "exception: " + e.ExceptionDetails.Text
	}
	if text != "" {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.complaints = append(b.complaints, text)
	}
}

// previewOf returns the values in an array or an object on the console.
func previewOf(logged *runtime.RemoteObject) string {
	if logged.Preview == nil {
		return ""
	}
	var values []string
	for _, p := range logged.Preview.Properties {
		values = append(values, p.Value)
	}
	return strings.Join(values, ", ")
}

// checkConsole fails the test if the browser logged an error or a warning.
func (b *browser) checkConsole() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.complaints {
		b.t.Errorf("the browser complains: %s", c)
	}
	b.complaints = nil
}

// forgetComplaints drops what the browser logged so far, because the page is meant to be an error.
func (b *browser) forgetComplaints() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.complaints = nil
}

func (b *browser) runActions(what string, steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatalf("%s: %v; complaints: %v", what, err, b.complaints)
	}
}

// clickOn clicks an element. If the page replaces the element before the mouse reaches it, clickOn looks for it again.
func clickOn(selector string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		for {
			_, err := chromedp.Click(chromedp.CSS(selector))(ctx, tab)
			if err == nil || !strings.Contains(err.Error(), "Could not find node with given id") {
				return err
			}
		}
	})
}

// clickLink clicks on a link or button and waits until the page that it leads to has loaded.
func (b *browser) clickLink(selector string) {
	b.t.Helper()
	b.loadPage("press "+selector, clickOn(selector))
}

// loadPage does something that opens another page, and waits until that page has loaded.
func (b *browser) loadPage(what string, action chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	answer, err := chromedp.RunResponse(ctx, action)
	if err != nil {
		b.t.Fatalf(
			"%s: %v; complaints: %v; the page shows %s",
			what, err, b.complaints, evaluateScript[string](b, "location + document.body.innerText"),
		)
	}
	if answer.Status != http.StatusOK {
		b.t.Fatalf(
			"%s leads to %s, which answers %d: %s", what, answer.URL, answer.Status,
			evaluateScript[string](b, "document.body.innerText"),
		)
	}
}

func (b *browser) typeInto(selector, text string) {
	b.t.Helper()
	b.runActions("type into "+selector, chromedp.SendKeys(chromedp.CSS(selector), text))
}

// waitFor waits until a script's value is true, even if another page loads meanwhile. What is sent from a page goes out
// ten seconds later.
func (b *browser) waitFor(script string) {
	b.t.Helper()
	eventually(b.t, 30*time.Second, script, func() bool {
		is, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](script))
		if err != nil && !strings.Contains(err.Error(), "Inspected target navigated") {
			b.t.Fatalf("%s: %v", script, err)
		}
		return is
	})
}

// openDialog clicks a link and waits until its dialog is open.
func (b *browser) openDialog(selector string) {
	b.t.Helper()
	b.runActions("click "+selector, clickOn(selector))
	b.waitFor(dialogOpen)
}

// middleOf returns the middle of an element.
func (b *browser) middleOf(selector string) (x, y float64) {
	b.t.Helper()
	at := evaluateScript[[2]float64](b, `(() => {
		const box = document.querySelector('`+selector+`').getBoundingClientRect();
		return [box.x + box.width / 2, box.y + box.height / 2];
	})()`)
	return at[0], at[1]
}

func evaluateScript[T any](b *browser, script string, options ...chromedp.EvaluateOption) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](script, options...))
	if err != nil {
		b.t.Fatalf("%s: %v", script, err)
	}
	return v
}

const barriers = `axe.run(document, {resultTypes: ["violations"], rules: {"target-size": {enabled: true}}}).then(r => r.violations
	.map(v => v.impact + " " + v.id + ": " + v.help + ": " + v.nodes.map(n => n.html.slice(0, 200) + " " + n.failureSummary).join(" | ")).join("\n"))`

// checkAccessibility fails the test if axe finds a violation on the page.
func (b *browser) checkAccessibility(page string) {
	b.t.Helper()
	b.runActions("load axe", chromedp.Evaluate[chromedp.Void](axe))
	if found := evaluateScript[string](b, barriers, chromedp.EvalAwaitPromise); found != "" {
		b.t.Errorf("barriers on %s:\n%s", page, found)
	}
}

// setUp creates a workspace in a new service. The browser fills in its own zone.
func (b *browser) setUp(s *service) {
	b.t.Helper()
	b.runActions("open the service", chromedp.Navigate(s.setUpLink()))
	b.typeInto("#workspace", "Harbour Bakery")
	b.typeInto("#name", "Ada Baker")
	b.typeInto("#email", "ada@example.org")
	b.typeInto("#password", password)
	b.waitFor(`document.querySelector("#tz").value !== ""`)
	b.clickLink(testid("set-up-submit"))
}

// openHarbourBakery starts a new service in which somebody has signed in and connected the Threads profile.
func openHarbourBakery(t *testing.T, settings ...map[string]string) (*service, *browser) {
	t.Helper()
	s := newStandaloneService(t, settings...)
	s.serveUntilReady()
	t.Cleanup(func() { s.process.requireStop(t) })
	b := newBrowser(t)
	b.setUp(s)
	b.clickLink(testid("connect-threads"))
	b.clickLink(testid("allow"))
	return s, b
}

// sendPost writes a post for the one account, chooses when ("now" or "at") and submits it.
func (b *browser) sendPost(text, when string) {
	b.t.Helper()
	b.clickLink(testid("nav-compose"))
	b.runActions("choose when", clickOn(testid("when-"+when)))
	b.typeInto(testid("text"), text)
	b.waitFor(
		`document.querySelector("[data-testid=plan-row][data-ok=true]") !== null && ` +
			`!document.querySelector("#submit").disabled`,
	)
	b.clickLink(testid("submit"))
	b.waitFor(`document.querySelector("[data-testid=post]") !== null`)
}

const dialogOpen = `document.querySelector("dialog#dialog[open] [data-testid=confirm]") !== null`

// The question was put where the post stood: the links inside a page that looks for news inherited how that is
// swapped in.
func TestConfirmationsOfAPollingPostOpenInADialog(t *testing.T) {
	t.Parallel()
	s, b := openHarbourBakery(t)
	s.addFault(map[string]any{"kind": "server_error", "network": "threads", "call": "create"})
	b.sendPost("And seeded.", "now")
	b.waitFor(`document.querySelector("[data-testid=post][data-status=failed] [data-testid=next-try]") !== null`)
	for range 2 {
		b.openDialog(testid("delete"))
		b.runActions("think again", clickOn("dialog#dialog [data-closes]"))
		b.waitFor(`document.querySelector("dialog#dialog[open]") === null`)
	}
	b.openDialog(testid("delete"))
	b.clickLink("dialog#dialog " + testid("confirm"))
	b.waitFor(`document.querySelector("[data-testid=flash]").innerText.includes("Post deleted.")`)
	b.checkConsole()
}

// A click was lost when the page replaced the link between the press and the release of the button.
func TestClickOnAPollingPostIsNotLost(t *testing.T) {
	t.Parallel()
	s, b := openHarbourBakery(t, map[string]string{"RETRY_DELAYS": "10s"})
	s.addFault(map[string]any{"kind": "server_error", "network": "threads", "call": "create"})
	b.sendPost("Rye bread is back.", "now")
	b.waitFor(`document.querySelector("[data-testid=post][data-status=failed] [data-testid=next-try]") !== null`)
	b.runActions("count the news", chromedp.Evaluate[chromedp.Void](`window.news = 0;
		document.addEventListener("htmx:afterRequest", (event) => { window.news += event.detail.xhr.status === 200 ? 1 : 0; })`))
	x, y := b.middleOf(testid("delete"))
	left := []chromedp.MouseOption{chromedp.ButtonLeft, chromedp.ClickCount(1)}
	b.runActions("press Delete", chromedp.MouseEvent(chromedp.MousePressed, x, y, left...))
	b.waitFor("window.news > 0")
	b.runActions("release it", chromedp.MouseEvent(chromedp.MouseReleased, x, y, left...))
	b.waitFor(dialogOpen)
	b.runActions("think again", clickOn("dialog#dialog [data-closes]"))
	b.waitFor(`document.querySelector("[data-testid=post][data-status=live]") !== null`)
	b.checkConsole()
}

// "Publishing the post…" stayed beside Live.
func TestFlashSaysWhenAPostIsLive(t *testing.T) {
	t.Parallel()
	s, b := openHarbourBakery(t)
	s.addFault(map[string]any{"kind": "slow", "network": "threads", "call": "create", "delayMs": 2500})
	b.sendPost("Rye bread is back.", "now")
	b.waitFor(`document.querySelector("[data-testid=flash] p")?.innerText.startsWith("Publishing ") === true`)
	b.waitFor(`document.querySelector("[data-testid=post][data-status=live]") !== null`)
	b.waitFor(`document.querySelector("[data-testid=flash] p").innerText === "1 post is live."`)
	b.checkConsole()
}

// What has been sent came back as if it had not, when a person went back: they could send it again.
func TestBackButtonShowsNoSentText(t *testing.T) {
	t.Parallel()
	_, b := openHarbourBakery(t)
	b.clickLink(testid("nav-compose"))
	b.typeInto(testid("text"), "Rye bread is back.")
	b.waitFor(
		`document.querySelector("[data-testid=plan-row][data-ok=true]") !== null && ` +
			`!document.querySelector("#submit").disabled`,
	)
	b.clickLink(testid("submit"))
	b.waitFor(`document.querySelector("[data-testid=post]") !== null`)
	b.runActions("go back", chromedp.Evaluate[chromedp.Void]("history.back(); undefined"))
	b.waitFor(
		`document.readyState === "complete" && document.querySelector("#compose") !== null && ` +
			`document.querySelector("[data-testid=text]").value === ""`,
	)
	if !evaluateScript[bool](
		b, `document.querySelector("#submit").disabled && document.querySelector("#restored").hidden`,
	) {
		t.Error("the button can be pressed, or the text of before is offered")
	}
	b.checkConsole()

	b.typeInto(testid("text"), "Not sent yet.")
	b.waitFor(`!document.querySelector("#submit").disabled`)
	b.clickLink(testid("nav-posts"))
	b.runActions("go back", chromedp.Evaluate[chromedp.Void]("history.back(); undefined"))
	b.waitFor(
		`document.readyState === "complete" && document.querySelector("[data-testid=text]")?.value === "Not sent yet."`,
	)
}

// A text that the browser kept would have replaced what somebody else saved meanwhile.
func TestRestoredTextDoesNotReplaceANewerDraftUnseen(t *testing.T) {
	t.Parallel()
	_, b := openHarbourBakery(t)
	b.sendPost("Rye bread is back.", "draft")
	b.clickLink(testid("edit"))
	b.typeInto(testid("text"), "Still warm. ")
	b.waitFor(`Object.values(localStorage).some((kept) => kept.includes("Still warm."))`)
	b.runActions("let somebody else save the draft", chromedp.Evaluate[chromedp.Void](
		`fetch(location.href, {method: "POST", body: new URLSearchParams({text: "Sold out.", when: "draft"})})
			.then(() => { window.saved = true; }); undefined`))
	b.waitFor("window.saved === true")
	b.runActions("open the draft again", chromedp.Reload())
	const shown = `document.querySelector("[data-testid=saved-version] [data-testid=post-text]")?.innerText === "Sold out."`
	b.waitFor(shown)
	if !evaluateScript[bool](b, `document.querySelector("[data-testid=text]").value.includes("Still warm.")`) {
		t.Error("the person's own text is lost")
	}
	b.checkAccessibility("a draft that somebody else has changed")
	b.clickLink(testid("submit"))
	b.waitFor(`document.querySelector("[data-testid=post] [data-testid=preview-text]")?.innerText.includes("Still warm.") === true`)
}

// The goal: sign-up to live in a real browser, where the post turns live before one's eyes; without a word on the
// console and without a serious barrier on any page.
func TestSignUpToLiveInABrowser(t *testing.T) {
	t.Parallel()
	s := newStandaloneService(t)
	s.serveUntilReady()
	defer s.process.requireStop(t)
	b := newBrowser(t)

	b.runActions("open the service", chromedp.Navigate(s.setUpLink()))
	b.checkAccessibility("set-up")
	b.setUp(s)
	b.checkAccessibility("accounts, empty")
	b.clickLink(testid("connect-threads"))
	b.clickLink(testid("allow"))
	b.clickLink(testid("connect-facebook"))
	b.runActions("choose a second Page", clickOn(`input[name=page][value="118203947561038"]`))
	b.clickLink(testid("allow"))
	b.checkAccessibility("the choice of Pages")
	b.clickLink(testid("choose-submit"))
	b.checkAccessibility("accounts")

	b.clickLink(testid("nav-compose"))
	b.checkAccessibility("compose")
	b.runActions("choose the profile", clickOn(`label:has(input[data-platform=threads])`))
	b.typeInto(testid("text"), "Rye bread is back.")
	b.runActions("send it now", clickOn(testid("when-now")))
	b.waitFor(
		`document.querySelector("[data-testid=plan-row][data-ok=true]") !== null && ` +
			`!document.querySelector("#submit").disabled`,
	)
	b.checkAccessibility("compose with a plan")
	s.addFault(map[string]any{"kind": "slow", "network": "threads", "call": "create", "delayMs": 2500})
	b.clickLink(testid("submit"))
	b.waitFor(`document.querySelector("[data-testid=post]").dataset.status === "queued"`)
	b.runActions("mark this page", chromedp.Evaluate[chromedp.Void]("window.sameAsBefore = true; undefined"))
	b.waitFor(`document.querySelector("[data-testid=post][data-status=live] [data-testid=live-link]") !== null`)
	if !evaluateScript[bool](b, "window.sameAsBefore === true") {
		t.Error("the page was loaded anew to show that the post is live")
	}
	b.checkAccessibility("a live post")
	link := evaluateScript[string](b, `document.querySelector("[data-testid=live-link]").href`)

	for nav, page := range map[string]string{"nav-posts": "posts", "nav-settings": "settings"} {
		b.clickLink(testid(nav))
		b.checkAccessibility(page)
	}
	b.runActions("open the posts on a phone", chromedp.EmulateViewport(375, 800), chromedp.Navigate(s.url+"/posts"))
	b.waitFor(`(() => {
		const box = (selector) => document.querySelector(selector).getBoundingClientRect();
		const [search, filter, posts] = [box("#q"), box("[data-testid=filter]"), box("#posts")];
		return search.left === posts.left && search.right + 8 === filter.left && filter.right === posts.right;
	})()`)
	b.runActions("change the width back", chromedp.EmulateViewport(1280, 900))
	b.runActions("open the workspace's settings", chromedp.Navigate(s.url+"/settings/workspace"))
	b.checkAccessibility("the workspace's settings")
	b.runActions("open the members", chromedp.Navigate(s.url+"/settings/members"))
	b.typeInto("#invite-email", "ben@example.org")
	b.runActions("invite", clickOn(testid("invite")))
	b.waitFor(`document.readyState === "complete" && document.querySelector("[data-testid=new-link]") !== null`)
	b.checkAccessibility("members")
	b.runActions(
		"open the invitation",
		chromedp.Navigate(evaluateScript[string](b, `document.querySelector("[data-testid=new-link]").innerText`)),
	)
	b.checkAccessibility("an invitation")
	b.checkConsole()
	b.runActions("open the network's page", chromedp.Navigate(link))
	if shown := evaluateScript[string](b, "document.body.innerText"); !strings.Contains(shown, "Rye bread is back.") {
		t.Errorf("the network's page shows %q", shown)
	}
	b.checkConsole()
	b.runActions("open nothing", chromedp.Navigate(s.url+"/nothing"))
	b.checkAccessibility("the page of an error")
}

func TestTheReferenceOfTheAPIInABrowser(t *testing.T) {
	t.Parallel()
	_, b := openHarbourBakery(t)
	b.openSettings("API keys")
	b.runActions(
		"open the reference of the API, to which the page links in a new tab",
		chromedp.Navigate(evaluateScript[string](b, "document.querySelector('[data-testid=api-docs]').href")),
	)
	b.checkAccessibility("the reference of the API")
	for _, width := range []int64{1280, 390} {
		b.runActions("change the width", chromedp.EmulateViewport(width, 800))
		b.waitFor(`document.documentElement.scrollWidth <= innerWidth && document.querySelector("#createPosts") !== null`)
	}
	b.checkConsole()
}
