package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"belfry/internal/contract"
	"belfry/internal/network/sim"
)

// A refused time folded the form away and forgot what had been typed; reloading that page answered 405.
func TestARefusedTimeStaysInItsForm(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	draft := s.ws.Draft("hello", s.threads)
	address := "/posts/" + draft.ID + "/reschedule"
	for at, want := range map[string]string{"2020-01-01T10:00": "The time is in the past.", "2026-03-29T02:30": "", "soon": ""} {
		page := s.b.post(address, "at", at, "tz", "Europe/Berlin")
		if page.StatusCode < 400 {
			t.Fatalf("%s is taken", at)
		}
		page.one(t, "details[open] "+testid("reschedule"))
		if page.value(t, "at") != at {
			t.Errorf("%s became %s", at, page.value(t, "at"))
		}
		if said := textOf(page.one(t, testid("reschedule")+" #at-error")); said == "" || !strings.Contains(said, want) {
			t.Errorf("beside %s stands %q", at, said)
		}
		if len(page.all(testid("alert"))) != 0 {
			t.Error("it is said twice")
		}
	}
	if len(s.show(draft).all("details[open]")) != 0 {
		t.Error("the form is open before anybody asked for it")
	}
}

func TestTheAddressOfAnActLeadsToItsPost(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	draft := s.ws.Draft("hello", s.threads)
	for _, act := range []string{"reschedule", "queue", "cancel", "retry", "duplicate", "settle", "edit/plan"} {
		s.b.get("/posts/"+draft.ID+"/"+act).leads(t, "/posts/"+draft.ID)
	}
	s.b.get("/compose/plan").is(t, http.StatusOK).one(t, testid("compose"))
}

func TestAFailedPostSaysHowToMendIt(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	s.Fault(sim.Fault{Network: "threads", Call: "publish", Kind: sim.Reject, Code: 100, Status: 400, Message: "No"})
	post := s.ws.Now("hello", s.threads)
	s.work(post)
	page := s.show(post)
	if said := textOf(page.one(t, testid("duplicate"))); said != "Edit a copy" {
		t.Errorf("the copy is called %q", said)
	}
	page.one(t, testid("post-error")+" "+testid("mend"))
	copied := s.copyOf(post)
	if copied.value(t, "text") != "hello" {
		t.Error("the copy has another text")
	}
	if said := textOf(copied.one(t, testid("submit")+":not([disabled])")); said != "Send now" {
		t.Errorf("the button of the copy says %q", said)
	}
	if said := textOf(s.show(s.ws.Draft("hello", s.threads)).one(t, testid("duplicate"))); said != "Duplicate" {
		t.Errorf("a draft's copy is called %q", said)
	}
}

// copyOf presses the button that copies a post, and returns the page to which it leads.
func (s *studio) copyOf(p contract.Post) *page {
	s.t.Helper()
	form := s.show(p).form(s.t, `form:has(`+testid("duplicate")+`)`)
	made := s.b.send(http.MethodPost, "/posts/"+p.ID+"/duplicate", form.Encode()).is(s.t, http.StatusSeeOther)
	return s.b.get(made.Header.Get("Location")).is(s.t, http.StatusOK)
}

// The copy opened as a draft, with its time far below the text.
func TestTheCopyOfAPostIsReadyToBeScheduled(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	live := s.ws.Now("hello", s.threads)
	s.work(live)
	queued := s.ws.Queued("soon", s.threads, s.Clock.Now().Add(time.Hour))
	for _, c := range []struct {
		post contract.Post
		want string
	}{{live, "Schedule"}, {queued, "Schedule"}, {s.ws.Draft("a draft", s.threads), "Save draft"}} {
		page := s.copyOf(c.post)
		if said := textOf(page.one(t, testid("submit")+":not([disabled])")); said != c.want {
			t.Errorf("%s: the button says %q, want %q", c.post.Text, said, c.want)
		}
		page.one(t, ".when ~ .editor")
	}
	s.b.get("/compose").one(t, ".editor ~ .when")
}

func TestTheEditorShowsTheAccountAsItsNetworkDoes(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	account := s.ws.Account("threads", "harbour.bakery")
	page := s.b.get("/posts/" + s.ws.Draft("hello", account).ID + "/edit")
	if said := textOf(page.one(t, ".preview-name")); said != "harbour.bakery" {
		t.Errorf("the preview shows %q", said)
	}
}

func TestAProblemWithAnAccountLeadsToTheAccounts(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	_, err := s.Pool.Exec(t.Context(), `UPDATE accounts SET status = 'revoked' WHERE platform = 'threads'`)
	must(t, err)
	page := s.b.post("/compose/plan", "account", s.threads.ID, "text", "hello", "when", "now")
	if to := attribute(page.one(t, "#account-error "+testid("note-accounts")), "href"); to != "/accounts" {
		t.Errorf("it leads to %q", to)
	}
	page = s.b.post("/compose/plan", "account", s.page.ID, "text", strings.Repeat("x", 64_000), "when", "now")
	if len(page.all(testid("note-accounts"))) != 0 {
		t.Error("a long text leads to the accounts")
	}
}

