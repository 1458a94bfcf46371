package e2e

import (
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
		chromedp.Flag("disable-gpu", true), chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("force-prefers-reduced-motion", true)) // a colour in the midst of its change has no contrast of its own
	ctx, stop := chromedp.NewExecAllocator(context.WithoutCancel(t.Context()), options...)
	t.Cleanup(stop)
	ctx, closeTab := chromedp.NewContext(ctx)
	t.Cleanup(closeTab)
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancel)
	b := &browser{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, b.listen); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *browser) listen(event any) {
	text := ""
	switch e := event.(type) {
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Source == log.EntrySourceSecurity {
			text = fmt.Sprintf("%s: %s (%s)", e.Entry.Source, e.Entry.Text, e.Entry.URL)
		}
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			text = fmt.Sprintf("console: %v", e.Args)
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

// quiet fails the test when the browser has complained.
func (b *browser) quiet() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.complaints {
		b.t.Errorf("the browser complains: %s", c)
	}
	b.complaints = nil
}

func (b *browser) do(what string, steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatalf("%s: %v; complaints: %v", what, err, b.complaints)
	}
}

// press clicks on something that leads to another page, and waits until that has loaded.
func (b *browser) press(selector string) {
	b.t.Helper()
	answer, err := chromedp.RunResponse(b.ctx, chromedp.Click(chromedp.CSS(selector)))
	if err != nil {
		b.t.Fatalf("press %s: %v; complaints: %v", selector, err, b.complaints)
	}
	if answer.Status != http.StatusOK {
		b.t.Fatalf("%s leads to %s, which answers %d: %s", selector, answer.URL, answer.Status, evaluate[string](b, "document.body.innerText"))
	}
}

func (b *browser) typeInto(selector, text string) {
	b.t.Helper()
	b.do("type into "+selector, chromedp.SendKeys(chromedp.CSS(selector), text))
}

// await waits until a script's value is true.
func (b *browser) await(script string) {
	b.t.Helper()
	eventually(b.t, 20*time.Second, script, func() bool { return evaluate[bool](b, script) })
}

func evaluate[T any](b *browser, script string, options ...chromedp.EvaluateOption) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](script, options...))
	if err != nil {
		b.t.Fatalf("%s: %v", script, err)
	}
	return v
}

const serious = `axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations
	.filter(v => ["serious", "critical"].includes(v.impact))
	.map(v => v.id + ": " + v.help + ": " + v.nodes.map(n => n.html.slice(0, 200)).join(" | ")).join("\n"))`

// usable fails the test when axe finds a serious barrier on the page.
func (b *browser) usable(page string) {
	b.t.Helper()
	b.do("load axe", chromedp.Evaluate[chromedp.Void](axe))
	if found := evaluate[string](b, serious, chromedp.EvalAwaitPromise); found != "" {
		b.t.Errorf("barriers on %s:\n%s", page, found)
	}
}

// setUp creates a workspace in a new service. The browser fills in its own zone.
func (b *browser) setUp(s *service) {
	b.t.Helper()
	b.do("open the service", chromedp.Navigate(s.setUpLink()))
	b.typeInto("#workspace", "Harbour Bakery")
	b.typeInto("#name", "Ada Baker")
	b.typeInto("#email", "ada@example.org")
	b.typeInto("#password", password)
	b.await(`document.querySelector("#tz").value !== ""`)
	b.press(testid("set-up-submit"))
}

// openHarbourBakery starts a new service in which somebody has signed in and connected the Threads profile.
func openHarbourBakery(t *testing.T) (*service, *browser) {
	t.Helper()
	s := newOwn(t)
	s.serve()
	t.Cleanup(func() { s.process.stop(t) })
	b := newBrowser(t)
	b.setUp(s)
	b.press(testid("connect-threads"))
	b.press(testid("allow"))
	return s, b
}

// compose writes a post for the one account and sends it as the button of that name says.
func (b *browser) compose(text, when string) {
	b.t.Helper()
	b.press(testid("nav-compose"))
	b.do("choose when", chromedp.Click(chromedp.CSS(testid("when-"+when))))
	b.typeInto(testid("text"), text)
	b.await(`document.querySelector("[data-testid=plan-row][data-ok=true]") !== null && !document.querySelector("#submit").disabled`)
	b.press(testid("submit"))
	b.await(`document.querySelector("[data-testid=post]") !== null`)
}

const dialogOpen = `document.querySelector("dialog#dialog[open] [data-testid=confirm]") !== null`

// The question was put where the post stood: the links inside a page that looks for news inherited how that is swapped in.
func TestQuestionsOfAPostThatLooksForNewsOpenAsADialog(t *testing.T) {
	t.Parallel()
	s, b := openHarbourBakery(t)
	b.compose("Rye bread is back.", "at")
	for range 2 {
		b.do("ask to send it now", chromedp.Click(chromedp.CSS(testid("send-now"))))
		b.await(dialogOpen)
		b.do("think again", chromedp.Click(chromedp.CSS("dialog#dialog [data-closes]")))
		b.await(`document.querySelector("dialog#dialog[open]") === null`)
	}
	b.do("ask to send it now", chromedp.Click(chromedp.CSS(testid("send-now"))))
	b.await(dialogOpen)
	b.press("dialog#dialog " + testid("confirm"))
	b.await(`document.querySelector("[data-testid=post][data-status=live]") !== null`)

	s.fault(map[string]any{"kind": "server_error", "network": "threads", "call": "create"})
	b.compose("And seeded.", "now")
	b.await(`document.querySelector("[data-testid=post][data-status=failed] [data-testid=next-try]") !== null`)
	b.do("ask to delete it", chromedp.Click(chromedp.CSS(testid("delete"))))
	b.await(dialogOpen)
	b.quiet()
}

