package publish_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/sim"
	"belfry/internal/publish"
	"belfry/internal/store"
)

// overlaps returns the number of publishing calls that arrived while another call of the account was in progress.
func (b *bench) overlaps() (n int) {
	for _, c := range b.Sim.Calls.ListLast(0) {
		if c.Overlaps {
			n++
		}
	}
	return n
}

// Two replicas, one account and fifty posts that are due at once, at a network whose publishing call takes its time: no
// two of these calls overlap. One post that is refused and one whose response is lost hold none of the others up.
func TestPostsOfAnAccountArePublishedOneAfterAnother(t *testing.T) {
	const posts = 50
	b := newBench(t)
	account, due := b.ws.Account("threads"), b.Clock.Now().Add(time.Hour)
	always := 0
	slow := fault("threads", "publish", sim.Slow)
	slow.DelayMs, slow.Times = 15, &always
	refused, lost := fault("threads", "publish", "reject"), fault("threads", "publish", "drop_before_accept")
	refused.Match, lost.Match = "post 10 of", "post 20 of"
	b.Fault(slow, refused, lost)
	for i := range posts {
		b.ws.Queued(fmt.Sprintf("post %d of %d", i, posts), account, due)
	}
	for _, owner := range []string{"one", "two"} {
		b.startWorker(b.Replica(), publish.Worker{Owner: owner, Poll: 10 * time.Millisecond, Posts: 10})
	}
	b.Clock.Set(due)
	ended := func(with ...string) (n int) {
		must(t, b.Pool.QueryRow(b.Context(), `SELECT count(*) FROM publications WHERE rest = ANY($1)`, with).Scan(&n))
		return n
	}
	b.Eventually("all posts have made their call", func() bool { return ended("live", "fail", "settle") == posts })
	if n := b.live(); n != posts-2 {
		t.Errorf("%d posts are live, want %d", n, posts-2)
	}
	b.Clock.Advance(3 * time.Minute)
	b.Eventually("the lost post will be retried", func() bool { return ended("retry") == 1 })
	b.Clock.Advance(time.Minute)
	b.Eventually("the lost post is live", func() bool { return b.live() == posts-1 })
	if n := b.overlaps(); n != 0 {
		t.Errorf("%d of %d publishing calls overlap with another of the account", n, b.calls("publish"))
	}
	seen := map[string]int{}
	for _, p := range b.Sim.Posts.All() {
		if seen[p.Text]++; seen[p.Text] > 1 {
			t.Errorf("%q went out %d times", p.Text, seen[p.Text])
		}
	}
}

// arm claims a post and saves its arm, as a worker does before the irreversible call.
func (b *bench) arm(p contract.Post) (store.Publication, error) {
	b.t.Helper()
	claimed := b.claimNow(p)
	_, err := b.Store.In(b.ws.ID).SaveStepBeforeCall(b.Context(), claimed, nil, armCall, time.Minute, time.Minute)
	return claimed, err
}

var armCall = store.Call{Seq: 1, Do: core.DoPublish, Deadline: time.Second}

// claimNow claims a post as a worker does.
func (b *bench) claimNow(p contract.Post) store.Publication {
	b.t.Helper()
	id, err := core.ParseID[core.PostKind](p.ID)
	must(b.t, err)
	claim, err := b.Store.In(b.ws.ID).
		ClaimDueOrPreparablePublication(b.Context(), id, "a worker that dies", time.Minute, b.Clock.Now())
	must(b.t, err)
	return claim.Publication
}

// endCall saves the outcome of the call that arm has saved, which ends the publication.
func (b *bench) endCall(p store.Publication) {
	b.t.Helper()
	p.NextAt = time.Time{}
	must(b.t, b.Store.In(b.ws.ID).SaveStepAndEndClaim(b.Context(), p, nil, time.Minute))
}

// The turn names the account at the network, and would stay when the account's data is erased.
func TestTheTurnOfADeadWorkerIsDeleted(t *testing.T) {
	b := newBench(t)
	_, err := b.arm(b.ws.Now("one", b.ws.Account("threads")))
	must(t, err)
	turnsAfter := func(wait time.Duration) (n int) {
		b.Clock.Advance(wait)
		must(t, b.App.DeleteExpiredRowsAndUpdateSecretKeyMetric(t.Context()))
		must(t, b.Pool.QueryRow(t.Context(), `SELECT count(*) FROM account_turns`).Scan(&n))
		return n
	}
	if n := turnsAfter(time.Second); n != 1 {
		t.Errorf("%d turns while the call may be on its way, want 1", n)
	}
	if n := turnsAfter(time.Hour); n != 0 {
		t.Errorf("%d turns after the lease, want 0", n)
	}
}

