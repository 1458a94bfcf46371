package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network/sim"
)

// rows returns the ids of the posts that a page lists.
func (p *page) rows() string {
	var ids []string
	for _, row := range p.all(testid("post-row")) {
		ids = append(ids, attribute(row, "data-post"))
	}
	return strings.Join(ids, " ")
}

func TestUpNextListsQueuedPostsSoonestFirstByDay(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	s.b.get("/posts").is(t, http.StatusOK).says(t, "Nothing is scheduled")
	later := s.ws.Queued("on Wednesday", s.threads, s.Clock.Now().Add(48*time.Hour))
	soon := s.ws.Queued("today", s.page, s.Clock.Now().Add(time.Hour))
	s.ws.Draft("a sketch", s.threads)
	page := s.b.get("/posts").is(t, http.StatusOK)
	if got, want := page.rows(), soon.ID+" "+later.ID; got != want {
		t.Errorf("the rows are %s, want %s", got, want)
	}
	days := page.all(testid("day"))
	if len(days) != 2 || textOf(days[0]) != "Today Monday 5 October" || textOf(days[1]) != "Wednesday 7 October" {
		t.Errorf("the days are %s", page.text())
	}
	page.says(t, "Up next 2", "Drafts 1", "Live 0", "All 3")
}

func TestAnEmptyUpNextSaysWhatWentLiveToday(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	s.ws.Work(s.ws.Now("ding", s.threads))
	s.Clock.Advance(time.Minute)
	s.ws.Work(s.ws.Now("dong", s.threads))
	page := s.b.get("/posts").is(t, http.StatusOK)
	page.says(t, "Nothing is scheduled", "2 posts went live today.")
	if n := len(s.b.get(attribute(page.one(t, testid("to-live")), "href")).all(testid("post-row"))); n != 2 {
		t.Errorf("it leads to %d posts", n)
	}
	viewer := s.seat(s.ws.Member(core.RoleViewer)).get("/posts").is(t, http.StatusOK)
	viewer.says(t, "2 posts went live today.")
	if len(viewer.all(testid("to-compose"))) != 0 {
		t.Error("a viewer is sent to the composer")
	}
	s.Clock.Advance(24 * time.Hour)
	if tomorrow := s.b.get("/posts"); len(tomorrow.all(testid("to-live"))) != 0 {
		t.Errorf("a day later, it says %s", tomorrow.text())
	}
}

func TestTheSearchSaysWhatItSearches(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	for query, want := range map[string]string{
		"": "Search upcoming posts", "status=draft": "Search drafts", "status=live": "Search live posts",
		"status=failed": "Search failed posts", "status=all": "Search all posts",
	} {
		page := s.b.get("/posts?"+query).is(t, http.StatusOK)
		if got := attribute(page.one(t, "#q"), "placeholder"); got != want || textOf(page.one(t, "label[for=q]")) != want {
			t.Errorf("%q offers %q, want %q", query, got, want)
		}
	}
	if page := s.b.get("/posts?q=zyzzyva"); len(page.all(testid("elsewhere"))) != 0 {
		t.Error("nothing is found elsewhere")
	}
	s.b.get("/posts?q=zyzzyva").says(t, "No posts in Up next match “zyzzyva”.", "Clear the search")
	s.b.get("/posts?q=zyzzyva&network=threads").says(t, "No posts in Up next match “zyzzyva” and the filter.", "Clear all")
	s.b.get("/posts?status=all&network=tiktok").says(t, "No posts match the filter.", "Clear the filter")
}

func TestASearchSaysWhatOtherTabsHave(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	s.ws.Work(s.ws.Now("cinnamon buns", s.threads))
	s.ws.Draft("cinnamon rolls", s.threads)
	s.ws.Draft("cinnamon tea", s.page)
	s.ws.Draft("rye bread", s.page)
	page := s.b.get("/posts?q=cinnamon")
	page.says(t, "No posts in Up next match “cinnamon”.", "Matches in other tabs: 2 in Drafts · 1 in Live")
	if to := attribute(page.all(testid("elsewhere") + " a")[1], "href"); to != "/posts?q=cinnamon&status=live" {
		t.Errorf("it leads to %q", to)
	}
	s.ws.Queued("more cinnamon", s.threads, s.Clock.Now().Add(time.Hour))
	s.b.get("/posts?q=cinnamon&status=draft").says(t, "Matches in other tabs: 1 in Up next · 1 in Live")
	s.b.get("/posts?q=cinnamon&status=draft&network=facebook").says(t, "cinnamon tea")
	for _, none := range []string{"q=cinnamon&status=all", "status=draft", "q=cinnamon&status=draft&network=facebook"} {
		if len(s.b.get("/posts?"+none).all(testid("elsewhere"))) != 0 {
			t.Errorf("%s says what other tabs have", none)
		}
	}
	for range 101 {
		s.ws.Draft("saffron", s.threads)
	}
	s.b.get("/posts?q=saffron").says(t, "Newest matches in other tabs: 100+ in Drafts")
}

