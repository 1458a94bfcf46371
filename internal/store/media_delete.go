package store

import (
	"context"
	"time"

	"belfry/internal/core"
)

// usedByPendingPost selects the posts that will still be published with the file m.
const usedByPendingPost = `
	SELECT FROM post_media pm JOIN posts p ON p.workspace_id = pm.workspace_id AND p.id = pm.post_id
	LEFT JOIN publications u ON u.workspace_id = p.workspace_id AND u.post_id = p.id
	WHERE pm.workspace_id = m.workspace_id AND pm.media_id = m.id
		AND (p.status IN ('draft', 'queued') OR p.status = 'failed' AND u.rest = @retry AND u.next_action_at IS NOT NULL)`

// MediaInUse reports whether a post that is still to go out uses the file: a draft, a queued one, or a failed
// one that the worker will try again.
func (t Tenant) MediaInUse(ctx context.Context, id core.MediaID) (bool, error) {
	return queryValue[bool](t.query(ctx, `SELECT EXISTS (`+usedByPendingPost+
		`) FROM media m WHERE m.workspace_id = @ws AND m.id = @id`,
		args{"id": id, "retry": core.DoRetry}))
}

// purgeable is the condition that the bytes of the file m may be deleted: its last post went live longer ago than the
// retention time, it is not pinned, and no post will still be published with it (Spec §1.8).
const purgeable = `m.published_at <= clock() - @retention::interval AND m.purged_at IS NULL AND NOT m.pinned
	AND m.deleted_at IS NULL AND m.status = 'ready' AND NOT EXISTS (` + usedByPendingPost + `)`

// IsPurgeable reports whether the bytes of a file that the caller has locked may be deleted.
func (t Tenant) IsPurgeable(ctx context.Context, id core.MediaID, retention time.Duration) (bool, error) {
	return queryValue[bool](t.query(ctx, `SELECT EXISTS (
		SELECT FROM media m WHERE m.workspace_id = @ws AND m.id = @id AND `+purgeable+`)`,
		args{"id": id, "retention": retention, "retry": core.DoRetry}))
}

// PurgeableMedia lists files whose bytes may be deleted, those that were published first first.
func (s *Store) PurgeableMedia(ctx context.Context, retention time.Duration, limit int) ([]DueMedia, error) {
	return queryMany[DueMedia](s.query(ctx, `
		SELECT m.workspace_id AS workspace, m.id, m.status, false AS fetched FROM media m
		WHERE `+purgeable+`
		ORDER BY m.published_at LIMIT @limit`, args{"retention": retention, "limit": limit, "retry": core.DoRetry}))
}

// PurgeMedia records that the bytes of a file that the caller has locked are deleted, and frees its storage.
func (t Tenant) PurgeMedia(ctx context.Context, m Media, now time.Time) error {
	if err := t.setCharged(ctx, m, 0); err != nil {
		return err
	}
	return t.exec(ctx, `UPDATE media SET purged_at = @now, blob = '', thumbnail = ''
		WHERE workspace_id = @ws AND id = @id`,
		args{"id": m.ID, "now": now})
}

// DeleteMedia deletes a file that the caller has locked and frees its storage. If a post refers to it, its row stays,
// marked as deleted.
func (t Tenant) DeleteMedia(ctx context.Context, m Media, now time.Time) error {
	if err := t.setCharged(ctx, m, 0); err != nil {
		return err
	}
	changed, err := t.execChanged(ctx, `
		DELETE FROM media WHERE workspace_id = @ws AND id = @id
			AND NOT EXISTS (SELECT FROM post_media WHERE workspace_id = @ws AND media_id = @id)`, args{"id": m.ID})
	if err != nil || changed {
		return err
	}
	return t.exec(ctx, `
		UPDATE media SET deleted_at = @now, folder_id = NULL, blob = '', thumbnail = '', source = NULL,
			lease_epoch = lease_epoch + 1,
			lease_until = NULL, next_at = NULL
		WHERE workspace_id = @ws AND id = @id`, args{"id": m.ID, "now": now})
}

// DropDeletedMedia removes the rows of deleted files that no post refers to any more.
func (s *Store) DropDeletedMedia(ctx context.Context) error {
	return s.exec(ctx, `
		DELETE FROM media m WHERE m.deleted_at IS NOT NULL
			AND NOT EXISTS (SELECT FROM post_media pm WHERE pm.workspace_id = m.workspace_id AND pm.media_id = m.id)`, nil)
}

// UnreferencedBlobs returns those of the keys that no file's row refers to.
func (s *Store) UnreferencedBlobs(ctx context.Context, keys []string) ([]string, error) {
	return queryValues[string](s.query(ctx, `
		SELECT key FROM unnest(@keys::text[]) AS kept(key)
		WHERE NOT EXISTS (SELECT FROM media WHERE blob = key AND blob <> '')
			AND NOT EXISTS (SELECT FROM media WHERE thumbnail = key AND thumbnail <> '')`, args{"keys": keys}))
}

// TakeBlobSweep takes the sweep of the stored bytes when it is due, for so long, and returns the last key that was
// swept. False: it is not due, or another replica has taken it, or publishing is on hold: files that are newer than a
// restored backup have no row, until the operator restores another.
func (s *Store) TakeBlobSweep(ctx context.Context, lease time.Duration) (after string, due bool, err error) {
	keys, err := queryValues[string](s.query(ctx, `
		UPDATE blob_sweep SET next_at = clock() + @lease::interval WHERE next_at <= clock()
			AND NOT EXISTS (SELECT FROM publishing_hold)
		RETURNING after_key`, args{"lease": lease}))
	if err != nil || len(keys) == 0 {
		return "", false, err
	}
	return keys[0], true, nil
}

// SaveBlobSweep records how far the sweep of the stored bytes has come, and after how long it may be taken again.
func (s *Store) SaveBlobSweep(ctx context.Context, after string, next time.Duration) error {
	return s.exec(ctx, `UPDATE blob_sweep SET after_key = @after, next_at = clock() + @next::interval`,
		args{"after": after, "next": next})
}
