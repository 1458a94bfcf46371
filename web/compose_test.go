package web_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/media/mediatest"
)

// studio is a workspace with an account on each network, and its owner's browser.
type studio struct {
	*rig
	ws            *apptest.Workspace
	b             *browser
	threads, page contract.Account
}

func newStudio(t *testing.T, options ...func(*app.Config)) *studio {
	t.Helper()
	r := open(t, options...)
	ws := r.WorkspaceOn(core.PlanOwner, "one", "Europe/Berlin")
	return &studio{rig: r, ws: ws, threads: ws.Account("threads"), page: ws.Account("facebook"), b: r.as(ws)}
}

func (s *studio) all() []contract.Post {
	s.t.Helper()
	list, err := s.App.ListPosts(s.t.Context(), s.ws.Owner, contract.ListPosts{})
	must(s.t, err)
	return list.Posts
}

// written is a form that is worth keeping.
func (s *studio) written(pairs ...string) []string {
	out := []string{
		"form", "AFORMTHATWASDRAWNSOMETIME2", "account", s.threads.ID, "account", s.page.ID, "text",
		"Ring\r\nthe bell & \"sing\" <b>", "when", "draft",
		"at", "2026-10-25T02:30", "override.facebook.text", "For the Page only", "settings.threads.topicTag", "bells",
		"settings.facebook.link", "https://example.org/bell",
	}
	for i := 0; i < len(pairs); i += 2 {
		out = with(out, pairs[i], pairs[i+1])
	}
	return out
}

// keeps fails unless a redrawn form holds what was written.
func (s *studio) keeps(p *page, written []string) {
	s.t.Helper()
	want := pairsOf(written...)
	for _, name := range []string{"text", "at", "override.facebook.text", "settings.threads.topicTag", "settings.facebook.link"} {
		if got := p.value(s.t, name); got != strings.ReplaceAll(want.Get(name), "\r\n", "\n") {
			s.t.Errorf("%s is %q after it was %q", name, got, want.Get(name))
		}
	}
	p.one(s.t, `[name=when][value="`+want.Get("when")+`"][checked]`)
	for _, account := range want["account"] {
		p.one(s.t, `[name=account][value="`+account+`"][checked]`)
	}
	if p.value(s.t, "form") == want.Get("form") {
		s.t.Error("the redrawn form has the name of the one before")
	}
}

func TestComposing(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	page := s.b.get("/compose").is(t, http.StatusOK)
	if n := len(page.all(".chip")); n != 2 || len(page.all("[name=account][checked]")) != 0 {
		t.Errorf("%d accounts to choose, or one is chosen already", n)
	}
	if got := page.value(t, "at"); got != "2026-10-05T13:00" {
		t.Errorf("the time proposed is %s", got)
	}
	s.b.get("/compose?account="+s.page.ID).one(t, `[name=account][value="`+s.page.ID+`"][checked]`)

	s.b.post("/posts", s.written()...).leads(t, "/posts")
	made := s.all()
	if len(made) != 2 {
		t.Fatalf("%d posts", len(made))
	}
	for _, p := range made {
		want := "Ring\nthe bell & \"sing\" <b>"
		if p.AccountID == s.page.ID {
			want = "For the Page only"
		}
		if p.Text != want || p.Status != "draft" || p.CreatedVia != "ui" {
			t.Errorf("the post is %+v", p)
		}
	}
	page = s.b.get("/posts")
	if got := textOf(page.one(t, testid("flash"))); got != "2 drafts saved." {
		t.Errorf("it says %q", got)
	}
}

func TestOnePostLeadsToItsPage(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	for when, want := range map[string]string{"now": "queued", "at": "queued", "draft": "draft"} {
		page := s.b.post("/posts", "account", s.threads.ID, "text", "once "+when, "when", when, "at", "2026-10-06T09:30",
			"tz", "Europe/Berlin")
		id := strings.TrimPrefix(page.is(t, http.StatusSeeOther).Header.Get("Location"), "/posts/")
		p, err := s.App.GetPost(t.Context(), s.ws.Owner, id)
		must(t, err)
		if p.Status != want {
			t.Errorf("%s: %s", when, p.Status)
		}
		if when == "at" && p.PublishAt.UTC().Format("2006-01-02T15:04") != "2026-10-06T07:30" {
			t.Errorf("it goes out at %s", p.PublishAt)
		}
		if when == "now" && !p.PublishAt.Equal(s.Clock.Now().Add(10*time.Second)) {
			t.Errorf("now is %s", p.PublishAt)
		}
	}
}

