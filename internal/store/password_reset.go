package store

import (
	"context"
	"time"

	"belfry/internal/core"
)

// AddPasswordReset stores the hash of the token of a link for choosing a new password. It returns false if the hash is
// already stored.
func (s *Store) AddPasswordReset(ctx context.Context, user core.UserID, tokenHash []byte,
	expires time.Time,
) (added bool, err error) {
	return s.execChanged(ctx, `INSERT INTO password_resets (hash, user_id, expires_at) VALUES (@hash, @user, @until)
		ON CONFLICT (hash) DO NOTHING`,
		args{"hash": tokenHash, "user": user, "until": expires})
}

// UserByPasswordReset returns the person for whom a link's token was created. It returns ErrNotFound if the token has
// expired or was used.
func (s *Store) UserByPasswordReset(ctx context.Context, tokenHash []byte, now time.Time) (core.User, error) {
	return queryOne[core.User](s.query(ctx, `
		SELECT u.id, u.name, u.email FROM password_resets r JOIN users u ON u.id = r.user_id
		WHERE r.hash = @hash AND r.expires_at > @now`, args{"hash": tokenHash, "now": now}))
}

// DeletePasswordResets deletes all links with which a member could choose a new password.
func (t Tenant) DeletePasswordResets(ctx context.Context, user core.UserID) error {
	return t.exec(ctx, `
		DELETE FROM password_resets
		WHERE user_id = (SELECT user_id FROM members WHERE workspace_id = @ws AND user_id = @user)`, args{"user": user})
}

// DeletePasswordResetsByToken deletes a token and all other such tokens of the same person, and returns the person.
// Like every change to a person, it locks the person first. It returns ErrNotFound if the token has expired or was
// used.
func (s *Store) DeletePasswordResetsByToken(ctx context.Context, tokenHash []byte, now time.Time) (core.UserID, error) {
	return queryValue[core.UserID](s.query(ctx, `
		WITH person AS (
			SELECT u.id FROM password_resets r JOIN users u ON u.id = r.user_id
			WHERE r.hash = @hash AND r.expires_at > @now FOR NO KEY UPDATE OF u
		), taken AS (
			DELETE FROM password_resets r USING person WHERE r.user_id = person.id RETURNING r.user_id, r.hash
		)
		SELECT user_id FROM taken WHERE hash = @hash`, args{"hash": tokenHash, "now": now}))
}
