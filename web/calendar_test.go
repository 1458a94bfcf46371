package web_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
)

// almanac is a workspace in Berlin on Monday 5 October 2026, 11:00, with one account.
type almanac struct {
	*rig
	ws      *apptest.Workspace
	account contract.Account
	b       *browser
}

func newAlmanac(t *testing.T) *almanac {
	t.Helper()
	r := open(t)
	ws := r.WorkspaceOn(core.PlanOwner, "bakery", "Europe/Berlin")
	return &almanac{r, ws, ws.Account("threads"), r.as(ws)}
}

// at schedules a post for a time on Berlin's clock.
func (a *almanac) at(wall, text string) contract.Post {
	a.t.Helper()
	made, err := a.App.CreatePosts(a.t.Context(), a.ws.Owner, contract.CreatePosts{
		PlanPosts: contract.PlanPosts{
			Targets: contract.Targets{AccountIDs: []string{a.account.ID}}, Text: text,
			When: &contract.When{PublishAt: wall},
		},
		Confirm: true,
	})
	must(a.t, err)
	return made.Posts[0]
}

func (a *almanac) calendar(query string) *page {
	a.t.Helper()
	return a.b.get("/calendar?"+query).is(a.t, http.StatusOK)
}

// entries returns what the posts at a place of the page say.
func (p *page) entries(t *testing.T, place string) string {
	t.Helper()
	var said []string
	for _, n := range p.all(place + " .entry") {
		said = append(said, textOf(n))
	}
	return strings.Join(said, "; ")
}

func TestTheCalendarShowsPostsByDayInTheWorkspacesZone(t *testing.T) {
	t.Parallel()
	a := newAlmanac(t)
	a.at("2026-10-07T18:00", "Rye bread\nis back.")
	a.at("2026-10-07T09:30", "Buns")
	late := a.at("2026-10-31T23:59", "At the very end of October")
	a.ws.Draft("A draft without a time", a.account)

	month := a.calendar("")
	month.says(t, "October 2026")
	if got := month.entries(t, `td[data-day="2026-10-07"]`); got !=
		"09:30 Queued, Threads, bakery Buns; 18:00 Queued, Threads, bakery Rye bread is back." {
		t.Errorf("the 7th shows %s", got)
	}
	if got := month.entries(t, `td[data-day="2026-10-31"]`); !strings.HasPrefix(got, "23:59 ") {
		t.Errorf("the 31st shows %q", got)
	}
	if strings.Contains(month.text(), "A draft without") {
		t.Error("a draft without a time has a place in the calendar")
	}
	if n := len(month.all("td.today")); n != 1 || len(month.all("td")) != 35 {
		t.Errorf("%d of %d days are today", n, len(month.all("td")))
	}

	week := a.calendar("view=week&date=2026-10-09")
	week.says(t, "5–\u206011 October 2026")
	if got := week.entries(t, `[data-day="2026-10-07"] [data-hour="18"]`); !strings.HasPrefix(got, "18:00 ") {
		t.Errorf("18 o'clock of the 7th shows %q", got)
	}
	week.one(t, `[data-day="2026-10-05"] .now[data-hour="11"] .now-line`)

	list := a.calendar("view=list&date=2026-10-05")
	var days []string
	for _, n := range list.all(testid("day-list")) {
		days = append(days, attribute(n, "data-day"))
	}
	if got := strings.Join(days, " "); got != "2026-10-05 2026-10-07 2026-10-31" {
		t.Errorf("listed are %s", got)
	}
	day := a.calendar("view=day&date=2026-10-31")
	day.one(t, "#row-"+late.ID)
	day.says(t, "Saturday 31 October 2026")
	empty := a.calendar("view=day&date=2026-10-30")
	empty.says(t, "No posts are scheduled for Friday 30 October 2026.")
	if to := attribute(empty.one(t, ".empty a"), "href"); !strings.Contains(to, "2026-10-30") {
		t.Errorf("a post for the empty day is composed at %s", to)
	}
}

// The way back to the calendar was gone after "Change time" and after its Undo.
func TestAPostLeadsBackToTheCalendarAfterItsTimeWasChanged(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	post := s.ws.Queued("hello", s.threads, s.Clock.Now().Add(time.Hour))
	day := "/calendar?date=2026-10-09&view=day"
	leadsBack := func(shown *page) {
		t.Helper()
		if back := shown.one(t, testid("back")); attribute(back, "href") != day {
			t.Errorf("the link leads to %q", attribute(back, "href"))
		}
	}
	opened := s.b.get("/posts/"+post.ID, "Referer", "http://localhost:8080/w/one"+day)
	update := s.b.part(http.MethodGet, attribute(opened.one(t, testid("post")), "hx-get")+"x")
	move := func(shown *page, at string) *page {
		form := shown.form(t, testid("reschedule"))
		form.Set("back", "/w/one"+form.Get("back"))
		form.Set("at", at)
		return s.b.send(http.MethodPost, "/posts/"+post.ID+"/reschedule", form.Encode())
	}
	leadsBack(move(update, "2020-10-12T18:00").is(t, http.StatusConflict))
	to := move(opened, "2026-10-12T18:00").is(t, http.StatusSeeOther).Header.Get("Location")
	moved := s.b.get(to)
	leadsBack(moved)
	moved.one(t, testid("flash-next")+`[href="/calendar?date=2026-10-12"]`)

	undo := moved.form(t, ".flash form").Encode()
	to = s.b.send(http.MethodPost, "/posts/undo", undo, "Referer", "http://localhost:8080/w/one"+to).
		is(t, http.StatusSeeOther).Header.Get("Location")
	undone := s.b.get(to)
	undone.says(t, "Undone.")
	leadsBack(undone)
	if found := s.b.get("/posts/" + post.ID + "?back=%2Fposts").all(testid("back")); len(found) != 0 {
		t.Errorf("the post leads to %q", attribute(found[0], "href"))
	}
}