// The line below the heading named the account and its network again.
func TestThePageOfAPostNamesItsAccountAndNetworkOnce(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	s.Fault(sim.Fault{Network: "threads", Call: "publish", Kind: sim.Reject, Code: 100, Status: 400, Message: "No"})
	failed := s.ws.Now("hello", s.threads)
	s.work(failed)
	const at = " · Mon 5 Oct 2026, 11:00 CEST (Europe/Berlin)"
	for state, post := range map[string]contract.Post{"Failed" + at: failed, "Queued" + at: s.ws.Now("hello", s.page), "Draft": s.ws.Draft("hello", s.page)} {
		page := s.show(post)
		if got := textOf(page.one(t, testid("status-line"))); got != state {
			t.Errorf("the line is %q, want %q", got, state)
		}
		page.one(t, "h1")
	}
}

func TestTheTabsOfPostsAreToldApart(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	for text, want := range map[string]string{
		"Rye bread\n is back": "Rye bread is back · one · Belfry", "": "No text · one · Belfry",
		"Seventeen bells and a half rang in the old workshop": "Seventeen bells and a half rang in the… · one · Belfry",
	} {
		post := s.ws.Draft("soon another", s.threads)
		must(t, editText(s, post, text))
		if got := textOf(s.show(post).one(t, "title")); got != want {
			t.Errorf("the tab of %q is %q", text, got)
		}
	}
}

func TestTheButtonSaysWhatItDoesBeforeThereIsAPlan(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	page := s.b.get("/compose")
	for when, want := range map[string]string{"now": "Send now", "at": "Schedule", "draft": "Save draft"} {
		part := s.b.part(http.MethodPost, "/compose/plan", "when", when, "text", "")
		if got := textOf(part.one(t, "#submit:not([data-asks])")); got != want {
			t.Errorf("%s: %q", when, got)
		}
		if got := textOf(s.b.post("/compose/plan", "when", when).one(t, testid("submit"))); got != want {
			t.Errorf("%s is drawn as %q", when, got)
		}
	}
	if got := textOf(page.one(t, testid("submit"))); got != "Send now" {
		t.Errorf("the first button says %q", got)
	}
	for _, word := range []string{"threads 500 characters left", "facebook 63,206 characters left"} {
		network, words, _ := strings.Cut(word, " ")
		counter := page.one(t, testid("counter-"+network)+" .counter-room")
		if textOf(counter) != words {
			t.Errorf("the counter of %s says %q", network, textOf(counter))
		}
	}
}

// What has been sent came back out of the browser's memory as if it were unsent.
func TestABrowserKeepsNoFormOfThePast(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	draft := s.ws.Draft("hello", s.threads)
	for _, path := range []string{"/compose", "/posts/" + draft.ID + "/edit"} {
		page := s.b.get(path).is(t, http.StatusOK)
		if page.Header.Get("Cache-Control") != "no-store" ||
			attribute(page.one(t, testid("compose")), "autocomplete") != "off" {
			t.Errorf("%s may be kept", path)
		}
	}
}

// Files cannot be chosen yet, but their kinds and descriptions were asked for.
func TestSettingsThatNeedFilesAreNotOfferedToAText(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	page := s.b.get("/compose")
	for _, name := range []string{"settings.threads.altText", "settings.facebook.contentType"} {
		if len(page.all(`[name="`+name+`"]`)) != 0 {
			t.Errorf("%s is offered", name)
		}
	}
	for _, name := range []string{"settings.threads.topicTag", "settings.threads.linkAttachment", "settings.facebook.link"} {
		page.one(t, `[name="`+name+`"]`)
	}
}

func TestASettingThatADraftHasIsShownEvenWhereItCannotApply(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	draft := s.ws.Draft("hello", s.threads)
	s.settings(draft, "threads", `{"altText":"a bell"}`)
	page := s.b.get("/posts/" + draft.ID + "/edit")
	if page.value(t, "settings.threads.altText") != "a bell" {
		t.Error("it is out of sight")
	}
	other := s.ws.Draft("hello", s.page)
	s.settings(other, "facebook", `{"contentType":"photo"}`)
	s.b.get("/posts/"+other.ID+"/edit").one(t, `[name="settings.facebook.contentType"] option[value=photo][selected]`)
}

func TestAPageThatIsNotThereLeadsSomewhere(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	lost := s.b.get("/nothing", "Referer", "http://localhost:8080/nothing").is(t, http.StatusNotFound).one(t,
		testid("back"))
	if attribute(lost, "href") != "/posts" || textOf(lost) != "Go to posts" {
		t.Errorf("it leads to %s with the words %q", attribute(lost, "href"), textOf(lost))
	}
	came := s.b.get("/nothing", "Referer", "http://localhost:8080/accounts").one(t, testid("back"))
	if attribute(came, "href") != "/accounts" || textOf(came) != "Go back" {
		t.Errorf("it leads to %s with the words %q", attribute(came, "href"), textOf(came))
	}
	stranger := s.browser().get("/nothing").is(t, http.StatusNotFound).one(t, testid("back"))
	if attribute(stranger, "href") != "/" || textOf(stranger) != "Go to the start page" {
		t.Errorf("a stranger is led to %s with the words %q", attribute(stranger, "href"), textOf(stranger))
	}
}

func TestTheFrameNamesTheWorkspaceAndTheWayToTheSimulatedNetworks(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	page := s.b.get("/posts")
	if textOf(page.one(t, testid("workspace")+" .workspace-name")) != "one" {
		t.Error("the workspace has no name")
	}
	if to := page.one(t, testid("sandbox-link")); attribute(to, "href") != "/sandbox/_/" ||
		textOf(to) != "Open the sandbox" {
		t.Errorf("the simulated networks are at %s, %q", attribute(to, "href"), textOf(to))
	}
}
