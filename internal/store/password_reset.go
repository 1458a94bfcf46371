package store

import (
	"context"
	"time"

	"belfry/internal/core"
)

// AddPasswordReset stores the hash of a link's token with which a person can choose a new password.
func (s *Store) AddPasswordReset(ctx context.Context, user core.UserID, hash []byte, until time.Time) error {
	return s.exec(ctx, `INSERT INTO password_resets (hash, user_id, expires_at) VALUES (@hash, @user, @until)`,
		args{"hash": hash, "user": user, "until": until})
}

// PasswordResetUser returns the person of a link's token, or not_found if it has expired or was used.
func (s *Store) PasswordResetUser(ctx context.Context, hash []byte, now time.Time) (core.User, error) {
	return queryOne[core.User](s.query(ctx, `
		SELECT u.id, u.name, u.email FROM password_resets r JOIN users u ON u.id = r.user_id
		WHERE r.hash = @hash AND r.expires_at > @now`, args{"hash": hash, "now": now}))
}

// TakePasswordReset deletes a token and all others of its person. It returns not_found if another request did.
func (s *Store) TakePasswordReset(ctx context.Context, hash []byte, now time.Time) (core.UserID, error) {
	return queryValue[core.UserID](s.query(ctx, `
		WITH taken AS (DELETE FROM password_resets WHERE hash = @hash AND expires_at > @now RETURNING user_id),
			others AS (DELETE FROM password_resets r USING taken WHERE r.user_id = taken.user_id AND r.hash <> @hash)
		SELECT user_id FROM taken`, args{"hash": hash, "now": now}))
}
