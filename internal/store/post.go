package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"belfry/internal/core"
	"belfry/internal/queue"
)

const postFields = `
	p.id, p.account_id, p.platform, a.display_name, a.avatar, a.status AS account_status, p.text, p.title, p.tags,
	p.settings, p.publish_at, p.tz, p.status, p.external_id, p.external_url, p.error_code, p.error_message, p.error_hint,
	p.error_from_network, p.attempts, p.created_via, p.created_at, p.updated_at,
	CASE WHEN u.rest = 'hold' AND u.armed THEN greatest(u.next_action_at, (u.failure->>'until')::timestamptz)
		ELSE coalesce(u.prepare_at, u.next_action_at) END,
	coalesce(u.rest, '') AS rest,
	coalesce(u.step, '') AS step, coalesce(u.open, false) AS open, coalesce(u.answer, '') AS answer,
	coalesce(u.flow, '') AS flow, coalesce(u.armed, false) AS armed,
	coalesce(u.lease_until > clock() AND u.due_at <= clock(), false) AS held,
	coalesce(coalesce(u.prepare_at, u.next_action_at) > clock(), false) AS ahead,
	coalesce(u.calling AND u.lease_until > clock(), false) AS calling,
	p.media_ids, p.copy_of`

// postJoins are the joins of a query in which posts has the alias p.
const postJoins = `
	JOIN accounts a ON a.workspace_id = p.workspace_id AND a.id = p.account_id
	LEFT JOIN publications u ON u.workspace_id = p.workspace_id AND u.post_id = p.id`

const postColumns = postFields + ` FROM posts p` + postJoins + ` WHERE p.workspace_id = @ws`

type postRow struct {
	core.Post
	failure core.PostError
	rest    core.Action
	ledger  core.Publication
	next    time.Time
	held    bool // a worker is publishing it; see Publication.IsBeingPublished
	ahead   bool // next is in the future
	calling bool // the publishing call is in progress
}

// ScanRow reads postColumns.
func (r *postRow) ScanRow(rows pgx.Rows) error {
	return rows.Scan(idScanner(&r.ID), idScanner(&r.Account), (*string)(&r.Platform), &r.AccountName, &r.AccountAvatar,
		(*string)(&r.AccountStatus), &r.Text, &r.Title, (*pgtype.FlatArray[string])(&r.Tags), (*[]byte)(&r.Settings),
		timeScanner(&r.PublishAt), &r.Zone, (*string)(&r.Status), &r.ExternalID, &r.ExternalURL, &r.failure.Code,
		&r.failure.Message, &r.failure.Hint, &r.failure.FromNetwork,
		&r.Attempts, (*string)(&r.Via), timeScanner(&r.CreatedAt), timeScanner(&r.UpdatedAt), timeScanner(&r.next),
		(*string)(&r.rest), (*string)(&r.ledger.Step), &r.ledger.Open, (*string)(&r.ledger.Answer),
		(*string)(&r.ledger.Flow), &r.ledger.Armed, &r.held, &r.ahead, &r.calling,
		(*pgtype.FlatArray[core.MediaID])(&r.MediaIDs), idScanner(&r.CopyOf))
}

// toPosts returns the posts of rows, with what their ledger rows say about them. It looks up the live copies of failed
// posts in a second query, because most reads find no failed post and PostgreSQL prepares even a subquery that it does
// not run.
func (t Tenant) toPosts(ctx context.Context, rows []postRow) ([]core.Post, error) {
	posts := make([]core.Post, len(rows))
	var failed []core.PostID
	for i, row := range rows {
		posts[i] = t.toPostExceptReplacedBy(row)
		if row.Status == core.PostFailed {
			failed = append(failed, row.ID)
		}
	}
	if failed == nil {
		return posts, nil
	}
	copies, err := queryMap[core.PostID, core.PostID](t.query(ctx, `
		SELECT p.id, copy.id FROM posts p CROSS JOIN LATERAL (`+liveCopies+` ORDER BY c.id DESC LIMIT 1) copy
		WHERE p.workspace_id = @ws AND p.id = ANY(@failed)`, args{"failed": failed}))
	for i := range posts {
		posts[i].ReplacedBy = copies[posts[i].ID]
	}
	return posts, err
}