// Whatever a worker believes, the database saves no second arm of an account, but one of another account.
func TestTheDatabaseArmsOnePostOfAnAccountAtATime(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	one, two, three := b.ws.Now("one", account), b.ws.Now("two", account), b.ws.Now("three", account)
	first, err := b.arm(one)
	must(t, err)
	if _, err := b.arm(two); !errors.Is(err, store.ErrNoTurn) {
		t.Errorf("a second arm: %v", err)
	}
	if _, err := b.arm(b.ws.Now("other", b.ws.Account("threads"))); err != nil {
		t.Errorf("the arm of another account: %v", err)
	}
	call := store.Call{Seq: 2, Do: core.DoStatus, Deadline: time.Second, PassesTurn: true}
	_, err = b.Store.In(b.ws.ID).SaveStepBeforeCall(b.Context(), first, nil, call, time.Minute, time.Minute)
	must(t, err)
	if _, err := b.arm(three); err != nil {
		t.Errorf("after the outcome of the call: %v", err)
	}
}

// commitReader reads, after each step of a post, whether the commit of its transaction will wait for the disk.
type commitReader struct{ waits string }

func (*commitReader) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	return context.WithValue(ctx, commitReader{}, strings.Contains(q.SQL, "INSERT INTO publish_steps"))
}

func (r *commitReader) TraceQueryEnd(ctx context.Context, conn *pgx.Conn, _ pgx.TraceQueryEndData) {
	if isStep, _ := ctx.Value(commitReader{}).(bool); isStep {
		if err := conn.QueryRow(ctx, `SELECT current_setting('synchronous_commit')`).Scan(&r.waits); err != nil {
			r.waits = err.Error()
		}
	}
}

// After a crash of the database, an arm whose call was made must be on record. Nothing else has to wait for the disk.
func TestOnlyTheCommitOfAnArmWaitsForTheDisk(t *testing.T) {
	b := newBench(t)
	cfg, read := b.Pool.Config(), &commitReader{}
	cfg.ConnConfig.RuntimeParams["synchronous_commit"] = "on"
	cfg.ConnConfig.Tracer = read
	pool, err := pgxpool.NewWithConfig(b.Context(), cfg)
	must(t, err)
	t.Cleanup(pool.Close)
	db, err := store.New(pool)
	must(t, err)
	account := b.ws.Account("threads")
	first, second, later := b.ws.Now("one", account), b.ws.Now("two", account), b.ws.Now("three", b.ws.Account("threads"))
	for _, c := range []struct {
		what  string
		post  contract.Post
		do    core.Action
		want  error
		waits string
	}{
		{"a preparing call", later, core.DoCreate, nil, "off"},
		{"the arm", first, core.DoPublish, nil, "on"},
		{"an arm without a turn", second, core.DoPublish, store.ErrNoTurn, "off"},
	} {
		claimed, call := b.claimNow(c.post), armCall
		call.Do = c.do
		err := db.In(b.ws.ID).Tx(b.Context(), func(t store.Tenant) error {
			_, err := t.SaveStepBeforeCall(b.Context(), claimed, nil, call, time.Minute, time.Minute)
			return err
		})
		if !errors.Is(err, c.want) || read.waits != c.waits {
			t.Errorf("%s: %v; synchronous_commit is %s, want %s", c.what, err, read.waits, c.waits)
		}
	}
}

// A worker that died in its call keeps the turn until its lease ends, and no longer.
func TestTheTurnOfADeadWorkerEndsWithItsLease(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	dead, next := b.ws.Now("dead", account), b.ws.Now("next", account)
	_, err := b.arm(dead)
	must(t, err)
	next = b.ws.Work(next)
	b.wants(next, "queued", 0, "created", "queued", "publishing")
	b.says(next, " · waiting for another post from this account")
	b.startWorker(b.App, publish.Worker{Owner: "a worker", Poll: 10 * time.Millisecond, Posts: 10})
	b.Clock.Advance(59 * time.Second)
	must(t, b.Store.WakeNextPostsAwaitingTurn(b.Context()))
	if n := b.live(); n != 0 {
		t.Fatalf("%d posts are live before the lease has ended", n)
	}
	b.Clock.Advance(time.Second)
	b.Eventually("the next post is live", func() bool { return b.ws.Post(next).Status == "live" })
	if n := b.calls("status"); n > 3 {
		t.Errorf("%d status calls", n)
	}
}

