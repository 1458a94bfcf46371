package publish_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network/sim"
	"belfry/internal/store"
)

// failedWithCopy returns a post that the network has refused, or that the worker will retry, and a draft copy of it.
func (b *bench) failedWithCopy(f sim.Fault) (original, copied contract.Post) {
	b.t.Helper()
	b.Fault(f)
	if original = b.ws.Work(b.ws.Now("hello", b.ws.Account("threads"))); original.Status != "failed" {
		b.t.Fatalf("it is %s", original.StatusLine)
	}
	copied, err := b.App.DuplicatePost(b.t.Context(), b.ws.Owner, original.ID)
	must(b.t, err)
	return original, copied
}

// In the restored database, another of a failed post and its copies was going to be published than the one that was.
func TestAfterARestoreOnlyOneOfAFailedPostAndItsCopiesIsPublished(t *testing.T) {
	serverError, reject := fault("threads", "create", sim.ServerError), fault("threads", "create", "reject")
	for name, c := range map[string]struct {
		first  sim.Fault // makes the original fail before the backup
		queued bool      // so is the copy, before the backup
		after  func(b *bench, original, copied contract.Post)
		want   [2]string // the statuses in the end
	}{
		"the copy, while the original was to be retried": {
			first: serverError, want: [2]string{"failed", "live"},
			after: func(b *bench, _, copied contract.Post) {
				must(b.t, b.queue(copied, time.Minute))
				b.after(2*time.Minute, copied)
			},
		},
		"the original, while the copy was queued": {
			first: reject, queued: true, want: [2]string{"live", "draft"},
			after: func(b *bench, original, copied contract.Post) {
				_, err := b.App.CancelPost(b.t.Context(), b.ws.Owner, copied.ID)
				must(b.t, err)
				b.ws.Work(b.ws.Retry(original))
			},
		},
		"the copy, after a call for the original had failed": {
			first: serverError, want: [2]string{"failed", "live"},
			after: func(b *bench, original, copied contract.Post) {
				b.Fault(fault("threads", "publish", "reject"))
				b.Clock.Advance(5 * time.Minute)
				if original = b.refuse(original); original.Status != "failed" {
					b.t.Fatalf("it is %s", original.StatusLine)
				}
				must(b.t, b.queue(copied, time.Minute))
				b.after(2*time.Minute, copied)
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			guard := b.App.GuardOrNil()
			must(t, guard.HoldPublishingIfRewoundElseUpdateMark(t.Context()))
			original, copied := b.failedWithCopy(c.first)
			if c.queued {
				must(t, b.queue(copied, 24*time.Hour))
			}
			b.exec(snapshot)
			if c.after(b, original, copied); b.Visible("hello") != 1 {
				t.Fatalf("before the restore, %d of them are on the network", b.Visible("hello"))
			}
			b.restoreSnapshot()
			held, err := b.Store.PostsUnderPublishingHold(t.Context(), 10)
			must(t, err)
			if len(held) != 2 || held[0].Overtaken == held[1].Overtaken {
				t.Errorf("on hold are %+v", held)
			}
			b.Clock.Advance(48 * time.Hour)
			done, err := guard.EndHoldUnlessUnproved(t.Context())
			must(t, err)
			if done.Live != 1 || done.Stopped != 1 {
				t.Errorf("confirmed: %+v", done)
			}
			original, copied = b.ws.Work(original), b.ws.Work(copied)
			if got := [2]string{original.Status, copied.Status}; got != c.want || b.Visible("hello") != 1 {
				t.Errorf("they are %v, want %v, and %d are on the network", got, c.want, b.Visible("hello"))
			}
			if original.Error != nil && original.Error.Code == core.ErrorOutcomeUnknown {
				t.Error("the outcome of the post that its live copy replaces is unknown")
			}
		})
	}
}

// The original was sent first, and again after its copy, when the answer was lost.
func TestAfterARestoreTheLatestCallDecidesWhichCopyIsStopped(t *testing.T) {
	b := newBench(t)
	guard := b.App.GuardOrNil()
	must(t, guard.HoldPublishingIfRewoundElseUpdateMark(t.Context()))
	original, copied := b.failedWithCopy(fault("threads", "publish", "reject"))
	must(t, b.queue(copied, 24*time.Hour))
	b.exec(snapshot)
	b.Clock.Advance(10 * time.Minute)
	when := now()
	copied = b.edit(copied, contract.EditPost{When: &when})
	b.Fault(fault("threads", "publish", "reject"))
	if copied = b.ws.Work(copied); copied.Status != "failed" {
		t.Fatalf("the copy is %s", copied.StatusLine)
	}
	b.Clock.Advance(10 * time.Minute)
	b.ws.Retry(original)
	b.Fault(fault("threads", "publish", "drop_after_accept"))
	b.Fault(sim.Fault{Network: "threads", Call: "status", Kind: sim.ServerError, Skip: 1, Times: new(0)})
	b.ws.Work(original)
	b.Sim.Faults.Clear()
	b.restoreSnapshot()
	_, err := guard.EndHoldUnlessUnproved(t.Context())
	must(t, err)
	for range 3 {
		original, copied = b.after(time.Hour, original), b.ws.Work(copied)
	}
	if original.Status != "live" || copied.Status != "draft" || b.Visible("hello") != 1 {
		t.Errorf("they are %s and %s, and %d are on the network", original.Status, copied.Status, b.Visible("hello"))
	}
}