// toPostExceptReplacedBy returns the post of a row, with what its ledger row says about it.
func (t Tenant) toPostExceptReplacedBy(r postRow) core.Post {
	p := r.Post
	p.Workspace = t.ws
	if r.failure.Code != "" {
		p.Error = &r.failure
	}
	switch {
	case p.Status == core.PostFailed && r.rest == core.DoRetry:
		p.NextTryAt = r.next
	case p.Status == core.PostQueued && r.rest == core.DoHold:
		p.NextTryAt, p.Held = r.next, true
	case p.Status == core.PostQueued && r.rest == RestQueued && r.next.Before(p.PublishAt):
		p.PrepareAt = r.next
	}
	r.setWorkerActivity(&p)
	return p
}

// setWorkerActivity sets what the ledger knows about a worker that may be publishing the post. A post that is armed but
// whose outcome is not in doubt is being sent, held or retried, and the worker does not ask the network about it.
func (r postRow) setWorkerActivity(p *core.Post) {
	p.Busy = r.held
	p.MayBeLive = (r.Status == core.PostFailed || r.Status == core.PostDraft) && r.ledger.MayHavePublished()
	if r.Status != core.PostQueued || r.ledger.Step == "" {
		return
	}
	p.Busy = r.held || !r.ledger.AllowsPostChanges()
	// before it calls again, the worker asks the network
	p.Asking = r.ledger.IsCallUnresolved() && r.ledger.Answer != core.AnswerTaken && !r.calling || r.rest == core.DoSettle
	p.Waiting = r.rest == RestTurn && r.ahead
	if p.Asking && !r.held && r.ahead && !p.Waiting {
		p.AskAt = r.next
	}
	p.Preparing = r.rest == core.DoPoll && !p.Asking
}

// Post returns a post.
func (t Tenant) Post(ctx context.Context, id core.PostID) (core.Post, error) {
	row, err := queryValue[postRow](t.query(ctx, `SELECT`+postColumns+` AND p.id = @id`, args{"id": id}))
	if err != nil {
		return core.Post{}, err
	}
	posts, err := t.toPosts(ctx, []postRow{row})
	return posts[0], err
}

// PostsByID returns posts by their ids. Missing ones are omitted.
func (t Tenant) PostsByID(ctx context.Context, ids []core.PostID) (map[core.PostID]core.Post, error) {
	rows, err := queryValues[postRow](t.query(ctx, `SELECT`+postColumns+` AND p.id = ANY(@ids)`, args{"ids": ids}))
	if err != nil {
		return nil, err
	}
	posts, err := t.toPosts(ctx, rows)
	found := make(map[core.PostID]core.Post, len(posts))
	for _, p := range posts {
		found[p.ID] = p
	}
	return found, err
}

// LockPost returns a post and prevents changes to it until the transaction ends. Every change of a post's state locks
// first the post and then its publication. The error is conflict if publishing is on hold after a restore and there is
// a receipt of the post, or of a copy that replaces the same failed post and that the restored database lacks.
func (t Tenant) LockPost(ctx context.Context, id core.PostID) (core.Post, error) {
	withReceipt, err := queryValue[string](t.query(ctx, `
		SELECT CASE WHEN EXISTS (SELECT FROM restored_receipts r WHERE r.post_id = p.id) THEN 'The post'
			WHEN EXISTS (
				SELECT FROM restored_copies r WHERE r.workspace_id = @ws AND r.copy_of = coalesce(p.copy_of, p.id)
			) THEN 'A copy of the post' ELSE '' END
		FROM posts p WHERE workspace_id = @ws AND id = @id FOR NO KEY UPDATE`, args{"id": id}))
	if err == nil && withReceipt != "" {
		err = core.Fail(core.CodeConflict, "%s %s was, or may have been, published after the restored backup was made.",
			withReceipt, id).WithHint("Publishing is on hold. Try again after the server's operator has run `belfry restore confirm`.")
	}
	if err != nil {
		return core.Post{}, err
	}
	return t.Post(ctx, id)
}

