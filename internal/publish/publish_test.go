package publish_test

import (
	"strings"
	"testing"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network/sim"
)

// The handle may contain secrets, and every secret costs time in a rotation of the keys.
func TestALivePostKeepsNoHandle(t *testing.T) {
	prepared := func(b *bench) contract.Post {
		return b.prepared(b.ahead("live", b.ws.Account("threads"), b.photo()))
	}
	for name, c := range map[string]struct {
		withHandle func(*bench) contract.Post // returns a post that has a handle and is not live
		makeLive   func(*bench, contract.Post)
	}{
		"a worker publishes it": {prepared, func(b *bench, post contract.Post) {
			b.Clock.Set(post.PublishAt.Time)
			b.goesLive(post)
		}},
		"a person says that it is live": {
			func(b *bench) contract.Post {
				b.Fault(fault("facebook", "publish", "drop_before_accept"))
				post := b.ws.Work(b.post(request("live", now(), b.ws.Account("facebook")), b.photo()))
				return b.after(5*time.Minute, post)
			},
			func(b *bench, post contract.Post) {
				_, err := b.App.ResolveOutcome(b.Context(), b.ws.Owner, post.ID, contract.ResolveOutcome{Live: true})
				must(b.t, err)
			},
		},
		"its receipt says that it is live": {
			func(b *bench) contract.Post {
				must(b.t, b.App.GuardOrNil().HoldPublishingIfRewoundElseUpdateMark(b.Context()))
				return prepared(b)
			},
			func(b *bench, post contract.Post) {
				b.exec(snapshot)
				b.Clock.Set(post.PublishAt.Time)
				b.goesLive(post)
				b.restoreSnapshot()
				done, err := b.App.GuardOrNil().EndHoldUnlessUnproved(b.Context())
				if must(b.t, err); done.Live != 1 {
					b.t.Errorf("confirmed: %+v", done)
				}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			handles := func() (n int) {
				must(t, b.Pool.QueryRow(t.Context(), `SELECT count(*) FROM publications WHERE handle IS NOT NULL`).Scan(&n))
				return n
			}
			post := c.withHandle(b)
			if n := handles(); n != 1 {
				t.Fatalf("the post is %s, and %d ledger rows have a handle, want 1", post.StatusLine, n)
			}
			c.makeLive(b, post)
			if post, n := b.ws.Post(post), handles(); post.Status != "live" || n != 0 {
				t.Errorf("the post is %s, and %d ledger rows have a handle, want 0", post.StatusLine, n)
			}
		})
	}
}

func TestAPostGoesLiveOnEachNetwork(t *testing.T) {
	for _, network := range []string{"threads", "facebook"} {
		t.Run(network, func(t *testing.T) {
			b := newBench(t)
			post := b.ws.Now("hello from "+network, b.ws.Account(network))
			post = b.ws.Work(post)
			b.wants(post, "live", 1, "created", "queued", "publishing", "live")
			if post.ExternalID == nil || post.Attempts != 1 {
				t.Errorf("external id %v after %d attempts, want one after 1", post.ExternalID, post.Attempts)
			}
			post = b.ws.Work(post)
			b.wants(post, "live", 1, "created", "queued", "publishing", "live")
			id, _ := core.ParseID[core.PostKind](post.ID)
			if err := b.App.Engine().FetchAndStoreLinkIfMissing(b.Context(), b.ws.ID, id); err != nil {
				t.Fatal(err)
			}
			if post = b.ws.Post(post); post.ExternalURL == nil {
				t.Error("the live post has no link")
			}
		})
	}
}

func TestAPostIsNotSentBeforeItsTime(t *testing.T) {
	b := newBench(t)
	post := b.ws.Queued("later", b.ws.Account("threads"), b.Clock.Now().Add(time.Hour))
	post = b.ws.Work(post)
	b.wants(post, "queued", 0, "created", "queued")
	post = b.after(time.Hour, post)
	b.wants(post, "live", 1, "created", "queued", "publishing", "live")
}

// Postiz #1321, #1681, #1813: an answer was lost or was an error, and the post went out twice.
func TestALostAnswerNeverMakesASecondPost(t *testing.T) {
	b := newBench(t)
	b.Fault(fault("threads", "publish", "drop_after_accept"))
	post := b.ws.Work(b.ws.Now("once", b.ws.Account("threads")))
	b.wants(post, "live", 1, "created", "queued", "publishing", "live")
	if post.ExternalID == nil {
		t.Error("the post's id was not found again at the network")
	}
}

