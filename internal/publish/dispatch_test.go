package publish_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/publish"
	"belfry/internal/store"
)

// startWorker runs the engine of an App until the test ends.
func (b *bench) startWorker(a *app.App, w publish.Worker) {
	ctx, cancel := context.WithCancel(b.Context())
	var worker sync.WaitGroup
	worker.Go(func() { a.Engine().Run(ctx, w) })
	b.t.Cleanup(func() {
		cancel()
		worker.Wait()
	})
}

func (b *bench) live() (n int) {
	b.t.Helper()
	must(b.t, b.Pool.QueryRow(b.Context(), `SELECT count(*) FROM posts WHERE status = 'live'`).Scan(&n))
	return n
}

// gated is a network whose CreateHandle waits for a gate.
type gated struct {
	network.Network
	open <-chan struct{}
}

func (g gated) CreateHandle(ctx context.Context, it network.Item) (string, error) {
	select {
	case <-g.open:
	case <-ctx.Done():
	}
	return g.Network.CreateHandle(ctx, it)
}

// Three replicas on one database, each with room for a third of the posts: each post goes out once, and all replicas
// share the work.
func TestReplicasShareDuePostsAndSendEachOnce(t *testing.T) {
	const posts, replicas = 300, 3
	b := newBench(t)
	due := b.Clock.Now().Add(time.Hour)
	for i := range replicas {
		ws := b.Workspace(fmt.Sprintf("shared %d", i))
		account := ws.Account("threads")
		for n := range posts / replicas {
			ws.Queued(fmt.Sprintf("shared post %d of %d", n, i), account, due)
		}
	}
	open := make(chan struct{})
	for i := range replicas {
		replica := b.through(func(n network.Network) network.Network { return gated{n, open} })
		b.startWorker(replica,
			publish.Worker{Owner: fmt.Sprintf("replica-%d", i), Poll: 10 * time.Millisecond, Posts: posts / replicas})
	}
	b.Clock.Advance(time.Hour)
	held := func() (n int) {
		must(t, b.Pool.QueryRow(t.Context(), `SELECT count(*) FROM publications WHERE lease_until > clock()`).Scan(&n))
		return n
	}
	b.Eventually("the replicas hold all posts", func() bool { return held() == posts })
	close(open)
	b.Eventually("all posts are live", func() bool { return b.live() == posts })

	seen := map[string]int{}
	for _, p := range b.Sim.Posts.All() {
		if seen[p.Text]++; seen[p.Text] > 1 {
			t.Errorf("%q went out %d times", p.Text, seen[p.Text])
		}
	}
	if len(seen) != posts {
		t.Errorf("%d different posts went out, want %d", len(seen), posts)
	}
}

// A post whose time comes while no worker looks is found by the time the ledger names, not by polling.
func TestAWorkerWakesWhenTheNextPostIsDue(t *testing.T) {
	b := newBench(t)
	post := b.ws.Now("due in a moment", b.ws.Account("threads"))
	_, err := b.Pool.Exec(b.Context(), `
		CREATE OR REPLACE FUNCTION clock() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT now()';
		UPDATE publications SET next_action_at = clock() + interval '300 milliseconds'`)
	must(t, err)
	b.startWorker(b.App, publish.Worker{Owner: "a worker", Poll: time.Hour, Posts: 10})
	b.Eventually("the post is live", func() bool { return b.ws.Post(post).Status == "live" })
}

// Between two looks an hour apart, a worker hears of each post that its own process makes due.
func TestAWorkerWakesForAPostThatItsProcessMakesDue(t *testing.T) {
	b := newBench(t)
	b.Store.Due = make(chan struct{}, 1)
	b.startWorker(b.App, publish.Worker{Owner: "a worker", Poll: time.Hour, Posts: 10})
	for i := range 3 {
		post := b.ws.Now(fmt.Sprintf("now %d", i), b.ws.Account("threads"))
		b.Eventually("the new post is live", func() bool { return b.ws.Post(post).Status == "live" })
	}
	later := b.ws.Queued("later", b.ws.Account("threads"), b.Clock.Now().Add(time.Hour))
	_, err := b.App.EditPost(b.Context(), b.ws.Owner, contract.EditPost{ID: later.ID, When: &contract.When{Word: "now"}})
	must(t, err)
	b.Eventually("the moved post is live", func() bool { return b.ws.Post(later).Status == "live" })
}

