package publish_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/sim"
	"belfry/internal/store"
)

// A post that waited for a full quota answered every cancel and every change of its time with a conflict.
func TestAPostHeldByAThrottledCallCanBeCancelledAfterTheSettleTime(t *testing.T) {
	for name, change := range map[string]func(*bench, contract.Post) error{
		"cancel": func(b *bench, p contract.Post) error {
			_, err := b.App.CancelPost(b.Context(), b.ws.Owner, p.ID)
			return err
		},
		"move": func(b *bench, p contract.Post) error {
			at := utc(b.Clock.Now().Add(2 * time.Hour).Format("2006-01-02T15:04"))
			_, err := b.App.EditPost(b.Context(), b.ws.Owner, contract.EditPost{ID: p.ID, When: &at})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			f := fault("threads", "publish", sim.RateLimited)
			f.RetryAfter = int(time.Hour / time.Second)
			b.Fault(f)
			post := b.ws.Work(b.ws.Now("held", b.ws.Account("threads")))
			b.says(post, " · held until Mon 5 Oct 2026, 10:00 UTC")
			if err := change(b, post); core.CodeOf(err) != core.CodeConflict {
				t.Fatalf("before the settle time: %v", err)
			}
			b.Clock.Set(b.next())
			post = b.ws.Work(post)
			b.says(post, " · held until Mon 5 Oct 2026, 10:00 UTC")
			b.wants(post, "queued", 0, "created", "queued", "publishing", "queued")
			if err := change(b, post); err != nil {
				t.Errorf("after the settle time: %v", err)
			}
			if n := b.calls("publish"); n != 1 {
				t.Errorf("%d publishing calls, want the one that was throttled", n)
			}
		})
	}
}

func TestAPostHeldByAThrottledCallGoesOutWhenTheThrottleEnds(t *testing.T) {
	b := newBench(t)
	f := fault("threads", "publish", sim.RateLimited)
	f.RetryAfter = int(time.Hour / time.Second)
	b.Fault(f)
	post := b.ws.Work(b.ws.Now("held", b.ws.Account("threads")))
	b.Clock.Set(b.next())
	post = b.ws.Work(post)
	b.Clock.Advance(50 * time.Minute)
	post = b.ws.Work(post)
	b.wants(post, "queued", 0, "created", "queued", "publishing", "queued")
	b.Clock.Set(b.next())
	post = b.ws.Work(post)
	b.wants(post, "live", 1, "created", "queued", "publishing", "queued", "live")
	if n := b.calls("create"); n != 1 {
		t.Errorf("%d containers were made, want 1", n)
	}
}

// An account that its network had blocked was called for each of its posts.
func TestARefusalThatIsAboutTheAccountHoldsItsOtherPosts(t *testing.T) {
	b := newBench(t)
	account, other := b.ws.Account("facebook"), b.ws.Account("facebook")
	b.Fault(sim.Fault{Network: "facebook", Call: "publish", Kind: sim.Error, Code: 368, Times: new(0)})
	refused := b.refuse(b.ws.Now("refused", account))
	b.wants(refused, "failed", 0, "created", "queued", "publishing", "failed")
	before := b.calls("publish")
	held := b.ws.Work(b.ws.Now("held", account))
	b.wants(held, "queued", 0, "created", "queued", "publishing", "queued")
	if n := b.calls("publish") - before; n != 0 {
		t.Errorf("%d calls for an account that is blocked", n)
	}
	b.Sim.Faults.Clear()
	if p := b.ws.Work(b.ws.Now("free", other)); p.Status != "live" {
		t.Errorf("the post of another account is %s", p.Status)
	}
	if held = b.after(4*time.Hour, held); held.Status != "live" {
		t.Errorf("after four hours the post is %s (%+v)", held.Status, held.Error)
	}
}