// "Publishing the post…" stayed beside Live.
func TestWhatWasSaidWhenAPostWasSentGoesWithItsNews(t *testing.T) {
	t.Parallel()
	s, b := openHarbourBakery(t)
	s.fault(map[string]any{"kind": "slow", "network": "threads", "call": "create", "delayMs": 2500})
	b.compose("Rye bread is back.", "now")
	b.await(`document.querySelector("[data-testid=flash]") !== null`)
	b.await(`document.querySelector("[data-testid=post][data-status=live]") !== null`)
	b.await(`document.querySelector("[data-testid=flash]") === null`)
	b.quiet()
}

// What has been sent came back as if it had not, when a person went back: they could send it again.
func TestTheWayBackShowsNothingThatWasSent(t *testing.T) {
	t.Parallel()
	_, b := openHarbourBakery(t)
	b.press(testid("nav-compose"))
	b.typeInto(testid("text"), "Rye bread is back.")
	b.await(`document.querySelector("[data-testid=plan-row][data-ok=true]") !== null && !document.querySelector("#submit").disabled`)
	b.press(testid("submit"))
	b.await(`document.querySelector("[data-testid=post]") !== null`)
	b.do("go back", chromedp.Evaluate[chromedp.Void]("history.back(); undefined"))
	b.await(`document.readyState === "complete" && document.querySelector("#compose") !== null && document.querySelector("[data-testid=text]").value === ""`)
	if !evaluate[bool](b, `document.querySelector("#submit").disabled && document.querySelector("#restored").hidden`) {
		t.Error("the button can be pressed, or the text of before is offered")
	}
	b.quiet()

	b.typeInto(testid("text"), "Not sent yet.")
	b.await(`!document.querySelector("#submit").disabled`)
	b.press(testid("nav-posts"))
	b.do("go back", chromedp.Evaluate[chromedp.Void]("history.back(); undefined"))
	b.await(`document.readyState === "complete" && document.querySelector("[data-testid=text]")?.value === "Not sent yet."`)
}

// The goal: sign-up to live in a real browser, where the post turns live before one's eyes; without a word on the
// console and without a serious barrier on any page.
func TestInABrowser(t *testing.T) {
	t.Parallel()
	s := newOwn(t)
	s.serve()
	defer s.process.stop(t)
	b := newBrowser(t)

	b.do("open the service", chromedp.Navigate(s.setUpLink()))
	b.usable("set-up")
	b.setUp(s)
	b.usable("accounts, empty")
	b.press(testid("connect-threads"))
	b.press(testid("allow"))
	b.press(testid("connect-facebook"))
	b.do("choose a second Page", chromedp.Click(chromedp.CSS(`input[name=page][value="118203947561038"]`)))
	b.press(testid("allow"))
	b.usable("the choice of Pages")
	b.press(testid("choose-submit"))
	b.usable("accounts")

	b.press(testid("nav-compose"))
	b.usable("compose")
	b.do("choose the profile", chromedp.Click(chromedp.CSS(`label:has(input[data-platform=threads])`)))
	b.typeInto(testid("text"), "Rye bread is back.")
	b.do("send it now", chromedp.Click(chromedp.CSS(testid("when-now"))))
	b.await(`document.querySelector("[data-testid=plan-row][data-ok=true]") !== null && !document.querySelector("#submit").disabled`)
	b.usable("compose with a plan")
	s.fault(map[string]any{"kind": "slow", "network": "threads", "call": "create", "delayMs": 2500})
	b.press(testid("submit"))
	b.await(`document.querySelector("[data-testid=post]").dataset.status === "queued"`)
	b.do("mark this page", chromedp.Evaluate[chromedp.Void]("window.sameAsBefore = true; undefined"))
	b.await(`document.querySelector("[data-testid=post][data-status=live] [data-testid=live-link]") !== null`)
	if !evaluate[bool](b, "window.sameAsBefore === true") {
		t.Error("the page was loaded anew to show that the post is live")
	}
	b.usable("a live post")
	link := evaluate[string](b, `document.querySelector("[data-testid=live-link]").href`)

	for nav, page := range map[string]string{"nav-posts": "posts", "nav-settings": "settings"} {
		b.press(testid(nav))
		b.usable(page)
	}
	b.do("open the workspace's settings", chromedp.Navigate(s.url+"/settings/workspace"))
	b.usable("the workspace's settings")
	b.do("open the members", chromedp.Navigate(s.url+"/settings/members"))
	b.typeInto("#invite-email", "ben@example.org")
	b.do("invite", chromedp.Click(chromedp.CSS(testid("invite"))))
	b.await(`document.readyState === "complete" && document.querySelector("[data-testid=new-link]") !== null`)
	b.usable("members")
	b.do("open the invitation", chromedp.Navigate(evaluate[string](b, `document.querySelector("[data-testid=new-link]").innerText`)))
	b.usable("an invitation")
	b.do("go back to the posts", chromedp.Navigate(s.url+"/posts"))
	b.press(testid("nav-settings"))
	b.press(testid("api-docs"))
	b.usable("the reference of the API")
	for _, width := range []int64{1280, 390} {
		b.do("change the width", chromedp.EmulateViewport(width, 800))
		b.await(`document.documentElement.scrollWidth <= innerWidth && document.querySelector("#createPosts") !== null`)
	}
	b.do("change the width back", chromedp.EmulateViewport(1280, 900))
	b.quiet()
	b.do("open the network's page", chromedp.Navigate(link))
	if shown := evaluate[string](b, "document.body.innerText"); !strings.Contains(shown, "Rye bread is back.") {
		t.Errorf("the network's page shows %q", shown)
	}
	b.quiet()
	b.do("open nothing", chromedp.Navigate(s.url+"/nothing"))
	b.usable("the page of an error")
}
