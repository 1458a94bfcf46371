package app

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/store"
)

const (
	maxReplayKey = 255
	// replayKeep is how long answers are kept (decisions.md, Shape of the API).
	replayKeep = 24 * time.Hour
	// replayLock is how long a first request may run before a repetition takes its place: longer than any request is
	// allowed to take.
	replayLock = time.Minute
	// freeReplayTimeout bounds how long a key is being freed after its client may have gone.
	freeReplayTimeout = 10 * time.Second
)

// Replay is a request that its client may send again.
type Replay struct {
	// Route names the operation in what is stored, Key is the client's Idempotency-Key.
	Route, Key string
	// Body is the request's, by which a request that only has the same key is told apart.
	Body []byte
	// Status is what a success is answered with.
	Status int

	saved bool
}

type replayKey struct{}

// withReplay hands the replay to the transaction of the operation, which calls saveReplay.
func withReplay(ctx context.Context, replay *Replay) context.Context {
	if replay == nil {
		return ctx
	}
	return context.WithValue(ctx, replayKey{}, replay)
}

// beginReplay reserves the key for a first request, or finds the answer of the one that it repeats.
func beginReplay(ctx context.Context, t store.Tenant, replay *Replay) (Answer, error) {
	if err := replay.checkKey(); err != nil {
		return Answer{}, err
	}
	named := replay.storedReplay()
	kept, first, err := t.BeginReplay(ctx, named, replayLock, replayKeep)
	switch {
	case err != nil || first:
		return Answer{}, err
	case !bytes.Equal(kept.Fingerprint, named.Fingerprint):
		return Answer{}, core.Fail(core.CodeIdempotencyMismatch, "This Idempotency-Key was used for another request.").
			WithHint("Use a new key for each new request. Repeat a key only with the same body.")
	case kept.Status == 0:
		return Answer{}, stillRunning(kept.Left)
	}
	return Answer{Replayed: true, Status: kept.Status, Body: kept.Body}, nil
}

// stillRunning is the error while the first request holds the key; left is for how much longer it can.
func stillRunning(left time.Duration) *core.Error {
	e := core.Fail(core.CodeIdempotencyInProgress, "The first request with this Idempotency-Key is still running.").
		WithHint("Wait the number of seconds in Retry-After, then repeat the request.")
	e.RetryAfter = max(1, int((left+time.Second-1)/time.Second))
	return e
}

// saveReplay stores the answer of a repeatable request, in the operation's own transaction: what it did and the
// answer commit together. A request that was so slow that another with its key took its place is refused, which
// undoes what it did. Without a replay it does nothing.
func saveReplay(ctx context.Context, t store.Tenant, answer any) error {
	kept, err := answerToKeep(ctx, answer)
	if err != nil || kept == nil {
		return err
	}
	saved, err := t.KeepReplay(ctx, kept.Replay, kept.Status, kept.Body)
	if err == nil && !saved {
		err = store.ErrReplaced
	}
	return endReplay(ctx, t, err)
}

// answerToKeep returns what the store keeps for repetitions of the request; nil for one that cannot be repeated.
func answerToKeep(ctx context.Context, answer any) (*store.Answer, error) {
	replay, ok := ctx.Value(replayKey{}).(*Replay)
	if !ok {
		return nil, nil //nolint:nilnil // there is nothing to keep
	}
	body, err := contract.Encode(answer)
	if err != nil {
		return nil, fmt.Errorf("encode the response to store: %w", err)
	}
	return &store.Answer{Replay: replay.storedReplay(), Status: replay.Status, Body: body}, nil
}

// endReplay notes on a repeatable request that its answer was stored, or returns the error that was the reason why not:
// for store.ErrReplaced that another request with the key is still running.
func endReplay(ctx context.Context, t store.Tenant, err error) error {
	replay, ok := ctx.Value(replayKey{}).(*Replay)
	switch {
	case !ok || err != nil && !errors.Is(err, store.ErrReplaced):
		return err
	case err == nil:
		replay.saved = true
		return nil
	}
	other, err := t.Replay(ctx, replay.storedReplay())
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("find the request that replaced this one: %w", err)
	}
	return stillRunning(other.Left)
}

// freeReplay frees the key of an admitted request that was refused, so that it may carry a corrected request. An
// internal error leaves the key: nobody can say what that left behind.
func (a *App) freeReplay(ctx context.Context, c core.Caller, replay *Replay, refused error) {
	code := core.CodeOf(refused)
	if replay == nil || code == core.CodeInternal || code == core.CodeUnavailable {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), freeReplayTimeout)
	defer cancel()
	t, err := a.enter(c, core.Read)
	if err == nil {
		err = t.DropReplay(ctx, replay.storedReplay())
	}
	if err != nil {
		a.cfg.Log.ErrorContext(ctx, "could not release an idempotency key", slog.Any("error", err))
	}
}

func (r *Replay) storedReplay() store.Replay {
	sum := sha256.New()
	for _, part := range [][]byte{[]byte(r.Route), {0}, r.Body} {
		_, _ = sum.Write(part) // a hash never fails
	}
	return store.Replay{Route: r.Route, Key: r.Key, Fingerprint: sum.Sum(nil)}
}

func (r *Replay) checkKey() error {
	if len(r.Key) == 0 || len(r.Key) > maxReplayKey {
		return core.Invalid("Idempotency-Key", "The header Idempotency-Key must have 1 to %d characters.", maxReplayKey)
	}
	for _, b := range []byte(r.Key) {
		if b < '!' || b > '~' {
			return core.Invalid("Idempotency-Key", "The header Idempotency-Key can contain only visible ASCII characters.")
		}
	}
	return nil
}
