package e2e

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// signInWithBrowser opens the dashboard of a seeded workspace.
func (s *service) signInWithBrowser(seed seedResult) *browser {
	s.t.Helper()
	b := newBrowser(s.t)
	b.runActions("open the service", chromedp.Navigate(s.url+"/sign-in"))
	b.typeInto("#email", seed.Email)
	b.typeInto("#password", seed.Password)
	b.clickLink(testid("sign-in-submit"))
	return b
}

// consentWithBrowser allows what a network's consent page asks for, for a profile that is typed.
func (b *browser) consentWithBrowser(profile string) {
	b.t.Helper()
	b.typeInto(`[name="username"]`, profile)
	b.mu.Lock()
	b.complaints = nil // the networks' sandbox has no icon
	b.mu.Unlock()
	b.clickLink(testid("allow"))
}

// Issue 11: reconnect and the retry that follows.
func TestReconnectingFromAFailedPostSendsItAndOffersTheOthers(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.serveUntilReady()
	seed := s.seedWorkspace()
	c := s.newClient(seed.Key)
	// The first is slow, so that the second is queued while the account still works.
	s.addFault(map[string]any{"kind": "slow", "network": "threads", "call": "create", "delayMs": 2000, "times": 1})
	s.addFault(map[string]any{"kind": "token_revoked", "network": "threads", "call": "publish", "times": 1})
	first := c.createPost("The first that failed", "now", seed.Accounts["threads"])
	second := c.createPost("The second that failed", "now", seed.Accounts["threads"])
	for _, p := range []post{first, second} {
		if p = c.waitForStatus(p.ID, "failed", time.Minute); p.Error == nil || p.Error.Code != "account_revoked" {
			t.Fatalf("the error is %+v, want account_revoked", p.Error)
		}
	}

	b := s.signInWithBrowser(seed)
	for _, width := range []int64{320, 375, 1280} {
		b.runActions("open the failed post", chromedp.EmulateViewport(width, 800), chromedp.Navigate(s.url+"/posts/"+first.ID))
		evaluateScript[string](b, `document.querySelector(".head-acts .primary span").textContent = "Reconnect " + "moon".repeat(20)`)
		if got := evaluateScript[int64](b, "document.documentElement.scrollWidth"); got > width {
			t.Errorf("the failed post is %d px wide in a window of %d px", got, width)
		}
		if evaluateScript[bool](b, `document.querySelector("[data-testid=notice]") !== null`) {
			t.Errorf("in a window of %d px, a notice repeats what the page says", width)
		}
	}
	b.clickLink(testid("reconnect"))
	b.consentWithBrowser(strings.Replace(seed.Workspace, "demo-", "demo_", 1))
	b.waitFor(`location.pathname.endsWith("/posts/` + first.ID + `")`)
	flash := evaluateScript[string](b, `document.querySelector("[data-testid=flash]").innerText`)
	if !strings.Contains(flash, "reconnected. The post was queued again.") || !strings.Contains(flash, "1 other post failed") {
		t.Errorf("the page says %q", flash)
	}
	b.checkAccessibility("a post after its account was reconnected")
	c.waitForStatus(first.ID, "live", 20*time.Second)
	if p := c.getPost(second.ID); p.Status != "failed" {
		t.Errorf("nobody has asked for it, and the other post is %s", p.Status)
	}
	b.clickLink(testid("retry-others"))
	c.waitForStatus(second.ID, "live", 20*time.Second)
	for _, text := range []string{"The first that failed", "The second that failed"} {
		if n := s.countVisible(text); n != 1 {
			t.Errorf("%q is visible %d times", text, n)
		}
	}
	b.checkConsole()
}

// In a tall window, nothing scrolls, and nothing seemed to happen.
func TestTheButtonThatLeadsToTheNetworksMarksThem(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.serveUntilReady()
	b := s.signInWithBrowser(s.seedWorkspace())
	b.runActions("open the accounts", chromedp.EmulateViewport(1280, 2000), chromedp.Navigate(s.url+"/accounts"))
	const look = `getComputedStyle(document.querySelector(".connect-tile")).boxShadow`
	before := evaluateScript[string](b, look)
	b.runActions("go to the networks", clickOn(testid("to-connect")))
	b.waitFor(look + ` !== "` + before + `" && document.activeElement.id === "connect"`)
}

