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
	maxReplayKeyLength = 255
	// replayKeep is how long responses are stored (decisions.md, Shape of the API).
	replayKeep = 24 * time.Hour
	// replayLock is how long a first request may run before a repeated one takes its place. It is longer than any
	// request is allowed to run.
	replayLock = time.Minute
	// endReplayTimeout limits how long it may take to store a response or release a key. Both also happen after the client
	// has disconnected.
	endReplayTimeout = 10 * time.Second
)

// ReplayKey identifies a request that its client may repeat. The stored response to it is a replay.
type ReplayKey struct {
	// Route identifies the operation, and Key is the client's Idempotency-Key.
	Route, Key string
	// ID is the id in the request's path, if any, and Body is the body of the request. The same key with another id or
	// body is an error.
	ID   string
	Body []byte
	// Status is the status of a successful response.
	Status int

	saved bool
}

type replayContextKey struct{}

// contextWithReplayKey returns a context that contains the replay key, or ctx if there is none.
// saveAnswerIfReplayRequested finds the key there, in the operation's transaction.
func contextWithReplayKey(ctx context.Context, replayKeyOrNil *ReplayKey) context.Context {
	if replayKeyOrNil == nil {
		return ctx
	}
	return context.WithValue(ctx, replayContextKey{}, replayKeyOrNil)
}

// reserveReplayKeyOrLoadAnswer reserves the key for a first request. For a repeated request, it returns the stored
// response with Replayed set.
func reserveReplayKeyOrLoadAnswer(ctx context.Context, t store.Tenant, replayKey *ReplayKey,
) (storedOrZero Answer, err error) {
	if err := replayKey.checkKey(); err != nil {
		return Answer{}, err
	}
	named := replayKey.toStoreReplayKey()
	kept, first, err := t.ReserveReplayKey(ctx, named, replayLock, replayKeep)
	switch {
	case err != nil || first:
		return Answer{}, err
	case !bytes.Equal(kept.Fingerprint, named.Fingerprint):
		return Answer{}, core.Fail(core.CodeIdempotencyMismatch, "This Idempotency-Key has already been used for another request.").
			WithHint("Use a new key for each new request. Repeat a key only with the same body.")
	case kept.Status == 0:
		return Answer{}, errStillRunning(kept.Left)
	}
	return Answer{Replayed: true, Status: kept.Status, Body: kept.Body}, nil
}

// errStillRunning returns the error for a repeated request while the first one is running. left is the maximum time
// until the key is released.
func errStillRunning(left time.Duration) *core.Error {
	e := core.Fail(core.CodeIdempotencyInProgress, "The first request with this Idempotency-Key is still in progress.").
		WithHint("Wait for the number of seconds in Retry-After, then repeat the request.")
	e.RetryAfter = max(1, int((left+time.Second-1)/time.Second))
	return e
}

// saveAnswerIfReplayRequested stores the response to a repeatable request in the operation's own transaction, so that
// both are committed together. If another request with the same key has taken the place of this one,
// saveAnswerIfReplayRequested returns an error, which rolls the operation back. Without a replay key in the context, it
// does nothing.
func saveAnswerIfReplayRequested(ctx context.Context, t store.Tenant, answer any) error {
	kept, err := newStoredAnswerOrNil(ctx, answer)
	if err != nil || kept == nil {
		return err
	}
	saved, err := t.SaveReplay(ctx, kept.ReplayKey, kept.Status, kept.Body)
	if err == nil && !saved {
		err = store.ErrReplaced
	}
	return markReplaySavedOrConvertError(ctx, t, err)
}

// newStoredAnswerOrNil returns the response in the form in which it is stored, or nil if the request cannot be
// repeated.
func newStoredAnswerOrNil(ctx context.Context, answer any) (*store.Answer, error) {
	replayKey, ok := ctx.Value(replayContextKey{}).(*ReplayKey)
	if !ok {
		return nil, nil //nolint:nilnil // there is nothing to store
	}
	body, err := contract.EncodeJSON(answer)
	if err != nil {
		return nil, fmt.Errorf("encode the response to store: %w", err)
	}
	return &store.Answer{ReplayKey: replayKey.toStoreReplayKey(), Status: replayKey.Status, Body: body}, nil
}

// markReplaySavedOrConvertError marks the response to a repeatable request as stored if saveErr is nil. If saveErr is
// store.ErrReplaced, it returns the error for a request with the same key that is still running. It returns any other
// error unchanged.
func markReplaySavedOrConvertError(ctx context.Context, t store.Tenant, saveErr error) error {
	replayKey, ok := ctx.Value(replayContextKey{}).(*ReplayKey)
	switch {
	case !ok || saveErr != nil && !errors.Is(saveErr, store.ErrReplaced):
		return saveErr
	case saveErr == nil:
		replayKey.saved = true
		return nil
	}
	other, err := t.FirstRequest(ctx, replayKey.Route, replayKey.Key)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("find the request that replaced this one: %w", err)
	}
	return errStillRunning(other.Left)
}

// releaseReplayKeyIfRefused releases the key of a request that was admitted and then refused, so that the client can
// send a corrected request. If the request may have taken effect despite the error, the key stays reserved.
func (a *App) releaseReplayKeyIfRefused(ctx context.Context, c core.Caller, replayKeyOrNil *ReplayKey,
	operationErr error,
) {
	if replayKeyOrNil == nil || mayHaveTakenEffect(operationErr) {
		return
	}
	t, err := a.authorize(c, core.Read)
	if err == nil {
		err = releaseReplayKey(ctx, t, replayKeyOrNil)
	}
	if err != nil {
		a.cfg.Log.ErrorContext(ctx, "could not release an idempotency key", slog.Any("error", err))
	}
}

// mayHaveTakenEffect reports whether it is unknown whether a request with this error has changed something: the error
// is internal or unavailable. It returns false for nil.
func mayHaveTakenEffect(err error) bool {
	code := core.CodeOf(err)
	return err != nil && (code == core.CodeInternal || code == core.CodeUnavailable)
}

// releaseReplayKey releases a key, even if its client has disconnected.
func releaseReplayKey(ctx context.Context, t store.Tenant, replayKey *ReplayKey) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endReplayTimeout)
	defer cancel()
	return t.ReleaseReplayKey(ctx, replayKey.toStoreReplayKey())
}

func (r *ReplayKey) toStoreReplayKey() store.ReplayKey {
	return store.ReplayKey{Route: r.Route, Key: r.Key, Fingerprint: r.fingerprintRequest()}
}

// fingerprintRequest returns the same value for two requests only if they are the same: they have the same route and
// id, and the same body byte for byte.
func (r *ReplayKey) fingerprintRequest() []byte {
	sum := sha256.New()
	for _, part := range [][]byte{[]byte(r.Route), {0}, []byte(r.ID), r.Body} { // a body does not begin like an id
		_, _ = sum.Write(part) // a hash never fails
	}
	return sum.Sum(nil)
}

// checkKey returns invalid_request if the key is empty or too long, or contains anything but visible ASCII characters.
func (r *ReplayKey) checkKey() error {
	if len(r.Key) == 0 || len(r.Key) > maxReplayKeyLength {
		return core.Invalid("Idempotency-Key", "The Idempotency-Key header must have 1 to %d characters.", maxReplayKeyLength)
	}
	for _, b := range []byte(r.Key) {
		if b < '!' || b > '~' {
			return core.Invalid("Idempotency-Key", "The Idempotency-Key header can contain only visible ASCII characters.")
		}
	}
	return nil
}
