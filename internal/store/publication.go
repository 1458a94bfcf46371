package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"belfry/internal/core"
)

// ErrFenced means that the worker has lost its claim on the publication: another worker has taken over, or a person has
// changed the post. The worker must stop and make no more calls.
var ErrFenced = errors.New("the worker has lost its claim on this publication")

// ErrNotDue means that the post is not due yet, so its irreversible call must not be made.
var ErrNotDue = errors.New("this post is not due yet")

// ErrPublishingHeld means that publishing is on hold after a restore, so the irreversible call must not be made.
var ErrPublishingHeld = errors.New("publishing is on hold")

// Publication is a row of the publishing ledger. The protocol's Handle is empty; Sealed is the encrypted handle. The
// row of a live post has none.
type Publication struct {
	core.Publication
	Post        core.PostID
	Platform    core.Platform
	Sealed      []byte
	Epoch       int64
	Owner       string      // the latest claim: the name of its worker and a random part
	Rest        core.Action // how the last claim ended; RestQueued before the first
	Polls       int
	DueAt       time.Time
	Ahead       time.Duration // how long before DueAt the post can be prepared
	Preparing   bool          // the last claim began before DueAt
	ExternalID  string        // the network's id of the post, if it was known before the post was live
	NextAt      time.Time     // not before DueAt; zero if no worker needs to act
	StepSince   time.Time     // when the step began, or the handle last changed
	ArmedAt     time.Time
	QuietAt     time.Time
	FirstCallAt time.Time
	LeaseUntil  time.Time
	Failure     json.RawMessage
	// ReadAt is the time of the database's clock when the row was read or claimed.
	ReadAt time.Time
}

// Unqueue is core.Publication.Unqueue. It also removes the encrypted handle and the network's id.
func (p Publication) Unqueue() Publication {
	p.Publication, p.Sealed, p.ExternalID = p.Publication.Unqueue(), nil, ""
	return p
}

// IsBeingPublished reports whether a worker was publishing the post when the row was read. A worker that prepares a
// post before its time also has a lease, but the post can still be changed.
func (p Publication) IsBeingPublished() bool {
	return p.LeaseUntil.After(p.ReadAt) && !p.DueAt.After(p.ReadAt)
}

// unleased is the condition that no worker has claimed a row of publications or media.
const unleased = `(lease_until IS NULL OR lease_until <= clock())`

// publishingNotHeld is the condition that publishing is not on hold after a restore. During a hold, no worker
// claims a publication or sweeps the stored bytes, and no publication counts as overdue.
const publishingNotHeld = `NOT EXISTS (SELECT FROM publishing_hold)`

// holdAllowsCall is the condition that publishing is not on hold, or that a call that needs the turn only asks the
// network. A worker that claimed a post before the hold may still prepare it, and find out what became of its last
// irreversible call. The hold does not stop a call whose statement began before the hold was stored: a worker makes
// such a call within the call's deadline.
const holdAllowsCall = `(@call IN ('find', 'status') OR ` + publishingNotHeld + `)`

// AskingNetworkSince returns when the worker began to ask the network about the publication: when its step began, when
// its handle last changed or when its last irreversible call could no longer take effect, whichever is latest.
func (p Publication) AskingNetworkSince() time.Time {
	if p.QuietAt.After(p.StepSince) {
		return p.QuietAt
	}
	return p.StepSince
}

// RestQueued marks a publication that no worker has claimed since it was queued.
const RestQueued core.Action = "queued"

// RestConverting marks a publication whose claim ended before all of its images were converted.
const RestConverting core.Action = "converting"

// RestStuck marks a publication that this server cannot publish because the server lacks something, such as a key, or
// could not read the post.
const RestStuck core.Action = "stuck"

// publicationColumns are the columns of a row with the alias p.
const publicationColumns = `
	p.post_id AS post, p.platform, p.flow, p.step, '' AS handle, p.handle AS sealed, p.armed, p.open, p.answer, p.tries,
	p.deaths, p.polls, p.due_at, p.ahead, p.preparing, p.external_id, p.next_action_at AS next_at, p.step_since,
	p.armed_at, p.quiet_at, p.first_call_at,
	p.lease_epoch AS epoch, coalesce(p.lease_owner, '') AS owner, p.lease_until, p.failure, clock() AS read_at`

