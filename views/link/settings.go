package link

import "net/url"

// Settings redirects to the first settings page that the person may open.
func (w Workspace) Settings() string { return w.At("/settings") }

// Profile shows the signed-in person's name and email address (GET) and changes them (POST).
func (w Workspace) Profile() string { return w.At("/settings/profile") }

// Security shows the person's sessions (GET) and changes their password (POST).
func (w Workspace) Security() string { return w.At("/settings/security") }

// EndSession signs the person out of one browser (POST).
func (w Workspace) EndSession(sessionID string) string {
	return joinPath(w.Security(), sessionID, "sign-out")
}

// EndAllSessions asks for confirmation (GET) and signs the person out everywhere (POST).
func (w Workspace) EndAllSessions() string { return w.At("/settings/security/sign-out") }

// Appearance shows the settings for the dashboard's look and shortcuts.
func (w Workspace) Appearance() string { return w.At("/settings/appearance") }

// Usage shows the plan's limits and how much of them is used.
func (w Workspace) Usage() string { return w.At("/settings/plan") }

// AuditFilter selects entries of the audit log. An empty field selects all entries.
type AuditFilter struct{ User, Action, Cursor string }

// AuditLog is a page of the audit log.
func (w Workspace) AuditLog(f AuditFilter) string {
	query := url.Values{}
	for name, value := range map[string]string{"user": f.User, "action": f.Action, "cursor": f.Cursor} {
		if value != "" {
			query.Set(name, value)
		}
	}
	return withQuery(w.At("/settings/audit"), query)
}

// Keys lists the API keys (GET) and creates one (POST).
func (w Workspace) Keys() string { return w.At("/settings/keys") }

// Members lists the members (GET) and invites one (POST).
func (w Workspace) Members() string { return w.At("/settings/members") }

// WorkspaceSettings shows the workspace's name, slug and time zone (GET) and changes them (POST).
func (w Workspace) WorkspaceSettings() string { return w.At("/settings/workspace") }

// ChangeRole changes the role of a member or an invitation (POST).
func (w Workspace) ChangeRole(memberOrInvitationID string) string {
	return joinPath(w.Members(), memberOrInvitationID)
}

// RemoveAccess asks for confirmation (GET) and removes a member or withdraws an invitation (POST).
func (w Workspace) RemoveAccess(memberOrInvitationID string) string {
	return joinPath(w.Members(), memberOrInvitationID, "remove")
}

// RevokeKey asks for confirmation (GET) and revokes a key (POST).
func (w Workspace) RevokeKey(keyID string) string { return joinPath(w.Keys(), keyID, "revoke") }

// SetShortcuts switches single-key shortcuts on or off for the signed-in person (POST).
func (w Workspace) SetShortcuts() string { return w.At("/settings/shortcuts") }