// A post that was opened from the calendar had no way back to its day.
func TestAPostLeadsBackToTheCalendarThatItWasOpenedFrom(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	address := "/posts/" + s.ws.Draft("hello", s.threads).ID
	day := "/calendar?date=2026-10-09&view=day"
	for _, from := range []string{day, "/calendar/posts/" + s.ws.Draft("entry", s.threads).ID + "?network=threads"} {
		post := s.b.get(address, "Referer", "http://localhost:8080/w/one"+from)
		if back := attribute(post.one(t, testid("back")), "href"); back != from {
			t.Errorf("opened from %q, the link leads to %q", from, back)
		}
		post.one(t, testid("nav-calendar")+"[aria-current]")
	}
	for _, referer := range []string{"", "http://localhost:8080/posts", "https://evil.example/calendar"} {
		post := s.b.get(address, "Referer", referer)
		if found := post.all(testid("back")); len(found) != 0 {
			t.Errorf("opened from %q, the post leads to %q", referer, attribute(found[0], "href"))
		}
		post.one(t, testid("nav-posts")+"[aria-current]")
	}
}

func TestAnEmptyMonthSaysWhatToDo(t *testing.T) {
	t.Parallel()
	a := newAlmanac(t)
	note := a.calendar("date=2026-10-07").one(t, testid("empty-note"))
	if got := textOf(note); got != "No posts are scheduled for October 2026.Compose" {
		t.Errorf("an empty month says %q", got)
	}
	note = a.calendar("date=2026-10-07&network=threads").one(t, testid("empty-note"))
	if got := textOf(note); got != "No posts for October 2026 match the filter.Show all posts" {
		t.Errorf("a filtered month says %q", got)
	}
	a.calendar("date=2026-10-07&network=threads").one(t, testid("empty-note")+` [href="/calendar?date=2026-10-07&view=month"]`)
	a.at("2026-10-07T18:00", "Rye bread is back.")
	if len(a.calendar("date=2026-10-07").all(testid("empty-note"))) != 0 {
		t.Error("a month with a post is called empty")
	}
}

func TestAnEmptyMonthWithoutAccountsLeadsToConnecting(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("empty")
	note := r.as(ws).get("/calendar").one(t, testid("empty-note"))
	if got := textOf(note); !strings.HasSuffix(got, " To schedule one, connect an account first.Connect an account") {
		t.Errorf("it says %q", got)
	}
	r.as(ws).get("/calendar").one(t, testid("empty-note")+" "+testid("to-accounts"))
}

func TestTheCalendarIsFilteredLikeTheListOfPosts(t *testing.T) {
	t.Parallel()
	a := newAlmanac(t)
	other := a.ws.Account("threads")
	group := a.ws.Group("Shops", other)
	a.at("2026-10-07T18:00", "Of the bakery")
	first := a.account
	a.account = other
	a.at("2026-10-07T19:00", "Of the shop")
	for query, want := range map[string]int{
		"": 2, "accountId=" + first.ID: 1, "groupId=" + group.ID: 1, "network=threads": 2, "network=facebook": 0,
		"status=queued": 2, "status=live": 0,
	} {
		if got := len(a.calendar(query).all(".entries .entry")); got != want {
			t.Errorf("%q shows %d posts, want %d", query, got, want)
		}
	}
	page := a.calendar("view=week&date=2026-10-07&status=queued&groupId=" + group.ID)
	for _, n := range page.all(".steps a, .view-switch a") {
		if to := attribute(n, "href"); !strings.Contains(to, "status=queued") || !strings.Contains(to, group.ID) {
			t.Errorf("%s forgets the filter: %s", textOf(n), to)
		}
	}
	if got := textOf(page.one(t, testid("chips"))); got != "Remove filter Group: ShopsRemove filter State: QueuedClear all" {
		t.Errorf("the filter is %s", got)
	}
}

