package app_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"belfry/internal/core"
)

func TestAFormSentSeveralTimesAtOnceActsOnce(t *testing.T) {
	b := newBench(t)
	var acts atomic.Int32
	act := func(ctx context.Context) (any, error) {
		return int(acts.Add(1)), ctx.Err()
	}
	answers := make([]string, 6)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() {
			body, err := b.App.DoOnce(b.Context(), b.ws.Owner, replayOf("form", "act=duplicate"), act)
			if err != nil {
				t.Error(err)
			}
			answers[i] = string(body)
		})
	}
	all.Wait()
	for _, got := range answers {
		if got != answers[0] || acts.Load() != 1 {
			t.Fatalf("%d acts, with the answers %q", acts.Load(), answers)
		}
	}
}

// A browser drops its first request when a button is pressed again. The act must not end halfway for that.
func TestAFormActsOnWhenItsClientLeaves(t *testing.T) {
	b := newBench(t)
	ctx, leave := context.WithCancel(b.Context())
	body, err := b.App.DoOnce(ctx, b.ws.Owner, replayOf("form", "x"), func(ctx context.Context) (any, error) {
		leave()
		return "done", ctx.Err()
	})
	must(t, err)
	again, err := b.App.DoOnce(b.Context(), b.ws.Owner, replayOf("form", "x"), func(context.Context) (any, error) {
		return "done again", nil
	})
	must(t, err)
	if string(again) != string(body) {
		t.Errorf("the answers are %s and %s", body, again)
	}
}

// Nobody knows what an act has done that ended with an error of the server.
func TestAFormWhoseActIsUncertainDoesNotActAgainAtOnce(t *testing.T) {
	b := newBench(t)
	failed := errors.New("the disk is full")
	_, err := b.App.DoOnce(b.Context(), b.ws.Owner, replayOf("form", "x"), func(context.Context) (any, error) {
		return nil, failed
	})
	if !errors.Is(err, failed) {
		t.Fatal(err)
	}
	ctx, leave := context.WithTimeout(b.Context(), 100*time.Millisecond)
	defer leave()
	_, err = b.App.DoOnce(ctx, b.ws.Owner, replayOf("form", "x"), func(context.Context) (any, error) {
		t.Error("it acts again")
		return "done", nil
	})
	if err == nil {
		t.Error("the repetition succeeds")
	}
	b.Clock.Advance(time.Minute)
	body, err := b.App.DoOnce(b.Context(), b.ws.Owner, replayOf("form", "x"), func(context.Context) (any, error) {
		return "done", nil
	})
	if err != nil || !strings.Contains(string(body), "done") {
		t.Errorf("after a minute, the answer is %s, %v", body, err)
	}
}

func TestAFormThatWasRefusedCanBeSentAgain(t *testing.T) {
	b := newBench(t)
	for _, want := range []error{core.Invalid("day", "Choose a day."), nil} {
		_, err := b.App.DoOnce(b.Context(), b.ws.Owner, replayOf("form", "x"), func(context.Context) (any, error) {
			return "done", want
		})
		if !errors.Is(err, want) {
			t.Errorf("it returns %v, want %v", err, want)
		}
	}
	viewer := b.ws.Member(core.RoleViewer)
	_, err := b.App.DoOnce(b.Context(), viewer, replayOf("other", "x"), func(context.Context) (any, error) {
		t.Error("a viewer's form acts")
		return nil, nil //nolint:nilnil // it is not called
	})
	if core.CodeOf(err) != core.CodeInsufficientScope {
		t.Errorf("a viewer gets %v", err)
	}
}
