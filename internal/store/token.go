package store

import (
	"context"
	"time"

	"belfry/internal/core"
	"belfry/internal/queue"
)

// MarkExpiredAccounts marks the accounts whose token has expired and cannot be renewed automatically.
func (s *Store) MarkExpiredAccounts(ctx context.Context, reason string) error {
	return s.exec(ctx, `
		UPDATE accounts SET status = @expired, status_reason = @reason
		WHERE status = @ok AND disconnected_at IS NULL AND token_refresh_at IS NULL AND token_expires_at <= clock()`,
		args{"ok": core.AccountOK, "expired": core.AccountExpired, "reason": reason})
}

// DueTokenRefreshes lists accounts whose token should be renewed now, the longest overdue first.
func (s *Store) DueTokenRefreshes(ctx context.Context, limit int) ([]queue.Refresh, error) {
	return queryMany[queue.Refresh](s.query(ctx, `
		SELECT workspace_id AS workspace, id AS account FROM accounts
		WHERE token_refresh_at <= clock() AND status = 'ok' AND disconnected_at IS NULL
		ORDER BY token_refresh_at LIMIT @limit`, args{"limit": limit}))
}

// ClaimTokenRefresh claims the renewal of a token for the lease. A renewal is due at its scheduled time, or immediately
// if the token is lapsedTokenOrNil and no renewal of it has failed. ClaimTokenRefresh returns ErrNotFound if no renewal
// is due, if another worker is renewing the token, or if the token was replaced.
func (t Tenant) ClaimTokenRefresh(ctx context.Context, id core.AccountID, lapsedTokenOrNil []byte,
	lease time.Duration,
) (_ core.Account, sealedToken []byte, err error) {
	row, err := queryOne[accountAndToken](t.query(ctx, `
		UPDATE accounts SET token_refresh_at = clock() + @lease::interval, token_claimed_until = clock() + @lease::interval
		WHERE workspace_id = @ws AND id = @id
			AND (token_refresh_at <= clock() OR token = @lapsed::bytea AND token_failing_since IS NULL)
			AND (token_claimed_until IS NULL OR token_claimed_until <= clock()) AND status = 'ok' AND disconnected_at IS NULL
		RETURNING `+accountColumns+`, token`, args{"id": id, "lease": lease, "lapsed": lapsedTokenOrNil}))
	return row.Account, row.Token, err
}

// TokenRefreshBackoff returns how long to wait until a failed renewal of an account's token may be repeated. It is 0 if
// the renewal may be repeated now, or if a worker is renewing the token.
func (t Tenant) TokenRefreshBackoff(ctx context.Context, id core.AccountID) (time.Duration, error) {
	return queryValue[time.Duration](t.query(ctx, `
		SELECT CASE WHEN token_failing_since IS NULL OR token_claimed_until > clock() THEN interval '0'
			ELSE coalesce(greatest(token_refresh_at - clock(), interval '0'), interval '0') END
		FROM accounts WHERE workspace_id = @ws AND id = @id`, args{"id": id}))
}

const (
	// CheckEvery is how often a worker asks the network whether a token still works and what the account can do.
	CheckEvery = 24 * time.Hour
	// CheckLease is how much time one worker has for such a check.
	CheckLease = 5 * time.Minute
)

// DueAccountChecks lists accounts whose token should be checked with the network now.
func (s *Store) DueAccountChecks(ctx context.Context, limit int) ([]queue.Check, error) {
	return queryMany[queue.Check](s.query(ctx, `
		SELECT workspace_id AS workspace, id AS account FROM accounts
		WHERE check_at <= clock() AND status = 'ok' AND disconnected_at IS NULL ORDER BY check_at LIMIT @limit`,
		args{"limit": limit}))
}

// ClaimAccountCheck claims the check of an account for CheckLease. It returns the account and its encrypted token, or
// ErrNotFound if no check is due.
func (t Tenant) ClaimAccountCheck(ctx context.Context, id core.AccountID) (_ core.Account, sealedToken []byte,
	err error,
) {
	row, err := queryOne[accountAndToken](t.query(ctx, `
		UPDATE accounts SET check_at = clock() + @lease::interval
		WHERE workspace_id = @ws AND id = @id AND check_at <= clock() AND status = 'ok' AND disconnected_at IS NULL
		RETURNING `+accountColumns+`, token`, args{"id": id, "lease": CheckLease}))
	return row.Account, row.Token, err
}

// ScheduleAccountCheck stores that the next check of an account is due after the given time.
func (t Tenant) ScheduleAccountCheck(ctx context.Context, id core.AccountID, after time.Duration) error {
	return t.execOne(ctx, `UPDATE accounts SET check_at = clock() + @next::interval WHERE workspace_id = @ws AND id = @id`,
		args{"id": id, "next": after})
}