// Who waits is not asked about anew, and the one that was due first goes first.
func TestTheTurnGoesToThePostThatWasDueFirst(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	var posts []contract.Post
	for i := range 4 {
		b.Clock.Advance(time.Second)
		posts = append(posts, b.ws.Now(fmt.Sprintf("post %d", i), account))
	}
	first, err := b.arm(posts[0])
	must(t, err)
	for _, i := range []int{2, 1, 3} {
		b.ws.Work(posts[i])
	}
	status := b.calls("status")
	if b.due() {
		t.Error("a post is due while another has the turn")
	}
	b.endCall(first)
	var order []string
	for range 3 {
		due := b.duePosts()
		if len(due) != 1 {
			t.Fatalf("due are %v", due)
		}
		must(t, b.App.Engine().PublishOrPrepare(b.Context(), "a worker", b.ws.ID, due[0]))
		order = append(order, b.Sim.Posts.All()[len(order)].Text)
	}
	if got := strings.Join(order, ", "); got != "post 1, post 2, post 3" {
		t.Errorf("published %s", got)
	}
	if n := b.calls("status") - status; n != 0 {
		t.Errorf("%d status calls for posts that were ready", n)
	}
}

// A post that gets the turn and cannot use it passes it on.
func TestATurnThatIsNotUsedIsPassedOn(t *testing.T) {
	for name, spoil := range map[string]func(*bench, contract.Post){
		"cancelled": func(b *bench, p contract.Post) {
			_, err := b.App.CancelPost(b.Context(), b.ws.Owner, p.ID)
			must(b.t, err)
		},
		"throttled": func(b *bench, p contract.Post) {
			b.exec(`UPDATE accounts SET held_until = clock() + interval '1 hour'`)
			b.ws.Work(p)
			b.exec(`UPDATE accounts SET held_until = NULL`)
		},
		"claimed by a worker that dies": func(b *bench, p contract.Post) {
			_, err := b.arm(p)
			must(b.t, err)
			b.Clock.Advance(time.Minute)
		},
		"never claimed": func(b *bench, _ contract.Post) { b.Clock.Advance(time.Minute) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			account := b.ws.Account("threads")
			one, two, three := b.ws.Now("one", account), b.ws.Now("two", account), b.ws.Now("three", account)
			first, err := b.arm(one)
			must(t, err)
			b.ws.Work(two)
			b.ws.Work(three)
			b.endCall(first)
			spoil(b, two)
			must(t, b.Store.WakeNextPostsAwaitingTurn(b.Context()))
			if p := b.ws.Work(three); p.Status != "live" {
				t.Errorf("the next post is %s: %s", p.Status, p.StatusLine)
			}
		})
	}
}

// WakeNextPostsAwaitingTurn waits for nobody: a transaction that has ended the turn of one post may go on to lock the
// next.
func TestPassingTurnsDoesNotDeadlockWithAChangeOfSeveralPosts(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	one, two := b.ws.Now("one", account), b.ws.Now("two", account)
	_, err := b.arm(one)
	must(t, err)
	b.ws.Work(two)
	b.Clock.Advance(time.Minute)
	tx, err := b.Pool.Begin(b.Context())
	must(t, err)
	defer func() { _ = tx.Rollback(context.WithoutCancel(b.Context())) }()
	_, err = tx.Exec(b.Context(), `DELETE FROM account_turns WHERE post_id = (SELECT id FROM posts WHERE text = 'one')`)
	must(t, err)
	must(t, b.Store.WakeNextPostsAwaitingTurn(b.Context()))
	_, err = tx.Exec(b.Context(), `SELECT FROM publications u JOIN posts p ON p.id = u.post_id WHERE p.text = 'two' FOR UPDATE OF u`)
	must(t, err)
	must(t, tx.Commit(b.Context()))
	if p := b.ws.Work(two); p.Status != "live" {
		t.Errorf("the next post is %s: %s", p.Status, p.StatusLine)
	}
}

