package app_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
)

func limitCreate(most int) func(*app.Config) {
	return func(c *app.Config) { c.LimitCreate = app.Rate{Max: most, Window: time.Hour} }
}

func create(key string, body string) app.Need {
	need := app.Need{Scope: core.Write, Create: true}
	if key != "" {
		need.Replay = &contract.Replay{Route: "POST /posts", Key: key, Body: []byte(body)}
	}
	return need
}

// keepsAnswer makes a draft as the request with the key, and answers what its repetitions will get.
func keepsAnswer(t *testing.T, h *apptest.Harness, w *apptest.Workspace, key apptest.Key, replay *contract.Replay) []byte {
	t.Helper()
	in := request("kept", draft(), w.Account("threads"))
	in.Replay = replay
	made, err := h.App.CreatePosts(t.Context(), key.Caller, in)
	must(t, err)
	body, err := contract.Encode(made)
	must(t, err)
	return body
}

// want fails unless the error has the code.
func want(t *testing.T, code core.Code, err error) *core.Error {
	t.Helper()
	var e *core.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("the answer is %v; want %s", err, code)
	}
	return e
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestSixtyOf64ConcurrentCreationsPass(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	key, other := ws.Key(core.Write), h.Workspace("two").Key(core.Write)
	replicas := []*app.App{h.App, h.Replica()}
	passed, limited := together(t, 64, func(i int) error {
		caller := key.Caller
		if i%2 == 0 {
			caller = ws.Owner // all keys and people combined
		}
		_, err := replicas[i%2].Admit(t.Context(), caller, create("", ""))
		return err
	})
	if passed != 60 || limited != 4 {
		t.Errorf("%d passed and %d were refused; want 60 and 4", passed, limited)
	}
	if got, err := h.App.Admit(t.Context(), other.Caller, create("", "")); err != nil || got.Create.Remaining != 59 {
		t.Errorf("another workspace: %+v, %v", got.Create, err)
	}
}

func TestTheHourlyLimitHoldsForEveryHour(t *testing.T) {
	t.Parallel()
	h := apptest.New(t, limitCreate(3))
	key := h.Workspace("one").Key(core.Write)
	admit := func() (app.Admitted, error) { return h.App.Admit(t.Context(), key.Caller, create("", "")) }
	for range 3 { // at 9:00, 9:20, 9:40
		_, err := admit()
		must(t, err)
		h.Clock.Advance(20 * time.Minute)
	}
	h.Clock.Advance(-time.Second)
	got, err := admit() // 9:59:59
	if e := want(t, core.CodeRateLimited, err); e.RetryAfter != 1 || got.Create.Remaining != 0 || got.Create.Reset != time.Second {
		t.Errorf("before the first drops out: %+v, %+v", e, got.Create)
	}
	h.Clock.Advance(time.Second)
	got, err = admit() // 10:00
	if err != nil || got.Create.Remaining != 0 || got.Create.Reset != 20*time.Minute {
		t.Errorf("when the first drops out: %+v, %v", got.Create, err)
	}
	_, err = admit()
	if e := want(t, core.CodeRateLimited, err); e.RetryAfter != 20*60 {
		t.Errorf("RetryAfter is %d", e.RetryAfter)
	}
}