// Neither gave way to the other, so both could have been published.
func TestOfTwoCopiesThatWereSentAtTheSameTimeOneIsStopped(t *testing.T) {
	b := newBench(t)
	original, copied := b.failedWithCopy(fault("threads", "create", sim.ServerError))
	var receipts []store.RestoredReceipt
	for _, p := range []contract.Post{original, copied} {
		id, err := core.ParseID[core.PostKind](p.ID)
		must(t, err)
		receipts = append(receipts, store.RestoredReceipt{Workspace: b.ws.ID, Post: id, ArmedAt: b.Clock.Now()})
	}
	must(t, b.Store.HoldPublishingAndDeleteSessionsAndEmails(t.Context(), "a test", time.Time{}, receipts))
	held, err := b.Store.PostsUnderPublishingHold(t.Context(), 10)
	must(t, err)
	if len(held) != 2 || held[0].Overtaken == held[1].Overtaken {
		t.Errorf("on hold are %+v", held)
	}
}

// The restored database knows such a copy only by its receipt.
func TestAfterARestoreAPostWhoseCopyIsNewerThanTheBackupIsNotSentAgain(t *testing.T) {
	for _, c := range []struct{ lost, duringDump bool }{{true, false}, {false, false}, {true, true}, {false, true}} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			b := newBench(t)
			guard := b.App.GuardOrNil()
			must(t, guard.HoldPublishingIfRewoundElseUpdateMark(t.Context()))
			b.Fault(fault("threads", "create", sim.ServerError))
			original := b.ws.Work(b.ws.Now("hello", b.ws.Account("threads")))
			b.exec(snapshot)
			copied, err := b.App.DuplicatePost(t.Context(), b.ws.Owner, original.ID)
			must(t, err)
			must(t, b.queue(copied, time.Minute))
			b.Clock.Advance(2 * time.Minute)
			if c.lost {
				b.Fault(fault("threads", "publish", "drop_after_accept"))
			}
			if b.ws.Work(copied); b.Visible("hello") != 1 {
				t.Fatalf("before the restore, the network shows %d posts", b.Visible("hello"))
			}
			last := int64(1)
			if c.duringDump {
				last = b.endDump()
			}
			b.restoreDump(last)
			held, err := b.Store.PostsUnderPublishingHold(t.Context(), 10)
			must(t, err)
			if len(held) != 1 || held[0].Post.String() != original.ID || !held[0].Overtaken {
				t.Errorf("on hold are %+v", held)
			}
			if _, err := b.App.RetryPost(t.Context(), b.ws.Owner, contract.RetryPost{ID: original.ID}); core.CodeOf(err) != core.CodeConflict {
				t.Errorf("a retry during the hold: %v", err)
			}
			done, err := guard.EndHoldUnlessUnproved(t.Context())
			must(t, err)
			if done.Stopped != 1 {
				t.Errorf("confirmed: %+v", done)
			}
			if original = b.after(time.Hour, original); original.Status != "failed" || b.Visible("hello") != 1 {
				t.Errorf("the post is %s, and the network shows %d", original.Status, b.Visible("hello"))
			}
		})
	}
}

// A copy that is newer than the backup is known only by its receipt, which the end of the hold deletes. The failed post
// could then be retried, and its content was published a second time.
func TestAFailedPostWithALostCopyIsNotRetriedWithoutAPersonsWordAfterTheHold(t *testing.T) {
	reject := fault("threads", "create", "reject")
	reject.Code, reject.Status = 100, 400
	for name, f := range map[string]sim.Fault{
		"one that had been refused":  reject,
		"one that was to be retried": fault("threads", "create", sim.ServerError),
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			guard := b.App.GuardOrNil()
			must(t, guard.HoldPublishingIfRewoundElseUpdateMark(t.Context()))
			b.Fault(f)
			original := b.ws.Work(b.ws.Now("hello", b.ws.Account("threads")))
			b.exec(snapshot)
			copied, err := b.App.DuplicatePost(t.Context(), b.ws.Owner, original.ID)
			must(t, err)
			must(t, b.queue(copied, time.Minute))
			if copied = b.after(2*time.Minute, copied); copied.Status != "live" {
				t.Fatalf("before the restore, the copy is %s", copied.StatusLine)
			}
			b.restoreSnapshot()
			held, err := b.Store.PostsUnderPublishingHold(t.Context(), 10)
			must(t, err)
			if len(held) != 1 || !held[0].Overtaken {
				t.Errorf("on hold are %+v", held)
			}
			_, err = guard.EndHoldUnlessUnproved(t.Context())
			must(t, err)
			_, err = b.App.RetryPost(t.Context(), b.ws.Owner, contract.RetryPost{ID: original.ID})
			if core.CodeOf(err) != core.CodeOutcomeUnknown {
				t.Errorf("a retry: %v", err)
			}
			if original = b.after(time.Hour, original); original.Status != "failed" || b.Visible("hello") != 1 {
				t.Errorf("the post is %s, and the network shows %d", original.StatusLine, b.Visible("hello"))
			}
			events, err := b.App.ListPostEventsAndNextRetry(t.Context(), b.ws.Owner, original.ID)
			must(t, err)
			if last := events.Events[len(events.Events)-1]; !strings.HasPrefix(last.Message, "A copy of the post") {
				t.Errorf("its timeline ends with %+v", last)
			}
			_, err = b.App.RetryPost(t.Context(), b.ws.Owner, contract.RetryPost{ID: original.ID, ConfirmNotPublished: true})
			must(t, err)
			if original = b.ws.Work(original); original.Status != "live" {
				t.Errorf("after a person's word, the post is %s", original.StatusLine)
			}
		})
	}
}

