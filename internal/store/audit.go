package store

import (
	"context"
	"time"

	"belfry/internal/core"
)

// AuditRetention is how long the audit log keeps its rows. A trigger prevents deleting younger rows.
const AuditRetention = 365 * 24 * time.Hour

// AddAudit writes an action in the workspace to the audit log.
func (t Tenant) AddAudit(ctx context.Context, e core.AuditEntry) error {
	e.Workspace = t.ws
	return t.store.AddAudit(ctx, e)
}

// AddAudit writes an entry to the audit log, in the transaction of the action. For a failed sign-in of an unknown
// person, it writes no row, because strangers could otherwise fill the log, but takes as long as for a known one; for
// that reason, its commit does not wait for the disk.
func (s *Store) AddAudit(ctx context.Context, e core.AuditEntry) error {
	origin, actor := core.OriginOf(ctx), string(e.Actor.Kind())
	if actor == "" {
		actor = "operator"
	}
	return s.exec(ctx, `
		INSERT INTO audit_log (workspace_id, actor, user_id, credential, action, subject, before, after, address,
			request_id)
		SELECT @workspace, @actor, @user, @credential, @action, @subject, @before, @after, @address, @request
		FROM (SELECT CASE WHEN @action = 'sign_in_failed' THEN `+relaxed+` END) AS relaxed
		WHERE @action <> 'sign_in_failed' OR @user::uuid IS NOT NULL`,
		args{
			"workspace": e.Workspace, "actor": actor, "user": e.Actor.User(), "credential": e.Actor.CredentialName(),
			"action":  e.Action,
			"subject": e.Subject, "before": e.Before, "after": e.After, "address": origin.Address, "request": origin.RequestID,
		})
}