// queryCounter counts the statements of a pool.
type queryCounter struct{ n atomic.Int64 }

func (q *queryCounter) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	q.n.Add(1)
	return ctx
}

func (*queryCounter) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// A worker that is at rest looked three times as often, and most of its processor time went into that.
func TestAWorkerAtRestSendsOneStatementPerPoll(t *testing.T) {
	const poll, statements = 20 * time.Millisecond, 20
	b := newBench(t)
	b.ws.Queued("next month", b.ws.Account("facebook"), b.Clock.Now().Add(30*24*time.Hour))
	var count queryCounter
	cfg := b.Pool.Config()
	cfg.ConnConfig.Tracer = &count
	pool, err := pgxpool.NewWithConfig(b.Context(), cfg)
	must(t, err)
	t.Cleanup(pool.Close)
	resting := b.Replica(b.Through(apptest.Connections{Pool: pool, NetworksURL: b.NetworksURL}))
	began := time.Now()
	b.startWorker(resting, publish.Worker{Owner: "a worker", Poll: poll, Posts: 10, Preparing: 10})
	b.Eventually("the worker has looked for posts often", func() bool { return count.n.Load() >= statements })
	if took, least := time.Since(began), (statements-1)*poll; took < least {
		t.Errorf("%d statements in %s, want at least %s", statements, took, least)
	}
}

// unansweredLook leaves the first statement that looks for work without an answer, as a connection that goes silent.
type unansweredLook struct{ done atomic.Bool }

func (u *unansweredLook) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	if strings.Contains(q.SQL, "turn_ended") && !u.done.Swap(true) {
		<-ctx.Done()
	}
	return ctx
}

func (*unansweredLook) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func TestAWorkerWhoseConnectionGoesSilentLooksAgain(t *testing.T) {
	b := newBench(t)
	cfg := b.Pool.Config()
	cfg.ConnConfig.Tracer = &unansweredLook{}
	pool, err := pgxpool.NewWithConfig(b.Context(), cfg)
	must(t, err)
	t.Cleanup(pool.Close)
	cut := b.Replica(b.Through(apptest.Connections{Pool: pool, NetworksURL: b.NetworksURL}))
	post := b.ws.Now("now", b.ws.Account("threads"))
	b.startWorker(cut, publish.Worker{Owner: "a worker", Poll: 10 * time.Millisecond, Posts: 10})
	b.Eventually("the post is live", func() bool { return b.ws.Post(post).Status == "live" })
}

// failingWake cancels the statement that wakes the posts that wait for their turn.
type failingWake struct{}

func (failingWake) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	if strings.Contains(q.SQL, "WITH free AS") {
		ended, cancel := context.WithCancel(ctx)
		cancel()
		return ended
	}
	return ctx
}

func (failingWake) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// Posts that wait for their turn must not hold up the others if they cannot be woken.
func TestPostsGoOutAlthoughOthersCannotBeGivenTheirTurn(t *testing.T) {
	b := newBench(t)
	waiting := b.ws.Queued("waiting", b.ws.Account("threads"), b.Clock.Now().Add(time.Hour))
	id, err := core.ParseID[core.PostKind](waiting.ID)
	must(t, err)
	_, err = b.Pool.Exec(b.Context(), `UPDATE publications u SET turn_of = p.account_id
		FROM posts p WHERE p.id = u.post_id AND p.id = $1`, id)
	must(t, err)
	cfg := b.Pool.Config()
	cfg.ConnConfig.Tracer = failingWake{}
	pool, err := pgxpool.NewWithConfig(b.Context(), cfg)
	must(t, err)
	t.Cleanup(pool.Close)
	failing := b.Replica(b.Through(apptest.Connections{Pool: pool, NetworksURL: b.NetworksURL}))
	post := b.ws.Now("now", b.ws.Account("threads"))
	b.startWorker(failing, publish.Worker{Owner: "a worker", Poll: 10 * time.Millisecond, Posts: 10})
	b.Eventually("the post is live", func() bool { return b.ws.Post(post).Status == "live" })
}

