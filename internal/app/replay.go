package app

import (
	"bytes"
	"context"

	"belfry/internal/core"
	"belfry/internal/store"
)

// firstOrKept takes the key for a first request, or finds the answer of the one that it repeats.
func firstOrKept(ctx context.Context, t store.Tenant, r Replay) (Admitted, error) {
	if err := r.check(); err != nil {
		return Admitted{}, err
	}
	stored := r.stored()
	kept, first, err := t.BeginReplay(ctx, stored, replayLock, replayKeep)
	switch {
	case err != nil || first:
		return Admitted{}, err
	case !bytes.Equal(kept.Fingerprint, stored.Fingerprint):
		return Admitted{}, core.Fail(core.CodeIdempotencyMismatch, "This Idempotency-Key was used for another request.").
			WithHint("Use a new key for a new request; the same key only with the same body.")
	case kept.Status == 0:
		e := core.Fail(core.CodeIdempotencyInProgress, "The first request with this Idempotency-Key is still running.").
			WithHint("Repeat the request in a moment.")
		e.RetryAfter = 1
		return Admitted{}, e
	}
	return Admitted{Replayed: true, Status: kept.Status, Body: kept.Body}, nil
}