// A hundred posts that were due while a network took no more calls were a hundred refused calls.
func TestAThrottleHoldsAllPostsOfTheAccount(t *testing.T) {
	const count = 20
	b := newBench(t)
	account, other := b.ws.Account("threads"), b.ws.Account("threads")
	always := 0
	b.Fault(sim.Fault{
		Network: "threads", Call: "create", Kind: sim.RateLimited, Code: 17, RetryAfter: 600, Match: "held",
		Times: &always,
	})
	var posts []contract.Post
	for i := range count {
		posts = append(posts, b.ws.Work(b.ws.Now(fmt.Sprintf("held %d", i), account)))
	}
	for i, p := range posts {
		b.wants(p, "queued", 0, "created", "queued", "publishing", "queued")
		b.says(p, " · held until Mon 5 Oct 2026, 09:10 UTC")
		if p.Attempts != 1 {
			t.Errorf("post %d took %d attempts", i, p.Attempts)
		}
	}
	if n := b.calls("create"); n != 1 {
		t.Errorf("%d calls for %d posts of an account that is held, want 1", n, count)
	}
	if p := b.ws.Work(b.ws.Now("free", other)); p.Status != "live" {
		t.Errorf("the post of another account is %s", p.Status)
	}

	// When the hold ends, one post tries; it meets the throttle again.
	b.Clock.Advance(10 * time.Minute)
	before := b.calls("create")
	for i := range posts {
		posts[i] = b.ws.Work(posts[i])
	}
	if n := b.calls("create") - before; n != 1 {
		t.Errorf("%d calls when the hold ended, want 1", n)
	}
	b.Sim.Faults.Clear()
	b.Clock.Advance(10 * time.Minute)
	for i := range posts {
		posts[i] = b.ws.Work(posts[i])
	}
	for i := range posts {
		if p := b.ws.Work(posts[i]); p.Status != "live" || b.Visible(p.Text) != 1 {
			t.Errorf("after the throttle post %d is %s: %s", i, p.Status, p.StatusLine)
		}
	}
}

// A replica of the service knows of the throttle that another met.
func TestAThrottleHoldsTheAccountOnEveryReplica(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	f := fault("threads", "create", sim.RateLimited)
	f.RetryAfter = 600
	b.Fault(f)
	b.ws.Work(b.ws.Now("first", account))
	second := b.ws.Now("second", account)
	b.App = b.Replica()
	b.wants(b.ws.Work(second), "queued", 0, "created", "queued", "publishing", "queued")
	if n := b.calls("create"); n != 1 {
		t.Errorf("%d calls, want 1", n)
	}
}

// A throttle of this server's app is one of all its accounts.
func TestAThrottleOfTheAppHoldsAllAccountsOfTheNetwork(t *testing.T) {
	b := newBench(t)
	f := fault("threads", "create", sim.RateLimited)
	f.Code, f.RetryAfter = 4, 600
	b.Fault(f)
	one, other := b.ws.Account("threads"), b.ws.Account("threads")
	b.ws.Work(b.ws.Now("first", one))
	b.wants(b.ws.Work(b.ws.Now("second", other)), "queued", 0, "created", "queued", "publishing", "queued")
	if p := b.ws.Work(b.ws.Now("third", b.ws.Account("facebook"))); p.Status != "live" {
		t.Errorf("the post to another network is %s", p.Status)
	}
	// An account that is connected during the throttle is held as well.
	later := b.ws.Work(b.ws.Now("fourth", b.ws.Account("threads")))
	b.says(later, " · held until Mon 5 Oct 2026, 09:10 UTC")
	if n := b.calls("create"); n != 1 {
		t.Errorf("%d calls, want 1", n)
	}
	// When it ends, one post of one account tries.
	b.Fault(f)
	b.Clock.Advance(10 * time.Minute)
	b.ws.Work(later)
	for _, account := range []contract.Account{one, other} {
		b.ws.Work(b.ws.Now("fifth", account))
	}
	if n := b.calls("create"); n != 2 {
		t.Errorf("%d calls after the throttle, want 2", n)
	}
	b.Clock.Advance(10 * time.Minute)
	if later = b.ws.Work(later); later.Status != "live" {
		t.Errorf("the post that tries after the throttle is %s: %s", later.Status, later.StatusLine)
	}
	if p := b.ws.Work(b.ws.Now("sixth", one)); p.Status != "live" {
		t.Errorf("the next post is %s: %s", p.Status, p.StatusLine)
	}
}

