package app_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/media/mediatest"
	"belfry/internal/network/sim"
)

// option changes what the simulated networks tell.
func (b *bench) option(name, value string) {
	b.t.Helper()
	must(b.t, b.Sim.SetOption(name, value))
}

// found returns the codes of the plan's only row.
func (b *bench) found(in contract.CreatePosts) []string {
	b.t.Helper()
	plan, err := b.App.PlanPosts(b.Context(), b.ws.Owner, in.PlanPosts)
	must(b.t, err)
	return codes(plan.Rows[0])
}

// facts returns what is known of an account now.
func (b *bench) facts(account contract.Account) core.Facts {
	b.t.Helper()
	all, err := b.App.GetStoredAccountFacts(b.Context(), b.ws.Owner)
	must(b.t, err)
	return all[account.ID]
}

// named counts the calls to the networks with this name; all for "".
func (b *bench) named(call string) int {
	n := 0
	for _, c := range b.Sim.Calls.ListLast(0) {
		if call == "" || c.Call == call {
			n++
		}
	}
	return n
}

func video(b *bench, length time.Duration) contract.Media {
	return b.ws.File("clip.mp4", mediatest.MP4(mediatest.Movie{Duration: length}))
}

func TestAPlanKnowsWhatANetworkTellsOfAnAccount(t *testing.T) {
	b := newBench(t)
	b.option("tiktok.account", "private")
	b.option("tiktok.longest_seconds", "5")
	b.option("youtube.long_uploads", "eligible")
	b.option("threads.quota_total", "1")
	clips, channel, threads := b.ws.Account("tiktok"), b.ws.Account("youtube"), b.ws.Account("threads")
	short, long := video(b, 3*time.Second), video(b, 16*time.Minute)
	with := func(account contract.Account, file contract.Media, settings string) contract.CreatePosts {
		in := request("A quiet morning", now(), account)
		in.MediaIDs = []string{file.ID}
		if account.ID == channel.ID {
			in.Title = "Morning"
		}
		in.PerPlatform = map[string]json.RawMessage{account.Platform: json.RawMessage(settings)}
		return in
	}
	if got := b.found(with(clips, short, `{"privacyLevel": "PUBLIC_TO_EVERYONE"}`)); got != nil {
		t.Errorf("before the network was asked: %v", got)
	}
	if n := checkAll(t, b.Harness); n != 3 {
		t.Fatalf("%d accounts are checked after connecting, want 3", n)
	}
	b.ws.Work(b.ws.Now("the only one", threads))
	b.Clock.Advance(11 * time.Minute)
	must(t, b.App.EnqueueRefreshOfStaleFacts(b.Context(), b.ws.Owner))
	checkAll(t, b.Harness)
	for name, c := range map[string]struct {
		in   contract.CreatePosts
		want []string
	}{
		"an audience it lacks":    {with(clips, short, `{"privacyLevel": "PUBLIC_TO_EVERYONE"}`), []string{"setting_unavailable"}},
		"an audience it has":      {with(clips, short, `{"privacyLevel": "SELF_ONLY"}`), nil},
		"no audience":             {with(clips, short, `{}`), nil},
		"too long for it":         {with(clips, video(b, 6*time.Second), `{}`), []string{"duration_too_long"}},
		"too long for anyone":     {with(clips, long, `{}`), []string{"duration_too_long"}},
		"a long upload":           {with(channel, long, `{}`), []string{"duration_too_long", "warning not_a_short"}},
		"a shorter upload":        {with(channel, short, `{}`), nil},
		"a quota that is used up": {request("one more", now(), threads), []string{"warning account_limit_near"}},
		"within the window":       {request("one more", local("2026-10-06T09:00", "UTC"), threads), []string{"warning account_limit_near"}},
		"after the window":        {request("one more", local("2026-10-07T09:00", "UTC"), threads), nil},
		"a draft":                 {request("one more", draft(), threads), []string{"warning account_limit_near"}},
	} {
		if got := b.found(c.in); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	_, err := b.App.CreatePosts(b.Context(), b.ws.Owner, with(clips, short, `{"privacyLevel": "PUBLIC_TO_EVERYONE"}`))
	want(t, core.CodePlanHasIssues, err)

	// A draft is queued by the same rules.
	drafted := with(clips, short, `{"privacyLevel": "PUBLIC_TO_EVERYONE"}`)
	drafted.When = &contract.When{Word: "now"}
	b.option("tiktok.account", "public")
	b.Clock.Advance(11 * time.Minute)
	must(t, b.App.EnqueueRefreshOfStaleFacts(b.Context(), b.ws.Owner))
	checkAll(t, b.Harness)
	drafted.When = &contract.When{Word: "draft"}
	made, err := b.App.CreatePosts(b.Context(), b.ws.Owner, drafted)
	must(t, err)
	b.option("tiktok.account", "private")
	b.Clock.Advance(11 * time.Minute)
	must(t, b.App.EnqueueRefreshOfStaleFacts(b.Context(), b.ws.Owner))
	checkAll(t, b.Harness)
	_, err = b.change(made.Posts[0], contract.EditPost{Status: "queued", When: new(now())})
	want(t, core.CodePlanHasIssues, err)

	// A week without an answer, and the facts say nothing.
	b.Fault(sim.Fault{Kind: sim.ServerError, Times: new(0)})
	for range 7 {
		b.Clock.Advance(24 * time.Hour)
		checkAll(t, b.Harness)
	}
	if got := b.found(with(clips, short, `{"privacyLevel": "PUBLIC_TO_EVERYONE"}`)); !slices.Equal(got, []string{"setting_unavailable"}) {
		t.Errorf("after a week: %v", got)
	}
	b.Clock.Advance(time.Second)
	if got := b.found(with(clips, short, `{"privacyLevel": "PUBLIC_TO_EVERYONE"}`)); got != nil {
		t.Errorf("after more than a week: %v", got)
	}
}

func TestNoPlanAsksANetwork(t *testing.T) {
	b := newBench(t)
	var accounts []contract.Account
	for _, platform := range []string{"youtube", "instagram", "facebook", "threads", "tiktok"} {
		accounts = append(accounts, b.ws.Account(platform))
	}
	check := func(when string) {
		t.Helper()
		calls, jobs := b.named(""), b.Jobs("check")
		for _, when := range []contract.When{now(), draft(), local("2026-12-01T10:00", "UTC")} {
			_, err := b.App.PlanPosts(b.Context(), b.ws.Owner, request("hello", when, accounts...).PlanPosts)
			must(t, err)
			_, err = b.App.GetStoredAccountFacts(b.Context(), b.ws.Owner)
			must(t, err)
		}
		if got := b.named("") - calls; got != 0 {
			t.Errorf("%s: %d calls to networks", when, got)
		}
		if got := b.Jobs("check") - jobs; got != 0 {
			t.Errorf("%s: %d checks", when, got)
		}
	}
	check("before anything was told")
	checkAll(t, b.Harness)
	check("after it was told")
	b.Clock.Advance(30 * 24 * time.Hour)
	check("when it is old")
}

func TestFactsAreAskedForAgainWhenSomebodyWritesAfterTenMinutes(t *testing.T) {
	b := newBench(t)
	threads, page := b.ws.Account("threads"), b.ws.Account("facebook")
	jobs := b.Jobs("check")
	if jobs != 1 {
		t.Errorf("%d checks after connecting two accounts, one of which tells facts", jobs)
	}
	refresh := func(want int, when string) {
		t.Helper()
		must(t, b.App.EnqueueRefreshOfStaleFacts(b.Context(), b.ws.Owner))
		if got := b.Jobs("check") - jobs; got != want {
			t.Errorf("%s: %d checks, want %d", when, got, want)
		}
		jobs = b.Jobs("check")
	}
	refresh(0, "before the first answer")
	checkAll(t, b.Harness)
	b.Clock.Advance(10*time.Minute - time.Second)
	refresh(0, "soon after the answer")
	b.Clock.Advance(time.Second)
	refresh(1, "ten minutes after it")
	refresh(0, "at once again")
	checkAll(t, b.Harness)
	if n := b.named("limit"); n != 2 {
		t.Errorf("the network was asked %d times, want twice", n)
	}
	if f := b.facts(threads); !f.ToldAt.Equal(b.Clock.Now()) || f.Quota == nil {
		t.Errorf("the facts are %+v", f)
	}
	if f := b.facts(page); !reflect.DeepEqual(f, core.Facts{}) {
		t.Errorf("facts of a network that tells none: %+v", f)
	}
	b.Fault(sim.Fault{Network: "threads", Call: "limit", Kind: sim.ServerError, Times: new(0)})
	b.Clock.Advance(10 * time.Minute)
	refresh(1, "later")
	checkAll(t, b.Harness)
	refresh(0, "after a failure")
	_, err := b.App.GetStoredAccountFacts(b.Context(), b.ws.Key(core.Read).Caller)
	must(t, err)
	want(t, core.CodeInsufficientScope, b.App.EnqueueRefreshOfStaleFacts(b.Context(), b.ws.Key(core.Read).Caller))
}

// What goes wrong with facts leaves the account, and what was told before, as it was.
func TestAnErrorOfFactsNeverTouchesTheAccount(t *testing.T) {
	for _, kind := range []string{
		sim.Reject, sim.RateLimited, sim.ServerError, sim.TruncatedJSON, sim.DropAfterAccept, sim.TokenRevoked, sim.TokenExpired,
	} {
		t.Run(kind, func(t *testing.T) {
			b := newBench(t)
			account := b.ws.Account("threads")
			checkAll(t, b.Harness)
			before := b.facts(account)
			b.Clock.Advance(25 * time.Hour)
			b.Fault(sim.Fault{Network: "threads", Call: "limit", Kind: kind, Times: new(0)})
			if n := checkAll(t, b.Harness); n != 1 || b.named("limit") < 2 {
				t.Fatalf("%d accounts checked, %d times asked", n, b.named("limit"))
			}
			if got := b.ws.StatusOf(account); got != "ok" {
				t.Errorf("the account is %s", got)
			}
			if until := stored[*time.Time](t, b.Harness, account, "held_until"); until != nil {
				t.Errorf("it is held until %s", until)
			}
			before.Quota = nil // a day has passed
			if after := b.facts(account); !reflect.DeepEqual(after, before) {
				t.Errorf("the facts are %+v", after)
			}
			if n := checkAll(t, b.Harness); n != 0 {
				t.Errorf("%d accounts are due again", n)
			}
		})
	}
}

func TestABlockedAccountIsAWarningAndItsOtherFactsStay(t *testing.T) {
	b := newBench(t)
	b.option("tiktok.account", "private")
	account := b.ws.Account("tiktok")
	checkAll(t, b.Harness)
	b.option("tiktok.posts_a_day", "0")
	b.Clock.Advance(25 * time.Hour)
	checkAll(t, b.Harness)
	in := request("hello", now(), account)
	in.MediaIDs = []string{video(b, 3*time.Second).ID}
	in.PerPlatform = map[string]json.RawMessage{"tiktok": json.RawMessage(`{"privacyLevel": "PUBLIC_TO_EVERYONE"}`)}
	if got := b.found(in); !slices.Equal(got, []string{"setting_unavailable", "warning account_blocked"}) {
		t.Errorf("the plan finds %v", got)
	}
}

func TestDisconnectingForgetsFacts(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	checkAll(t, b.Harness)
	must(t, b.App.DisconnectAccount(b.Context(), b.ws.Owner, account.ID))
	var rows int
	must(t, b.Pool.QueryRow(b.Context(), `SELECT count(*) FROM account_facts`).Scan(&rows))
	if rows != 0 {
		t.Errorf("%d facts are left", rows)
	}
	must(t, b.Store.In(b.ws.ID).SaveFactsIfConnected(b.Context(), b.ws.AccountID(account), core.Facts{LongestVideoMs: 1}))
	if f := b.facts(account); f.LongestVideoMs != 0 {
		t.Error("facts of a disconnected account are stored")
	}
}

func TestFactsStayInTheirWorkspace(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	checkAll(t, b.Harness)
	other := b.Workspace("two")
	facts, err := b.App.GetStoredAccountFacts(b.Context(), other.Owner)
	if err != nil || len(facts) != 0 {
		t.Errorf("they see %+v, %v", facts, err)
	}
	must(t, b.Store.In(other.ID).SaveFactsIfConnected(b.Context(), b.ws.AccountID(account), core.Facts{Blocked: "Not theirs to say."}))
	if f := b.facts(account); strings.Contains(f.Blocked, "theirs") {
		t.Error("another workspace has changed the facts")
	}
}
