package web_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/web"
)

// found are the names of what a search finds.
func (b *browser) found(query string) (names []string) {
	b.r.t.Helper()
	page := b.send(http.MethodGet, "/search?q="+query, "", "HX-Request", "true").is(b.r.t, http.StatusOK)
	for _, n := range page.all("[role=option] .palette-name") {
		names = append(names, textOf(n))
	}
	return names
}

func TestASearchFindsPagesActionsAccountsAndPosts(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	s.ws.Draft("The harbour bell rings at noon", s.threads)
	other := s.Workspace("other")
	other.Draft("Another harbour", other.Account("threads"))
	for query, want := range map[string]string{
		"COMPOSE": "Compose a post", "memb": "Members", "api+create": "Create an API key", "harbour": "The harbour bell rings at noon",
		strings.ReplaceAll(s.threads.DisplayName, " ", "+"): s.threads.DisplayName, "failed": "Failed posts",
		"connect+threads": "Connect an account on Threads",
	} {
		if names := s.b.found(query); !slices.Contains(names, want) {
			t.Errorf("%s finds %q, not %q", query, names, want)
		}
	}
	if names := s.b.found("harbour"); slices.Contains(names, "Another harbour") {
		t.Error("a search finds a post of another workspace")
	}
	for _, query := range []string{"zyzzyva", "%00", strings.Repeat("x", 4000)} {
		if names := s.b.found(query); len(names) != 0 {
			t.Errorf("%.20s finds %q", query, names)
		}
	}
	if names := s.b.found(""); !slices.Contains(names, "Posts") || !slices.Contains(names, "Compose a post") {
		t.Errorf("without a query, %q are offered", names)
	}
}

func TestASearchLeadsToAllPostsWhenItShowsOnlySome(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	const all = "[role=option][href='/posts?q=harbour&status=all']"
	search := func() *page {
		return s.b.send(http.MethodGet, "/search?q=harbour", "", "HX-Request", "true").is(t, http.StatusOK)
	}
	for range 6 {
		s.ws.Draft("The harbour bell", s.threads)
	}
	if n := len(search().all(all)); n != 0 {
		t.Error("it leads to more although it shows all")
	}
	s.ws.Queued("The harbour light", s.threads, s.Clock.Now().Add(time.Hour))
	options := search().all("[role=option]")
	if last := options[len(options)-1]; textOf(last) != "Show all posts with “harbour”" {
		t.Errorf("the last entry is %q", textOf(last))
	}
	page := s.b.get(attribute(search().one(t, all), "href")).is(t, http.StatusOK)
	if n := len(page.all(testid("post-row"))); n != 7 {
		t.Errorf("it leads to %d posts", n)
	}
}

// A post to five accounts filled the results.
func TestPostsThatWereComposedTogetherShareAResult(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	for _, text := range []string{"The harbour bell", "The harbour light"} {
		s.b.post("/posts", "account", s.threads.ID, "account", s.page.ID, "text", text, "when", "now").leads(t, "/posts")
		s.Clock.Advance(time.Second)
	}
	s.ws.Draft("The harbour bell", s.threads)
	if names := s.b.found("harbour"); len(names) != 3 {
		t.Errorf("the search finds %q", names)
	}
	page := s.b.get("/search?q=harbour+light").is(t, http.StatusOK)
	page.says(t, "Queued · ", "Facebook", "Threads")
	if n := len(page.all("main .palette-entry .mark")); n != 2 {
		t.Errorf("the result shows %d icons", n)
	}
	together := s.b.get(attribute(page.one(t, "main .palette-entry"), "href")).is(t, http.StatusOK)
	together.says(t, "2 posts at ", s.threads.DisplayName, s.page.DisplayName)
	together.one(t, testid("back")+`[href="/search?q=harbour+light"]`) // the page led nowhere, then to the calendar
}

func TestASearchOffersWhatTheRoleAllows(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	for role, want := range map[core.Role][]string{
		core.RoleViewer: nil, core.RoleEditor: {"Compose a post"},
		core.RoleAdmin: {"Compose a post", "Invite a member", "API keys", "Audit log"},
	} {
		names := s.seat(s.ws.Member(role)).found("")
		for _, name := range []string{"Compose a post", "Invite a member", "API keys", "Audit log"} {
			if slices.Contains(names, name) != slices.Contains(want, name) {
				t.Errorf("%s is offered %q", role, names)
			}
		}
	}
}

func TestTheSearchIsAPageWithoutScripts(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	page := s.b.get("/search?q=api").is(t, http.StatusOK)
	if got := textOf(page.all("main a[href='/settings/keys'] .palette-name")[0]); got != "Create an API key" {
		t.Errorf("the page offers %q", got)
	}
	if page.value(t, "q") != "api" {
		t.Error("the query is lost")
	}
}