// The posts of a batch are read together. One that cannot be read, here for its zone, stayed in the way of all.
func TestAPostThatCannotBeReadHoldsUpNoOther(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	broken := b.ws.Now("broken", account)
	for i := range 3 {
		b.ws.Now(fmt.Sprintf("sound %d", i), account)
	}
	id, err := core.ParseID[core.PostKind](broken.ID)
	must(t, err)
	_, err = b.Pool.Exec(b.Context(), `UPDATE posts SET tz = 'No/Where' WHERE id = $1`, id)
	must(t, err)
	b.startWorker(b.App, publish.Worker{Owner: "a worker", Poll: 10 * time.Millisecond, Posts: 10})
	b.Eventually("the other posts are live", func() bool { return b.live() == 3 })
}

// Its claim lasted until the end of its lease, and the next one counted as a takeover.
func TestAPostThatCouldNotBeReadIsTriedAgainAfterAPause(t *testing.T) {
	b := newBench(t)
	post := b.ws.Now("read at last", b.ws.Account("threads"))
	b.exec(`UPDATE posts SET tz = 'No/Where'`)
	b.startWorker(b.App, publish.Worker{Owner: "a worker", Poll: 10 * time.Millisecond, Posts: 10})
	for claims, pause := range []time.Duration{5 * time.Second, 10 * time.Second, 20 * time.Second} {
		b.Eventually("the claim has ended", func() (ended bool) {
			must(t, b.Pool.QueryRow(b.Context(), `SELECT lease_until IS NULL AND lease_epoch = $1 FROM publications`,
				claims+1).Scan(&ended))
			return ended
		})
		if next := b.next(); !next.Equal(b.Clock.Now().Add(pause)) {
			t.Errorf("after %d claims, the next is at %s, now is %s", claims+1, next, b.Clock.Now())
		}
		b.Clock.Advance(pause)
	}
	b.exec(`UPDATE posts SET tz = 'UTC'`)
	b.Eventually("the post is live", func() bool {
		b.Clock.Advance(time.Second)
		return b.live() == 1
	})
	b.wants(b.ws.Post(post), "live", 1, "created", "queued", "publishing", "live")
	if n := gauge(t, b.Harness, "lease_takeovers_total"); n != 0 {
		t.Errorf("%v takeovers", n)
	}
}

// A worker that was frozen during a call still believes that it has its claim.
func TestAWriteAfterATakeoverIsRefusedAndCounted(t *testing.T) {
	b := newBench(t)
	post := b.ws.Now("taken over", b.ws.Account("threads"))
	id, err := core.ParseID[core.PostKind](post.ID)
	must(t, err)
	open, reached := make(chan struct{}), make(chan struct{})
	frozen := b.through(func(n network.Network) network.Network { return announced{gated{n, open}, reached} })
	done := make(chan error)
	go func() { done <- frozen.Engine().PublishOrPrepare(b.Context(), "frozen", b.ws.ID, id) }()
	<-reached
	b.Clock.Advance(b.Config.Schedule.Lease)
	b.goesLive(post)
	close(open)
	must(t, <-done)
	if n := gauge(t, b.Harness, "fenced_writes_total"); n != 1 || b.Visible("taken over") != 1 {
		t.Errorf("%v writes were refused, and the post is visible %d times", n, b.Visible("taken over"))
	}
}

// panicking is a network whose CreateHandle panics.
type panicking struct{ network.Network }

func (panicking) CreateHandle(context.Context, network.Item) (string, error) {
	panic("a fault in a connector")
}

// A panic in one connector must not end the process.
func TestAPanicEndsOnlyItsOwnClaim(t *testing.T) {
	b := newBench(t)
	panics, sound := b.ws.Now("panics", b.ws.Account("threads")), b.ws.Now("sound", b.ws.Account("facebook"))
	b.App = b.through(func(n network.Network) network.Network { return panicking{n} })
	b.startWorker(b.App, publish.Worker{Owner: "a worker", Poll: 10 * time.Millisecond, Posts: 10})
	b.Eventually("the sound post is live", func() bool { return b.ws.Post(sound).Status == "live" })
	if got := b.ws.Post(panics).Status; got != "queued" {
		t.Errorf("the post whose network panics is %s", got)
	}
}