func TestAPostIsMovedOnTheCalendarAndBack(t *testing.T) {
	t.Parallel()
	a := newAlmanac(t)
	post := a.at("2026-10-07T18:00", "Rye bread is back.")
	page := a.b.part(http.MethodPost, "/calendar/move?view=week&date=2026-10-07", "post", post.ID, "at", "2026-10-09T18:00").
		is(t, http.StatusOK)
	if got := page.entries(t, `[data-day="2026-10-09"] [data-hour="18"]`); !strings.HasSuffix(got, "Rye bread is back.") {
		t.Errorf("its new hour shows %q", got)
	}
	if got := textOf(page.one(t, testid("moved"))); got != "Moved to Fri 9 Oct 2026, 18:00 CEST (Europe/Berlin). Undo" {
		t.Errorf("it says %q", got)
	}
	undo := page.form(t, testid("moved")+" form")
	to := attribute(page.one(t, testid("moved")+" form"), "action")
	undone := a.b.part(http.MethodPost, to, "before", undo.Get("before")).is(t, http.StatusOK)
	if got := undone.entries(t, `[data-day="2026-10-07"] [data-hour="18"]`); !strings.HasSuffix(got, "Rye bread is back.") {
		t.Errorf("undone, its hour shows %q", got)
	}
	if got := textOf(undone.one(t, testid("moved"))); got != "Moved back to Wed 7 Oct 2026, 18:00 CEST (Europe/Berlin)." {
		t.Errorf("undone, it says %q", got)
	}
	a.b.part(http.MethodPost, to, "before", "nonsense").is(t, http.StatusBadRequest)
	if got := a.ws.Post(post); !got.PublishAt.Equal(post.PublishAt.Time) {
		t.Errorf("undone, it goes out at %s", got.PublishAt)
	}
	a.b.post("/calendar/move?date=2026-10-07", "post", post.ID, "at", "2026-10-08T18:00").
		leads(t, "/calendar?date=2026-10-07&view=month")
	a.calendar("date=2026-10-07").says(t, "Moved to Thu 8 Oct 2026, 18:00 CEST (Europe/Berlin).")
}

// A drag on a calendar that has not heard of it overwrote a colleague's new time.
func TestAMoveOnAStaleCalendarIsRefused(t *testing.T) {
	t.Parallel()
	a := newAlmanac(t)
	post := a.at("2026-10-07T18:00", "Rye bread is back.")
	revision := func() string {
		return attribute(a.calendar("view=week&date=2026-10-07").one(t, "#entry-"+post.ID), "data-revision")
	}
	stale := revision()
	move := func(revision, at string) *page {
		return a.b.part(http.MethodPost, "/calendar/move?view=week&date=2026-10-07",
			"post", post.ID, "at", at, "revision", revision)
	}
	move(stale, "2026-10-08T18:00").is(t, http.StatusOK)
	move(stale, "2026-10-09T18:00").is(t, http.StatusConflict).says(t, "The post was changed on")
	if got := a.ws.Post(post).PublishAt.UTC().Format("2 15:04"); got != "8 16:00" {
		t.Errorf("it is moved to %s", got)
	}
	move(revision(), "2026-10-09T18:00").is(t, http.StatusOK)
}

// together schedules a post for several accounts at once.
func (a *almanac) together(wall, text string, accounts ...contract.Account) []contract.Post {
	a.t.Helper()
	var ids []string
	for _, account := range accounts {
		ids = append(ids, account.ID)
	}
	made, err := a.App.CreatePosts(a.t.Context(), a.ws.Owner, contract.CreatePosts{
		PlanPosts: contract.PlanPosts{
			Targets: contract.Targets{AccountIDs: ids}, Text: text, When: &contract.When{PublishAt: wall},
		},
		Confirm: true,
	})
	must(a.t, err)
	return made.Posts
}

func TestPostsComposedTogetherAreOneEntry(t *testing.T) {
	t.Parallel()
	a := newAlmanac(t)
	page := a.ws.Account("facebook")
	posts := a.together("2026-10-07T18:00", "Rye bread is back.", a.account, page, a.ws.Account("threads"))
	a.Clock.Advance(time.Second)
	a.at("2026-10-07T18:00", "Buns")
	const day = `td[data-day="2026-10-07"]`
	month := a.calendar("")
	if got := month.entries(t, day); got != "18:00 3 Queued, 3 posts on Facebook, Threads Rye bread is back.; "+
		"18:00 Queued, Threads, bakery Buns" {
		t.Errorf("the day shows %s", got)
	}
	if got := textOf(month.one(t, day+" .day-link")); got != "Wednesday 7 October, 4 posts 7" {
		t.Errorf("the day says %q", got)
	}
	list := a.b.get(attribute(month.one(t, day+" [data-together]"), "href")).is(t, http.StatusOK)
	if n := len(list.all(testid("post-row"))); n != 3 {
		t.Errorf("the list has %d posts", n)
	}
	a.b.part(http.MethodGet, attribute(month.one(t, day+" [data-together]"), "href")).one(t, testid("move-together"))
	list.says(t, "3 posts at Wed 7 Oct 2026, 18:00 CEST (Europe/Berlin)")
	filtered := a.calendar("network=facebook")
	if got := filtered.entries(t, day); got != "18:00 Queued, Facebook, "+page.DisplayName+" Rye bread is back." {
		t.Errorf("of one network, the day shows %s", got)
	}
	if got := a.calendar("view=day&date=2026-10-07").entries(t, ".day-posts"); !strings.HasPrefix(got, "18:00 3 Queued, 3 posts on ") {
		t.Errorf("the day itself shows %s", got)
	}

	entry := month.one(t, day+" [data-together]")
	moved := a.b.part(http.MethodPost, "/calendar/move", "post", strings.TrimPrefix(attribute(entry, "id"), "entry-"),
		"at", "2026-10-09T12:00", "revision", attribute(entry, "data-revision"), "together", "yes").is(t, http.StatusOK)
	if got := moved.entries(t, `td[data-day="2026-10-09"]`); !strings.HasPrefix(got, "12:00 3 Queued, 3 posts") {
		t.Errorf("moved, the day shows %q", got)
	}
	moved.says(t, "3 posts moved to Fri 9 Oct 2026, 12:00 CEST (Europe/Berlin).")
	undo := moved.one(t, testid("moved")+" form")
	a.b.send(http.MethodPost, attribute(undo, "action"), moved.form(t, testid("moved")+" form").Encode()).
		leads(t, "/calendar?view=month")
	a.calendar("").says(t, "3 posts moved back to Wed 7 Oct 2026, 18:00 CEST (Europe/Berlin).")
	for _, p := range posts {
		if got := a.ws.Post(p); !got.PublishAt.Equal(p.PublishAt.Time) {
			t.Errorf("undone, %s goes out at %s", p.Platform, got.PublishAt)
		}
	}
	past := a.b.part(http.MethodPost, "/calendar/move", "post", posts[0].ID, "at", "2026-10-04T18:00", "together", "yes")
	past.is(t, http.StatusConflict).says(t, "The time is in the past.")
}