func TestARefusedFormKeepsEverythingAndSaysWhy(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	for name, c := range map[string]struct {
		change []string
		status int
		error  string // testid
		words  string
	}{
		"too long": {
			[]string{"text", strings.Repeat("x", 501)},
			http.StatusConflict, "alert",
			"Fix the problems below",
		},
		"a bad address": {
			[]string{"settings.facebook.link", "example"},
			http.StatusBadRequest,
			"setting-facebook-link-error", "complete address",
		},
		"a bad topic": {
			[]string{"settings.threads.topicTag", "a.b"},
			http.StatusBadRequest,
			"setting-threads-topicTag-error", "written like",
		},
		"no time": {
			[]string{"when", "at", "at", "soon"},
			http.StatusBadRequest, "at-error",
			"is not a local date and time",
		},
		"a past time":    {[]string{"when", "at", "at", "2026-10-04T09:00"}, http.StatusConflict, "alert", ""},
		"a skipped time": {[]string{"when", "at", "at", "2027-03-28T02:30"}, http.StatusConflict, "alert", ""},
		"a control":      {[]string{"text", "bell\x07"}, http.StatusBadRequest, "text-error", "control character"},
		"a control below": {
			[]string{"settings.threads.topicTag", "bell\x07"},
			http.StatusBadRequest,
			"setting-threads-topicTag-error", "control character",
		},
		"an unknown when": {[]string{"when", "sometime"}, http.StatusBadRequest, "at-error", "is not a valid time"},
	} {
		t.Run(name, func(t *testing.T) {
			written := s.written(c.change...)
			page := s.b.post("/posts", written...).is(t, c.status)
			page.one(t, `main `+testid(c.error))
			page.says(t, c.words)
			if name != "an unknown when" && !strings.HasPrefix(name, "a control") {
				s.keeps(page, written)
			}
			if len(page.all(`[href="/posts"][data-testid=back]`)) != 0 {
				t.Error("an error page came instead of the form")
			}
		})
	}
	if n := len(s.all()); n != 0 {
		t.Errorf("%d posts came of it", n)
	}
}

func TestAnAccountOfAnotherWorkspaceIsAsUnknownAsNone(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	foreign := s.Workspace("two").Account("threads")
	var pages []string
	for _, id := range []string{foreign.ID, "acc_01kbmwz6v3f1ht6hz9n8q4w2ce", "nonsense"} {
		page := s.b.post("/posts", "account", id, "text", "hello", "when", "draft")
		pages = append(pages, strings.ReplaceAll(page.text(), page.value(t, "form"), ""))
		if page.StatusCode != http.StatusNotFound || page.value(t, "text") != "hello" {
			t.Errorf("%s: status %d", id, page.StatusCode)
		}
	}
	if pages[0] != pages[1] || pages[1] != pages[2] {
		t.Error("the pages differ")
	}
	s.b.post("/posts", "text", "hello", "when", "draft").is(t, http.StatusBadRequest).one(t, testid("account-error"))

	// One that has gone meanwhile must not be left out in silence.
	page := s.b.post("/posts", "account", s.threads.ID, "account", foreign.ID, "text", "hello", "when", "draft").is(t,
		http.StatusNotFound)
	page.one(t, testid("account-error"))
	page.one(t, "[name=account][checked]")
	if n := len(s.all()); n != 0 {
		t.Errorf("%d posts came of it", n)
	}
}

func TestTheSameFormTwiceMakesOnePost(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	form := s.b.get("/compose").value(t, "form")
	send := func(text string) *page {
		return s.b.post("/posts", "form", form, "account", s.threads.ID, "text", text, "when", "draft")
	}
	first := send("once")
	send("once").leads(t, first.Header.Get("Location"))
	if n := len(s.all()); n != 1 {
		t.Fatalf("%d posts", n)
	}
	page := send("and another").is(t, http.StatusConflict)
	if page.value(t, "text") != "and another" {
		t.Error("the other text is lost")
	}
	form = page.value(t, "form")
	send("and another").is(t, http.StatusSeeOther)

	form = s.b.get("/compose").value(t, "form")
	send(strings.Repeat("x", 501)).is(t, http.StatusConflict)
	send("mended").is(t, http.StatusSeeOther)

	form = "no name of ours"
	send("same").is(t, http.StatusSeeOther)
	send("same").is(t, http.StatusSeeOther)
	if n := len(s.all()); n != 5 {
		t.Errorf("%d posts", n)
	}
}

