package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"belfry/internal/core"
)

// PostSources are the workspace, accounts and files that a request for new posts mentions.
type PostSources struct {
	Workspace    core.Workspace
	GroupMembers []core.AccountID // the connected accounts of the group, in their order
	Accounts     map[core.AccountID]core.Account
	Facts        map[core.AccountID]core.Facts // what networks have reported about the accounts
	Media        map[core.MediaID]core.Media
}

// ReadPostSources reads, in one round trip, the connected accounts among the given ones and in the group, and the given
// files that have not been deleted. A zero group means none. It returns ErrNotFound if the group does not exist.
func (t Tenant) ReadPostSources(ctx context.Context, accounts []core.AccountID, group core.GroupID,
	media []core.MediaID,
) (PostSources, error) {
	var (
		batch      pgx.Batch
		workspaces []core.Workspace
		groups     []Group
		found      []core.Account
		facts      []factsRow
		files      []Media
	)
	addBatchQuery(&batch, `SELECT `+workspaceColumns+` FROM workspaces WHERE id = @ws`, t.withWorkspace(nil), &workspaces)
	if !group.IsZero() {
		addBatchQuery(&batch, `SELECT`+groupColumns+` AND g.id = @id`, t.withWorkspace(args{"id": group}), &groups)
	}
	const targets = `(SELECT unnest(@ids::uuid[]) UNION
		SELECT account_id FROM group_accounts WHERE workspace_id = @ws AND group_id = @group)`
	chosen := t.withWorkspace(args{"ids": accounts, "group": group})
	addBatchQuery(&batch, `
		SELECT `+accountColumns+` FROM accounts
		WHERE workspace_id = @ws AND disconnected_at IS NULL AND id IN `+targets, chosen, &found)
	addBatchQuery(&batch, `
		SELECT `+factsColumns+` FROM account_facts WHERE workspace_id = @ws AND account_id IN `+targets, chosen, &facts)
	if len(media) > 0 {
		addBatchQuery(&batch, `SELECT`+mediaColumns+` AND m.id = ANY(@ids)`, t.withWorkspace(args{"ids": media}), &files)
	}
	if err := t.sendBatch(ctx, &batch); err != nil {
		return PostSources{}, err
	}
	if len(workspaces) == 0 || len(groups) == 0 && !group.IsZero() {
		return PostSources{}, ErrNotFound
	}
	s := PostSources{
		Workspace: workspaces[0], Accounts: map[core.AccountID]core.Account{},
		Media: map[core.MediaID]core.Media{}, Facts: factsByAccount(facts),
	}
	for _, g := range groups {
		s.GroupMembers = g.Accounts
	}
	for _, row := range found {
		s.Accounts[row.ID] = row
	}
	for _, row := range files {
		s.Media[row.ID] = row.WithoutUnverifiedFacts()
	}
	return s, nil
}

// addBatchQuery adds a query to a batch. When the batch is sent, its rows are stored in to.
func addBatchQuery[T any](b *pgx.Batch, sql string, a namedArgs, to *[]T) {
	b.Queue(sql, a).Query(func(rows pgx.Rows) (err error) {
		*to, err = pgx.CollectRows(rows, rowToStruct[T])
		return err
	})
}

// sendBatch sends a batch in one round trip. Outside a transaction, the batch is one transaction.
func (t Tenant) sendBatch(ctx context.Context, b *pgx.Batch) error {
	return translateError(t.store.q.SendBatch(ctx, b).Close())
}

// NewPosts are the posts of one request. They have the same files, time, zone, status, time of creation and original.
type NewPosts struct {
	Posts []core.Post
	By    core.UserID
	// Queued is set if the posts are queued; otherwise, they are drafts. Drafts is the plan's limit on drafts; nil for
	// none. CreatePosts checks this limit again (see core.Plan.CheckDraftQuota) while no other creation can change the
	// number.
	Queued *NewQueued
	Drafts *int64
	// Unchecked allows deleted files and disconnected accounts, which become issues. It is for drafts that are copies
	// of existing posts.
	Unchecked bool
	// Answer is the response to repetitions of the request; nil if the request cannot be repeated.
	Answer *Answer
}