func TestTheListOfPosts(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	first := s.ws.Draft("ding", s.threads)
	s.Clock.Advance(time.Second)
	second := s.ws.Queued("dong", s.page, s.Clock.Now().Add(time.Hour))
	group := s.ws.Group("bells", s.threads)
	for query, want := range map[string]string{
		"status=all": second.ID + " " + first.ID, "status=draft": first.ID, "status=queued": second.ID, "q=DONG": second.ID,
		"status=all&accountId=" + s.threads.ID: first.ID, "status=all&groupId=" + group.ID: first.ID,
		"status=all&network=facebook": second.ID, "from=2026-10-05&to=2026-10-05": second.ID, "from=2026-10-06": "",
	} {
		if got := s.b.get("/posts?"+query).is(t, http.StatusOK).rows(); got != want {
			t.Errorf("%s finds %q, want %q", query, got, want)
		}
	}
	part := s.b.part(http.MethodGet, "/posts?q=dong").is(t, http.StatusOK)
	if part.one(t, testid("posts")); len(part.all("nav[aria-label=Main]")) != 0 {
		t.Error("the part is a page")
	}
	boosted := s.b.get("/posts?q=ding", "HX-Request", "true")
	if boosted.Header.Get("Vary") == "" {
		t.Error("a cache would take a part for a page")
	}
	s.b.send(http.MethodGet, "/posts", "", "HX-Request", "true", "HX-Boosted", "true").one(t, "nav[aria-label=Main]")
	s.b.get("/posts?q=nothing").one(t, testid("empty"))
	for _, wrong := range []string{"status=lost", "cursor=x", "q=%00", "from=soon", "groupId=grp_x", "network=%00", "network=%ff"} {
		if got := s.b.get("/posts?" + wrong).StatusCode; got != http.StatusBadRequest && got != http.StatusNotFound {
			t.Errorf("%s answers %d", wrong, got)
		}
	}
}

func TestTimesInTheListCarryTheExactTime(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	at := s.Clock.Now().Add(time.Hour)
	s.ws.Queued("hello", s.threads, at)
	shown := s.b.get("/posts").one(t, testid("post-row")+" time")
	if got, want := attribute(shown, "datetime"), at.UTC().Format(time.RFC3339); got != want {
		t.Errorf("the time is %q, want %q", got, want)
	}
	if got, want := attribute(shown, "title"), at.UTC().Format("2006-01-02 15:04:05 UTC"); !strings.Contains(got, want) {
		t.Errorf("the title is %q, want %q in it", got, want)
	}
}

func TestTheListGoesOnWhereItEnded(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	for range 51 {
		s.ws.Draft("ding", s.threads)
	}
	page := s.b.get("/posts?status=draft&q=ding")
	if n := len(page.all(testid("post-row"))); n != 50 {
		t.Fatalf("%d rows", n)
	}
	page = s.b.get(attribute(page.one(t, testid("next-page")), "href")).is(t, http.StatusOK)
	if n := len(page.all(testid("post-row"))); n != 1 || len(page.all(testid("next-page"))) != 0 {
		t.Errorf("%d rows on the second page", n)
	}
	if !strings.HasSuffix(attribute(page.one(t, testid("first-page")), "href"), "/posts?q=ding&status=draft") {
		t.Error("no way back to the first page")
	}
}

// bulk sends the form of Up next for some of its posts, as a browser without a script does.
func (s *studio) bulk(posts []contract.Post, pairs ...string) *page {
	s.t.Helper()
	page := s.b.get("/posts").is(s.t, http.StatusOK)
	form := page.form(s.t, testid("bulk"))
	for _, p := range posts {
		box := page.one(s.t, `input[name=post][form=bulk][value^="`+p.ID+`"]`)
		form.Add("post", attribute(box, "value"))
	}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	answer := s.b.send(http.MethodPost, attribute(page.one(s.t, testid("bulk")), "action"), form.Encode())
	return s.b.get(answer.is(s.t, http.StatusSeeOther).Header.Get("Location")).is(s.t, http.StatusOK)
}

