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

// creation is the access of an operation that makes posts.
var creation = app.Access{Scope: core.Write, Creates: true}

func replayOf(key, body string) *app.ReplayKey {
	return &app.ReplayKey{Route: "POST /posts", Key: key, Body: []byte(body), Status: 201}
}

// keepsAnswer makes a draft as the request with the key, and returns what its repetitions will get.
func keepsAnswer(t *testing.T, h *apptest.Harness, w *apptest.Workspace, key apptest.Key,
	replay *app.ReplayKey,
) []byte {
	t.Helper()
	made, err := h.App.CreatePosts(app.WithReplay(t.Context(), replay), key.Caller, request("kept", draft(), w.Account("threads")))
	must(t, err)
	body, err := contract.EncodeJSON(made)
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

func TestHourlyLimitAdmits60Of64ConcurrentCreations(t *testing.T) {
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
		_, err := replicas[i%2].Admit(t.Context(), caller, creation, nil)
		return err
	})
	if passed != 60 || limited != 4 {
		t.Errorf("%d passed and %d were refused; want 60 and 4", passed, limited)
	}
	if got, err := h.App.Admit(t.Context(), other.Caller, creation, nil); err != nil || got.Creations.Remaining != 59 {
		t.Errorf("another workspace: %+v, %v", got.Creations, err)
	}
}

