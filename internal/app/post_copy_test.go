package app_test

import (
	"slices"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network/sim"
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

// The worker retried a post of which a copy was live, and nobody was told that it would.
func TestALiveCopyDoesNotReplaceAPostWithAPendingRetry(t *testing.T) {
	b := newBench(t)
	b.Fault(fault("create", sim.ServerError))
	original := b.publish(b.ws.Now("hello", b.ws.Account("threads")))
	if original.Status != "failed" || original.Error.Code != core.ErrorUnreachable {
		t.Fatalf("it is %s", original.StatusLine)
	}
	b.publish(b.copyOf(original))
	b.wantsFailed("while a retry is pending", original)
	b.Fault(fault("create", "reject"))
	b.Clock.Advance(10 * time.Minute)
	b.publish(original)
	b.wantsFailed("after the network refused the retry")
}

// Only a person can find out whether such a post is on its network beside its copy.
func TestALiveCopyDoesNotReplaceAPostWithAnUnknownOutcome(t *testing.T) {
	b := newBench(t)
	lost := fault("publish", "drop_before_accept")
	lost.Network = "facebook"
	b.Fault(lost)
	original := b.publish(b.ws.Now("hello", b.ws.Account("facebook")))
	b.Clock.Advance(5 * time.Minute)
	original = b.publish(original)
	if original.Error == nil || original.Error.Code != core.ErrorOutcomeUnknown {
		t.Fatalf("it is %s", original.StatusLine)
	}
	b.publish(b.copyOf(original))
	b.wantsFailed("while the outcome is unknown", original)
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