func TestPostsAreMovedTogetherAndThoseRefusedStaySelected(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	now := s.Clock.Now()
	today, tomorrow := s.ws.Queued("today", s.threads, now.Add(time.Hour)), s.ws.Queued("tomorrow", s.page, now.Add(24*time.Hour))
	page := s.bulk([]contract.Post{today, tomorrow}, "act", "reschedule", "move", "earlier", "shift", "1")
	page.says(t, "1 post moved to Mon 5 Oct 2026, 11:00 CEST (Europe/Berlin); 1 could not be moved:",
		"“today” on Threads: The time is in the past. Choose a later time, or publish now.")
	page.one(t, `input[name=post][value^="`+today.ID+`"][checked]`)
	if len(page.all("input[name=post][checked]")) != 1 {
		t.Error("a post that was moved is still selected")
	}
	if at := s.ws.Post(tomorrow).PublishAt; !at.Equal(now) {
		t.Errorf("it is moved to %s", at)
	}

	undone := s.submit(page, ".flash form")
	undone.is(t, http.StatusSeeOther)
	s.b.get("/posts").says(t, "Undone.")
	if at := s.ws.Post(tomorrow).PublishAt; !at.Equal(tomorrow.PublishAt.Time) {
		t.Errorf("it is moved back to %s", at)
	}

	page = s.bulk([]contract.Post{today, tomorrow}, "act", "reschedule", "move", "day", "day", "2026-10-09")
	page.says(t, "2 posts moved to Fri 9 Oct 2026.")
	page.one(t, testid("flash-next")+`[href="/calendar?date=2026-10-09"]`)
	if at := s.ws.Post(today).PublishAt; at.Format("2 15:04") != "9 "+now.Add(time.Hour).UTC().Format("15:04") {
		t.Errorf("it is moved to %s", at)
	}
	for wrong, pairs := range map[string][]string{
		"With these values, the posts would not move.": {"act", "reschedule", "shift", "0"},
		"is not a date":                      {"act", "reschedule", "move", "day", "day", "soon"},
		"Enter a date.":                      {"act", "reschedule", "move", "day", "day", ""},
		"is not a valid number":              {"act", "reschedule", "shift", "many"},
		"Select Later, Earlier or To a day.": {"act", "reschedule", "move", "sideways"},
		"cannot be applied to several posts": {"act", "settle"},
	} {
		page := s.bulk([]contract.Post{today}, pairs...)
		page.says(t, wrong)
		page.one(t, `input[name=post][value^="`+today.ID+`"][checked]`)
	}
	s.bulk(nil, "act", "cancel").says(t, "Select a post.")
}

func TestPostsThatCannotBeMovedKeepWhatWasEntered(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	post := s.ws.Queued("today", s.threads, s.Clock.Now().Add(time.Hour))
	for wrong, entered := range map[string][]string{
		"The time is in the past.":             {"earlier", "3", "hours", "2026-10-09"},
		"Posts can be moved by at most":        {"later", "9000", "days", "2026-10-09"},
		"is not a valid number":                {"later", "many", "hours", "2026-10-09"},
		"is more than 366 days ahead":          {"day", "2", "hours", "2029-10-09"},
		"“today” on Threads: The time is in t": {"day", "1", "days", "2026-10-01"},
	} {
		page := s.bulk([]contract.Post{post}, "act", "reschedule",
			"move", entered[0], "shift", entered[1], "unit", entered[2], "day", entered[3])
		page.says(t, wrong)
		page.one(t, `input[name=post][value^="`+post.ID+`"][checked]`)
		page.one(t, ".post-move[open] [name=move][value="+entered[0]+"][checked]")
		if hours := len(page.all("#bulk-unit option[value=hours][selected]")) == 1; hours != (entered[2] == "hours") ||
			page.value(t, "shift") != entered[1] || page.value(t, "day") != entered[3] {
			t.Errorf("%s: the form has %q, hours: %t, and %q", wrong, page.value(t, "shift"), hours, page.value(t, "day"))
		}
		if len(s.b.get("/posts").all(".post-move[open]")) != 0 {
			t.Errorf("%s: the form is kept for ever", wrong)
		}
	}
}

