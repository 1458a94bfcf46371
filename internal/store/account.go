package store

import (
	"context"
	"errors"
	"time"

	"belfry/internal/core"
)

const accountColumns = `
	id, platform, external_id, username, display_name, avatar_url, avatar, login, status, status_reason,
	connected_at AS connected_via, token_expires_at AS expires_at, grant_hash IS NULL AS grant_unknown, granted_at,
	created_at,
	greatest(held_until, (SELECT h.held_until FROM network_holds h WHERE h.platform = accounts.platform)) AS held_until`

// ConnectedAccounts lists the connected accounts, oldest first.
func (t Tenant) ConnectedAccounts(ctx context.Context) ([]core.Account, error) {
	return queryMany[core.Account](t.query(ctx, `
		SELECT `+accountColumns+` FROM accounts WHERE workspace_id = @ws AND disconnected_at IS NULL ORDER BY created_at, id`,
		nil))
}

// ConnectedAccountsByID returns those of the given accounts that are connected.
func (t Tenant) ConnectedAccountsByID(ctx context.Context,
	ids []core.AccountID,
) (map[core.AccountID]core.Account, error) {
	rows, err := queryMany[core.Account](t.query(ctx, `
		SELECT `+accountColumns+` FROM accounts WHERE workspace_id = @ws AND id = ANY(@ids) AND disconnected_at IS NULL`,
		args{"ids": ids}))
	found := make(map[core.AccountID]core.Account, len(rows))
	for _, r := range rows {
		found[r.ID] = r
	}
	return found, err
}

// ConnectedAccount returns a connected account. It also returns ErrNotFound for a disconnected one.
func (t Tenant) ConnectedAccount(ctx context.Context, id core.AccountID) (core.Account, error) {
	return queryOne[core.Account](t.query(ctx, `
		SELECT `+accountColumns+` FROM accounts WHERE workspace_id = @ws AND id = @id AND disconnected_at IS NULL`,
		args{"id": id}))
}

// accountAndToken is an account with its sealed token.
type accountAndToken struct {
	core.Account
	Token []byte
}

// AccountWithTokenIncludingDisconnected returns an account, connected or not, and its encrypted token. A disconnected
// account is revoked, and its token is empty.
func (t Tenant) AccountWithTokenIncludingDisconnected(ctx context.Context, id core.AccountID,
) (_ core.Account, sealedToken []byte, err error) {
	row, err := queryOne[accountAndToken](t.query(ctx, `
		SELECT `+accountColumns+`, token FROM accounts WHERE workspace_id = @ws AND id = @id`, args{"id": id}))
	return row.Account, row.Token, err
}

// LockConnectedAccountsShared prevents connected accounts from being disconnected until the transaction ends. It
// returns ErrNotFound if one of them is not connected. Posts and the month's usage must be locked first.
func (t Tenant) LockConnectedAccountsShared(ctx context.Context, ids []core.AccountID) error {
	held, err := queryValues[core.AccountID](t.query(ctx, `
		SELECT id FROM accounts WHERE workspace_id = @ws AND id = ANY(@ids)
			AND disconnected_at IS NULL ORDER BY id FOR SHARE`,
		args{"ids": ids}))
	if err == nil && len(held) < len(ids) {
		return ErrNotFound
	}
	return err
}

// AccountIDByExternalID returns the id of a profile's account, and whether the account is connected. It returns
// ErrNotFound if the profile was never connected.
func (t Tenant) AccountIDByExternalID(ctx context.Context, platform core.Platform,
	externalID string,
) (id core.AccountID, connected bool, err error) {
	type row struct {
		ID        core.AccountID
		Connected bool
	}
	found, err := queryOne[row](t.query(ctx, `
		SELECT id, disconnected_at IS NULL AS connected FROM accounts
		WHERE workspace_id = @ws AND platform = @platform AND external_id = @external`,
		args{"platform": platform, "external": externalID}))
	return found.ID, found.Connected, err
}

// CountConnectedAccounts returns the number of connected accounts. After LockWorkspace, it does not change until the
// transaction ends.
func (t Tenant) CountConnectedAccounts(ctx context.Context) (int64, error) {
	return queryValue[int64](t.query(ctx,
		`SELECT count(*) FROM accounts WHERE workspace_id = @ws AND disconnected_at IS NULL`, nil))
}

// SealedToken is an account's encrypted token, with the dates that must be readable without decrypting the token.
type SealedToken struct {
	Sealed    []byte
	ExpiresAt time.Time
	RefreshAt time.Time
	// Grant is the hash of the token's grant; nil if it is unknown.
	Grant []byte
}

