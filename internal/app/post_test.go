package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
)

func request(text string, when contract.When, accounts ...contract.Account) contract.CreatePosts {
	in := contract.CreatePosts{PlanPosts: contract.PlanPosts{Text: text, When: &when}, Confirm: true}
	for _, a := range accounts {
		in.Targets.AccountIDs = append(in.Targets.AccountIDs, a.ID)
	}
	return in
}

func now() contract.When   { return contract.When{Word: "now"} }
func draft() contract.When { return contract.When{Word: "draft"} }

func local(wall, zone string) contract.When {
	return contract.When{PublishAt: wall, Timezone: zone}
}

func (b *bench) used() int64 {
	b.t.Helper()
	who, err := b.App.Whoami(b.Context(), b.ws.Owner)
	if err != nil {
		b.t.Fatal(err)
	}
	return who.Usage.Posts.Used
}

func codes(row contract.PlanRow) []string {
	var list []string
	for _, i := range row.Issues {
		list = append(list, i.Code)
	}
	for _, w := range row.Warnings {
		list = append(list, "warning "+w.Code)
	}
	return list
}

func TestAPlanSaysWhatStandsAgainstEachRowAndChangesNothing(t *testing.T) {
	b := newBench(t)
	threads, facebook := b.ws.Account("threads"), b.ws.Account("facebook")
	long := string(make([]byte, 0, 600))
	for range 501 {
		long += "x"
	}
	for name, c := range map[string]struct {
		in   contract.CreatePosts
		want [][]string
	}{
		"nothing":          {request("fine", now(), threads, facebook), [][]string{nil, nil}},
		"too long for one": {request(long, now(), threads, facebook), [][]string{{"caption_too_long"}, nil}},
		"no text":          {request("", now(), threads, facebook), [][]string{{"text_required"}, {"text_required"}}},
		"a past time":      {request("x", local("2026-10-05T08:00", "UTC"), threads), [][]string{{"time_in_past"}}},
		"too far ahead":    {request("x", local("2027-10-07T08:00", "UTC"), threads), [][]string{{"time_too_far"}}},
		"a time that is not": {
			request("x", local("2027-03-28T02:30", "Europe/Berlin"), threads),
			[][]string{{"time_does_not_exist"}},
		},
		"a time that is twice": {
			request("x", local("2026-10-25T02:30", "Europe/Berlin"), threads),
			[][]string{{"warning time_occurs_twice"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if c.in.Text == "x" { // a text of its own, so that no other row's is the same
				c.in.Text = name
			}
			plan, err := b.App.PlanPosts(b.Context(), b.ws.Owner, c.in.PlanPosts)
			if err != nil {
				t.Fatal(err)
			}
			ok := true
			for i, row := range plan.Rows {
				if got := codes(row); !slices.Equal(got, c.want[i]) {
					t.Errorf("row %d has %v, want %v", i, got, c.want[i])
				}
				ok = ok && len(row.Issues) == 0
			}
			if plan.OK != ok || plan.Table == "" {
				t.Errorf("ok is %v with rows %+v and the table %q", plan.OK, plan.Rows, plan.Table)
			}
			_, err = b.App.CreatePosts(b.Context(), b.ws.Owner, c.in)
			if (err == nil) != plan.OK {
				t.Errorf("the plan says ok=%v, create answered %v", plan.OK, err)
			}
			var e *core.Error
			if !plan.OK && (!errors.As(err, &e) || e.Code != core.CodePlanHasIssues || len(e.Rows) != len(plan.Rows)) {
				t.Errorf("create answered %v, want plan_has_issues with the rows", err)
			}
		})
	}
}

func TestCreateRefusesInOrderAndCreatesNothing(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	with := func(change func(*contract.CreatePosts)) contract.CreatePosts {
		in := request("text", now(), account)
		change(&in)
		return in
	}
	for name, c := range map[string]struct {
		in   contract.CreatePosts
		want core.Code
	}{
		"no target": {with(func(in *contract.CreatePosts) { in.Targets = contract.Targets{} }), core.CodeInvalidRequest},
		"malformed id": {
			with(func(in *contract.CreatePosts) { in.Targets.AccountIDs = []string{"acc_1"} }),
			core.CodeNotFound,
		},
		"unknown id": {with(func(in *contract.CreatePosts) {
			in.Targets.AccountIDs = append(in.Targets.AccountIDs, core.NewID[core.AccountKind]().String())
		}), core.CodeNotFound},
		"unknown group": {with(func(in *contract.CreatePosts) { in.Targets.GroupID = new(core.NewID[core.GroupKind]().String()) }), core.CodeNotFound},
		"empty group":   {with(func(in *contract.CreatePosts) { in.Targets.GroupID = new("") }), core.CodeNotFound},
		"a file":        {with(func(in *contract.CreatePosts) { in.MediaIDs = []string{core.NewID[core.MediaKind]().String()} }), core.CodeNotFound},
		"no confirm":    {with(func(in *contract.CreatePosts) { in.Confirm = false }), core.CodeConfirmRequired},
		"bad zone first": {with(func(in *contract.CreatePosts) {
			w := local("2026-12-01T10:00", "Mars/Base")
			in.When, in.Targets.AccountIDs = &w, []string{"acc_1"}
		}), core.CodeInvalidRequest},
		"bad wall time": {
			with(func(in *contract.CreatePosts) { w := local("2026-12-01 10:00", ""); in.When = &w }),
			core.CodeInvalidRequest,
		},
		"unknown network": {with(func(in *contract.CreatePosts) { in.Overrides = map[string]contract.Override{"fedbook": {}} }), core.CodeInvalidRequest},
		"unknown setting": {with(func(in *contract.CreatePosts) {
			in.PerPlatform = map[string]json.RawMessage{"threads": json.RawMessage(`{"topictag":"x"}`)}
		}), core.CodeInvalidRequest},
		"control byte": {with(func(in *contract.CreatePosts) { in.Text = "a\x00b" }), core.CodeInvalidRequest},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := b.App.CreatePosts(b.Context(), b.ws.Owner, c.in); core.CodeOf(err) != c.want {
				t.Errorf("answered %v, want %s", err, c.want)
			}
		})
	}
	if list, err := b.App.ListPosts(b.Context(), b.ws.Owner, contract.ListPosts{}); err != nil || len(list.Posts) != 0 {
		t.Errorf("%d posts were created, error %v", len(list.Posts), err)
	}
	if used := b.used(); used != 0 {
		t.Errorf("%d slots were taken", used)
	}
}

