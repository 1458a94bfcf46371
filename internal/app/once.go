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
	// A repeated request checks whether the first one has ended: first after minReplayPoll, then less and less often. It
	// gives up after replayPatience, which leaves time to tell the person.
	minReplayPoll, maxReplayPoll = 50 * time.Millisecond, 500 * time.Millisecond
	replayPatience               = 20 * time.Second
	// onceTimeout limits an action that continues after its client has disconnected. With endReplayTimeout, it is shorter
	// than replayLock.
	onceTimeout = 30 * time.Second
)

// DoOnce calls act for the first of several requests with the same key. It returns act's result as JSON. Repeated
// requests wait until the first one has ended, and get the same result. act continues if its client disconnects,
// because a browser cancels the first request when a person presses a button again. If act fails, the key is released,
// unless act may have taken effect.
func (a *App) DoOnce(ctx context.Context, c core.Caller, replayKey *ReplayKey, act func(context.Context) (any, error),
) (answerJSON []byte, err error) {
	t, err := a.authorize(c, core.Write)
	if err != nil {
		return nil, err
	}
	kept, err := reserveReplayKeyOrAwaitAnswer(ctx, t, replayKey)
	if err != nil || kept.Replayed {
		return kept.Body, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), onceTimeout)
	defer cancel()
	out, err := act(ctx)
	if mayHaveTakenEffect(err) {
		return nil, err
	}
	if err != nil {
		return nil, errors.Join(err, releaseReplayKey(ctx, t, replayKey))
	}
	if err := saveAnswerWithOwnTimeout(ctx, t, replayKey, out); err != nil { // the action itself has succeeded
		a.cfg.Log.ErrorContext(ctx, "could not store the response to a form", slog.Any("error", err))
	}
	return contract.EncodeJSON(out)
}

// saveAnswerWithOwnTimeout stores the response to a request whose context may have ended.
func saveAnswerWithOwnTimeout(ctx context.Context, t store.Tenant, replayKey *ReplayKey, answer any) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endReplayTimeout)
	defer cancel()
	return saveAnswerIfReplayRequested(contextWithReplayKey(ctx, replayKey), t, answer)
}

// reserveReplayKeyOrAwaitAnswer is like reserveReplayKeyOrLoadAnswer, but waits while the first request is running.
// While it waits, it only reads.
func reserveReplayKeyOrAwaitAnswer(ctx context.Context, t store.Tenant, replayKey *ReplayKey,
) (storedOrZero Answer, err error) {
	kept, err := reserveReplayKeyOrLoadAnswer(ctx, t, replayKey)
	patience := time.After(replayPatience)
	for wait := minReplayPoll; core.CodeOf(err) == core.CodeIdempotencyInProgress; wait = min(2*wait, maxReplayPoll) {
		select {
		case <-ctx.Done():
			return kept, err
		case <-patience:
			return kept, err
		case <-time.After(wait):
		}
		first, readErr := t.FirstRequest(ctx, replayKey.Route, replayKey.Key)
		if readErr != nil || first.Status != 0 || first.Left <= 0 {
			kept, err = reserveReplayKeyOrLoadAnswer(ctx, t, replayKey)
		}
	}
	return kept, err
}