// LockPublication returns a post's ledger row, and prevents workers from claiming it until the transaction ends.
func (t Tenant) LockPublication(ctx context.Context, post core.PostID) (Publication, error) {
	return queryOne[Publication](t.query(ctx,
		`SELECT `+publicationColumns+`, p.rest FROM publications p WHERE workspace_id = @ws AND post_id = @post FOR UPDATE`,
		args{"post": post}))
}

// PutPublicationAndEndClaim creates a post's row or replaces the one that the caller has locked. Claims use
// SaveStepBeforeCall and SaveStepAndEndClaim instead. If Rest is RestQueued, a worker acts when the post is due or can
// be prepared; otherwise, no worker acts. A zero DueAt means now by the database's clock. A worker that has claimed the
// post loses its claim and cannot overwrite the change.
func (t Tenant) PutPublicationAndEndClaim(ctx context.Context, p Publication) error {
	return t.signalDueIfNoError(t.exec(ctx, `
		WITH ended AS ( -- the turn of a post that waited for it
			DELETE FROM account_turns
			WHERE post_id = (SELECT post_id FROM publications WHERE workspace_id = @ws AND post_id = @post)
		)
		INSERT INTO publications AS p (post_id, workspace_id, platform, flow, step, handle, armed, open, answer, tries,
			deaths, external_id, rest, due_at, ahead, next_action_at, prepare_at,
			step_since)
		VALUES (@post, @ws, @platform, @flow, @step, `+handleUnlessLive+`, @armed, @open, @answer, @tries, @deaths,
			@external_id, @rest, `+dueOrNow+`, @ahead, CASE WHEN @rest = 'queued' THEN `+dueOrNow+` END,
			CASE WHEN @rest = 'queued' THEN `+prepareAtSQL(`@ahead::interval`, `@due::timestamptz`)+` END, clock())
		ON CONFLICT (post_id) DO UPDATE SET flow = @flow, step = @step, handle = excluded.handle, armed = @armed,
			open = @open, answer = @answer, tries = @tries, deaths = @deaths, polls = 0, external_id = @external_id,
			rest = @rest, due_at = excluded.due_at, ahead = @ahead, preparing = false,
			next_action_at = excluded.next_action_at, prepare_at = excluded.prepare_at,
			step_since = excluded.step_since,
			first_call_at = CASE WHEN p.due_at = excluded.due_at THEN p.first_call_at END, `+endClaimSQL+`
		WHERE p.workspace_id = @ws`,
		args{
			"post": p.Post, "platform": p.Platform, "flow": p.Flow, "step": p.Step, "handle": p.Sealed, "armed": p.Armed,
			"open": p.Open, "answer": p.Answer, "tries": p.Tries, "deaths": p.Deaths, "rest": p.Rest, "due": p.DueAt,
			"ahead": p.Ahead, "external_id": p.ExternalID,
		}))
}

// dueOrNow is when a queued post is due: at the given time, or now by the database's clock.
const dueOrNow = `coalesce(@due::timestamptz, clock())`

// prepareAtSQL returns the SQL for when a post can be prepared: the time ahead before it is due, but not in the past.
// It is null if the post is already due or is not prepared.
func prepareAtSQL(aheadSQL, dueSQL string) string {
	return `CASE WHEN ` + aheadSQL + ` > '0' AND ` + dueSQL + ` > clock()
		THEN greatest(` + dueSQL + ` - ` + aheadSQL + `, clock()) END`
}

// mayHaveBegun is the condition that a worker may have begun with a queued post p. It keeps queries from reading the
// posts that are scheduled for later than @ahead, which is core.LongestAhead.
const mayHaveBegun = `p.status = 'queued' AND ` + listTime + ` <= clock() + @ahead::interval`

// lockBegunSQL returns the SQL that selects the ledger rows u of the accounts' posts with which a worker may have
// begun, in the order of their ids. whereAndLock is a condition on u and a locking clause. LATERAL makes PostgreSQL
// look up the row of each of these posts; with a join, it may read the rows of all posts that wait.
func lockBegunSQL(accountIDsSQL, whereAndLock string) string {
	return `
		SELECT u.workspace_id, u.post_id FROM (
			SELECT p.workspace_id, p.id FROM posts p WHERE p.account_id IN (` + accountIDsSQL + `) AND ` + mayHaveBegun + `
			ORDER BY p.id
		) p CROSS JOIN LATERAL (
			SELECT u.workspace_id, u.post_id FROM publications u
			WHERE u.workspace_id = p.workspace_id AND u.post_id = p.id AND ` + whereAndLock + `
		) u`
}