// PostFilter selects and orders a list of posts. Zero fields have no effect.
type PostFilter struct {
	Statuses  []core.PostStatus
	Account   core.AccountID
	Group     core.GroupID
	Platform  core.Platform
	From, To  time.Time // bounds of the post's time, or of the creation of a draft without a time
	Contains  string    // in text or title
	Ascending bool
	// Unreplaced leaves out failed posts that have a live copy.
	Unreplaced bool
	After      *core.Cursor[core.PostKind] // the last post of the previous page
	Limit      int
}

const listTime = `coalesce(p.publish_at, p.created_at)`

// listed selects posts, each with the time by which it is sorted.
const listed = `SELECT p.*, ` + listTime + ` AS listed_at FROM posts p`

// ListPosts lists posts by time and then id, newest first unless the filter is ascending.
func (t Tenant) ListPosts(ctx context.Context, f PostFilter) ([]core.Post, error) {
	q := f.buildQueryExceptContains()
	if f.Contains != "" {
		return t.searchPosts(ctx, f, q)
	}
	return t.readPosts(ctx, q, `SELECT p.* FROM (`+q.firstPostsSQL(`@limit`)+`) p`)
}

// readPosts reads one page of the posts that selectSQL selects.
func (t Tenant) readPosts(ctx context.Context, q postQuery, selectSQL string) ([]core.Post, error) {
	rows, err := queryValues[postRow](t.queryReplanned(ctx,
		`SELECT`+postFields+` FROM (`+selectSQL+q.order+` LIMIT @limit) p`+postJoins+q.order, q.args))
	if err != nil {
		return nil, err
	}
	return t.toPosts(ctx, rows)
}

// postQuery contains the parts of a list's SQL.
type postQuery struct {
	args       args
	order      string
	span       string // the condition on times
	unreplaced string // the condition that no copy is live
	parts      string // the accounts and statuses whose lists are merged; "" for a single list
	part       string // the condition for one of these parts, or for the workspace
	whole      string // the condition on account, group, status and workspace, without parts
}

// firstPostsSQL returns the SQL for the first posts of the list. An index has the posts of one account and one status
// in the order of the list, but no index has those of several. The SQL therefore reads the first posts of each account
// and status, and merges them.
func (q postQuery) firstPostsSQL(limitSQL string) string {
	page := listed + ` WHERE ` + q.part + q.span + q.unreplaced + q.order + ` LIMIT ` + limitSQL
	if q.parts == "" {
		return page
	}
	return `SELECT p.* FROM ` + q.parts + ` CROSS JOIN LATERAL (` + page + `) p` + q.order + ` LIMIT ` + limitSQL
}

// buildQueryExceptContains returns the parts of the statement that lists the posts, without the condition on their
// words.
func (f PostFilter) buildQueryExceptContains() postQuery {
	const ofWorkspace = `p.workspace_id = @ws`
	q := postQuery{args: args{"limit": f.Limit}, part: ofWorkspace, whole: ofWorkspace}
	narrow := func(to *string, condition, name string, value any) {
		*to += ` AND ` + condition
		q.args[name] = value
	}
	if !f.From.IsZero() {
		narrow(&q.span, listTime+` >= @from`, "from", f.From)
	}
	if !f.To.IsZero() {
		narrow(&q.span, listTime+` < @to`, "to", f.To)
	}
	order, beyond := "DESC", "<"
	if f.Ascending {
		order, beyond = "ASC", ">"
	}
	if f.Unreplaced {
		q.unreplaced = ` AND NOT EXISTS (` + liveCopies + `)`
	}
	if f.After != nil {
		narrow(&q.span, `(`+listTime+`, p.id) `+beyond+` (@at, @after)`, "at", f.After.At)
		q.args["after"] = f.After.ID
	}
	q.order = fmt.Sprintf(` ORDER BY listed_at %s, p.id %s`, order, order)

	accounts := ` FROM accounts WHERE workspace_id = @ws`
	if !f.Account.IsZero() {
		narrow(&q.whole, `p.account_id = @account`, "account", f.Account)
		accounts += ` AND id = @account`
	}
	if !f.Group.IsZero() {
		const members = ` IN (SELECT account_id FROM group_accounts WHERE workspace_id = @ws AND group_id = @group)`
		narrow(&q.whole, `p.account_id`+members, "group", f.Group)
		accounts += ` AND id` + members
	}
	if f.Platform != "" {
		narrow(&q.whole, `p.platform = @platform`, "platform", f.Platform)
		accounts += ` AND platform = @platform`
	}
	if len(f.Statuses) > 0 {
		narrow(&q.whole, `p.status = ANY(@statuses)`, "statuses", f.Statuses)
		q.parts, q.part = `(SELECT DISTINCT unnest(@statuses::text[]) AS name) state`, ofWorkspace+` AND p.status = state.name`
	}
	if !f.Account.IsZero() || !f.Group.IsZero() || f.Platform != "" {
		if q.parts == "" {
			q.parts = `(VALUES ('draft'), ('queued'), ('live'), ('failed')) state (name)`
		}
		q.parts += ` CROSS JOIN (SELECT id` + accounts + `) account`
		q.part = `p.account_id = account.id AND p.status = state.name`
	}
	return q
}

