package publish_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/media/mediatest"
	"belfry/internal/network"
	"belfry/internal/network/sim"
	"belfry/internal/publish"
	"belfry/internal/store"
)

// ahead creates a post with files that is due in an hour, and moves the clock to the start of its preparation.
func (b *bench) ahead(text string, account contract.Account, files ...contract.Media) contract.Post {
	b.t.Helper()
	at := utc(b.Clock.Now().Add(time.Hour).Format("2006-01-02T15:04"))
	p := b.post(request(text, at, account), files...)
	b.Clock.Advance(time.Hour - network.PreparedAhead)
	return p
}

// prepared prepares a post as far as possible before its time.
func (b *bench) prepared(p contract.Post) contract.Post {
	b.t.Helper()
	for b.next().Before(p.PublishAt.Time) {
		b.Clock.Set(b.next())
		b.ws.Work(p)
		must(b.t, b.Sim.WaitIdle(b.Context()))
	}
	return b.ws.Post(p)
}

// A Reel that was uploaded at its time was live when its processing ended, minutes later.
func TestAPostWithFilesIsPreparedAheadAndLiveAtItsTime(t *testing.T) {
	for _, platform := range []string{"threads", "facebook"} {
		for name, file := range map[string]func(*bench) contract.Media{
			"photo": (*bench).photo,
			"video": func(b *bench) contract.Media { return b.ws.File("clip.mp4", mediatest.MP4(mediatest.Movie{})) },
		} {
			t.Run(platform+" "+name, func(t *testing.T) {
				b := newBench(t)
				must(t, b.Sim.SetOption(platform+".process_seconds", "120"))
				account, f := b.ws.Account(platform), file(b)
				post := b.ahead("on time", account, f)
				due := post.PublishAt.Time
				if next := b.next(); !next.Equal(due.Add(-network.PreparedAhead)) {
					t.Errorf("it may be prepared at %s, due at %s", next, due)
				}
				post = b.prepared(post)
				b.wants(post, "queued", 0, "created", "queued")
				if waited := b.Clock.Now().Sub(due.Add(-network.PreparedAhead)); post.Attempts != 0 || !b.next().Equal(due) {
					t.Errorf("%d attempts, next at %s, prepared after %s", post.Attempts, b.next(), waited)
				}
				b.Clock.Set(due)
				calls := len(b.Sim.Calls.ListLast(0))
				post = b.ws.Work(post)
				b.wants(post, "live", 1, "created", "queued", "publishing", "live")
				one, calls := b.Sim.Posts.All()[0], len(b.Sim.Calls.ListLast(0))-calls
				if post.Attempts != 1 || calls > 3 || !one.FirstPublishCallAt.Equal(due) {
					t.Errorf("%d attempts, %d calls at its time; visible: %+v", post.Attempts, calls, one)
				}
			})
		}
	}
}

func TestATextIsNotPreparedAhead(t *testing.T) {
	b := newBench(t)
	post := b.ahead("later", b.ws.Account("threads"))
	calls := len(b.Sim.Calls.ListLast(0))
	if post = b.ws.Work(post); len(b.Sim.Calls.ListLast(0)) != calls || !b.next().Equal(post.PublishAt.Time) {
		t.Errorf("the network was called; next at %s", b.next())
	}
}

// What a person does to a post before its time counts, whatever a worker is doing with it.
func TestAPostThatIsBeingPreparedCanBeCancelledMovedAndEdited(t *testing.T) {
	for name, change := range map[string]func(*bench, contract.Post){
		"cancel": func(b *bench, p contract.Post) {
			_, err := b.App.CancelPost(b.Context(), b.ws.Owner, p.ID)
			must(b.t, err)
		},
		"move": func(b *bench, p contract.Post) {
			at := utc(b.Clock.Now().Add(5 * time.Hour).Format("2006-01-02T15:04"))
			b.edit(p, contract.EditPost{When: &at})
		},
		"edit in place": func(b *bench, p contract.Post) {
			b.edit(p, contract.EditPost{Text: new("mind changed twice"), InPlace: true})
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			post := b.ahead("mind changed", b.ws.Account("threads"), b.photo())
			id, err := core.ParseID[core.PostKind](post.ID)
			must(t, err)
			open, reached := make(chan struct{}), make(chan struct{})
			worker := b.through(func(n network.Network) network.Network { return announced{gated{n, open}, reached} })
			done := make(chan error)
			go func() { done <- worker.Engine().PublishOrPrepare(b.Context(), "a worker", b.ws.ID, id) }()
			<-reached
			if b.ws.Post(post).StatusLine != post.StatusLine {
				t.Errorf("the status line is %q", b.ws.Post(post).StatusLine)
			}
			change(b, post)
			close(open)
			must(t, <-done)
			if n := gauge(t, b.Harness, "fenced_writes_total"); n != 0 {
				t.Errorf("%v writes count as refused because another worker had taken over", n)
			}
			b.Clock.Set(post.PublishAt.Time)
			post = b.after(time.Minute, post)
			want := map[string]string{"cancel": "draft", "move": "queued", "edit in place": "live"}[name]
			if want == "live" {
				b.goesLive(post)
				post = b.ws.Post(post)
			}
			if n := b.Visible("mind changed"); post.Status != want || n != 0 {
				t.Errorf("the post is %s, visible %d times as it was", post.Status, n)
			}
			if post = b.after(5*time.Hour, post); name == "move" {
				b.goesLive(post)
			}
			if n := b.Visible("mind changed twice"); name == "edit in place" && n != 1 {
				t.Errorf("the edited post is visible %d times", n)
			}
		})
	}
}

