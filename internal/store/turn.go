package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"belfry/internal/core"
)

// ErrNoTurn means that another post of the account is in its irreversible step, or is about to make it.
var ErrNoTurn = errors.New("another post of this account has the turn")

// RestTurn marks a publication whose claim ended because another post of the account had the turn.
const RestTurn core.Do = "turn"

// waitForTurn is how long a publication waits at most until it is claimed again. It is a net for versions that pass no
// turns on: this one wakes the posts that wait.
const waitForTurn = 10 * time.Minute

// accountSQL is the account of @post.
const accountSQL = `(SELECT account_id FROM posts WHERE workspace_id = @ws AND id = @post)`

// takeTurnSQL takes the turn for a claimed publication that is due, unless another post of its account has it. The row
// of the publication is locked first, as in every statement that writes both.
const takeTurnSQL = `, mine AS (
			SELECT post_id FROM publications WHERE ` + fence + ` AND due_at <= clock() FOR NO KEY UPDATE
		), turn AS (
			INSERT INTO turns AS t (workspace_id, account_id, post_id, until)
			SELECT @ws, ` + accountSQL + `, post_id, clock() + @lease::interval FROM mine
			ON CONFLICT (account_id) DO UPDATE SET post_id = excluded.post_id, until = excluded.until
				WHERE t.post_id = excluded.post_id OR t.until <= clock()
			RETURNING post_id
		)`

// passTurnSQL gives the turn of the publication in the CTE fenced, if it has it, to the first due of those that wait,
// and makes that one due. Where none waits, the turn ends. A locked post is skipped, because somebody is changing it.
const passTurnSQL = `, held AS (
			SELECT account_id FROM turns WHERE workspace_id = @ws AND account_id = ` + accountSQL + ` AND post_id = @post
				AND EXISTS (SELECT FROM fenced) FOR UPDATE
		), first AS (
			SELECT u.post_id FROM publications u JOIN held ON u.turn_of = held.account_id
			WHERE u.workspace_id = @ws AND u.rest = 'turn' ORDER BY u.due_at, u.post_id LIMIT 1
			FOR NO KEY UPDATE OF u SKIP LOCKED
		), woken AS (
			UPDATE publications u SET turn_of = NULL, next_action_at = clock() FROM first
			WHERE u.workspace_id = @ws AND u.post_id = first.post_id RETURNING u.post_id
		), passed AS (
			UPDATE turns t SET post_id = woken.post_id, until = clock() + @lease::interval FROM held, woken
			WHERE t.account_id = held.account_id
		), ended AS (
			DELETE FROM turns t USING held WHERE t.account_id = held.account_id AND NOT EXISTS (SELECT FROM woken)
		)`

// wokenSQL tells whether passTurnSQL, if it is used, has made another post due.
func wokenSQL(passes bool) string {
	if passes {
		return `EXISTS (SELECT FROM woken)`
	}
	return `false`
}

// EndClaimUntilTurn ends the claim of a publication that has not got its account's turn. It is claimed again when it
// has the turn; until then, it can be changed. After ErrFenced, another worker continues.
func (t Tenant) EndClaimUntilTurn(ctx context.Context, p Publication) error {
	a := p.stepArguments()
	a["wait"], a["rest"] = waitForTurn, RestTurn
	changed, err := t.execChanged(ctx, `
		UPDATE publications SET `+stepColumns+`, rest = @rest, polls = 0, turn_of = account_id,
			armed_at = CASE WHEN @armed THEN armed_at END, lease_owner = NULL, lease_until = NULL,
			next_action_at = clock() + CASE WHEN EXISTS ( -- it may have ended meanwhile
				SELECT FROM turns t WHERE t.account_id = of.account_id AND t.post_id <> @post AND t.until > clock()
			) THEN @wait::interval ELSE '0' END
		FROM (SELECT `+accountSQL+` AS account_id, `+relaxed+`) AS of
		WHERE `+fence, a)
	if err != nil {
		return fmt.Errorf("save that a post waits for its turn: %w", err)
	}
	if !changed {
		return ErrFenced
	}
	t.store.signalDue()
	return nil
}

// WakeNextWaiting makes due the post that was due first, of each account whose turn nobody has while posts wait for it:
// workers die, and a turn may end while a post begins to wait. The post takes the turn with its arm, as any other does.
// WakeNextWaiting waits for no lock, so that it cannot end in a deadlock with a transaction that changes several posts.
func (s *Store) WakeNextWaiting(ctx context.Context) error {
	woken, err := s.execChanged(ctx, `
		WITH free AS (
			SELECT DISTINCT u.turn_of AS account_id FROM publications u WHERE u.turn_of IS NOT NULL
				AND NOT EXISTS (SELECT FROM turns t WHERE t.account_id = u.turn_of AND t.until > clock())
		), first AS (
			SELECT w.post_id FROM free CROSS JOIN LATERAL (
				SELECT u.post_id FROM publications u WHERE u.turn_of = free.account_id AND u.rest = 'turn'
				ORDER BY u.due_at, u.post_id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) AS w
		)
		UPDATE publications u SET turn_of = NULL, next_action_at = clock() FROM first WHERE u.post_id = first.post_id`, nil)
	if woken {
		s.signalDue()
	}
	return err
}
