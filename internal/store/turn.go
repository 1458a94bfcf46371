package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"belfry/internal/core"
)

// ErrNoTurn means that another post of the account is making its irreversible call or a search, or is about to.
var ErrNoTurn = errors.New("another post from this account has the turn")

// RestTurn marks a publication whose claim ended because another post of the account had the turn.
const RestTurn core.Action = "turn"

// waitForTurn is the longest time until a waiting publication is claimed again. It matters only if an older version,
// which does not pass turns on, has ended the turn.
const waitForTurn = 10 * time.Minute

// ownAccountSQL selects the account of @post. Workspaces that have connected the same account of a network share its
// turn, so the turn belongs to the account's platform and external id.
const ownAccountSQL = `SELECT id, platform, external_id FROM accounts
	WHERE workspace_id = @ws AND id = (SELECT account_id FROM posts WHERE workspace_id = @ws AND id = @post)`

// takeTurnSQL takes the turn for a claimed publication, unless another post of its account has it. Before the post is
// due, only a search gets the turn, and during a hold on publishing, only a search or a status query. Like every
// statement that writes a publication and a turn, it locks the publication first.
const takeTurnSQL = `, mine AS (
			SELECT post_id FROM publications
			WHERE ` + fence + ` AND ` + holdAllowsCall + ` AND (due_at <= clock() OR @call = 'find') FOR NO KEY UPDATE
		), turn AS (
			INSERT INTO account_turns AS t (platform, external_id, post_id, until)
			SELECT a.platform, a.external_id, post_id, clock() + @lease::interval FROM mine, (` + ownAccountSQL + `) a
			ON CONFLICT (platform, external_id) DO UPDATE SET post_id = excluded.post_id, until = excluded.until
				WHERE t.post_id = excluded.post_id OR t.until <= clock()
			RETURNING post_id
		)`

// firstWaitingSQL selects the waiting post that is due first, for each account in the CTE freed. LATERAL makes
// PostgreSQL look up the posts of each workspace's row of the account; with a join, it may read all posts that wait. A
// locked post is skipped, because another transaction is changing it.
const firstWaitingSQL = `SELECT w.post_id FROM freed CROSS JOIN LATERAL (
				SELECT u.post_id FROM accounts a CROSS JOIN LATERAL (
					SELECT u.post_id, u.due_at FROM publications u WHERE u.turn_of = a.id AND u.rest = 'turn'
					ORDER BY u.due_at, u.post_id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
				) u WHERE a.platform = freed.platform AND a.external_id = freed.external_id
				ORDER BY u.due_at, u.post_id LIMIT 1
			) w`

// passTurnSQL ends the turn of the publication in the CTE fenced, if it has the turn. The waiting post that is due
// first gets the turn and is woken.
const passTurnSQL = `, freed AS (
			SELECT platform, external_id FROM account_turns
			WHERE post_id = @post AND EXISTS (SELECT FROM fenced) FOR UPDATE
		), first AS (
			` + firstWaitingSQL + `
		), woken AS (
			UPDATE publications u SET turn_of = NULL, ` + wakeSQL + ` FROM first
			WHERE u.post_id = first.post_id RETURNING u.post_id
		), passed AS (
			UPDATE account_turns t SET post_id = woken.post_id, until = clock() + @lease::interval FROM freed, woken
			WHERE t.platform = freed.platform AND t.external_id = freed.external_id
		), ended AS (
			DELETE FROM account_turns t USING freed
			WHERE t.platform = freed.platform AND t.external_id = freed.external_id AND NOT EXISTS (SELECT FROM woken)
		)`

// hasWokenPostSQL returns the SQL that says whether passTurnSQL has made another post due. passesTurn says whether the
// statement contains passTurnSQL.
func hasWokenPostSQL(passesTurn bool) string {
	if passesTurn {
		return `EXISTS (SELECT FROM woken)`
	}
	return `false`
}

// EndClaimUntilTurn ends the claim of a publication that did not get its account's turn. The publication is claimed
// again when it has the turn. Until then, people can change it unless it is armed. After ErrFenced, another worker
// continues.
func (t Tenant) EndClaimUntilTurn(ctx context.Context, p Publication) error {
	a := p.stepArguments()
	a["wait"], a["rest"] = waitForTurn, RestTurn
	changed, err := t.execChanged(ctx, `
		UPDATE publications SET `+stepColumns+`, rest = @rest, polls = 0, turn_of = own.id,
			armed_at = CASE WHEN @armed THEN armed_at END, lease_owner = NULL, lease_until = NULL,
			next_action_at = CASE WHEN due_at > clock() THEN due_at ELSE next.at END,
			prepare_at = CASE WHEN due_at > clock() THEN next.at END
		FROM (SELECT a.*, `+relaxed+` FROM (`+ownAccountSQL+`) AS a) AS own CROSS JOIN LATERAL (
			SELECT clock() + CASE WHEN EXISTS ( -- the turn may have ended in the meantime
				SELECT FROM account_turns t WHERE t.platform = own.platform AND t.external_id = own.external_id
					AND t.post_id <> @post AND t.until > clock()
			) THEN @wait::interval ELSE '0' END AS at
		) AS next
		WHERE `+fence, a)
	if err != nil {
		return fmt.Errorf("record that a post is waiting for its turn: %w", err)
	}
	if !changed {
		return ErrFenced
	}
	t.store.signalDue()
	return nil
}

// turnEnded is the condition that the publication u waits although no post of its account has the turn. turn_of alone
// does not show that u waits, because an older version does not clear it.
const turnEnded = `u.turn_of IS NOT NULL AND u.rest = 'turn' AND NOT EXISTS (
		SELECT FROM accounts a JOIN account_turns t ON t.platform = a.platform AND t.external_id = a.external_id
		WHERE a.id = u.turn_of AND t.until > clock())`

// WakeNextPostsAwaitingTurn wakes one post of each account whose posts wait although no post has the turn. The waiting
// post with the earliest time is woken, and takes the turn before its call, like any other post. An account
// needs this if a worker has died, or if a turn ended while a post began to wait. WakeNextPostsAwaitingTurn waits for
// no lock, so it cannot deadlock with a transaction that changes several posts.
func (s *Store) WakeNextPostsAwaitingTurn(ctx context.Context) error {
	woken, err := s.execChanged(ctx, `
		WITH freed AS (
			SELECT DISTINCT own.platform, own.external_id
			FROM publications u JOIN accounts own ON own.id = u.turn_of WHERE `+turnEnded+`
		), first AS (
			`+firstWaitingSQL+`
		)
		UPDATE publications u SET turn_of = NULL, `+wakeSQL+` FROM first WHERE u.post_id = first.post_id`, nil)
	if woken {
		s.signalDue()
	}
	return err
}