// RefreshResult is the result of renewing a token.
type RefreshResult struct {
	Token     *SealedToken       // nil if the old token stays
	Status    core.AccountStatus // "" if it stays: another worker may have changed it since the token was claimed
	Reason    string
	NeverAuto bool // the network cannot renew tokens
	// Wait is the minimum pause that the network has asked for after a temporary failure. Unless Wait is longer, the
	// pause is as long as renewals have been failing, within the bounds below.
	Wait time.Duration
}

// Bounds of the wait between failing renewals.
const (
	refreshSoonest = time.Minute
	refreshLatest  = time.Hour
)

// SaveTokenRefreshIfUnchanged stores the result of renewing a token. It does nothing if the token has changed since it
// was claimed: in that case, a person has reconnected the account, and the new token is valid.
func (t Tenant) SaveTokenRefreshIfUnchanged(
	ctx context.Context, id core.AccountID, claimedToken []byte, r RefreshResult,
) error {
	token := SealedToken{Sealed: claimedToken}
	if r.Token != nil {
		token = *r.Token
	}
	return t.exec(ctx, `
		UPDATE accounts SET status = coalesce(nullif(@status, ''), status), token = @token, token_claimed_until = NULL,
			status_reason = CASE WHEN @status = '' THEN status_reason ELSE @reason END,
			token_expires_at = CASE WHEN @renewed THEN @expires ELSE token_expires_at END,
			token_refresh_at = CASE WHEN @renewed THEN @refresh::timestamptz WHEN @never THEN NULL
				ELSE clock() + greatest(@wait::interval, @soonest::interval,
					least(@latest::interval, clock() - coalesce(token_failing_since, clock()))) END,
			token_failing_since = CASE WHEN NOT @renewed AND NOT @never THEN coalesce(token_failing_since, clock()) END
		WHERE workspace_id = @ws AND id = @id AND token = @claimed AND disconnected_at IS NULL`,
		args{
			"id": id, "claimed": claimedToken, "status": r.Status, "reason": r.Reason, "token": token.Sealed,
			"renewed": r.Token != nil,
			"expires": token.ExpiresAt, "refresh": token.RefreshAt, "never": r.NeverAuto,
			"wait": r.Wait, "soonest": refreshSoonest, "latest": refreshLatest,
		})
}

// AccountToken is an account's encrypted token, with the row to which it is bound.
type AccountToken struct {
	WorkspaceID core.WorkspaceID
	ID          core.AccountID
	DisplayName string
	Platform    core.Platform
	Token       []byte
}

// SampleTokenPerSecretKey returns one account's encrypted token for each secret key in use.
func (s *Store) SampleTokenPerSecretKey(ctx context.Context) ([]AccountToken, error) {
	// The head of a sealed value is its format, the length of the key's id and the id.
	return queryMany[AccountToken](s.query(ctx, `
		SELECT DISTINCT ON (substring(token FROM 1 FOR 2 + get_byte(token, 1))) workspace_id, id, display_name, platform,
			token FROM accounts
		WHERE disconnected_at IS NULL AND length(token) > 2
		ORDER BY substring(token FROM 1 FOR 2 + get_byte(token, 1)), id`, nil))
}

// AllAccountTokens returns the encrypted tokens of all connected accounts.
func (s *Store) AllAccountTokens(ctx context.Context) ([]AccountToken, error) {
	return queryMany[AccountToken](s.query(ctx, `
		SELECT workspace_id, id, display_name, platform, token FROM accounts WHERE disconnected_at IS NULL
			AND length(token) > 2 ORDER BY id`, nil))
}

// DeleteTokensAndMarkAccountsRevoked deletes tokens and marks their accounts as revoked, except for tokens that were
// replaced since they were read. It does not call networks.
func (s *Store) DeleteTokensAndMarkAccountsRevoked(ctx context.Context, tokens []AccountToken, reason string) error {
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

// RestoreAccountsConnectedViaAndRevokeOthers marks the accounts whose ConnectedVia differs from connectedVia as
// revoked, because this server now uses other networks, real or simulated. It restores the accounts whose networks are
// in use again. It does not change accounts without a token.
func (s *Store) RestoreAccountsConnectedViaAndRevokeOthers(ctx context.Context, connectedVia, reason string) error {
	return s.exec(ctx, `
		UPDATE accounts SET
			status = CASE
				WHEN connected_at <> @connected THEN @revoked
				WHEN token_refresh_at IS NULL AND token_expires_at <= clock() THEN @expired
				ELSE @ok END,
			status_reason = CASE WHEN connected_at <> @connected THEN @reason ELSE '' END,
			of_other_networks = connected_at <> @connected
		WHERE disconnected_at IS NULL AND length(token) > 0 AND (connected_at <> @connected) <> of_other_networks`,
		args{
			"connected": connectedVia, "reason": reason, "revoked": core.AccountRevoked, "expired": core.AccountExpired,
			"ok": core.AccountOK,
		})
}
