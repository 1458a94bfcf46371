package store

import (
	"context"
	"time"

	"belfry/internal/core"
)

// Invitation is the invitation that a link leads to.
type Invitation struct {
	ID            core.UserID
	Workspace     core.WorkspaceID
	WorkspaceName string
	Email         string
	Name          string
	Role          core.Role
}

// Invitation returns an invitation by the hash of its token, or not_found if it has expired, was used or replaced.
func (s *Store) Invitation(ctx context.Context, hash []byte, now time.Time) (Invitation, error) {
	return queryOne[Invitation](s.query(ctx, `
		SELECT i.id, i.workspace_id AS workspace, w.name AS workspace_name, i.email, i.name, i.role
		FROM invitations i JOIN workspaces w ON w.id = i.workspace_id
		WHERE i.hash = @hash AND i.expires_at > @now`, args{"hash": hash, "now": now}))
}

// Invite stores an invitation, or replaces the token, name and role of the one with its id.
func (t Tenant) Invite(ctx context.Context, m core.Member, hash []byte) error {
	return t.exec(ctx, `
		INSERT INTO invitations AS i (id, workspace_id, email, name, role, hash, created_at, expires_at)
		VALUES (@id, @ws, @email, @name, @role, @hash, @at, @until)
		ON CONFLICT (id) DO UPDATE SET email = @email, name = @name, role = @role, hash = @hash, expires_at = @until
		WHERE i.workspace_id = @ws`, args{
		"id": m.ID, "email": m.Email, "name": m.Name, "role": m.Role, "hash": hash, "at": m.CreatedAt,
		"until": m.InvitedUntil,
	})
}

// TakeInvitation deletes an invitation and returns its role, or not_found if it has expired, was used or replaced.
func (t Tenant) TakeInvitation(ctx context.Context, hash []byte, now time.Time) (core.Role, error) {
	return queryValue[core.Role](t.query(ctx, `
		DELETE FROM invitations WHERE workspace_id = @ws AND hash = @hash AND expires_at > @now RETURNING role`,
		args{"hash": hash, "now": now}))
}

// Join adds a person to the workspace. With a password hash, it stores the person first; it is then a conflict if the
// email address is in use.
func (t Tenant) Join(ctx context.Context, u core.User, passwordHash string, role core.Role, now time.Time) error {
	if passwordHash != "" {
		if err := t.store.AddUser(ctx, u, passwordHash, now); err != nil {
			return err
		}
	}
	return t.store.AddMember(ctx, t.ws, u.ID, role, now)
}