func TestALostRequestIsRepeatedWithTheSameHandle(t *testing.T) {
	b := newBench(t)
	b.Fault(fault("threads", "publish", "drop_before_accept"))
	post := b.ws.Work(b.ws.Now("again", b.ws.Account("threads")))
	b.wants(post, "queued", 0, "created", "queued", "publishing")
	post = b.after(3*time.Minute, post)
	b.wants(post, "failed", 0, "created", "queued", "publishing", "failed", "retriedByWorker")
	post = b.after(time.Minute, post)
	b.wants(post, "live", 1, "created", "queued", "publishing", "failed", "retried", "publishing", "live")
	if n := b.calls("create"); n != 1 {
		t.Errorf("%d containers were made, want 1", n)
	}
}

func TestAnAnswerLostInASingleCallIsFoundAgain(t *testing.T) {
	b := newBench(t)
	b.Fault(fault("facebook", "publish", "drop_after_accept"))
	post := b.ws.Work(b.ws.Now("found", b.ws.Account("facebook")))
	b.wants(post, "queued", 1, "created", "queued", "publishing")
	post = b.after(5*time.Minute, post)
	b.wants(post, "live", 1, "created", "queued", "publishing", "live")
}

func TestASingleCallWithoutATraceEndsUnknown(t *testing.T) {
	b := newBench(t)
	b.Fault(fault("facebook", "publish", "drop_before_accept"))
	post := b.ws.Work(b.ws.Now("nowhere", b.ws.Account("facebook")))
	post = b.after(5*time.Minute, post)
	b.wants(post, "failed", 0, "created", "queued", "publishing", "failed")
	if post.Error.Code != "outcome_unknown" {
		t.Fatalf("error %+v, want outcome_unknown", post.Error)
	}
	if _, err := b.App.RetryPost(b.Context(), b.ws.Owner, contract.RetryPost{ID: post.ID}); core.CodeOf(err) != core.CodeOutcomeUnknown {
		t.Errorf("a retry without a person's word answered %v", err)
	}
	if _, err := b.App.RetryPost(b.Context(), b.ws.Owner, contract.RetryPost{ID: post.ID, ConfirmNotPublished: true}); err != nil {
		t.Fatal(err)
	}
	post = b.ws.Work(post)
	b.wants(post, "live", 1, "created", "queued", "publishing", "failed", "retried", "publishing", "live")
}

func TestAPersonSaysThatAnUnknownPostIsLive(t *testing.T) {
	b := newBench(t)
	b.Fault(fault("facebook", "publish", "drop_before_accept"))
	post := b.ws.Work(b.ws.Now("seen", b.ws.Account("facebook")))
	post = b.after(5*time.Minute, post)
	if _, err := b.App.ResolveOutcome(b.Context(), b.ws.Owner, post.ID, contract.ResolveOutcome{Live: true, URL: "https://www.facebook.com/1"}); err != nil {
		t.Fatal(err)
	}
	b.wants(b.ws.Post(post), "live", 0, "created", "queued", "publishing", "failed", "live")
}

func TestARefusalKeepsTheNetworksWords(t *testing.T) {
	for _, network := range []string{"threads", "facebook"} {
		t.Run(network, func(t *testing.T) {
			b := newBench(t)
			f := fault(network, "publish", "reject")
			f.Code, f.Status, f.Message = 100, 400, "The words of the network"
			b.Fault(f)
			post := b.refuse(b.ws.Now("refused", b.ws.Account(network)))
			b.wants(post, "failed", 0, "created", "queued", "publishing", "failed")
			if post.Error == nil || post.Error.Message != "The words of the network" {
				t.Errorf("error %+v", post.Error)
			}
			if _, err := b.App.RetryPost(b.Context(), b.ws.Owner, contract.RetryPost{ID: post.ID}); err != nil {
				t.Fatal(err)
			}
			b.ws.Work(post)
			post = b.after(10*time.Minute, post)
			b.wants(post, "live", 1, "created", "queued", "publishing", "failed", "retried", "publishing", "live")
		})
	}
}

func TestATransientFailureIsRetriedThreeTimesAndNoMore(t *testing.T) {
	b := newBench(t)
	always := 0
	b.Fault(sim.Fault{Network: "threads", Call: "create", Kind: "server_error", Times: &always})
	post := b.ws.Work(b.ws.Now("stubborn", b.ws.Account("threads")))
	b.wants(post, "failed", 0, "created", "queued", "publishing", "failed", "retriedByWorker")
	for i, wait := range []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute} {
		early := b.after(wait-time.Second, post)
		if early.Attempts != i+1 {
			t.Errorf("attempt %d came before its time", early.Attempts)
		}
		post = b.after(time.Second, post)
		if post.Attempts != i+2 {
			t.Errorf("%d attempts after the wait of %s, want %d", post.Attempts, wait, i+2)
		}
	}
	kinds := b.kinds(post)
	if last := kinds[len(kinds)-1]; last != "failed" {
		t.Errorf("after the third retry the timeline ends with %s, want failed", last)
	}
	if hint := post.Error.Hint; hint == nil || strings.Contains(*hint, "is tried again") {
		t.Errorf("after the third retry the failure is %+v", post.Error)
	}
	b.Clock.Advance(24 * time.Hour)
	if post = b.ws.Work(post); post.Attempts != 4 {
		t.Errorf("%d attempts, want 4 in all", post.Attempts)
	}
}

