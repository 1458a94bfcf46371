package store

import (
	"context"
	"time"

	"belfry/internal/core"
)

// Invitation is what its link leads to.
type Invitation struct {
	ID            core.UserID
	Workspace     core.WorkspaceID
	WorkspaceName string
	Email         string
	Name          string
	Role          core.Role
}

// Invitation finds an invitation by the hash of its token; an expired, used or replaced one is not_found.
func (s *Store) Invitation(ctx context.Context, hash []byte, now time.Time) (Invitation, error) {
	return queryOne[Invitation](s.query(ctx, `
		SELECT i.id, i.workspace_id AS workspace, w.name AS workspace_name, i.email, i.name, i.role
		FROM invitations i JOIN workspaces w ON w.id = i.workspace_id
		WHERE i.hash = @hash AND i.expires_at > @now`, args{"hash": hash, "now": now}))
}

// Invite stores an invitation, or gives the one with its id another token, name and role.
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

// TakeInvitation removes an invitation and tells its role; an expired, used or replaced one is not_found.
func (t Tenant) TakeInvitation(ctx context.Context, hash []byte, now time.Time) (core.Role, error) {
	return queryValue[core.Role](t.query(ctx, `
		DELETE FROM invitations WHERE workspace_id = @ws AND hash = @hash AND expires_at > @now RETURNING role`,
		args{"hash": hash, "now": now}))
}

// Join makes a person a member; with a password hash it stores the person first. An email address in use is then a
// conflict.
func (t Tenant) Join(ctx context.Context, u core.User, passwordHash string, role core.Role, now time.Time) error {
	if passwordHash != "" {
		if err := t.store.AddUser(ctx, u, passwordHash, now); err != nil {
			return err
		}
	}
	return t.store.AddMember(ctx, t.ws, u.ID, role, now)
}
