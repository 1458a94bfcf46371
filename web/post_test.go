package web_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network/sim"
)

// work lets a worker carry the post as far as it goes right now.
func (s *studio) work(p contract.Post) {
	s.t.Helper()
	id, err := core.ParseID[core.PostKind](p.ID)
	must(s.t, err)
	must(s.t, s.App.Engine().PublishOrPrepare(s.t.Context(), "a worker", s.ws.ID, id))
}

func (s *studio) show(p contract.Post) *page {
	s.t.Helper()
	return s.b.get("/posts/"+p.ID).is(s.t, http.StatusOK)
}

// act presses a button of a post's page, which leads back there.
func (s *studio) act(p contract.Post, act string, pairs ...string) {
	s.t.Helper()
	s.b.post("/posts/"+p.ID+"/"+act, pairs...).leads(s.t, "/posts/"+p.ID)
}

func (p *page) status(t *testing.T) string {
	t.Helper()
	return attribute(p.one(t, testid("post")), "data-status")
}

// offers fails unless the page has these buttons and no others.
func (p *page) offers(t *testing.T, want ...string) {
	t.Helper()
	var got []string
	for _, act := range []string{"edit", "queue", "send-now", "cancel", "reschedule", "retry", "duplicate", "delete", "settle"} {
		if len(p.all(testid(act))) > 0 {
			got = append(got, act)
		}
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("offered are %v, want %v", got, want)
	}
}

func TestAPostOnItsWay(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	post := s.ws.Now("hello\nworld", s.threads)
	page := s.show(post)
	page.offers(t, "edit", "send-now", "cancel", "reschedule", "duplicate", "delete")
	since := attribute(page.one(t, testid("post")), "hx-get")
	if article := page.one(t, testid("post")); attribute(article, "hx-trigger") != "live" ||
		attribute(article, "data-live") != post.ID {
		t.Error("the page does not hear of changes of the post")
	}
	s.b.part(http.MethodGet, since).is(t, http.StatusNoContent)
	s.b.get(since).is(t, http.StatusOK).one(t, "nav[aria-label=Main]")

	s.work(post)
	part := s.b.part(http.MethodGet, since).is(t, http.StatusOK)
	if part.status(t) != "live" || len(part.all("nav")) != 0 {
		t.Error("the news is no part, or not news")
	}
	kinds := []string{}
	for _, e := range part.all(testid("event")) {
		kinds = append(kinds, attribute(e, "data-kind"))
	}
	if strings.Join(kinds, " ") != "created queued publishing live" {
		t.Errorf("the timeline is %v", kinds)
	}
	page = s.show(post)
	page.offers(t, "duplicate")
	if got := textOf(page.one(t, testid("link"))); got != "Belfry is asking Threads for the link." {
		t.Errorf("of the link it says %q", got)
	}
	id, err := core.ParseID[core.PostKind](post.ID)
	must(t, err)
	must(t, s.App.Engine().FetchAndStoreLinkIfMissing(t.Context(), s.ws.ID, id))
	page = s.show(post)
	if link := attribute(page.one(t, testid("live-link")), "href"); !strings.HasPrefix(link, s.NetworksURL+
		"/www.threads.net/") {
		t.Errorf("the post is linked as %s", link)
	}
}

func TestMovingAPost(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	draft := s.ws.Draft("hello", s.threads)
	page := s.show(draft)
	page.offers(t, "edit", "send-now", "reschedule", "duplicate", "delete")
	s.act(draft, "reschedule", "at", "2026-10-06T10:00:00", "tz", "Europe/Berlin")
	page = s.show(draft)
	page.offers(t, "edit", "queue", "send-now", "reschedule", "duplicate", "delete")
	page.says(t, "Time set to Tue 6 Oct 2026, 10:00 CEST (Europe/Berlin)")
	s.act(draft, "queue")
	if page = s.show(draft); page.status(t) != "queued" {
		t.Error("it is not queued")
	}
	s.act(draft, "reschedule", "at", "2026-10-07T10:00", "tz", "Europe/Berlin")
	s.show(draft).says(t, "Wed 7 Oct 2026, 10:00 CEST")
	s.act(draft, "cancel")
	if page = s.show(draft); page.status(t) != "draft" {
		t.Error("it is not taken back")
	}
	s.b.get("/posts/"+draft.ID+"/send-now").leads(t, "/posts/"+draft.ID)
	s.act(draft, "send-now")
	s.act(draft, "send-now") // of a queued one it is a new time
	s.show(draft).offers(t, "edit", "cancel", "reschedule", "duplicate", "delete")
	s.Clock.Advance(10 * time.Second)
	s.work(draft)
	if page = s.show(draft); page.status(t) != "live" {
		t.Error("it is not live")
	}

	copied := s.b.post("/posts/"+draft.ID+"/duplicate").is(t, http.StatusSeeOther).Header.Get("Location")
	page = s.b.get(copied).is(t, http.StatusOK)
	if page.value(t, "text") != "hello" {
		t.Error("the copy has another text")
	}
	path := strings.TrimSuffix(copied, "/edit")
	s.b.part(http.MethodGet, path+"/delete").is(t, http.StatusOK).one(t, `form[action="`+path+`/delete"]`)
	s.b.get(path+"/delete").says(t, "Delete this post?", "hello", "Draft · ", "Keep post")
	s.b.get(path).is(t, http.StatusOK)
	s.b.post(path+"/delete").leads(t, "/posts")
	s.b.get(path).is(t, http.StatusNotFound)
}

