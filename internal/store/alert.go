package store

import (
	"context"
	"time"

	"belfry/internal/core"
)

// Kinds of alerts. Database triggers add an alert when a post fails and when a connected account stops working. The end
// of a hold adds one when the outcome of a failed post becomes unknown.
const (
	AlertPost    = "post"
	AlertAccount = "account"
)

// Alert is a problem that members have not been emailed about yet.
type Alert struct {
	Kind    string
	Reason  string   // the error code of a post
	Subject [16]byte // the UUID of the post or account
}

// dueAlerts is the condition for a group of alerts with one workspace, kind and reason. The alerts have been collected
// for long enough, and members have received no recent email about this reason.
const dueAlerts = `min(a.at) <= clock() - @collect_for::interval AND NOT EXISTS (
	SELECT FROM alerts_told t WHERE t.workspace_id = a.workspace_id AND t.kind = a.kind AND t.reason = a.reason
		AND t.told_at > clock() - @pause::interval)`

// WorkspacesWithDueAlerts lists the workspaces whose members should now get an email about problems. collectFor is how
// long alerts are collected, and pause is the minimum time between two emails about one reason.
func (s *Store) WorkspacesWithDueAlerts(ctx context.Context, collectFor,
	pause time.Duration,
) ([]core.WorkspaceID, error) {
	return queryValues[core.WorkspaceID](s.query(ctx, `
		SELECT DISTINCT workspace_id FROM (
			SELECT workspace_id FROM alerts a WHERE at > clock() - @kept::interval
			GROUP BY workspace_id, kind, reason HAVING `+dueAlerts+`) AS due`,
		args{"collect_for": collectFor, "pause": pause, "kept": alertRetention}))
}

// ConsumeDueAlerts deletes and returns the workspace's due alerts. collectFor and pause are as for
// WorkspacesWithDueAlerts.
func (t Tenant) ConsumeDueAlerts(ctx context.Context, collectFor, pause time.Duration) ([]Alert, error) {
	return queryMany[Alert](t.query(ctx, `
		WITH due AS (
			SELECT workspace_id, kind, reason FROM alerts a WHERE workspace_id = @ws
			GROUP BY workspace_id, kind, reason HAVING `+dueAlerts+`
		)
		DELETE FROM alerts a USING due
		WHERE a.workspace_id = @ws AND a.kind = due.kind AND a.reason = due.reason
		RETURNING a.kind, a.reason, a.subject`, args{"collect_for": collectFor, "pause": pause}))
}

// StartAlertPause records that members are now getting an email about alerts of this kind and reason. The pause of
// ConsumeDueAlerts begins now.
func (t Tenant) StartAlertPause(ctx context.Context, kind, reason string) error {
	return t.exec(ctx, `
		INSERT INTO alerts_told (workspace_id, kind, reason, told_at) VALUES (@ws, @kind, @reason, clock())
		ON CONFLICT (workspace_id, kind, reason) DO UPDATE SET told_at = clock()`, args{"kind": kind, "reason": reason})
}

// FailedPost is a post that needs a person's attention.
type FailedPost struct {
	ID          core.PostID
	Platform    core.Platform
	AccountName string
	Title, Text string
	Code        string
	Message     string
	CreatedBy   core.UserID
	// AccountLost reports whether the post's account is a LostAccount.
	AccountLost bool
	// Alike is how many posts have the same CreatedBy, Code and AccountLost, and First marks the first of them.
	Alike int
	First bool
}

// FailedPostsWithoutRetryAmong returns those of the given posts that have failed and will not be retried automatically,
// at most limitAlike that are alike.
func (t Tenant) FailedPostsWithoutRetryAmong(ctx context.Context, ids []core.PostID, limitAlike int,
) ([]FailedPost, error) {
	return queryMany[FailedPost](t.query(ctx, `
		SELECT id, platform, account_name, title, text, code, message, created_by, account_lost, alike, nth = 1 AS first
		FROM (
			SELECT p.id, p.platform, accounts.display_name AS account_name, p.title, left(p.text, 200) AS text,
				p.error_code AS code, p.error_message AS message, p.created_by, `+isLostAccount+` AS account_lost,
				row_number() OVER (PARTITION BY p.created_by, p.error_code, `+isLostAccount+` ORDER BY p.id) AS nth,
				count(*) OVER (PARTITION BY p.created_by, p.error_code, `+isLostAccount+`) AS alike
			FROM posts p JOIN accounts ON accounts.workspace_id = p.workspace_id AND accounts.id = p.account_id
			LEFT JOIN publications u ON u.post_id = p.id
			WHERE p.workspace_id = @ws AND p.id = ANY(@ids) AND p.status = 'failed'
				AND (u.next_action_at IS NULL OR p.error_code = 'outcome_unknown')
		) AS failed WHERE nth <= @limit ORDER BY id`, args{"ids": ids, "limit": limitAlike}))
}

// AddAlertAboutAccount adds an alert about an account that is disconnected without a member's doing.
func (t Tenant) AddAlertAboutAccount(ctx context.Context, id core.AccountID) error {
	return t.exec(ctx, `INSERT INTO alerts (workspace_id, kind, reason, subject) VALUES (@ws, @kind, '', @id)`,
		args{"id": id, "kind": AlertAccount})
}

// LostAccount is an account that must be reconnected, or whose data was erased.
type LostAccount struct {
	ID       core.AccountID
	Platform core.Platform
	Name     string
	Reason   string
	Erased   bool
}

// isLostAccount is the condition that a row of accounts is a LostAccount.
const isLostAccount = `(accounts.status <> 'ok'
	AND (accounts.disconnected_at IS NULL OR accounts.external_id = ` + erasedExternalID + `))`

// LostAccountsAmong returns those of the given accounts that must be reconnected or whose data was erased, by name.
func (t Tenant) LostAccountsAmong(ctx context.Context, ids []core.AccountID) ([]LostAccount, error) {
	return queryMany[LostAccount](t.query(ctx, `
		SELECT id, platform, display_name AS name, status_reason AS reason, external_id = `+erasedExternalID+` AS erased
		FROM accounts WHERE workspace_id = @ws AND id = ANY(@ids) AND `+isLostAccount+`
		ORDER BY lower(display_name), id`, args{"ids": ids}))
}
