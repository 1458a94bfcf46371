package e2e

import (
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// An open page shows what another process does, and nothing that its reader is busy with is lost: the page is not
// loaded again, the words they have selected stay selected, and focus and place stay.
func TestAnOpenPageShowsWhatAnotherProcessDoes(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.startRole("web").waitUntilAlive(t)
	seed := s.seedWorkspace()
	c := s.newClient(seed.Key)
	post := c.createPost("Rye bread is back.", "now", seed.Accounts["threads"])
	b := s.signInWithBrowser(seed)
	b.runActions("open the post", chromedp.Navigate(s.url+"/posts/"+post.ID), chromedp.EmulateViewport(1280, 400))
	b.waitFor(`document.querySelector("[data-testid=post]")?.dataset.status === "queued"`)
	b.runActions("select words, focus a button and scroll", chromedp.Evaluate[chromedp.Void](`
		window.sameAsBefore = true;
		document.querySelector("#duplicate").focus({preventScroll: true});
		getSelection().selectAllChildren(document.querySelector("[data-testid=preview-text]"));
		scrollTo(0, 60);
		window.place = () => document.querySelector("[data-testid=preview-text]").getBoundingClientRect().top;
		window.placeBefore = place(); undefined`))

	s.startRole("worker").waitUntilReady(t)
	b.waitFor(`document.querySelector("[data-testid=post]").dataset.status === "live"`)
	b.waitFor(`document.querySelector("[data-testid=live-link]") !== null`)
	for what, script := range map[string]string{
		"the page was loaded again":   `window.sameAsBefore === true`,
		"the focus is lost":           `document.activeElement.id === "duplicate"`,
		"the selection is lost":       `getSelection().toString() === "Rye bread is back."`,
		"the page has jumped":         `Math.abs(place() - placeBefore) < 40`,
		"the timeline lacks an event": `document.querySelectorAll("[data-testid=event]").length === 4`,
	} {
		if !evaluateScript[bool](b, script) {
			t.Error(what)
		}
	}
	b.checkConsole()
}

// The page of a failed post did not learn that a copy of the post went live.
func TestTheOpenPageOfAFailedPostLearnsThatACopyIsLive(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.serveUntilReady()
	seed := s.seedWorkspace()
	c := s.newClient(seed.Key)
	s.addFault(map[string]any{"kind": "reject", "network": "threads", "call": "create", "message": "The text is not allowed."})
	failed := c.createPost("Rye bread is back!!!", "now", seed.Accounts["threads"])
	c.waitForStatus(failed.ID, "failed", time.Minute)
	b := s.signInWithBrowser(seed)
	b.runActions("open the post", chromedp.Navigate(s.url+"/posts/"+failed.ID))
	b.waitFor(`document.querySelector("[data-testid=post-error]") !== null`)
	made := c.do("POST", "/posts/"+failed.ID+"/duplicate", nil).requireStatus(t, http.StatusOK)
	c.do("PATCH", "/posts/"+made.ID, map[string]any{"when": "now", "status": "queued"}).requireStatus(t, http.StatusOK)
	b.waitFor(`document.querySelector("[data-testid=live-copy]") !== null`)
	b.checkConsole()
}

// What somebody is typing into a form of the page stays while the post changes.
func TestWhatIsTypedStaysWhileThePageIsUpdated(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.serveUntilReady()
	seed := s.seedWorkspace()
	c := s.newClient(seed.Key)
	post := c.createPost("Rye bread is back.", inDays(20), seed.Accounts["threads"])
	b := s.signInWithBrowser(seed)
	b.runActions("open the post", chromedp.Navigate(s.url+"/posts/"+post.ID),
		clickOn(testid("reschedule-open")))
	b.runActions("type a time", chromedp.Evaluate[chromedp.Void](`
		document.querySelector("#at").value = "2030-07-07T07:07"; document.querySelector("#at").focus(); undefined`))
	before := evaluateScript[string](b, `document.querySelector("[data-testid=status-line]").innerText`)
	c.do("PATCH", "/posts/"+post.ID, fields{"when": inDays(30)}).requireStatus(t, 200)
	b.waitFor(`document.querySelector("[data-testid=status-line]").innerText !== "` + before + `"`)
	if got := evaluateScript[string](b, `document.activeElement.id + " " + document.querySelector("#at").value`); got !=
		"at 2030-07-07T07:07" {
		t.Errorf("what was typed is now %q", got)
	}
	b.checkConsole()
}