func TestTheHourlyLimitHoldsForEveryHour(t *testing.T) {
	t.Parallel()
	h := apptest.New(t, limitCreate(3))
	key := h.Workspace("one").Key(core.Write)
	admit := func() (app.Answer, error) { return h.App.Admit(t.Context(), key.Caller, creation, nil) }
	for range 3 { // at 9:00, 9:20, 9:40
		_, err := admit()
		must(t, err)
		h.Clock.Advance(20 * time.Minute)
	}
	h.Clock.Advance(-time.Second)
	got, err := admit() // 9:59:59
	if e := want(t, core.CodeRateLimited, err); e.RetryAfter != 1 || got.Creations.Remaining != 0 ||
		got.Creations.Reset != time.Second {
		t.Errorf("before the first drops out: %+v, %+v", e, got.Creations)
	}
	h.Clock.Advance(time.Second)
	got, err = admit() // 10:00
	if err != nil || got.Creations.Remaining != 0 || got.Creations.Reset != 20*time.Minute {
		t.Errorf("when the first drops out: %+v, %v", got.Creations, err)
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

	_, err := h.App.Admit(t.Context(), core.Caller{}, creation, replayOf("k", ""))
	want(t, core.CodeUnauthenticated, err)
	_, err = h.App.Admit(t.Context(), poor, creation, replayOf("k", "")) // no API, no scope: the plan comes first
	if e := want(t, core.CodeQuotaExceeded, err); e.Quota == nil || *e.Quota != (core.QuotaFacts{}) {
		t.Errorf("a plan without the API says %+v", e.Quota)
	}
	_, err = h.App.Admit(t.Context(), poor, app.Access{Scope: core.Read}, nil)
	want(t, core.CodeQuotaExceeded, err)
	_, err = h.App.Admit(t.Context(), ws.Owner, app.Access{Scope: core.Write}, nil) // the gate concerns keys only
	must(t, err)

	ws.Use(core.PlanCreator)
	rich := mustKey(t, h, reader.Bearer)
	_, err = h.App.Admit(t.Context(), rich, creation, replayOf("bad key with spaces", ""))
	want(t, core.CodeInsufficientScope, err) // scope before replay
	_, err = h.App.Admit(t.Context(), viewer, creation, nil)
	want(t, core.CodeInsufficientScope, err)
	_, err = h.App.Admit(t.Context(), rich, app.Access{Session: true}, nil)
	want(t, core.CodeInsufficientScope, err)
	_, err = h.App.Admit(t.Context(), viewer, app.Access{Session: true}, nil)
	must(t, err)
	_, err = h.App.Admit(t.Context(), viewer, app.Access{Session: true, Manages: true}, nil)
	want(t, core.CodeInsufficientScope, err)

	_, err = h.App.Admit(t.Context(), ws.Owner, creation, nil) // nothing before this was counted
	must(t, err)
	_, err = h.App.Admit(t.Context(), ws.Owner, creation, replayOf("bad key with spaces", ""))
	want(t, core.CodeInvalidRequest, err) // replay before the hourly limit
	_, err = h.App.Admit(t.Context(), ws.Owner, creation, replayOf("fresh", ""))
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
	replay := replayOf("k-1", `{"text":"hello"}`)

	first, err := h.App.Admit(t.Context(), key.Caller, creation, replay)
	if err != nil || first.Replayed {
		t.Fatalf("the first: %+v, %v", first, err)
	}
	_, err = h.App.Admit(t.Context(), key.Caller, creation, replay)
	want(t, core.CodeIdempotencyInProgress, err)
	_, err = h.App.Admit(t.Context(), key.Caller, creation, replayOf("k-1", `{"text":"other"}`))
	want(t, core.CodeIdempotencyMismatch, err)
	made := keepsAnswer(t, h, ws, key, replay)

	for range 3 { // costs nothing of the hourly limit
		again, err := h.Replica().Admit(t.Context(), key.Caller, creation, replay)
		if err != nil || !again.Replayed || again.Status != 201 || !bytes.Equal(again.Body, made) ||
			again.Creations.Remaining != 1 {
			t.Fatalf("a repetition: %+v, %v", again, err)
		}
	}
	_, err = h.App.Admit(t.Context(), key.Caller, creation, replayOf("k-1", `{"text":"other"}`))
	want(t, core.CodeIdempotencyMismatch, err)

	other := h.Workspace("two").Key(core.Write)
	if got, err := h.App.Admit(t.Context(), other.Caller, creation, replay); err != nil || got.Replayed {
		t.Errorf("another workspace's request: %+v, %v", got, err)
	}
	route := &app.ReplayKey{Route: "POST /media/uploads", Key: "k-1", Body: replay.Body}
	if got, err := h.App.Admit(t.Context(), key.Caller, app.Access{Scope: core.Write}, route); err != nil || got.Replayed {
		t.Errorf("another route's request: %+v, %v", got, err)
	}

	h.Clock.Advance(24*time.Hour - time.Second)
	if got, err := h.App.Admit(t.Context(), key.Caller, creation, replay); err != nil || !got.Replayed {
		t.Errorf("just before 24 hours: %+v, %v", got, err)
	}
	h.Clock.Advance(time.Second)
	if got, err := h.App.Admit(t.Context(), key.Caller, creation, replay); err != nil || got.Replayed {
		t.Errorf("after 24 hours: %+v, %v", got, err)
	}
}

func TestARefusedRequestFreesItsKey(t *testing.T) {
	t.Parallel()
	h := apptest.New(t, limitCreate(3))
	key := h.Workspace("one").Key(core.Write)
	bad, mended := replayOf("k", `{"bad"`), replayOf("k", `{}`)
	refused := core.Invalid("", "The request is refused.")
	_, err := h.App.Admit(t.Context(), key.Caller, creation, bad)
	must(t, err)
	h.App.FreeReplay(t.Context(), key.Caller, bad, refused)
	_, err = h.App.Admit(t.Context(), key.Caller, creation, mended)
	must(t, err)
	h.App.FreeReplay(t.Context(), key.Caller, bad, refused) // of another body: not this request's to free
	_, err = h.App.Admit(t.Context(), key.Caller, creation, mended)
	want(t, core.CodeIdempotencyInProgress, err)
	h.App.FreeReplay(t.Context(), key.Caller, mended, refused)
	// three refused ones counted all the same
	_, err = h.App.Admit(t.Context(), key.Caller, creation, replayOf("k", "third"))
	must(t, err)
	_, err = h.App.Admit(t.Context(), key.Caller, creation, replayOf("other", "fourth"))
	want(t, core.CodeRateLimited, err)
	h.Clock.Advance(time.Hour) // refused by the limit: the key is free, also for another body
	_, err = h.App.Admit(t.Context(), key.Caller, creation, replayOf("other", "fifth"))
	must(t, err)
}

func TestKeyOfACrashedRequestBecomesFree(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	key := h.Workspace("one").Key(core.Write)
	replay := replayOf("k", "body")
	_, err := h.App.Admit(t.Context(), key.Caller, creation, replay)
	must(t, err)
	for _, c := range []struct {
		by   time.Duration
		wait int
	}{{0, 60}, {20500 * time.Millisecond, 40}, {38500 * time.Millisecond, 1}, {900 * time.Millisecond, 1}} {
		h.Clock.Advance(c.by)
		_, err = h.App.Admit(t.Context(), key.Caller, creation, replay)
		want(t, core.CodeIdempotencyInProgress, err)
		if got := core.ErrorOrInternal(err).RetryAfter; got != c.wait {
			t.Errorf("%s later the answer says to wait %d seconds, want %d", c.by, got, c.wait)
		}
	}
	h.Clock.Advance(100 * time.Millisecond)
	_, err = h.App.Admit(t.Context(), key.Caller, creation, replay)
	must(t, err)
}

func TestOneOfManyConcurrentRepetitionsIsFirst(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	key := h.Workspace("one").Key(core.Write)
	first := make(chan app.Answer, 20)
	together(t, 20, func(int) error {
		got, err := h.App.Admit(t.Context(), key.Caller, creation, replayOf("k", "body"))
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
	replay := replayOf("k", "{}")
	in := request("once", now(), account)
	_, err := h.App.Admit(t.Context(), key.Caller, creation, replay)
	must(t, err)
	h.Clock.Advance(2 * time.Minute) // the first is still running, and its lock has run out
	_, err = h.App.Admit(t.Context(), key.Caller, creation, replay)
	must(t, err)
	_, err = h.App.CreatePosts(app.WithReplay(t.Context(), replay), key.Caller, in)
	must(t, err)
	_, err = h.App.CreatePosts(app.WithReplay(t.Context(), replay), key.Caller, in)
	want(t, core.CodeIdempotencyInProgress, err)
	if got := core.ErrorOrInternal(err).RetryAfter; got != 60 {
		t.Errorf("the slower one is told to wait %d seconds, want 60, as long as the other's lock holds", got)
	}
	list, err := h.App.ListPosts(t.Context(), key.Caller, contract.ListPosts{})
	must(t, err)
	if len(list.Posts) != 1 {
		t.Errorf("%d posts, want 1", len(list.Posts))
	}
}
