package app_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network/sim"
	"belfry/internal/store"
)

// fail publishes a post that its network refuses.
func (b *bench) fail(p contract.Post) contract.Post {
	b.t.Helper()
	b.Fault(fault("create", "reject"))
	b.publish(p)
	if p = b.ws.Post(p); p.Status != "failed" {
		b.t.Fatalf("it is %s", p.StatusLine)
	}
	return p
}

// publish lets a worker publish a draft or a queued post.
func (b *bench) publish(p contract.Post) contract.Post {
	b.t.Helper()
	if p.Status == "draft" {
		when := now()
		p = b.edit(p, contract.EditPost{When: &when, Status: "queued"})
	}
	return b.ws.Work(p)
}

func (b *bench) copyOf(p contract.Post) contract.Post {
	b.t.Helper()
	made, err := b.App.DuplicatePost(b.Context(), b.ws.Owner, p.ID)
	must(b.t, err)
	return made
}

// wantsFailed checks which failed posts still need attention.
func (b *bench) wantsFailed(when string, want ...contract.Post) {
	b.t.Helper()
	cards, _, counts, err := b.App.ListPostCards(b.Context(), b.ws.Owner, contract.ListPosts{Status: "failed"}, "")
	must(b.t, err)
	var ids []string
	for _, c := range cards {
		ids = append(ids, c.ID)
	}
	wanted := idsOf(want)
	if slices.Sort(ids); !slices.Equal(ids, slices.Sorted(slices.Values(wanted))) || counts[core.PostFailed] != len(want) {
		b.t.Errorf("%s, %d failed posts are counted and %v listed, want %v", when, counts[core.PostFailed], ids, wanted)
	}
}

func TestAFailedPostIsReplacedOnceACopyOfACopyIsLive(t *testing.T) {
	b := newBench(t)
	original := b.fail(b.ws.Now("hello", b.ws.Account("threads")))
	first := b.fail(b.copyOf(original))
	b.wantsFailed("after the copy failed too", original, first)
	second := b.copyOf(b.copyOf(first))
	b.wantsFailed("while a copy is a draft", original, first)
	if second = b.publish(second); second.Status != "live" {
		t.Fatalf("it is %s", second.StatusLine)
	}
	b.wantsFailed("once a copy is live")
	for _, p := range []contract.Post{original, first} {
		card, err := b.App.GetPostCard(b.Context(), b.ws.Owner, p.ID)
		must(t, err)
		if card.ReplacedBy != second.ID || card.Status != "failed" {
			t.Errorf("it is %s and replaced by %q, want %q", card.Status, card.ReplacedBy, second.ID)
		}
		if slices.Contains(card.Acts, core.ActRetry) {
			t.Error("a retry would publish it a second time")
		}
	}
	retried, err := b.App.ApplyBulkAction(b.Context(), b.ws.Owner, app.BulkAction{Act: core.ActRetry, IDs: []string{original.ID}})
	if must(t, err); retried.Done != 0 || len(retried.Refused) != 1 {
		t.Errorf("with others, it is retried: %+v", retried)
	}
	list, err := b.App.ListPosts(b.Context(), b.ws.Owner, contract.ListPosts{Status: "failed"})
	must(t, err)
	counts, err := b.App.CountPostsByStatusCapped(b.Context(), b.ws.Owner)
	must(t, err)
	if len(list.Posts) != 2 || counts[core.PostReplaced] != 2 {
		t.Errorf("the API lists %d failed posts, and %d are counted as replaced", len(list.Posts), counts[core.PostReplaced])
	}
	must(t, b.App.DeletePost(b.Context(), b.ws.Owner, original.ID))
	b.wantsFailed("after the original was deleted")
}

func TestAnOlderCopyOrOneOfALivePostReplacesNothing(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	original := b.fail(b.ws.Now("hello", account))
	live := b.publish(b.copyOf(original))
	b.wantsFailed("once a copy is live")
	again := b.fail(b.copyOf(original))
	b.wantsFailed("after a later copy failed", again)
	ofLive := b.fail(b.copyOf(live))
	b.wantsFailed("after a copy of the live post failed", again, ofLive)
	b.publish(b.copyOf(ofLive))
	b.wantsFailed("once a copy of that is live", again)
	b.ws.Work(b.ws.Retry(again))
	b.wantsFailed("after a retry")
}

