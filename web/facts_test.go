package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"belfry/internal/contract"
	"belfry/internal/media/mediatest"
)

// checkAccounts does what the worker does: it asks the networks about the accounts that are due.
func (s *studio) checkAccounts() {
	s.t.Helper()
	due, err := s.App.ListDueAccountChecks(s.t.Context())
	must(s.t, err)
	for _, job := range due {
		must(s.t, s.App.CheckAndUpdateDueAccount(s.t.Context(), job.Workspace, job.Account))
	}
}

// offered returns the choices of a setting that a person can pick.
func (p *page) offered(setting string) string {
	var values []string
	for _, option := range p.all(`[name="` + setting + `"] option:not([disabled])`) {
		values = append(values, attribute(option, "value"))
	}
	return strings.Join(values, " ")
}

const audience = "settings.tiktok.privacyLevel"

func TestTheComposerOffersWhatTheChosenAccountsShare(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	open := s.ws.Account("tiktok")
	s.checkAccounts()
	must(t, s.Sim.SetOption("tiktok.account", "private"))
	closed := s.ws.Account("tiktok")
	s.checkAccounts()
	calls := len(s.Sim.Calls.ListLast(0))
	for name, c := range map[string]struct {
		pairs []string
		want  string
	}{
		"no account":       {nil, " PUBLIC_TO_EVERYONE MUTUAL_FOLLOW_FRIENDS FOLLOWER_OF_CREATOR SELF_ONLY"},
		"a public account": {[]string{"account", open.ID}, " PUBLIC_TO_EVERYONE MUTUAL_FOLLOW_FRIENDS SELF_ONLY"},
		"a private one":    {[]string{"account", closed.ID}, " MUTUAL_FOLLOW_FRIENDS FOLLOWER_OF_CREATOR SELF_ONLY"},
		"both":             {[]string{"account", open.ID, "account", closed.ID}, " MUTUAL_FOLLOW_FRIENDS SELF_ONLY"},
		"one and a choice that it lacks": {
			[]string{"account", closed.ID, audience, "PUBLIC_TO_EVERYONE"},
			" PUBLIC_TO_EVERYONE MUTUAL_FOLLOW_FRIENDS FOLLOWER_OF_CREATOR SELF_ONLY",
		},
	} {
		page := s.b.post("/compose/plan", append(c.pairs, "text", "hello", "when", "draft")...).is(t, http.StatusOK)
		if got := page.offered(audience); got != c.want {
			t.Errorf("%s: it offers %q, want %q", name, got, c.want)
		}
	}
	if n := len(s.Sim.Calls.ListLast(0)); n != calls {
		t.Errorf("%d calls to networks", n-calls)
	}
}

func TestTheComposerNamesTheAccountsWhoseSwitchIsAlwaysOn(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	must(t, s.Sim.SetOption("tiktok.account", "quiet"))
	quiet := s.ws.Account("tiktok")
	s.checkAccounts()
	page := s.b.get("/compose").is(t, http.StatusOK)
	page.says(t, "Nobody can comment. Always on for "+quiet.DisplayName+".")
}

func TestTheComposerHasTheNetworksAskedWithoutWaiting(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	s.checkAccounts()
	s.Clock.Advance(10 * time.Minute)
	calls, jobs := len(s.Sim.Calls.ListLast(0)), s.Jobs("check")
	s.b.get("/compose").is(t, http.StatusOK)
	s.b.get("/compose").is(t, http.StatusOK)
	if n := s.Jobs("check") - jobs; n != 1 {
		t.Errorf("%d checks, want one for the account whose network tells facts", n)
	}
	if n := len(s.Sim.Calls.ListLast(0)) - calls; n != 0 {
		t.Errorf("the page waited for %d calls", n)
	}
	s.b.part(http.MethodPost, "/compose/plan", "account", s.threads.ID, "text", "hello", "when", "now").is(t, http.StatusOK)
	if n := s.Jobs("check") - jobs; n != 1 {
		t.Errorf("a plan has the networks asked")
	}
}

// The network's rules forbid a choice that nobody made.
func TestAPersonMustChooseWhoCanSeeThePost(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	account := s.ws.Account("tiktok")
	page := s.b.get("/compose?account="+account.ID).is(t, http.StatusOK)
	if len(page.all(`[name="`+audience+`"] option[selected]`)) != 1 ||
		attribute(page.one(t, `[name="`+audience+`"] option[selected]`), "value") != "" {
		t.Error("an audience is chosen already")
	}
	page.says(t, "Choose…")
	pairs := []string{"account", account.ID, "text", "hello", "when", "now"}
	const words = `Select an option for “Who can see the post” on TikTok.`
	part := s.b.part(http.MethodPost, "/compose/plan", pairs...).is(t, http.StatusOK)
	part.says(t, words)
	if len(part.all("[data-ready]")) != 0 {
		t.Error("it may be sent")
	}
	s.b.post("/posts", append(pairs, "form", "AFORMTHATWASDRAWNSOMETIME4")...).is(t, http.StatusBadRequest).
		one(t, testid("setting-tiktok-privacyLevel-error"))
	if len(s.all()) != 0 {
		t.Fatal("a post was made")
	}

	// A draft needs no choice until it is queued.
	file := s.ws.File("clip.mp4", mediatest.MP4(mediatest.Movie{}))
	in := contract.CreatePosts{PlanPosts: contract.PlanPosts{
		Targets: contract.Targets{AccountIDs: []string{account.ID}}, Text: "hello", MediaIDs: []string{file.ID},
	}, Confirm: true}
	made, err := s.App.CreatePosts(t.Context(), s.ws.Owner, in)
	must(t, err)
	draft := "/posts/" + made.Posts[0].ID
	s.b.post(draft+"/edit", "text", "hello", "when", "draft").leads(t, draft)
	s.b.post(draft+"/edit", "text", "hello", "when", "now").is(t, http.StatusBadRequest).says(t, words)
	s.b.post(draft+"/edit", "text", "hello", "when", "now", audience, "SELF_ONLY").leads(t, draft)
}