func TestARefusedActIsExplainedOnThePage(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	live, empty := s.ws.Now("out", s.threads), s.ws.Draft("soon empty", s.threads)
	s.work(live)
	for _, act := range []string{"cancel", "retry", "delete", "queue", "send-now"} {
		page := s.b.post("/posts/"+live.ID+"/"+act).is(t, http.StatusConflict)
		page.one(t, testid("post")+" "+testid("alert"))
	}
	s.b.post("/posts/"+live.ID+"/settle", "outcome", "live").is(t, http.StatusConflict)
	s.b.post("/posts/"+live.ID+"/settle", "outcome", "perhaps").is(t, http.StatusBadRequest)
	s.b.post("/posts/"+empty.ID+"/reschedule", "at", "2020-01-01T10:00", "tz", "UTC").is(t, http.StatusConflict).
		says(t, "past")
	s.b.post("/posts/"+empty.ID+"/reschedule", "at", "soon", "tz", "UTC").is(t, http.StatusBadRequest)
	s.b.post("/posts/"+empty.ID+"/reschedule", "at", "2026-10-07T10:00", "tz", "Nowhere/Else").is(t, http.StatusBadRequest)
	s.b.post("/posts/"+empty.ID+"/queue").is(t, http.StatusConflict)
	must(t, editText(s, empty, ""))
	s.b.post("/posts/"+empty.ID+"/send-now").is(t, http.StatusConflict).says(t, "The post cannot be published as it is")
}

func editText(s *studio, p contract.Post, text string) error {
	_, err := s.App.EditPost(s.t.Context(), s.ws.Owner, contract.EditPost{ID: p.ID, Text: &text})
	return err
}

func TestAFailedPostShowsTheNetworksWordsAndIsSentAgain(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	s.Fault(sim.Fault{
		Network: "threads", Call: "publish", Kind: sim.Reject, Code: 100, Status: 400,
		Message: "The words of <b>the</b> network",
	})
	post := s.ws.Now("hello", s.threads)
	s.work(post)
	page := s.show(post)
	page.offers(t, "retry", "duplicate", "delete")
	page.one(t, testid("post-error"))
	page.one(t, testid("duplicate")+".primary") // the network refuses it as it is
	if len(page.all(testid("retry")+".primary")) != 0 {
		t.Error("sending it again as it is comes first")
	}
	page.says(t, "The words of <b>the</b> network")
	s.b.get("/accounts").one(t, testid("notice")+` a[href="/posts?status=failed"]`)
	s.act(post, "retry")
	if s.show(post).status(t) != "queued" {
		t.Error("it is not on its way again")
	}
}

// An open page kept its links to posts that had become drafts or had been deleted.
func TestAPostIsUpdatedWhenAPostBesideItIsCancelled(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	s.b.post("/posts", "account", s.threads.ID, "account", s.page.ID, "text", "hello", "when", "at",
		"at", "2026-10-07T10:00").leads(t, "/posts")
	made := s.all()
	article := s.show(made[0]).one(t, "#post")
	if topics := attribute(article, "data-live"); topics != "posts" {
		t.Errorf("the page is updated when %s changes", topics)
	}
	s.act(made[1], "cancel")
	part := s.b.part(http.MethodGet, attribute(article, "hx-get")).is(t, http.StatusOK)
	if len(part.all(testid("beside"))) != 0 {
		t.Error("the page links to a draft as if it was still scheduled")
	}
}