// failForNow publishes a post, and lets the network fail so that the worker will retry the post.
func (b *bench) failForNow(p contract.Post) contract.Post {
	b.t.Helper()
	b.Fault(fault("create", sim.ServerError))
	if p = b.publish(p); p.Status != "failed" || p.Error.Code != core.ErrorUnreachable {
		b.t.Fatalf("it is %s", p.StatusLine)
	}
	return p
}

// loseOutcome publishes a post to Facebook, and does not let Belfry find out whether it was published.
func (b *bench) loseOutcome(p contract.Post) contract.Post {
	b.t.Helper()
	lost := fault("publish", "drop_before_accept")
	lost.Network = "facebook"
	b.Fault(lost)
	b.publish(p)
	b.Clock.Advance(5 * time.Minute)
	if p = b.ws.Work(p); p.Error == nil || p.Error.Code != core.ErrorOutcomeUnknown {
		b.t.Fatalf("it is %s", p.StatusLine)
	}
	return p
}

// queue queues a draft for an hour from now.
func (b *bench) queue(p contract.Post) error {
	_, err := b.App.EditPost(b.Context(), b.ws.Owner, contract.EditPost{
		ID: p.ID, When: &contract.When{Instant: b.Clock.Now().Add(time.Hour), Timezone: "UTC"}, Status: "queued",
	})
	return err
}

func (b *bench) retry(p contract.Post) error {
	_, err := b.App.RetryPost(b.Context(), b.ws.Owner, contract.RetryPost{ID: p.ID})
	return err
}

// Both were published: a copy of a failed post has the same content, or is its correction.
func TestOnlyOneOfAFailedPostAndItsCopiesIsPublished(t *testing.T) {
	t.Parallel()
	for name, publishTwice := range map[string]func(b *bench, original, first, second contract.Post) (contract.Post, error){
		"the original, although a copy is queued": func(b *bench, original, first, _ contract.Post) (contract.Post, error) {
			must(b.t, b.queue(first))
			return original, b.retry(original)
		},
		"the original, although a copy is live": func(b *bench, original, first, _ contract.Post) (contract.Post, error) {
			b.publish(first)
			return original, b.retry(original)
		},
		"a copy, although the original is queued": func(b *bench, original, first, _ contract.Post) (contract.Post, error) {
			must(b.t, b.retry(original))
			return first, b.queue(first)
		},
		"a copy, although the original is live": func(b *bench, original, first, _ contract.Post) (contract.Post, error) {
			must(b.t, b.retry(original))
			b.ws.Work(original)
			return first, b.queue(first)
		},
		"a copy, although another is live": func(b *bench, _, first, second contract.Post) (contract.Post, error) {
			b.publish(second)
			return first, b.queue(first)
		},
		"a failed copy, although the original is live": func(b *bench, original, first, _ contract.Post) (contract.Post, error) {
			b.fail(first)
			must(b.t, b.retry(original))
			b.ws.Work(original)
			return first, b.retry(first)
		},
		"the original that became a draft, although a copy is queued": func(b *bench, original, first, _ contract.Post) (contract.Post, error) {
			must(b.t, b.retry(original))
			_, err := b.App.CancelPost(b.Context(), b.ws.Owner, original.ID)
			must(b.t, err)
			must(b.t, b.queue(first))
			return original, b.queue(original)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			original := b.fail(b.ws.Now("hello", b.ws.Account("threads")))
			first, second := b.copyOf(original), b.copyOf(original)
			post, err := publishTwice(b, original, first, second)
			before := b.ws.Post(post).Status
			if core.CodeOf(err) != core.CodeConflict || before != "draft" && before != "failed" {
				t.Errorf("it is %s: %v", before, err)
			}
			namesOther := func(p contract.Post) bool { return p.ID != post.ID && strings.Contains(fmt.Sprint(err), p.ID) }
			if !slices.ContainsFunc([]contract.Post{original, first, second}, namesOther) {
				t.Errorf("it does not say which copy: %v", err)
			}
			b.Clock.Advance(2 * time.Hour)
			for _, p := range []contract.Post{original, first, second} {
				b.ws.Work(p)
			}
			if n := b.Visible("hello"); n != 1 {
				t.Errorf("%d of them are on the network", n)
			}
		})
	}
}

