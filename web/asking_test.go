package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/network/sim"
)

// A person saw "Queued" and the button "Send now", which answered 409, while the network was being asked.
func TestAPostWhoseAnswerWasLostSaysThatTheNetworkIsAsked(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	s.Fault(sim.Fault{Network: "facebook", Call: "publish", Kind: sim.DropAfterAccept})
	post := s.ws.Now("lost", s.page)
	s.work(post)
	page := s.show(post)
	page.offers(t, "duplicate")
	at, err := time.Parse(time.RFC3339, attribute(page.one(t, testid("asking")+" time"), "datetime"))
	must(t, err)
	if wait := at.Sub(s.Clock.Now()); wait <= 0 || wait > 5*time.Minute {
		t.Errorf("it is asked %s from now", wait)
	}
	page.says(t, "Belfry will ask Facebook at", "whether it published the post")
	page.one(t, testid("timeline-next")+`[data-next="asking"]`)
	for _, act := range []string{"send-now", "cancel"} {
		s.b.post("/posts/"+post.ID+"/"+act).is(t, http.StatusConflict)
	}
	s.b.get("/posts").says(t, "Checking whether Facebook published the post")

	s.Clock.Advance(5 * time.Minute)
	s.work(post)
	page = s.show(post)
	if page.status(t) != "live" || len(page.all(testid("asking"))) != 0 {
		t.Errorf("it is %s in the end, and asked about still: %s", page.status(t), page.text())
	}
}

func TestADraftWhoseTimeHasPassedIsNotOfferedToBeScheduled(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	draft := s.ws.Draft("hello", s.threads)
	s.act(draft, "reschedule", "at", "2026-10-06T10:00", "tz", "Europe/Berlin")
	s.Clock.Advance(11 * time.Hour)
	s.show(draft).offers(t, "edit", "queue", "send-now", "reschedule", "duplicate", "delete")
	s.Clock.Advance(400 * 24 * time.Hour)
	s.b.signIn(s.ws)
	s.show(draft).offers(t, "edit", "send-now", "reschedule", "duplicate", "delete")
}

// The list stood still after a post had been sent to two accounts: nothing told when they were live.
func TestTheListShowsWhatChanges(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	first, second := s.ws.Now("ding", s.threads), s.ws.Now("dong", s.page)
	page := s.b.get("/posts?status=all").is(t, http.StatusOK)
	list := page.one(t, testid("posts"))
	if attribute(list, "data-live") != "posts" || attribute(list, "hx-push-url") != "false" {
		t.Error("the list does not hear of changes, or puts them into the address")
	}
	since := attribute(list, "hx-get")
	s.b.part(http.MethodGet, since).is(t, http.StatusNoContent)
	s.b.get(since).is(t, http.StatusOK).one(t, "nav[aria-label=Main]")

	s.work(first)
	part := s.b.part(http.MethodGet, since).is(t, http.StatusOK)
	if part.one(t, testid("post-row")+` [data-status="live"]`); len(part.all("nav[aria-label=Main]")) != 0 {
		t.Error("the news is a page")
	}
	part.says(t, "Live 1", "Up next 1")
	list = part.one(t, testid("posts"))
	if attribute(list, "hx-get") == since {
		t.Error("the list asks for what it has")
	}

	s.work(second)
	s.b.part(http.MethodGet, attribute(list, "hx-get")).is(t, http.StatusOK).says(t, "Live 2")
}

func TestTheListLooksForNewsInTheFilterThatItShows(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	post := s.ws.Now("ding", s.threads)
	s.ws.Draft("dong", s.threads)
	since := attribute(s.b.get("/posts?status=queued&q=ding").one(t, testid("posts")), "hx-get")
	s.work(post)
	part := s.b.part(http.MethodGet, since).is(t, http.StatusOK)
	part.one(t, testid("empty"))
}

// "Publishing 2 posts…" stood above two posts that were live.
func TestAPageOpenedLateSaysWhatBecameOfSentPosts(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	for published, says := range map[bool]string{false: "Publishing 2 posts…", true: "2 posts are live."} {
		s.b.post("/posts", "account", s.threads.ID, "account", s.page.ID, "text", "ding", "when", "now").leads(t, "/posts")
		if s.Clock.Advance(10 * time.Second); published {
			for _, post := range s.all() {
				s.work(post)
			}
		}
		if got := textOf(s.b.get("/posts").one(t, testid("flash")+" p")); got != says {
			t.Errorf("published: %t, says %s", published, got)
		}
	}
}

func TestTheMessageAboutASentPostSaysWhenItIsLive(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	post := s.ws.Draft("ding", s.threads)
	s.act(post, "send-now")
	flash := s.show(post).one(t, testid("flash"))
	if got := attribute(flash, "data-live"); got != post.ID {
		t.Errorf("the message is updated when %q changes", got)
	}
	update := attribute(flash, "hx-get")
	s.b.part(http.MethodGet, update).is(t, http.StatusNoContent)
	s.Clock.Advance(10 * time.Second)
	s.work(post)
	s.b.part(http.MethodGet, update).is(t, http.StatusOK).says(t, "1 post is live.")
}

func TestTheMessageAboutASentPostDoesNotSayFailedBeforeItsRetry(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	post := s.ws.Draft("ding", s.threads)
	s.act(post, "send-now")
	update := attribute(s.show(post).one(t, testid("flash")), "hx-get")
	s.Clock.Advance(10 * time.Second)
	s.Fault(sim.Fault{Network: "threads", Call: "create", Kind: sim.ServerError})
	s.work(post)
	s.show(post).one(t, testid("next-try"))
	s.b.part(http.MethodGet, update).is(t, http.StatusNoContent)
}

