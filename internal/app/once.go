package app

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/store"
)

const (
	// replayPoll is how often a repetition looks whether the first request has ended.
	replayPoll = 50 * time.Millisecond
	// onceTimeout bounds an action that goes on after its client has left. It is shorter than replayLock.
	onceTimeout = 30 * time.Second
)

// DoOnce calls act for the first of several requests with the same key, and returns what it returned as JSON, to the
// repetitions too. A repetition waits while the first is running, and act goes on when its client leaves: a browser
// drops the first request when a person presses a button again. An error of act frees the key.
func (a *App) DoOnce(ctx context.Context, c core.Caller, replay *Replay, act func(context.Context) (any, error),
) ([]byte, error) {
	t, err := a.enter(c, core.Write)
	if err != nil {
		return nil, err
	}
	kept, err := waitForReplay(ctx, t, replay)
	if err != nil || kept.Replayed {
		return kept.Body, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), onceTimeout)
	defer cancel()
	out, err := act(ctx)
	if err != nil {
		return nil, errors.Join(err, releaseReplay(ctx, t, replay))
	}
	if err := saveReplay(contextWithReplay(ctx, replay), t, out); err != nil { // what is done is done
		a.cfg.Log.ErrorContext(ctx, "could not store that a form was handled", slog.Any("error", err))
	}
	return contract.EncodeJSON(out)
}

// waitForReplay is beginReplay that waits while the first request is running.
func waitForReplay(ctx context.Context, t store.Tenant, replay *Replay) (Answer, error) {
	for {
		kept, err := beginReplay(ctx, t, replay)
		if core.CodeOf(err) != core.CodeIdempotencyInProgress {
			return kept, err
		}
		select {
		case <-ctx.Done():
			return kept, err
		case <-time.After(replayPoll):
		}
	}
}