// The receipt of a copy counted only if the failed post that it replaces still existed.
func TestAfterARestoreACopyIsStoppedEvenIfTheFailedPostWasDeletedBeforeTheBackup(t *testing.T) {
	for name, deleted := range map[string]bool{"the failed post exists": false, "the failed post was deleted": true} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			guard := b.App.GuardOrNil()
			must(t, guard.HoldPublishingIfRewoundElseUpdateMark(t.Context()))
			f := fault("threads", "create", "reject")
			f.Code, f.Status = 100, 400
			original, first := b.failedWithCopy(f)
			if deleted {
				must(t, b.App.DeletePost(t.Context(), b.ws.Owner, original.ID))
			}
			must(t, b.queue(first, 24*time.Hour))
			b.exec(snapshot)
			_, err := b.App.CancelPost(t.Context(), b.ws.Owner, first.ID)
			must(t, err)
			second, err := b.App.DuplicatePost(t.Context(), b.ws.Owner, first.ID)
			must(t, err)
			must(t, b.queue(second, time.Minute))
			if second = b.after(2*time.Minute, second); second.Status != "live" {
				t.Fatalf("before the restore, the second copy is %s", second.StatusLine)
			}
			b.restoreSnapshot()
			done, err := guard.EndHoldUnlessUnproved(t.Context())
			must(t, err)
			if first = b.after(48*time.Hour, first); b.Visible("hello") != 1 {
				t.Errorf("confirmed %+v: the first copy is %s, and the network shows %d", done, first.StatusLine,
					b.Visible("hello"))
			}
		})
	}
}

// Until the network has been asked about a post that may be live, publishing a copy could publish it twice.
func TestACopyOfAPostThatMayBeLiveAfterARestoreIsNotQueued(t *testing.T) {
	for name, f := range map[string]sim.Fault{
		"one that was to be retried": fault("threads", "create", sim.ServerError),
		"one that had been refused":  fault("threads", "create", "reject"),
	} {
		for _, receiptOfLive := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				b := newBench(t)
				original, copied := b.failedWithCopy(f)
				receipt := store.RestoredReceipt{Workspace: b.ws.ID, ArmedAt: b.Clock.Now(), Live: receiptOfLive}
				var err error
				receipt.Post, err = core.ParseID[core.PostKind](original.ID)
				must(t, err)
				receipts := []store.RestoredReceipt{receipt}
				must(t, b.Store.HoldPublishingAndDeleteSessionsAndEmails(t.Context(), "a test", time.Time{}, receipts))
				if err := b.queue(copied, time.Hour); core.CodeOf(err) != core.CodeConflict {
					t.Errorf("during the hold: %v", err)
				}
				_, err = b.App.GuardOrNil().EndHoldUnlessUnproved(t.Context())
				must(t, err)
				if err := b.queue(copied, time.Hour); core.CodeOf(err) != core.CodeConflict {
					t.Errorf("after the hold: %v", err)
				}
			})
		}
	}
}

func TestACopyOfAPostThatWasPublishedAfterTheBackupIsNotQueuedDuringTheHold(t *testing.T) {
	b := newBench(t)
	guard := b.App.GuardOrNil()
	must(t, guard.HoldPublishingIfRewoundElseUpdateMark(t.Context()))
	post := b.ws.Draft("hello", b.ws.Account("threads"))
	b.exec(snapshot)
	must(t, b.queue(post, time.Hour))
	b.Clock.Advance(2 * time.Hour)
	if post = b.ws.Work(post); post.Status != "live" {
		t.Fatalf("it is %s", post.StatusLine)
	}
	b.restoreSnapshot()
	copied, err := b.App.DuplicatePost(t.Context(), b.ws.Owner, post.ID)
	must(t, err)
	if err := b.queue(copied, time.Hour); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("queued: %v", err)
	}
}
