package store

import (
	"context"
	"time"

	"belfry/internal/core"
)

// GrantAccount is an account that was connected with a grant.
type GrantAccount struct {
	Workspace core.WorkspaceID
	ID        core.AccountID
	Connected bool
}

// AccountsOfGrant lists the accounts of a grant in all workspaces, including disconnected ones. It omits accounts that
// were connected again a second or more after grantedUntil. connectedVia is as in core.Account.
func (s *Store) AccountsOfGrant(ctx context.Context, grantHash []byte, connectedVia string, grantedUntil time.Time,
) ([]GrantAccount, error) {
	return queryMany[GrantAccount](s.query(ctx, `
		SELECT workspace_id AS workspace, id, disconnected_at IS NULL AS connected FROM accounts
		WHERE grant_hash = @grant AND connected_at = @via AND `+grantedBy+`
		ORDER BY workspace_id, id`, args{"grant": grantHash, "via": connectedVia, "at": grantedUntil}))
}

// LockGrantOfAccount prevents accounts of the grant from being connected until the transaction ends, and returns the
// current row of an account that AccountsOfGrant listed. It returns ErrNotFound if the account has been connected again
// since then.
func (t Tenant) LockGrantOfAccount(ctx context.Context, id core.AccountID, grantHash []byte, grantedUntil time.Time,
) (GrantAccount, error) {
	if err := t.store.lockGrantsInTx(ctx, grantHash); err != nil {
		return GrantAccount{}, err
	}
	return queryOne[GrantAccount](t.query(ctx, `
		SELECT workspace_id AS workspace, id, disconnected_at IS NULL AS connected FROM accounts
		WHERE workspace_id = @ws AND id = @id AND grant_hash = @grant AND `+grantedBy,
		args{"id": id, "grant": grantHash, "at": grantedUntil}))
}

// grantedBy is the condition that an account was not connected again after @at. Networks report times in seconds.
const grantedBy = `(granted_at IS NULL OR granted_at < @at::timestamptz + '1 second'::interval)`

// MarkAccountRevokedUnlessGrantedLater revokes an account whose person removed the app at revokedAt. It does nothing,
// and returns false, if the account is already revoked or disconnected, or if the person has connected it again since
// then.
func (t Tenant) MarkAccountRevokedUnlessGrantedLater(ctx context.Context, id core.AccountID, revokedAt time.Time,
	reason string,
) (revoked bool, err error) {
	return t.execChanged(ctx, `
		UPDATE accounts SET status = @revoked, status_reason = @reason
		WHERE workspace_id = @ws AND id = @id AND disconnected_at IS NULL AND status <> @revoked AND `+grantedBy,
		args{"id": id, "at": revokedAt, "reason": reason, "revoked": core.AccountRevoked})
}

// WakePostsAwaitingNetwork makes the account's posts due now if the network is processing them, so that a worker asks
// the network about them.
func (t Tenant) WakePostsAwaitingNetwork(ctx context.Context, account core.AccountID) error {
	return t.signalDueIfNoError(t.exec(ctx, `
		WITH waiting AS (`+lockBegunSQL(oneAccountSQL, `u.rest = @poll
			AND coalesce(u.prepare_at, u.next_action_at) > clock() FOR UPDATE SKIP LOCKED`)+`)
		UPDATE publications u SET `+wakeSQL+` FROM waiting WHERE u.post_id = waiting.post_id`,
		args{"account": account, "poll": core.DoPoll, "ahead": core.LongestAhead}))
}

// erasedExternalID replaces the network's id of an account whose data was erased.
const erasedExternalID = `'erased/' || accounts.id`

// EraseDisconnectedAccount deletes what the network has reported about a disconnected account, and names the account
// placeholderName. The row stays for the workspace's posts. EraseDisconnectedAccount returns the storage key of the
// copy of the account's picture, or "" if there is none, and ErrNotFound for a connected account.
func (t Tenant) EraseDisconnectedAccount(ctx context.Context, id core.AccountID,
	placeholderName string,
) (avatarKeyOrEmpty string, err error) {
	return queryValue[string](t.query(ctx, `
		UPDATE accounts SET external_id = `+erasedExternalID+`, username = '', display_name = @name, avatar_url = '',
			avatar = '', grant_hash = NULL
		FROM (SELECT id, avatar FROM accounts WHERE workspace_id = @ws AND id = @id AND disconnected_at IS NOT NULL
			FOR NO KEY UPDATE) AS before
		WHERE accounts.id = before.id RETURNING before.avatar`, args{"id": id, "name": placeholderName}))
}

// Erasure is a person's request, passed on by a network, to delete the data of their accounts.
type Erasure struct {
	Code         string
	Grant        []byte // the hash of the grant; empty when the erasure is done
	ConnectedVia string
	AskedAt      time.Time
	DoneAt       time.Time // zero until the erasure is done
}

// AddErasure stores an erasure. It returns false if the erasure is already stored.
func (s *Store) AddErasure(ctx context.Context, e Erasure) (added bool, err error) {
	return s.execChanged(ctx, `
		INSERT INTO erasures (code, grant_hash, connected_at, asked_at) VALUES (@code, @grant, @via, @asked)
		ON CONFLICT (code) DO NOTHING`,
		args{"code": e.Code, "grant": e.Grant, "via": e.ConnectedVia, "asked": e.AskedAt})
}

// Erasure returns an erasure by its code.
func (s *Store) Erasure(ctx context.Context, code string) (Erasure, error) {
	return queryOne[Erasure](s.query(ctx, `
		SELECT code, grant_hash AS "grant", connected_at AS connected_via, asked_at, done_at FROM erasures
		WHERE code = @code`, args{"code": code}))
}

// MarkErasureDone records that nothing is left to delete, and deletes the hash of the grant. It does nothing if this is
// already recorded.
func (s *Store) MarkErasureDone(ctx context.Context, code string) error {
	return s.exec(ctx, `UPDATE erasures SET grant_hash = '', done_at = clock() WHERE code = @code AND done_at IS NULL`,
		args{"code": code})
}

// DeleteOldErasures deletes erasures that were completed longer than keepFor ago.
func (s *Store) DeleteOldErasures(ctx context.Context, keepFor time.Duration) error {
	return s.exec(ctx, `DELETE FROM erasures WHERE done_at < clock() - @kept::interval`, args{"kept": keepFor})
}