// SaveConnectedAccount stores an account that was just connected or reconnected. The account becomes visible and its
// status becomes ok. The creation time of an existing account does not change.
func (t Tenant) SaveConnectedAccount(ctx context.Context, a core.Account, token SealedToken) error {
	return t.exec(ctx, `
		INSERT INTO accounts (id, workspace_id, platform, external_id, username, display_name, avatar_url, login, status,
			connected_at,
			token, token_expires_at, token_refresh_at, grant_hash, granted_at, check_at, created_at)
		VALUES (@id, @ws, @platform, @external, @username, @name, @avatar, @login, @ok, @connected, @token, @expires,
			@refresh, @grant, clock(), clock() + @check::interval, @now)
		ON CONFLICT (workspace_id, platform, external_id) DO UPDATE SET username = @username, display_name = @name,
			avatar_url = @avatar, login = @login, status = @ok, status_reason = '', connected_at = @connected, token = @token,
			token_expires_at = @expires, token_refresh_at = @refresh, token_claimed_until = NULL, token_failing_since = NULL,
			grant_hash = @grant, granted_at = excluded.granted_at, check_at = excluded.check_at, disconnected_at = NULL,
			of_other_networks = false
		WHERE accounts.id = @id`,
		args{
			"id": a.ID, "platform": a.Platform, "external": a.ExternalID, "username": a.Username, "name": a.DisplayName,
			"avatar": a.AvatarURL, "login": a.Login, "ok": core.AccountOK, "connected": a.ConnectedVia, "token": token.Sealed,
			"expires": token.ExpiresAt, "refresh": token.RefreshAt, "grant": token.Grant, "check": CheckEvery,
			"now": a.CreatedAt,
		})
}

// UpdateAccountProfile stores the names and the picture of a connected account. newAvatarKeyOrNil is the storage key of
// the new copy of the picture, or nil to keep the old copy. UpdateAccountProfile returns the key of the old copy if a
// new one replaces it, and ErrNotFound for a disconnected account.
func (t Tenant) UpdateAccountProfile(ctx context.Context, a core.Account, newAvatarKeyOrNil *string,
) (replacedAvatarKeyOrEmpty string, err error) {
	return queryValue[string](t.query(ctx, `
		UPDATE accounts SET username = @username, display_name = @name, avatar_url = @url,
			avatar = coalesce(@avatar, before.avatar)
		FROM (SELECT id, avatar FROM accounts WHERE workspace_id = @ws AND id = @id AND disconnected_at IS NULL
			FOR NO KEY UPDATE) AS before
		WHERE accounts.id = before.id
		RETURNING CASE WHEN before.avatar <> @avatar THEN before.avatar ELSE '' END`,
		args{"id": a.ID, "username": a.Username, "name": a.DisplayName, "url": a.AvatarURL, "avatar": newAvatarKeyOrNil}))
}

// WakePostsAwaitingToken lets workers continue with the account's queued posts that wait for a new token. The workers
// ask the network about posts whose irreversible call may have been made, and prepare posts that are due later. Failed
// posts keep their times.
func (t Tenant) WakePostsAwaitingToken(ctx context.Context, account core.AccountID) error {
	return t.signalDueIfNoError(t.exec(ctx, `
		WITH waiting AS (`+lockBegunSQL(oneAccountSQL, `(u.step = 'armed' OR u.rest = @await) FOR UPDATE`)+`)
		UPDATE publications u SET
			next_action_at = CASE WHEN u.step = 'armed' THEN clock() ELSE u.next_action_at END,
			prepare_at = CASE WHEN u.rest = @await THEN `+prepareAtSQL(`u.ahead`, `u.due_at`)+` END
		FROM waiting WHERE u.post_id = waiting.post_id`,
		args{"account": account, "await": core.DoAwait, "ahead": core.LongestAhead}))
}

// UnreplacedFailedPostIDsDueSince lists the account's failed posts that were due at dueSince or later and whose error
// has one of the codes, newest first. It leaves out posts that have a live copy.
func (t Tenant) UnreplacedFailedPostIDsDueSince(ctx context.Context, account core.AccountID, errorCodes []string,
	dueSince time.Time, limit int,
) ([]core.PostID, error) {
	return queryValues[core.PostID](t.query(ctx, `
		SELECT id FROM posts p WHERE workspace_id = @ws AND account_id = @account AND status = 'failed'
			AND `+listTime+` >= @since AND error_code = ANY(@codes) AND NOT EXISTS (`+liveCopies+`)
		ORDER BY `+listTime+` DESC, id DESC LIMIT @limit`,
		args{"account": account, "codes": errorCodes, "since": dueSince, "limit": limit}))
}

