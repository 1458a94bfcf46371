package publish_test

import (
	"context"
	"testing"
	"time"

	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/sim"
)

// The call was repeated every two minutes until the container expired, and then with two other containers: for three
// days, in which nobody could cancel the post.
func TestACallThatIsNeverCarriedOutIsMadeFourTimesAndNoMore(t *testing.T) {
	b := newBench(t)
	b.Fault(sim.Fault{Network: "threads", Call: "publish", Kind: sim.ServerError, Times: new(0)})
	post := b.workFor(60, b.ws.Work(b.ws.Now("stubborn", b.ws.Account("threads"))))
	timeline := []string{"created", "queued", "publishing", "failed"}
	for range 3 {
		timeline = append(timeline, "retried", "publishing", "failed")
	}
	b.wants(post, "failed", 0, timeline...)
	if n := b.calls("publish"); n != 4 {
		t.Errorf("%d publishing calls, want 4", n)
	}
	if post.Error == nil || post.Error.Code != core.ErrorUnreachable || post.Error.Hint == nil {
		t.Errorf("the error is %+v", post.Error)
	}
	b.Sim.Faults.Clear()
	b.wants(b.ws.Work(b.ws.Retry(post)), "live", 1, append(timeline, "retried", "publishing", "live")...)
	if n := b.calls("create"); n != 1 {
		t.Errorf("%d containers, want the one that was never published", n)
	}
}

// accepting is a network that accepts a post and does not publish it.
type accepting struct{ network.Network }

func (accepting) Publish(context.Context, network.Item, string) (network.Status, error) {
	return network.Status{Verdict: core.Pending}, nil
}

func TestAPostThatIsAcceptedButNotPublishedIsRetriedAndSaysWhy(t *testing.T) {
	b := newBench(t)
	b.App = b.through(func(n network.Network) network.Network { return accepting{n} })
	post := b.after(3*time.Minute, b.ws.Work(b.ws.Now("accepted", b.ws.Account("threads"))))
	b.wants(post, "failed", 0, "created", "queued", "publishing", "failed", "retriedByWorker")
	if e := post.Error; e == nil || e.Code != core.ErrorUnreachable || e.Hint == nil ||
		e.Message != "Threads accepted the post, but did not publish it." {
		t.Errorf("the error is %+v", e)
	}
}

// publishAndAnswerWithThrottle makes a network publish the next post and answer with a throttle of ten minutes.
func (b *bench) publishAndAnswerWithThrottle(platform string) {
	b.t.Helper()
	throttle := fault(platform, "publish", sim.RateLimited)
	throttle.Accept, throttle.RetryAfter = true, 600
	b.Fault(throttle)
}

// workWhileQueued lets a worker act on the only post, whenever it may, until the post is no longer queued.
func (b *bench) workWhileQueued(p contract.Post) contract.Post {
	b.t.Helper()
	for p = b.ws.Work(p); p.Status == "queued"; p = b.ws.Work(p) {
		must(b.t, b.Sim.WaitIdle(b.Context()))
		b.Clock.Set(b.next())
	}
	return p
}

// late is a network that shows a post long after its publishing call, and answers no status query until then.
type late struct {
	network.Network
	called, shown bool
}

func (l *late) Publish(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	l.called = true
	return l.Network.Publish(ctx, it, handle)
}

func (l *late) AdvanceStatus(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	if l.called && !l.shown {
		return network.Status{}, &network.Error{Kind: network.Transient, Message: "Try again later."}
	}
	return l.Network.AdvanceStatus(ctx, it, handle)
}

func (l *late) FindPost(ctx context.Context, it network.Item) (network.Status, error) {
	if !l.shown {
		return network.Status{Verdict: core.Absent}, nil
	}
	return l.Network.FindPost(ctx, it)
}

// The claim that searched for the post ended before the second call. The next claim made this call without a search,
// although the post had appeared in the meantime.
func TestAPostThatAppearsLateIsFoundBeforeTheNextCall(t *testing.T) {
	for _, kind := range []string{"Facebook text", "Facebook photos"} {
		t.Run(kind, func(t *testing.T) {
			b := newBench(t)
			must(t, b.Sim.SetOption("facebook.refuse_duplicates", "off"))
			b.publishAndAnswerWithThrottle("facebook")
			slow := &late{}
			b.App = b.throughOnly("facebook", func(n network.Network) network.Network {
				slow.Network = n
				return slow
			})
			post := b.ws.PostOf(apptest.KindNamed(t, kind), "late", b.ws.Account("facebook"), now())
			post = b.workWhileQueued(post)
			b.wants(post, "failed", 1, "created", "queued", "publishing", "queued", "failed", "retriedByWorker")
			slow.shown = true
			post = b.after(time.Minute, post)
			b.wants(post, "live", 1, "created", "queued", "publishing", "queued", "failed", "retried", "publishing", "live")
		})
	}
}

// Facebook published a post, answered with a throttle, and listed the post much later. It refused the second call
// because the post was there, but the post counted as never published, and a copy of it could be queued.
func TestAPostThatIsRefusedAsADuplicateOfItselfMayBeLive(t *testing.T) {
	for _, name := range []string{"Facebook text", "Facebook photos", "Facebook Story"} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			must(t, b.Sim.SetOption("facebook.list_delay_seconds", "360000"))
			b.publishAndAnswerWithThrottle("facebook")
			post := b.ws.PostOf(apptest.KindNamed(t, name), "once", b.ws.Account("facebook"), now())
			post = b.workWhileQueued(post)
			if post.Error == nil || post.Error.Code != core.ErrorOutcomeUnknown || b.calls("publish") != 2 {
				t.Errorf("it is %s (%+v) after %d publishing calls", post.StatusLine, post.Error, b.calls("publish"))
			}
			copied, err := b.App.DuplicatePost(t.Context(), b.ws.Owner, post.ID)
			must(t, err)
			if err := b.queue(copied, time.Minute); core.CodeOf(err) != core.CodeConflict {
				t.Errorf("the copy: %v", err)
			}
			if n := len(b.Sim.Posts.All()); n != 1 {
				t.Errorf("%d are visible", n)
			}
		})
	}
}

// Before a post's first publishing call, only another post can be the one that Facebook already has.
func TestADuplicateOfAnotherPostIsRefused(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("facebook")
	b.goesLive(b.ws.Now("said before", account))
	post := b.refuse(b.ws.Now("said before", account))
	if post.Error == nil || post.Error.Code != core.ErrorRejected || b.Visible("said before") != 1 {
		t.Errorf("it is %s: %+v", post.StatusLine, post.Error)
	}
}