func TestAThrottleHoldsThePost(t *testing.T) {
	b := newBench(t)
	f := fault("threads", "create", "rate_limited")
	f.RetryAfter = 90
	b.Fault(f)
	post := b.ws.Work(b.ws.Now("patient", b.ws.Account("threads")))
	b.wants(post, "queued", 0, "created", "queued", "publishing", "queued")
	post = b.after(91*time.Second, post)
	b.wants(post, "live", 1, "created", "queued", "publishing", "queued", "live")
	if post.Attempts != 1 {
		t.Errorf("%d attempts, want 1: a throttle is no failure", post.Attempts)
	}
}

// The question that follows the refused call must not make anybody forget how long the network wants peace.
func TestAThrottleOfThePublishingCallHoldsThePostAsLong(t *testing.T) {
	for _, network := range []string{"threads", "facebook"} {
		t.Run(network, func(t *testing.T) {
			b := newBench(t)
			f := fault(network, "publish", "rate_limited")
			f.RetryAfter = int(time.Hour / time.Second)
			b.Fault(f)
			until := b.Clock.Now().Add(time.Hour)
			post := b.ws.Work(b.ws.Now("patient", b.ws.Account(network)))
			if network == "facebook" { // the throttled post might still become visible
				b.Clock.Set(b.next())
				post = b.ws.Work(post)
			}
			b.wants(post, "queued", 0, "created", "queued", "publishing", "queued")
			zone, err := core.ParseZone(post.TZ)
			if err != nil {
				t.Fatal(err)
			}
			if want := "held until " + zone.FormatTime(until); !strings.HasSuffix(post.StatusLine, want) {
				t.Errorf("the status line is %q, want %q in it", post.StatusLine, want)
			}
			if card, err := b.App.GetPostCard(b.Context(), b.ws.Owner, post.ID); err != nil || !card.Held || card.Asking ||
				card.Sending {
				t.Errorf("the card says held %v, asking %v, sending %v, error %v", card.Held, card.Asking, card.Sending, err)
			}
			b.Clock.Set(until.Add(-time.Minute))
			b.wants(b.ws.Work(post), "queued", 0, "created", "queued", "publishing", "queued")
			b.Clock.Set(until)
			b.wants(b.ws.Work(post), "live", 1, "created", "queued", "publishing", "queued", "live")
		})
	}
}

func TestALostTokenFailsThePostAndTheAccount(t *testing.T) {
	for kind, status := range map[string]string{"token_expired": "expired", "token_revoked": "revoked"} {
		t.Run(kind, func(t *testing.T) {
			b := newBench(t)
			account := b.ws.Account("facebook")
			post := b.ws.Now("locked out", account)
			b.Fault(fault("facebook", "any", kind))
			post = b.ws.Work(post)
			b.wants(post, "failed", 0, "created", "queued", "publishing", "failed")
			if want := "account_" + status; post.Error.Code != want {
				t.Errorf("error code %s, want %s", post.Error.Code, want)
			}
			accounts, err := b.App.ListAccounts(b.Context(), b.ws.Owner)
			if err != nil || accounts.Accounts[0].Status != status {
				t.Errorf("accounts %+v, error %v, want status %s", accounts, err, status)
			}
		})
	}
}

// A post that a worker was killed over is taken over when its lease has run out, and not before.
func TestAHeldPostCannotBeChangedOrClaimed(t *testing.T) {
	b := newBench(t)
	post := b.ws.Now("held", b.ws.Account("threads"))
	id, _ := core.ParseID[core.PostKind](post.ID)
	ws := b.Store.In(b.ws.ID)
	_, err := ws.ClaimDueOrPreparablePublication(b.Context(), id, "a worker that dies", time.Minute, b.Clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.App.CancelPost(b.Context(), b.ws.Owner, post.ID); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("cancelling a held post answered %v, want a conflict", err)
	}
	post = b.ws.Work(post)
	b.wants(post, "queued", 0, "created", "queued", "publishing")
	post = b.after(61*time.Second, post)
	if post.Status != "live" {
		t.Errorf("after the lease the post is %s", post.Status)
	}
}
