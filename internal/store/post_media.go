package store

import (
	"context"
	"time"

	"belfry/internal/core"
)

// MediaWithoutUnverifiedFacts returns files by id, and leaves out facts that are not verified yet.
func (t Tenant) MediaWithoutUnverifiedFacts(ctx context.Context, ids []core.MediaID,
) (map[core.MediaID]core.Media, error) {
	return t.queryMediaWithoutUnverifiedFacts(ctx, ids, "")
}

// LockMediaShared is like MediaWithoutUnverifiedFacts, but also keeps the files' bytes until the transaction ends:
// purging and deleting wait, and then see which posts use the file. Files are locked after everything else except
// storage (ADR 0010).
func (t Tenant) LockMediaShared(ctx context.Context, ids []core.MediaID) (map[core.MediaID]core.Media, error) {
	return t.queryMediaWithoutUnverifiedFacts(ctx, ids, ` ORDER BY m.id FOR SHARE`)
}

func (t Tenant) queryMediaWithoutUnverifiedFacts(ctx context.Context, ids []core.MediaID, lockSQL string,
) (map[core.MediaID]core.Media, error) {
	found := map[core.MediaID]core.Media{}
	if len(ids) == 0 {
		return found, nil
	}
	rows, err := queryMany[Media](t.query(ctx, `SELECT`+mediaColumns+` AND m.id = ANY(@ids)`+lockSQL, args{"ids": ids}))
	for _, row := range rows {
		found[row.ID] = row.WithoutUnverifiedFacts()
	}
	return found, err
}

// MediaInOrderIncludingDeleted returns files, including deleted ones, in the order of ids. It skips unknown ids,
// and leaves out facts that are not verified yet.
func (t Tenant) MediaInOrderIncludingDeleted(ctx context.Context, ids []core.MediaID) ([]core.Media, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := queryMany[Media](t.query(ctx, `SELECT`+mediaFields+`
		FROM unnest(@ids::uuid[]) WITH ORDINALITY AS file(id, position) JOIN media m ON m.workspace_id = @ws
			AND m.id = file.id
		ORDER BY file.position`, args{"ids": ids}))
	list := make([]core.Media, len(rows))
	for i, row := range rows {
		list[i] = row.WithoutUnverifiedFacts()
	}
	return list, err
}

// MediaIncludingDeleted returns the rows of files by id, in no particular order. It includes deleted files.
func (t Tenant) MediaIncludingDeleted(ctx context.Context, ids []core.MediaID) ([]Media, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return queryMany[Media](t.query(ctx, `SELECT`+mediaFields+` FROM media m WHERE m.workspace_id = @ws AND m.id = ANY(@ids)`, args{"ids": ids}))
}

// SetPostMedia replaces a post's files, which the caller has locked.
func (t Tenant) SetPostMedia(ctx context.Context, post core.PostID, ids []core.MediaID) error {
	return t.exec(ctx, `
		WITH post AS (
			UPDATE posts SET media_ids = coalesce(@ids::uuid[], '{}') WHERE workspace_id = @ws AND id = @post
		), gone AS (
			DELETE FROM post_media WHERE workspace_id = @ws AND post_id = @post AND media_id <> ALL(coalesce(@ids::uuid[],
				'{}'))
		)
		INSERT INTO post_media (workspace_id, post_id, media_id) SELECT DISTINCT @ws::uuid, @post::uuid,
			unnest(@ids::uuid[])
		ON CONFLICT DO NOTHING`, args{"post": post, "ids": ids})
}

// SetPublishedAtOfPostMedia stores, for each of a post's files, when the post went live. A later time that is already
// stored stays.
func (t Tenant) SetPublishedAtOfPostMedia(ctx context.Context, post core.PostID, liveAt time.Time) error {
	return t.exec(ctx, `
		WITH used AS (
			SELECT id FROM media
			WHERE workspace_id = @ws AND id IN (SELECT media_id FROM post_media WHERE workspace_id = @ws AND post_id = @post)
			ORDER BY id FOR NO KEY UPDATE
		)
		UPDATE media m SET published_at = greatest(m.published_at, @live_at) FROM used WHERE m.workspace_id = @ws
			AND m.id = used.id`,
		args{"post": post, "live_at": liveAt})
}

// PostsWithMedia lists the newest posts that use a file.
func (t Tenant) PostsWithMedia(ctx context.Context, id core.MediaID, limit int) ([]core.Post, error) {
	rows, err := queryValues[postRow](t.query(ctx, `SELECT`+postColumns+`
		AND p.id = ANY(ARRAY(SELECT post_id FROM post_media WHERE workspace_id = @ws AND media_id = @id))
		ORDER BY p.created_at DESC, p.id DESC LIMIT @limit`, args{"id": id, "limit": limit}))
	if err != nil {
		return nil, err
	}
	return t.toPosts(ctx, rows)
}
