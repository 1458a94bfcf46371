package link

// Settings leads to the first page of the settings that the person may open.
func (w Workspace) Settings() string { return w.At("/settings") }

// Profile shows the signed-in person.
func (w Workspace) Profile() string { return w.At("/settings/profile") }

// Keys lists the API keys (GET) and creates one (POST).
func (w Workspace) Keys() string { return w.At("/settings/keys") }

// Members lists the members (GET) and invites one (POST).
func (w Workspace) Members() string { return w.At("/settings/members") }

// WorkspaceSettings shows the workspace (GET) and changes it (POST).
func (w Workspace) WorkspaceSettings() string { return w.At("/settings/workspace") }

// Member changes a member's role (POST).
func (w Workspace) Member(id string) string { return joinPath(w.Members(), id) }

// RemoveMember asks for confirmation (GET) and removes the member (POST).
func (w Workspace) RemoveMember(id string) string { return joinPath(w.Members(), id, "remove") }

// RevokeKey asks for confirmation (GET) and revokes the key (POST).
func (w Workspace) RevokeKey(id string) string { return joinPath(w.Keys(), id, "revoke") }
