package store

import (
	"context"
	"time"

	"belfry/internal/core"
)

// everyMember selects members and invitations, in the same columns.
const everyMember = `
		SELECT id, name, email, role, created_at, expires_at AS invited_until FROM (
			SELECT u.id, u.name, u.email, m.role, m.created_at, NULL::timestamptz AS expires_at
			FROM members m JOIN users u ON u.id = m.user_id WHERE m.workspace_id = @ws
			UNION ALL
			SELECT id, name, email, role, created_at, expires_at FROM invitations WHERE workspace_id = @ws
		) AS everybody `

// MembersAndInvitations lists members and invitations, oldest first.
func (t Tenant) MembersAndInvitations(ctx context.Context) ([]core.Member, error) {
	return queryMany[core.Member](t.query(ctx, everyMember+`ORDER BY created_at, id`, nil))
}

// FirstMembersWithRoles lists the members with any of the roles, oldest first, up to a limit.
func (t Tenant) FirstMembersWithRoles(ctx context.Context, roles []core.Role, limit int) ([]core.Member, error) {
	return queryMany[core.Member](t.query(ctx, everyMember+`WHERE role = ANY(@roles) AND expires_at IS NULL
		ORDER BY created_at, id LIMIT @limit`, args{"roles": roles, "limit": limit}))
}

// MemberOrInvitation returns a member or an invitation by id.
func (t Tenant) MemberOrInvitation(ctx context.Context, id core.UserID) (core.Member, error) {
	return queryOne[core.Member](t.query(ctx, everyMember+`WHERE id = @id`, args{"id": id}))
}

// MemberOrInvitationByEmail returns a member or an invitation by email address, ignoring case.
func (t Tenant) MemberOrInvitationByEmail(ctx context.Context, email string) (core.Member, error) {
	return queryOne[core.Member](t.query(ctx, everyMember+`WHERE lower(email) = lower(@email)`, args{"email": email}))
}

// MemberCount contains the numbers of members, of owners among them, and of valid invitations.
type MemberCount struct{ Joined, Owners, Invited int64 }

// CountMembersAndInvitations counts members and invitations. After LockWorkspace, the numbers do not change until the
// transaction ends.
func (t Tenant) CountMembersAndInvitations(ctx context.Context, now time.Time) (MemberCount, error) {
	return queryOne[MemberCount](t.query(ctx, `
		SELECT count(*) AS joined, count(*) FILTER (WHERE role = @owner) AS owners,
			(SELECT count(*) FROM invitations WHERE workspace_id = @ws AND expires_at > @now) AS invited
		FROM members WHERE workspace_id = @ws`, args{"owner": core.RoleOwner, "now": now}))
}

// SaveMemberOrInvitationRole stores m.Role for the member or invitation m, which the caller has read and locked.
func (t Tenant) SaveMemberOrInvitationRole(ctx context.Context, m core.Member) error {
	sql := `UPDATE members SET role = @role WHERE workspace_id = @ws AND user_id = @id`
	if m.IsPending() {
		sql = `UPDATE invitations SET role = @role WHERE workspace_id = @ws AND id = @id`
	}
	return t.execOne(ctx, sql, args{"id": m.ID, "role": m.Role})
}

// RemoveMemberOrInvitation deletes an invitation, or a membership with the member's keys.
func (t Tenant) RemoveMemberOrInvitation(ctx context.Context, m core.Member) error {
	sql := `DELETE FROM members WHERE workspace_id = @ws AND user_id = @id`
	if m.IsPending() {
		sql = `DELETE FROM invitations WHERE workspace_id = @ws AND id = @id`
	}
	return t.execOne(ctx, sql, args{"id": m.ID})
}

// Invitation is an invitation to a workspace, as its link shows it.
type Invitation struct {
	ID            core.UserID
	Workspace     core.WorkspaceID
	WorkspaceName string
	Email         string
	Name          string
	Role          core.Role
	InvitedBy     string // the name of the member who sent it; "" if it is not known or they have left
}

// InvitationByToken returns an invitation by the hash of its link's token. It returns ErrNotFound if the invitation has
// expired, was used or now has another token.
func (s *Store) InvitationByToken(ctx context.Context, tokenHash []byte, now time.Time) (Invitation, error) {
	return queryOne[Invitation](s.query(ctx, `
		SELECT i.id, i.workspace_id AS workspace, w.name AS workspace_name, i.email, i.name, i.role,
			coalesce(u.name, '') AS invited_by
		FROM invitations i JOIN workspaces w ON w.id = i.workspace_id
			LEFT JOIN members m ON m.workspace_id = i.workspace_id AND m.user_id = i.invited_by
			LEFT JOIN users u ON u.id = m.user_id
		WHERE i.hash = @hash AND i.expires_at > @now`, args{"hash": tokenHash, "now": now}))
}

// SaveInvitation stores an invitation. If an invitation with this id exists, SaveInvitation replaces it, except the
// time of its creation.
func (t Tenant) SaveInvitation(ctx context.Context, m core.Member, invitedBy core.UserID, tokenHash []byte) error {
	return t.execOne(ctx, `
		INSERT INTO invitations AS i (id, workspace_id, email, name, role, invited_by, hash, created_at, expires_at)
		VALUES (@id, @ws, @email, @name, @role, @invited_by, @hash, @at, @until)
		ON CONFLICT (id) DO UPDATE SET email = @email, name = @name, role = @role, invited_by = @invited_by, hash = @hash,
			expires_at = @until
		WHERE i.workspace_id = @ws`, args{
		"id": m.ID, "email": m.Email, "name": m.Name, "role": m.Role, "invited_by": invitedBy, "hash": tokenHash,
		"at": m.CreatedAt, "until": m.InvitedUntil,
	})
}

// ConsumeInvitation deletes an invitation and returns its role. It returns ErrNotFound if the invitation has expired,
// was used or now has another token.
func (t Tenant) ConsumeInvitation(ctx context.Context, tokenHash []byte, now time.Time) (core.Role, error) {
	return queryValue[core.Role](t.query(ctx, `
		DELETE FROM invitations WHERE workspace_id = @ws AND hash = @hash AND expires_at > @now RETURNING role`,
		args{"hash": tokenHash, "now": now}))
}

// JoinWorkspace makes a person a member of the workspace. If passwordHashIfNew is not empty, it first stores the
// person; the error is conflict if the email address is in use.
func (t Tenant) JoinWorkspace(ctx context.Context, u core.User, passwordHashIfNew string, role core.Role,
	now time.Time,
) error {
	if passwordHashIfNew != "" {
		if err := t.store.AddUser(ctx, u, passwordHashIfNew, now); err != nil {
			return err
		}
	}
	return t.store.AddMember(ctx, t.ws, u.ID, role, now)
}
