package publish_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/sim"
)

// A refusal is no evidence: had the network taken the post after all, a second container would have made
// it twice.
func TestARetryAsksAboutTheHandleThatWasArmedAndMakesNoOther(t *testing.T) {
	b := newBench(t)
	f := fault("threads", "publish", "reject")
	f.Code, f.Status, f.Message = 100, 400, "No"
	b.Fault(f)
	post := b.ws.Work(b.ws.Now("armed before", b.ws.Account("threads")))
	b.wants(post, "failed", 0, "created", "queued", "publishing", "failed")
	post = b.ws.Work(b.ws.Retry(post))
	b.wants(post, "live", 1, "created", "queued", "publishing", "failed", "retried", "publishing", "live")
	if n := b.calls("create"); n != 1 {
		t.Errorf("%d containers were made, want 1", n)
	}
}

// A person's word is about one attempt. The repeated request of a client that had got no response counted as the word
// about the next attempt, whose post is on the network.
func TestARepeatedConfirmationIsNotAboutTheNextAttempt(t *testing.T) {
	b := newBench(t)
	must(t, b.Sim.SetOption("facebook.list_delay_seconds", "360000"))
	account := b.ws.Account("facebook")
	post := b.ws.Now("once", account)
	retry, _ := app.FindOperation("posts_retry")
	confirm := func() app.Answer {
		t.Helper()
		answer, err := b.App.RunOperation(b.Context(), retry, app.Request{
			Caller:    b.ws.Owner,
			Decode:    app.NewFixedInputDecoder(contract.RetryPost{ID: post.ID, ConfirmNotPublished: true}),
			ReplayKey: &app.ReplayKey{Route: "POST /v1/posts/{id}/retry", Key: "the-same", ID: post.ID, Status: 200},
		})
		must(t, err)
		return answer
	}
	endsUnknown := func(faultKind string) {
		t.Helper()
		b.Fault(fault("facebook", "publish", faultKind))
		post = b.ws.Work(post)
		for i := 0; i < 5 && post.Status == "queued"; i++ {
			post = b.after(time.Minute, post)
		}
		if post.Error == nil || post.Error.Code != "outcome_unknown" {
			t.Fatalf("it is %s (%+v)", post.StatusLine, post.Error)
		}
	}
	endsUnknown("drop_before_accept")
	confirm()
	endsUnknown("drop_after_accept")
	b.goesLive(b.ws.Now("between", account)) // Facebook refuses a text that is the same as the previous one
	again := confirm()
	for range 5 {
		post = b.after(time.Minute, post)
	}
	if n := b.Visible("once"); n != 1 || !again.Replayed || post.Status != "failed" {
		t.Errorf("the repeated request is replayed: %v; the post is %s, and the network shows %d", again.Replayed,
			post.StatusLine, n)
	}
}

// Patience with a container counts from its making, not from the day the post was queued.
func TestAContainerMayTakeItsTimeForAPostThatWasQueuedLongAgo(t *testing.T) {
	b := newBench(t)
	post := b.ws.Queued("queued long ago", b.ws.Account("threads"), b.Clock.Now().Add(72*time.Hour))
	b.Fault(fault("threads", "status", "never_ready"))
	post = b.after(72*time.Hour, post)
	b.wants(post, "queued", 0, "created", "queued", "publishing")
	if n := b.calls("create"); n != 1 {
		t.Errorf("%d containers were made, want 1", n)
	}
	if want := " · Threads is processing it"; !strings.HasSuffix(post.StatusLine, want) {
		t.Errorf("meanwhile the post says %q, want %q", post.StatusLine, want)
	}
}

// An old refusal of the token says nothing about the one that a person has just brought.
func TestTroubleAfterAReconnectionDoesNotLoseTheAccountAgain(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	b.Fault(fault("threads", "publish", "token_revoked"))
	post := b.ws.Work(b.ws.Now("new token", account))
	if got := b.ws.StatusOf(account); post.Status != "failed" || got != "revoked" {
		t.Fatalf("the post is %s and the account %s", post.Status, got)
	}
	b.ws.Reconnect(account)
	b.Fault(fault("threads", "status", "server_error"))
	post = b.ws.Work(b.ws.Retry(post))
	if got := b.ws.StatusOf(account); got != "ok" {
		t.Errorf("a server's error made the account %s", got)
	}
	post = b.after(time.Minute, post)
	if post.Status != "live" {
		t.Errorf("a minute later the post is %s (%+v)", post.Status, post.Error)
	}
}

