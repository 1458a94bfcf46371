package store

import (
	"context"
	"time"

	"belfry/internal/core"
	"belfry/internal/queue"
)

// ExpireTokens marks the accounts whose token is past its date and cannot be renewed without a person.
func (s *Store) ExpireTokens(ctx context.Context, reason string) error {
	return s.exec(ctx, `
		UPDATE accounts SET status = @expired, status_reason = @reason
		WHERE status = @ok AND disconnected_at IS NULL AND token_refresh_at IS NULL AND token_expires_at <= clock()`,
		args{"ok": core.AccountOK, "expired": core.AccountExpired, "reason": reason})
}

// DueRefreshes lists accounts whose token should be renewed by now, the longest due first.
func (s *Store) DueRefreshes(ctx context.Context, limit int) ([]queue.Refresh, error) {
	return queryMany[queue.Refresh](s.query(ctx, `
		SELECT workspace_id AS workspace, id AS account FROM accounts
		WHERE token_refresh_at <= clock() AND status = 'ok' AND disconnected_at IS NULL
		ORDER BY token_refresh_at LIMIT @limit`, args{"limit": limit}))
}

// ClaimRefresh takes the renewal of a token for as long as the lease: nobody else is given it before. It
// answers not_found when the token is not due, or is being renewed by another, or was replaced.
func (t Tenant) ClaimRefresh(ctx context.Context, id core.AccountID,
	lease time.Duration,
) (core.Account, []byte, error) {
	row, err := queryOne[accountAndToken](t.query(ctx, `
		UPDATE accounts SET token_refresh_at = clock() + @lease::interval
		WHERE workspace_id = @ws AND id = @id AND token_refresh_at <= clock() AND status = 'ok' AND disconnected_at IS NULL
		RETURNING `+accountColumns+`, token`, args{"id": id, "lease": lease}))
	return row.Account, row.Token, err
}

// checkEvery is how often the network is asked whether a token still works.
const checkEvery = 24 * time.Hour

// DueChecks lists accounts of which the network should be asked by now whether their token still works.
func (s *Store) DueChecks(ctx context.Context, limit int) ([]queue.Check, error) {
	return queryMany[queue.Check](s.query(ctx, `
		SELECT workspace_id AS workspace, id AS account FROM accounts
		WHERE check_at <= clock() AND status = 'ok' AND disconnected_at IS NULL ORDER BY check_at LIMIT @limit`,
		args{"limit": limit}))
}

// ClaimCheck gives the caller the check of an account's token for the given time, after which another worker may
// check it. It returns the account and its sealed token, or not_found if no check is due.
func (t Tenant) ClaimCheck(ctx context.Context, id core.AccountID, lease time.Duration) (core.Account, []byte, error) {
	row, err := queryOne[accountAndToken](t.query(ctx, `
		UPDATE accounts SET check_at = clock() + @lease::interval
		WHERE workspace_id = @ws AND id = @id AND check_at <= clock() AND status = 'ok' AND disconnected_at IS NULL
		RETURNING `+accountColumns+`, token`, args{"id": id, "lease": lease}))
	return row.Account, row.Token, err
}

// FinishCheck stores when an account's token is checked next.
func (t Tenant) FinishCheck(ctx context.Context, id core.AccountID) error {
	return t.exec(ctx, `UPDATE accounts SET check_at = clock() + @every::interval WHERE workspace_id = @ws AND id = @id`,
		args{"id": id, "every": checkEvery})
}

// RefreshResult is what came of renewing a token.
type RefreshResult struct {
	Token     *SealedToken // nil: the old one stays
	Status    core.AccountStatus
	Reason    string
	TryAgain  time.Duration // when the old token stays and the account is in order
	NeverAuto bool          // the network has no renewal
}