// mostReplaced is the number of the newest failed posts for which CountPostsByStatusCapped looks for a live copy.
const mostReplaced = core.MostCounted / 2

// CountPostsByStatusCapped counts the newest posts in each status, up to MostCounted. It counts failed posts that have
// a live copy as replaced, if they are among the newest mostReplaced. A status without posts is missing.
func (t Tenant) CountPostsByStatusCapped(ctx context.Context) (map[core.PostStatus]int, error) {
	return queryMap[core.PostStatus, int](t.query(ctx, `
		SELECT CASE WHEN first.replaced THEN 'replaced' ELSE status END AS shown, count(*)
		FROM (VALUES ('draft'), ('queued'), ('live'), ('failed')) state (status) CROSS JOIN LATERAL (
			SELECT CASE WHEN row_number() OVER (ORDER BY `+listTime+` DESC, p.id DESC) <= @replaced
				THEN `+isReplaced+` ELSE false END AS replaced FROM posts p
			WHERE workspace_id = @ws AND p.status = state.status
			ORDER BY `+listTime+` DESC, p.id DESC LIMIT @most) first
		GROUP BY shown`,
		args{"most": core.MostCounted, "replaced": mostReplaced}))
}

// UpdatePostExceptMedia stores the content, time and state of a post that the caller has locked with LockPost.
func (t Tenant) UpdatePostExceptMedia(ctx context.Context, p core.Post) error {
	var failure core.PostError
	if p.Error != nil {
		failure = *p.Error
	}
	return t.execOne(ctx, `
		UPDATE posts SET text = @text, title = @title, tags = @tags, settings = @settings, publish_at = @publish_at,
			tz = @tz,
			status = @status, external_id = @external_id, external_url = @external_url,
			error_code = @code, error_message = @message, error_hint = @hint, error_from_network = @from_network,
				attempts = @attempts, updated_at = @now
		WHERE workspace_id = @ws AND id = @id`,
		args{
			"id": p.ID, "text": p.Text, "title": p.Title, "tags": p.Tags, "settings": p.Settings,
			"publish_at": p.PublishAt,
			"tz":         p.Zone.Name(), "status": p.Status, "external_id": p.ExternalID, "external_url": p.ExternalURL,
			"code": failure.Code, "message": failure.Message, "hint": failure.Hint, "from_network": failure.FromNetwork,
			"attempts": p.Attempts, "now": p.UpdatedAt,
		})
}

// DeletePost deletes a post with its timeline and ledger row. Its slot stays used.
func (t Tenant) DeletePost(ctx context.Context, id core.PostID) error {
	return t.execOne(ctx, `DELETE FROM posts WHERE workspace_id = @ws AND id = @id`, args{"id": id})
}

// SetPostURLIfLive stores the address of a live post's page. It does nothing if the post is not live.
func (t Tenant) SetPostURLIfLive(ctx context.Context, id core.PostID, url string) error {
	return t.exec(ctx, `UPDATE posts SET external_url = @url WHERE workspace_id = @ws AND id = @id AND status = 'live'`,
		args{"id": id, "url": url})
}