const oneAccountSQL = `SELECT id FROM accounts WHERE workspace_id = @ws AND id = @account`

// wakeSQL lets a worker act immediately on a row with the alias u; before the post is due, the worker only prepares it.
const wakeSQL = `next_action_at = greatest(u.due_at, clock()), prepare_at = CASE WHEN u.due_at > clock() THEN clock() END`

// endClaimSQL ends the claim of a row with the alias p, or its wait for the turn.
const endClaimSQL = `lease_epoch = p.lease_epoch + 1, lease_owner = NULL, lease_until = NULL, turn_of = NULL`

// relaxed lets a commit return before it is on disk. It is for changes that the fence or a repeated question corrects
// after a crash of the database, and never for the arm or the result of a post.
const (
	relaxed    = `set_config('synchronous_commit', 'off', true)`
	relaxedBut = `CASE WHEN @call <> 'publish' THEN ` + relaxed + ` END`
)

// fence allows only the worker with the newest claim to write.
const fence = `workspace_id = @ws AND post_id = @post AND lease_epoch = @epoch AND lease_owner = @owner`

// SaveStepBeforeCall stores the state of the protocol, the result of the last call and the next call, in one statement,
// and renews the lease. It must succeed before the call is made. quietAfter is how long from now the irreversible call
// can take effect. SaveStepBeforeCall returns the call's step id. For a call that takes the turn, except a search, it
// returns ErrNotDue if the post is not due yet. Unless such a call only asks the network, it returns ErrPublishingHeld
// while publishing is on hold. It returns ErrNoTurn if another post of the account has the turn, or if another worker
// is just taking over; EndClaimUntilTurn distinguishes the two. After ErrFenced, the worker must stop.
func (t Tenant) SaveStepBeforeCall(ctx context.Context, p Publication, last *Outcome, next Call, lease,
	quietAfter time.Duration,
) (stepID int64, err error) {
	a := p.stepArguments()
	a["lease"], a["quiet"], a["seq"], a["call"], a["deadline"] = lease, quietAfter, next.Seq, next.Do, next.Deadline
	a["gate"] = p.makeUniqueCallName(next.Seq)
	take, taken, pass := "", "", ""
	if next.TakesTurn || next.Do == core.DoPublish {
		take, taken = takeTurnSQL, ` AND EXISTS (SELECT FROM turn)`
	}
	if next.PassesTurn {
		pass = passTurnSQL
	}
	type saved struct {
		ID               *int64
		Due, Held, Woken bool
	}
	step, err := queryOne[saved](t.query(ctx, withFinishedLastStepSQL(last, a)+take+`, fenced AS (
			UPDATE publications SET `+stepColumns+`, lease_until = clock() + @lease::interval, calling = @call = 'publish',
				gate = CASE WHEN @call = 'create' THEN @gate ELSE gate END,
				first_call_at = CASE WHEN preparing THEN first_call_at ELSE coalesce(first_call_at, clock()) END,
				armed_at = CASE WHEN NOT @armed THEN NULL ELSE coalesce(armed_at, CASE WHEN @call = 'publish'
					THEN clock() END) END,
				quiet_at = CASE WHEN @call = 'publish' THEN clock() + @quiet::interval ELSE quiet_at END
			WHERE `+fence+taken+` RETURNING post_id, `+relaxedBut+`
		)`+pass+`, step AS (
			INSERT INTO publish_steps (workspace_id, post_id, epoch, seq, call, started_at, deadline_at)
			SELECT @ws, post_id, @epoch, @seq, @call, clock(), clock() + @deadline::interval FROM fenced
			RETURNING id
		)
		SELECT step.id, due_at <= clock() AS due, NOT `+holdAllowsCall+` AS held,
			`+hasWokenPostSQL(next.PassesTurn)+` AS woken
		FROM publications LEFT JOIN step ON true LEFT JOIN LATERAL (
			SELECT `+relaxed+` WHERE step.id IS NULL -- no call was saved, so the commit need not wait for the disk
		) unsaved ON true
		WHERE `+fence, a))
	switch {
	case errors.Is(err, ErrNotFound), err == nil && step.ID == nil && take == "":
		return 0, ErrFenced
	case err != nil:
		return 0, fmt.Errorf("save %s before %s: %w", p.Step, next.Do, err)
	case step.ID == nil && !step.Due && next.Do != core.DoFind:
		return 0, ErrNotDue
	case step.ID == nil && step.Held:
		return 0, ErrPublishingHeld
	case step.ID == nil:
		return 0, ErrNoTurn
	}
	if step.Woken {
		t.store.signalDue()
	}
	return *step.ID, nil
}