// A move that was sent twice said that somebody else had changed the posts.
func TestAMoveThatIsSentTwiceMovesOnce(t *testing.T) {
	t.Parallel()
	a := newAlmanac(t)
	a.together("2026-10-07T18:00", "Rye bread is back.", a.account, a.ws.Account("facebook"))
	month := a.calendar("")
	entry := month.one(t, "[data-together]")
	for range 2 {
		moved := a.b.part(http.MethodPost, "/calendar/move", "post", strings.TrimPrefix(attribute(entry, "id"), "entry-"),
			"at", "2026-10-09T12:00", "revision", attribute(entry, "data-revision"), "together", "yes",
			"form", attribute(month.one(t, testid("calendar")), "data-form")).is(t, http.StatusOK)
		moved.says(t, "2 posts moved to Fri 9 Oct 2026, 12:00 CEST (Europe/Berlin).")
		moved.one(t, testid("moved")+" form")
	}
	if n := a.auditedChanges(); n != 2 {
		t.Errorf("the audit log has %d entries", n)
	}
}

// Only the first post of an entry had to be the one that the page showed.
func TestAMoveOfAnEntryIsRefusedIfAnyOfItsPostsHasChanged(t *testing.T) {
	t.Parallel()
	changes := map[string]contract.EditPost{
		"edited":       {Text: new("Rye bread is sold out."), InPlace: true},
		"moved":        {When: &contract.When{PublishAt: "2026-10-08T18:00"}},
		"made a draft": {When: &contract.When{Word: "draft"}},
	}
	for name, change := range changes {
		for changed := range 3 {
			t.Run(fmt.Sprintf("post %d is %s", changed, name), func(t *testing.T) {
				t.Parallel()
				a := newAlmanac(t)
				posts := a.together("2026-10-07T18:00", "Rye bread is back.", a.account, a.ws.Account("facebook"), a.ws.Account("threads"))
				entry := a.calendar("").one(t, "[data-together]")
				a.Clock.Advance(time.Minute)
				edit := change
				edit.ID = posts[changed].ID
				_, err := a.App.EditPost(t.Context(), a.ws.Owner, edit)
				must(t, err)
				refused := a.b.post("/calendar/move", "post", strings.TrimPrefix(attribute(entry, "id"), "entry-"), "together", "yes",
					"at", "2026-10-09T12:00", "revision", attribute(entry, "data-revision"))
				refused.is(t, http.StatusConflict).says(t, "was changed after you opened this page")
				for _, p := range slices.Delete(posts, changed, changed+1) {
					if at := a.ws.Post(p).PublishAt; !at.Equal(p.PublishAt.Time) {
						t.Errorf("another post of the entry is moved to %s", at)
					}
				}
				if name == "edited" { // so the entry still has all posts
					again := refused.form(t, "dialog#move form")
					a.b.send(http.MethodPost, "/calendar/move", again.Encode()).is(t, http.StatusSeeOther)
				}
			})
		}
	}
}

