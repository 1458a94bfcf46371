package app

import (
	"context"
	"errors"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/store"
)

// ListMembersAndInvitations lists members and invitations, oldest first. Only a person who manages the workspace may
// list them.
func (a *App) ListMembersAndInvitations(ctx context.Context, c core.Caller) (contract.Members, error) {
	t, err := a.authorizeManager(c)
	if err != nil {
		return contract.Members{}, err
	}
	list, err := t.MembersAndInvitations(ctx)
	return contract.Members{Members: convertAll(list, contract.MemberOf)}, err
}

// MaxManagersListed is the maximum number of members that ListManagers returns.
const MaxManagersListed = 20

// ListManagers lists the first owners and admins, oldest first. Every member may list them, to know whom to ask.
func (a *App) ListManagers(ctx context.Context, c core.Caller) ([]contract.Member, error) {
	t, err := a.authorizeSession(c)
	if err != nil {
		return nil, err
	}
	list, err := t.FirstMembersWithRoles(ctx, core.ManagerRoles(), MaxManagersListed)
	return convertAll(list, contract.MemberOf), err
}

// ChangeMemberOrInvitationRole changes the role of a member or an invitation, with effect from the member's next
// request. Only an owner can make or demote an owner. Demoting the last owner is a conflict.
func (a *App) ChangeMemberOrInvitationRole(ctx context.Context, c core.Caller,
	in contract.EditMember,
) (contract.Member, error) {
	t, err := a.authorizeReauthenticatedManager(c)
	if err != nil {
		return contract.Member{}, err
	}
	role, err := core.ParseRole("role", in.Role)
	if err != nil {
		return contract.Member{}, err
	}
	memberID, err := core.ParseID[core.UserKind](in.ID)
	if err != nil {
		return contract.Member{}, err
	}
	var m core.Member
	err = t.Tx(ctx, func(t store.Tenant) error {
		by, err := lockMembersAndGetCallerRole(ctx, t, c)
		if err != nil {
			return err
		}
		if m, err = t.MemberOrInvitation(ctx, memberID); err != nil {
			return err
		}
		if err := by.CheckRoleChange(m.Role, role); err != nil {
			return err
		}
		if err := a.checkOwnerRemains(ctx, t, m, role); err != nil {
			return err
		}
		before := m.Role
		m.Role = role
		if err := t.SaveMemberOrInvitationRole(ctx, m); err != nil {
			return err
		}
		return t.AddAuditEntry(ctx, core.AuditEntry{
			Action: core.AuditMemberChanged, Actor: c, Subject: in.ID,
			Before: map[string]core.Role{"role": before}, After: map[string]core.Role{"role": role},
		})
	})
	return contract.MemberOf(m), err
}

// RemoveMemberOrInvitation removes a member or an invitation. The member's keys and sessions, or the invitation's link,
// stop working. The member's posts stay. Everybody can remove themselves, except the last owner, who gets conflict.
func (a *App) RemoveMemberOrInvitation(ctx context.Context, c core.Caller, id string) error {
	leaves := id == c.AttributedUser().String()
	authorize := a.authorizeReauthenticatedManager
	if leaves {
		authorize = a.authorizeReauthenticated
	}
	t, err := authorize(c)
	if err != nil {
		return err
	}
	memberID, err := core.ParseID[core.UserKind](id)
	if err != nil {
		return err
	}
	return t.Tx(ctx, func(t store.Tenant) error {
		by, err := lockMembersAndGetCallerRole(ctx, t, c)
		if err != nil {
			return err
		}
		m, err := t.MemberOrInvitation(ctx, memberID)
		if err != nil {
			return err
		}
		if !leaves {
			if err := by.CheckRoleChange(m.Role, ""); err != nil {
				return err
			}
		}
		if err := a.checkOwnerRemains(ctx, t, m, ""); err != nil {
			return err
		}
		if err := t.RemoveMemberOrInvitation(ctx, m); err != nil {
			return err
		}
		return t.AddAuditEntry(ctx, core.AuditEntry{
			Action: core.AuditMemberRemoved, Actor: c, Subject: id,
			Before: map[string]string{"email": m.Email, "role": string(m.Role)},
		})
	})
}

// lockMembersAndGetCallerRole prevents other changes to the members until the transaction ends. It returns the caller's
// current role, which may have changed since the request began.
func lockMembersAndGetCallerRole(ctx context.Context, t store.Tenant, c core.Caller) (core.Role, error) {
	if err := t.LockWorkspace(ctx); err != nil {
		return "", err
	}
	m, err := t.MemberOrInvitation(ctx, c.AttributedUser())
	if errors.Is(err, store.ErrNotFound) {
		return "", errNotSignedIn()
	}
	return m.Role, err
}

// checkOwnerRemains returns conflict if the workspace would be left without an owner when the member gets the new
// role, or is removed ("").
func (a *App) checkOwnerRemains(ctx context.Context, t store.Tenant, m core.Member, newRoleOrEmpty core.Role) error {
	if m.Role != core.RoleOwner || m.IsPending() || newRoleOrEmpty == core.RoleOwner {
		return nil
	}
	n, err := t.CountMembersAndInvitations(ctx, a.cfg.Now())
	if err != nil || n.Owners > 1 {
		return err
	}
	return core.Fail(core.CodeConflict,
		"A workspace needs at least one owner, and this member is the only owner.").WithHint("Make another member an owner first.")
}