func TestCreationsCountInOneHourlyLimitOfDashboardAndAPI(t *testing.T) {
	t.Parallel()
	s := newStudio(t, func(c *app.Config) { c.LimitCreate = app.Rate{Max: 2, Window: time.Hour} })
	key := s.ws.Key(core.Write)
	operation, _ := app.FindOperation("posts_create")
	createByProgram := func() core.Code {
		_, err := s.App.RunOperation(t.Context(), operation, app.Request{Caller: key.Caller, Decode: app.NewFixedInputDecoder(contract.CreatePosts{})})
		return core.CodeOf(err)
	}
	if code := createByProgram(); code != core.CodeInvalidRequest {
		t.Fatalf("a request without an account is answered %s", code)
	}
	s.b.post("/posts", s.written()...).is(t, http.StatusSeeOther)
	written := s.written("form", "ANOTHERTHATWASDRAWNLATER22")
	page := s.b.post("/posts", written...).is(t, http.StatusTooManyRequests)
	s.keeps(page, written)
	page.says(t, "Too many requests to create posts", "Wait 60 minutes")
	if page.Header.Get("Retry-After") != "3600" {
		t.Errorf("Retry-After is %q", page.Header.Get("Retry-After"))
	}
	if code := createByProgram(); code != core.CodeRateLimited {
		t.Errorf("a program is answered %s", code)
	}
	s.Clock.Advance(time.Hour)
	s.b.signIn(s.ws)
	s.b.post("/posts", written...).is(t, http.StatusSeeOther)
}

func TestThePlan(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	part := s.b.part(http.MethodPost, "/compose/plan", s.written("when", "at", "at", "2026-10-25T02:30")...).is(t,
		http.StatusOK)
	if len(part.all("nav")) != 0 || len(part.all(testid("plan-row"))) != 2 {
		t.Fatalf("the part is %s", part.body)
	}
	if textOf(part.one(t, "#submit[data-asks]")) != "Schedule 2 posts…" {
		t.Error("the button has no words")
	}
	part.says(t, "NETWORK", "02:30 CEST")
	if twice := part.one(t, testid("warning")+`[data-code=time_occurs_twice]`); !strings.Contains(textOf(twice), "2 accounts") {
		t.Errorf("an hour that occurs twice is not warned of once: %s", textOf(twice))
	}
	part.one(t, testid("at-error")+` [data-code=time_occurs_twice]`)
	long := s.b.part(http.MethodPost, "/compose/plan", s.written("text", strings.Repeat("ä", 251))...)
	long.one(t, testid("issue")+`[data-code=caption_too_long]`)

	s.b.get("/compose").says(t, "Select an account and add text or a file")
	s.b.get("/compose?account="+s.threads.ID).says(t, "Write some text or add a file")
	for missing, change := range map[string][]string{
		"Select an account and add text or a file": {"when", "now"},
		"Select an account to see":                 {"text", "hello"},
		"is no longer connected":                   {"account", "acc_01kbmwz6v3f1ht6hz9n8q4w2ce", "text", "hello"},
		"Enter a date and time":                    {"account", s.threads.ID, "text", "hello", "when", "at"},
		"Write some text or add a file":            {"account", s.threads.ID},
	} {
		s.b.part(http.MethodPost, "/compose/plan", change...).is(t, http.StatusOK).says(t, missing)
	}
	s.b.part(http.MethodPost, "/compose/plan", s.written("settings.facebook.link", "x")...).is(t, http.StatusOK).one(t,
		testid("issue"))

	// Without a script the same button answers the whole form, ready to be sent.
	written := s.written()
	whole := s.b.post("/compose/plan", written...).is(t, http.StatusOK)
	s.keeps(whole, written)
	if len(whole.all("#submit[disabled]")) != 0 || len(whole.all(testid("plan-row"))) != 2 {
		t.Error("the form is not ready")
	}
	if n := len(s.all()); n != 0 {
		t.Errorf("planning made %d posts", n)
	}
}

