package publish_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/sim"
)

// refusing is a network that publishes, responds with a refusal, and shows the post only later.
type refusing struct {
	network.Network
	show *bool
}

func (n refusing) Publish(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	if _, err := n.Network.Publish(ctx, it, handle); err != nil {
		return network.Status{}, err
	}
	return network.Status{}, &network.Error{Kind: network.Rejected, Code: "1", Message: "An error occurred."}
}

func (n refusing) FindPost(ctx context.Context, it network.Item) (network.Status, error) {
	if !*n.show {
		return network.Status{Verdict: core.Absent}, nil
	}
	return n.Network.FindPost(ctx, it)
}

// A post that was published in spite of the error, and shown three seconds later, ended as failed, with the advice
// to send it again.
func TestAPostShownSomeTimeAfterItsRefusalIsLive(t *testing.T) {
	b := newBench(t)
	show := false
	b.App = b.through(func(n network.Network) network.Network { return refusing{n, &show} })
	post := b.ws.Work(b.ws.Now("in spite of it", b.ws.Account("facebook")))
	b.wants(post, "queued", 1, "created", "queued", "publishing")
	show = true
	b.Clock.Set(b.next())
	b.wants(b.ws.Work(post), "live", 1, "created", "queued", "publishing", "live")
}

// broken is a network that cannot process any post.
type broken struct{ network.Network }

func (broken) AdvanceStatus(context.Context, network.Item, string) (network.Status, error) {
	return network.Status{Verdict: core.Broken, Message: "It could not be processed: UNKNOWN"}, nil
}

// Three containers were made within 30 ms, and the post failed without a hint.
func TestABrokenContainerIsReplacedAfterEachWaitAndThenThePostFailsWithAHint(t *testing.T) {
	b := newBench(t)
	b.App = b.through(func(n network.Network) network.Network { return broken{n} })
	post := b.ws.Now("broken", b.ws.Account("threads"))
	for i, wait := range []time.Duration{0, time.Minute, 5 * time.Minute, 15 * time.Minute} {
		b.Clock.Advance(wait - min(wait, time.Second))
		b.ws.Work(post)
		if n := b.calls("create"); wait > 0 && n != i {
			t.Errorf("%d containers before the wait of %s is over, want %d", n, wait, i)
		}
		b.Clock.Advance(min(wait, time.Second))
		post = b.ws.Work(post)
		if n := b.calls("create"); n != i+1 {
			t.Errorf("%d containers after the wait of %s, want %d", n, wait, i+1)
		}
	}
	b.Clock.Advance(time.Hour)
	post = b.ws.Work(post)
	if e := post.Error; post.Status != "failed" || e == nil || e.Code != "rejected" || e.Hint == nil ||
		!strings.Contains(e.Message, "UNKNOWN") {
		t.Errorf("it ends %s with %+v", post.Status, post.Error)
	}
	if n := b.calls("create"); n != 4 {
		t.Errorf("%d containers in all, want 4", n)
	}
}

// The page of a post said "Threads said:" above words of our own.
func TestOnlyTheNetworksWordsAreItsWords(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	f := fault("threads", "publish", "reject")
	f.Message = "Not this one"
	b.Fault(f)
	post := b.ws.Work(b.ws.Now("whose words", account))
	said := func() bool {
		card, err := b.App.GetPostCard(b.Context(), b.ws.Owner, post.ID)
		must(t, err)
		return card.NetworkSaid
	}
	if !said() {
		t.Errorf("the network's refusal is not called its words: %+v", post.Error)
	}
	must(t, b.App.DisconnectAccount(b.Context(), b.ws.Owner, account.ID))
	if post = b.ws.Work(b.ws.Retry(post)); post.Error == nil || post.Error.Code != "account_revoked" || said() {
		t.Errorf("our own words are called the network's: %+v", post.Error)
	}
	b.Fault(sim.Fault{Network: "threads", Call: "create", Kind: "server_error", Times: new(1)})
	if post = b.ws.Work(b.ws.Now("no words", b.ws.Account("threads"))); post.Error == nil || said() {
		t.Errorf("a failure without words is called the network's words: %+v", post.Error)
	}
}

// A network that refuses a post may have changed what the account may do there.
func TestARefusalHasTheNetworkAskedForFactsOfTheAccountAgain(t *testing.T) {
	for name, c := range map[string]struct {
		platform string
		fault    sim.Fault
		checks   int
	}{
		"a refusal":                    {"threads", fault("threads", "create", sim.Reject), 1},
		"a throttle":                   {"threads", fault("threads", "create", sim.RateLimited), 1},
		"a failure that may pass":      {"threads", fault("threads", "create", sim.ServerError), 0},
		"success":                      {"threads", fault("threads", "create", sim.Trickle), 0},
		"a network that tells nothing": {"facebook", fault("facebook", "publish", sim.Reject), 0},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			account := b.ws.Account(c.platform)
			must(t, b.App.CheckAndUpdateDueAccount(b.Context(), b.ws.ID, b.ws.AccountID(account)))
			jobs := b.Jobs("check")
			c.fault.DelayMs = 1
			b.Fault(c.fault)
			b.ws.Work(b.ws.Now("hello", account))
			due, err := b.App.ListDueAccountChecks(b.Context())
			if err != nil || len(due) != c.checks || b.Jobs("check")-jobs != c.checks {
				t.Errorf("%d checks are due, %d jobs: %v", len(due), b.Jobs("check")-jobs, err)
			}
		})
	}
}