// NewQueued is what queued posts need in addition to their rows.
type NewQueued struct {
	Flows  []core.Flow     // of the posts, in their order
	Ahead  []time.Duration // how long before they are due the posts can be prepared, in the same order
	Period string          // the month whose slots they use
	Limit  *int64          // of that month; nil for none
	Due    time.Time       // zero for now by the database's clock
}

// Answer is the response to a repeatable request.
type Answer struct {
	ReplayKey
	Status int
	Body   []byte
}

// Errors with which CreatePosts stores nothing.
var (
	// ErrPlanChanged means that the request's check is no longer valid, because a limit was reached, a file was deleted
	// or an account was disconnected in the meantime.
	ErrPlanChanged = errors.New("the request's plan has changed")
	// ErrReplaced means that another request with the same key has replaced this one.
	ErrReplaced = errors.New("another request with the same idempotency key has replaced this one")
)

// CreatePosts stores new posts with their files, timelines, slots and ledger rows: all of them or none. It uses one
// statement per table, regardless of the number of posts, in one round trip. Outside a transaction, the statements are
// one transaction.
//
// It locks the month's usage late, because all transactions that create posts in the workspace wait there for each
// other's commit. It locks the accounts after that, as disconnecting does.
func (t Tenant) CreatePosts(ctx context.Context, n NewPosts) error {
	post := n.Posts[0]
	columns, err := toColumnValues(n.Posts)
	if err != nil {
		return err
	}
	var batch pgx.Batch
	queue := func(sql string, a args) { batch.Queue(sql, t.withWorkspace(a)) }
	if len(post.MediaIDs) > 0 {
		queue(`SELECT must(@unchecked OR count(*) = (
				SELECT count(DISTINCT id) FROM unnest(@media::uuid[]) AS id
			), 'a file was removed') FROM (
			SELECT FROM media WHERE workspace_id = @ws AND id = ANY(@media) AND (@unchecked OR purged_at IS NULL
				AND deleted_at IS NULL)
			ORDER BY id FOR SHARE) AS held`,
			args{"media": post.MediaIDs, "unchecked": n.Unchecked})
	}
	queue(`
		INSERT INTO posts (id, workspace_id, account_id, platform, text, title, tags, settings, media_ids, publish_at, tz,
			status,
			created_via, created_by, created_at, updated_at, copy_of)
		SELECT p.id, @ws, p.account, p.platform, p.text, p.title, ARRAY(SELECT json_array_elements_text(p.tags)),
			p.settings,
			coalesce(@media::uuid[], '{}'), @publish_at, @tz, @status, @via, @by, @now, @now, @copy_of
		FROM unnest(@ids::uuid[], @accounts::uuid[], @platforms::text[], @texts::text[], @titles::text[], @tags::json[],
			@settings::jsonb[])
			AS p(id, account, platform, text, title, tags, settings)`,
		args{
			"ids": columns.ids, "accounts": columns.accounts, "platforms": columns.platforms, "texts": columns.texts,
			"titles": columns.titles,
			"tags":   columns.tags, "settings": columns.settings, "media": post.MediaIDs, "publish_at": post.PublishAt,
			"tz": post.Zone.Name(), "status": post.Status, "via": post.Via, "by": n.By, "now": post.CreatedAt,
			"copy_of": post.CopyOf,
		})
	if len(post.MediaIDs) > 0 {
		queue(`INSERT INTO post_media (workspace_id, post_id, media_id)
			SELECT DISTINCT @ws::uuid, post, media FROM unnest(@ids::uuid[]) AS post, unnest(@media::uuid[]) AS media`,
			args{"ids": columns.ids, "media": post.MediaIDs})
	}
	events := []core.EventKind{core.EventCreated}
	if n.Queued != nil {
		events = append(events, core.EventQueued)
	}
	queue(`INSERT INTO post_events (workspace_id, post_id, kind, at)
		SELECT @ws, post, kind, @now FROM unnest(@ids::uuid[]) AS post,
			unnest(@kinds::text[]) WITH ORDINALITY AS event(kind, place) ORDER BY place`,
		args{"ids": columns.ids, "kinds": events, "now": post.CreatedAt})
	if n.Queued != nil {
		n.Queued.addSlotAndPublicationInserts(queue, columns)
	}
	if n.Answer != nil {
		queue(`WITH kept AS (`+saveReplay+` RETURNING key) SELECT must(EXISTS (SELECT FROM kept), '`+replaced+`')`,
			n.Answer.argsWith(args{"status": n.Answer.Status, "body": n.Answer.Body}))
	}
	if n.Queued != nil {
		queue(`WITH taken AS (`+reserveSlots+`) SELECT must(EXISTS (SELECT FROM taken), 'the month has no slots left')`,
			args{"period": n.Queued.Period, "n": len(n.Posts), "limit": n.Queued.Limit})
	} else if n.Drafts != nil {
		queue(`SELECT must((SELECT used FROM usage_drafts WHERE workspace_id = @ws) <= @limit, 'there are too many drafts')`,
			args{"limit": *n.Drafts})
	}
	if !n.Unchecked {
		queue(`SELECT must(count(*) = @n, 'an account was disconnected') FROM (
			SELECT FROM accounts WHERE workspace_id = @ws AND id = ANY(@accounts)
				AND disconnected_at IS NULL ORDER BY id FOR SHARE) AS held`,
			args{"accounts": columns.accounts, "n": len(n.Posts)})
	}
	err = translateCreatePostsError(t.sendBatch(ctx, &batch))
	if n.Queued != nil && n.Queued.Due.IsZero() {
		return t.signalDueIfNoError(err)
	}
	return err
}