// SaveStepAndEndClaim stores the state of the protocol at the end of a claim, and releases the lease. NextAt is when a
// worker acts again; before the post is due, the worker only prepares it. A zero NextAt means that no worker needs to
// act. If passTurnFor is above zero and the post has the account's turn, the next waiting post gets the turn for that
// long. After ErrFenced, another worker continues.
func (t Tenant) SaveStepAndEndClaim(ctx context.Context, p Publication, last *Outcome,
	passTurnFor time.Duration,
) error {
	a := p.stepArguments()
	a["rest"], a["polls"], a["next"] = p.Rest, p.Polls, p.NextAt
	passSQL := ""
	if passTurnFor > 0 {
		a["lease"], passSQL = passTurnFor, passTurnSQL
	}
	woken, err := queryValue[bool](t.query(ctx, withFinishedLastStepSQL(last, a)+`, fenced AS (
			UPDATE publications SET `+stepColumns+`, rest = @rest, polls = @polls,
				next_action_at = CASE WHEN @next::timestamptz IS NOT NULL THEN greatest(due_at, @next) END,
				prepare_at = CASE WHEN @next < due_at THEN @next END,
				armed_at = CASE WHEN @armed THEN armed_at END, lease_owner = NULL, lease_until = NULL
			WHERE `+fence+` RETURNING post_id
		)`+passSQL+`
		SELECT `+hasWokenPostSQL(passTurnFor > 0)+` FROM fenced`, a))
	switch {
	case errors.Is(err, ErrNotFound):
		return ErrFenced
	case err != nil:
		return fmt.Errorf("save the step %s at the end of a claim: %w", p.Step, err)
	case woken || !p.NextAt.IsZero():
		t.store.signalDue()
	}
	return nil
}

// handleUnlessLive is the handle to store. Nothing reads the handle of a live post, which may contain secrets, and each
// rotation of the secret keys would encrypt it again.
const handleUnlessLive = `CASE WHEN @step <> 'live' THEN @handle::bytea END`

const stepColumns = `
	step_since = CASE WHEN step = @step AND handle IS NOT DISTINCT FROM @handle::bytea THEN step_since ELSE clock() END,
	flow = @flow, step = @step, handle = ` + handleUnlessLive + `, armed = @armed, open = @open, answer = @answer,
	tries = @tries, deaths = @deaths, external_id = @external_id, failure = @failure`

// stepArguments returns the arguments of stepColumns and fence.
func (p Publication) stepArguments() args {
	return args{
		"post": p.Post, "epoch": p.Epoch, "owner": p.Owner, "flow": p.Flow, "step": p.Step, "handle": p.Sealed, "armed": p.Armed,
		"open":   p.Open,
		"answer": p.Answer, "tries": p.Tries, "deaths": p.Deaths, "external_id": p.ExternalID, "failure": p.Failure,
	}
}

// GateName returns the name of the gate for a call that creates the post's object on the network. callSeq is the
// number of the call within the claim. See network.Delivery.Gated.
func (p Publication) GateName(callSeq int) string {
	return p.Post.String() + "." + p.makeUniqueCallName(callSeq)
}

// makeUniqueCallName returns a unique name of a call, from the random part of the claim's owner. After a crash of the
// database, a later claim can have the same epoch.
func (p Publication) makeUniqueCallName(callSeq int) string {
	return fmt.Sprintf("%s.%d", p.Owner[strings.LastIndex(p.Owner, " ")+1:], callSeq)
}

// IsGateOpen reports whether the gate's call created the latest object of its post, and the post is armed.
func (t Tenant) IsGateOpen(ctx context.Context, gateName string) (bool, error) {
	post, call, _ := strings.Cut(gateName, ".")
	id, err := core.ParseID[core.PostKind](post)
	if err != nil {
		return false, err
	}
	return queryValue[bool](t.query(ctx, `SELECT EXISTS (SELECT FROM publications
		WHERE workspace_id = @ws AND post_id = @post AND gate = @gate AND armed)`, args{"post": id, "gate": call}))
}

// overdue is the condition that a publication has been due, and unclaimed, for longer than @overdue.
const overdue = publishingNotHeld + ` AND next_action_at <= clock() - @overdue::interval
	AND (lease_until IS NULL OR lease_until <= clock() - @overdue::interval)`

