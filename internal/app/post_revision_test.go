package app_test

import (
	"errors"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network/sim"
)

// revision returns the revision that a page would show now.
func (b *bench) revision(p contract.Post) string {
	b.t.Helper()
	card, err := b.App.GetPostCard(b.Context(), b.ws.Owner, p.ID)
	must(b.t, err)
	return card.Revision
}

// A person who copies a failed post does not want it published twice. Its page may be outdated.
func TestAFailedPostThatIsLiveByNowIsNotCopiedFromAnEarlierPage(t *testing.T) {
	for name, goLive := range map[string]func(b *bench, failed contract.Post){
		"by its automatic retry": func(b *bench, failed contract.Post) { b.ws.Work(failed) },
		"by a copy":              func(b *bench, failed contract.Post) { b.publish(b.copyOf(failed)) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			failed := b.failForNow(b.ws.Now("hello", b.ws.Account("threads")))
			shown := b.revision(failed)
			b.Clock.Advance(2 * time.Minute)
			goLive(b, failed)
			if n := b.Visible("hello"); n != 1 {
				t.Fatalf("%d posts are live", n)
			}
			_, err := b.App.DuplicatePostFromDashboard(b.Context(), b.ws.Owner, failed.ID, shown)
			if !errors.Is(err, app.ErrPostChanged) {
				t.Errorf("copied alone: %v", err)
			}
			several := app.BulkAction{
				Act: core.ActDuplicate, IDs: []string{failed.ID}, Revisions: map[string]string{failed.ID: shown},
			}
			got, err := b.App.ApplyBulkAction(b.Context(), b.ws.Owner, several)
			if err != nil || len(got.Refused) != 1 || !errors.Is(got.Refused[0].Cause, app.ErrPostChanged) {
				t.Errorf("copied with others: %+v, %v", got, err)
			}
			_, err = b.App.DuplicatePostFromDashboard(b.Context(), b.ws.Owner, failed.ID, b.revision(failed))
			must(t, err)
		})
	}
}

func TestUndoKeepsAChangeThatAColleagueHasUndoneAndMadeAgain(t *testing.T) {
	b := newBench(t)
	colleague := b.ws.Member(core.RoleEditor)
	at := contract.When{Instant: b.Clock.Now().Add(time.Hour), Timezone: "UTC"}
	queue := contract.EditPost{When: &at, Status: "queued"}
	as := func(c core.Caller, act func(core.Caller, string) error, p contract.Post) {
		t.Helper()
		b.Clock.Advance(time.Second)
		must(t, act(c, p.ID))
	}
	queues := func(c core.Caller, id string) error {
		in := queue
		in.ID = id
		_, err := b.App.EditPost(b.Context(), c, in)
		return err
	}
	cancels := func(c core.Caller, id string) error {
		_, err := b.App.CancelPost(b.Context(), c, id)
		return err
	}
	undo := func(before app.PostSchedule, want string) {
		t.Helper()
		got, err := b.App.RestorePostSchedules(b.Context(), b.ws.Owner, []app.PostSchedule{before})
		if err != nil || len(got.Refused) != 1 {
			t.Errorf("undo: %+v, %v", got, err)
		}
		if p := b.ws.Post(contract.Post{ID: before.ID}); p.Status != want {
			t.Errorf("it is %s, want %s", p.StatusLine, want)
		}
	}

	account := b.ws.Account("threads")
	draft := b.ws.Draft("one", account)
	in := queue
	in.ID = draft.ID
	_, before, err := b.App.EditPostWithUndo(b.Context(), b.ws.Owner, in)
	must(t, err)
	as(colleague, cancels, draft)
	as(colleague, queues, draft)
	undo(before, "queued")

	queued := b.ws.Queued("two", account, at.Instant)
	_, before, err = b.App.CancelPostWithUndo(b.Context(), b.ws.Owner, queued.ID, "")
	must(t, err)
	as(colleague, queues, queued)
	as(colleague, cancels, queued)
	undo(before, "draft")
}