func TestAnErrorMidwayShowsWhatIsDone(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	at := s.Clock.Now().Add(time.Hour)
	one, two := s.ws.Queued("one", s.threads, at), s.ws.Queued("two", s.page, at)
	alter := func(change string) {
		_, err := s.Pool.Exec(t.Context(), "ALTER TABLE posts "+change)
		must(t, err)
	}
	const broken = "ADD CONSTRAINT broken CHECK (text <> 'two') NOT VALID"
	alter(broken)
	page := s.bulk([]contract.Post{one, two}, "act", "reschedule", "shift", "1")
	page.says(t, "1 post moved to Tue 6 Oct 2026, ",
		"Belfry ran into an error and did not process the remaining posts. Select those posts and try again.")
	s.submit(page, ".flash form").is(t, http.StatusSeeOther)
	if got := s.ws.Post(one).PublishAt; !got.Equal(at) {
		t.Errorf("undone, it goes out at %s", got)
	}
	alter("DROP CONSTRAINT broken")
	page = s.bulk([]contract.Post{one, two}, "act", "reschedule", "shift", "1")
	alter(broken)
	s.submit(page, ".flash form").is(t, http.StatusSeeOther)
	s.b.get("/posts").says(t, "1 post restored.",
		"did not process the remaining posts. Open those posts and change them back yourself.")
}

// The message linked to the day to which a post was not moved back.
func TestAnUndoThatIsRefusedDoesNotLinkToTheCalendar(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	at := s.Clock.Now().Add(time.Hour)
	one, two := s.ws.Queued("one", s.threads, at), s.ws.Queued("two", s.page, at)
	undo := s.bulk([]contract.Post{one, two}, "act", "reschedule", "shift", "1").form(t, ".flash form")
	text := "changed by a colleague"
	for _, p := range []contract.Post{one, two} {
		_, err := s.App.EditPost(t.Context(), s.ws.Owner, contract.EditPost{ID: p.ID, Text: &text, InPlace: true})
		must(t, err)
	}
	const day = "/calendar?date=2026-10-06"
	s.b.send(http.MethodPost, "/posts/undo", undo.Encode(), "Referer", "http://localhost:8080/w/one"+day).leads(t, day)
	page := s.b.get(day)
	page.says(t, "2 posts could not be restored:")
	if len(page.all(testid("flash-next"))) != 0 {
		t.Error("the message links to a day")
	}
}

func TestDeletingSeveralPostsAsksOnce(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	one, two := s.ws.Draft("one", s.threads), s.ws.Draft("two", s.threads)
	list := "/posts?status=draft"
	button := s.b.get(list).one(t, testid("bulk-delete"))
	if attribute(button, "formmethod") != "get" {
		t.Error("the button deletes without asking")
	}
	asked := s.b.get(attribute(button, "formaction") + "?" + pairsOf("post", one.ID, "post", two.ID, "back", list).Encode())
	asked.is(t, http.StatusOK).says(t, "Delete 2 posts?", "Keep 2 posts")
	done := s.submit(asked, testid("confirm-form")).is(t, http.StatusSeeOther)
	if to := done.Header.Get("Location"); !strings.HasSuffix(to, list) {
		t.Errorf("it leads to %s", to)
	}
	s.b.get(list).says(t, "2 posts deleted.", "No drafts")
}

func TestBackToDraftsAndSendNowOfOnePostAreUndone(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	post := s.ws.Queued("hello", s.threads, s.Clock.Now().Add(time.Hour))
	for act, says := range map[string]string{"cancel": "Moved to drafts.", "send-now": "Publishing begins in 10 seconds."} {
		s.act(post, act)
		page := s.show(post)
		page.says(t, says)
		s.submit(page, ".flash form").is(t, http.StatusSeeOther)
		if got := s.ws.Post(post); got.Status != "queued" || !got.PublishAt.Equal(post.PublishAt.Time) {
			t.Errorf("after %s and Undo, it is %s", act, got.StatusLine)
		}
	}
	s.b.post("/posts/undo", "before", "nonsense").is(t, http.StatusBadRequest)
	s.b.post("/posts/undo", "before", "nonsense draft any UTC").is(t, http.StatusSeeOther)
	s.b.get("/posts").says(t, "1 post could not be restored:", "The post was deleted in the meantime.")
	s.b.get("/posts/undo").is(t, http.StatusSeeOther)
	s.b.get("/posts/bulk").is(t, http.StatusSeeOther)
}

