package store

import (
	"context"
	"time"

	"belfry/internal/core"
)

// maxDevices is how many devices of a person are kept. The one not used for longest is dropped first.
const maxDevices = 20

// HasDevice reports whether a person has signed in with the device whose cookie has this hash.
func (s *Store) HasDevice(ctx context.Context, user core.UserID, hash []byte) (bool, error) {
	return queryValue[bool](s.query(ctx, `SELECT EXISTS (SELECT FROM devices WHERE hash = @hash AND user_id = @user)`,
		args{"hash": hash, "user": user}))
}

// SaveDevice stores that a person has just signed in with a device.
func (s *Store) SaveDevice(ctx context.Context, user core.UserID, hash []byte, now time.Time) error {
	return s.exec(ctx, `
		WITH surplus AS (
			DELETE FROM devices WHERE hash IN (
				SELECT hash FROM devices WHERE user_id = @user AND hash <> @hash ORDER BY seen_at DESC OFFSET @others)
		)
		INSERT INTO devices (hash, user_id, seen_at) VALUES (@hash, @user, @now)
		ON CONFLICT (hash) DO UPDATE SET seen_at = @now`,
		args{"hash": hash, "user": user, "now": now, "others": maxDevices - 1})
}
