package store

import (
	"context"
	"fmt"

	"belfry/internal/core"
)

// UsedStorage returns how many bytes the workspace's files use.
func (t Tenant) UsedStorage(ctx context.Context) (int64, error) {
	return queryValue[int64](t.query(ctx, `SELECT coalesce((SELECT used FROM usage_storage WHERE workspace_id = @ws), 0)`,
		nil))
}

// ReserveStorage adds bytes to the used storage, and returns how many bytes are then used. If the limit does not allow
// that many bytes more, it adds none and reserved is false; a nil limit allows any number. In both cases, no other
// transaction can change the used storage until this one ends.
func (t Tenant) ReserveStorage(ctx context.Context, bytes int64, limit *int64) (used int64, reserved bool, err error) {
	if err := t.exec(ctx, `
		INSERT INTO usage_storage (workspace_id, used) VALUES (@ws, 0)
		ON CONFLICT (workspace_id) DO UPDATE SET used = 0 WHERE false -- locks the row and changes nothing`,
		nil); err != nil {
		return 0, false, err
	}
	after, err := queryValues[int64](t.query(ctx, `
		UPDATE usage_storage SET used = used + @n
		WHERE workspace_id = @ws AND (@limit::bigint IS NULL OR used + @n <= @limit)
		RETURNING used`, args{"n": bytes, "limit": limit}))
	if err != nil {
		return 0, false, err
	}
	if len(after) == 1 {
		return after[0], true, nil
	}
	used, err = t.UsedStorage(ctx)
	return used, false, err
}

// setChargedBytes changes how many of a file's bytes count toward the storage, regardless of the limit. The caller must
// have locked the file.
func (t Tenant) setChargedBytes(ctx context.Context, locked Media, bytes int64) error {
	if bytes == locked.Charged {
		return nil
	}
	err := t.execOne(ctx, `UPDATE media SET charged = @bytes WHERE workspace_id = @ws AND id = @id`,
		args{"id": locked.ID, "bytes": bytes})
	if err != nil {
		return err
	}
	return t.addUsedStorage(ctx, bytes-locked.Charged)
}

// addUsedStorage changes the used storage by delta bytes, regardless of the limit.
func (t Tenant) addUsedStorage(ctx context.Context, delta int64) error {
	if delta == 0 {
		return nil
	}
	changed, err := t.execChanged(ctx, `UPDATE usage_storage SET used = used + @more WHERE workspace_id = @ws`,
		args{"more": delta})
	if err == nil && !changed {
		return fmt.Errorf("charge storage: workspace %s has no row in usage_storage", t.ws)
	}
	return err
}

// ExpiredUploadIDs lists reservations that have expired and are not being uploaded.
func (t Tenant) ExpiredUploadIDs(ctx context.Context) ([]core.MediaID, error) {
	return queryValues[core.MediaID](t.query(ctx, `
		SELECT id FROM media WHERE workspace_id = @ws AND status = 'uploading' AND expires_at <= clock()
			AND `+unleased+`
		ORDER BY id`, nil))
}