// A worker whose call shows that a hold is over wakes the account's other posts while it holds its own. It must not
// wait for one that somebody is changing, who may want the worker's next.
func TestTheEndOfAHoldDoesNotWaitForAPostThatIsBeingChanged(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	changed, waiting := b.ws.Now("being changed", account), b.ws.Now("waiting", account)
	_, err := b.Pool.Exec(b.Context(), `UPDATE publications SET rest = 'hold', next_action_at = clock() + '1 hour'::interval`)
	must(t, err)
	until := b.Clock.Now().Add(time.Minute)
	_, err = b.Pool.Exec(b.Context(), `UPDATE accounts SET held_until = $1`, until)
	must(t, err)
	ids := make(map[string]core.PostID)
	for _, p := range []contract.Post{changed, waiting} {
		ids[p.ID], err = core.ParseID[core.PostKind](p.ID)
		must(t, err)
	}
	accountID, err := core.ParseID[core.AccountKind](account.ID)
	must(t, err)
	tenant := b.Store.In(b.ws.ID)
	must(t, tenant.Tx(b.Context(), func(person store.Tenant) error {
		if _, err := person.LockPublication(b.Context(), ids[changed.ID]); err != nil {
			return err
		}
		return tenant.Tx(b.Context(), func(worker store.Tenant) error {
			ctx, cancel := context.WithTimeout(b.Context(), 10*time.Second) // it would wait for ever
			defer cancel()
			return worker.EndThrottleAndWakePosts(ctx, accountID, until)
		})
	}))
	if due := b.duePosts(); len(due) != 1 || due[0] != ids[waiting.ID] {
		t.Errorf("due are %v, want only %s", due, waiting.ID)
	}
}

// beforePublish is a network that calls do before its publishing call.
type beforePublish struct {
	network.Network
	do func()
}

func (n beforePublish) Publish(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	n.do()
	return n.Network.Publish(ctx, it, handle)
}

// Who queues a draft and changes its files locks the account and then the files. A worker whose post shows that a hold
// is over locks both too, in the same order (ADR 0010).
func TestTheEndOfAHoldLocksTheAccountBeforeTheFiles(t *testing.T) {
	b := newBench(t)
	account, photo := b.ws.Account("facebook"), b.photo()
	post := b.post(request("probe", now(), account), photo)
	b.exec(`UPDATE accounts SET held_until = clock()`)
	person, err := b.Pool.Begin(b.Context())
	must(t, err)
	accountID, locked := b.ws.AccountID(account), make(chan error, 1)
	worker := b.through(func(n network.Network) network.Network {
		return beforePublish{n, func() {
			_, err := person.Exec(b.Context(), `SELECT FROM accounts WHERE id = $1 FOR SHARE`, accountID)
			locked <- err
		}}
	})
	id, err := core.ParseID[core.PostKind](post.ID)
	must(t, err)
	done := make(chan error, 1)
	go func() { done <- worker.Engine().PublishOrPrepare(b.Context(), "a worker", b.ws.ID, id) }()
	select {
	case err := <-locked:
		must(t, err)
	case err := <-done:
		t.Fatalf("the worker ended before its publishing call: %v", err)
	}
	b.Eventually("the worker waits for the account", func() (waits bool) {
		must(t, b.Pool.QueryRow(b.Context(), `SELECT EXISTS (
			SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')`).Scan(&waits))
		return waits
	})
	_, err = person.Exec(b.Context(), `SELECT FROM media WHERE id = $1 FOR SHARE NOWAIT`, b.ws.MediaID(photo))
	if err != nil {
		t.Errorf("the worker has locked the file, and waits for the account: %v", err)
	}
	must(t, person.Rollback(b.Context()))
	must(t, <-done)
	b.wants(b.ws.Post(post), "live", 1, "created", "queued", "publishing", "live")
}

// duePosts returns the posts that a worker must act on now.
func (b *bench) duePosts() []core.PostID {
	b.t.Helper()
	rows, err := b.Pool.Query(b.Context(), `SELECT post_id FROM publications WHERE next_action_at <= clock()`)
	must(b.t, err)
	due, err := pgx.CollectRows(rows, pgx.RowTo[core.PostID])
	must(b.t, err)
	return due
}

// exec changes the database behind the service's back.
func (b *bench) exec(sql string, args ...any) {
	b.t.Helper()
	_, err := b.Pool.Exec(b.Context(), sql, args...)
	must(b.t, err)
}