// CountOverduePublications counts the publications that have been due for longer than maxLateness and are either
// unclaimed or stuck. oldestLateness is how long the oldest has been due.
func (s *Store) CountOverduePublications(ctx context.Context, maxLateness time.Duration,
) (count int, oldestLateness time.Duration, err error) {
	type row struct {
		Count  int
		Oldest time.Duration
	}
	r, err := queryOne[row](s.query(ctx, `
		SELECT count(*) AS count, coalesce(clock() - min(since), '0') AS oldest FROM (
			SELECT next_action_at AS since FROM publications WHERE `+overdue+`
			UNION ALL SELECT due_at FROM publications -- these are tried at least once a minute
			WHERE rest = @stuck AND due_at <= clock() - @overdue::interval
				AND next_action_at > clock() - @overdue::interval AND next_action_at <= clock() + '1 minute'::interval
		) AS late`, args{"overdue": maxLateness, "stuck": RestStuck}))
	return r.Count, r.Oldest, err
}

// ReleaseLeasesOfDuePublications releases a stopping worker's leases on publications that are due now, or due to be
// prepared, so that others can take over immediately. owner is the name with which the worker has claimed them.
func (s *Store) ReleaseLeasesOfDuePublications(ctx context.Context, owner string) error {
	return s.exec(ctx, `
		WITH held AS (
			SELECT post_id FROM publications WHERE starts_with(lease_owner, @owner || ' ') AND lease_until > clock()
				AND (next_action_at <= clock() OR prepare_at <= clock()) ORDER BY post_id FOR UPDATE
		)
		UPDATE publications p SET lease_until = clock() FROM held WHERE p.post_id = held.post_id`, args{"owner": owner})
}

// Call is a call to a network, as the ledger stores it.
type Call struct {
	Seq      int
	Do       core.Action
	Deadline time.Duration // from now
	// TakesTurn says that no other post of the account may make its irreversible call or search from now on. The
	// irreversible call always takes the turn. PassesTurn says that the next waiting post can continue.
	TakesTurn, PassesTurn bool
}

// Outcome is the result of a call.
type Outcome struct {
	Seq        int
	Verdict    core.Verdict
	HTTPStatus int
	Code       string
	Trace      string
	Response   []byte
}

// withFinishedLastStepSQL returns the beginning of a statement, WITH finished AS (…), that finishes the previous step
// if there is one, and adds its arguments to addArgsTo. It writes without the fence, so that the response to a
// worker that has lost its claim is also recorded. After a crash of the database, this may instead finish a step of the
// next claim, which can have the same epoch. The results of steps serve only diagnosis.
func withFinishedLastStepSQL(lastOrNil *Outcome, addArgsTo args) string {
	if lastOrNil == nil {
		return `WITH finished AS (SELECT 1)`
	}
	last := lastOrNil
	addArgsTo["last"], addArgsTo["verdict"], addArgsTo["http_status"] = last.Seq, last.Verdict, last.HTTPStatus
	addArgsTo["code"], addArgsTo["trace"], addArgsTo["response"] = last.Code, last.Trace, last.Response
	return `WITH finished AS (
			UPDATE publish_steps SET finished_at = clock(), verdict = @verdict, http_status = @http_status, net_code = @code,
				net_trace = @trace, response = @response
			WHERE workspace_id = @ws AND post_id = @post AND epoch = @epoch AND seq = @last
		)`
}

// DeleteRepeatedSteps shortens the record of the calls of a publication that the caller has claimed. Of the calls since
// the last irreversible one that changed nothing and had the same result, it keeps only the first and the last; their
// epochs show how many there were.
func (t Tenant) DeleteRepeatedSteps(ctx context.Context, post core.PostID) error {
	return t.exec(ctx, `
		DELETE FROM publish_steps s USING (
			SELECT id, row_number() OVER (alike ORDER BY id) AS nth, row_number() OVER (alike ORDER BY id DESC) AS nth_last
			FROM publish_steps q
			WHERE workspace_id = @ws AND post_id = @post AND finished_at IS NOT NULL
				AND (call IN ('status', 'find') OR call = 'create' AND verdict = 'throttled')
				AND NOT EXISTS (SELECT FROM publish_steps p WHERE p.post_id = @post AND p.call = 'publish' AND p.id > q.id)
			WINDOW alike AS (PARTITION BY call, verdict, http_status, net_code)
		) AS of WHERE s.id = of.id AND of.nth > 1 AND of.nth_last > 1`, args{"post": post})
}