// The commands beside a new key are run as they are shown.
func TestTheCommandsOfANewKeyWork(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.serveUntilReady()
	seed := s.seedWorkspace()
	b := s.signInWithBrowser(seed)
	b.openSettings("API keys")
	b.typeInto("#key-name", "Newsletter")
	b.runActions("create a key", clickOn(testid("create-key")))
	b.waitFor(`document.readyState === "complete" && document.querySelector("[data-testid=new-key]") !== null`)
	b.checkAccessibility("a new key")
	for _, id := range []string{"new-key-curl", "new-key-draft"} {
		command := exec.CommandContext(t.Context(), "sh", "-c", b.texts(testid(id))[0])
		if out, err := command.Output(); err != nil || strings.Contains(string(out), `"code"`) {
			t.Errorf("%s: %v, %s", command, err, out)
		}
	}
	drafts := s.newClient(seed.Key).do("GET", "/posts?status=draft", nil).Posts
	if !slices.ContainsFunc(drafts, func(p post) bool { return p.Text == "A draft from the API" }) {
		t.Errorf("the drafts are %+v", drafts)
	}
	b.checkConsole()
}

// Issue 11: group post.
func TestAGroupIsMadeByDraggingAndPostedTo(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.serveUntilReady()
	seed := s.seedWorkspace()
	b := s.signInWithBrowser(seed)

	b.clickLink(testid("nav-groups"))
	b.clickLink(testid("new-group"))
	b.typeInto("#group-name", "Everywhere")
	b.runActions("choose a color", clickOn(`.swatch:has([value="#0f766e"])`))
	b.runActions("choose an account",
		clickOn(`.member-choice:has([value="`+seed.Accounts["threads"]+`"])`))
	b.checkAccessibility("the form of a group")
	b.clickLink(testid("save-group"))
	b.waitFor(`document.querySelector("[data-testid=group-count]")?.innerText === "1 account"`)
	b.drag(`[data-drags="`+seed.Accounts["facebook"]+`"]`, testid("group"))
	b.waitFor(`document.querySelector("[data-testid=group-count]")?.innerText === "2 accounts"`)
	b.waitFor(`document.querySelector("#toasts").innerText.includes("was added to Everywhere")`)
	b.checkAccessibility("the groups")
	b.checkConsole()
	for range 2 { // the account was disconnected in another tab
		b.runActions("forget the account", chromedp.Evaluate[chromedp.Void](`
			document.querySelector("#toasts").replaceChildren();
			document.querySelector("#fault").replaceChildren();
			document.querySelector("[data-drags]").dataset.drags = "acc_00000000000000000000000000"`))
		b.drag("[data-drags]", testid("group"))
		b.waitFor(`document.querySelector("#fault [data-code=not_found]") !== null`)
	}
	if said := evaluateScript[string](b, `document.querySelector("#toasts").innerText`); said != "" {
		t.Errorf("the account was not added, and the message is %q", said)
	}
	b.forgetComplaints()

	b.clickLink(testid("nav-compose"))
	b.runActions("choose the group", clickOn(`[name="pick"][value^="group:"]`))
	b.waitFor(`document.querySelectorAll('[name="account"]:checked').length === 2`)
	b.runActions("choose when", clickOn(testid("when-now")))
	b.typeInto(testid("text"), "To the whole group")
	b.waitFor(`document.querySelectorAll("[data-testid=plan-row][data-ok=true]").length === 2 && ` +
		`!document.querySelector("#submit").disabled`)
	b.runActions("send", clickOn(testid("submit")))
	b.waitFor(`document.querySelectorAll("[data-testid=confirm-send][open] [data-testid=plan-row]").length === 2`)
	b.clickLink(testid("confirm"))
	eventually(t, 20*time.Second, "both posts are live", func() bool { return s.countVisible("To the whole group") == 2 })
	b.checkConsole()
}

// drag drags an element to another, as the mouse does.
func (b *browser) drag(from, to string) {
	b.t.Helper()
	b.runActions("drag "+from+" to "+to, chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(() => {
		const [from, to] = [%q, %q].map((selector) => document.querySelector(selector));
		const dataTransfer = new DataTransfer();
		const send = (element, type) => {
			const box = element.getBoundingClientRect();
			const at = { clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 };
			element.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer, ...at }));
		};
		send(from, "dragstart");
		for (const type of ["dragenter", "dragover", "drop"]) send(to, type);
		send(from, "dragend");
	})()`, from, to)))
}
