package publish_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/sim"
)

// A worker that looked up what else is live before another had stored it took the other's post for its own.
func TestNoTwoPostsClaimOneOfTheNetwork(t *testing.T) {
	t.Run("one call", func(t *testing.T) {
		b := newBench(t)
		account := b.ws.Account("facebook")
		first := b.ws.Work(b.ws.Now("twice", account))
		b.hide(first)
		b.Fault(fault("facebook", "publish", "drop_before_accept"))
		second := b.ws.Work(b.ws.Now("twice", account))
		second = b.after(5*time.Minute, second)
		b.wants(second, "failed", 1, "created", "queued", "publishing", "failed")
		if second.Error == nil || second.Error.Code != "outcome_unknown" {
			t.Errorf("error %+v, want outcome_unknown", second.Error)
		}
		second = b.after(time.Hour, second) // the late question finds the other once more
		b.wants(second, "failed", 1, "created", "queued", "publishing", "failed")
		if err := b.App.UpdateOverdueMetrics(b.Context()); err != nil || gauge(t, b.Harness, "publications_overdue") != 0 {
			t.Errorf("it is still on the queue, %v", err)
		}
	})
	t.Run("handle", func(t *testing.T) {
		b := newBench(t)
		account := b.ws.Account("threads")
		first := b.ws.Work(b.ws.Now("twice", account))
		_, err := b.Pool.Exec(b.Context(), `
			CREATE FUNCTION mistake() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
				SELECT external_id INTO NEW.external_id FROM posts WHERE status = 'live';
				RETURN NEW;
			END $$;
			CREATE TRIGGER mistake BEFORE UPDATE ON posts FOR EACH ROW WHEN (NEW.external_id <> '') EXECUTE FUNCTION mistake()`)
		if err != nil {
			t.Fatal(err)
		}
		second := b.ws.Work(b.ws.Now("twice", account))
		b.wants(second, "live", 2, "created", "queued", "publishing", "live")
		if second.ExternalID != nil {
			t.Errorf("it claims %s, which is %s", *second.ExternalID, *first.ExternalID)
		}
	})
}

// hide makes a search miss a live post.
func (b *bench) hide(p contract.Post) {
	b.t.Helper()
	id, err := core.ParseID[core.PostKind](p.ID)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.Pool.Exec(b.Context(), `UPDATE posts SET updated_at = updated_at - '1 day'::interval WHERE id = $1`, id); err != nil {
		b.t.Fatal(err)
	}
}

// Seven days after its first arm a post that a person sent again was given up at the first trouble.
func TestPatienceBeginsAnewWithARetry(t *testing.T) {
	for network, question := range map[string]string{"threads": "status", "facebook": "list"} {
		t.Run(network, func(t *testing.T) {
			b := newBench(t)
			b.Fault(fault(network, "publish", "reject"))
			post := b.refuse(b.ws.Now("patient", b.ws.Account(network)))
			b.wants(post, "failed", 0, "created", "queued", "publishing", "failed")
			b.Clock.Advance(8 * 24 * time.Hour)
			post = b.ws.Retry(post)
			if network == "facebook" { // which is searched first, and then called
				b.Fault(fault(network, "publish", "drop_after_accept"))
				post = b.ws.Work(post)
				b.Clock.Advance(5 * time.Minute)
			}
			b.Fault(fault(network, question, "server_error"))
			if post = b.ws.Work(post); post.Status != "queued" {
				t.Fatalf("the post is %s (%+v)", post.Status, post.Error)
			}
			if post = b.after(time.Minute, post); post.Status != "live" || b.Visible(post.Text) != 1 {
				t.Errorf("a minute later the post is %s (%+v)", post.Status, post.Error)
			}
		})
	}
}

// A token that could not be opened brought its post back each time its lease ran out, and nobody saw it.
func TestAPostThatThisServerCannotSendBacksOffAndIsSeen(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	post := b.ws.Now("locked", account)
	sealed := stored[[]byte](t, b.Harness, account, "token")
	token := func(v []byte) {
		t.Helper()
		_, err := b.Pool.Exec(b.Context(), `UPDATE accounts SET token = $1`, v)
		must(t, err)
	}
	token([]byte("not a token"))
	var last time.Duration
	for range 3 {
		post = b.ws.Work(post)
		b.wants(post, "queued", 0, "created", "queued", "publishing")
		var wait time.Duration
		must(t, b.Pool.QueryRow(b.Context(), `SELECT next_action_at - clock() FROM publications WHERE lease_until IS NULL`).Scan(&wait))
		if wait <= last {
			t.Errorf("it waits for %s after %s", wait, last)
		}
		last = wait
		b.Clock.Advance(wait)
	}
	b.Clock.Advance(time.Minute)
	post = b.ws.Work(post)
	must(t, b.App.UpdateOverdueMetrics(b.Context()))
	if n := gauge(t, b.Harness, "publications_overdue"); n != 1 {
		t.Errorf("the figures show %v posts that are overdue", n)
	}
	if s := gauge(t, b.Harness, "oldest_due_seconds"); s < 60 {
		t.Errorf("the oldest has been due for %v seconds", s)
	}
	token(sealed)
	post = b.after(time.Minute, post)
	b.wants(post, "live", 1, "created", "queued", "publishing", "live")
}