func TestWhatWasWrittenComesBackAfterTheSessionEnded(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	draft := s.ws.Draft("before", s.threads)
	for target, next := range map[string]string{"/posts": "/compose", "/compose/plan": "/compose", "/posts/" + draft.ID + "/edit": "/posts/" + draft.ID + "/edit"} {
		stranger := s.browser()
		page := stranger.post(target, s.written("text", "long\r\nthought")...).is(t, http.StatusUnauthorized)
		page.says(t, "Belfry then shows your text again")
		form := page.form(t, testid("sign-in"))
		if form.Get("next") != next {
			t.Errorf("%s: next is %q", target, form.Get("next"))
		}
		form.Set("email", s.ws.Email)
		form.Set("password", "wrong")
		again := stranger.send(http.MethodPost, "/sign-in", form.Encode()).is(t, http.StatusUnauthorized).form(t,
			testid("sign-in"))
		again.Set("password", apptest.Password)
		stranger.send(http.MethodPost, "/sign-in", again.Encode()).leads(t, next)
		page = stranger.get(next).is(t, http.StatusOK)
		if got := page.value(t, "text"); got != "long\nthought" {
			t.Errorf("%s: the text is %q", target, got)
		}
		if got := stranger.get(next).value(t, "text"); got == "long\nthought" {
			t.Errorf("%s: it comes back twice", target)
		}
	}
	if n := len(s.all()); n != 1 {
		t.Errorf("strangers left %d posts", n)
	}
	// A script's part has nowhere to show the form; the browser keeps the text by itself.
	part := s.browser().part(http.MethodPost, "/compose/plan", s.written()...)
	if !strings.HasPrefix(part.is(t, http.StatusNoContent).Header.Get("HX-Redirect"), "/sign-in") {
		t.Error("a part leads nowhere")
	}
}

func TestEditingADraft(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	draft := s.ws.Draft("before", s.threads)
	path := "/posts/" + draft.ID + "/edit"
	page := s.b.get(path).is(t, http.StatusOK)
	page.one(t, `[name=when][value=draft][checked]`)
	if page.value(t, "text") != "before" || len(page.all(testid("plan-row"))) != 1 {
		t.Error("the draft is not in its form")
	}
	s.b.post(path, "text", "a\r\nb", "when", "draft", "settings.threads.topicTag", "bells").leads(t, "/posts/"+draft.ID)
	page = s.b.get(path)
	if page.value(t, "text") != "a\nb" || page.value(t, "settings.threads.topicTag") != "bells" {
		t.Error("the change is not there")
	}
	part := s.b.part(http.MethodPost, path+"/plan", "text", strings.Repeat("x", 501), "when", "draft")
	part.one(t, testid("issue"))

	long := strings.Repeat("x", 501)
	page = s.b.post(path, "text", long, "when", "at", "at", "2026-10-06T10:00").is(t, http.StatusConflict)
	if page.value(t, "text") != long || page.value(t, "at") != "2026-10-06T10:00" {
		t.Error("a refused edit loses what was written")
	}
	page = s.b.post(path, "text", "fine", "when", "draft", "settings.threads.linkAttachment", "nowhere").is(t,
		http.StatusBadRequest)
	page.one(t, testid("setting-threads-linkAttachment-error"))

	s.b.post(path, "text", "final", "when", "at", "at", "2026-10-06T10:00").leads(t, "/posts/"+draft.ID)
	p, err := s.App.GetPost(t.Context(), s.ws.Owner, draft.ID)
	must(t, err)
	if p.Text != "final" || p.Status != "queued" || string(p.Settings) != "{}" {
		t.Errorf("the post is %+v", p)
	}
	s.act(draft, "send-now")
	s.Clock.Advance(10 * time.Second)
	s.work(draft)
	s.b.get(path).leads(t, "/posts/"+draft.ID)
	late := s.b.post(path, "text", "too late", "when", "draft").is(t, http.StatusConflict)
	if late.says(t, "The post was published before you saved."); late.value(t, "text") != "too late" {
		t.Error("what was written too late is lost")
	}
}

func TestTheEditorSaysWhichPostItChangesAndWhichNot(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	made, err := s.App.CreatePosts(t.Context(), s.ws.Owner, contract.CreatePosts{Confirm: true, PlanPosts: contract.PlanPosts{
		Targets: contract.Targets{AccountIDs: []string{s.threads.ID, s.page.ID}}, Text: "before",
		When: &contract.When{PublishAt: "2026-10-07T18:00"},
	}})
	must(t, err)
	for i, post := range made.Posts {
		name := map[string]string{"threads": "Threads", "facebook": "Facebook"}[post.Platform]
		page := s.b.get("/posts/"+post.ID+"/edit").is(t, http.StatusOK)
		if got := textOf(page.one(t, "h1")); got != "Edit "+name+" post" {
			t.Errorf("the title is %q", got)
		}
		if got := textOf(page.one(t, testid("fixed-account")+" .post-network")); got != "on "+name {
			t.Errorf("the account is %q", got)
		}
		page.says(t, "The other post that was created with this one stays as it is: ")
		toOther := testid("beside") + ` a[href="/posts/` + made.Posts[1-i].ID + `"]`
		page.one(t, toOther)
		s.b.get("/posts/"+post.ID).one(t, toOther)
	}
	draft := s.ws.Draft("a sketch", s.threads)
	if page := s.b.get("/posts/" + draft.ID + "/edit"); textOf(page.one(t, "h1")) != "Edit Threads draft" ||
		strings.Contains(page.text(), "created with this one") {
		t.Errorf("a draft on its own says %s", page.text())
	}
}

