package store

import (
	"context"
	"errors"
	"maps"
	"time"
)

// Replay identifies a repeatable request: its route, the client's key, and a fingerprint of everything that must be
// the same.
type Replay struct {
	Route       string
	Key         string
	Fingerprint []byte
}

// Kept is what is stored about a repeated request. Status 0 means that the first one is still running, and Left is
// how much longer its lock is valid, which can be below zero.
type Kept struct {
	Fingerprint []byte
	Status      int
	Body        []byte
	Left        time.Duration
}

func (r Replay) nameArguments(more args) args {
	a := args{"route": r.Route, "key": r.Key}
	maps.Copy(a, more)
	return a
}

// BeginReplay reserves the key for a first request while the lock lasts; first reports whether it did. Responses
// older than keep, and first requests whose lock has ended, are ignored.
func (t Tenant) BeginReplay(ctx context.Context, r Replay, lock,
	keep time.Duration,
) (found Kept, first bool, err error) {
	changed, err := t.execChanged(ctx, `
		INSERT INTO idempotency AS i (workspace_id, route, key, fingerprint, locked_until, created_at)
		VALUES (@ws, @route, @key, @fingerprint, clock() + @lock::interval, clock())
		ON CONFLICT (workspace_id, route, key) DO UPDATE SET fingerprint = @fingerprint, status = 0, body = NULL,
			locked_until = clock() + @lock::interval, created_at = clock()
		WHERE i.created_at <= clock() - @keep::interval OR i.status = 0 AND i.locked_until <= clock()`,
		r.nameArguments(args{"fingerprint": r.Fingerprint, "lock": lock, "keep": keep}))
	if err != nil || changed {
		return Kept{}, changed, err
	}
	found, err = t.Replay(ctx, r)
	if errors.Is(err, ErrNotFound) { // the first was refused this very moment
		return Kept{Fingerprint: r.Fingerprint}, false, nil
	}
	return found, false, err
}

// Replay returns what is stored about a request, by its key, or not_found.
func (t Tenant) Replay(ctx context.Context, r Replay) (Kept, error) {
	return queryOne[Kept](t.query(ctx, `
		SELECT fingerprint, status, body, locked_until - clock() AS left FROM idempotency
		WHERE workspace_id = @ws AND route = @route AND key = @key`, r.nameArguments(nil)))
}

const keepReplay = `
	UPDATE idempotency SET status = @status, body = @body
	WHERE workspace_id = @ws AND route = @route AND key = @key AND fingerprint = @fingerprint AND status = 0`

// KeepReplay stores the response of a first request. It returns false if another request has taken the key.
func (t Tenant) KeepReplay(ctx context.Context, r Replay, status int, body []byte) (bool, error) {
	return t.execChanged(ctx, keepReplay, r.nameArguments(args{"fingerprint": r.Fingerprint, "status": status, "body": body}))
}

// DropReplay frees the key of a first request that was refused.
func (t Tenant) DropReplay(ctx context.Context, r Replay) error {
	return t.exec(ctx, `
		DELETE FROM idempotency
		WHERE workspace_id = @ws AND route = @route AND key = @key AND fingerprint = @fingerprint AND status = 0`,
		r.nameArguments(args{"fingerprint": r.Fingerprint}))
}