// Pressing a button twice moved posts by two days, made two copies of each, and told of an action that was done that it
// could not be done.
func TestAFormForSeveralPostsThatIsSentTwiceActsOnce(t *testing.T) {
	t.Parallel()
	for act, says := range map[string]string{
		"reschedule": "2 posts moved to Tue 6 Oct 2026, 12:00 CEST (Europe/Berlin).",
		"duplicate":  "2 posts duplicated. The copies are selected.", "cancel": "2 posts moved to drafts.",
	} {
		to := "/posts"
		if act == "duplicate" {
			to = "/posts?status=draft"
		}
		s := newStudio(t)
		at := s.Clock.Now().Add(time.Hour)
		one, two := s.ws.Queued("one", s.threads, at), s.ws.Queued("two", s.page, at)
		form := s.b.get("/posts").form(t, testid("bulk"))
		form["post"], form["act"] = []string{one.ID, two.ID}, []string{act}
		for range 2 {
			s.b.send(http.MethodPost, "/posts/bulk", form.Encode()).leads(t, to)
		}
		after := s.b.get("/posts?status=all")
		after.says(t, says)
		if n := len(after.all(testid("post-row"))); act != "duplicate" && n != 2 || act == "duplicate" && n != 4 {
			t.Errorf("%s twice: %d posts", act, n)
		}
		if act == "duplicate" {
			if n := len(after.all("input[name=post][checked]")); n != 2 {
				t.Errorf("%d copies are selected", n)
			}
			continue
		}
		undo := after.form(t, ".flash form").Encode()
		s.b.send(http.MethodPost, "/posts/undo", undo).is(t, http.StatusSeeOther)
		s.b.send(http.MethodPost, "/posts/undo", undo).is(t, http.StatusSeeOther)
		s.b.get("/posts").says(t, "Undone.")
		if got := s.ws.Post(one); got.Status != "queued" || !got.PublishAt.Equal(at) {
			t.Errorf("%s twice and undone twice: %s", act, got.StatusLine)
		}
	}
}

func TestTheCopyOfOnePostOpensWithItsTimeAtHand(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	post := s.ws.Queued("hello", s.threads, s.Clock.Now().Add(time.Hour))
	page := s.bulk([]contract.Post{post}, "act", "duplicate")
	page.says(t, "This is a copy. The original post is unchanged.")
	page.one(t, "#compose [name=when][value=at][checked]")
	if page.one(t, "#compose #at"); page.value(t, "text") != "hello" {
		t.Errorf("the composer has the text %q", page.value(t, "text"))
	}
}

// bulkDrafts is bulk for the list of drafts.
func (s *studio) bulkDrafts(drafts []contract.Post, pairs ...string) *page {
	s.t.Helper()
	form := s.b.get("/posts?status=draft").form(s.t, testid("bulk"))
	for _, p := range drafts {
		form.Add("post", p.ID)
	}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	s.b.send(http.MethodPost, "/posts/bulk", form.Encode()).leads(s.t, "/posts?status=draft")
	return s.b.get("/posts?status=draft")
}

// The message about failed posts that are queued again led nowhere.
func TestFailedPostsThatAreQueuedAgainAreFound(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	var failed []contract.Post
	for _, text := range []string{"one", "two", "three"} {
		s.Fault(sim.Fault{Network: "threads", Call: "publish", Kind: sim.Reject, Code: 100, Status: 400, Message: "No"})
		post := s.ws.Now(text, s.threads)
		s.work(post)
		failed = append(failed, post)
	}
	retry := func(says, leads string, posts ...contract.Post) {
		t.Helper()
		pairs := []string{"act", "retry", "back", "/posts?status=failed"}
		for _, p := range posts {
			pairs = append(pairs, "post", p.ID)
		}
		page := s.b.follow(s.b.post("/posts/bulk", pairs...))
		page.says(t, says)
		page.one(t, testid("flash-next")+`[href="`+leads+`"]`)
		// "1 post queued again." stayed beside a live post.
		update := attribute(page.one(t, testid("flash")), "hx-get")
		s.b.part(http.MethodGet, update).is(t, http.StatusNoContent)
		for _, p := range posts {
			s.work(p)
		}
		s.b.part(http.MethodGet, update).is(t, http.StatusOK).says(t, "live.")
	}
	retry("1 post queued again.", "/posts/"+failed[0].ID, failed[0])
	retry("2 posts queued again.", "/posts", failed[1:]...)
}

func TestDraftsAreScheduledTogether(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	one, two := s.ws.Draft("one", s.threads), s.ws.Draft("two", s.page)
	drafts := []contract.Post{one, two}
	if at := s.b.get("/posts?status=draft").value(t, "at"); at != "2026-10-05T13:00" {
		t.Errorf("it proposes %q", at)
	}
	for pairs, want := range map[string]string{
		"":                   "2 posts scheduled for Mon 12 Oct 2026, 09:00 CEST (Europe/Berlin).",
		"apart 2 days":       "2 posts scheduled for Mon 12 Oct 2026 – Wed 14 Oct 2026.",
		"apart 3 hours":      "2 posts scheduled for Mon 12 Oct 2026.",
		"apart 0 hours":      "2 posts scheduled for Mon 12 Oct 2026, 09:00 CEST (Europe/Berlin).",
		"none nonsense days": "2 posts scheduled for Mon 12 Oct 2026, 09:00 CEST (Europe/Berlin).",
	} {
		entered := []string{"act", "queue", "at", "2026-10-12T09:00"}
		if words := strings.Fields(pairs); len(words) > 0 {
			entered = append(entered, "spread", words[0], "every", words[1], "everyUnit", words[2])
		}
		page := s.bulkDrafts(drafts, entered...)
		page.says(t, want, "No drafts")
		page.one(t, testid("flash-next")+`[href="/posts"]`)
		s.submit(page, ".flash form").is(t, http.StatusSeeOther)
		if got := s.ws.Post(two); got.Status != "draft" || got.PublishAt != nil {
			t.Errorf("%q undone: %s", pairs, got.StatusLine)
		}
	}
}

