package store

import (
	"context"
	"errors"
	"time"

	"belfry/internal/core"
)

// Sessions stores the dashboard's sessions by the hashes of their tokens, and implements the store of scs. A deleted
// session leaves an empty row until it expires, so that a concurrent request cannot restore the session by saving it.
type Sessions struct {
	store *Store
	now   func() time.Time
}

// NewSessions returns the store of sessions. now is the clock that decides when they expire.
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

// CommitCtx stores a session. The context says whose session it is (core.WithBrowserSession).
func (s *Sessions) CommitCtx(ctx context.Context, token string, data []byte, expiry time.Time) error {
	of := core.BrowserSessionOf(ctx)
	return s.store.exec(ctx, `
		INSERT INTO sessions AS s (token, data, expiry, user_id, id, browser, since, seen_at)
		VALUES (@token, @data, @expiry, @user, @id, @browser, @since, @seen)
		ON CONFLICT (token) DO UPDATE SET data = @data, expiry = @expiry, user_id = @user, id = @id, browser = @browser,
			since = @since, seen_at = @seen
		WHERE s.data <> ''`,
		args{
			"token": token, "data": data, "expiry": expiry, "user": of.User, "id": of.ID, "browser": of.Browser,
			"since": of.Since, "seen": of.SeenAt,
		})
}

// SessionsOfUser lists a person's sessions, most recently used first.
func (s *Store) SessionsOfUser(ctx context.Context, user core.UserID, now time.Time) ([]core.BrowserSession, error) {
	return queryMany[core.BrowserSession](s.query(ctx, `
		SELECT id, user_id AS "user", browser, since, seen_at FROM sessions
		WHERE user_id = @user AND data <> '' AND expiry > @now ORDER BY seen_at DESC, id`, args{"user": user, "now": now}))
}

// EndSession ends a session of a member. It returns false if there is no such session.
func (t Tenant) EndSession(ctx context.Context, user core.UserID, id core.SessionID) (ended bool, err error) {
	return t.execChanged(ctx, `
		UPDATE sessions SET data = '' WHERE id = @id AND data <> ''
			AND user_id = (SELECT user_id FROM members WHERE workspace_id = @ws AND user_id = @user)`,
		args{"user": user, "id": id})
}

// EndAllSessions ends all sessions of a member.
func (t Tenant) EndAllSessions(ctx context.Context, user core.UserID) error {
	return t.exec(ctx, `
		UPDATE sessions SET data = '' WHERE data <> ''
			AND user_id = (SELECT user_id FROM members WHERE workspace_id = @ws AND user_id = @user)`, args{"user": user})
}

// DeleteCtx ends a session.
func (s *Sessions) DeleteCtx(ctx context.Context, token string) error {
	return s.store.exec(ctx, `UPDATE sessions SET data = '' WHERE token = @token`, args{"token": token})
}

// Find is FindCtx without a context. The interface of scs requires it, but scs does not call it.
func (s *Sessions) Find(token string) (data []byte, found bool, err error) {
	return s.FindCtx(context.Background(), token)
}

// Commit is CommitCtx without a context.
func (s *Sessions) Commit(token string, data []byte, expiry time.Time) error {
	return s.CommitCtx(context.Background(), token, data, expiry)
}

// Delete is DeleteCtx without a context.
func (s *Sessions) Delete(token string) error { return s.DeleteCtx(context.Background(), token) }