func TestAFailedPostWithALiveCopyLeadsToTheCopy(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	s.Fault(sim.Fault{Network: "threads", Call: "publish", Kind: sim.Reject, Code: 100, Status: 400, Message: "No."})
	post := s.ws.Now("hello", s.threads)
	s.work(post)
	if topics := attribute(s.show(post).one(t, "#post"), "data-live"); topics != "posts" {
		t.Errorf("the page is updated when %s changes, but not when a copy goes live", topics)
	}
	made, err := s.App.DuplicatePost(t.Context(), s.ws.Owner, post.ID)
	must(t, err)
	s.b.get("/accounts").one(t, ".rail "+testid("attention")+`[href="/posts?status=failed"]`)
	_, err = s.App.SendPostAfterUndoDelay(t.Context(), s.ws.Owner, made.ID, "")
	must(t, err)
	s.Clock.Advance(time.Minute)
	s.work(made)

	page := s.show(post)
	if to := attribute(page.one(t, testid("live-copy")), "href"); to != "/posts/"+made.ID || page.status(t) != "failed" {
		t.Errorf("the %s post leads to %q", page.status(t), to)
	}
	page.one(t, testid("back-to-posts")+`[href="/posts?status=all"]`)
	if page.one(t, testid("post-error")); len(page.all(".alert.danger")) != 0 || len(page.all("#post-acts .primary")) != 0 {
		t.Error("the post still asks for something")
	}
	if len(page.all(testid("retry"))) != 0 {
		t.Error("the post can be published twice")
	}
	s.b.post("/posts/"+post.ID+"/retry").is(t, http.StatusConflict).says(t, "Another copy of this post is already live")
	if s.show(post).status(t) != "failed" {
		t.Error("a page that was opened before the copy was live has published the post twice")
	}
	accounts := s.b.get("/accounts")
	if len(accounts.all(testid("notice"))) != 0 || len(accounts.all(".rail "+testid("attention")+":not([hidden])")) != 0 {
		t.Error("the failed post still needs attention")
	}
	s.b.get("/posts?status=failed").says(t, "Failed 0", "No failed posts")
	list := s.b.get("/posts?status=all")
	list.says(t, "All 2", "Live 1")
	row := testid("post-row") + `[data-post="` + post.ID + `"] `
	list.one(t, row+testid("row-copy")+`[href="/posts/`+made.ID+`"]`)
	if found := textOf(s.b.get("/search?q=hello").one(t, `main [href="/posts/`+post.ID+`"]`)); !strings.Contains(found, "A copy is live") {
		t.Errorf("the search says %q", found)
	}
	list.one(t, row+testid("status")+"[data-status=replaced]")
	s.show(post).one(t, testid("live-copy")+`[href="/posts/`+made.ID+`"]`)
	entry := s.b.get("/calendar?view=list").one(t, `.entry[href="/posts/`+post.ID+`"]`)
	if attribute(entry, "data-state") != "replaced" || !strings.Contains(textOf(entry), "Failed, a copy is live, Threads") {
		t.Errorf("the calendar shows a %s post: %s", attribute(entry, "data-state"), textOf(entry))
	}
}

func TestAPendingRetryIsShownAndTakenBack(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	always := 0
	s.Fault(sim.Fault{Network: "threads", Call: "create", Kind: sim.ServerError, Times: &always})
	post := s.ws.Now("hello", s.threads)
	s.work(post)
	page := s.show(post)
	page.offers(t, "cancel", "retry", "duplicate", "delete")
	page.one(t, testid("next-try"))
	page.one(t, testid("event")+`[data-kind=retriedByWorker]`)
	s.act(post, "cancel")
	page = s.show(post)
	page.says(t, "Automatic retries stopped.")
	if len(page.all(testid("next-try"))) != 0 {
		t.Error("the next try still stands there")
	}
}

func TestAPersonSettlesWhatNobodyKnows(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	lost := func() contract.Post {
		s.Fault(sim.Fault{Network: "facebook", Call: "publish", Kind: sim.DropBeforeAccept})
		post := s.ws.Now("lost", s.page)
		s.work(post)
		s.Clock.Advance(5 * time.Minute)
		s.work(post)
		return post
	}
	seen := lost()
	page := s.show(seen)
	if link := attribute(page.one(t, testid("profile-link")), "href"); link != "/sandbox/_/" {
		t.Errorf("what is at the simulated network is linked as %q", link)
	}
	page.offers(t, "delete", "settle")
	if said := textOf(page.one(t, testid("status-line"))); !strings.HasPrefix(said, "Not confirmed · ") {
		t.Errorf("the page says that the post may be live, but also %q", said)
	}
	refused := s.b.post("/posts/"+seen.ID+"/retry").is(t, http.StatusConflict)
	if refused.says(t, "then choose an answer"); strings.Contains(refused.text(), "on the post's page") {
		t.Error("the post's page sends the person to the post's page")
	}
	before := len(s.all())
	s.b.post("/posts/"+seen.ID+"/duplicate").is(t, http.StatusConflict).says(t, "does not know whether the post was published")
	if len(s.all()) != before {
		t.Error("a page that was opened before the outcome was unknown has copied the post")
	}
	s.b.post("/posts/"+seen.ID+"/settle", "outcome", "live", "url", "javascript:alert(1)").is(t, http.StatusBadRequest)
	s.act(seen, "settle", "outcome", "live", "url", "https://www.facebook.com/1")
	if page = s.show(seen); page.status(t) != "live" || len(page.all(testid("live-link"))) != 1 {
		t.Error("a person's word did not make it live")
	}
	absent := lost()
	s.act(absent, "settle", "outcome", "absent")
	s.work(absent)
	if s.show(absent).status(t) != "live" {
		t.Error("it was not sent again")
	}
}

// settings gives a draft a settings block.
func (s *studio) settings(p contract.Post, platform, block string) {
	s.t.Helper()
	blocks := map[string]json.RawMessage{platform: json.RawMessage(block)}
	_, err := s.App.EditPost(s.t.Context(), s.ws.Owner, contract.EditPost{ID: p.ID, Settings: &blocks})
	must(s.t, err)
}