// The change was made by a replica whose clock is behind, so another post of the entry still had the latest change.
func TestAMoveOfAnEntryIsRefusedIfAPostWasChangedByASlowClock(t *testing.T) {
	t.Parallel()
	a := newAlmanac(t)
	posts := a.together("2026-10-07T18:00", "Rye bread is back.", a.account, a.ws.Account("facebook"))
	ahead := a.Clock.Now().Add(time.Hour)
	_, err := a.Pool.Exec(t.Context(), `UPDATE posts SET updated_at = $1 WHERE account_id = $2`, ahead, a.ws.AccountID(a.account))
	must(t, err)
	entry := a.calendar("").one(t, "[data-together]")
	a.Clock.Advance(time.Minute)
	for _, p := range posts {
		if p.AccountID != a.account.ID {
			_, err := a.App.EditPost(t.Context(), a.ws.Owner, contract.EditPost{ID: p.ID, Text: new("Sold out."), InPlace: true})
			must(t, err)
		}
	}
	a.b.post("/calendar/move", "post", strings.TrimPrefix(attribute(entry, "id"), "entry-"), "together", "yes",
		"at", "2026-10-09T12:00", "revision", attribute(entry, "data-revision")).
		is(t, http.StatusConflict).says(t, "was changed after you opened this page")
}

// A person who left the page while posts were moved left half of them behind.
func TestPostsAreMovedTogetherEvenIfThePersonLeaves(t *testing.T) {
	t.Parallel()
	a := newAlmanac(t)
	posts := a.together("2026-10-07T18:00", "Rye bread is back.", a.account, a.ws.Account("facebook"))
	ctx, leave := context.WithCancel(t.Context())
	leave()
	moved, err := a.App.MoveCalendarEntryPosts(ctx, a.ws.Owner, contract.ListPosts{}, "", contract.EditPost{
		ID: posts[0].ID, When: &contract.When{PublishAt: "2026-10-09T12:00"},
	})
	if err != nil || moved.Done != 2 {
		t.Errorf("%d posts are moved, %v", moved.Done, err)
	}
}

func TestAWeekOpensAtItsFirstHourOfInterest(t *testing.T) {
	t.Parallel()
	a := newAlmanac(t)
	a.at("2026-10-14T16:30", "Buns")
	for query, want := range map[string]string{
		"view=week": "10:00", "view=week&date=2026-10-14": "16:00", "view=week&date=2026-10-21": "07:00",
	} {
		page := a.calendar(query)
		if got := textOf(page.one(t, "#start")); got != want {
			t.Errorf("%s opens at %s, want %s", query, got, want)
		}
		for _, n := range append(page.all(".steps a"), page.one(t, testid("view-week"))) {
			if to := attribute(n, "href"); !strings.HasSuffix(to, "#start") {
				t.Errorf("%s leads to %s", textOf(n), to)
			}
		}
	}
	a.at("2026-10-09T06:45", "Rolls") // it was above the hours that were in sight, and its day looked empty
	if got := textOf(a.calendar("view=week").one(t, "#start")); got != "06:00" {
		t.Errorf("the present week opens at %s, but has a post at 06:45", got)
	}
}

func TestAMoveIntoThePastOffersSendNow(t *testing.T) {
	t.Parallel()
	a := newAlmanac(t)
	post := a.at("2026-10-07T18:00", "Rye bread is back.")
	page := a.b.part(http.MethodPost, "/calendar/move", "post", post.ID, "at", "2026-10-04T18:00").
		is(t, http.StatusConflict)
	page.says(t, "“Rye bread is back.” was not moved", "The time is in the past.")
	if to := attribute(page.one(t, "form"), "action"); !strings.HasSuffix(to, "/posts/"+post.ID+"/send-now") {
		t.Errorf("the form leads to %s", to)
	}
	if got := a.ws.Post(post); !got.PublishAt.Equal(post.PublishAt.Time) {
		t.Errorf("refused, it goes out at %s", got.PublishAt)
	}
	far := a.b.part(http.MethodPost, "/calendar/move", "post", post.ID, "at", "2028-10-04T18:00").
		is(t, http.StatusConflict)
	if far.says(t, "more than 366 days ahead"); len(far.all("form")) != 0 {
		t.Error("a post that is moved too far ahead can be sent now")
	}
	a.b.post("/calendar/move", "post", post.ID, "at", "2026-10-04T18:00").is(t, http.StatusConflict).
		one(t, testid("calendar"))
}

func TestAMoveThatIsRefusedOnAPageKeepsWhatWasEntered(t *testing.T) {
	t.Parallel()
	a := newAlmanac(t)
	a.b.get("/calendar").one(t, "dialog#move:not([open])")
	for together, moved := range map[string]string{"": "Moved to Thu 8 Oct", "yes": "1 post moved to Thu 8 Oct"} {
		post := a.at("2026-10-07T18:00", "Rye bread is back."+together)
		page := a.b.post("/calendar/move", "post", post.ID, "at", "2026-10-04T18:00", "together", together).
			is(t, http.StatusConflict)
		page.says(t, "The time is in the past.")
		form := page.form(t, "dialog#move[open] form")
		if form.Get("post") != post.ID || form.Get("at") != "2026-10-04T18:00" || form.Get("together") != together {
			t.Errorf("the form has %v", form)
		}
		form.Set("at", "2026-10-08T18:00")
		a.b.send(http.MethodPost, attribute(page.one(t, "dialog#move form"), "action"), form.Encode()).is(t, http.StatusSeeOther)
		a.calendar("").says(t, moved)
	}
}