// WakePostIfAccountStatusOK lets a worker immediately continue with a publication that waits for its account, if the
// account's status is ok after all. In the same transaction, the caller must have saved that the publication waits, so
// that WakePostsAwaitingToken finds the publication if the account is reconnected later.
func (t Tenant) WakePostIfAccountStatusOK(ctx context.Context, post core.PostID) error {
	return t.signalDueIfNoError(t.exec(ctx, `
		UPDATE publications u SET `+wakeSQL+`
		FROM posts p JOIN accounts a ON a.workspace_id = p.workspace_id AND a.id = p.account_id
		WHERE u.workspace_id = @ws AND u.post_id = @post AND p.workspace_id = @ws AND p.id = @post AND a.status = @ok
			AND coalesce(u.prepare_at, u.next_action_at) > clock()`, args{"post": post, "ok": core.AccountOK}))
}

// SetAccountStatusIfTokenUnchanged sets the status of an account whose token the network refuses, with the reason. It
// does nothing if the token has been replaced since it was read. isRefused reports whether an encrypted token is the
// refused one. The bytes alone do not show this, because the secret keys may have been rotated.
func (t Tenant) SetAccountStatusIfTokenUnchanged(ctx context.Context, id core.AccountID,
	isRefused func(sealedToken []byte) bool, status core.AccountStatus, reason string,
) error {
	return t.Tx(ctx, func(t Tenant) error {
		sealed, err := queryValue[[]byte](t.query(ctx, `
			SELECT token FROM accounts WHERE workspace_id = @ws AND id = @id AND disconnected_at IS NULL
			FOR NO KEY UPDATE`, args{"id": id}))
		if errors.Is(err, ErrNotFound) || err == nil && !isRefused(sealed) {
			return nil
		}
		if err != nil {
			return err
		}
		return t.execOne(ctx, `
			UPDATE accounts SET status = @status, status_reason = @reason WHERE workspace_id = @ws AND id = @id`,
			args{"id": id, "status": status, "reason": reason})
	})
}

// QueuedPostIDs lists an account's queued posts.
func (t Tenant) QueuedPostIDs(ctx context.Context, account core.AccountID) ([]core.PostID, error) {
	return queryValues[core.PostID](t.query(ctx, `
		SELECT id FROM posts WHERE workspace_id = @ws AND account_id = @account AND status = 'queued' ORDER BY id`,
		args{"account": account}))
}

// LockQueuedPostsAndPublications is like QueuedPostIDs, but also prevents changes to the posts and their publications
// until the transaction ends. It locks all posts and then all publications, in the order of their ids. Otherwise, it
// could deadlock with a worker: a worker that has locked one publication may wait for the account's turn, which another
// change may hold.
func (t Tenant) LockQueuedPostsAndPublications(ctx context.Context, account core.AccountID) ([]core.PostID, error) {
	ids, err := queryValues[core.PostID](t.query(ctx, `
		SELECT id FROM posts WHERE workspace_id = @ws AND account_id = @account
			AND status = 'queued' ORDER BY id FOR NO KEY UPDATE`,
		args{"account": account}))
	if err != nil {
		return nil, err
	}
	return ids, t.exec(ctx, `SELECT FROM publications WHERE workspace_id = @ws AND post_id = ANY(@posts)
		ORDER BY post_id FOR UPDATE`, args{"posts": ids})
}

// AccountPostStats summarize the posts of a connected account.
type AccountPostStats struct {
	Account core.AccountID
	Queued  int // up to MostCounted
	Lost    int // failed with the given codes, up to MostCounted
	// NextAt is when the next queued post is due, and LastAt when the last live one was; zero for none.
	NextAt, LastAt time.Time
	// Next and Last are the ids of these two posts; nil for none.
	Next, Last *core.PostID
}