// The page of a failed post offers to stop its retries. The same request would take a queued post off the queue.
func TestStopRetryingOnAnEarlierPageDoesNotCancelAColleaguesRetry(t *testing.T) {
	b := newBench(t)
	failed := b.failForNow(b.ws.Now("hello", b.ws.Account("threads")))
	shown := b.revision(failed)
	b.Clock.Advance(time.Second)
	_, err := b.App.RetryPostFromDashboard(b.Context(), b.ws.Member(core.RoleEditor), failed.ID, "")
	must(t, err)
	_, _, err = b.App.CancelPostWithUndo(b.Context(), b.ws.Owner, failed.ID, shown)
	if !errors.Is(err, app.ErrPostChanged) {
		t.Errorf("cancelled: %v", err)
	}
	if p := b.ws.Post(failed); p.Status != "queued" {
		t.Errorf("it is %s", p.StatusLine)
	}
}

// Each action on several posts refuses those that have changed since their list was shown.
func TestActionsOnSeveralPostsRefuseThoseThatChanged(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	soon := b.Clock.Now().Add(time.Hour)
	for _, act := range app.BulkActs() {
		t.Run(string(act), func(t *testing.T) {
			p := b.ws.Queued("hello", account, soon)
			if act == core.ActQueue || act == core.ActDelete {
				p = b.ws.Draft("hello", account)
			}
			shown := b.revision(p)
			b.Clock.Advance(time.Second)
			p = b.edit(p, contract.EditPost{When: &contract.When{Instant: soon.Add(time.Hour), Timezone: "UTC"}})
			got, err := b.App.ApplyBulkAction(b.Context(), b.ws.Owner, app.BulkAction{
				Act: act, IDs: []string{p.ID}, Revisions: map[string]string{p.ID: shown},
				Shift: core.Shift{Days: 1}, First: contract.When{Instant: soon, Timezone: "UTC"},
			})
			if err != nil || len(got.Refused) != 1 || !errors.Is(got.Refused[0].Cause, app.ErrPostChanged) {
				t.Errorf("%+v, %v", got, err)
			}
			if now := b.ws.Post(p); now.Status != p.Status || !now.PublishAt.Equal(p.PublishAt.Time) {
				t.Errorf("it is %s, want %s", now.StatusLine, p.StatusLine)
			}
		})
	}
}

func TestTheBeginningOfAnAttemptKeepsTheRevision(t *testing.T) {
	b := newBench(t)
	p := b.ws.Queued("hello", b.ws.Account("threads"), b.Clock.Now().Add(time.Minute))
	shown := b.revision(p)
	b.Clock.Advance(2 * time.Minute)
	throttle := fault("create", sim.RateLimited)
	throttle.RetryAfter = 3600
	b.Fault(throttle)
	if p = b.ws.Work(p); p.Status != "queued" || p.Attempts != 1 {
		t.Fatalf("after %d attempts, it is %s", p.Attempts, p.StatusLine)
	}
	_, _, err := b.App.CancelPostWithUndo(b.Context(), b.ws.Owner, p.ID, shown)
	must(t, err)
}

// The post was sent again, and published twice.
func TestAnAnswerAboutAnEarlierAttemptIsRefused(t *testing.T) {
	b := newBench(t)
	must(t, b.Sim.SetOption("facebook.list_delay_seconds", "7200"))
	must(t, b.Sim.SetOption("facebook.refuse_duplicates", "off"))
	p := b.loseOutcome(b.ws.Now("hello", b.ws.Account("facebook")))
	absent := contract.ResolveOutcome{Revision: b.revision(p)}
	_, err := b.App.ResolveOutcome(b.Context(), b.ws.Member(core.RoleEditor), p.ID, absent)
	must(t, err)
	lost := fault("publish", "drop_after_accept")
	lost.Network = "facebook"
	b.Fault(lost)
	for range 3 {
		b.Clock.Advance(5 * time.Minute)
		p = b.ws.Work(p)
	}
	if p.Error == nil || p.Error.Code != core.ErrorOutcomeUnknown {
		t.Fatalf("it is %s", p.StatusLine)
	}
	if _, err = b.App.ResolveOutcome(b.Context(), b.ws.Owner, p.ID, absent); !errors.Is(err, app.ErrPostChanged) {
		t.Errorf("the answer is taken: %v", err)
	}
}
