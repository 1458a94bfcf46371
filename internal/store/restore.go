package store

import (
	"context"
	"time"

	"belfry/internal/core"
)

// Lineage identifies a database and says how far its ledger has progressed.
type Lineage struct {
	System    string // PostgreSQL's system identifier; a database restored from a dump has another
	Timeline  int64  // changes with a failover and with a recovery to a point in time
	StepID    int64  // the greatest that was ever used; 0 if none was
	Empty     bool   // there is no post
	SeenAt    time.Time
	SettledBy string // the transaction that last ended a hold; empty if none did
}

// timelineSQL is the timeline of what the server writes. The control file has the previous timeline until the first
// checkpoint after a failover ends, which can take minutes. On a standby, the functions fail.
const timelineSQL = `('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint`

// ReadLineage returns the lineage of the database. SeenAt is when a worker last reported; zero if none ever did.
func (s *Store) ReadLineage(ctx context.Context) (Lineage, error) {
	return queryOne[Lineage](s.query(ctx, `
		SELECT (SELECT system_identifier::text FROM pg_control_system()) AS system,
			`+timelineSQL+` AS timeline,
			(SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM publish_steps_id_seq) AS step_id,
			NOT EXISTS (SELECT FROM posts) AS empty, (SELECT max(seen_at) FROM workers) AS seen_at,
			coalesce((SELECT xmin::text FROM settled_receipts), '') AS settled_by`, nil))
}

// ReadLineageAndMakeDurable is like ReadLineage, but also waits until StepID would survive a crash of the database. A
// sequence is durable once a later commit is.
func (s *Store) ReadLineageAndMakeDurable(ctx context.Context) (found Lineage, err error) {
	err = s.Tx(ctx, func(s *Store) error {
		if found, err = s.ReadLineage(ctx); err != nil {
			return err
		}
		return s.exec(ctx, `SELECT pg_logical_emit_message(true, 'belfry', 'mark')`, nil)
	})
	return found, err
}

// RestoredReceipt is the receipt of a post whose last call a restored database may not know.
type RestoredReceipt struct {
	Workspace   core.WorkspaceID
	Post        core.PostID
	CopyOf      core.PostID `db:"-"` // the failed post that the post replaces; LockHoldAndListReceipts leaves it out
	StepID      int64
	Handle      []byte // sealed
	ArmedAt     time.Time
	Live        bool
	ExternalID  string
	ExternalURL string
}

// withCopies selects c: the failed post whose copy has the receipt r, and its other copies.
const withCopies = ` FROM posts c WHERE c.workspace_id = r.workspace_id AND (c.copy_of = r.copy_of OR c.id = r.copy_of)`

// FindUnknownReceipts returns the receipts of calls and successes that the ledger lacks, in the given order. It leaves
// out those that a confirmation has settled, and those of posts that are live. It also leaves out those of posts that
// do not exist, unless they are lost copies: copies of a failed post that the database lacks, although it has that post
// or another copy of it.
//
// A step id proves nothing by itself: a dump has the tables as they were when it began, but step ids from its end, and
// after a crash, PostgreSQL skips some.
func (s *Store) FindUnknownReceipts(ctx context.Context, receipts []RestoredReceipt) ([]RestoredReceipt, error) {
	var workspaces []core.WorkspaceID
	var posts, failed []core.PostID
	var printed []string // as in the audit log
	var steps []int64
	var live []bool
	for _, r := range receipts {
		workspaces = append(workspaces, r.Workspace)
		posts, failed, printed = append(posts, r.Post), append(failed, r.CopyOf), append(printed, r.Post.String())
		steps, live = append(steps, r.StepID), append(live, r.Live)
	}
	found, err := queryValues[int](s.query(ctx, `
		SELECT r.position - 1 FROM unnest(
			@workspaces::uuid[], @posts::uuid[], @failed::uuid[], @printed::text[], @steps::bigint[], @live::bool[]
		) WITH ORDINALITY AS r(workspace_id, post, copy_of, printed, step, live, position)
		LEFT JOIN posts p ON p.id = r.post
		WHERE r.step > coalesce((SELECT step_id FROM settled_receipts), -1)
			AND (r.live OR NOT EXISTS (SELECT FROM publish_steps s WHERE s.id = r.step AND s.post_id = r.post))
			AND CASE WHEN p.id IS NOT NULL THEN p.status <> 'live'
				ELSE EXISTS (SELECT`+withCopies+`) AND NOT EXISTS (
					SELECT FROM audit_log a
					WHERE a.workspace_id = r.workspace_id AND a.action = @deleted AND a.subject = r.printed
				) END
		ORDER BY r.position`, args{
		"workspaces": workspaces, "posts": posts, "failed": failed, "printed": printed, "steps": steps, "live": live,
		"deleted": core.AuditPostDeleted,
	}))
	var unknown []RestoredReceipt
	for _, i := range found {
		unknown = append(unknown, receipts[i])
	}
	return unknown, err
}