// Such a copy was not taken for a copy of a failed post, because the post was queued for its retry.
func TestACopyMadeDuringARetryIsNotPublishedBesidesThePost(t *testing.T) {
	b := newBench(t)
	original := b.fail(b.ws.Now("hello", b.ws.Account("threads")))
	must(t, b.retry(original))
	copied := b.copyOf(original)
	b.ws.Work(original)
	if err := b.queue(copied); core.CodeOf(err) != core.CodeConflict || b.Visible("hello") != 1 {
		t.Errorf("%v, and %d are on the network", err, b.Visible("hello"))
	}
}

// The copy was taken for one that was made after the other had gone live, because the clocks of the replicas differ.
func TestACopyMadeByAReplicaWhoseClockIsAheadIsNotPublishedBesidesAnother(t *testing.T) {
	b := newBench(t)
	original := b.fail(b.ws.Now("hello", b.ws.Account("threads")))
	first := b.copyOf(original)
	ahead := b.Replica(func(c *app.Config) {
		now := c.Now
		c.Now = func() time.Time { return now().Add(3 * time.Second) }
	})
	second, err := ahead.DuplicatePost(b.Context(), b.ws.Owner, original.ID)
	must(t, err)
	b.publish(first)
	if err := b.queue(second); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("the other copy is queued: %v", err)
	}
	if err := b.queue(b.copyOf(first)); err != nil {
		t.Errorf("a copy of the live copy is refused: %v", err)
	}
}

func TestOfSelectedCopiesOnlyOneIsRetried(t *testing.T) {
	b := newBench(t)
	original := b.fail(b.ws.Now("hello", b.ws.Account("threads")))
	copied := b.fail(b.copyOf(original))
	if r := b.bulk(core.ActRetry, core.Shift{}, original, copied); r.Done != 1 || len(r.Refused) != 1 {
		t.Errorf("%+v", r)
	}
}

