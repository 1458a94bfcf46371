package publish_test

import (
	"errors"
	"testing"
	"time"

	"belfry/internal/contract"
	"belfry/internal/network/sim"
	"belfry/internal/store"
)

// endDump reads what pg_dump reads last. It writes the tables as they were when it began, but sequences as they are when
// it reaches them.
func (b *bench) endDump() (lastStepID int64) {
	b.t.Helper()
	must(b.t, b.Pool.QueryRow(b.t.Context(), `SELECT last_value FROM publish_steps_id_seq`).Scan(&lastStepID))
	return lastStepID
}

// restoreDump restores the dump that began with the snapshot, and starts the service.
func (b *bench) restoreDump(lastStepID int64) {
	b.t.Helper()
	b.exec(rewind)
	must(b.t, b.Store.AdvanceStepIDsBeyond(b.t.Context(), lastStepID))
	must(b.t, b.App.GuardOrNil().HoldPublishingIfRewoundElseUpdateMark(b.t.Context()))
}

func (b *bench) isPublishingHeld() bool {
	b.t.Helper()
	_, err := b.Store.PublishingHold(b.t.Context())
	if !errors.Is(err, store.ErrNotFound) {
		must(b.t, err)
	}
	return err == nil
}

// The step id of the call was in the dump, although its tables had nothing of the call.
func TestAPostThatWasPublishedDuringTheDumpIsNotPublishedAgain(t *testing.T) {
	b := newBench(t)
	guard := b.App.GuardOrNil()
	must(t, guard.HoldPublishingIfRewoundElseUpdateMark(t.Context()))
	must(t, b.App.RecordHeartbeat(t.Context(), "a worker"))
	account := b.ws.Account("threads")
	b.goesLive(b.ws.Now("the day before", account))
	post := b.ws.Queued("at nine", account, b.Clock.Now().Add(time.Minute))
	b.exec(snapshot)
	b.Clock.Advance(time.Minute)
	b.goesLive(post)
	last := b.endDump()
	must(t, guard.UpdateMarkOrHoldPublishingUnlessOnHold(t.Context()))
	b.Clock.Advance(20 * time.Hour)
	b.restoreDump(last)
	if !b.isPublishingHeld() {
		t.Error("publishing is not on hold")
	}
	if post = b.ws.Work(post); b.Visible(post.Text) != 1 {
		t.Errorf("the post is %s and visible %d times", post.StatusLine, b.Visible(post.Text))
	}
}

// A person said that the post is live, of which no receipt tells.
func TestAPostWhoseCallDuringTheDumpHadNoAnswerIsNotPublishedAgain(t *testing.T) {
	b := newBench(t)
	guard := b.App.GuardOrNil()
	must(t, guard.HoldPublishingIfRewoundElseUpdateMark(t.Context()))
	must(t, b.Sim.SetOption("facebook.refuse_duplicates", "off"))
	account := b.ws.Account("facebook")
	post := b.ws.Now("sent during the dump", account)
	b.exec(snapshot)
	must(t, b.Sim.SetOption("facebook.list_delay_seconds", "3600"))
	b.Fault(fault("facebook", "publish", "drop_after_accept"))
	b.ws.Work(post)
	post = b.after(5*time.Minute, post)
	last := b.endDump()
	_, err := b.App.ResolveOutcome(t.Context(), b.ws.Owner, post.ID, contract.ResolveOutcome{Live: true})
	must(t, err)
	b.Clock.Advance(24 * time.Hour)
	b.goesLive(b.ws.Now("the next day", account))
	b.restoreDump(last)
	held, err := b.Store.PostsUnderPublishingHold(t.Context(), 10)
	must(t, err)
	if len(held) != 1 || !held[0].Armed {
		t.Errorf("on hold are %+v", held)
	}
	_, err = guard.EndHoldUnlessUnproved(t.Context())
	must(t, err)
	if post = b.ws.Work(post); b.Visible(post.Text) != 1 {
		t.Errorf("the post is %s and visible %d times", post.StatusLine, b.Visible(post.Text))
	}
}

// The ledger will never know the calls of the receipts that a confirmation has settled.
func TestAStartSoonAfterTheConfirmationDoesNotHoldPublishingAgain(t *testing.T) {
	b := newBench(t)
	guard := b.App.GuardOrNil()
	must(t, guard.HoldPublishingIfRewoundElseUpdateMark(t.Context()))
	original, copied := b.failedWithCopy(fault("threads", "create", sim.ServerError))
	draft := b.ws.Draft("hello", b.ws.Account("threads"))
	b.exec(snapshot)
	newCopy, err := b.App.DuplicatePost(t.Context(), b.ws.Owner, original.ID)
	must(t, err)
	for _, p := range []contract.Post{draft, copied} {
		must(t, b.queue(p, time.Minute))
		b.Fault(fault("threads", "publish", "reject"))
		if p = b.refuse(b.after(2*time.Minute, p)); p.Status != "failed" {
			t.Fatalf("it is %s", p.StatusLine)
		}
	}
	must(t, b.queue(newCopy, time.Minute))
	b.goesLive(b.after(2*time.Minute, newCopy))
	b.restoreSnapshot()
	if !b.isPublishingHeld() {
		t.Error("publishing is not on hold")
	}
	_, err = guard.EndHoldUnlessUnproved(t.Context())
	must(t, err)
	must(t, guard.HoldPublishingIfRewoundElseUpdateMark(t.Context()))
	if b.isPublishingHeld() {
		t.Error("publishing is on hold again")
	}
}

// The receipt of a copy that was deleted looks like that of one that the database lacks.
func TestADeletedCopyDoesNotHoldPublishing(t *testing.T) {
	b := newBench(t)
	guard := b.App.GuardOrNil()
	must(t, guard.HoldPublishingIfRewoundElseUpdateMark(t.Context()))
	_, copied := b.failedWithCopy(fault("threads", "create", "reject"))
	must(t, b.queue(copied, time.Minute))
	b.Fault(fault("threads", "publish", "reject"))
	copied = b.refuse(b.after(2*time.Minute, copied))
	must(t, b.App.DeletePost(t.Context(), b.ws.Owner, copied.ID))
	must(t, guard.HoldPublishingIfRewoundElseUpdateMark(t.Context()))
	if b.isPublishingHeld() {
		t.Error("publishing is on hold")
	}
}

// A worker that reported to the database after the failover made it seem up to date.
func TestAHoldOfARunningServiceCountsReceiptsOlderThanAnHour(t *testing.T) {
	b := newBench(t)
	guard := b.App.GuardOrNil()
	must(t, guard.HoldPublishingIfRewoundElseUpdateMark(t.Context()))
	post := b.ws.Queued("sent early", b.ws.Account("threads"), b.Clock.Now().Add(48*time.Hour))
	b.exec(snapshot)
	when := now()
	post, err := b.App.EditPost(t.Context(), b.ws.Owner, contract.EditPost{ID: post.ID, When: &when})
	must(t, err)
	b.goesLive(post)
	must(t, guard.UpdateMarkOrHoldPublishingUnlessOnHold(t.Context()))
	b.Clock.Advance(3 * time.Hour)
	b.exec(rewind)
	must(t, b.App.RecordHeartbeat(t.Context(), "a worker"))
	must(t, guard.UpdateMarkOrHoldPublishingUnlessOnHold(t.Context()))
	_, err = guard.EndHoldUnlessUnproved(t.Context())
	must(t, err)
	if post = b.after(49*time.Hour, post); b.Visible(post.Text) != 1 {
		t.Errorf("the post is %s and visible %d times", post.StatusLine, b.Visible(post.Text))
	}
}