func TestDraftsThatCannotBeScheduledKeepWhatWasEntered(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	good, empty := s.ws.Draft("good", s.threads), s.ws.Draft("empty", s.threads)
	must(t, editText(s, empty, ""))
	for wrong, pairs := range map[string][]string{
		"“No text” on Threads: ":              {"at", "2026-10-12T09:00"},
		"“good” on Threads: The time is in t": {"at", "2026-10-01T09:00"},
		"Enter a date and time.":              {"at", ""},
		"is not a local date and time":        {"at", "soon"},
		"is not a valid number":               {"at", "2026-10-12T09:00", "every", "many"},
		"must be 0 to 366 days":               {"at", "2026-10-12T09:00", "every", "9000"},
	} {
		pairs = append([]string{"act", "queue", "spread", "apart", "every", "2", "everyUnit", "hours"}, pairs...)
		page := s.bulkDrafts([]contract.Post{good, empty}, pairs...)
		page.says(t, wrong, "Drafts 2", "Up next 0")
		if n := len(page.all("input[name=post][checked]")); n != 2 {
			t.Errorf("%s: %d drafts are still selected", wrong, n)
		}
		want := url.Values{}
		for i := 0; i < len(pairs); i += 2 {
			want.Set(pairs[i], pairs[i+1])
		}
		page.one(t, ".post-move[open] #bulk-at")
		page.one(t, ".post-move [name=spread][value=apart][checked]")
		page.one(t, "#bulk-every-unit option[value=hours][selected]")
		if page.value(t, "at") != want.Get("at") || page.value(t, "every") != want.Get("every") {
			t.Errorf("%s: the form has %q and %q", wrong, page.value(t, "at"), page.value(t, "every"))
		}
		if len(s.b.get("/posts?status=draft").all(".post-move[open]")) != 0 {
			t.Errorf("%s: the form is kept for ever", wrong)
		}
	}
	s.bulkDrafts([]contract.Post{good}, "act", "reschedule").says(t, "“good” on Threads: The draft has no time yet. To give it a time, "+
		"select it in Drafts and choose Schedule.")
}

func TestDeletingSeveralPostsTwiceSaysWhatWasDeleted(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	one := s.ws.Draft("one", s.threads)
	asked := s.b.get("/posts/bulk/delete?" + pairsOf("post", one.ID, "back", "/posts?status=draft").Encode())
	for range 2 {
		s.submit(asked, testid("confirm-form")).is(t, http.StatusSeeOther)
	}
	s.b.get("/posts?status=draft").says(t, "1 post deleted.")
}

// Another choice on the same page is another action.
func TestTwoActionsFromOnePageBothAct(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	at := s.Clock.Now().Add(time.Hour)
	one, two := s.ws.Queued("one", s.threads, at), s.ws.Queued("two", s.page, at)
	form := s.b.get("/posts").form(t, testid("bulk"))
	for _, post := range []contract.Post{one, two} {
		form["post"], form["act"] = []string{post.ID}, []string{"reschedule"}
		s.b.send(http.MethodPost, "/posts/bulk", form.Encode()).is(t, http.StatusSeeOther)
		if got := s.ws.Post(post).PublishAt; !got.Equal(at.AddDate(0, 0, 1)) {
			t.Errorf("it goes out at %s", got)
		}
	}
}

func TestTooManyPostsAreRefusedInASentence(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	post := s.ws.Queued("one", s.threads, s.Clock.Now().Add(time.Hour))
	many := pairsOf("post", post.ID)
	for range 100 {
		many.Add("post", post.ID)
	}
	says := "Too many posts are selected. Select at most 100 posts at once."
	s.b.send(http.MethodPost, "/posts/bulk", "act=cancel&"+many.Encode()).is(t, http.StatusSeeOther)
	list := s.b.get("/posts")
	list.says(t, says)
	list.one(t, `input[name=post][value^="`+post.ID+`"][checked]`)
	s.b.get("/posts/bulk/delete?"+many.Encode()).leads(t, "/posts")
	s.b.get("/posts").says(t, says)
	s.b.get("/posts/bulk/delete").leads(t, "/posts")
	s.b.get("/posts").says(t, "Select a post.")

	fields := strings.Repeat("post=x&", 10_001)
	for _, refused := range []*page{
		s.b.send(http.MethodPost, "/posts/bulk", fields), s.b.get("/posts/bulk/delete?" + fields),
	} {
		refused.is(t, http.StatusBadRequest).says(t, "The form could not be read.", "too many fields")
	}
}