func TestOfCopiesQueuedAtTheSameTimeOnlyOneIsQueued(t *testing.T) {
	b := newBench(t)
	original := b.fail(b.ws.Now("hello", b.ws.Account("threads")))
	var drafts []contract.Post
	for range 8 {
		drafts = append(drafts, b.copyOf(original))
	}
	var queued atomic.Int32
	var all sync.WaitGroup
	for i, p := range append(drafts, original) {
		all.Go(func() {
			send := b.queue
			if i == len(drafts) {
				send = b.retry
			}
			switch err := send(p); {
			case err == nil:
				queued.Add(1)
			case core.CodeOf(err) != core.CodeConflict:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if queued.Load() != 1 {
		t.Errorf("%d are queued", queued.Load())
	}
}

func TestACopyIsNotPublishedWhileTheOutcomeOfAnotherIsUnknown(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("facebook")
	refused := fault("publish", "reject")
	refused.Network = "facebook"
	b.Fault(refused)
	original := b.publish(b.ws.Now("hello", account))
	for range 3 { // the worker asks whether it was published
		b.Clock.Advance(time.Minute)
		original = b.ws.Work(original)
	}
	if original.Status != "failed" {
		t.Fatalf("it is %s", original.StatusLine)
	}
	first, second := b.copyOf(original), b.copyOf(original)
	b.loseOutcome(first)
	for what, err := range map[string]error{"the original is retried": b.retry(original), "another copy is queued": b.queue(second)} {
		if core.CodeOf(err) != core.CodeConflict {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err := b.App.ResolveOutcome(b.Context(), b.ws.Owner, first.ID, contract.ResolveOutcome{Live: true})
	must(t, err)
	b.wantsFailed("once a person has said that a copy is live")
}

// The worker retried a post of which a copy was live.
func TestQueuingACopyCancelsThePendingRetry(t *testing.T) {
	b := newBench(t)
	original := b.failForNow(b.ws.Now("hello", b.ws.Account("threads")))
	b.publish(b.copyOf(original))
	b.Clock.Advance(time.Hour)
	if original = b.ws.Work(original); original.Status != "failed" || b.Visible("hello") != 1 {
		t.Errorf("it is %s, and %d are on the network", original.StatusLine, b.Visible("hello"))
	}
	b.wantsFailed("once the copy is live")
	timeline, err := b.App.ListPostEventsAndNextRetry(b.Context(), b.ws.Owner, original.ID)
	must(t, err)
	const why = "The automatic retry was cancelled because a copy was queued."
	if !slices.ContainsFunc(timeline.Events, func(e contract.Event) bool { return e.Message == why }) {
		t.Errorf("the timeline is %+v", timeline.Events)
	}
}

// The request for the copy failed with not_found, which was about the other post.
func TestACopyIsQueuedAlthoughTheOriginalIsJustBeingDeleted(t *testing.T) {
	b := newBench(t)
	original := b.fail(b.ws.Now("hello", b.ws.Account("threads")))
	copied := b.copyOf(original)
	crossing(t, b.Harness, b.ws, original, func() error { return b.queue(copied) }, func(tx store.Tenant, id core.PostID) error {
		return tx.DeletePost(b.Context(), id)
	})
	if copied = b.ws.Post(copied); copied.Status != "queued" {
		t.Errorf("it is %s", copied.StatusLine)
	}
}

// Reconnecting an account offered to send posts again whose copy was live.
func TestReconnectingLeavesOutPostsWithALiveCopy(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads", "maren.writes")
	post := loseAccessTo(t, b.Harness, b.ws, account)
	reconnect := func() app.Connected {
		t.Helper()
		start, err := b.App.StartReconnect(b.Context(), b.ws.Owner, account.ID)
		must(t, err)
		done, err := finish(t, b.Harness, b.ws, "threads", b.Consent(start.AuthorizeURL, "maren.writes"))
		must(t, err)
		return done
	}
	reconnect()
	b.publish(b.copyOf(post))
	done := reconnect()
	if r := done.Reconnected; r == nil || len(r.Lost) != 0 {
		t.Errorf("it offers to retry %+v", r)
	}
}

// Nothing on the page of a draft shows that the post of which it is a copy has gone live.
func TestACopyOfADraftCopyIsNoSecondPost(t *testing.T) {
	b := newBench(t)
	original := b.failForNow(b.ws.Now("hello", b.ws.Account("threads")))
	draft := b.copyOf(original)
	b.Clock.Advance(2 * time.Minute)
	if original = b.ws.Work(original); original.Status != "live" {
		t.Fatalf("the original is %s", original.StatusLine)
	}
	want(t, core.CodeConflict, b.queue(b.copyOf(draft)))
	must(t, b.queue(b.copyOf(original)))
}

// Preparing a post is no attempt.
func TestACopyOfAPostThatFailedWhileItWasPreparedIsNotPublishedBesidesIt(t *testing.T) {
	b := newBench(t)
	at := contract.When{Instant: b.Clock.Now().Add(time.Hour), Timezone: "UTC"}
	p := b.ws.PostOf(apptest.KindNamed(t, "Threads image"), "hello", b.ws.Account("threads"), at)
	b.Clock.Advance(55 * time.Minute)
	b.Fault(fault("create", "reject"))
	if p = b.ws.Work(p); p.Status != "failed" || p.Attempts != 0 {
		t.Fatalf("after %d attempts, it is %s", p.Attempts, p.StatusLine)
	}
	must(t, b.retry(p))
	want(t, core.CodeConflict, b.queue(b.copyOf(p)))
}

// Facebook may have published a post although it answered with a throttle, and shows the post only later.
func TestACopyOfAPostThatMayBeLiveIsNotQueued(t *testing.T) {
	for name, ask := range map[string]sim.Fault{
		"nobody has asked yet":              {},
		"the question was not answered":     fault("list", sim.ServerError),
		"the question was refused as ours":  fault("list", sim.TokenRevoked),
		"the question was refused for good": fault("list", sim.Reject),
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			must(t, b.Sim.SetOption("facebook.list_delay_seconds", "90"))
			throttle := fault("publish", sim.RateLimited)
			throttle.Network, throttle.Accept, throttle.RetryAfter = "facebook", true, 600
			b.Fault(throttle)
			account := b.ws.Account("facebook")
			p := b.publish(b.ws.Now("hello", account))
			if ask.Call != "" {
				ask.Network = "facebook"
				b.Fault(ask)
				b.Clock.Advance(11 * time.Minute)
				p = b.ws.Work(p)
				b.ws.Reconnect(account)
			}
			want(t, core.CodeConflict, b.queue(b.copyOf(p)))
		})
	}
}
