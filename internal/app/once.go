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
	// A repetition looks whether the first request has ended, at first after minReplayPoll and then less and less often,
	// for at most replayPatience, which leaves time to tell the person that it has not.
	minReplayPoll, maxReplayPoll = 50 * time.Millisecond, 500 * time.Millisecond
	replayPatience               = 20 * time.Second
	// onceTimeout bounds an action that goes on after its client has left. With endReplayTimeout, it is shorter than
	// replayLock.
	onceTimeout = 30 * time.Second
)

// DoOnce calls act for the first of several requests with the same key, and returns what it returned as JSON, to the
// repetitions too. A repetition waits while the first is running, and act goes on when its client leaves: a browser
// drops the first request when a person presses a button again. An error of act frees the key, unless it leaves open
// what act has done.
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
	if isOutcomeUnknown(err) {
		return nil, err
	}
	if err != nil {
		return nil, errors.Join(err, releaseReplay(ctx, t, replay))
	}
	if err := saveReplayAfterwards(ctx, t, replay, out); err != nil { // what is done is done
		a.cfg.Log.ErrorContext(ctx, "could not store that a form was handled", slog.Any("error", err))
	}
	return contract.EncodeJSON(out)
}

// saveReplayAfterwards stores the response to a request whose own time may be over.
func saveReplayAfterwards(ctx context.Context, t store.Tenant, replay *Replay, answer any) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endReplayTimeout)
	defer cancel()
	return saveReplay(contextWithReplay(ctx, replay), t, answer)
}

// waitForReplay is beginReplay that waits while the first request is running. It only reads until the key is free.
func waitForReplay(ctx context.Context, t store.Tenant, replay *Replay) (Answer, error) {
	kept, err := beginReplay(ctx, t, replay)
	patience := time.After(replayPatience)
	for wait := minReplayPoll; core.CodeOf(err) == core.CodeIdempotencyInProgress; wait = min(2*wait, maxReplayPoll) {
		select {
		case <-ctx.Done():
			return kept, err
		case <-patience:
			return kept, err
		case <-time.After(wait):
		}
		first, readErr := t.Replay(ctx, replay.toStoreReplay())
		if readErr != nil || first.Status != 0 || first.Left <= 0 {
			kept, err = beginReplay(ctx, t, replay)
		}
	}
	return kept, err
}