// PostStatsByAccount summarizes the posts of each connected account. A post counts as lost if it failed with one of
// lostCodes and was due at lostSince or later.
func (t Tenant) PostStatsByAccount(ctx context.Context, lostCodes []string,
	lostSince time.Time,
) ([]AccountPostStats, error) {
	return queryMany[AccountPostStats](t.query(ctx, `
		SELECT a.id AS account, queued, lost, next_at, last_at, next, last FROM accounts a
		CROSS JOIN LATERAL (SELECT count(*) AS queued FROM (
			SELECT FROM posts p WHERE p.account_id = a.id AND p.status = 'queued'
			ORDER BY `+listTime+` DESC, p.id DESC LIMIT @most) p) q
		CROSS JOIN LATERAL (SELECT count(*) AS lost FROM (
			SELECT FROM posts p WHERE p.account_id = a.id AND p.status = 'failed' AND `+listTime+` >= @since
				AND p.error_code = ANY(@codes)
			ORDER BY `+listTime+` DESC, p.id DESC LIMIT @most) p) f
		LEFT JOIN LATERAL (SELECT p.id AS next, `+listTime+` AS next_at FROM posts p
			WHERE p.account_id = a.id AND p.status = 'queued' ORDER BY `+listTime+`, p.id LIMIT 1) n ON true
		LEFT JOIN LATERAL (SELECT p.id AS last, `+listTime+` AS last_at FROM posts p
			WHERE p.account_id = a.id AND p.status = 'live' ORDER BY `+listTime+` DESC, p.id DESC LIMIT 1) l ON true
		WHERE a.workspace_id = @ws AND a.disconnected_at IS NULL`,
		args{"most": core.MostCounted, "codes": lostCodes, "since": lostSince}))
}

// DisconnectAccount deletes an account's token and facts and revokes the account. Its row stays for the history of its
// posts.
func (t Tenant) DisconnectAccount(ctx context.Context, id core.AccountID, reason string, now time.Time) error {
	return t.execOne(ctx, `
		WITH gone AS (DELETE FROM account_facts WHERE workspace_id = @ws AND account_id = @id)
		UPDATE accounts SET disconnected_at = @now, status = @revoked, status_reason = @reason, token = ''::bytea,
			token_expires_at = NULL, token_refresh_at = NULL
		WHERE workspace_id = @ws AND id = @id`,
		args{"id": id, "now": now, "revoked": core.AccountRevoked, "reason": reason})
}

// HoldAccountPosts holds all posts of an account, at least until the given time.
func (t Tenant) HoldAccountPosts(ctx context.Context, id core.AccountID, until time.Time) error {
	return t.execOne(ctx, `
		UPDATE accounts SET held_until = greatest(held_until, @until) WHERE workspace_id = @ws AND id = @id`,
		args{"id": id, "until": until})
}

// HoldPlatformPosts holds the posts of all accounts of a network, at least until the given time.
func (s *Store) HoldPlatformPosts(ctx context.Context, platform core.Platform, until time.Time) error {
	return s.exec(ctx, `
		INSERT INTO network_holds AS h (platform, held_until) VALUES (@platform, @until)
		ON CONFLICT (platform) DO UPDATE SET held_until = greatest(h.held_until, excluded.held_until)`,
		args{"platform": platform, "until": until})
}

// ClaimThrottleProbe lets one claim at a time send a call for an account, or to a network, whose hold has ended. It
// holds the posts of all other claims for holdOthersFor longer, and returns when this new hold ends. It returns
// ErrNotFound if no hold has ended, or if another claim is probing.
func (t Tenant) ClaimThrottleProbe(ctx context.Context, id core.AccountID, holdOthersFor time.Duration,
) (othersHeldUntil time.Time, err error) {
	return queryValue[time.Time](t.query(ctx, `
		WITH network AS (
			UPDATE network_holds SET held_until = clock() + @meanwhile::interval WHERE held_until <= clock()
				AND platform = (SELECT platform FROM accounts WHERE workspace_id = @ws AND id = @id
					AND (held_until IS NULL OR held_until <= clock()))
			RETURNING held_until
		), account AS ( -- where the network is held, whoever probes the network probes the account
			UPDATE accounts a SET held_until = clock() + @meanwhile::interval WHERE workspace_id = @ws AND id = @id
				AND held_until <= clock() AND (EXISTS (SELECT FROM network)
					OR NOT EXISTS (SELECT FROM network_holds h WHERE h.platform = a.platform))
			RETURNING held_until
		)
		SELECT held_until FROM network UNION SELECT held_until FROM account`,
		args{"id": id, "meanwhile": holdOthersFor}))
}