// inCall is a network whose publishing call waits for a signal for some posts.
type inCall struct {
	network.Network
	letGo <-chan struct{}
}

func (n inCall) Publish(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	if strings.HasPrefix(it.Text, "slow") {
		select {
		case <-n.letGo:
		case <-ctx.Done():
		}
	}
	return n.Network.Publish(ctx, it, handle)
}

// One call takes long, the account's other posts wait for it, and the worker's only other slot goes on publishing.
func TestPostsThatWaitForTheirTurnHoldNoWorker(t *testing.T) {
	const waiting, others = 20, 5
	b := newBench(t)
	letGo := make(chan struct{})
	busy, free := b.ws.Account("threads"), b.ws.Account("threads")
	b.startWorker(b.through(func(n network.Network) network.Network { return inCall{n, letGo} }),
		publish.Worker{Owner: "a worker", Poll: 10 * time.Millisecond, Posts: 2})
	for i := range waiting {
		b.ws.Now(fmt.Sprintf("slow %d", i), busy)
	}
	wait := func() (n int) {
		must(t, b.Pool.QueryRow(b.Context(), `SELECT count(*) FROM publications WHERE rest = 'turn'`).Scan(&n))
		return n
	}
	b.Eventually("all but one wait", func() bool { return wait() == waiting-1 })
	for i := range others {
		b.ws.Now(fmt.Sprintf("free %d", i), free)
	}
	b.Eventually("the other account's posts are live", func() bool { return b.live() == others })
	if n := wait(); n != waiting-1 {
		t.Errorf("%d posts wait, want %d", n, waiting-1)
	}
	close(letGo)
	b.Eventually("all posts are live", func() bool { return b.live() == waiting+others })
	if n := b.overlaps(); n != 0 {
		t.Errorf("%d publishing calls overlap", n)
	}
}

// A post of files that its network fetches as soon as it is created waits for its turn before that.
func TestAGatedPostWaitsForItsTurnBeforeItIsCreated(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("tiktok")
	photo := func(text string) contract.Post {
		return b.post(request(text, now(), account), b.photo(), b.photo())
	}
	first := photo("first")
	held, err := b.arm(first)
	must(t, err)
	second := b.ws.Work(photo("second"))
	b.says(second, " · waiting for another post from this account")
	if n := b.calls("create"); n != 0 {
		t.Errorf("%d posts were created during the turn of another", n)
	}
	b.endCall(held)
	b.goesLive(second)
}

// publishWhile publishes a post. Between the call that publishes it and the saving of the outcome, it runs during.
func (b *bench) publishWhile(p contract.Post, during func()) {
	b.t.Helper()
	id, err := core.ParseID[core.PostKind](p.ID)
	must(b.t, err)
	worker := b.through(func(n network.Network) network.Network { return meanwhile{Network: n, publishing: during} })
	must(b.t, worker.Engine().PublishOrPrepare(b.Context(), "a worker", b.ws.ID, id))
	if p = b.ws.Post(p); p.Status != "live" || p.ExternalID == nil {
		b.t.Errorf("the published post is %s: %+v", p.StatusLine, p.Error)
	}
}

// A search that finds the other post before its id is saved would take it for the one that was lost.
func TestASearchWaitsUntilTheOutcomeOfAnotherPostIsSaved(t *testing.T) {
	b := newBench(t)
	must(t, b.Sim.SetOption("facebook.refuse_duplicates", "off"))
	account := b.ws.Account("facebook")
	b.Fault(fault("facebook", "publish", "drop_before_accept"))
	lost := b.ws.Work(b.ws.Now("the same words", account))
	b.Clock.Set(b.next())
	b.publishWhile(b.ws.Now("the same words", account), func() { lost = b.ws.Work(lost) })
	b.says(lost, " · asking Facebook whether it published the post")
	if lost = b.ws.Work(lost); lost.Error == nil || lost.Error.Code != "outcome_unknown" {
		t.Errorf("the lost post is %s: %+v", lost.StatusLine, lost.Error)
	}
}