func TestDaysOfAClockChangeAreMarked(t *testing.T) {
	t.Parallel()
	a := newAlmanac(t)
	post := a.at("2027-03-27T02:30", "At half past two")
	month := a.calendar("date=2026-10-25")
	if got := textOf(month.one(t, `td[data-day="2026-10-25"] a[href*="view=day"][title]`+testid("clock-change"))); got !=
		"The clocks go back by 1 hour, so this day has 25 hours." {
		t.Errorf("the 25th says %q", got)
	}
	autumn := a.calendar("view=week&date=2026-10-25")
	if got := textOf(autumn.one(t, ".hour-note")); got != "Occurs twice" {
		t.Errorf("the hour that occurs twice says %q", got)
	}
	spring := a.calendar("view=week&date=2027-03-28")
	skipped := spring.one(t, `[data-day="2027-03-28"] .skipped[data-hour="02"]`)
	if got := textOf(skipped); got != "Skipped" {
		t.Errorf("the hour that is skipped says %q", got)
	}
	refused := a.b.part(http.MethodPost, "/calendar/move", "post", post.ID, "at", "2027-03-28T02:30")
	refused.is(t, http.StatusConflict).says(t, "This time does not exist in Europe/Berlin.")
}

func TestNewsOfTheCalendarIsEmptyUntilSomethingChanges(t *testing.T) {
	t.Parallel()
	a := newAlmanac(t)
	a.at("2026-10-07T18:00", "Rye bread is back.")
	news := attribute(a.calendar("view=week").one(t, testid("calendar")), "hx-get")
	a.b.part(http.MethodGet, news).is(t, http.StatusNoContent)
	a.at("2026-10-08T18:00", "Buns")
	a.b.part(http.MethodGet, news).is(t, http.StatusOK).says(t, "Buns")
}

func TestAViewerMovesNothing(t *testing.T) {
	t.Parallel()
	a := newAlmanac(t)
	post := a.at("2026-10-07T18:00", "Rye bread is back.")
	viewer := a.seat(a.ws.Member(core.RoleViewer))
	page := viewer.get("/calendar").is(t, http.StatusOK)
	if n := len(page.all("[data-movable], .add, #move")); n != 0 {
		t.Errorf("a viewer is offered %d things to do", n)
	}
	viewer.part(http.MethodPost, "/calendar/move", "post", post.ID, "at", "2026-10-09T18:00").is(t, http.StatusForbidden)
}

// The page of a month with 5,000 posts shows the first of each day and counts the others.
func TestACalendarWith5000PostsStaysSmall(t *testing.T) {
	t.Parallel()
	const posts, most = 5_000, 300 << 10
	a := newAlmanac(t)
	a.fill(posts)
	month := a.calendar("date=2026-11-15")
	total := 0
	for _, n := range month.all("td:not(.outside)") {
		total += postsOf(t, n)
	}
	if total != posts {
		t.Errorf("the days have %d posts", total)
	}
	for query, shown := range map[string]int{
		"date=2026-11-15": 30*3 + 50, "view=week&date=2026-11-15": 7 * 24 * 2, "view=list&date=2026-11-01": 28 * 8,
		"view=day&date=2026-11-15": 166,
	} {
		page := a.calendar(query)
		if n := len(page.all(".entry")); n > shown || n < shown*9/10 {
			t.Errorf("%s shows %d posts, want %d", query, n, shown)
		}
		if n := len(page.body); n > most {
			t.Errorf("%s has %d bytes", query, n)
		}
		t.Logf("%s: %d bytes, %d posts", query, len(page.body), len(page.all(".entry")))
	}
}

// postsOf returns how many posts a day says that it has.
func postsOf(t *testing.T, day *html.Node) (n int) {
	t.Helper()
	_, count, ok := strings.Cut(textOf(day), ", ")
	if _, err := fmt.Sscanf(count, "%d posts", &n); !ok || err != nil {
		t.Fatalf("a day says %q: %v", textOf(day), err)
	}
	return n
}

// fill spreads drafts evenly over November.
func (a *almanac) fill(posts int) {
	a.t.Helper()
	_, err := a.Pool.Exec(a.t.Context(), `
		INSERT INTO posts (id, workspace_id, account_id, platform, text, title, tags, settings, media_ids, publish_at, tz,
			status, created_via, created_at, updated_at)
		SELECT gen_random_uuid(), $1, $2, 'threads', 'Post ' || n || ' says in a sentence or two what the bakery has on its ' ||
			'shelves today, and when it opens.', '', '{}', '{}', '{}',
			timestamptz '2026-11-01 00:00 Europe/Berlin' + (n - 1) * interval '30 days' / $3::int, 'Europe/Berlin', 'draft', 'ui',
			now(), now()
		FROM generate_series(1, $3::int) n`, a.ws.ID, a.ws.AccountID(a.account), posts)
	must(a.t, err)
}

