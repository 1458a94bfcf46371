package store

import (
	"context"
	"time"

	"belfry/internal/core"
)

// Group is a named set of accounts.
type Group struct {
	ID          core.GroupID
	Name        string
	Description string
	Color       string
	Accounts    []core.AccountID // the connected ones, in the order in which they were saved
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

const groupColumns = `
	g.id, g.name, g.description, g.color, g.created_at, g.updated_at, ARRAY(
		SELECT ga.account_id FROM group_accounts ga JOIN accounts a ON a.workspace_id = ga.workspace_id
			AND a.id = ga.account_id
		WHERE ga.workspace_id = @ws AND ga.group_id = g.id AND a.disconnected_at IS NULL ORDER BY ga.position
	) AS accounts
	FROM groups g WHERE g.workspace_id = @ws`

// Groups lists the workspace's groups by name.
func (t Tenant) Groups(ctx context.Context) ([]Group, error) {
	return queryMany[Group](t.query(ctx, `SELECT`+groupColumns+` ORDER BY lower(g.name), g.id`, nil))
}

// Group returns a group.
func (t Tenant) Group(ctx context.Context, id core.GroupID) (Group, error) {
	return queryOne[Group](t.query(ctx, `SELECT`+groupColumns+` AND g.id = @id`, args{"id": id}))
}

// LockGroup returns a group and prevents changes to it until the transaction ends.
func (t Tenant) LockGroup(ctx context.Context, id core.GroupID) (Group, error) {
	if _, err := queryValue[core.GroupID](t.query(ctx, `
		SELECT id FROM groups WHERE workspace_id = @ws AND id = @id FOR UPDATE`, args{"id": id})); err != nil {
		return Group{}, err
	}
	return t.Group(ctx, id)
}

// AddEmptyGroup stores a new group without its accounts. The error is conflict if the name is in use.
func (t Tenant) AddEmptyGroup(ctx context.Context, g Group) error {
	return t.exec(ctx, `
		INSERT INTO groups (id, workspace_id, name, description, color, created_at, updated_at)
		VALUES (@id, @ws, @name, @description, @color, @now, @now)`,
		args{"id": g.ID, "name": g.Name, "description": g.Description, "color": g.Color, "now": g.CreatedAt})
}

// UpdateGroupFields stores a group's name, description and color.
func (t Tenant) UpdateGroupFields(ctx context.Context, g Group) error {
	return t.execOne(ctx, `
		UPDATE groups SET name = @name, description = @description, color = @color, updated_at = @now
		WHERE workspace_id = @ws AND id = @id`,
		args{"id": g.ID, "name": g.Name, "description": g.Description, "color": g.Color, "now": g.UpdatedAt})
}

// SetGroupAccounts replaces a group's accounts. It returns ErrNotFound for an account of another workspace.
func (t Tenant) SetGroupAccounts(ctx context.Context, id core.GroupID, accounts []core.AccountID) error {
	if err := t.exec(ctx, `DELETE FROM group_accounts WHERE workspace_id = @ws AND group_id = @id`, args{"id": id}); err != nil {
		return err
	}
	return t.exec(ctx, `
		INSERT INTO group_accounts (workspace_id, group_id, account_id, position)
		SELECT @ws, @id, account, position FROM unnest(@accounts::uuid[]) WITH ORDINALITY AS given(account, position)`,
		args{"id": id, "accounts": accounts})
}

// DeleteGroup deletes a group. Its accounts do not change.
func (t Tenant) DeleteGroup(ctx context.Context, id core.GroupID) error {
	return t.execOne(ctx, `DELETE FROM groups WHERE workspace_id = @ws AND id = @id`, args{"id": id})
}
