package app_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
)

func (b *bench) schedule(every core.Shift, drafts ...contract.Post) app.BulkResult {
	b.t.Helper()
	got, err := b.App.ApplyBulkAction(b.Context(), b.ws.Owner, app.BulkAction{
		Act: core.ActQueue, IDs: idsOf(drafts), First: local("2026-10-20T10:00", "UTC"), Every: every,
	})
	must(b.t, err)
	return got
}

func TestDraftsAreScheduledTogetherOrOneAfterAnother(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	first := time.Date(2026, 10, 20, 10, 0, 0, 0, time.UTC)
	dated := b.ws.Draft("has a time", account)
	when := local("2026-10-06T10:00", "UTC")
	dated = b.edit(dated, contract.EditPost{When: &when})
	drafts := []contract.Post{b.ws.Draft("one", account), dated, b.ws.Draft("three", account)}
	for every, step := range map[core.Shift]time.Duration{
		{}: 0, {Hours: 5}: 5 * time.Hour, {Days: 2}: 48 * time.Hour,
	} {
		got := b.schedule(every, drafts...)
		if got.Done != 3 || len(got.Refused) != 0 || len(got.Undo) != 3 {
			t.Fatalf("%+v: %+v", every, got)
		}
		for i, p := range drafts {
			want := first.Add(time.Duration(i) * step)
			if p = b.ws.Post(p); p.Status != "queued" || !p.PublishAt.Equal(want) || !got.Times[i].Equal(want) {
				t.Errorf("%+v: draft %d is %s and said to be for %s", every, i, p.StatusLine, got.Times[i])
			}
		}
		if b.used() != 3 {
			t.Errorf("%d slots are used", b.used())
		}
		undone, err := b.App.RestorePostSchedules(b.Context(), b.ws.Owner, got.Undo)
		must(t, err)
		if p := b.ws.Post(dated); undone.Done != 3 || p.Status != "draft" || !p.PublishAt.Equal(dated.PublishAt.Time) {
			t.Errorf("undone: %+v, and the draft with a time is %s", undone, p.StatusLine)
		}
	}
}

// The clocks of New York go back on 1 November. The workspace's zone is UTC.
func TestScheduledDraftsTakeTheZoneOfTheirTime(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	elsewhere := b.ws.Draft("has another zone", account)
	when := local("2026-10-06T10:00", "Asia/Tokyo")
	drafts := []contract.Post{b.ws.Draft("one", account), b.edit(elsewhere, contract.EditPost{When: &when})}
	got, err := b.App.ApplyBulkAction(b.Context(), b.ws.Owner, app.BulkAction{
		Act: core.ActQueue, IDs: idsOf(drafts), First: local("2026-10-31T10:00", "America/New_York"),
		Every: core.Shift{Days: 1},
	})
	if must(t, err); got.Done != 2 {
		t.Fatalf("%+v", got)
	}
	for i, want := range []time.Time{
		time.Date(2026, 10, 31, 14, 0, 0, 0, time.UTC), time.Date(2026, 11, 1, 15, 0, 0, 0, time.UTC),
	} {
		p := b.ws.Post(drafts[i])
		if p.TZ != "America/New_York" || !p.PublishAt.Equal(want) {
			t.Errorf("draft %d: %s in %s, want %s in America/New_York", i, p.PublishAt, p.TZ, want)
		}
	}
	if _, err := b.App.RestorePostSchedules(b.Context(), b.ws.Owner, got.Undo); err != nil {
		t.Fatal(err)
	}
	for i, was := range drafts {
		if is := b.ws.Post(drafts[i]); is.StatusLine != was.StatusLine || is.TZ != was.TZ {
			t.Errorf("undone, draft %d is %s in %s, want %s in %s", i, is.StatusLine, is.TZ, was.StatusLine, was.TZ)
		}
	}
}

