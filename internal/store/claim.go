package store

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"belfry/internal/core"
)

// ClaimedPost is a publication that a worker has claimed, with everything that the worker needs.
type ClaimedPost struct {
	Publication
	Post    core.Post
	Account core.Account
	Token   []byte  // sealed; empty when the account was disconnected
	Media   []Media // the post's files in order, including deleted ones
}

// Claim is the right to act on a publication until its lease ends. ReadClaimedPosts reads the details.
type Claim struct {
	Workspace core.WorkspaceID
	Publication
}

// Work says when there is work for a worker. A duration is zero or less if there is work now.
type Work struct {
	Due       time.Duration // until the next unclaimed publication is due
	Preparing time.Duration // until the next unclaimed publication can be prepared before it is due
	TurnEnded bool          // whether WakeNextPostsAwaitingTurn has posts to wake
}

// TimeUntilWork returns the time until there is work of each kind, at most atMost and a day. It checks turns only if
// withTurns is set, because that reads all publications that wait.
//
// Workers at rest run the statement every second. It has no parameters, so each connection plans it only once.
func (s *Store) TimeUntilWork(ctx context.Context, atMost time.Duration, withTurns bool) (Work, error) {
	turnEndedSQL := `false`
	if withTurns {
		turnEndedSQL = `EXISTS (SELECT FROM publications u WHERE ` + turnEnded + `)`
	}
	work, err := queryOne[Work](s.query(ctx, `
		SELECT least('1 day', (
			SELECT next_action_at - clock() FROM publications
			WHERE next_action_at IS NOT NULL AND `+unleased+` ORDER BY next_action_at LIMIT 1
		)) AS due, least('1 day', (
			SELECT prepare_at - clock() FROM publications
			WHERE prepare_at IS NOT NULL AND `+beforeDue+` AND `+unleased+` ORDER BY prepare_at LIMIT 1
		)) AS preparing, `+turnEndedSQL+` AS turn_ended`, nil))
	work.Due, work.Preparing = min(work.Due, atMost), min(work.Preparing, atMost)
	return work, err
}

// Conditions for what is due, what can be prepared, and what a claim that prepares may act on. The last one is needed
// because a version that prepares nothing does not clear prepare_at when it takes a post off the queue.
const (
	dueNow     = `p.next_action_at <= clock()`
	prepareNow = `p.prepare_at <= clock() AND ` + beforeDue
	beforeDue  = `due_at > clock() AND next_action_at IS NOT NULL`
)

// ClaimDuePublications claims up to limit due publications that no worker has claimed, in the order of their times.
// Each claim has the lease and a new fencing epoch, and its Rest says how the previous claim ended. The post begins a
// new attempt, which is added to its timeline at the time attemptBegins, if it was queued, if the worker retries it, or
// if it was only prepared before.
//
// It skips locked rows, so any number of workers can call it at the same time without waiting.
func (s *Store) ClaimDuePublications(ctx context.Context, owner string, limit int, lease time.Duration,
	attemptBegins time.Time,
) ([]Claim, error) {
	return s.claimPublications(ctx, dueNow, `p.next_action_at`, owner, limit, lease, attemptBegins)
}

// ClaimPublicationsToPrepare is ClaimDuePublications for publications that can be prepared before they are due. Their
// posts begin no attempt.
func (s *Store) ClaimPublicationsToPrepare(ctx context.Context, owner string, limit int, lease time.Duration,
	now time.Time,
) ([]Claim, error) {
	return s.claimPublications(ctx, prepareNow, `p.prepare_at`, owner, limit, lease, now)
}

func (s *Store) claimPublications(ctx context.Context, conditionSQL, orderSQL, owner string, limit int,
	lease time.Duration, now time.Time,
) ([]Claim, error) {
	sql := selectAndLockUnleasedSQLPrefix(conditionSQL, orderSQL) + ` LIMIT @limit` + claimRest
	return queryMany[Claim](s.query(ctx, sql, args{
		"owner": owner, "limit": limit, "lease": lease, "now": now, "queued": RestQueued, "retry": core.DoRetry,
	}))
}

// ClaimDueOrPreparablePublication claims one post's publication, as ClaimDuePublications or ClaimPublicationsToPrepare
// does. It returns ErrNotFound if there is nothing to do yet, or if another worker has claimed or locked the
// publication.
func (t Tenant) ClaimDueOrPreparablePublication(ctx context.Context, post core.PostID, owner string,
	lease time.Duration, attemptBegins time.Time,
) (Claim, error) {
	const which = `p.workspace_id = @ws AND p.post_id = @post AND (` + dueNow + ` OR ` + prepareNow + `)`
	all, err := queryMany[Claim](t.query(ctx, selectAndLockUnleasedSQLPrefix(which, `p.post_id`)+claimRest, args{
		"post": post, "owner": owner, "lease": lease, "now": attemptBegins, "queued": RestQueued, "retry": core.DoRetry,
	}))
	if err == nil && len(all) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return Claim{}, err
	}
	return all[0], nil
}