// An unknown post was asked about with a token that the network takes no more, and never again.
func TestAnUnknownPostIsAskedAboutOnceItsAccountIsBack(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("facebook", "one")
	b.Fault(fault("facebook", "publish", "drop_before_accept"))
	post := b.ws.Work(b.ws.Now("where", account))
	post = b.after(5*time.Minute, post)
	if post.Status != "failed" {
		t.Fatalf("the post is %s", post.Status)
	}
	must(t, b.App.DisconnectAccount(b.Context(), b.ws.Owner, account.ID))
	before := b.calls("list")
	post = b.after(time.Hour, post)
	if n := b.calls("list"); n != before {
		t.Errorf("%d questions without a token", n-before)
	}
	b.ws.Account("facebook", "one")
	for range 3 {
		post = b.after(time.Hour, post)
	}
	if n := b.calls("list"); n != before+1 {
		t.Errorf("%d questions once the account was back, want 1", n-before)
	}
	b.wants(post, "failed", 0, "created", "queued", "publishing", "failed")
}

// found is a network whose search finds the post after something else has happened.
type found struct {
	network.Network
	after func()
}

func (f found) FindPost(context.Context, network.Item) (network.Status, error) {
	f.after()
	return network.Status{Verdict: core.Done, ExternalID: "1_2"}, nil
}

// The operator saw an error for each failed post that was deleted while the network was asked about it.
func TestAPostDeletedDuringItsLateQuestionIsNoFault(t *testing.T) {
	b := newBench(t)
	b.Fault(fault("facebook", "publish", "drop_before_accept"))
	post := b.ws.Work(b.ws.Now("deleted", b.ws.Account("facebook")))
	post = b.after(5*time.Minute, post)
	if post.Status != "failed" {
		t.Fatalf("the post is %s", post.Status)
	}
	b.Clock.Advance(time.Hour)
	id, err := core.ParseID[core.PostKind](post.ID)
	must(t, err)
	asked := 0
	worker := b.through(func(n network.Network) network.Network {
		return found{n, func() {
			asked++
			must(t, b.App.DeletePost(b.Context(), b.ws.Owner, post.ID))
		}}
	})
	if err := worker.Engine().PublishOrPrepare(b.Context(), "a worker", b.ws.ID, id); err != nil || asked != 1 {
		t.Errorf("after %d questions: %v", asked, err)
	}
}

// A post that was asked about once a minute for a week left ten thousand rows.
func TestTheLedgerKeepsTheFirstAndTheLastOfQuestionsAnsweredAlike(t *testing.T) {
	b := newBench(t)
	b.Fault(fault("threads", "publish", "drop_before_accept"))
	post := b.ws.Work(b.ws.Now("asked and asked", b.ws.Account("threads")))
	before := len(b.steps())
	always := 0
	for _, kind := range []string{sim.ServerError, sim.RateLimited, sim.ServerError} {
		b.Sim.Faults.Clear()
		b.Fault(sim.Fault{Network: "threads", Call: "status", Kind: kind, Times: &always})
		for range 12 {
			post = b.after(10*time.Minute, post)
		}
	}
	steps := b.steps()
	if n := len(steps) - before; n != 4 || post.Status != "queued" {
		t.Errorf("%d rows for 36 questions, the post is %s: %q", n, post.Status, steps)
	}
	b.Sim.Faults.Clear()
	post = b.after(time.Minute, b.after(10*time.Minute, post))
	b.wants(post, "live", 1, "created", "queued", "publishing", "failed", "retried", "publishing", "live")
	if got := b.steps(); !slices.Equal(got[:len(steps)], steps) || len(got) != len(steps)+3 {
		t.Errorf("in the end there are %q", got)
	}
}

// steps returns the calls in the ledger and their times, in order.
func (b *bench) steps() []string {
	b.t.Helper()
	rows, err := b.Pool.Query(b.Context(), `SELECT concat_ws(' ', started_at, call, verdict, http_status, net_code) FROM publish_steps ORDER BY id`)
	must(b.t, err)
	steps, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(b.t, err)
	return steps
}