// LivePostsWithoutLink lists the posts without a link that went live between two times, oldest first, as jobs that
// fetch the link. It omits posts whose account is not ok.
func (s *Store) LivePostsWithoutLink(ctx context.Context, from, to time.Time, limit int) ([]queue.Link, error) {
	return queryMany[queue.Link](s.query(ctx, `
		SELECT p.workspace_id AS workspace, p.id AS post
		FROM posts p JOIN accounts a ON a.workspace_id = p.workspace_id AND a.id = p.account_id
		WHERE p.status = 'live' AND p.external_id <> '' AND p.external_url = '' AND p.live_at BETWEEN @from AND @to
			AND a.status = @ok
		ORDER BY p.live_at LIMIT @limit`, args{"from": from, "to": to, "limit": limit, "ok": core.AccountOK}))
}

// BackdateIfLiveOrFailed moves all times of a live or failed post, and of its timeline, into the past by the given
// duration. The times at which it was created and queued move by the duration planned in addition. It does not change
// posts in other states.
func (t Tenant) BackdateIfLiveOrFailed(ctx context.Context, id core.PostID, by, planned time.Duration) error {
	return t.exec(ctx, `
		WITH post AS (
			UPDATE posts SET publish_at = publish_at - @by::interval,
				created_at = created_at - @by::interval - @planned::interval,
				updated_at = updated_at - @by::interval, live_at = live_at - @by::interval
			WHERE workspace_id = @ws AND id = @id AND status IN ('live', 'failed') RETURNING id
		)
		UPDATE post_events e SET at = e.at - @by::interval
			- CASE WHEN e.kind IN ('created', 'queued') THEN @planned::interval ELSE '0' END
		FROM post WHERE e.workspace_id = @ws AND e.post_id = post.id`,
		args{"id": id, "by": by, "planned": planned})
}

// filesBackdated is how many files BackdateWorkspaceBeforePosts changes at most: more than a demo has.
const filesBackdated = 200

// BackdateWorkspaceBeforePosts makes the workspace, its members, accounts, groups and latest filesBackdated files older
// by the same duration, so that the workspace was created an hour before its first post. It does not change an older
// workspace.
func (t Tenant) BackdateWorkspaceBeforePosts(ctx context.Context) error {
	return t.exec(ctx, `
		WITH shift AS (
			SELECT w.created_at - first.created_at + interval '1 hour' AS by FROM workspaces w CROSS JOIN LATERAL (
				SELECT p.created_at FROM posts p WHERE p.workspace_id = w.id ORDER BY `+listTime+`, p.id LIMIT 1
			) AS first
			WHERE w.id = @ws AND w.created_at > first.created_at - interval '1 hour'
		), moved_members AS (
			UPDATE members SET created_at = created_at - shift.by FROM shift WHERE workspace_id = @ws
		), moved_accounts AS (
			UPDATE accounts SET created_at = created_at - shift.by FROM shift WHERE workspace_id = @ws
		), moved_groups AS (
			UPDATE groups SET created_at = created_at - shift.by, updated_at = updated_at - shift.by FROM shift
			WHERE workspace_id = @ws
		), moved_media AS (
			UPDATE media SET created_at = created_at - shift.by FROM shift WHERE workspace_id = @ws AND id IN (
				SELECT id FROM media WHERE workspace_id = @ws AND deleted_at IS NULL ORDER BY created_at DESC, id DESC LIMIT @files
			)
		)
		UPDATE workspaces SET created_at = created_at - shift.by FROM shift WHERE id = @ws`,
		args{"files": filesBackdated})
}

// OtherExternalIDsSince lists the network's ids of an account's posts, except exceptPost, that went live at the time
// since or later, or that the network has accepted but does not show yet. Other workspaces may have connected the same
// account, so it includes their posts.
func (t Tenant) OtherExternalIDsSince(ctx context.Context, account core.AccountID, exceptPost core.PostID,
	since time.Time,
) ([]string, error) {
	// MATERIALIZED keeps PostgreSQL from reading all posts of the account to find the few accepted ones, which have an
	// index (publications_accepted).
	return queryValues[string](t.query(ctx, `
		WITH same AS (
			SELECT a.id FROM accounts own JOIN accounts a ON a.platform = own.platform AND a.external_id = own.external_id
			WHERE own.workspace_id = @ws AND own.id = @account
		), accepted AS MATERIALIZED (
			SELECT post_id, external_id FROM publications
			WHERE external_id <> '' AND step <> 'live' AND post_id <> @other
		)
		SELECT p.external_id FROM same JOIN posts p ON p.account_id = same.id
		WHERE p.id <> @other AND p.status = 'live' AND p.external_id <> '' AND p.live_at >= @since
		UNION ALL
		SELECT u.external_id FROM accepted u JOIN posts p ON p.id = u.post_id JOIN same ON same.id = p.account_id`,
		args{"account": account, "other": exceptPost, "since": since}))
}