// announced is a network that signals when a handle is created.
type announced struct {
	gated
	reached chan struct{}
}

func (a announced) CreateHandle(ctx context.Context, it network.Item) (string, error) {
	close(a.reached)
	return a.gated.CreateHandle(ctx, it)
}

// At its time the promise of the contract holds again: a post in a worker's hands cannot be changed.
func TestAPostInAWorkersHandsAtItsTimeCannotBeChanged(t *testing.T) {
	b := newBench(t)
	post := b.ahead("late", b.ws.Account("threads"), b.photo())
	id, err := core.ParseID[core.PostKind](post.ID)
	must(t, err)
	b.Clock.Set(post.PublishAt.Time.Add(-time.Second))
	_, err = b.Store.In(b.ws.ID).
		ClaimDueOrPreparablePublication(b.Context(), id, "a worker that dies", time.Minute, b.Clock.Now())
	must(t, err)
	b.Clock.Advance(time.Second)
	if _, err := b.App.CancelPost(b.Context(), b.ws.Owner, post.ID); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("cancelling answered %v, want a conflict", err)
	}
	b.Clock.Advance(time.Minute)
	b.goesLive(post)
	if post = b.ws.Post(post); post.Attempts != 1 {
		t.Errorf("%d attempts, want 1", post.Attempts)
	}
}

func TestTroubleBeforeThePostsTimeCostsNoTry(t *testing.T) {
	b := newBench(t)
	post := b.ahead("stubborn", b.ws.Account("threads"), b.photo())
	b.Fault(sim.Fault{Network: "threads", Call: "create", Kind: sim.ServerError, Times: new(0)})
	post = b.prepared(post)
	b.wants(post, "queued", 0, "created", "queued")
	if calls := b.calls("create"); calls < 5 || !b.next().Equal(post.PublishAt.Time) {
		t.Errorf("%d calls, the next at %s", calls, b.next())
	}
	b.Clock.Set(b.next())
	post = b.ws.Work(post)
	b.wants(post, "failed", 0, "created", "queued", "publishing", "failed", "retriedByWorker")
	if post.Attempts != 1 {
		t.Errorf("%d attempts, want 1", post.Attempts)
	}
	b.Sim.Faults.Clear()
	b.Clock.Advance(time.Minute)
	b.goesLive(post)
}

func TestAnAccountThatIsLostBeforeThePostsTimeCanBeReconnected(t *testing.T) {
	for _, reconnected := range []bool{true, false} {
		t.Run(fmt.Sprint(reconnected), func(t *testing.T) {
			b := newBench(t)
			account := b.ws.Account("threads")
			post := b.ahead("in time", account, b.photo())
			b.Fault(fault("threads", "create", sim.TokenRevoked))
			post = b.ws.Work(post)
			b.wants(post, "queued", 0, "created", "queued")
			if status := b.ws.StatusOf(account); status != "revoked" || !b.next().Equal(post.PublishAt.Time) {
				t.Errorf("the account is %s, the post is next at %s", status, b.next())
			}
			if reconnected {
				b.ws.Reconnect(account)
				if next := b.next(); !next.Equal(b.Clock.Now()) {
					t.Errorf("the post of the reconnected account is prepared at %s", next)
				}
				if post = b.prepared(b.ws.Work(post)); b.calls("create") != 2 || post.Status != "queued" {
					t.Errorf("%d calls, the post is %s", b.calls("create"), post.Status)
				}
			}
			b.Clock.Set(post.PublishAt.Time)
			if reconnected {
				b.goesLive(post)
				return
			}
			b.wants(b.ws.Work(post), "failed", 0, "created", "queued", "publishing", "failed")
		})
	}
}

