package store

import (
	"context"
	"time"

	"belfry/internal/core"
)

// AddPasswordReset stores the hash of a link's token with which a person can choose a new password, and tells whether
// it was not stored before.
func (s *Store) AddPasswordReset(ctx context.Context, user core.UserID, tokenHash []byte,
	expires time.Time,
) (bool, error) {
	return s.execChanged(ctx, `INSERT INTO password_resets (hash, user_id, expires_at) VALUES (@hash, @user, @until)
		ON CONFLICT (hash) DO NOTHING`,
		args{"hash": tokenHash, "user": user, "until": expires})
}

// UserByPasswordReset returns the person of a link's token, or not_found if it has expired or was used.
func (s *Store) UserByPasswordReset(ctx context.Context, tokenHash []byte, now time.Time) (core.User, error) {
	return queryOne[core.User](s.query(ctx, `
		SELECT u.id, u.name, u.email FROM password_resets r JOIN users u ON u.id = r.user_id
		WHERE r.hash = @hash AND r.expires_at > @now`, args{"hash": tokenHash, "now": now}))
}

// DeletePasswordResets deletes the links of a member for choosing a new password.
func (t Tenant) DeletePasswordResets(ctx context.Context, user core.UserID) error {
	return t.exec(ctx, `
		DELETE FROM password_resets
		WHERE user_id = (SELECT user_id FROM members WHERE workspace_id = @ws AND user_id = @user)`, args{"user": user})
}

// ConsumePasswordReset deletes a token and all others of its person, whom it locks first, as other changes of the
// person do. It returns not_found if another request did.
func (s *Store) ConsumePasswordReset(ctx context.Context, tokenHash []byte, now time.Time) (core.UserID, error) {
	return queryValue[core.UserID](s.query(ctx, `
		WITH person AS (
			SELECT u.id FROM password_resets r JOIN users u ON u.id = r.user_id
			WHERE r.hash = @hash AND r.expires_at > @now FOR NO KEY UPDATE OF u
		), taken AS (
			DELETE FROM password_resets r USING person WHERE r.user_id = person.id RETURNING r.user_id, r.hash
		)
		SELECT user_id FROM taken WHERE hash = @hash`, args{"hash": tokenHash, "now": now}))
}