// AccountsWithSameText finds the accounts that already have a queued or live post with the same text between two times.
// texts[i] is the text for accounts[i]. The result contains the status of each account's post; live takes precedence.
// The post exceptPost is ignored.
func (t Tenant) AccountsWithSameText(ctx context.Context, exceptPost core.PostID, accounts []core.AccountID,
	texts []string, from, to time.Time,
) (map[core.AccountID]core.PostStatus, error) {
	// min returns live rather than queued, in alphabetical order. posts_by_time is an index on the coalesce.
	return queryMap[core.AccountID, core.PostStatus](t.query(ctx, `
		SELECT p.account_id, min(p.status) FROM posts p JOIN unnest(@accounts::uuid[],
			@texts::text[]) AS wanted(account, text)
			ON p.account_id = wanted.account AND p.text = wanted.text
		WHERE p.workspace_id = @ws AND p.text <> '' AND p.status IN ('queued', 'live') AND coalesce(p.publish_at,
			p.created_at) BETWEEN @from AND @to AND p.id IS DISTINCT FROM @than
		GROUP BY p.account_id`,
		args{"than": exceptPost, "accounts": accounts, "texts": texts, "from": from, "to": to}))
}

// AddPostEvent appends an event to a post's timeline.
func (t Tenant) AddPostEvent(ctx context.Context, id core.PostID, e core.Event) error {
	notes := e.Notes
	if notes == nil {
		notes = []string{}
	}
	return t.exec(ctx, `
		INSERT INTO post_events (workspace_id, post_id, kind, at, message, notes) VALUES (@ws, @id, @kind, @at, @message,
			@notes)`,
		args{"id": id, "kind": e.Kind, "at": e.At, "message": e.Message, "notes": notes})
}

// AddPostNoteOnceIfLive adds a note to the last event of a live post, unless the event already has it. It does nothing
// if the post is not live.
func (t Tenant) AddPostNoteOnceIfLive(ctx context.Context, id core.PostID, note string) error {
	return t.exec(ctx, `
		UPDATE post_events SET notes = array_append(notes, @note)
		WHERE id = (SELECT max(e.id) FROM post_events e JOIN posts p ON p.workspace_id = e.workspace_id AND p.id = e.post_id
				WHERE e.workspace_id = @ws AND e.post_id = @id AND p.status = 'live')
			AND workspace_id = @ws AND NOT @note = ANY(notes)`,
		args{"id": id, "note": note})
}

// PostEvents returns a post's timeline, oldest event first.
func (t Tenant) PostEvents(ctx context.Context, id core.PostID) ([]core.Event, error) {
	return queryMany[core.Event](t.query(ctx, `
		SELECT kind, at, message, notes FROM post_events WHERE workspace_id = @ws AND post_id = @id ORDER BY id`,
		args{"id": id}))
}

// SavePostChange stores a change to a post that the caller has locked: the post, its timeline, and its publication, by
// calling saveLedger. A post that becomes a draft returns its slot. When a post goes live, the retention time of its
// files begins. Only SavePostChange, and claims that begin an attempt, change a post that is queued or was sent.
func (t Tenant) SavePostChange(ctx context.Context, c core.Change, saveLedger func(Tenant) error) error {
	if err := t.UpdatePostExceptMedia(ctx, c.Post); err != nil {
		return err
	}
	if err := saveLedger(t); err != nil {
		return err
	}
	if err := t.AddPostEvent(ctx, c.Post.ID, c.Event); err != nil {
		return err
	}
	switch {
	case c.Event.Kind == core.EventCancelled && c.Post.Status == core.PostDraft:
		return t.ReturnSlotIfReserved(ctx, c.Post.ID)
	case c.Event.Kind == core.EventLive && len(c.Post.MediaIDs) > 0:
		return t.SetPublishedAtOfPostMedia(ctx, c.Post.ID, c.Event.At)
	}
	return nil
}