func TestEditingAQueuedPostInPlace(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	at := s.Clock.Now().Add(time.Hour)
	post := s.ws.Queued("before", s.threads, at)
	path := "/posts/" + post.ID + "/edit"
	s.show(post).offers(t, "edit", "send-now", "cancel", "reschedule", "duplicate", "delete")
	s.show(post).one(t, testid("back-to-posts")+`[href="/posts"]`)
	page := s.b.get(path).is(t, http.StatusOK)
	page.one(t, `[name=when][value=at][checked]`)
	page.says(t, "Edit Threads post", "The post does not change until you save.", "Save changes")
	if href := attribute(page.one(t, testid("back")), "href"); href != "/posts/"+post.ID {
		t.Errorf("the way back leads to %s", href)
	}
	if len(page.all(testid("issue")+","+testid("warning"))) != 0 {
		t.Errorf("the plan of an unchanged post says %s", page.text())
	}
	form := page.form(t, "#compose")
	form.Set("text", strings.Repeat("x", 501))
	refused := s.b.send(http.MethodPost, path, form.Encode()).is(t, http.StatusConflict)
	if refused.value(t, "text") != form.Get("text") {
		t.Error("a refused edit loses what was written")
	}
	form.Set("text", "after")
	s.b.send(http.MethodPost, path, form.Encode()).leads(t, "/posts/"+post.ID)
	saved := s.show(post)
	saved.says(t, "Saved. The post goes out on Mon 5 Oct 2026, 10:00 UTC.", "after")
	saved.one(t, testid("flash-next")+`[href="/calendar?date=2026-10-05"]`)
	if got := s.ws.Post(post); got.Status != "queued" || !got.PublishAt.Equal(at) {
		t.Errorf("the post is %s", got.StatusLine)
	}
	form = s.b.get(path).form(t, "#compose")
	form.Set("when", "draft")
	s.b.send(http.MethodPost, path, form.Encode()).leads(t, "/posts/"+post.ID)
	if got := s.ws.Post(post); got.Status != "draft" || got.PublishAt != nil {
		t.Errorf("the post is %s", got.StatusLine)
	}
}

// Without scripts, the verdict stays on the page while the person makes changes, so it must be true of these too.
func TestTheEditorSaysWhetherAnythingHasChanged(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	queued := s.ws.Queued("two\nlines", s.threads, s.Clock.Now().Add(time.Hour))
	draft := s.ws.Draft("a sketch", s.threads)
	for _, post := range []contract.Post{queued, draft} {
		path := "/posts/" + post.ID + "/edit"
		form := s.b.get(path).form(t, "#compose")
		for _, shown := range []*page{s.b.get(path), s.b.send(http.MethodPost, path+"/plan", form.Encode())} {
			if got := textOf(shown.one(t, testid("plan-verdict")+" .needs-js")); got != "Nothing has changed yet." {
				t.Errorf("%s: the verdict on what is saved is %q", post.Status, got)
			}
			if got := textOf(shown.one(t, testid("plan-verdict")+" .needs-no-js")); got != "Ready to save." {
				t.Errorf("%s: without scripts, the verdict is %q", post.Status, got)
			}
		}
	}
	saved := s.b.get("/posts/"+queued.ID+"/edit").form(t, "#compose")
	for name, value := range map[string]string{
		"text": "one line", "tags": "bread", "at": "2026-10-07T18:00", "when": "draft", "settings.threads.topicTag": "bread",
	} {
		form := maps.Clone(saved)
		form.Set(name, value)
		page := s.b.send(http.MethodPost, "/posts/"+queued.ID+"/edit/plan", form.Encode())
		if got := textOf(page.one(t, testid("plan-verdict"))); got != "Ready to save." {
			t.Errorf("after a change of %s, the verdict is %q", name, got)
		}
	}
}

