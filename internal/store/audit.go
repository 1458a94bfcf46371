package store

import (
	"context"
	"time"

	"belfry/internal/core"
)

// AuditRetention is how long the audit log keeps its rows. A trigger refuses to delete younger ones.
const AuditRetention = 365 * 24 * time.Hour

// AddAudit writes to the audit log what was done in the workspace.
func (t Tenant) AddAudit(ctx context.Context, e core.AuditEntry) error {
	e.Workspace = t.ws
	return t.store.AddAudit(ctx, e)
}

// AddAudit writes an entry to the audit log. It belongs in the transaction of what it tells. A failed sign-in of an
// unknown person, with whom strangers could fill the log, leaves no row but takes as long as that of a known one; for
// that its commit does not wait for the disk.
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