func TestAdmitChecksInTheOrderOfTheSpecification(t *testing.T) {
	t.Parallel()
	h := apptest.New(t, limitCreate(1))
	ws := h.Workspace("one")
	reader := ws.Key(core.Read)
	viewer := ws.Member(core.RoleViewer)
	ws.Use(core.PlanFree)
	poor := mustKey(t, h, reader.Bearer)

	_, err := h.App.Admit(t.Context(), core.Caller{}, create("k", ""))
	want(t, core.CodeUnauthenticated, err)
	_, err = h.App.Admit(t.Context(), poor, create("k", "")) // no API, no scope: the plan comes first
	if e := want(t, core.CodeQuotaExceeded, err); e.Quota == nil || *e.Quota != (core.QuotaFacts{}) {
		t.Errorf("a plan without the API says %+v", e.Quota)
	}
	_, err = h.App.Admit(t.Context(), poor, app.Need{Scope: core.Read})
	want(t, core.CodeQuotaExceeded, err)
	_, err = h.App.Admit(t.Context(), ws.Owner, app.Need{Scope: core.Write}) // the gate concerns keys only
	must(t, err)

	ws.Use(core.PlanCreator)
	rich := mustKey(t, h, reader.Bearer)
	_, err = h.App.Admit(t.Context(), rich, create("bad key with spaces", ""))
	want(t, core.CodeInsufficientScope, err) // scope before replay
	_, err = h.App.Admit(t.Context(), viewer, create("", ""))
	want(t, core.CodeInsufficientScope, err)
	_, err = h.App.Admit(t.Context(), rich, app.Need{Session: true})
	want(t, core.CodeInsufficientScope, err)
	_, err = h.App.Admit(t.Context(), viewer, app.Need{Session: true})
	must(t, err)
	_, err = h.App.Admit(t.Context(), viewer, app.Need{Session: true, Manages: true})
	want(t, core.CodeInsufficientScope, err)

	_, err = h.App.Admit(t.Context(), ws.Owner, create("", "")) // nothing before this was counted
	must(t, err)
	_, err = h.App.Admit(t.Context(), ws.Owner, create("bad key with spaces", ""))
	want(t, core.CodeInvalidRequest, err) // replay before the hourly limit
	_, err = h.App.Admit(t.Context(), ws.Owner, create("fresh", ""))
	want(t, core.CodeRateLimited, err)
}

func mustKey(t *testing.T, h *apptest.Harness, bearer string) core.Caller {
	t.Helper()
	c, err := h.Caller(bearer)
	must(t, err)
	return c
}

func TestARepeatedRequestGetsTheFirstAnswer(t *testing.T) {
	t.Parallel()
	h := apptest.New(t, limitCreate(2))
	ws := h.Workspace("one")
	key := ws.Key(core.Write)
	need := create("k-1", `{"text":"hello"}`)

	first, err := h.App.Admit(t.Context(), key.Caller, need)
	if err != nil || first.Replayed {
		t.Fatalf("the first: %+v, %v", first, err)
	}
	_, err = h.App.Admit(t.Context(), key.Caller, need)
	want(t, core.CodeIdempotencyInProgress, err)
	_, err = h.App.Admit(t.Context(), key.Caller, create("k-1", `{"text":"other"}`))
	want(t, core.CodeIdempotencyMismatch, err)
	need.Replay.Status = 201
	made := keepsAnswer(t, h, ws, key, need.Replay)

	for range 3 { // costs nothing of the hourly limit
		again, err := h.Replica().Admit(t.Context(), key.Caller, need)
		if err != nil || !again.Replayed || again.Status != 201 || !bytes.Equal(again.Body, made) || again.Create.Remaining != 1 {
			t.Fatalf("a repetition: %+v, %v", again, err)
		}
	}
	_, err = h.App.Admit(t.Context(), key.Caller, create("k-1", `{"text":"other"}`))
	want(t, core.CodeIdempotencyMismatch, err)

	other := h.Workspace("two").Key(core.Write)
	if got, err := h.App.Admit(t.Context(), other.Caller, need); err != nil || got.Replayed {
		t.Errorf("another workspace's request: %+v, %v", got, err)
	}
	route := app.Need{Scope: core.Write, Replay: &contract.Replay{Route: "POST /media/uploads", Key: "k-1", Body: need.Replay.Body}}
	if got, err := h.App.Admit(t.Context(), key.Caller, route); err != nil || got.Replayed {
		t.Errorf("another route's request: %+v, %v", got, err)
	}

	h.Clock.Advance(24*time.Hour - time.Second)
	if got, err := h.App.Admit(t.Context(), key.Caller, need); err != nil || !got.Replayed {
		t.Errorf("just before 24 hours: %+v, %v", got, err)
	}
	h.Clock.Advance(time.Second)
	if got, err := h.App.Admit(t.Context(), key.Caller, need); err != nil || got.Replayed {
		t.Errorf("after 24 hours: %+v, %v", got, err)
	}
}