func TestTargetsByGroupAndByNameMakeOnePostEach(t *testing.T) {
	b := newBench(t)
	one, two := b.ws.Account("threads"), b.ws.Account("facebook")
	in := request("both", now(), one)
	in.Targets.GroupID = new(b.ws.Group("everyone", one, two).ID)
	made, err := b.App.CreatePosts(b.Context(), b.ws.Owner, in)
	if err != nil || len(made.Posts) != 2 {
		t.Fatalf("made %d posts, error %v, want 2", len(made.Posts), err)
	}
	if b.used() != 2 {
		t.Errorf("%d slots used, want 2", b.used())
	}
}

func TestOverridesReplaceTextForOneNetwork(t *testing.T) {
	b := newBench(t)
	in := request("base", draft(), b.ws.Account("threads"), b.ws.Account("facebook"))
	other := "only there"
	in.Overrides = map[string]contract.Override{"facebook": {Text: &other}}
	made, err := b.App.CreatePosts(b.Context(), b.ws.Owner, in)
	if err != nil {
		t.Fatal(err)
	}
	if made.Posts[0].Text != "base" || made.Posts[1].Text != other {
		t.Errorf("texts %q and %q", made.Posts[0].Text, made.Posts[1].Text)
	}
}

// The life of a post through every move of Spec §3 and the slots they take and give back.
func TestMovesAndSlots(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	post := b.ws.Queued("moving", account, b.Clock.Now().Add(time.Hour))
	step := func(what string, got contract.Post, err error, status string, used int64) {
		t.Helper()
		if err != nil || got.Status != status || b.used() != used {
			t.Fatalf("%s: %s with %d slots, error %v; want %s with %d", what, got.Status, b.used(), err, status, used)
		}
	}
	step("created", post, nil, "queued", 1)
	later := local("2026-10-06T10:00", "Europe/Berlin")
	got, err := b.App.EditPost(b.Context(), b.ws.Owner, contract.EditPost{ID: post.ID, When: &later})
	step("rescheduled", got, err, "queued", 1)
	if want := time.Date(2026, 10, 6, 8, 0, 0, 0, time.UTC); !got.PublishAt.Equal(want) || got.TZ != "Europe/Berlin" {
		t.Errorf("rescheduled to %s in %s", got.PublishAt, got.TZ)
	}
	text := "changed"
	if _, err := b.App.EditPost(b.Context(), b.ws.Owner, contract.EditPost{ID: post.ID, Text: &text}); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("content of a queued post: %v, want a conflict", err)
	}
	got, err = b.App.CancelPost(b.Context(), b.ws.Owner, post.ID)
	step("cancelled", got, err, "draft", 0)
	if got.PublishAt != nil {
		t.Error("a cancelled post keeps its time")
	}
	if _, err := b.App.CancelPost(b.Context(), b.ws.Owner, post.ID); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("cancelling a draft: %v, want a conflict", err)
	}
	if _, err := b.App.EditPost(b.Context(), b.ws.Owner, contract.EditPost{ID: post.ID, Status: "queued"}); core.CodeOf(err) != core.CodePlanHasIssues {
		t.Errorf("queueing without a time: %v, want plan_has_issues", err)
	}
	got, err = b.App.EditPost(b.Context(), b.ws.Owner, contract.EditPost{ID: post.ID, Text: &text, When: &later})
	step("timed", got, err, "draft", 0)
	if got.PublishAt == nil || got.Text != "changed" {
		t.Errorf("the draft has the time %v and the text %q", got.PublishAt, got.Text)
	}
	got, err = b.App.EditPost(b.Context(), b.ws.Owner, contract.EditPost{ID: post.ID, Status: "queued"})
	step("queued", got, err, "queued", 1)
	at := draft()
	got, err = b.App.EditPost(b.Context(), b.ws.Owner, contract.EditPost{ID: post.ID, When: &at})
	step("taken off", got, err, "draft", 0)
	soon := now()
	got, err = b.App.EditPost(b.Context(), b.ws.Owner, contract.EditPost{ID: post.ID, When: &soon, Status: "queued"})
	step("sent", got, err, "queued", 1)
	got = b.ws.Work(got)
	step("live", got, nil, "live", 1)
	if err := b.App.DeletePost(b.Context(), b.ws.Owner, post.ID); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("deleting a live post: %v, want a conflict", err)
	}
	copied, err := b.App.DuplicatePost(b.Context(), b.ws.Owner, post.ID)
	step("duplicated", copied, err, "draft", 1)
	if copied.Text != "changed" || copied.PublishAt != nil || copied.ID == post.ID {
		t.Errorf("the copy is %+v", copied)
	}
	if err := b.App.DeletePost(b.Context(), b.ws.Owner, copied.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := b.App.GetPost(b.Context(), b.ws.Owner, copied.ID); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("a deleted post answers %v", err)
	}
}

