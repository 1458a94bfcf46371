package store

import (
	"context"

	"belfry/internal/core"
)

// otherCopies selects c: the other posts that must not be published besides p. These are the failed post of which p is
// a copy, and all copies of the same failed post.
const otherCopies = ` FROM posts c WHERE c.workspace_id = p.workspace_id AND c.id <> p.id
	AND (c.copy_of = coalesce(p.copy_of, p.id) OR c.id = p.copy_of)`

// liveCopies selects the posts that replace the failed post p. While p may be live too, it selects none.
const liveCopies = `SELECT c.id` + otherCopies + ` AND c.status = 'live' AND p.error_code <> 'outcome_unknown'`

// isReplaced is whether the post p failed and has a live copy.
const isReplaced = `CASE WHEN p.status = 'failed' THEN EXISTS (` + liveCopies + `) ELSE false END`

// copiesTurn is the class of the advisory locks of posts with their copies.
const copiesTurn = int32(0x636f7079) // "copy"

// LockCopies locks posts with their copies until the transaction ends: other transactions that call LockCopies with one
// of them wait. It must be called before the posts are locked.
func (t Tenant) LockCopies(ctx context.Context, posts []core.PostID) error {
	return t.exec(ctx, `
		SELECT pg_advisory_xact_lock(@class, key) FROM (
			SELECT DISTINCT hashtext(coalesce(copy_of, id)::text) AS key FROM posts
			WHERE workspace_id = @ws AND id = ANY(@posts) ORDER BY key) AS keys`,
		args{"class": copiesTurn, "posts": posts})
}

// WasPostTried reports whether a post has ever failed, or has a receipt from after the restored backup.
func (t Tenant) WasPostTried(ctx context.Context, post core.PostID) (bool, error) {
	return queryValue[bool](t.query(ctx, `SELECT
		EXISTS (SELECT FROM post_events WHERE workspace_id = @ws AND post_id = @post AND kind = @failed)
		OR EXISTS (SELECT FROM restored_receipts WHERE workspace_id = @ws AND post_id = @post)`,
		args{"post": post, "failed": core.EventFailed}))
}

// OtherCopies lists the posts that must not be published besides a post: the failed post of which it is a copy, and the
// other copies of that failed post. It leaves out drafts, unless they may have been published.
func (t Tenant) OtherCopies(ctx context.Context, post core.PostID) ([]core.PostID, error) {
	return queryValues[core.PostID](t.query(ctx, `
		SELECT c.id FROM posts p CROSS JOIN LATERAL (
			SELECT c.id`+otherCopies+` AND (c.status <> 'draft'
				OR EXISTS (SELECT FROM publications u WHERE u.post_id = c.id AND u.armed)
				OR EXISTS (SELECT FROM restored_receipts o WHERE o.post_id = c.id))
		) c WHERE p.workspace_id = @ws AND p.id = @post ORDER BY c.id`, args{"post": post}))
}