// addSlotAndPublicationInserts adds the statements for the slots and the ledger rows.
func (q NewQueued) addSlotAndPublicationInserts(add func(string, args), columns postColumnValues) {
	add(`INSERT INTO post_slots (post_id, workspace_id, period, state) SELECT post, @ws, @period, 'held' FROM unnest(@ids::uuid[]) AS post`,
		args{"ids": columns.ids, "period": q.Period})
	add(`INSERT INTO publications (post_id, workspace_id, platform, flow, step, rest, due_at, ahead, next_action_at,
			prepare_at, step_since)
		SELECT p.id, @ws, p.platform, p.flow, @step, @queued, `+dueOrNow+`, p.ahead, `+dueOrNow+`,
			`+prepareAtSQL(`p.ahead`, `@due::timestamptz`)+`, clock()
		FROM unnest(@ids::uuid[], @platforms::text[], @flows::text[], @ahead::interval[]) AS p(id, platform, flow, ahead)`,
		args{
			"ids": columns.ids, "platforms": columns.platforms, "flows": q.Flows, "ahead": q.Ahead, "step": core.StepIdle,
			"queued": RestQueued, "due": q.Due,
		})
}

// mustFailed is the SQLSTATE of the errors that the SQL function must raises, and replaced is one of its messages.
const mustFailed, replaced = "BF001", "the key was taken over"

// translateCreatePostsError converts an error of the SQL function must to an error of CreatePosts.
func translateCreatePostsError(err error) error {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	switch {
	case !ok || pg.Code != mustFailed:
		return err
	case pg.Message == replaced:
		return ErrReplaced
	}
	return fmt.Errorf("%w: %s", ErrPlanChanged, pg.Message)
}

// postColumnValues are the values of posts, one slice per column.
type postColumnValues struct {
	ids            []core.PostID
	accounts       []core.AccountID
	platforms      []core.Platform
	texts, titles  []string
	tags, settings []json.RawMessage
}

func toColumnValues(posts []core.Post) (c postColumnValues, err error) {
	for _, p := range posts {
		tags, err := json.Marshal(p.Tags)
		if err != nil {
			return c, fmt.Errorf("encode the tags of a post: %w", err)
		}
		c.ids, c.accounts, c.platforms = append(c.ids, p.ID), append(c.accounts, p.Account), append(c.platforms, p.Platform)
		c.texts, c.titles = append(c.texts, p.Text), append(c.titles, p.Title)
		c.tags, c.settings = append(c.tags, tags), append(c.settings, p.Settings)
	}
	return c, nil
}
