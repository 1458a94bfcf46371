package store

import (
	"context"
	"errors"
	"maps"
	"time"
)

// ReplayKey identifies a repeatable request: its route, the client's key, and a fingerprint of everything that must be
// the same when the request is repeated.
type ReplayKey struct {
	Route       string
	Key         string
	Fingerprint []byte
}

// FirstRequest is what is stored about the first request with a route and a key. Status 0 means that the request is
// still running. Left is how much longer its lock is valid, and can be negative.
type FirstRequest struct {
	Fingerprint []byte
	Status      int
	Body        []byte
	Left        time.Duration
}

// argsWith returns the arguments that identify the request, and more.
func (r ReplayKey) argsWith(more args) args {
	a := args{"route": r.Route, "key": r.Key, "fingerprint": r.Fingerprint}
	maps.Copy(a, more)
	return a
}

// ReserveReplayKey reserves the key for a first request, for the duration lockFor, and returns true. If the key is
// already in use, it returns what is stored about the first request, and false. It ignores responses older than
// keepFor, and first requests whose lock has ended.
func (t Tenant) ReserveReplayKey(ctx context.Context, r ReplayKey, lockFor,
	keepFor time.Duration,
) (found FirstRequest, first bool, err error) {
	changed, err := t.execChanged(ctx, `
		INSERT INTO idempotency AS i (workspace_id, route, key, fingerprint, locked_until, created_at)
		VALUES (@ws, @route, @key, @fingerprint, clock() + @lock::interval, clock())
		ON CONFLICT (workspace_id, route, key) DO UPDATE SET fingerprint = @fingerprint, status = 0, body = NULL,
			locked_until = clock() + @lock::interval, created_at = clock()
		WHERE i.created_at <= clock() - @keep::interval OR i.status = 0 AND i.locked_until <= clock()`,
		r.argsWith(args{"lock": lockFor, "keep": keepFor}))
	if err != nil || changed {
		return FirstRequest{}, changed, err
	}
	found, err = t.FirstRequest(ctx, r.Route, r.Key)
	if errors.Is(err, ErrNotFound) { // the first request was refused just now
		return FirstRequest{Fingerprint: r.Fingerprint}, false, nil
	}
	return found, false, err
}

// FirstRequest returns what is stored about the first request with a route and a key, whether it is still running or
// has ended, and whatever its fingerprint is.
func (t Tenant) FirstRequest(ctx context.Context, route, key string) (FirstRequest, error) {
	return queryOne[FirstRequest](t.query(ctx, `
		SELECT fingerprint, status, body, locked_until - clock() AS left FROM idempotency
		WHERE workspace_id = @ws AND route = @route AND key = @key`, args{"route": route, "key": key}))
}

const saveReplay = `
	UPDATE idempotency SET status = @status, body = @body
	WHERE workspace_id = @ws AND route = @route AND key = @key AND fingerprint = @fingerprint AND status = 0`

// SaveReplay stores the response to a first request. It returns false if another request has taken the key.
func (t Tenant) SaveReplay(ctx context.Context, r ReplayKey, status int, body []byte) (saved bool, err error) {
	return t.execChanged(ctx, saveReplay, r.argsWith(args{"status": status, "body": body}))
}

// ReleaseReplayKey frees the key of a first request that was refused.
func (t Tenant) ReleaseReplayKey(ctx context.Context, r ReplayKey) error {
	return t.exec(ctx, `
		DELETE FROM idempotency
		WHERE workspace_id = @ws AND route = @route AND key = @key AND fingerprint = @fingerprint AND status = 0`,
		r.argsWith(nil))
}