// silentAfterCall is a network that answers no status query after a publishing call.
type silentAfterCall struct {
	network.Network
	called bool
}

func (s *silentAfterCall) Publish(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	s.called = true
	return s.Network.Publish(ctx, it, handle)
}

func (s *silentAfterCall) AdvanceStatus(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	if s.called {
		return network.Status{}, &network.Error{Kind: network.Transient, Message: "Try again later."}
	}
	return s.Network.AdvanceStatus(ctx, it, handle)
}

// The network refuses the token, does not answer the question about the post, and the account is reconnected before the
// next question. The post failed, and the new token counted as refused.
func TestAnOldRefusalOfTheTokenDoesNotLoseTheReconnectedAccount(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	b.Fault(fault("threads", "publish", "token_revoked"))
	b.App = b.through(func(n network.Network) network.Network { return &silentAfterCall{Network: n} })
	post := b.ws.Work(b.ws.Now("new token", account))
	b.wants(post, "queued", 0, "created", "queued", "publishing")
	b.App = b.Replica()
	b.Clock.Advance(time.Second)
	b.ws.Reconnect(account)
	post = b.after(time.Minute, post)
	if got := b.ws.StatusOf(account); got != "ok" {
		t.Errorf("the account is %s", got)
	}
	b.wants(b.after(time.Minute, post), "live", 1, "created", "queued", "publishing", "live")
}

// The network refuses the post, and then the token with which the worker asks about the post. After a reconnection, the
// network does not show the post. The post failed because the network "did not respond".
func TestARefusalKeepsItsWordsAcrossAReconnection(t *testing.T) {
	for platform, question := range map[string]string{"threads": "status", "facebook": "list"} {
		t.Run(platform, func(t *testing.T) {
			b := newBench(t)
			account := b.ws.Account(platform)
			f := fault(platform, "publish", "reject")
			f.Code, f.Status, f.Message = 100, 400, "Not this one"
			b.Fault(f)
			b.App = b.through(func(n network.Network) network.Network {
				return meanwhile{Network: n, publishing: func() { b.Fault(fault(platform, question, "token_revoked")) }}
			})
			post := b.ws.Work(b.ws.Now("refused", account))
			b.wants(post, "queued", 0, "created", "queued", "publishing")
			b.App = b.Replica()
			b.Clock.Advance(time.Second)
			b.ws.Reconnect(account)
			post = b.refuse(post)
			b.wants(post, "failed", 0, "created", "queued", "publishing", "failed")
			if e := post.Error; e == nil || e.Code != "rejected" || e.Message != f.Message {
				t.Errorf("the post failed with %+v", e)
			}
		})
	}
}

// meanwhile calls functions when the network has carried out a status query or a publishing call, before the worker
// gets the response. Each function may be nil.
type meanwhile struct {
	network.Network
	asking, publishing func()
}

func (m meanwhile) AdvanceStatus(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	if m.asking != nil {
		defer m.asking()
	}
	return m.Network.AdvanceStatus(ctx, it, handle)
}

func (m meanwhile) Publish(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	if m.publishing != nil {
		defer m.publishing()
	}
	return m.Network.Publish(ctx, it, handle)
}

// The worker that met the dead token then put the question off by an hour, as if nobody had reconnected.
func TestAReconnectionDuringAClaimIsNotSleptThrough(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	b.Fault(fault("threads", "publish", "drop_before_accept"))
	post := b.ws.Work(b.ws.Now("meanwhile", account))
	b.Clock.Advance(10 * time.Minute)
	b.Fault(fault("threads", "status", "token_revoked"))
	b.App = b.through(func(n network.Network) network.Network {
		return meanwhile{Network: n, asking: func() { b.ws.Reconnect(account) }}
	})
	if post = b.ws.Work(post); post.Status != "queued" || b.ws.StatusOf(account) != "ok" {
		t.Fatalf("the post is %s and the account %s", post.Status, b.ws.StatusOf(account))
	}
	b.App = b.Replica()
	b.Clock.Advance(time.Second)
	if !b.due() {
		t.Error("the post is not due")
	}
	post = b.after(time.Minute, b.ws.Work(post))
	b.wants(post, "live", 1, "created", "queued", "publishing", "failed", "retried", "publishing", "live")
}

