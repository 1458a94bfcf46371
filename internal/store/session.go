package store

import (
	"context"
	"errors"
	"time"
)

// Sessions stores the dashboard's sessions under hashes of their tokens, and implements the store of scs. A deleted
// session leaves an empty row until its expiry, so that an open request cannot restore the session by saving it.
type Sessions struct {
	store *Store
	now   func() time.Time
}

// NewSessions returns the store of sessions; now is the clock for their expiry.
func NewSessions(s *Store, now func() time.Time) *Sessions { return &Sessions{s, now} }

// FindCtx returns a session; found is false if there is none or it has expired.
func (s *Sessions) FindCtx(ctx context.Context, token string) (data []byte, found bool, err error) {
	data, err = queryValue[[]byte](s.store.query(ctx, `
		SELECT data FROM sessions WHERE token = @token AND expiry > @now AND data <> ''`,
		args{"token": token, "now": s.now()}))
	if errors.Is(err, ErrNotFound) {
		return nil, false, nil
	}
	return data, err == nil, err
}

// CommitCtx stores a session.
func (s *Sessions) CommitCtx(ctx context.Context, token string, data []byte, expiry time.Time) error {
	return s.store.exec(ctx, `
		INSERT INTO sessions AS s (token, data, expiry) VALUES (@token, @data, @expiry)
		ON CONFLICT (token) DO UPDATE SET data = @data, expiry = @expiry WHERE s.data <> ''`,
		args{"token": token, "data": data, "expiry": expiry})
}

// DeleteCtx ends a session permanently.
func (s *Sessions) DeleteCtx(ctx context.Context, token string) error {
	return s.store.exec(ctx, `UPDATE sessions SET data = '' WHERE token = @token`, args{"token": token})
}

// Find is FindCtx without a context. The interface of scs requires it, but scs does not call it.
func (s *Sessions) Find(token string) ([]byte, bool, error) {
	return s.FindCtx(context.Background(), token)
}

// Commit is CommitCtx without a context.
func (s *Sessions) Commit(token string, data []byte, expiry time.Time) error {
	return s.CommitCtx(context.Background(), token, data, expiry)
}

// Delete is DeleteCtx without a context.
func (s *Sessions) Delete(token string) error { return s.DeleteCtx(context.Background(), token) }