// HoldPublishingAndDeleteSessionsAndEmails prevents all workers from claiming posts, and from making irreversible calls
// for posts that they have claimed, until EndPublishingHold. It stores the receipts whose posts are not live, and those
// of lost copies. It also deletes what dates from the time of the backup: sessions, links for choosing a new password,
// requests for such links, unsent emails and alerts.
//
// unprovedSince is zero if every published post has a receipt. If this database is already on hold,
// HoldPublishingAndDeleteSessionsAndEmails only adds receipts. It replaces a hold that came with the backup of another
// database.
func (s *Store) HoldPublishingAndDeleteSessionsAndEmails(ctx context.Context, reason string, unprovedSince time.Time,
	receipts []RestoredReceipt,
) error {
	return s.Tx(ctx, func(s *Store) error {
		changed, err := s.execChanged(ctx, `
			INSERT INTO publishing_hold AS h (reason, since, unproved_since, system)
			SELECT @reason, clock(), @unproved, system_identifier || '/' || `+timelineSQL+` FROM pg_control_system()
			ON CONFLICT (one_row) DO UPDATE SET reason = excluded.reason, since = excluded.since,
				unproved_since = excluded.unproved_since, system = excluded.system
			WHERE h.system <> excluded.system`,
			args{"reason": reason, "unproved": unprovedSince})
		if err != nil {
			return err
		}
		if err := s.saveReceiptsUnlessPostLive(ctx, receipts); err != nil || !changed {
			return err
		}
		for _, sql := range []string{
			`DELETE FROM sessions`, `DELETE FROM password_resets`, `DELETE FROM mails`, `DELETE FROM alerts`,
			`DELETE FROM river_job WHERE kind = 'password_reset'`,
		} {
			if err := s.exec(ctx, sql, nil); err != nil {
				return err
			}
		}
		return nil
	})
}

// KeepHoldUntilReceiptsAreAdded prevents the end of the hold until AddReceiptsAndLetHoldEnd.
func (s *Store) KeepHoldUntilReceiptsAreAdded(ctx context.Context) error {
	return s.exec(ctx, `UPDATE publishing_hold SET receipts_read = false`, nil)
}

// AddReceiptsAndLetHoldEnd adds receipts to the hold, as HoldPublishingAndDeleteSessionsAndEmails does, and marks them
// as read. It does nothing if the hold has ended or its receipts have already been read.
func (s *Store) AddReceiptsAndLetHoldEnd(ctx context.Context, receipts []RestoredReceipt) error {
	return s.Tx(ctx, func(s *Store) error {
		changed, err := s.execChanged(ctx, `UPDATE publishing_hold SET receipts_read = true WHERE NOT receipts_read`, nil)
		if err != nil || !changed {
			return err
		}
		return s.saveReceiptsUnlessPostLive(ctx, receipts)
	})
}