// Rows that somebody else has locked are left for the next look: no worker waits for a person, nor a person for
// a worker that waits.
func TestAClaimSkipsAPostThatSomebodyIsChanging(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	locked, free := b.ws.Now("locked", account), b.ws.Now("free", account)
	id, err := core.ParseID[core.PostKind](locked.ID)
	must(t, err)
	must(t, b.Store.In(b.ws.ID).Tx(b.Context(), func(tx store.Tenant) error {
		if _, err := tx.LockPost(b.Context(), id); err != nil {
			return err
		}
		claims, err := b.Store.ClaimDuePublications(b.Context(), "a worker", 10, time.Minute, b.Clock.Now())
		if err != nil {
			return err
		}
		if len(claims) != 1 || claims[0].Post.String() != free.ID {
			t.Errorf("claimed %+v, want only %s", claims, free.ID)
		}
		return nil
	}))
	if !b.due() {
		t.Error("the post is not due any more")
	}
}

// PostgreSQL may finish a statement that the worker has stopped waiting for. A post claimed so after the leases were
// released would have waited until the end of its lease.
func TestAStoppingWorkerFinishesAClaimSoThatItIsReleased(t *testing.T) {
	b := newBench(t)
	post := b.ws.Now("claimed while the worker stops", b.ws.Account("threads"))
	hold, err := b.Pool.Begin(b.Context())
	must(t, err)
	defer func() { _ = hold.Rollback(context.WithoutCancel(b.Context())) }()
	_, err = hold.Exec(b.Context(), `LOCK TABLE publishing_hold`)
	must(t, err)
	ctx, stop := context.WithCancel(b.Context())
	var worker sync.WaitGroup
	worker.Go(func() { b.App.Engine().Run(ctx, publish.Worker{Owner: "stopping", Poll: time.Hour, Posts: 10}) })
	b.Eventually("the worker's claim waits", func() (waits bool) {
		must(t, b.Pool.QueryRow(b.Context(),
			`SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')`).Scan(&waits))
		return waits
	})
	stop()
	must(t, hold.Rollback(b.Context()))
	worker.Wait()
	must(t, b.App.Engine().ReleaseLeases(b.Context(), "stopping"))
	var claims int
	must(t, b.Pool.QueryRow(b.Context(), `SELECT lease_epoch FROM publications`).Scan(&claims))
	if claims != 1 || !b.due() {
		t.Errorf("%s was claimed %d times, and can be claimed again: %v", post.ID, claims, b.due())
	}
}

// Creating, moving and cancelling a later post insert no job, and neither does queueing one that is due now.
func TestQueueingAPostInsertsNoJob(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	b.exec(`DELETE FROM river_job`)
	later := b.ws.Queued("later", account, b.Clock.Now().Add(time.Hour))
	b.ws.Now("now", account)
	_, err := b.App.CancelPost(b.Context(), b.ws.Owner, later.ID)
	must(t, err)
	var jobs int
	must(t, b.Pool.QueryRow(b.Context(), `SELECT count(*) FROM river_job`).Scan(&jobs))
	if jobs != 0 {
		t.Errorf("there are %d jobs", jobs)
	}
}

// A claim does not wait for the disk. When the database had crashed and forgotten one, the worker that had it
// could claim the post anew under the same number, and both of its claims could write.
func TestAClaimThatTheDatabaseForgotIsFenced(t *testing.T) {
	b := newBench(t)
	id, err := core.ParseID[core.PostKind](b.ws.Now("forgotten", b.ws.Account("facebook")).ID)
	must(t, err)
	tenant := b.Store.In(b.ws.ID)
	claim := func() store.Publication {
		claimed, err := tenant.ClaimDueOrPreparablePublication(b.Context(), id, "a worker", time.Minute, b.Clock.Now())
		must(t, err)
		return claimed.Publication
	}
	forgotten := claim()
	_, err = b.Pool.Exec(b.Context(), `UPDATE publications SET lease_epoch = lease_epoch - 1, lease_owner = NULL, lease_until = NULL`)
	must(t, err)
	second := claim()
	if err := tenant.SaveStepAndEndClaim(b.Context(), forgotten, nil, 0); !errors.Is(err, store.ErrFenced) {
		t.Errorf("the forgotten claim wrote: %v", err)
	}
	must(t, tenant.SaveStepAndEndClaim(b.Context(), second, nil, 0))
}