func TestUndoAtATimeThatNoPostCanHaveIsRefused(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	post := s.ws.Queued("one", s.threads, s.Clock.Now().Add(time.Hour))
	s.act(post, "cancel")
	before := strings.Fields(s.show(post).form(t, ".flash form").Get("before"))
	for _, status := range []string{"queued", "draft"} {
		for _, micros := range []string{
			"9223372036854775807", "-9223372036854775808", "-62135596800000000", "0", "253402300800000000", "1",
			"99999999999999999999",
		} {
			text := strings.Join([]string{before[0], status, before[2], before[3], micros}, " ")
			got := s.b.post("/posts/undo", "before", text)
			if got.StatusCode != http.StatusBadRequest && got.StatusCode != http.StatusSeeOther {
				t.Errorf("%s: status %d", text, got.StatusCode)
			}
		}
		s.b.post("/posts/undo", "before", strings.Join([]string{before[0], "queued", before[2], before[3]}, " ")).
			is(t, http.StatusBadRequest)
	}
	if got := s.ws.Post(post); got.Status != "draft" {
		t.Errorf("it is %s", got.StatusLine)
	}
}

func TestAFailedRowLeadsToWhatFixesThePost(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	s.Fault(sim.Fault{Network: "threads", Call: "publish", Kind: sim.Reject, Code: 100, Status: 400, Message: "No"})
	post := s.ws.Now("Rye bread is back.", s.threads)
	s.work(post)
	fix := s.b.get("/posts?status=failed").one(t, testid("row-fix"))
	if textOf(fix) != "Fix Rye bread is back." {
		t.Errorf("it says %q", textOf(fix))
	}
	s.b.get(attribute(fix, "href")).is(t, http.StatusOK).one(t, testid("post-error"))
	viewer := s.seat(s.ws.Member(core.RoleViewer))
	if n := len(viewer.get("/posts?status=failed").is(t, http.StatusOK).all(testid("row-fix"))); n != 0 {
		t.Error("a viewer is offered to fix it")
	}
}

// The row lost its link when Retry was no longer offered for accounts that must be reconnected.
func TestAFailedRowOfARevokedAccountLeadsToItsPost(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	s.Fault(sim.Fault{Network: "threads", Kind: sim.TokenRevoked})
	s.work(s.ws.Now("Rye bread is back.", s.threads))
	fix := s.b.get("/posts?status=failed").one(t, testid("row-fix"))
	s.b.get(attribute(fix, "href")).is(t, http.StatusOK).one(t, testid("post-error"))
}

func TestALiveRowOpensThePublishedPost(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	post := s.ws.Now("Rye bread is back.", s.threads)
	s.work(post)
	if n := len(s.b.get("/posts?status=live").all(testid("row-open"))); n != 0 {
		t.Error("a post without a link can be opened")
	}
	id, err := core.ParseID[core.PostKind](post.ID)
	must(t, err)
	must(t, s.App.Engine().FetchAndStoreLinkIfMissing(t.Context(), s.ws.ID, id))
	live := s.ws.Post(post)
	open := s.b.get("/posts?status=live").one(t, testid("row-open")+"[target=_blank][rel~=noopener]")
	if href := attribute(open, "href"); live.ExternalURL == nil || href != *live.ExternalURL {
		t.Errorf("it leads to %s", href)
	}
	if textOf(open) != "Open Rye bread is back. on Threads" {
		t.Errorf("it says %q", textOf(open))
	}
	s.seat(s.ws.Member(core.RoleViewer)).get("/posts?status=live").one(t, testid("row-open")+`[href="`+*live.ExternalURL+`"]`)
}