// The post failed for want of access that the account had again. The reconnection did not list it among the posts to
// retry, because it had not failed yet.
func TestAReconnectionDuringAClaimSavesAPostThatNothingWasSentFor(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	b.Fault(fault("threads", "status", "token_revoked"))
	var once sync.Once
	b.App = b.through(func(n network.Network) network.Network {
		return meanwhile{Network: n, asking: func() { once.Do(func() { b.ws.Reconnect(account) }) }}
	})
	post := b.ws.Work(b.ws.Now("meanwhile", account))
	b.wants(post, "live", 1, "created", "queued", "publishing", "live")
	if status := b.ws.StatusOf(account); status != "ok" || b.calls("create") != 1 {
		t.Errorf("the account is %s after %d containers", status, b.calls("create"))
	}
}

// A retry that a person took back stays taken back, whatever happens to the account.
func TestAReconnectionDoesNotSendWhatAPersonTookBack(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	post := b.ws.Now("taken back", account)
	b.armedForRetry(post)
	if _, err := b.App.CancelPost(b.Context(), b.ws.Owner, post.ID); err != nil {
		t.Fatal(err)
	}
	b.ws.Reconnect(account)
	b.Clock.Advance(time.Second)
	if b.due() {
		t.Error("the post is due")
	}
	if post = b.ws.Work(post); post.Status != "failed" || b.Visible(post.Text) != 0 {
		t.Errorf("the post is %s and %d are visible", post.Status, b.Visible(post.Text))
	}
}

// armedForRetry leaves the post as after a publishing call that was never sent: armed, failed, and waiting for a retry.
func (b *bench) armedForRetry(p contract.Post) {
	b.t.Helper()
	b.Fault(sim.Fault{Network: "threads", Call: "create", Kind: "server_error", Times: new(1)})
	if p = b.ws.Work(p); p.Status != "failed" {
		b.t.Fatalf("the post is %s", p.Status)
	}
	id, err := core.ParseID[core.PostKind](p.ID)
	if err != nil {
		b.t.Fatal(err)
	}
	t := b.Store.In(b.ws.ID)
	pub, err := t.LockPublication(b.Context(), id)
	if err != nil {
		b.t.Fatal(err)
	}
	pub.Step, pub.Armed = core.StepArmed, true
	if err := t.PutPublicationAndEndClaim(b.Context(), pub); err != nil {
		b.t.Fatal(err)
	}
}

// What the network said is stored even if the database first refuses it, for instance over a deadlock.
func TestAnOutcomeIsStoredAtTheSecondTry(t *testing.T) {
	b := newBench(t)
	post := b.ws.Now("second try", b.ws.Account("facebook"))
	_, err := b.Pool.Exec(b.Context(), `
		CREATE SEQUENCE tries;
		CREATE FUNCTION trouble() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF nextval('tries') = 1 THEN RAISE EXCEPTION 'trouble' USING ERRCODE = '40P01'; END IF;
			RETURN NEW;
		END $$;
		CREATE TRIGGER trouble BEFORE UPDATE ON publications FOR EACH ROW WHEN (NEW.step = 'live') EXECUTE FUNCTION trouble()`)
	if err != nil {
		t.Fatal(err)
	}
	post = b.ws.Work(post)
	b.wants(post, "live", 1, "created", "queued", "publishing", "live")
}

// PostgreSQL stores no U+0000: an answer with one in it must not come back for ever.
func TestARefusalThatTheDatabaseCannotSpellIsStoredAllTheSame(t *testing.T) {
	b := newBench(t)
	f := fault("threads", "create", "reject")
	f.Code, f.Status, f.Message = 100, 400, "No\x00pe"
	b.Fault(f)
	post := b.ws.Work(b.ws.Now("unspeakable", b.ws.Account("threads")))
	b.wants(post, "failed", 0, "created", "queued", "publishing", "failed")
	if post.Error == nil || post.Error.Message != "No\ufffdpe" {
		t.Errorf("error %+v", post.Error)
	}
}

// A search must not find the post that went out with the same text a moment before: this one would be lost.
func TestAPostIsNotTakenForAnotherWithTheSameText(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("facebook")
	first := b.ws.Work(b.ws.Now("twice", account))
	b.Fault(fault("facebook", "publish", "drop_before_accept"))
	second := b.ws.Work(b.ws.Now("twice", account))
	second = b.after(5*time.Minute, second)
	b.wants(second, "failed", 1, "created", "queued", "publishing", "failed")
	if second.Error == nil || second.Error.Code != "outcome_unknown" {
		t.Errorf("error %+v, want outcome_unknown; the first is %v", second.Error, first.ExternalID)
	}
}

