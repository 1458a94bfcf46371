package link

const groups = "/groups"

// Groups lists the groups (GET) and creates one (POST).
func (w Workspace) Groups() string { return w.At(groups) }

// NewGroup shows the form for a new group.
func (w Workspace) NewGroup() string { return w.At(groups + "/new") }

// Group shows the form of a group (GET) and accepts it (POST).
func (w Workspace) Group(groupID string) string { return joinPath(w.At(groups), groupID) }

// AddAccountToGroup adds an account to a group (POST).
func (w Workspace) AddAccountToGroup(groupID string) string {
	return joinPath(w.At(groups), groupID, "accounts")
}

// DeleteGroup asks for confirmation (GET) and deletes a group (POST).
func (w Workspace) DeleteGroup(groupID string) string {
	return joinPath(w.At(groups), groupID, "delete")
}