func TestAClearRefusalFailsAPostBeforeItsTime(t *testing.T) {
	b := newBench(t)
	post := b.ahead("refused", b.ws.Account("threads"), b.photo())
	b.Fault(fault("threads", "create", sim.Reject))
	post = b.ws.Work(post)
	b.wants(post, "failed", 0, "created", "queued", "failed")
	if post.Error == nil || post.Error.Code != "rejected" {
		t.Errorf("error %+v", post.Error)
	}
	post = b.ws.Retry(post)
	b.wants(b.prepared(post), "queued", 0, "created", "queued", "failed", "retried")
	b.Clock.Set(post.PublishAt.Time)
	b.goesLive(post)
}

// Preparing sends files. A worker that is busy with that publishes what is due all the same, also what it had no time
// to prepare.
func TestDuePostsDoNotWaitForPreparation(t *testing.T) {
	b := newBench(t)
	account, photo := b.ws.Account("threads"), b.photo()
	var preparing []contract.Post
	for i := range 3 {
		preparing = append(preparing, b.ahead(fmt.Sprintf("prepared %d", i), account, photo))
		b.Clock.Advance(network.PreparedAhead - time.Hour)
	}
	text := b.ws.Queued("due", b.ws.Account("threads"), b.Clock.Now().Add(time.Hour-time.Minute))
	open := make(chan struct{})
	worker := b.through(func(n network.Network) network.Network { return gatedFiles{n, open} })
	b.startWorker(worker, publish.Worker{Owner: "a worker", Poll: 10 * time.Millisecond, Posts: 10, Preparing: 1})
	b.Clock.Advance(time.Hour - time.Minute)
	b.Eventually("the text is live", func() bool { return b.ws.Post(text).Status == "live" })
	b.Clock.Advance(time.Minute)
	b.Eventually("the worker has all posts", func() bool {
		n := 0
		must(t, b.Pool.QueryRow(t.Context(), `SELECT count(*) FROM publications WHERE lease_until > clock()`).Scan(&n))
		return n == len(preparing)
	})
	close(open)
	b.Eventually("all posts are live", func() bool {
		b.Clock.Advance(time.Second)
		return b.live() == len(preparing)+1
	})
}

// gatedFiles is a network whose CreateHandle waits for a gate if the post has files.
type gatedFiles struct {
	network.Network
	open <-chan struct{}
}

func (g gatedFiles) CreateHandle(ctx context.Context, it network.Item) (string, error) {
	if len(it.Files) > 0 {
		return gated(g).CreateHandle(ctx, it)
	}
	return g.Network.CreateHandle(ctx, it)
}

// What waits to be prepared is not overdue: it is prepared as workers get to it, or at its time.
func TestAPostThatWaitsToBePreparedIsNotOverdue(t *testing.T) {
	b := newBench(t)
	b.ahead("waits", b.ws.Account("threads"), b.photo())
	b.Clock.Advance(5 * time.Minute)
	must(t, b.App.UpdateOverdueMetrics(b.Context()))
	if n := gauge(t, b.Harness, "publications_overdue"); n != 0 {
		t.Errorf("%v posts are overdue", n)
	}
	b.Clock.Advance(10 * time.Minute)
	must(t, b.App.UpdateOverdueMetrics(b.Context()))
	if n := gauge(t, b.Harness, "publications_overdue"); n != 1 {
		t.Errorf("%v posts are overdue, want 1", n)
	}
}

// Whatever a worker believes, the database saves no arm before the post's time.
func TestTheDatabaseArmsNoPostBeforeItsTime(t *testing.T) {
	b := newBench(t)
	post := b.ahead("early", b.ws.Account("threads"), b.photo())
	id, err := core.ParseID[core.PostKind](post.ID)
	must(t, err)
	tenant := b.Store.In(b.ws.ID)
	claim, err := tenant.ClaimDueOrPreparablePublication(b.Context(), id, "a worker", time.Hour, b.Clock.Now())
	must(t, err)
	arm := func() error {
		call := store.Call{Seq: 1, Do: core.DoPublish, Deadline: time.Minute}
		_, err := tenant.SaveStepBeforeCall(b.Context(), claim.Publication, nil, call, time.Hour, time.Minute)
		return err
	}
	if err := arm(); !errors.Is(err, store.ErrNotDue) {
		t.Errorf("before its time: %v", err)
	}
	b.Clock.Set(post.PublishAt.Time)
	must(t, arm())
	claim.Epoch++
	if err := arm(); !errors.Is(err, store.ErrFenced) {
		t.Errorf("with the claim of another worker: %v", err)
	}
}