// The form has no files of its own. It leaves a draft's alone, plans with them, and offers what goes with them.
func TestEditingADraftLeavesItsFilesAlone(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	photo := s.ws.File("photo.jpg", mediatest.JPEG(640, 640))
	when := contract.When{Word: "draft"}
	made, err := s.App.CreatePosts(t.Context(), s.ws.Owner, contract.CreatePosts{Confirm: true, PlanPosts: contract.PlanPosts{
		Targets: contract.Targets{AccountIDs: []string{s.threads.ID}}, MediaIDs: []string{photo.ID}, When: &when,
		PerPlatform: map[string]json.RawMessage{"threads": json.RawMessage(`{"altText":"A bridge"}`)},
	}})
	must(t, err)
	path := "/posts/" + made.Posts[0].ID + "/edit"
	page := s.b.get(path).is(t, http.StatusOK)
	if page.value(t, "settings.threads.altText") != "A bridge" || len(page.all(testid("plan-row"))) != 1 ||
		len(page.all(testid("issue"))) != 0 {
		t.Errorf("the form says %s", page.text())
	}
	s.b.post(path, "text", "", "when", "now", "settings.threads.altText", "A long bridge").leads(t, "/posts/"+
		made.Posts[0].ID)
	p, err := s.App.GetPost(t.Context(), s.ws.Owner, made.Posts[0].ID)
	must(t, err)
	if p.Status != "queued" || len(p.MediaIDs) != 1 || !strings.Contains(string(p.Settings), `"A long bridge"`) {
		t.Errorf("the post is %+v", p)
	}
	if empty := s.b.get("/compose"); len(empty.all(`[name="settings.threads.altText"]`)) != 0 {
		t.Error("a form without files offers to describe one")
	}
}

func TestSavingADraftLeavesItsTimeAlone(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	draft := s.ws.Draft("before", s.threads)
	s.b.post("/posts/"+draft.ID+"/reschedule", "at", "2026-10-06T10:00", "tz", "Europe/Berlin").leads(t, "/posts/"+
		draft.ID)
	page := s.b.get("/posts/" + draft.ID + "/edit")
	page.one(t, `[name=when][value=at][checked]`)
	if page.value(t, "at") != "2026-10-06T10:00" {
		t.Errorf("the time is %s", page.value(t, "at"))
	}
	s.b.post("/posts/"+draft.ID+"/edit", "text", "after", "when", "draft", "at", "2026-10-09T10:00").is(t,
		http.StatusSeeOther)
	p, err := s.App.GetPost(t.Context(), s.ws.Owner, draft.ID)
	must(t, err)
	if p.Status != "draft" || p.PublishAt == nil || p.PublishAt.UTC().Format("2006-01-02T15:04") != "2026-10-06T08:00" {
		t.Errorf("the draft is %+v", p)
	}
}

// The editor of a post on Threads does not know the title; that of a text on Facebook warns of it.
func TestSavingADraftKeepsATitleThatIsNotPublished(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	made, err := s.App.CreatePosts(t.Context(), s.ws.Owner, contract.CreatePosts{Confirm: true, PlanPosts: contract.PlanPosts{
		Targets: contract.Targets{AccountIDs: []string{s.threads.ID, s.page.ID}},
		Title:   "At dawn", Text: "A quiet minute", When: &contract.When{Word: "draft"},
	}})
	must(t, err)
	for _, draft := range made.Posts {
		page := s.b.get("/posts/"+draft.ID+"/edit").is(t, http.StatusOK)
		warns := strings.Contains(page.text(), "Facebook does not show a title with this kind of post.")
		if onFacebook := draft.Platform == "facebook"; warns != onFacebook || strings.Contains(page.body, "At dawn") != onFacebook {
			t.Errorf("the editor on %s says %s", draft.Platform, page.text())
		}
		s.submit(page, "#compose", "text", "A loud minute").leads(t, "/posts/"+draft.ID)
		if p := s.ws.Post(draft); p.Text != "A loud minute" || p.Title == nil || *p.Title != "At dawn" {
			t.Errorf("the draft on %s is %+v", draft.Platform, p)
		}
	}
}

func TestFormsAreReadAsForms(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	for name, c := range map[string]struct {
		body, kind string
		status     int
	}{
		"JSON":        {`{"text":"x"}`, "application/json", http.StatusUnsupportedMediaType},
		"no type":     {"text=x", "", http.StatusUnsupportedMediaType},
		"bad escapes": {"text=%zz", "application/x-www-form-urlencoded", http.StatusBadRequest},
		"not UTF-8":   {"text=%ff", "application/x-www-form-urlencoded", http.StatusBadRequest},
		"a NUL":       {"text=%00", "application/x-www-form-urlencoded", http.StatusBadRequest},
		"too large": {
			"text=" + strings.Repeat("x", 1<<20), "application/x-www-form-urlencoded",
			http.StatusRequestEntityTooLarge,
		},
		"with charset": {
			"text=x&when=draft&account=" + url.QueryEscape(s.threads.ID),
			"application/x-www-form-urlencoded; charset=utf-8", http.StatusSeeOther,
		},
	} {
		if got := s.b.send(http.MethodPost, "/posts", c.body, "Content-Type", c.kind); got.StatusCode != c.status {
			t.Errorf("%s: want %d, got %d", name, c.status, got.StatusCode)
		}
	}
}