func (s *Store) saveReceiptsUnlessPostLive(ctx context.Context, receipts []RestoredReceipt) error {
	for _, r := range receipts {
		if err := s.saveReceiptUnlessPostLive(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// saveReceiptUnlessPostLive stores the receipt of a post that is not live, or of a lost copy.
func (s *Store) saveReceiptUnlessPostLive(ctx context.Context, r RestoredReceipt) error {
	err := s.exec(ctx, `
		INSERT INTO restored_receipts (workspace_id, post_id, step_id, handle, armed_at, live, external_id, external_url)
		SELECT workspace_id, id, @step, @handle, @armed_at, @live, @external_id, @external_url FROM posts
		WHERE workspace_id = @workspace AND id = @post AND status <> 'live'
		ON CONFLICT (post_id) DO UPDATE SET step_id = excluded.step_id, handle = excluded.handle,
			armed_at = excluded.armed_at, live = excluded.live, external_id = excluded.external_id,
			external_url = excluded.external_url`, args{
		"workspace": r.Workspace, "post": r.Post, "step": r.StepID, "handle": r.Handle, "armed_at": r.ArmedAt, "live": r.Live,
		"external_id": r.ExternalID, "external_url": r.ExternalURL,
	})
	if err != nil || r.CopyOf.IsZero() {
		return err
	}
	return s.exec(ctx, `
		INSERT INTO restored_copies (post_id, workspace_id, copy_of, step_id, armed_at, live)
		SELECT @post, workspace_id, copy_of, @step, @armed_at, @live
		FROM (VALUES (@workspace::uuid, @copy_of::uuid)) AS r(workspace_id, copy_of)
		WHERE EXISTS (SELECT`+withCopies+`) AND NOT EXISTS (SELECT FROM posts WHERE id = @post)
		ON CONFLICT (post_id) DO UPDATE SET step_id = excluded.step_id, armed_at = excluded.armed_at,
			live = excluded.live`, args{
		"workspace": r.Workspace, "post": r.Post, "copy_of": r.CopyOf, "step": r.StepID, "armed_at": r.ArmedAt, "live": r.Live,
	})
}

// PublishingHold says why nothing is published, and since when.
type PublishingHold struct {
	Reason       string
	Since        time.Time
	ReceiptsRead bool // whether the hold has all receipts, so that it may end
}

const publishingHold = `SELECT reason, since, receipts_read FROM publishing_hold`

// PublishingHold returns the hold. It returns ErrNotFound if publishing is not on hold.
func (s *Store) PublishingHold(ctx context.Context) (PublishingHold, error) {
	return queryOne[PublishingHold](s.query(ctx, publishingHold, nil))
}

// HeldPost is a post that is due while publishing is on hold, that may have been published after the backup, or that
// the end of the hold stops.
type HeldPost struct {
	Workspace   core.WorkspaceID
	Slug        string
	Post        core.PostID
	Platform    core.Platform
	AccountName string
	Text        string
	Status      core.PostStatus
	PublishAt   time.Time
	Armed       bool // according to a receipt or the ledger, its publishing call may have been made
	Live        bool // according to a receipt, it was published
	// Unproved reports whether the post was due before the hold began, and may have been published although it has no
	// receipt.
	Unproved bool
	// Overtaken reports whether, according to the receipts, another of a failed post and its copies was, or may have been,
	// published instead of this post.
	Overtaken   bool
	ExternalURL string
}

// isOvertaken is HeldPost.Overtaken of a post p with the receipt r, if there is one. If p was sent too, it had failed
// before the other was sent. The id decides between two receipts of an earlier version, which stored no step ids.
const isOvertaken = `NOT coalesce(r.live, false) AND EXISTS (
		SELECT FROM (
			SELECT post_id, step_id, live FROM restored_receipts WHERE post_id IN (SELECT c.id` + otherCopies + `)
			UNION ALL
			SELECT post_id, step_id, live FROM restored_copies
			WHERE workspace_id = p.workspace_id AND copy_of = coalesce(p.copy_of, p.id)
		) o WHERE o.live OR r.post_id IS NULL OR (o.step_id, o.post_id) > (r.step_id, r.post_id)
	)`

// overtakenPosts selects the queued and failed posts p that are overtaken.
const overtakenPosts = `
	FROM posts p JOIN publications u ON u.post_id = p.id LEFT JOIN restored_receipts r ON r.post_id = p.id
	WHERE p.id = ANY(ARRAY(
		SELECT c.id FROM restored_receipts o JOIN posts p ON p.workspace_id = o.workspace_id AND p.id = o.post_id
		CROSS JOIN LATERAL (SELECT c.id` + otherCopies + `) c
		UNION
		SELECT c.id FROM restored_copies r CROSS JOIN LATERAL (SELECT c.id` + withCopies + `) c
	)) AND p.status IN ('queued', 'failed') AND ` + isOvertaken

const heldPosts = `
	SELECT p.workspace_id AS workspace, w.slug, p.id AS post, p.platform, a.display_name AS account_name,
		left(p.text, 80) AS text, p.status, p.publish_at,
		r.post_id IS NOT NULL OR coalesce(u.armed, false) AS armed, coalesce(r.live, false) AS live,
		coalesce(r.external_url, '') AS external_url, ` + isOvertaken + ` AS overtaken,
		coalesce(r.post_id IS NULL AND NOT u.armed
			AND greatest(u.due_at, u.next_action_at) BETWEEN h.unproved_since AND h.since, false) AS unproved
	FROM publishing_hold h CROSS JOIN posts p JOIN accounts a ON a.workspace_id = p.workspace_id AND a.id = p.account_id
		JOIN workspaces w ON w.id = p.workspace_id
		JOIN (
			SELECT post_id FROM restored_receipts UNION SELECT post_id FROM publications WHERE next_action_at <= clock()
			UNION SELECT p.id` + overtakenPosts + `
		) AS concerned ON concerned.post_id = p.id
		LEFT JOIN publications u ON u.post_id = p.id LEFT JOIN restored_receipts r ON r.post_id = p.id
	WHERE true`

// PostsUnderPublishingHold lists the posts that the hold on publishing affects, in the order of their times.
func (s *Store) PostsUnderPublishingHold(ctx context.Context, limit int) ([]HeldPost, error) {
	return queryMany[HeldPost](s.query(ctx, heldPosts+` ORDER BY p.publish_at, p.id LIMIT @limit`,
		args{"limit": limit}))
}

// PostsUnderPublishingHold lists the workspace's posts that the hold on publishing affects, in the order of their
// times.
func (t Tenant) PostsUnderPublishingHold(ctx context.Context, limit int) ([]HeldPost, error) {
	return queryMany[HeldPost](t.query(ctx, heldPosts+` AND p.workspace_id = @ws ORDER BY p.publish_at, p.id LIMIT @limit`,
		args{"limit": limit}))
}

// UnprovedPosts lists all posts that may have been published although they have no receipt, in the order of their
// times.
func (s *Store) UnprovedPosts(ctx context.Context) ([]HeldPost, error) {
	return queryMany[HeldPost](s.query(ctx, `SELECT * FROM (`+heldPosts+`) p WHERE unproved ORDER BY publish_at, post`, nil))
}

// LockHoldAndListReceipts returns the hold and its receipts, and prevents others from ending the hold until the
// transaction ends. It returns ErrNotFound if publishing is not on hold.
func (s *Store) LockHoldAndListReceipts(ctx context.Context) (PublishingHold, []RestoredReceipt, error) {
	hold, err := queryOne[PublishingHold](s.query(ctx, publishingHold+` FOR UPDATE`, nil))
	if err != nil {
		return hold, nil, err
	}
	receipts, err := queryMany[RestoredReceipt](s.query(ctx, `
		SELECT workspace_id AS workspace, post_id AS post, step_id, handle, armed_at, live, external_id, external_url
			FROM restored_receipts ORDER BY post_id`, nil))
	return hold, receipts, err
}

// FateInWords describes for a person what happens to the post when the hold ends.
func (p HeldPost) FateInWords() string {
	switch {
	case p.Live:
		return "already published; will be marked as live"
	case p.Overtaken && p.Status != core.PostDraft:
		return "another copy was, or may have been, published; this one will not be sent"
	case p.Armed && p.Status == core.PostFailed:
		return "may already be published; Belfry will ask the network"
	case p.Armed && p.Status != core.PostDraft:
		return "may already be published; Belfry will ask the network before it sends the post"
	case p.Armed:
		return "a draft that may already be published; check the account before you send the draft"
	case p.Unproved:
		return "may already be published; check the account"
	}
	return "not published yet; will be published unless you stop it"
}

// OvertakenPost is a post that would be published although HeldPost.Overtaken is true for it.
type OvertakenPost struct {
	Workspace core.WorkspaceID
	Post      core.PostID
}

// LockOvertakenPosts lists all overtaken posts that are queued or have a pending retry, and prevents changes to them
// until the transaction ends.
func (s *Store) LockOvertakenPosts(ctx context.Context) ([]OvertakenPost, error) {
	return queryMany[OvertakenPost](s.query(ctx,
		`SELECT p.workspace_id AS workspace, p.id AS post`+overtakenPosts+`
			AND (p.status = 'queued' OR u.rest = @retry) ORDER BY p.id FOR NO KEY UPDATE OF p`,
		args{"retry": core.DoRetry}))
}

// MarkLiveFromReceiptUnlessLive marks a post as live, because its receipt says that it was published. It does nothing
// if the post is already live or no longer exists. If another post of the account already has the network's id, this
// post gets none.
func (t Tenant) MarkLiveFromReceiptUnlessLive(ctx context.Context, r RestoredReceipt, now time.Time) error {
	return t.exec(ctx, `
		WITH post AS (
			UPDATE posts p SET status = 'live', external_url = @external_url, error_code = '', error_message = '',
				error_hint = '',
				error_from_network = false, publish_at = least(publish_at, @armed_at), updated_at = @now,
				external_id = CASE WHEN NOT EXISTS (
					SELECT FROM posts other
					WHERE other.account_id = p.account_id AND other.external_id = @external_id AND other.id <> p.id
				) THEN @external_id ELSE '' END
			WHERE workspace_id = @ws AND id = @post AND status <> 'live' RETURNING id
		), publication AS (
			UPDATE publications p SET step = 'live', step_since = clock(), handle = NULL, open = false, next_action_at = NULL,
				rest = 'live', failure = NULL, `+endClaimSQL+`
			FROM post WHERE workspace_id = @ws AND post_id = post.id
		)
		INSERT INTO post_events (workspace_id, post_id, kind, at) SELECT @ws, id, 'live', @now FROM post`,
		args{
			"post": r.Post, "external_id": r.ExternalID, "external_url": r.ExternalURL, "armed_at": r.ArmedAt, "now": now,
		})
}

// RearmPublication stores in the ledger that, according to its receipt, a queued or failed post may have been
// published. A worker then asks the network before it sends anything. If the receipt has no handle, the worker searches
// for the post, even if a post with the content of the backup needs a handle. A failed post stays failed unless the
// network shows it, or the worker was going to retry it. If it stays failed and is not overtaken, its outcome is
// unknown: its timeline and an alert say so. RearmPublication returns false if the post is neither queued nor failed.
func (t Tenant) RearmPublication(ctx context.Context, r RestoredReceipt, now time.Time) (rearmed bool, err error) {
	return t.execChanged(ctx, `
		WITH post AS (
			SELECT u.post_id, p.status = 'queued' OR u.rest = @retry AS sends, `+isOvertaken+` AS overtaken
			FROM publications u JOIN posts p ON p.workspace_id = u.workspace_id AND p.id = u.post_id
			LEFT JOIN restored_receipts r ON r.post_id = p.id
			WHERE u.workspace_id = @ws AND u.post_id = @post AND p.status IN ('queued', 'failed')
			FOR NO KEY UPDATE OF p
		), sent_early AS ( -- mayHaveBegun is true for it
			UPDATE posts SET publish_at = @armed_at
			WHERE workspace_id = @ws AND id = @post AND status = 'queued' AND publish_at > @armed_at
		), doubtful AS (
			SELECT post_id AS id FROM post WHERE NOT sends AND NOT overtaken
		), `+doubtSQL+`
		UPDATE publications p SET step = CASE WHEN sends THEN 'armed' ELSE 'unknown' END, step_since = clock(), armed = true,
			flow = CASE WHEN @handle::bytea IS NULL THEN @one_call ELSE flow END,
			open = sends, answer = '', handle = @handle, armed_at = @armed_at, quiet_at = clock(),
			rest = CASE WHEN NOT sends THEN @unknown WHEN rest = @retry THEN rest ELSE @queued END,
			due_at = least(due_at, clock()), preparing = false, next_action_at = clock(), prepare_at = NULL, `+endClaimSQL+`
		FROM post WHERE p.post_id = post.post_id`, addErrorArgsOfDoubtSQL(args{
		"post": r.Post, "handle": r.Handle, "armed_at": r.ArmedAt, "now": now, "queued": RestQueued, "retry": core.DoRetry,
		"unknown": core.DoOutcomeUnknown, "one_call": core.FlowOneCall,
		"message": "The post was sent after the restored backup was made. Belfry does not know whether it was published.",
	}))
}

// DoubtFailedPostsWithLostCopies makes the outcome of the failed posts unknown of which a lost copy was, or may have
// been, published: nothing else in the restored database says that the content may be on the network. It leaves out
// posts that have a live copy.
func (s *Store) DoubtFailedPostsWithLostCopies(ctx context.Context, now time.Time) error {
	return s.exec(ctx, `
		WITH doubtful AS (
			SELECT p.id`+overtakenPosts+` AND p.status = 'failed' AND EXISTS (
				SELECT FROM restored_copies o WHERE o.workspace_id = p.workspace_id AND o.copy_of = coalesce(p.copy_of, p.id)
			) AND NOT EXISTS (`+liveCopies+`) FOR NO KEY UPDATE OF p
		), `+doubtSQL+`
		SELECT`, addErrorArgsOfDoubtSQL(args{
		"now": now, "message": "A copy of the post was, or may have been, published after the restored backup was made.",
	}))
}

// doubtSQL makes the outcome of the failed posts in the CTE doubtful unknown. Their timelines and alerts say so.
const doubtSQL = `doubted AS (
			UPDATE posts p SET error_code = @code, error_message = @message, error_hint = format(@hint, a.display_name),
				error_from_network = false, updated_at = @now
			FROM doubtful d, accounts a
			WHERE p.id = d.id AND a.workspace_id = p.workspace_id AND a.id = p.account_id
			RETURNING p.workspace_id, p.id
		), noted AS (
			INSERT INTO post_events (workspace_id, post_id, kind, at, message)
			SELECT workspace_id, id, @failed, @now, @message FROM doubted
		), alerted AS ( -- the trigger only notes a change of the status
			INSERT INTO alerts (workspace_id, kind, reason, subject) SELECT workspace_id, @alert, @code, id FROM doubted
		)`

// addErrorArgsOfDoubtSQL adds the arguments of doubtSQL, except now and message, to a map of arguments, and returns it.
func addErrorArgsOfDoubtSQL(to args) args {
	to["code"], to["hint"] = core.ErrorOutcomeUnknown, core.UnknownOutcomeHint
	to["failed"], to["alert"] = core.EventFailed, AlertPost
	return to
}

// AdvanceStepIDsBeyond makes new step ids greater than stepID, so that no earlier receipt looks newer than the
// ledger.
func (s *Store) AdvanceStepIDsBeyond(ctx context.Context, stepID int64) error {
	return s.exec(ctx, `
		SELECT setval('publish_steps_id_seq', greatest(@step_id, last_value)) FROM publish_steps_id_seq`,
		args{"step_id": stepID})
}

// EndPublishingHold ends the hold and deletes its receipts. The receipts up to newestStoredStepID are settled, and new
// step ids will be greater.
func (s *Store) EndPublishingHold(ctx context.Context, newestStoredStepID int64) error {
	return s.Tx(ctx, func(s *Store) error {
		if err := s.AdvanceStepIDsBeyond(ctx, newestStoredStepID); err != nil {
			return err
		}
		err := s.exec(ctx, `INSERT INTO settled_receipts (step_id) VALUES (@step_id)
			ON CONFLICT (one_row) DO UPDATE SET step_id = excluded.step_id`, args{"step_id": newestStoredStepID})
		if err != nil {
			return err
		}
		for _, sql := range []string{
			`DELETE FROM restored_receipts`, `DELETE FROM restored_copies`, `DELETE FROM publishing_hold`,
		} {
			if err := s.exec(ctx, sql, nil); err != nil {
				return err
			}
		}
		return nil
	})
}