// A slot goes back to the month it came from.
func TestACancelledPostReturnsItsSlotToItsOwnMonth(t *testing.T) {
	b := newBench(t)
	post := b.ws.Queued("october", b.ws.Account("threads"), b.Clock.Now().Add(60*24*time.Hour))
	b.Clock.Set(time.Date(2026, 11, 1, 0, 30, 0, 0, time.UTC))
	if used := b.used(); used != 0 {
		t.Fatalf("November begins with %d", used)
	}
	if _, err := b.App.CancelPost(b.Context(), b.ws.Owner, post.ID); err != nil {
		t.Fatal(err)
	}
	october, err := b.Store.In(b.ws.ID).UsedSlots(b.Context(), "2026-10")
	if err != nil || october != 0 || b.used() != 0 {
		t.Errorf("October has %d and November %d, error %v; want none", october, b.used(), err)
	}
}

// Only a draft could be deleted, so a scheduled post had to be moved to drafts first.
func TestADeletedQueuedPostReturnsItsSlot(t *testing.T) {
	b := newBench(t)
	post := b.ws.Queued("october", b.ws.Account("threads"), b.Clock.Now().Add(time.Hour))
	stranger := b.Workspace("stranger")
	if err := b.App.DeletePostEvenIfQueued(b.Context(), stranger.Owner, post.ID, ""); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("another workspace gets %v", err)
	}
	if err := b.App.DeletePost(b.Context(), b.ws.Owner, post.ID); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("the API's operation returns %v", err)
	}
	if err := b.App.DeletePostEvenIfQueued(b.Context(), b.ws.Owner, post.ID, ""); err != nil {
		t.Fatal(err)
	}
	_, err := b.App.GetPostCard(b.Context(), b.ws.Owner, post.ID)
	if core.CodeOf(err) != core.CodeNotFound || b.used() != 0 {
		t.Errorf("%d slots are used, error %v; want none, not_found", b.used(), err)
	}
}