// An empty text of a network's own meant the shared one: nothing could be left out for one network.
func TestTheTextIsLeftOutForOneNetwork(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	photo := s.ws.File("photo.jpg", mediatest.JPEG(640, 640))
	form := s.written("override.facebook.none", "on", "tags", "bells", "media", photo.ID)
	form = with(form, "settings.facebook.link", "")
	page := s.b.post("/compose/plan", form...).is(t, http.StatusOK)
	page.one(t, `[name="override.facebook.none"][checked]`)
	if page.value(t, "override.facebook.text") != "For the Page only" {
		t.Error("the text that is left out is lost")
	}
	if n := len(page.all(`#preview-facebook ` + testid("preview-text"))); n != 0 {
		t.Error("the preview shows a text")
	}
	one := slices.Clone(form)
	one[slices.Index(one, s.page.ID)] = ""
	s.b.post("/compose/plan", one...).one(t, `[type=hidden][name="override.facebook.none"]`)
	s.b.post("/posts", form...).is(t, http.StatusSeeOther)
	for _, p := range s.all() {
		wordless := p.AccountID == s.page.ID
		if (p.Text == "") != wordless || (len(p.Tags) == 0) != wordless {
			t.Errorf("%s has the text %q and the tags %v", p.Platform, p.Text, p.Tags)
		}
	}
}

// What the composer sent could not be taken back, unlike what a post's page sent.
func TestWhatTheComposerSendsIsHeldForAMoment(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	undo := func() url.Values {
		page := s.b.get("/posts").is(t, http.StatusOK)
		page.says(t, "Publishing 2 posts begins in 10 seconds.")
		if len(page.all(testid("flash-next"))) > 0 {
			t.Error("it offers to view live posts before any is live")
		}
		return page.form(t, `form[action="/posts/undo"]`)
	}
	send := func(text string) {
		t.Helper()
		s.b.post("/posts", "account", s.threads.ID, "account", s.page.ID, "text", text, "when", "now").leads(t, "/posts")
	}
	send("too early")
	s.b.send(http.MethodPost, "/posts/undo", undo().Encode()).is(t, http.StatusSeeOther)
	for _, p := range s.all() {
		if p.Status != "draft" || p.Text != "too early" || p.PublishAt != nil {
			t.Errorf("after Undo: %s", p.StatusLine)
		}
	}
	send("this one")
	form := undo()
	for _, p := range s.all()[:2] {
		if s.work(p); s.ws.Post(p).Status != "queued" {
			t.Errorf("it did not wait: %s", s.ws.Post(p).StatusLine)
		}
	}
	s.Clock.Advance(10 * time.Second)
	for _, p := range s.all()[:2] {
		s.work(p)
	}
	s.b.send(http.MethodPost, "/posts/undo", form.Encode()).is(t, http.StatusSeeOther)
	for _, p := range s.all()[:2] {
		if p.Status != "live" {
			t.Errorf("it was taken back too late: %s", p.StatusLine)
		}
	}

	draft := s.ws.Draft("before", s.threads)
	s.b.post("/posts/"+draft.ID+"/edit", "text", "after", "when", "now").leads(t, "/posts/"+draft.ID)
	page := s.show(draft)
	page.says(t, "Publishing begins in 10 seconds.")
	s.b.send(http.MethodPost, "/posts/undo", page.form(t, `form[action="/posts/undo"]`).Encode()).is(t, http.StatusSeeOther)
	if p := s.ws.Post(draft); p.Status != "draft" || p.Text != "after" {
		t.Errorf("after Undo: %s", p.StatusLine)
	}
}