func TestDraftsAreScheduledOnlyForTimesInOrder(t *testing.T) {
	b := newBench(t)
	draft := b.ws.Draft("hello", b.ws.Account("threads"))
	at := local("2026-10-20T10:00", "UTC")
	for name, in := range map[string]app.BulkAction{
		"first":         {First: contract.When{Word: "draft"}},
		"first, now":    {First: contract.When{Word: "now"}},
		"every":         {First: at, Every: core.Shift{Hours: -1}},
		"every, long":   {First: at, Every: core.Shift{Days: 367}},
		"every, to day": {First: at, Every: core.Shift{Day: b.Clock.Now()}},
	} {
		in.Act, in.IDs = core.ActQueue, []string{draft.ID}
		_, err := b.App.ApplyBulkAction(b.Context(), b.ws.Owner, in)
		field, _, _ := strings.Cut(name, ",")
		if e, ok := errors.AsType[*core.Error](err); !ok || e.Code != core.CodeInvalidRequest || e.Path != field {
			t.Errorf("%s: %v", name, err)
		}
	}
	b.wantsStatuses("draft", draft)
}

func TestDraftsAreScheduledAllOrNone(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	good, empty := b.ws.Draft("good", account), b.ws.Draft("empty", account)
	empty = b.edit(empty, contract.EditPost{Text: new("")})
	queued, gone := b.ws.Queued("queued", account, b.Clock.Now().Add(time.Hour)), b.ws.Draft("gone", account)
	must(t, b.App.DeletePost(b.Context(), b.ws.Owner, gone.ID))
	got := b.schedule(core.Shift{}, good, empty, queued, gone)
	if got.Done != 0 || len(got.Undo) != 0 || len(got.Refused) != 3 {
		t.Fatalf("%+v", got)
	}
	for i, want := range []struct {
		post contract.Post
		code core.Code
	}{{empty, core.CodePlanHasIssues}, {queued, core.CodeConflict}, {gone, core.CodeConflict}} {
		if r := got.Refused[i]; r.ID != want.post.ID || r.Cause.Code != want.code || r.Post.Text != want.post.Text && want.post.ID != gone.ID {
			t.Errorf("refusal %d is of %q with %s", i, r.Post.Text, r.Cause.Code)
		}
	}
	b.wantsStatuses("draft", good, empty)
	if b.used() != 1 {
		t.Errorf("%d slots are used", b.used())
	}
	tooFar := b.schedule(core.Shift{Days: 366}, good, b.ws.Draft("later", account))
	if tooFar.Done != 0 || tooFar.Refused[0].Cause.Rows[0].Issues[0].Code != core.IssueTimeTooFar.Code {
		t.Errorf("a year later: %+v", tooFar)
	}
}

func TestDraftsBeyondTheQuotaAreNotScheduled(t *testing.T) {
	b := newBench(t)
	b.ws.Use(core.PlanFree)
	account := b.ws.Account("threads")
	var drafts []contract.Post
	for range 31 {
		drafts = append(drafts, b.ws.Draft("hello", account))
	}
	got := b.schedule(core.Shift{Hours: 1}, drafts...)
	if got.Done != 0 || len(got.Refused) != 1 || got.Refused[0].Cause.Code != core.CodeQuotaExceeded || b.used() != 0 {
		t.Errorf("31 of 30: %+v, and %d slots are used", got, b.used())
	}
	if got := b.schedule(core.Shift{Hours: 1}, drafts[1:]...); got.Done != 30 || b.used() != 30 {
		t.Errorf("30 of 30: %+v, and %d slots are used", got, b.used())
	}
}

// Two people who schedule the same drafts in a different order must not wait for each other forever.
func TestTheSameDraftsAreScheduledTwiceAtTheSameTime(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	var drafts, reversed []contract.Post
	for range 8 {
		p := b.ws.Draft("hello", account)
		drafts, reversed = append(drafts, p), append([]contract.Post{p}, reversed...)
	}
	ctx, cancel := context.WithTimeout(b.Context(), 30*time.Second)
	defer cancel()
	var group sync.WaitGroup
	results, errs := make([]app.BulkResult, 2), make([]error, 2)
	for i, posts := range [][]contract.Post{drafts, reversed} {
		group.Go(func() {
			results[i], errs[i] = b.App.ApplyBulkAction(ctx, b.ws.Owner, app.BulkAction{
				Act: core.ActQueue, IDs: idsOf(posts), First: local("2026-10-20T10:00", "UTC"),
			})
		})
	}
	group.Wait()
	must(t, errors.Join(errs...))
	if results[0].Done+results[1].Done != 8 || len(results[0].Refused)+len(results[1].Refused) != 8 || b.used() != 8 {
		t.Errorf("%+v and %+v, and %d slots are used", results[0], results[1], b.used())
	}
}
