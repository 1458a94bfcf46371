package publish_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/sim"
)

// early is a network that returns a post's id when it accepts the post, and not again when the post is live.
type early struct {
	network.Network
	pending int       // how often its status is pending after that
	ids     *[]string // that Status was asked with
}

func (e *early) Publish(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	st, err := e.Network.Publish(ctx, it, handle)
	return network.Status{Verdict: core.Pending, ExternalID: st.ExternalID}, err
}

func (e *early) AdvanceStatus(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	if it.ArmedAt.IsZero() {
		return e.Network.AdvanceStatus(ctx, it, handle)
	}
	*e.ids = append(*e.ids, it.ExternalID)
	if e.pending--; e.pending >= 0 {
		return network.Status{Verdict: core.Pending}, nil
	}
	st, err := e.Network.AdvanceStatus(ctx, it, handle)
	return network.Status{Verdict: st.Verdict}, err
}

// The id that came with the acceptance is the post's, also in a later claim, and where the network never gives it
// again.
func TestAnIDFromTheAcceptanceIsKeptUntilThePostIsLive(t *testing.T) {
	b := newBench(t)
	post := b.ws.Now("accepted", b.ws.Account("threads"))
	var ids []string
	b.App = b.through(func(n network.Network) network.Network { return &early{n, 2, &ids} })
	for range 3 {
		post = b.ws.Work(post)
		b.Clock.Advance(time.Minute)
	}
	b.wants(post, "live", 1, "created", "queued", "publishing", "live")
	want := b.Sim.Posts.All()[0].ID
	if post.ExternalID == nil || *post.ExternalID != want {
		t.Errorf("the post's id is %v, want %s", post.ExternalID, want)
	}
	if len(ids) < 3 {
		t.Errorf("asked %d times", len(ids))
	}
	for i, id := range ids {
		if id != want {
			t.Errorf("question %d was asked with the id %q", i, id)
		}
	}
}

// dooming is a network that accepts a post and then refuses it for good.
type dooming struct {
	network.Network
	left int
}

func (d *dooming) Publish(context.Context, network.Item, string) (network.Status, error) {
	return network.Status{Verdict: core.Pending, ExternalID: "video"}, nil
}

func (d *dooming) AdvanceStatus(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	if it.ArmedAt.IsZero() || d.left == 0 {
		return d.Network.AdvanceStatus(ctx, it, handle)
	}
	d.left--
	return network.Status{
		Verdict: core.Doomed, Code: "copyright", Message: "Somebody else owns the sound.", Hint: "Use another sound.",
	}, nil
}

// A post that its network took and then refused fails with the network's words, and sent again it begins anew.
func TestAPostThatIsRefusedAfterItWasTakenFails(t *testing.T) {
	b := newBench(t)
	post, before := b.ws.Now("doomed", b.ws.Account("threads")), b.App
	b.App = b.through(func(n network.Network) network.Network { return &dooming{n, 1} })
	post = b.ws.Work(post)
	b.wants(post, "failed", 0, "created", "queued", "publishing", "failed")
	if e := post.Error; e == nil || e.Code != "rejected" || e.Message != "Somebody else owns the sound." || e.Hint == nil ||
		*e.Hint != "Use another sound." {
		t.Errorf("error %+v", post.Error)
	}
	b.App = before
	if _, err := b.App.RetryPost(b.Context(), b.ws.Owner, contract.RetryPost{ID: post.ID}); err != nil {
		t.Fatal(err)
	}
	post = b.ws.Work(post)
	if b.wants(post, "live", 1, "created", "queued", "publishing", "failed", "retried", "publishing", "live"); b.calls("create") != 2 {
		t.Errorf("%d containers, want one for each attempt", b.calls("create"))
	}
}

// A carousel is created once its items are processed. Instagram then did not find it for a moment, and because the items
// had taken long, the carousel counted as dead and was created again, with its items.
func TestANewCarouselThatIsNotFoundYetIsKept(t *testing.T) {
	b := newBench(t)
	must(t, b.Sim.SetOption("instagram.process_seconds", "600"))
	post := b.ws.PostOf(apptest.KindNamed(t, "Instagram carousel"), "slow", b.ws.Account("instagram"), now())
	b.Fault(sim.Fault{
		Network: "instagram", Call: "status", Match: "slow", Kind: sim.Error, Code: 24, Subcode: 2207008, Status: 400, Times: new(2),
	})
	for range 20 {
		post = b.after(time.Minute, post)
		must(t, b.Sim.WaitIdle(b.Context()))
	}
	if n := b.calls("create"); post.Status != "live" || n != 3 || len(b.Sim.Faults.ListActive()) != 0 {
		t.Errorf("it is %s after %d containers", post.StatusLine, n)
	}
}