func TestATitleIsShownOnlyOnNetworksThatPublishIt(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	video := s.ws.Sample("video").ID
	made, err := s.App.CreatePosts(t.Context(), s.ws.Owner, contract.CreatePosts{Confirm: true, PlanPosts: contract.PlanPosts{
		Targets: contract.Targets{AccountIDs: []string{s.threads.ID, s.page.ID}}, MediaIDs: []string{video},
		Title: "At dawn", Text: "A quiet minute", When: &contract.When{PublishAt: "2026-10-07T18:00"},
	}})
	must(t, err)
	list, found, file := s.b.get("/posts"), s.b.get("/search?q=quiet"), s.b.get("/media/files/"+video)
	for _, post := range made.Posts {
		link := `main [href="/posts/` + post.ID + `"]`
		for where, text := range map[string]string{
			"post": s.show(post).text(), "list": textOf(list.one(t, "#row-"+post.ID)),
			"search": textOf(found.one(t, link)),
			"file":   textOf(file.one(t, link)), "deletion": s.b.get("/posts/" + post.ID + "/delete").text(),
			"calendar": textOf(s.b.get("/calendar?view=list&network="+post.Platform).one(t, ".entry")),
			"refusal":  textOf(s.b.post("/calendar/move", "post", post.ID, "at", "2020-01-01T10:00").one(t, testid("alert"))),
			"no retry": textOf(s.bulk([]contract.Post{post}, "act", "retry").one(t, ".flash")),
			"no queue": textOf(s.bulk([]contract.Post{post}, "act", "queue", "at", "2026-10-08T18:00").one(t, ".flash")),
		} {
			if strings.Contains(text, "At dawn") != (post.Platform == "facebook") {
				t.Errorf("on %s, %s says %s", post.Platform, where, text)
			}
		}
	}
}

func TestARowLeadsToTheEditorOfWhatCanBeEdited(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	post := s.ws.Queued("Rye bread is back.", s.threads, s.Clock.Now().Add(time.Hour))
	edit := s.b.get("/posts").one(t, testid("row-edit"))
	if textOf(edit) != "Edit Rye bread is back." {
		t.Errorf("it says %q", textOf(edit))
	}
	s.b.get(attribute(edit, "href")).is(t, http.StatusOK).says(t, "Edit Threads post")
	viewer := s.seat(s.ws.Member(core.RoleViewer))
	if n := len(viewer.get("/posts").is(t, http.StatusOK).all(testid("row-edit"))); n != 0 {
		t.Errorf("a viewer is offered to edit %s", post.ID)
	}
}

// "Move" and "Move to drafts" stood side by side, so that posts left the schedule by mistake.
func TestChangingTheTimeAndMovingToDraftsStandApart(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	s.ws.Queued("ding", s.threads, s.Clock.Now().Add(time.Hour))
	bar := s.b.get("/posts").one(t, testid("bulk"))
	words := textOf(bar)
	change, copies, drafts := strings.Index(words, "Change time…"), strings.Index(words, "Duplicate"),
		strings.Index(words, "Move to drafts")
	if change < 0 || change > copies || copies > drafts {
		t.Errorf("the actions are %s", words)
	}
}

// Nothing but the post's page said that a video becomes a Reel. The list left out the kind "post", the composer did not.
func TestTheComposerAndTheListSayWhichKindOfPostAVideoBecomes(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	for _, c := range []struct{ network, file, want string }{
		{"instagram", "video", "Instagram Reel"}, {"facebook", "photo", "Facebook"},
	} {
		account, file := s.ws.Account(c.network), s.ws.Sample(c.file).ID
		plan := s.b.post("/compose/plan", "account", account.ID, "media", file, "text", "ding", "when", "draft")
		for _, place := range []string{".preview-fold summary", ".plan-network"} {
			if got := textOf(plan.one(t, place)); got != c.want {
				t.Errorf("%s says %q; want %q", place, got, c.want)
			}
		}
		made, err := s.App.CreatePosts(t.Context(), s.ws.Owner, contract.CreatePosts{
			Confirm: true, PlanPosts: contract.PlanPosts{
				Targets: contract.Targets{AccountIDs: []string{account.ID}}, MediaIDs: []string{file},
			},
		})
		must(t, err)
		row := s.b.get("/posts?status=all").one(t, "#"+made.Posts[0].ID+" .post-network")
		if got := textOf(row); got != c.want {
			t.Errorf("the row says %q; want %q", got, c.want)
		}
	}
}

func TestAScheduledPostIsDeletedInTwoSteps(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	post := s.ws.Queued("ding", s.threads, s.Clock.Now().Add(time.Hour))
	asked := s.b.get(attribute(s.b.get("/posts/"+post.ID).one(t, testid("delete")), "href"))
	asked.says(t, "Delete this post?", "It is taken off the schedule and will not be published.")
	s.submit(asked, testid("confirm-form")).is(t, http.StatusSeeOther)
	s.b.get("/posts/"+post.ID).is(t, http.StatusNotFound)
}