func TestARefusedRequestFreesItsKey(t *testing.T) {
	t.Parallel()
	h := apptest.New(t, limitCreate(3))
	key := h.Workspace("one").Key(core.Write)
	bad, mended := create("k", `{"bad"`), create("k", `{}`)
	_, err := h.App.Admit(t.Context(), key.Caller, bad)
	must(t, err)
	must(t, h.App.Forget(t.Context(), key.Caller, *bad.Replay))
	_, err = h.App.Admit(t.Context(), key.Caller, mended)
	must(t, err)
	must(t, h.App.Forget(t.Context(), key.Caller, *bad.Replay)) // of another body: not this request's to free
	_, err = h.App.Admit(t.Context(), key.Caller, mended)
	want(t, core.CodeIdempotencyInProgress, err)
	must(t, h.App.Forget(t.Context(), key.Caller, *mended.Replay))
	_, err = h.App.Admit(t.Context(), key.Caller, create("k", "third")) // three refused ones counted all the same
	must(t, err)
	_, err = h.App.Admit(t.Context(), key.Caller, create("other", "fourth"))
	want(t, core.CodeRateLimited, err)
	h.Clock.Advance(time.Hour) // refused by the limit: the key is free, also for another body
	_, err = h.App.Admit(t.Context(), key.Caller, create("other", "fifth"))
	must(t, err)
}

func TestACrashedFirstRequestDoesNotBlockForEver(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	key := h.Workspace("one").Key(core.Write)
	need := create("k", "body")
	_, err := h.App.Admit(t.Context(), key.Caller, need)
	must(t, err)
	for _, c := range []struct {
		by   time.Duration
		wait int
	}{{0, 60}, {20500 * time.Millisecond, 40}, {38500 * time.Millisecond, 1}, {900 * time.Millisecond, 1}} {
		h.Clock.Advance(c.by)
		_, err = h.App.Admit(t.Context(), key.Caller, need)
		want(t, core.CodeIdempotencyInProgress, err)
		if got := core.AsError(err).RetryAfter; got != c.wait {
			t.Errorf("%s later the answer says to wait %d seconds, want %d", c.by, got, c.wait)
		}
	}
	h.Clock.Advance(100 * time.Millisecond)
	_, err = h.App.Admit(t.Context(), key.Caller, need)
	must(t, err)
}

func TestOneOfManyRepetitionsAtOnceIsTheFirst(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	key := h.Workspace("one").Key(core.Write)
	first := make(chan app.Admitted, 20)
	together(t, 20, func(int) error {
		got, err := h.App.Admit(t.Context(), key.Caller, create("k", "body"))
		if core.CodeOf(err) == core.CodeIdempotencyInProgress {
			return nil
		}
		first <- got
		return err
	})
	if len(first) != 1 {
		t.Errorf("%d requests were the first", len(first))
	}
}

// A first request so slow that a repetition took its place must not create its posts too.
func TestTheSlowerOfTwoRequestsWithOneKeyUndoesItself(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	key, account := ws.Key(core.Write), ws.Account("threads")
	need := create("k", "{}")
	need.Replay.Status = 201
	in := request("once", now(), account)
	in.Replay = need.Replay
	_, err := h.App.Admit(t.Context(), key.Caller, need)
	must(t, err)
	h.Clock.Advance(2 * time.Minute) // the first is still running, and its lock has run out
	_, err = h.App.Admit(t.Context(), key.Caller, need)
	must(t, err)
	_, err = h.App.CreatePosts(t.Context(), key.Caller, in)
	must(t, err)
	_, err = h.App.CreatePosts(t.Context(), key.Caller, in)
	want(t, core.CodeIdempotencyInProgress, err)
	if got := core.AsError(err).RetryAfter; got != 60 {
		t.Errorf("the slower one is told to wait %d seconds, want 60, as long as the other's lock holds", got)
	}
	list, err := h.App.ListPosts(t.Context(), key.Caller, contract.ListPosts{})
	must(t, err)
	if len(list.Posts) != 1 {
		t.Errorf("%d posts, want 1", len(list.Posts))
	}
}