// inParts is a network that receives a post's bytes in three parts.
type inParts struct {
	network.Network
	sent []string
}

func (p *inParts) CreateHandle(ctx context.Context, it network.Item) (string, error) {
	handle, err := p.Network.CreateHandle(ctx, it)
	return handle + " 0", err
}

func (p *inParts) AdvanceStatus(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	if next, ok := map[byte]string{'0': "1", '1': "2", '2': "3"}[handle[len(handle)-1]]; ok {
		p.sent = append(p.sent, next)
		return network.Status{Verdict: core.Progress, Handle: handle[:len(handle)-1] + next}, nil
	}
	return p.Network.AdvanceStatus(ctx, it, handle[:len(handle)-2])
}

func (p *inParts) Publish(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	return p.Network.Publish(ctx, it, handle[:len(handle)-2])
}

// Each part cost a claim and a wait.
func TestAllPartsAreSentInOneClaim(t *testing.T) {
	b := newBench(t)
	post := b.ws.Now("three parts", b.ws.Account("threads"))
	parts := &inParts{}
	b.App = b.throughOnly("threads", func(n network.Network) network.Network {
		parts.Network = n
		return parts
	})
	post = b.ws.Work(post)
	b.wants(post, "live", 1, "created", "queued", "publishing", "live")
	if len(parts.sent) != 3 {
		t.Errorf("sent %v", parts.sent)
	}
}

// A worker that stops keeps what it has sent: another goes on with the next part.
func TestAWorkerThatStopsYieldsBetweenTwoParts(t *testing.T) {
	b := newBench(t)
	post := b.ws.Now("handed over", b.ws.Account("threads"))
	id, err := core.ParseID[core.PostKind](post.ID)
	must(t, err)
	ctx, stop := context.WithCancel(b.Context())
	parts := &inParts{}
	b.App = b.throughOnly("threads", func(n network.Network) network.Network {
		parts.Network = stopping{n, stop}
		return parts
	})
	must(t, b.App.Engine().PublishOrPrepare(ctx, "a worker", b.ws.ID, id))
	if len(parts.sent) != 1 {
		t.Errorf("sent %v before it stopped", parts.sent)
	}
	post = b.after(time.Minute, post)
	b.wants(post, "live", 1, "created", "queued", "publishing", "live")
	if len(parts.sent) != 3 || b.calls("create") != 1 {
		t.Errorf("sent %v to %d containers", parts.sent, b.calls("create"))
	}
}

// stopping stops the worker when it has created something.
type stopping struct {
	network.Network
	stop context.CancelFunc
}

func (s stopping) CreateHandle(ctx context.Context, it network.Item) (string, error) {
	defer s.stop()
	return s.Network.CreateHandle(ctx, it)
}

// What a worker that stops had learnt was lost: the parts were combined a second time.
func TestAWorkerThatStopsBeforeTheIrreversibleCallKeepsWhatIsReady(t *testing.T) {
	b := newBench(t)
	post := b.ws.Now("ready", b.ws.Account("threads"))
	id, err := core.ParseID[core.PostKind](post.ID)
	must(t, err)
	ctx, stop := context.WithCancel(b.Context())
	whole := &combined{stop: stop}
	b.App = b.throughOnly("threads", func(n network.Network) network.Network {
		whole.Network = n
		return whole
	})
	must(t, b.App.Engine().PublishOrPrepare(ctx, "a worker", b.ws.ID, id))
	if b.wants(b.ws.Post(post), "queued", 0, "created", "queued", "publishing"); b.calls("publish") != 0 {
		t.Error("a worker that stops has published")
	}
	var unfinished int
	must(t, b.Pool.QueryRow(t.Context(), `SELECT count(*) FROM publish_steps WHERE finished_at IS NULL`).Scan(&unfinished))
	post = b.ws.Work(post)
	b.wants(post, "live", 1, "created", "queued", "publishing", "live")
	if unfinished != 0 || whole.times != 1 || post.Attempts != 1 {
		t.Errorf("%d unfinished calls; combined %d times in %d attempts", unfinished, whole.times, post.Attempts)
	}
}

// combined is a network that replaces a handle that is ready, and then stops the worker.
type combined struct {
	network.Network
	stop  context.CancelFunc
	times int
}

const combinedMark = " combined"

func (c *combined) AdvanceStatus(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	status, err := c.Network.AdvanceStatus(ctx, it, strings.TrimSuffix(handle, combinedMark))
	if status.Verdict == core.Ready && !strings.HasSuffix(handle, combinedMark) {
		c.times, status.Handle = c.times+1, handle+combinedMark
		c.stop()
	}
	return status, err
}

func (c *combined) Publish(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	return c.Network.Publish(ctx, it, strings.TrimSuffix(handle, combinedMark))
}