// A status query searches the account's posts if the container is missing. During the call of another post with the
// same text, it found that post, and the lost post counted as published.
func TestAStatusQueryThatMaySearchWaitsUntilTheOutcomeOfAnotherPostIsSaved(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	b.Fault(fault("threads", "publish", "drop_before_accept"))
	lost := b.ws.Work(b.ws.Now("the same words", account))
	b.Clock.Set(b.next())
	missing := sim.Fault{Network: "threads", Call: "status", Kind: "error", Code: 100, Subcode: 33, Status: 400, Times: new(1)}
	b.publishWhile(b.ws.Now("the same words", account), func() {
		b.Fault(missing)
		lost = b.ws.Work(lost)
	})
	const waits = " · waiting for another post from this account, will then ask Threads whether it published the post"
	if !strings.HasSuffix(lost.StatusLine, waits) {
		t.Errorf("the lost post is %s during the call of the other", lost.StatusLine)
	}
	for range 2 {
		lost = b.after(5*time.Minute, lost)
	}
	b.wants(lost, "live", 2, "created", "queued", "publishing", "live")
}

// A search before the post's time could find the post whose id is not saved yet, like any other search.
func TestASearchBeforeItsTimeWaitsUntilTheOutcomeOfAnotherPostIsSaved(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("facebook")
	post := b.prepared(b.ahead("ahead", account, b.photo()))
	b.Clock.Set(post.PublishAt.Time)
	throttle := fault("facebook", "publish", sim.RateLimited)
	throttle.RetryAfter = 600
	b.Fault(throttle)
	post = b.ws.Work(post)
	b.Clock.Set(b.next())
	post = b.ws.Work(post)
	at := utc(b.Clock.Now().Add(20 * time.Minute).Format("2006-01-02T15:04"))
	post = b.edit(post, contract.EditPost{When: &at})
	b.Clock.Set(b.next())
	b.exec(`UPDATE accounts SET held_until = NULL`)
	searches := b.calls("list")
	other, err := b.arm(b.ws.Now("other", account))
	must(t, err)
	post = b.ws.Work(post)
	b.says(post, " · waiting for another post from this account")
	if n := b.calls("list") - searches; n != 0 {
		t.Errorf("%d searches during the turn of another post", n)
	}
	if b.due() {
		t.Error("a post is due before its time")
	}
	b.endCall(other)
	post = b.ws.Work(post)
	if n := b.calls("list") - searches; n != 1 || post.Status != "queued" {
		t.Errorf("after the turn, the post is %s and was searched for %d times, want once", post.StatusLine, n)
	}
	b.Clock.Set(post.PublishAt.Time)
	b.goesLive(post)
}

// Two workspaces can connect the same account of a network. A search of one could find the post of the other before the
// id of that post was saved.
func TestWorkspacesShareTheTurnOfAnAccount(t *testing.T) {
	b := newBench(t)
	two := b.Workspace("two")
	ours, theirs := b.ws.Account("threads", "Harbour Bakery"), two.Account("threads", "Harbour Bakery")
	for _, c := range []struct {
		name string
		end  func(held store.Publication)
	}{
		{"passed on", b.endCall},
		{"ended with its lease", func(store.Publication) { // last, because the dead worker's post is due again
			b.Clock.Advance(time.Minute)
			must(t, b.Store.WakeNextPostsAwaitingTurn(b.Context()))
		}},
	} {
		name, end := c.name, c.end
		held, err := b.arm(b.ws.Now("ours, "+name, ours))
		must(t, err)
		waiting := two.Work(two.Now("theirs, "+name, theirs))
		if !strings.HasSuffix(waiting.StatusLine, " · waiting for another post from this account") || b.due() {
			t.Errorf("%s: during the turn, the other workspace's post is %s", name, waiting.StatusLine)
		}
		end(held)
		if waiting = two.Work(waiting); waiting.Status != "live" {
			t.Errorf("%s: after the turn, the other workspace's post is %s", name, waiting.StatusLine)
		}
	}
}

// An older version of Belfry does not clear turn_of, and neither did the end of a hold: every poll of every replica woke
// the workers for a post that did not wait.
func TestAPostThatNoLongerWaitsForItsTurnWakesNobody(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	b.goesLive(b.ws.Now("live", account))
	b.exec(`UPDATE publications SET turn_of = $1`, b.ws.AccountID(account))
	work, err := b.Store.TimeUntilWork(b.Context(), time.Hour, true)
	must(t, err)
	if work.TurnEnded {
		t.Error("a live post waits for its turn")
	}
}