// A failed post was invisible in the month of a phone if several posts of its day came before it.
func TestADayWithAFailedPostShowsItFirst(t *testing.T) {
	t.Parallel()
	a := newAlmanac(t)
	for hour := range 5 {
		a.at(fmt.Sprintf("2026-10-07T%02d:00", 12+hour), "soon")
	}
	a.at("2026-10-07T20:00", "last")
	states := func() string {
		var found []string
		for _, dot := range a.calendar("view=month").all(`[data-day="2026-10-07"] .dots [data-state]`) {
			found = append(found, attribute(dot, "data-state"))
		}
		return strings.Join(found, " ")
	}
	if got := states(); got != "queued" {
		t.Errorf("the dots are %q", got)
	}
	_, err := a.Pool.Exec(t.Context(), `UPDATE posts SET status = 'failed', error_code = 'rejected' WHERE text = 'last'`)
	must(t, err)
	if got := states(); got != "failed queued" {
		t.Errorf("the dots are %q", got)
	}
}

// On a phone, the calendar opened as a list each time.
func TestTheCalendarOpensInTheViewThatWasChosenLast(t *testing.T) {
	t.Parallel()
	a := newAlmanac(t)
	open := func(address string) string {
		return attribute(a.b.get(address).is(t, http.StatusOK).one(t, testid("calendar")), "data-view")
	}
	home := a.calendar("view=day")
	bar := attribute(home.one(t, ".bar a[href^='/calendar']"), "href")
	rail := attribute(home.one(t, testid("nav-calendar")), "href")
	if onPhone, onDesktop := open(bar), open(rail); onPhone != "list" || onDesktop != "month" {
		t.Errorf("before a choice, a phone shows the %s, a desktop the %s", onPhone, onDesktop)
	}
	for _, view := range []string{"week", "month", "day", "list"} {
		choice := attribute(a.calendar("view=day&date=2026-10-07").one(t, testid("view-"+view)), "href")
		choice, _, _ = strings.Cut(choice, "#")
		a.b.get(choice).leads(t, "/calendar?date=2026-10-07&view="+view)
		a.calendar("date=2026-10-07&view="+view).one(t, testid("view-"+view)+"[aria-current]")
		for _, address := range []string{bar, rail} {
			if got := open(address); got != view {
				t.Errorf("after the choice of %s, %s opens the %s", view, address, got)
			}
		}
	}
	if got := open("/calendar?view=week"); got != "week" {
		t.Errorf("the address of a week opens the %s", got)
	}
	if got := open(rail); got != "list" {
		t.Errorf("after that address, the calendar opens as %s", got)
	}
}

// Posts could be selected and moved in the list of posts, but not in the calendar.
func TestThePostsOfADayAreMovedFromItsPage(t *testing.T) {
	t.Parallel()
	a := newAlmanac(t)
	a.together("2026-10-05T18:00", "Rye bread is back.", a.account, a.ws.Account("facebook"))
	a.at("2026-10-05T11:30", "Buns")
	a.ws.Work(a.ws.Now("Breakfast", a.account))
	a.at("2026-10-06T11:30", "Of another day")
	const day, movable = "/calendar?date=2026-10-05&view=day", "/calendar/posts?date=2026-10-05&view=day"
	const movedTo = "/calendar?date=2026-10-09&view=day"
	a.b.get("/calendar?view=day").one(t, testid("move-day")+`[href="`+movable+`"]`)
	page := a.b.get(movable).is(t, http.StatusOK)
	page.says(t, "3 posts on Monday 5 October 2026")
	if n := len(page.all(testid("post-row") + " input[name=post][checked]")); n != 3 {
		t.Errorf("%d posts are selected", n)
	}
	page.one(t, testid("back")+`[href="`+day+`"]`)
	form := page.form(t, testid("bulk"))
	for _, n := range page.all("input[name=post]") {
		form.Add("post", attribute(n, "value"))
	}
	form.Set("act", "reschedule")
	form.Set("move", "day")
	for _, move := range []struct{ to, leads, says string }{
		{"2026-10-04", movable, "3 posts could not be moved:3 posts: The time is in the past."},
		{"2026-10-09", movedTo, "3 posts moved to Fri 9 Oct 2026."},
	} {
		form.Set("form", "moved to "+move.to)
		form.Set("day", move.to)
		a.b.send(http.MethodPost, "/posts/bulk", form.Encode()).leads(t, move.leads)
		page = a.b.get(move.leads)
		page.says(t, move.says)
	}
	if n := len(page.all(testid("flash-next"))); n != 0 {
		t.Error("the page of the new day links to itself")
	}
	a.b.get(movable).leads(t, day)
	undo := page.form(t, ".flash form")
	a.b.send(http.MethodPost, "/posts/undo", undo.Encode(), "Referer", "http://localhost:8080/w/bakery"+movedTo).leads(t, movedTo)
	a.b.get(movedTo).one(t, testid("flash-next")+`[href="/calendar?date=2026-10-05"]`)
	a.seat(a.ws.Member(core.RoleViewer)).get("/calendar/posts?date=2026-10-06").leads(t, "/calendar?date=2026-10-06&view=day")
}

// The page for moving the posts of a day only showed a button for moving at its bottom, and proposed tomorrow.
func TestThePageOfADaysPostsAsksForTheirNewDay(t *testing.T) {
	t.Parallel()
	a := newAlmanac(t)
	a.at("2026-10-07T11:30", "Buns")
	page := a.b.get("/calendar/posts?date=2026-10-07&view=day")
	page.one(t, `#bulk > .post-move-panel [value="day"][checked]`)
	page.one(t, testid("bulk-move-submit")+".primary")
	if day := page.value(t, "day"); day != "2026-10-08" {
		t.Errorf("the page proposes %s", day)
	}
	if n := len(page.all(`#bulk [value="cancel"]`)); n != 0 {
		t.Error("the page also offers to move the posts to drafts")
	}
}

