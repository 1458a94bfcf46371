package app

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/store"
)

// firstOrKept takes the key for a first request, or finds the answer of the one that it repeats.
func firstOrKept(ctx context.Context, t store.Tenant, r contract.Replay) (Admitted, error) {
	if err := checkReplay(r); err != nil {
		return Admitted{}, err
	}
	named := stored(r)
	kept, first, err := t.BeginReplay(ctx, named, replayLock, replayKeep)
	switch {
	case err != nil || first:
		return Admitted{}, err
	case !bytes.Equal(kept.Fingerprint, named.Fingerprint):
		return Admitted{}, core.Fail(core.CodeIdempotencyMismatch, "This Idempotency-Key was used for another request.").
			WithHint("Use a new key for a new request; the same key only with the same body.")
	case kept.Status == 0:
		return Admitted{}, stillRunning(kept.Left)
	}
	return Admitted{Replayed: true, Status: kept.Status, Body: kept.Body}, nil
}

// stillRunning is the answer while the first request holds the key; left is for how much longer it can.
func stillRunning(left time.Duration) *core.Error {
	e := core.Fail(core.CodeIdempotencyInProgress, "The first request with this Idempotency-Key is still running.").
		WithHint("Repeat the request after the seconds of Retry-After: by then it is done or its key is free.")
	e.RetryAfter = max(1, int((left+time.Second-1)/time.Second))
	return e
}

// keep stores a verb's answer for repetitions, in the verb's own transaction: what it did and the answer
// that says so commit together. A request that was so slow that another with its key took its place
// undoes what it did.
func keep(ctx context.Context, t store.Tenant, r *contract.Replay, answer any) error {
	if r == nil {
		return nil
	}
	body, err := contract.Encode(answer)
	if err != nil {
		return fmt.Errorf("encode the answer to keep: %w", err)
	}
	kept, err := t.KeepReplay(ctx, stored(*r), r.Status, body)
	if err != nil {
		return err
	}
	if kept {
		return nil
	}
	other, err := t.Replay(ctx, stored(*r))
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("find the request that took this one's place: %w", err)
	}
	return stillRunning(other.Left)
}

const maxReplayKey = 255

func stored(r contract.Replay) store.Replay {
	sum := sha256.New()
	for _, part := range [][]byte{[]byte(r.Route), {0}, r.Body} {
		_, _ = sum.Write(part) // a hash never fails
	}
	return store.Replay{Route: r.Route, Key: r.Key, Fingerprint: sum.Sum(nil)}
}

func checkReplay(r contract.Replay) error {
	if len(r.Key) == 0 || len(r.Key) > maxReplayKey {
		return core.Invalid("Idempotency-Key", "The header Idempotency-Key takes 1 to %d characters.", maxReplayKey)
	}
	for _, b := range []byte(r.Key) {
		if b < '!' || b > '~' {
			return core.Invalid("Idempotency-Key", "The header Idempotency-Key takes visible ASCII characters only.")
		}
	}
	return nil
}
