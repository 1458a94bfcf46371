package store

import (
	"context"
	"time"

	"belfry/internal/core"
)

// everyMember is who has joined and who is invited.
const everyMember = `
		SELECT id, name, email, role, created_at, expires_at AS invited_until FROM (
			SELECT u.id, u.name, u.email, m.role, m.created_at, NULL::timestamptz AS expires_at
			FROM members m JOIN users u ON u.id = m.user_id WHERE m.workspace_id = @ws
			UNION ALL
			SELECT id, name, email, role, created_at, expires_at FROM invitations WHERE workspace_id = @ws
		) AS everybody `

// Members lists who has joined and who is invited, the oldest first.
func (t Tenant) Members(ctx context.Context) ([]core.Member, error) {
	return queryMany[core.Member](t.query(ctx, everyMember+`ORDER BY created_at, id`, nil))
}

// FindMember finds somebody who has joined or is invited.
func (t Tenant) FindMember(ctx context.Context, id core.UserID) (core.Member, error) {
	return queryOne[core.Member](t.query(ctx, everyMember+`WHERE id = @id`, args{"id": id}))
}

// FindMemberByEmail finds somebody who has joined or is invited, upper and lower case alike.
func (t Tenant) FindMemberByEmail(ctx context.Context, email string) (core.Member, error) {
	return queryOne[core.Member](t.query(ctx, everyMember+`WHERE lower(email) = lower(@email)`, args{"email": email}))
}

// MemberCount is how many have joined, how many of those are owners, and how many are invited and may still join.
type MemberCount struct{ Joined, Owners, Invited int64 }

// CountMembers counts members. Under LockWorkspace the numbers hold until the transaction ends.
func (t Tenant) CountMembers(ctx context.Context, now time.Time) (MemberCount, error) {
	return queryOne[MemberCount](t.query(ctx, `
		SELECT count(*) AS joined, count(*) FILTER (WHERE role = @owner) AS owners,
			(SELECT count(*) FROM invitations WHERE workspace_id = @ws AND expires_at > @now) AS invited
		FROM members WHERE workspace_id = @ws`, args{"owner": core.RoleOwner, "now": now}))
}

// SetRole stores the role of somebody who has joined or is invited.
func (t Tenant) SetRole(ctx context.Context, m core.Member) error {
	sql := `UPDATE members SET role = @role WHERE workspace_id = @ws AND user_id = @id`
	if m.Invited() {
		sql = `UPDATE invitations SET role = @role WHERE workspace_id = @ws AND id = @id`
	}
	return t.exec(ctx, sql, args{"id": m.ID, "role": m.Role})
}

// RemoveMember ends a membership, with the keys that act for it, or takes an invitation back.
func (t Tenant) RemoveMember(ctx context.Context, m core.Member) error {
	sql := `DELETE FROM members WHERE workspace_id = @ws AND user_id = @id`
	if m.Invited() {
		sql = `DELETE FROM invitations WHERE workspace_id = @ws AND id = @id`
	}
	return t.exec(ctx, sql, args{"id": m.ID})
}
