package store

import (
	"context"
	"time"

	"belfry/internal/core"
)

// HoldAccount holds all posts of an account back until a time at least.
func (t Tenant) HoldAccount(ctx context.Context, id core.AccountID, until time.Time) error {
	return t.exec(ctx, `UPDATE accounts SET held_until = greatest(held_until, @until) WHERE workspace_id = @ws AND id = @id`,
		args{"id": id, "until": until})
}

// HoldPlatform holds the posts of all accounts of a network back until a time at least.
func (s *Store) HoldPlatform(ctx context.Context, platform core.Platform, until time.Time) error {
	return s.exec(ctx, `
		UPDATE accounts SET held_until = greatest(held_until, @until) WHERE platform = @platform AND disconnected_at IS NULL`,
		args{"platform": platform, "until": until})
}

// ProbeAccount lets one caller at a time try an account whose hold has ended: it returns true for the one that
// may, and holds the account for everybody else meanwhile.
func (t Tenant) ProbeAccount(ctx context.Context, id core.AccountID, meanwhile time.Duration) (bool, error) {
	return t.execChanged(ctx, `
		UPDATE accounts SET held_until = clock() + @meanwhile::interval WHERE workspace_id = @ws AND id = @id
			AND held_until <= clock()`,
		args{"id": id, "meanwhile": meanwhile})
}

// ReleaseAccount ends the hold of an account, and makes the posts that wait for its end due. A post that somebody is
// changing keeps its time: the caller holds another post, for which they may be waiting.
func (t Tenant) ReleaseAccount(ctx context.Context, id core.AccountID) error {
	return t.signalAfter(t.exec(ctx, `
		WITH released AS (
			UPDATE accounts SET held_until = NULL WHERE workspace_id = @ws AND id = @id
		), waiting AS (
			SELECT u.post_id FROM publications u JOIN posts p ON p.workspace_id = u.workspace_id AND p.id = u.post_id
			WHERE u.workspace_id = @ws AND p.account_id = @id AND p.status = 'queued'
				AND u.rest = @hold AND NOT u.armed AND u.failure IS NULL AND u.next_action_at > clock()
			FOR NO KEY UPDATE OF u SKIP LOCKED
		)
		UPDATE publications u SET next_action_at = clock() FROM waiting WHERE u.workspace_id = @ws
			AND u.post_id = waiting.post_id`,
		args{"id": id, "hold": core.DoHold}))
}