// A form that was submitted again later said that posts would be published that had been taken back, and offered to
// undo a colleague's change.
func TestAComposerFormThatIsSentAgainPromisesOnlyWhatIsTrue(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	pairs := []string{
		"form", "AFORMTHATWASDRAWNSOMETIME2", "account", s.threads.ID, "account", s.page.ID, "text", "hello", "when", "now",
	}
	send := func() *page {
		t.Helper()
		s.b.post("/posts", pairs...).leads(t, "/posts")
		return s.b.get("/posts").is(t, http.StatusOK)
	}
	const undo = `form[action="/posts/undo"]`
	first := send()
	send().says(t, "Publishing 2 posts begins in 10 seconds.")

	s.Clock.Advance(time.Second)
	changed, text := s.all()[0], "changed by a colleague"
	_, err := s.App.EditPost(t.Context(), s.ws.Owner, contract.EditPost{ID: changed.ID, Text: &text, InPlace: true})
	must(t, err)
	again := send()
	again.says(t, "Publishing begins in 9 seconds.")
	if before := again.form(t, undo)["before"]; len(before) != 1 || strings.Contains(before[0], changed.ID) {
		t.Errorf("it offers to undo %v", before)
	}

	s.b.send(http.MethodPost, "/posts/undo", first.form(t, undo).Encode()).is(t, http.StatusSeeOther)
	s.b.get("/posts").is(t, http.StatusOK)
	later := send()
	later.says(t, "2 posts were created.")
	if strings.Contains(later.text(), "Publishing") || len(later.all(undo)) != 0 {
		t.Errorf("it says %s", later.text())
	}
}

// The message after scheduling in the composer led to the calendar, but not that after scheduling a draft.
func TestTheMessageAboutAScheduledDraftLeadsToTheCalendar(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	draft := s.ws.Draft("hello", s.threads)
	page := s.b.get("/posts/" + draft.ID + "/edit")
	s.submit(page, "#compose", "when", "at", "at", "2026-10-07T10:00").leads(t, "/posts/"+draft.ID)
	s.show(draft).one(t, testid("flash-next")+`[href="/calendar?date=2026-10-07"]`)
}

// A form that was sent again described a colleague's picture as it had the first time.
func TestAComposerFormThatIsSentAgainChangesNothingAndSaysTheSame(t *testing.T) {
	t.Parallel()
	for when, says := range map[string]string{
		"now": "Publishing begins in 10 seconds.", "at": "Post scheduled for Wed 7 Oct 2026, 10:00 CEST", "draft": "Draft saved.",
	} {
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			s := newStudio(t)
			photo := s.ws.File("bell.jpg", mediatest.JPEG(640, 480))
			send := func() *page {
				return s.b.post("/posts", "form", "AFORMTHATWASDRAWNSOMETIME2", "account", s.threads.ID, "text", "hello",
					"media", photo.ID, "alt."+photo.ID, "A bell", "when", when, "at", "2026-10-07T10:00").is(t, http.StatusSeeOther)
			}
			first := send()
			page := s.b.get("/posts")
			page.says(t, says)
			if when == "at" {
				to := attribute(page.one(t, testid("flash-next")), "href")
				if !strings.HasSuffix(to, "/calendar?date=2026-10-07") {
					t.Errorf("the message leads to %s", to)
				}
			}
			_, err := s.App.EditMedia(t.Context(), s.ws.Owner, contract.EditMedia{
				ID: photo.ID, Description: contract.Some("A cracked bell"),
			})
			must(t, err)
			send().leads(t, first.Header.Get("Location"))
			s.b.get("/posts").says(t, says)
			file, err := s.App.GetMedia(t.Context(), s.ws.Owner, photo.ID)
			must(t, err)
			if file.Description == nil || *file.Description != "A cracked bell" || len(s.all()) != 1 {
				t.Errorf("there are %d posts, and the picture is described as %v", len(s.all()), file.Description)
			}
		})
	}
}

// An empty input said nothing about the text that the network gets.
func TestANetworksTextShowsTheSharedTextThatItReplaces(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	own := func(pairs ...string) (*page, *html.Node) {
		page := s.b.post("/compose/plan", append(pairs, "account", s.threads.ID, "account", s.page.ID, "when", "now")...)
		return page, page.is(t, http.StatusOK).one(t, "#override-threads")
	}
	page, input := own("text", "Ring\r\nthe bell")
	if got := attribute(input, "placeholder"); got != "Uses the shared text: Ring\nthe bell" || raw(input) != "" {
		t.Errorf("the input shows %q and contains %q", got, raw(input))
	}
	help := "#" + attribute(page.one(t, "[id^=override-threads][id$=help]"), "id")
	if got := textOf(page.one(t, help)); got != "Leave empty to use the shared text." {
		t.Errorf("beside the input: %q", got)
	}
	if !strings.Contains(attribute(input, "aria-describedby"), strings.TrimPrefix(help, "#")) {
		t.Error("a screen reader does not announce the help")
	}
	page.one(t, "button.needs-js[data-copies-to=override-threads]:not([hidden])")
	page, input = own()
	if got := attribute(input, "placeholder"); got != "Text for Threads, if it differs" {
		t.Errorf("without a shared text, the input shows %q", got)
	}
	page.one(t, "[data-copies-to=override-threads][hidden]")
}