func TestTheEndOfANetworksHoldWakesThePostsOfItsAccounts(t *testing.T) {
	b := newBench(t)
	one, other, held := b.ws.Account("threads"), b.ws.Account("threads"), b.ws.Account("threads")
	tries, waits, stays := b.ws.Now("tries", one), b.ws.Now("waits", other), b.ws.Now("stays held", held)
	b.exec(`UPDATE publications SET rest = 'hold', next_action_at = clock() + interval '1 hour'
		WHERE post_id <> (SELECT id FROM posts WHERE text = 'tries')`)
	b.exec(`INSERT INTO network_holds VALUES ('threads', clock())`)
	b.exec(`UPDATE accounts SET held_until = clock() + interval '2 hours' WHERE id = $1`, b.ws.AccountID(held))
	if p := b.ws.Work(tries); p.Status != "live" {
		t.Fatalf("the post that tries is %s: %s", p.Status, p.StatusLine)
	}
	id, err := core.ParseID[core.PostKind](waits.ID)
	must(t, err)
	if due := b.duePosts(); len(due) != 1 || due[0] != id {
		t.Errorf("due are %v, want %s, and not %s", due, waits.ID, stays.ID)
	}
}

func TestTheEndOfAThrottleWakesPostsThatAreBeingPreparedAhead(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	longest := b.Clock.Now().Add(core.LongestAhead)
	prepared := b.ws.Queued("is being prepared", account, longest.Add(-time.Minute))
	b.ws.Queued("cannot have begun", account, longest.Add(time.Hour))
	b.exec(`UPDATE publications SET rest = 'hold', prepare_at = clock() + interval '1 hour'`)
	b.exec(`UPDATE accounts SET held_until = clock()`)
	tenant, id := b.Store.In(b.ws.ID), b.ws.AccountID(account)
	until, err := tenant.ClaimThrottleProbe(b.Context(), id, time.Minute)
	must(t, err)
	must(t, tenant.EndThrottleAndWakePosts(b.Context(), id, until))
	rows, err := b.Pool.Query(b.Context(), `SELECT post_id FROM publications WHERE prepare_at <= clock()`)
	must(t, err)
	woken, err := pgx.CollectRows(rows, pgx.RowTo[core.PostID])
	must(t, err)
	if len(woken) != 1 || woken[0].String() != prepared.ID {
		t.Errorf("woken are %v, want only %s", woken, prepared.ID)
	}
}

func TestAProbeEndsNoHoldButItsOwn(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	b.ws.Now("waits", account)
	b.exec(`UPDATE publications SET rest = 'hold', next_action_at = clock() + interval '1 hour'`)
	b.exec(`UPDATE accounts SET held_until = clock()`)
	tenant, id := b.Store.In(b.ws.ID), b.ws.AccountID(account)
	until, err := tenant.ClaimThrottleProbe(b.Context(), id, time.Minute)
	must(t, err)
	if _, err := tenant.ClaimThrottleProbe(b.Context(), id, time.Minute); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a second probe: %v", err)
	}
	must(t, tenant.HoldAccountPosts(b.Context(), id, until.Add(time.Hour)))
	must(t, b.Store.HoldPlatformPosts(b.Context(), "threads", until.Add(-time.Second)))
	must(t, tenant.EndThrottleAndWakePosts(b.Context(), id, until))
	a, err := tenant.ConnectedAccount(b.Context(), id)
	must(t, err)
	if due := b.duePosts(); len(due) != 0 || !a.HeldUntil.Equal(until.Add(time.Hour)) {
		t.Errorf("due are %v; the account is held until %s", due, a.HeldUntil)
	}
	var holds int
	must(t, b.Pool.QueryRow(b.Context(), `SELECT count(*) FROM network_holds`).Scan(&holds))
	if holds != 1 {
		t.Error("the network's hold has ended")
	}
}

func TestAnAccountIsNotProbedWhileItsNetworkIsHeld(t *testing.T) {
	b := newBench(t)
	one, other := b.ws.AccountID(b.ws.Account("threads")), b.ws.AccountID(b.ws.Account("threads"))
	b.exec(`UPDATE accounts SET held_until = clock()`)
	b.exec(`INSERT INTO network_holds VALUES ('threads', clock())`)
	tenant := b.Store.In(b.ws.ID)
	until, err := tenant.ClaimThrottleProbe(b.Context(), one, time.Minute)
	must(t, err)
	if _, err := tenant.ClaimThrottleProbe(b.Context(), other, time.Minute); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("another account is tried as well: %v", err)
	}
	must(t, tenant.EndThrottleAndWakePosts(b.Context(), one, until))
	if _, err := tenant.ClaimThrottleProbe(b.Context(), other, time.Minute); err != nil {
		t.Errorf("after the network's hold, the other account's own is tried: %v", err)
	}
}