// The version before this one claims by next_action_at alone, while both run and after going back.
func TestAVersionThatPreparesNothingClaimsNoPostBeforeItsTime(t *testing.T) {
	b := newBench(t)
	must(t, b.Sim.SetOption("threads.process_seconds", "120"))
	b.Fault(fault("threads", "create", sim.RateLimited))
	post := b.ahead("one version each", b.ws.Account("threads"), b.photo())
	for b.next().Before(post.PublishAt.Time) {
		b.Clock.Set(b.next())
		post = b.ws.Work(post)
		must(t, b.Sim.WaitIdle(b.Context()))
		var at time.Time
		must(t, b.Pool.QueryRow(b.Context(), `SELECT next_action_at FROM publications`).Scan(&at))
		if !at.Equal(post.PublishAt.Time) {
			t.Errorf("it would be published at %s instead of %s", at.UTC(), post.PublishAt.Time)
		}
	}
	b.Clock.Set(post.PublishAt.Time)
	b.goesLive(post)
}

// The network had published the post despite its error. A person then moved the post, which was found while it was
// prepared for its new time, and was live at a time that was still to come.
func TestAPostThatIsFoundBeforeItsNewTimeIsLiveAtTheTimeOfItsCall(t *testing.T) {
	b := newBench(t)
	must(t, b.Sim.SetOption("facebook.list_delay_seconds", "600"))
	post := b.prepared(b.ahead("early", b.ws.Account("facebook"), b.photo()))
	called := post.PublishAt.Time
	b.Clock.Set(called)
	throttle := fault("facebook", "feed", sim.RateLimited)
	throttle.RetryAfter, throttle.Accept = 3600, true
	b.Fault(throttle)
	b.ws.Work(post)
	b.Clock.Set(b.next())
	if post = b.ws.Work(post); post.Status != "queued" || b.Visible("early") != 1 {
		t.Fatalf("it is %s, visible %d times", post.StatusLine, b.Visible("early"))
	}
	tomorrow := called.Add(24 * time.Hour)
	b.edit(post, contract.EditPost{When: &contract.When{Instant: tomorrow, Timezone: "UTC"}})
	b.Clock.Set(tomorrow.Add(-9 * time.Minute))
	if post = b.ws.Work(post); post.Status != "live" || !post.PublishAt.Equal(called) {
		t.Errorf("the post is %s, want %s", post.StatusLine, called)
	}
}

// Such a post was queued again at its time, for ever: nobody could retry, settle or delete it.
func TestAPostWhoseOutcomeIsUnknownBeforeItsTimeStaysFailed(t *testing.T) {
	b := newBench(t)
	post := b.prepared(b.ahead("where", b.ws.Account("facebook"), b.photo()))
	b.Clock.Set(post.PublishAt.Time)
	throttle := fault("facebook", "publish", sim.RateLimited)
	throttle.RetryAfter = 600
	b.Fault(throttle)
	if post = b.ws.Work(post); post.Status != "queued" {
		t.Fatalf("the throttled post is %s", post.Status)
	}
	b.Clock.Set(b.next())
	post = b.ws.Work(post)
	at := utc(b.Clock.Now().Add(5 * time.Hour).Format("2006-01-02T15:04"))
	post = b.edit(post, contract.EditPost{When: &at})
	b.Fault(sim.Fault{Network: "facebook", Call: "list", Kind: sim.Reject, Times: new(0)})
	b.Clock.Set(b.next())
	post = b.ws.Work(post)
	kinds := b.kinds(post)
	for _, at := range []time.Time{b.Clock.Now(), post.PublishAt.Time, b.Clock.Now().Add(48 * time.Hour)} {
		b.Clock.Set(at)
		post = b.ws.Work(post)
		if post.Status != "failed" || post.Error == nil || post.Error.Code != core.ErrorOutcomeUnknown ||
			!slices.Equal(b.kinds(post), kinds) {
			t.Errorf("at %s the post is %s (%+v) after %v", at, post.Status, post.Error, b.kinds(post))
		}
	}
}