func TestRetryingAPostWhoseTimeIsStillToComeSaysWhenItGoesOut(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	s.Fault(sim.Fault{Network: "threads", Call: "create", Kind: sim.Reject, Code: 100, Status: 400, Message: "No"})
	post := s.ws.Now("ding", s.threads)
	s.work(post)
	_, err := s.Pool.Exec(t.Context(), `UPDATE posts SET publish_at = publish_at + interval '2 days'`)
	must(t, err)
	s.act(post, "retry")
	s.show(post).says(t, "Post scheduled for ")
}

// "Moved to …" stayed with its Undo, which was refused, after the post had gone live.
func TestTheMessageAboutMovedQueuedPostsSaysWhatBecameOfThem(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	at := s.Clock.Now().Add(25 * time.Hour)
	moved, others := s.ws.Queued("one", s.threads, at), []contract.Post{
		s.ws.Queued("two", s.threads, at), s.ws.Queued("three", s.page, at),
	}
	s.act(moved, "reschedule", "at", "2026-10-05T12:00", "tz", "Europe/Berlin")
	single := s.show(moved).one(t, testid("flash"))
	several := s.bulk(others, "act", "reschedule", "move", "day", "day", "2026-10-05").one(t, testid("flash"))
	for _, update := range []string{attribute(single, "hx-get"), attribute(several, "hx-get")} {
		s.b.part(http.MethodGet, update).is(t, http.StatusNoContent)
	}
	s.Clock.Advance(2 * time.Hour)
	for _, p := range []contract.Post{moved, others[0], others[1]} {
		if p = s.ws.Work(p); p.Status != "live" {
			t.Fatalf("%q is %s: %+v", p.Text, p.StatusLine, p.Error)
		}
	}
	s.b.part(http.MethodGet, attribute(several, "hx-get")).is(t, http.StatusOK).says(t, "2 posts are live.")
	update := attribute(single, "hx-get")
	s.b.part(http.MethodGet, update).one(t, testid("flash-next")+`[href="/posts/`+moved.ID+`"]`)
	own := s.b.send(http.MethodGet, update, "", "HX-Request", "true", "Referer", apptest.PublicURL+"/posts/"+moved.ID)
	if text := textOf(own.one(t, testid("flash"))); text != "1 post is live." {
		t.Errorf("on the post's own page, it says %q", text)
	}
}

func TestTheMessageAboutMovedDraftsIsNotUpdated(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	draft, other := s.ws.Draft("one", s.threads), s.ws.Draft("two", s.threads)
	for _, p := range []contract.Post{draft, other} {
		s.act(p, "reschedule", "at", "2026-10-06T09:00", "tz", "Europe/Berlin")
		if flash := s.show(p).one(t, testid("flash")); attribute(flash, "data-live") != "" {
			t.Error("the message about a draft disappears when the draft changes")
		}
	}
	flash := s.bulkDrafts([]contract.Post{draft, other}, "act", "reschedule", "move", "day", "day", "2026-10-07").
		one(t, testid("flash"))
	if attribute(flash, "data-live") != "" {
		t.Error("the message about drafts disappears when a draft changes")
	}
}

// "Publishing has started." stood above posts that had long been live.
func TestTheMessageAboutSentPostsBecomesWhatIsTrue(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	s.b.post("/posts", "account", s.threads.ID, "account", s.page.ID, "text", "ding", "when", "now").leads(t, "/posts")
	flash := s.b.get("/posts").one(t, testid("flash"))
	update := attribute(flash, "hx-get")
	s.b.part(http.MethodGet, update).is(t, http.StatusNoContent)
	s.Clock.Advance(10 * time.Second)
	s.Fault(sim.Fault{Network: "facebook", Kind: sim.Reject, Code: 100, Status: 400, Message: "No"})
	for _, post := range s.all() {
		if live := attribute(flash, "data-live"); !strings.Contains(live, post.ID) {
			t.Errorf("the message about %s is updated when %s change", post.ID, live)
		}
		s.b.part(http.MethodGet, update).is(t, http.StatusNoContent)
		s.work(post)
	}
	part := s.b.part(http.MethodGet, update).is(t, http.StatusOK)
	part.says(t, "1 post is live. 1 post failed.")
	part.one(t, testid("flash-next")+`[href="/posts?status=failed"]`)
	update = attribute(part.one(t, testid("flash")), "hx-get") // a retry can still change what is true
	for _, post := range s.all() {
		if post.Status == "failed" {
			s.act(post, "retry")
			s.work(post)
		}
	}
	s.b.part(http.MethodGet, update).is(t, http.StatusOK).says(t, "2 posts are live.")
	if stranger := s.as(s.Workspace("two")).part(http.MethodGet, update); stranger.Header.Get("HX-Reswap") != "delete" {
		t.Errorf("another workspace sees %s", stranger.text())
	}
}

func TestAPostThatMayBeLiveIsNotSaidToHaveFailed(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	s.Fault(sim.Fault{Network: "facebook", Call: "publish", Kind: sim.DropBeforeAccept})
	s.b.post("/posts", "account", s.page.ID, "text", "lost", "when", "now").is(t, http.StatusSeeOther)
	post := s.all()[0]
	update := attribute(s.show(post).one(t, testid("flash")), "hx-get")
	for range 2 {
		s.Clock.Advance(5 * time.Minute)
		s.work(post)
	}
	s.b.part(http.MethodGet, update).is(t, http.StatusOK).says(t, "1 post may not have been published.")
	page := s.b.get("/accounts")
	for _, told := range []string{textOf(page.one(t, testid("notice"))), textOf(page.one(t, ".rail "+testid("attention")))} {
		if strings.Contains(told, "failed") {
			t.Errorf("it says %q", told)
		}
	}
}