func TestFirstStepsShowRealProgressUntilTheyAreHidden(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	b := r.as(ws)
	done := func() (list string) {
		for _, n := range b.get("/posts").is(t, http.StatusOK).all(testid("first-steps") + " li") {
			list += attribute(n, "data-done") + " "
		}
		return list
	}
	if got := done(); got != "false false false " {
		t.Errorf("a new workspace has done %s", got)
	}
	account := ws.Account("threads")
	draft := ws.Draft("hello", account)
	if got := done(); got != "true false false " {
		t.Errorf("with an account and a draft, %s", got)
	}
	post := ws.Now("hello", account)
	if got := done(); got != "true false true " {
		t.Errorf("with a post on its way, %s", got)
	}
	ws.Work(post)
	if got := done(); got != "true false true " {
		t.Errorf("with a live post, %s", got)
	}
	b.get("/posts/"+draft.ID).is(t, http.StatusOK)
	b.post("/first-steps/hide").leads(t, "/posts")
	if got := done(); got != "" {
		t.Errorf("hidden, they say %s", got)
	}
	two := r.Workspace("two")
	account = two.Account("threads")
	two.Queued("hello", account, r.Clock.Now().Add(time.Hour))
	two.File("bell.jpg", []byte("not a picture"))
	if n := len(r.as(two).get("/posts").all(testid("first-steps"))); n != 0 {
		t.Error("they stay when all is done")
	}
}

func TestShortcutsOfOneKeyCanBeSwitchedOff(t *testing.T) {
	t.Parallel()
	r := open(t)
	b := r.as(r.Workspace("one"))
	off := func() bool { return len(b.get("/posts").is(t, http.StatusOK).all("body[data-shortcuts=off]")) == 1 }
	if off() {
		t.Error("they are off at first")
	}
	form := b.get("/settings/appearance").form(t, testid("shortcuts-form"))
	if form.Get("shortcuts") != "on" {
		t.Error("the profile does not say that they are on")
	}
	b.post("/settings/shortcuts").leads(t, "/settings/appearance")
	if !off() {
		t.Error("they are still on")
	}
	b.post("/settings/shortcuts", "shortcuts", "on").leads(t, "/settings/appearance")
	if off() {
		t.Error("they are still off")
	}
}

func TestTheDesignSystemIsShownInSandboxModeOnly(t *testing.T) {
	t.Parallel()
	page := open(t).browser().get("/design").is(t, http.StatusOK)
	page.says(t, "accent-soft", "Schedule 3 posts", "triangle-alert")
	live := openWith(t, func(c *web.Config) { c.SandboxPath = "" })
	live.browser().get("/design").is(t, http.StatusNotFound)
}

func TestASearchShowsTheWordsThatItFound(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	_, err := s.App.CreatePosts(t.Context(), s.ws.Owner, contract.CreatePosts{Confirm: true, PlanPosts: contract.PlanPosts{
		Targets: contract.Targets{AccountIDs: []string{s.page.ID}}, When: &contract.When{Word: "draft"}, Title: "From the counter",
		Text: "Good morning from Quay Street. The ovens are on.\n\nRye or <b>Cinnamon</b>? Tell us at the counter.",
	}})
	must(t, err)
	s.ws.Draft("Cinnamon rolls, and more cinnamon", s.threads)
	s.ws.Draft(strings.Repeat("bread ", 40)+"and cinnamon", s.threads)
	marks := func(page *page, of string) (list []string) {
		for _, n := range page.all(of + " mark") {
			list = append(list, textOf(n))
		}
		return list
	}
	for address, inPage := range map[string]struct{ name, passage string }{
		"/posts?status=draft&q=CINNAMON": {".row-text", testid("row-match")},
		"/search?q=CINNAMON":             {".palette-name", testid("palette-passage")},
	} {
		page := s.b.get(address).is(t, http.StatusOK)
		if got := marks(page, inPage.name); !slices.Equal(got, []string{"Cinnamon", "cinnamon"}) {
			t.Errorf("%s marks %q in what is shown", address, got)
		}
		if got := marks(page, inPage.passage); !slices.Equal(got, []string{"cinnamon", "Cinnamon"}) {
			t.Errorf("%s marks %q in the passages", address, got)
		}
		passages := page.all(inPage.passage)
		if got, want := textOf(passages[1]), "…from Quay Street. The ovens are on. Rye or <b>Cinnamon</b>? Tell us at the counter."; got != want {
			t.Errorf("%s shows the passage %q, want %q", address, got, want)
		}
	}
	if page := s.b.get("/posts?status=draft"); len(page.all("mark, "+testid("row-match"))) != 0 {
		t.Error("without a search, the list marks words")
	}
}
