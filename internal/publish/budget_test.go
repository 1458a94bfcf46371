package publish_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/publish"
)

// budgeted is a network with a published limit on its calls.
type budgeted struct {
	network.Network
	budget network.Budget
}

func (n budgeted) DeliveryFor(d network.Draft) network.Delivery {
	delivery := n.Network.DeliveryFor(d)
	delivery.Budgets = []network.Budget{n.budget}
	return delivery
}

// budgeted returns the App with a limit on the calls to all networks.
func (b *bench) budgeted(budget network.Budget) *app.App {
	b.t.Helper()
	return b.through(func(n network.Network) network.Network { return budgeted{n, budget} })
}

func perAccount(call core.Action, count int, window time.Duration) network.Budget {
	return network.Budget{Call: call, Scope: network.ScopeAccount, Name: "uploads", Count: count, Window: window}
}

// A post whose call would be one too many waits without a call, a try or another account's post.
func TestAPostWaitsUntilItsNetworkTakesAnotherCall(t *testing.T) {
	b := newBench(t)
	b.App = b.budgeted(perAccount(core.DoCreate, 2, 10*time.Minute))
	account := b.ws.Account("threads")
	var posts []contract.Post
	for i := range 3 {
		posts = append(posts, b.ws.Work(b.ws.Now(fmt.Sprintf("post %d", i), account)))
		b.Clock.Advance(time.Minute)
	}
	b.wants(posts[1], "live", 1, "created", "queued", "publishing", "live")
	b.wants(posts[2], "queued", 0, "created", "queued", "publishing", "queued")
	b.says(posts[2], " · held until Mon 5 Oct 2026, 09:10 UTC")
	if n := b.calls("create"); n != 2 {
		t.Errorf("%d calls, want 2", n)
	}
	if p := b.ws.Work(b.ws.Now("free", b.ws.Account("threads"))); p.Status != "live" {
		t.Errorf("the post of another account is %s", p.Status)
	}
	events, err := b.App.ListPostEventsAndNextRetry(b.Context(), b.ws.Owner, posts[2].ID)
	must(t, err)
	const want = "Held until Mon 5 Oct 2026, 09:10 UTC: Threads allows 2 uploads in 10 minutes for each account."
	if last := events.Events[len(events.Events)-1]; last.Message != want {
		t.Errorf("the timeline says %+v, want %q", last, want)
	}
	if early := b.after(6*time.Minute, posts[2]); early.Status != "queued" {
		t.Errorf("before the limit allows it, the post is %s", early.Status)
	}
	post := b.after(time.Minute+2*time.Second, posts[2])
	b.wants(post, "live", 1, "created", "queued", "publishing", "queued", "live")
	if post.Attempts != 1 {
		t.Errorf("%d attempts, want 1", post.Attempts)
	}
}

// A limit of the server's app counts the calls of all its accounts, and lasts until its day ends in the network's zone.
func TestALimitOfTheAppLastsUntilItsDayEnds(t *testing.T) {
	b := newBench(t)
	zone, err := time.LoadLocation("America/Los_Angeles")
	must(t, err)
	b.App = b.budgeted(network.Budget{Call: core.DoCreate, Scope: network.ScopeApp, Name: "uploads", Count: 1, Day: zone})
	if p := b.ws.Work(b.ws.Now("one", b.ws.Account("threads"))); p.Status != "live" {
		t.Errorf("the first post is %s", p.Status)
	}
	other := b.ws.Work(b.ws.Now("two", b.ws.Account("threads")))
	b.says(other, " · held until Tue 6 Oct 2026, 07:00 UTC")
	if p := b.ws.Work(b.ws.Now("three", b.ws.Account("facebook"))); p.Status != "live" {
		t.Errorf("the post to another network is %s", p.Status)
	}
	if other = b.after(22*time.Hour, other); other.Status != "live" {
		t.Errorf("the next day, the post is %s: %s", other.Status, other.StatusLine)
	}
}

// Replicas that publish at once make no more calls than the network takes in all.
func TestReplicasShareALimitOfCalls(t *testing.T) {
	const posts, limit = 20, 5
	b := newBench(t)
	account := b.ws.Account("threads")
	ids := make([]core.PostID, posts)
	for i := range ids {
		var err error
		ids[i], err = core.ParseID[core.PostKind](b.ws.Now(fmt.Sprintf("post %d", i), account).ID)
		must(t, err)
	}
	replicas := []*app.App{
		b.budgeted(perAccount(core.DoCreate, limit, time.Minute)), b.budgeted(perAccount(core.DoCreate, limit, time.Minute)),
	}
	var workers sync.WaitGroup
	for i, id := range ids {
		workers.Go(func() {
			if err := replicas[i%2].Engine().PublishOrPrepare(b.Context(), fmt.Sprint("worker ", i), b.ws.ID, id); err != nil {
				t.Error(err)
			}
		})
	}
	workers.Wait()
	if n := b.calls("create"); n != limit {
		t.Errorf("%d calls, want %d", n, limit)
	}
	for i, r := range replicas {
		b.startWorker(r, publish.Worker{Owner: fmt.Sprint("replica ", i), Poll: 10 * time.Millisecond, Posts: 10})
	}
	for made := limit; made <= posts; made += limit {
		b.Eventually("what was created is live", func() bool { return b.live() == made })
		b.Clock.Advance(time.Minute + 2*time.Second)
	}
	if n := b.calls("create"); n != posts {
		t.Errorf("%d calls, want %d", n, posts)
	}
}

// A call that is not made, because another post of the account has the turn, does not count.
func TestWaitingForATurnUsesNoneOfTheLimit(t *testing.T) {
	b := newBench(t)
	b.App = b.budgeted(perAccount(core.DoPublish, 2, time.Hour))
	account := b.ws.Account("threads")
	first, err := b.arm(b.ws.Now("first", account))
	must(t, err)
	var waiting []contract.Post
	for i := range 3 {
		waiting = append(waiting, b.ws.Work(b.ws.Now(fmt.Sprintf("waits %d", i), account)))
	}
	b.endCall(first)
	for i := range waiting {
		waiting[i] = b.ws.Work(waiting[i])
	}
	for i, want := range []string{"live", "live", "queued"} {
		if waiting[i].Status != want {
			t.Errorf("post %d is %s, want %s: %s", i, waiting[i].Status, want, waiting[i].StatusLine)
		}
	}
	b.says(waiting[2], " · held until Mon 5 Oct 2026, 10:00 UTC")
}

// After the arm, a network is asked no more often than it allows, and the post stays one that it may have published.
func TestAPostIsAskedAboutNoMoreOftenThanItsNetworkAllows(t *testing.T) {
	b := newBench(t)
	b.App = b.budgeted(perAccount(core.DoStatus, 1, 10*time.Minute))
	b.Fault(fault("threads", "publish", "drop_before_accept"))
	post := b.ws.Work(b.ws.Now("asked", b.ws.Account("threads")))
	asked := b.calls("status")
	for range 3 {
		post = b.after(3*time.Minute, post)
		b.wants(post, "queued", 0, "created", "queued", "publishing")
	}
	if n := b.calls("status") - asked; n != 0 {
		t.Errorf("%d more status calls in nine minutes", n)
	}
	post = b.after(time.Minute+2*time.Second, post)
	b.wants(post, "failed", 0, "created", "queued", "publishing", "failed", "retriedByWorker")
}