// FinishRefresh stores a result, unless the token was replaced since it was claimed: then a person has
// reconnected the account meanwhile, and theirs is the newer truth.
func (t Tenant) FinishRefresh(ctx context.Context, id core.AccountID, claimed []byte, r RefreshResult) error {
	token := SealedToken{Sealed: claimed}
	if r.Token != nil {
		token = *r.Token
	}
	return t.exec(ctx, `
		UPDATE accounts SET status = @status, status_reason = @reason, token = @token,
			token_expires_at = CASE WHEN @renewed THEN @expires ELSE token_expires_at END,
			token_refresh_at = CASE WHEN @renewed THEN @refresh::timestamptz WHEN @never THEN NULL
				ELSE clock() + @again::interval END
		WHERE workspace_id = @ws AND id = @id AND token = @claimed AND disconnected_at IS NULL`,
		args{
			"id": id, "claimed": claimed, "status": r.Status, "reason": r.Reason, "token": token.Sealed,
			"renewed": r.Token != nil,
			"expires": token.ExpiresAt, "refresh": token.RefreshAt, "never": r.NeverAuto,
			"again": r.TryAgain,
		})
}

// AccountToken is an account's sealed token, for trying the key that sealed it.
type AccountToken struct {
	WorkspaceID core.WorkspaceID
	ID          core.AccountID
	DisplayName string
	Platform    core.Platform
	Token       []byte
}

// KeySamples answers a sealed token for each key that has sealed one which is in use.
func (s *Store) KeySamples(ctx context.Context) ([]AccountToken, error) {
	// The head of a sealed value is its format, the length of the key's id and the id.
	return queryMany[AccountToken](s.query(ctx, `
		SELECT DISTINCT ON (substring(token FROM 1 FOR 2 + get_byte(token, 1))) workspace_id, id, display_name, platform,
			token FROM accounts
		WHERE disconnected_at IS NULL AND length(token) > 2
		ORDER BY substring(token FROM 1 FOR 2 + get_byte(token, 1)), id`, nil))
}

// AccountTokens answers every account's sealed token that is in use.
func (s *Store) AccountTokens(ctx context.Context) ([]AccountToken, error) {
	return queryMany[AccountToken](s.query(ctx, `
		SELECT workspace_id, id, display_name, platform, token FROM accounts WHERE disconnected_at IS NULL
			AND length(token) > 2 ORDER BY id`, nil))
}

// RevokeTokens forgets tokens and revokes their accounts, but for those whose token was replaced since it was read.
func (s *Store) RevokeTokens(ctx context.Context, tokens []AccountToken, reason string) error {
	ids, sealed := make([]core.AccountID, len(tokens)), make([][]byte, len(tokens))
	for i, t := range tokens {
		ids[i], sealed[i] = t.ID, t.Token
	}
	return s.exec(ctx, `
		UPDATE accounts a SET status = @revoked, status_reason = @reason, token = ''::bytea, token_expires_at = NULL,
			token_refresh_at = NULL
		FROM unnest(@ids::uuid[], @tokens::bytea[]) AS lost(id, token)
		WHERE a.id = lost.id AND a.token = lost.token`,
		args{"ids": ids, "tokens": sealed, "revoked": core.AccountRevoked, "reason": reason})
}

// ReviewAccounts revokes the accounts that were connected while other networks were in use than the ones
// that are now, and takes that back for those whose networks are in use again. One without a token stays as it is.
func (s *Store) ReviewAccounts(ctx context.Context, connectedAt, reason string) error {
	return s.exec(ctx, `
		UPDATE accounts SET
			status = CASE
				WHEN connected_at <> @connected THEN @revoked
				WHEN token_refresh_at IS NULL AND token_expires_at <= clock() THEN @expired
				ELSE @ok END,
			status_reason = CASE WHEN connected_at <> @connected THEN @reason ELSE '' END
		WHERE disconnected_at IS NULL AND length(token) > 0 AND (connected_at <> @connected) <> (status = @revoked
			AND status_reason = @reason)`,
		args{
			"connected": connectedAt, "reason": reason, "revoked": core.AccountRevoked, "expired": core.AccountExpired,
			"ok": core.AccountOK,
		})
}
