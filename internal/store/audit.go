package store

import (
	"context"
	"encoding/json"
	"time"

	"belfry/internal/core"
)

// AuditRetention is how long the audit log keeps its rows. A trigger prevents deleting younger rows.
const AuditRetention = 365 * 24 * time.Hour

// AddAuditEntry is Store.AddAuditEntry for an action in the workspace.
func (t Tenant) AddAuditEntry(ctx context.Context, e core.AuditEntry) error {
	e.Workspace = t.ws
	return t.store.AddAuditEntry(ctx, e)
}

// AddAuditEntry adds an entry to the audit log, in the transaction of the action.
func (s *Store) AddAuditEntry(ctx context.Context, e core.AuditEntry) error {
	return s.exec(ctx, insertAuditEntry, auditArguments(ctx, e))
}

// AuditFailedSignInIfPersonKnown adds a failed sign-in to the audit log. It adds nothing if the actor has no user,
// because strangers could otherwise fill the log. Both cases must take equally long, so the commit does not wait for
// the disk.
func (s *Store) AuditFailedSignInIfPersonKnown(ctx context.Context, actor core.Caller) error {
	return s.exec(ctx, insertAuditEntry+`
		FROM (SELECT `+relaxed+`) AS relaxed WHERE @user::uuid IS NOT NULL`,
		auditArguments(ctx, core.AuditEntry{Action: core.AuditSignInFailed, Actor: actor}))
}

const insertAuditEntry = `
	INSERT INTO audit_log (workspace_id, actor, user_id, credential, action, subject, before, after, address, request_id)
	SELECT @workspace, @actor, @user, @credential, @action, @subject, @before, @after, @address, @request`

// auditArguments returns the arguments of insertAuditEntry.
func auditArguments(ctx context.Context, e core.AuditEntry) args {
	origin, actor := core.OriginOf(ctx), string(e.Actor.Kind())
	if actor == "" {
		actor = "operator"
	}
	return args{
		"workspace": e.Workspace, "actor": actor, "user": e.Actor.AttributedUser(), "credential": e.Actor.CredentialName(),
		"action": e.Action, "subject": e.Subject, "before": e.Before, "after": e.After, "address": origin.Address,
		"request": origin.RequestID,
	}
}

// AuditRow is a stored entry of the audit log.
type AuditRow struct {
	ID         int64
	At         time.Time
	Actor      string // session, api_key or operator
	User       core.UserID
	UserName   string // "" for the operator, and for a person who no longer exists
	Credential string
	Action     core.AuditAction
	Subject    string
	Before     json.RawMessage
	After      json.RawMessage
	Address    string
	RequestID  string // of the request that caused the entry; "" if there was none
}

// IsPartOfSameAction reports whether two entries are about one action of a person, who did it to several things at
// once. It does not rely on the request's id alone, because a proxy may pass on an id that a client has chosen.
func (r AuditRow) IsPartOfSameAction(other AuditRow) bool {
	return r.RequestID != "" && r.RequestID == other.RequestID && r.Action == other.Action && r.User == other.User &&
		r.Credential == other.Credential && r.Address == other.Address && r.At.Sub(other.At).Abs() < time.Minute
}

// AuditFilter selects entries of the audit log. Zero fields select all.
type AuditFilter struct {
	User   core.UserID
	Action core.AuditAction
	Before int64 // only entries with a smaller id
	Limit  int
}

// AuditLog lists the workspace's entries, newest first.
func (t Tenant) AuditLog(ctx context.Context, f AuditFilter) ([]AuditRow, error) {
	return queryMany[AuditRow](t.queryReplanned(ctx, `
		SELECT l.id, l.at, l.actor, l.user_id AS "user", coalesce(u.name, '') AS user_name, l.credential, l.action,
			l.subject, l.before, l.after, l.address, l.request_id
		FROM audit_log l LEFT JOIN users u ON u.id = l.user_id
		WHERE l.workspace_id = @ws AND (@user::uuid IS NULL OR l.user_id = @user)
			AND (@action = '' OR l.action = @action) AND (@before = 0 OR l.id < @before)
		ORDER BY l.id DESC LIMIT @limit`,
		args{"user": f.User, "action": string(f.Action), "before": f.Before, "limit": f.Limit}))
}