// Two workspaces can publish to the same Page.
func TestAPostIsNotTakenForOneOfAnotherWorkspace(t *testing.T) {
	b := newBench(t)
	two := b.Workspace("two")
	first := b.ws.Now("the same words", b.ws.Account("facebook", "Harbour Bakery"))
	second := two.Now("the same words", two.Account("facebook", "Harbour Bakery"))
	b.goesLive(first)
	b.Fault(fault("facebook", "publish", "drop_before_accept"))
	two.Work(second)
	b.Clock.Advance(5 * time.Minute)
	if second = two.Work(second); second.Error == nil || second.Error.Code != "outcome_unknown" {
		t.Errorf("the post is %s, want outcome_unknown", second.StatusLine)
	}
}

// A network may not know a container for a moment after making it: that is no reason to make others.
func TestAContainerThatDoesNotShowYetIsWaitedFor(t *testing.T) {
	b := newBench(t)
	once := 1
	b.Fault(sim.Fault{
		Network: "threads", Call: "status", Kind: "error", Code: 24, Subcode: 4279009, Status: 400,
		Times: &once,
	})
	post := b.ws.Work(b.ws.Now("patience", b.ws.Account("threads")))
	b.wants(post, "queued", 0, "created", "queued", "publishing")
	post = b.after(time.Minute, post)
	b.wants(post, "live", 1, "created", "queued", "publishing", "live")
	if n := b.calls("create"); n != 1 {
		t.Errorf("%d containers were made, want 1", n)
	}
}

func TestCancellingAFailedPostTwiceIsNoConflict(t *testing.T) {
	b := newBench(t)
	b.Fault(fault("threads", "create", "server_error"))
	post := b.ws.Work(b.ws.Now("twice", b.ws.Account("threads")))
	for range 2 {
		got, err := b.App.CancelPost(b.Context(), b.ws.Owner, post.ID)
		if err != nil || got.Status != "failed" {
			t.Errorf("cancel answered %s, %v; want a post that is still failed", got.Status, err)
		}
	}
	b.wants(b.ws.Post(post), "failed", 0, "created", "queued", "publishing", "failed", "cancelled")
}

// A post whose account must be reconnected fails and says so (decisions.md, Posts). What was refused before is not
// there, so that there is no question to wait with.
func TestARetryOfWhatWasRefusedFailsWithoutTheAccount(t *testing.T) {
	for name, lose := range map[string]func(*bench, contract.Account){
		"lost in the meantime": func(b *bench, a contract.Account) {
			if err := b.App.DisconnectAccount(b.Context(), b.ws.Owner, a.ID); err != nil {
				b.t.Fatal(err)
			}
		},
		"lost when it is asked": func(b *bench, _ contract.Account) { b.Fault(fault("threads", "any", "token_revoked")) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			account := b.ws.Account("threads")
			f := fault("threads", "publish", "reject")
			f.Message = "Not this one"
			b.Fault(f)
			post := b.ws.Work(b.ws.Now("refused before", account))
			lose(b, account)
			post = b.ws.Work(b.ws.Retry(post))
			b.wants(post, "failed", 0, "created", "queued", "publishing", "failed", "retried", "publishing", "failed")
			if e := post.Error; e == nil || e.Code != "account_revoked" || e.Hint == nil ||
				strings.Contains(e.Message, f.Message) {
				t.Errorf("the post failed with %+v", e)
			}
			if n := b.calls("publish"); n != 1 {
				t.Errorf("%d calls to publish, want the one that was refused", n)
			}
		})
	}
}

// unfit is a network whose handles become invalid with a message.
type unfit struct{ network.Network }

const unfitWords = "It cannot be used."

func (unfit) AdvanceStatus(context.Context, network.Item, string) (network.Status, error) {
	return network.Status{Verdict: core.Dead, Message: unfitWords}, nil
}

