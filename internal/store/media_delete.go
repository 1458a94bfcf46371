package store

import (
	"context"
	"time"

	"belfry/internal/core"
)

// usedByPendingPost selects the unpublished posts that need the file m.
const usedByPendingPost = `
	SELECT FROM post_media pm JOIN posts p ON p.workspace_id = pm.workspace_id AND p.id = pm.post_id
	LEFT JOIN publications u ON u.workspace_id = p.workspace_id AND u.post_id = p.id
	WHERE pm.workspace_id = m.workspace_id AND pm.media_id = m.id
		AND (p.status IN ('draft', 'queued') OR p.status = 'failed' AND u.rest = @retry AND u.next_action_at IS NOT NULL)`

// MediaIDsUsedByPendingPosts returns those of the given files that an unpublished post needs: a draft, a queued post,
// or a failed post that the worker will retry.
func (t Tenant) MediaIDsUsedByPendingPosts(ctx context.Context, ids []core.MediaID) ([]core.MediaID, error) {
	return queryValues[core.MediaID](t.query(ctx, `SELECT m.id FROM media m
		WHERE m.workspace_id = @ws AND m.id = ANY(@ids) AND EXISTS (`+usedByPendingPost+`)`,
		args{"ids": ids, "retry": core.DoRetry}))
}

// purgeable is the condition that the bytes of the file m can be deleted: the file is not pinned, its last post went
// live longer ago than the retention time, and no unpublished post needs the file (Spec §1.8).
const purgeable = `m.published_at <= clock() - @retention::interval AND m.purged_at IS NULL AND NOT m.pinned
	AND m.deleted_at IS NULL AND m.status = 'ready' AND NOT EXISTS (` + usedByPendingPost + `)`

// IsMediaPurgeable reports whether the bytes of a file that the caller has locked can be deleted.
func (t Tenant) IsMediaPurgeable(ctx context.Context, id core.MediaID, retention time.Duration) (bool, error) {
	return queryValue[bool](t.query(ctx, `SELECT EXISTS (
		SELECT FROM media m WHERE m.workspace_id = @ws AND m.id = @id AND `+purgeable+`)`,
		args{"id": id, "retention": retention, "retry": core.DoRetry}))
}

// PurgeableMedia lists files whose bytes can be deleted, in the order in which they were published.
func (s *Store) PurgeableMedia(ctx context.Context, retention time.Duration, limit int) ([]DueMedia, error) {
	return queryMany[DueMedia](s.query(ctx, `
		SELECT m.workspace_id AS workspace, m.id, m.status, false AS fetched FROM media m
		WHERE `+purgeable+`
		ORDER BY m.published_at LIMIT @limit`, args{"retention": retention, "limit": limit, "retry": core.DoRetry}))
}

// MarkMediaPurgedAndFreeStorage marks a file as purged and frees its storage. The caller must have locked the file, and
// must delete the bytes.
func (t Tenant) MarkMediaPurgedAndFreeStorage(ctx context.Context, m Media, now time.Time) error {
	if err := t.setChargedBytes(ctx, m, 0); err != nil {
		return err
	}
	return t.execOne(ctx, `UPDATE media SET purged_at = @now, blob = '', thumbnail = ''
		WHERE workspace_id = @ws AND id = @id`,
		args{"id": m.ID, "now": now})
}

// DeleteOrMarkMediaAndFreeStorage deletes the rows of files, which the caller has locked, and frees their storage. Rows
// to which a post refers stay, marked as deleted. The caller must delete the bytes.
func (t Tenant) DeleteOrMarkMediaAndFreeStorage(ctx context.Context, files []Media, now time.Time) error {
	var ids []core.MediaID
	var charged int64
	for _, m := range files {
		ids, charged = append(ids, m.ID), charged+m.Charged
	}
	if err := t.exec(ctx, `
		DELETE FROM media WHERE workspace_id = @ws AND id = ANY(@ids)
			AND NOT EXISTS (SELECT FROM post_media WHERE workspace_id = @ws AND media_id = media.id)`,
		args{"ids": ids}); err != nil {
		return err
	}
	if err := t.exec(ctx, `
		UPDATE media SET deleted_at = @now, charged = 0, folder_id = NULL, blob = '', thumbnail = '', source = NULL,
			lease_epoch = lease_epoch + 1,
			lease_until = NULL, next_at = NULL
		WHERE workspace_id = @ws AND id = ANY(@ids)`, args{"ids": ids, "now": now}); err != nil {
		return err
	}
	return t.addUsedStorage(ctx, -charged)
}

// DeleteUnreferencedDeletedMedia deletes the rows of deleted files to which no post refers anymore.
func (s *Store) DeleteUnreferencedDeletedMedia(ctx context.Context) error {
	return s.exec(ctx, `
		DELETE FROM media m WHERE m.deleted_at IS NOT NULL
			AND NOT EXISTS (SELECT FROM post_media pm WHERE pm.workspace_id = m.workspace_id AND pm.media_id = m.id)`, nil)
}

// UnreferencedBlobKeys returns those of the given keys to which neither a file nor an account refers.
func (s *Store) UnreferencedBlobKeys(ctx context.Context, keys []string) ([]string, error) {
	return queryValues[string](s.query(ctx, `
		SELECT key FROM unnest(@keys::text[]) AS kept(key)
		WHERE NOT EXISTS (SELECT FROM media WHERE blob = key AND blob <> '')
			AND NOT EXISTS (SELECT FROM media WHERE thumbnail = key AND thumbnail <> '')
			AND NOT EXISTS (SELECT FROM accounts WHERE avatar = key AND avatar <> '')`, args{"keys": keys}))
}

// ClaimBlobSweep claims the sweep of the stored bytes for the lease, and returns the last key that was swept. It
// returns false if the sweep is not due, if another replica has claimed it, or if publishing is on hold. During a hold,
// files that are newer than a restored backup have no row, and the operator may still restore another backup.
func (s *Store) ClaimBlobSweep(ctx context.Context, lease time.Duration) (afterKey string, claimed bool, err error) {
	keys, err := queryValues[string](s.query(ctx, `
		UPDATE blob_sweep SET next_at = clock() + @lease::interval WHERE next_at <= clock()
			AND `+publishingNotHeld+`
		RETURNING after_key`, args{"lease": lease}))
	if err != nil || len(keys) == 0 {
		return "", false, err
	}
	return keys[0], true, nil
}

// SaveBlobSweepProgress stores the last key that was swept, and when the sweep can be claimed again.
func (s *Store) SaveBlobSweepProgress(ctx context.Context, afterKey string, nextIn time.Duration) error {
	return s.exec(ctx, `UPDATE blob_sweep SET after_key = @after, next_at = clock() + @next::interval`,
		args{"after": afterKey, "next": nextIn})
}