// The page looked for posts that can be moved only among the first 200 of the day, and counted the others as such.
func TestThePostsOfADayAreMovedAfterManyThatAreLive(t *testing.T) {
	t.Parallel()
	a := newAlmanac(t)
	a.ws.Work(a.ws.Now("Breakfast", a.account))
	_, err := a.Pool.Exec(t.Context(), `
		INSERT INTO posts SELECT (jsonb_populate_record(p, jsonb_build_object(
			'id', gen_random_uuid(), 'external_id', ''))).*
		FROM posts p, generate_series(1, 250)`)
	must(t, err)
	a.at("2026-10-05T18:00", "Buns")
	const movable = "/calendar/posts?date=2026-10-05&view=day"
	a.calendar("view=day").one(t, testid("move-day")+`[href="`+movable+`"]`)
	a.b.get(movable).is(t, http.StatusOK).says(t, "1 post on Monday 5 October 2026", "Buns")
	a.b.get(movable+"&status=live").leads(t, "/calendar?date=2026-10-05&status=live&view=day")
}

// If none of the refused posts was left, the posts that the person had not chosen were selected.
func TestARefusedActionOnADaySelectsNoOtherPosts(t *testing.T) {
	t.Parallel()
	a := newAlmanac(t)
	refused := a.at("2026-10-05T11:30", "Buns")
	a.at("2026-10-05T18:00", "Not chosen")
	const movable = "/calendar/posts?date=2026-10-05&view=day"
	form := a.b.get(movable).form(t, testid("bulk"))
	for name, value := range map[string]string{"post": refused.ID, "act": "reschedule", "move": "day", "day": "2026-10-04"} {
		form.Set(name, value)
	}
	a.b.send(http.MethodPost, "/posts/bulk", form.Encode()).leads(t, movable)
	_, err := a.App.CancelPost(t.Context(), a.ws.Owner, refused.ID)
	must(t, err)
	must(t, a.App.DeletePost(t.Context(), a.ws.Owner, refused.ID))
	if n := len(a.b.get(movable).is(t, http.StatusOK).all(testid("post-row") + " input[name=post][checked]")); n != 0 {
		t.Errorf("%d posts are selected", n)
	}
}

func TestPostsComposedTogetherAreChangedOnTheirPage(t *testing.T) {
	t.Parallel()
	a := newAlmanac(t)
	made := a.together("2026-10-07T18:00", "Rye bread is back.", a.account, a.ws.Account("facebook"))
	page := a.b.get("/calendar/posts/"+made[0].ID).is(t, http.StatusOK)
	for _, act := range []string{"reschedule", "cancel", "duplicate"} {
		page.one(t, testid("bulk")+` [name=act][value="`+act+`"]`)
	}
	if n := len(page.all(`[data-selects][form=bulk]`)); n != 2 {
		t.Errorf("%d posts can be selected", n)
	}
	form := page.form(t, testid("bulk"))
	form.Set("act", "cancel")
	form["post"] = []string{made[0].ID, made[1].ID}
	a.b.send(http.MethodPost, attribute(page.one(t, testid("bulk")), "action"), form.Encode()).leads(t, "/posts")
	if drafts := a.b.get("/posts?status=draft").all(testid("post-row")); len(drafts) != 2 {
		t.Errorf("%d posts are drafts now", len(drafts))
	}
	made = a.together("2026-10-08T18:00", "Buns", a.account, a.ws.Account("facebook"))
	entry := "/calendar/posts/" + made[0].ID + "?status=queued"
	page = a.b.get(entry).is(t, http.StatusOK)
	form = page.form(t, testid("bulk"))
	form.Set("act", "reschedule")
	form.Set("move", "earlier")
	form["post"] = []string{made[0].ID, made[1].ID}
	for days, refusal := range map[string]string{"10": "The time is in the past.", "1000": "at most 366 days"} {
		form.Set("form", "moved by "+days)
		form.Set("shift", days)
		a.b.send(http.MethodPost, attribute(page.one(t, testid("bulk")), "action"), form.Encode()).leads(t, entry)
		refused := a.b.get(entry)
		refused.says(t, refusal)
		if n := len(refused.all("input[name=post][checked]")); n != 2 {
			t.Errorf("moved by %s days, %d refused posts are still selected on the page", days, n)
		}
	}
	a.b.get("/posts/bulk/delete?"+form.Encode()).is(t, http.StatusOK).one(t, `a[href="`+entry+`"]`)
	viewer := a.seat(a.ws.Member(core.RoleViewer)).get("/calendar/posts/"+made[0].ID).is(t, http.StatusOK)
	if n := len(viewer.all("[data-selects], " + testid("bulk"))); n != 0 {
		t.Errorf("a viewer is offered %d actions", n)
	}
}