// The words of an earlier try were told of a later one that failed for another reason (Spec §2: the network's own
// words).
func TestANewTryFailsInItsOwnWords(t *testing.T) {
	b := newBench(t)
	b.Fault(fault("threads", "create", "server_error"))
	post := b.ws.Work(b.ws.Now("failed twice", b.ws.Account("threads")))
	if post.Error == nil || post.Error.Code != "network_unreachable" || post.Error.Hint == nil {
		t.Fatalf("the first try failed with %+v", post.Error)
	}
	b.Clock.Advance(time.Minute)
	id, err := core.ParseID[core.PostKind](post.ID)
	must(t, err)
	worker := b.through(func(n network.Network) network.Network { return unfit{n} })
	must(t, worker.Engine().PublishOrPrepare(b.Context(), "a worker", b.ws.ID, id))
	if post = b.ws.Post(post); post.Error == nil || post.Error.Code != "rejected" || post.Error.Message != unfitWords {
		t.Errorf("the second try failed with %+v", post.Error)
	}
}

// The words of a throttle that was over were told of a later failure to which the network gave no words.
func TestAFailureAfterAThrottleIsNotExplainedByTheThrottle(t *testing.T) {
	b := newBench(t)
	throttle := fault("threads", "create", "rate_limited")
	throttle.Message = "Too many calls"
	b.Fault(throttle)
	post := b.ws.Work(b.ws.Now("throttled first", b.ws.Account("threads")))
	b.wants(post, "queued", 0, "created", "queued", "publishing", "queued")
	b.Clock.Set(b.next())
	id, err := core.ParseID[core.PostKind](post.ID)
	must(t, err)
	worker := b.through(func(n network.Network) network.Network { return silent{n} })
	must(t, worker.Engine().PublishOrPrepare(b.Context(), "a worker", b.ws.ID, id))
	if post = b.ws.Post(post); post.Error == nil || strings.Contains(post.Error.Message, throttle.Message) {
		t.Errorf("the post failed with %+v", post.Error)
	}
}

// silent is a network whose handles become invalid without a message.
type silent struct{ network.Network }

func (silent) AdvanceStatus(context.Context, network.Item, string) (network.Status, error) {
	return network.Status{Verdict: core.Dead}, nil
}

// A post with photos that an older version queued has a flow in which nothing is uploaded before the call that
// publishes. It failed with "The post has no file".
func TestAPostThatAnOlderVersionQueuedTakesTheFlowOfThisOne(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("facebook")
	post := b.post(request("two photos", now(), account), b.photo(), b.photo())
	_, err := b.Pool.Exec(t.Context(), `UPDATE publications SET flow = 'one_call'`)
	must(t, err)
	b.goesLive(post)
}

// A draft remembers that a call may have published it. A new version, which publishes such posts with a handle, forgot
// that when a person queued the draft, and published it a second time.
func TestADraftThatMayBeLiveIsLookedForWhateverFlowANewVersionChooses(t *testing.T) {
	for name, upgraded := range map[string]bool{"the same version": false, "a new version": true} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			must(t, b.Sim.SetOption("facebook.refuse_duplicates", "off"))
			must(t, b.Sim.SetOption("facebook.list_delay_seconds", "600"))
			f := fault("facebook", "publish", "rate_limited")
			f.RetryAfter, f.Accept = 3600, true
			b.Fault(f)
			post := b.ws.Work(b.ws.Now("throttled", b.ws.Account("facebook")))
			b.Clock.Set(b.next())
			post = b.ws.Work(post)
			if post.Status != "queued" || b.Visible("throttled") != 1 {
				t.Fatalf("it is %s, visible %d times", post.StatusLine, b.Visible("throttled"))
			}
			_, err := b.App.CancelPost(b.Context(), b.ws.Owner, post.ID)
			must(t, err)
			b.Clock.Advance(2 * time.Hour)
			if upgraded {
				b.App = b.throughOnly("facebook", func(n network.Network) network.Network {
					return containers{n}
				})
			}
			when := now()
			b.goesLive(b.edit(post, contract.EditPost{When: &when, Status: "queued"}))
			if n := b.Visible("throttled"); n != 1 {
				t.Errorf("it is visible %d times", n)
			}
		})
	}
}

// containers is a later version of Facebook's connector, whose texts have a handle.
type containers struct{ network.Network }

func (c containers) DeliveryFor(network.Draft) network.Delivery {
	return network.Delivery{Flow: core.FlowHandle}
}

func (c containers) CreateHandle(context.Context, network.Item) (string, error) { return "new", nil }

func (c containers) AdvanceStatus(context.Context, network.Item, string) (network.Status, error) {
	return network.Status{Verdict: core.Ready}, nil
}