// A month that ends while a request runs must not take the slot in one month and hold it in the next.
func TestASlotIsTakenAndHeldInOneMonth(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	end := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for ahead := range 8 { // the month ends at another look at the clock each time
		at := end.Add(-time.Duration(ahead) * time.Second)
		ticking := b.Replica(func(c *app.Config) {
			c.Now = func() time.Time { at = at.Add(time.Second); return at }
		})
		made, err := ticking.CreatePosts(b.Context(), b.ws.Owner, request("at midnight", local("2026-12-01T10:00", "UTC"), account))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.App.CancelPost(b.Context(), b.ws.Owner, made.Posts[0].ID); err != nil {
			t.Fatal(err)
		}
	}
	var used int64
	if err := b.Pool.QueryRow(b.Context(), "SELECT sum(used) FROM usage_month").Scan(&used); err != nil || used != 0 {
		t.Errorf("%d slots are lost, error %v", used, err)
	}
}

// 200 concurrent takers of 50 slots get exactly 50.
func TestSlotsAreExactUnderConcurrency(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	limit := int64(50)
	a := b.Replica(func(cfg *app.Config) {
		plan := cfg.Plans[core.PlanOwner]
		plan.Posts = &limit
		cfg.Plans = core.Plans{core.PlanOwner: plan}
	})
	var made, refused atomic.Int64
	var all sync.WaitGroup
	for range 200 {
		all.Go(func() {
			_, err := a.CreatePosts(context.WithoutCancel(b.Context()), b.ws.Owner, request("mine", now(), account))
			switch {
			case err == nil:
				made.Add(1)
			case core.CodeOf(err) == core.CodeQuotaExceeded:
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if made.Load() != limit || refused.Load() != 150 || b.used() != limit {
		t.Errorf("%d made, %d refused, %d counted; want 50, 150, 50", made.Load(), refused.Load(), b.used())
	}
}

func TestListsPageWithoutGapsOrTwins(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	var want []string
	for i := range 7 {
		want = append(want, b.ws.Queued("page", account, b.Clock.Now().Add(time.Duration(1+i/2)*time.Hour)).ID)
	}
	for _, order := range []string{"asc", "desc"} {
		var got []string
		in := contract.ListPosts{Limit: 2, Order: order, Status: "queued"}
		for {
			page, err := b.App.ListPosts(b.Context(), b.ws.Owner, in)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range page.Posts {
				got = append(got, p.ID)
			}
			if page.NextCursor == nil {
				break
			}
			in.Cursor = *page.NextCursor
		}
		if order == "desc" {
			slices.Reverse(got)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", order, got, want)
		}
	}
	for name, in := range map[string]contract.ListPosts{
		"status": {Status: "gone"}, "cursor": {Cursor: "x"}, "from": {From: "yesterday"}, "limit": {Limit: 101},
		"order":                      {Order: "up"},
		"cursor, before the account": {AccountID: "acc_none", Cursor: "x"},
		"time, before the group":     {GroupID: "grp_none", To: "tomorrow"},
	} {
		if _, err := b.App.ListPosts(b.Context(), b.ws.Owner, in); core.CodeOf(err) != core.CodeInvalidRequest {
			t.Errorf("%s: %v, want invalid_request", name, err)
		}
	}
}

func TestARefusedSearchSaysWhatIsWrongWithItsText(t *testing.T) {
	b := newBench(t)
	_, err := b.App.ListPosts(b.Context(), b.ws.Owner, contract.ListPosts{Q: "bell\x07"})
	if e := want(t, core.CodeInvalidRequest, err); e.Message != "The search text contains the control character U+0007." {
		t.Errorf("it says %q", e.Message)
	}
}

// Nothing is shared: every operation answers another workspace's ids as it answers unknown ones (Spec §1).
func TestAnotherWorkspacesPostsAreNotThere(t *testing.T) {
	b := newBench(t)
	other := b.Workspace("two")
	post := other.Draft("theirs", other.Account("threads"))
	unknown := core.NewID[core.PostKind]().String()
	soon := now()
	for name, verb := range map[string]func(id string) error{
		"get": func(id string) error { _, err := b.App.GetPost(b.Context(), b.ws.Owner, id); return err },
		"edit": func(id string) error {
			_, err := b.App.EditPost(b.Context(), b.ws.Owner, contract.EditPost{ID: id, When: &soon})
			return err
		},
		"cancel": func(id string) error { _, err := b.App.CancelPost(b.Context(), b.ws.Owner, id); return err },
		"retry": func(id string) error {
			_, err := b.App.RetryPost(b.Context(), b.ws.Owner, contract.RetryPost{ID: id})
			return err
		},
		"duplicate": func(id string) error { _, err := b.App.DuplicatePost(b.Context(), b.ws.Owner, id); return err },
		"delete":    func(id string) error { return b.App.DeletePost(b.Context(), b.ws.Owner, id) },
		"events": func(id string) error {
			_, err := b.App.ListPostEventsAndNextRetry(b.Context(), b.ws.Owner, id)
			return err
		},
		"settle": func(id string) error {
			_, err := b.App.ResolveOutcome(b.Context(), b.ws.Owner, id, contract.ResolveOutcome{})
			return err
		},
	} {
		theirs, none := contract.ErrorOf(verb(post.ID), ""), contract.ErrorOf(verb(unknown), "")
		if theirs.Code != "not_found" || theirs.Message != none.Message || theirs.Hint != none.Hint {
			t.Errorf("%s: another's post answers %+v, an unknown one %+v", name, theirs, none)
		}
	}
}

// A plain date is a day of the workspace's zone, also where its clocks skip midnight: in Santiago de Chile the
// 6th of September 2026 begins at one o'clock, and the last hour of the 5th was taken for its first.
func TestADayBeginsWhereItsClocksDo(t *testing.T) {
	b := newBench(t)
	b.Clock.Set(time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC))
	ws := b.WorkspaceOn(core.PlanOwner, "south", "America/Santiago")
	account := ws.Account("threads")
	late := ws.Queued("half past eleven", account, time.Date(2026, 9, 6, 3, 30, 0, 0, time.UTC))
	early := ws.Queued("half past one", account, time.Date(2026, 9, 6, 4, 30, 0, 0, time.UTC))
	for in, want := range map[contract.ListPosts]string{
		{From: "2026-09-06"}: early.ID, {To: "2026-09-05"}: late.ID,
		{From: "2026-09-06", To: "2026-09-06"}: early.ID, {From: "2026-09-05", To: "2026-09-05"}: late.ID,
	} {
		got, err := b.App.ListPosts(b.Context(), ws.Owner, in)
		must(t, err)
		if len(got.Posts) != 1 || got.Posts[0].ID != want {
			t.Errorf("%+v: %d posts", in, len(got.Posts))
		}
	}
}

// decisions.md, Shape of the API: the body is judged before the ids.
func TestABadBodyComesBeforeAnUnknownPost(t *testing.T) {
	b := newBench(t)
	unknown := core.NewID[core.PostKind]().String()
	text, tags := "a\x00b", []string{""}
	for name, in := range map[string]contract.EditPost{
		"text": {Text: &text}, "title": {Title: contract.Some(text)}, "tags": {Tags: &tags}, "status": {Status: "live"},
		"settings": {Settings: &map[string]json.RawMessage{"threads": json.RawMessage(`{"topic":1}`)}},
		"when":     {When: &contract.When{Word: "soon"}},
		"zone":     {When: &contract.When{PublishAt: "2026-12-01T10:00", Timezone: "Mars"}},
	} {
		in.ID = unknown
		_, err := b.App.EditPost(b.Context(), b.ws.Owner, in)
		if core.CodeOf(err) != core.CodeInvalidRequest {
			t.Errorf("%s: %v, want invalid_request", name, err)
		}
	}
}

func TestPostsAreFoundInTheOrderOfTheirIDsWithoutThoseOfOthers(t *testing.T) {
	b := newBench(t)
	other := b.Workspace("two")
	theirs := other.Draft("theirs", other.Account("threads"))
	account := b.ws.Account("threads")
	one, two := b.ws.Draft("one", account), b.ws.Draft("two", account)
	wanted := []string{two.ID, one.ID}
	cards, err := b.App.FindPostCards(b.Context(), b.ws.Owner,
		[]string{two.ID, theirs.ID, "post_unknown", core.NewID[core.PostKind]().String(), one.ID})
	must(t, err)
	var found []string
	for _, card := range cards {
		found = append(found, card.ID)
	}
	if !slices.Equal(found, wanted) {
		t.Errorf("it found %v, want %v", found, wanted)
	}
	many := slices.Repeat([]string{core.NewID[core.PostKind]().String()}, app.MaxBulk)
	if cards, err = b.App.FindPostCards(b.Context(), b.ws.Owner, append(many, one.ID)); err != nil || len(cards) > 0 {
		t.Errorf("beyond the maximum of ids, it found %v, %v", cards, err)
	}
}

// Two statements in a row saw a post that was queued in between in the list as a draft, and counted it as queued.
func TestAListAndItsCountsAreOfOneMoment(t *testing.T) {
	b := newBench(t)
	draft := b.ws.Draft("hello", b.ws.Account("threads"))
	counted, log := b.counted()
	log.before = func(sql string) {
		if !strings.Contains(sql, "FROM (VALUES ('draft')") {
			return
		}
		log.before = nil
		now := now()
		_, err := b.App.EditPost(b.Context(), b.ws.Owner, contract.EditPost{ID: draft.ID, When: &now, Status: "queued"})
		must(t, err)
	}
	cards, _, counts, err := counted.ListPostCards(b.Context(), b.ws.Owner, contract.ListPosts{}, "")
	must(t, err)
	if log.before != nil {
		t.Fatal("nobody changed the post in between")
	}
	if len(cards) != 1 || counts[core.PostStatus(cards[0].Status)] != 1 {
		t.Errorf("the list has %+v, and the counts are %v", cards, counts)
	}
}