// EndThrottleAndWakePosts ends the holds for which ClaimThrottleProbe returned othersHeldUntil. The posts that waited
// for them become due: those of the account, or those of all accounts of the network. EndThrottleAndWakePosts skips
// locked posts, because the transactions that locked them may be waiting for a post that the caller has locked.
func (t Tenant) EndThrottleAndWakePosts(ctx context.Context, id core.AccountID, othersHeldUntil time.Time) error {
	return t.signalDueIfNoError(t.exec(ctx, `
		WITH network AS ( -- any other time belongs to another throttle or probe
			DELETE FROM network_holds WHERE held_until = @until
				AND platform = (SELECT platform FROM accounts WHERE workspace_id = @ws AND id = @id)
			RETURNING platform
		), account AS (
			UPDATE accounts SET held_until = NULL WHERE workspace_id = @ws AND id = @id AND held_until = @until RETURNING id
		), free AS (
			SELECT id FROM account
			UNION SELECT a.id FROM accounts a JOIN network USING (platform) WHERE a.held_until IS NULL OR a.held_until <= clock()
		), waiting AS (`+lockBegunSQL(`SELECT id FROM free`, `u.rest = @hold AND NOT u.armed AND u.failure IS NULL
			AND u.next_action_at IS NOT NULL AND coalesce(u.prepare_at, u.next_action_at) > clock()
			FOR NO KEY UPDATE SKIP LOCKED`)+`)
		UPDATE publications u SET `+wakeSQL+` FROM waiting WHERE u.workspace_id = waiting.workspace_id
			AND u.post_id = waiting.post_id`,
		args{"id": id, "hold": core.DoHold, "until": othersHeldUntil, "ahead": core.LongestAhead}))
}

// PendingConsent is a consent in progress: from the redirect to the network until the callback and then, with Profiles,
// until the person has chosen some.
type PendingConsent struct {
	StateHash   []byte
	User        core.UserID
	Platform    core.Platform
	Account     *core.AccountID // set when an account is reconnected
	Post        *core.PostID    // the post for which the account is reconnected, if any
	SessionHash []byte
	Verifier    []byte // sealed; empty without PKCE
	Profiles    []byte // sealed; nil before the callback
	BegunAt     time.Time
}

// AddPendingConsent stores a consent that expires at the given time. A zero BegunAt means now by the database's clock.
func (t Tenant) AddPendingConsent(ctx context.Context, c PendingConsent, expires time.Time) error {
	return t.exec(ctx, `
		INSERT INTO connections (state_hash, workspace_id, user_id, platform, account_id, post_id, session_hash, verifier,
			profiles, expires_at, begun_at)
		VALUES (@state, @ws, @user, @platform, @account, @post, @session, @verifier, @profiles, @expires,
			coalesce(@begun::timestamptz, clock()))`, args{
		"state": c.StateHash, "user": c.User, "platform": c.Platform, "account": c.Account, "post": c.Post,
		"session": c.SessionHash, "verifier": c.Verifier, "profiles": c.Profiles, "expires": expires, "begun": c.BegunAt,
	})
}

// PendingConsentWorkspaceSlug returns the slug of the workspace in which a consent was requested. It finds the consent
// by the state, person and browser session of want.
func (s *Store) PendingConsentWorkspaceSlug(ctx context.Context, want PendingConsent) (string, error) {
	return queryValue[string](s.query(ctx, `
		SELECT w.slug FROM connections c JOIN workspaces w ON w.id = c.workspace_id
		WHERE c.state_hash = @state AND c.user_id = @user AND c.session_hash = @session`,
		args{"state": want.StateHash, "user": want.User, "session": want.SessionHash}))
}

// ConsumeConsentAwaitingCallback deletes and returns the consent with the state, person and browser session of want, if
// the network has not answered it yet. The platform of want may be empty. ErrNotFound means that there is no such
// consent, that it has expired, or that it was already consumed.
func (t Tenant) ConsumeConsentAwaitingCallback(ctx context.Context, want PendingConsent, now time.Time,
) (PendingConsent, error) {
	return t.consumePendingConsent(ctx, want, false, now)
}

// ConsumeConsentAwaitingChoice is ConsumeConsentAwaitingCallback for a consent that has profiles, of which the person
// must choose some.
func (t Tenant) ConsumeConsentAwaitingChoice(ctx context.Context, want PendingConsent, now time.Time,
) (PendingConsent, error) {
	return t.consumePendingConsent(ctx, want, true, now)
}

func (t Tenant) consumePendingConsent(ctx context.Context, want PendingConsent, hasProfiles bool, now time.Time,
) (PendingConsent, error) {
	return queryOne[PendingConsent](t.query(ctx, `
		DELETE FROM connections
		WHERE workspace_id = @ws AND state_hash = @state AND user_id = @user AND session_hash = @session
			AND expires_at > @now
			AND (platform = @platform OR @platform = '') AND (profiles IS NOT NULL) = @chosen
		RETURNING state_hash, user_id AS "user", platform, account_id AS account, post_id AS post, session_hash, verifier,
			profiles, begun_at`, args{
		"state": want.StateHash, "user": want.User, "session": want.SessionHash, "now": now, "platform": want.Platform,
		"chosen": hasProfiles,
	}))
}