// selectAndLockUnleasedSQLPrefix returns the SQL that selects the publications to claim. It also locks their posts,
// because posts are always locked before publications. It waits for no lock. conditionSQL decides which are due or can
// be prepared; the SQL needs the arguments @queued and @retry. The caller closes the parenthesis.
func selectAndLockUnleasedSQLPrefix(conditionSQL, orderSQL string) string {
	return `
		WITH due AS (
			SELECT p.workspace_id, p.post_id, p.rest, p.due_at > clock() AS early,
				p.due_at <= clock() AND (
					p.rest IN (@queued, @retry) OR p.preparing AND posts.status = 'queued'
				) AS begins
			FROM publications p JOIN posts ON posts.workspace_id = p.workspace_id
				AND posts.id = p.post_id
			WHERE ` + conditionSQL + ` AND ` + unleased + ` AND ` + publishingNotHeld + `
			ORDER BY ` + orderSQL + ` FOR NO KEY UPDATE OF posts, p SKIP LOCKED`
}

// claimRest claims what selectAndLockUnleasedSQLPrefix selected. Its commit does not wait for the disk. If a crash of
// the database loses a claim, the fence refuses the worker's first write. This is true even if the next claim has the
// same epoch, because no two claims have the same lease_owner.
const claimRest = `
		), begun AS (
			UPDATE posts p SET status = 'queued', error_code = '', error_message = '', error_hint = '',
				attempts = attempts + 1,
				updated_at = CASE WHEN p.status = 'failed' THEN @now ELSE p.updated_at END
			FROM due WHERE p.workspace_id = due.workspace_id AND p.id = due.post_id AND due.begins
			RETURNING p.workspace_id, p.id, due.rest
		), noted AS (
			INSERT INTO post_events (workspace_id, post_id, kind, at)
			SELECT workspace_id, id, 'retried', @now FROM begun WHERE rest = @retry
			UNION ALL SELECT workspace_id, id, 'publishing', @now FROM begun
		)
		UPDATE publications p SET lease_epoch = p.lease_epoch + 1, lease_owner = @owner || ' ' || gen_random_uuid(),
			lease_until = clock() + @lease::interval, rest = '', calling = false, preparing = due.early, turn_of = NULL,
			prepare_at = CASE WHEN due.early THEN p.prepare_at END
		FROM due, (SELECT ` + relaxed + `) AS relaxed WHERE p.post_id = due.post_id
		RETURNING p.workspace_id AS workspace, due.rest, ` + publicationColumns

// ReadClaimedPosts reads the posts of claims with their accounts and files, in one round trip. Deleted posts are
// omitted.
func (t Tenant) ReadClaimedPosts(ctx context.Context, claims []Claim) ([]ClaimedPost, error) {
	publications := make(map[core.PostID]Publication, len(claims))
	for _, c := range claims {
		publications[c.Post] = c.Publication
	}
	a := t.withWorkspace(args{"posts": slices.Collect(maps.Keys(publications))})
	batch := &pgx.Batch{}
	batch.Queue(`SELECT`+postColumns+` AND p.id = ANY(@posts)`, a)
	batch.Queue(`SELECT `+accountColumns+`, token FROM accounts
		WHERE workspace_id = @ws AND id IN (SELECT account_id FROM posts WHERE workspace_id = @ws AND id = ANY(@posts))`, a)
	batch.Queue(`SELECT`+mediaFields+` FROM media m
		WHERE m.workspace_id = @ws AND m.id IN (SELECT media_id FROM post_media WHERE workspace_id = @ws
			AND post_id = ANY(@posts))`, a)
	results := t.store.q.SendBatch(ctx, batch)
	posts, postsErr := queryValues[postRow](results.Query())
	accounts, accountsErr := queryMany[accountAndToken](results.Query())
	files, filesErr := queryMany[Media](results.Query())
	if err := errors.Join(postsErr, accountsErr, filesErr, results.Close()); err != nil {
		return nil, err
	}
	byID := make(map[core.MediaID]Media, len(files))
	for _, file := range files {
		byID[file.ID] = file
	}
	var out []ClaimedPost
	for _, row := range posts {
		c := ClaimedPost{Publication: publications[row.ID], Post: t.toPostExceptReplacedBy(row)}
		i := slices.IndexFunc(accounts, func(a accountAndToken) bool { return a.ID == row.Account })
		if i < 0 { // deleted with its workspace since the posts were read
			continue
		}
		c.Account, c.Token = accounts[i].Account, accounts[i].Token
		for _, id := range row.MediaIDs {
			c.Media = append(c.Media, byID[id])
		}
		out = append(out, c)
	}
	return out, nil
}
