package core

import "time"

// Member is a person in a workspace, or an invited person, who has no rights yet.
type Member struct {
	ID        UserID // an invitation has an id of its own, which hides whether the person already exists
	Name      string
	Email     string
	Role      Role
	CreatedAt time.Time // when they joined, or were first invited
	// InvitedUntil is when the invitation's link expires; zero for a person who has joined.
	InvitedUntil time.Time
}

// IsPending reports whether the person was invited and has not joined yet.
func (m Member) IsPending() bool { return !m.InvitedUntil.IsZero() }

// ParseRole parses a role; path is its place in the request.
func ParseRole(path, s string) (Role, error) {
	switch r := Role(s); r {
	case RoleOwner, RoleAdmin, RoleEditor, RoleViewer:
		return r, nil
	}
	return "", Invalid(path, "The role must be %q, %q, %q or %q.", RoleOwner, RoleAdmin, RoleEditor, RoleViewer)
}

// CheckRoleChange returns an error unless a person with role r may change another person's role. from is the other
// person's present role, and to is the new one; "" is the role of somebody outside the workspace.
func (r Role) CheckRoleChange(from, to Role) error {
	if !r.CanManage() {
		return errRoleTooLow()
	}
	if r != RoleOwner && (from == RoleOwner || to == RoleOwner) {
		return Fail(CodeInsufficientScope,
			"Only an owner can add, demote or remove owners.").WithHint("Ask an owner of the workspace to do this.")
	}
	return nil
}

func errRoleTooLow() *Error {
	return Fail(CodeInsufficientScope,
		"Only an owner or admin of the workspace can do this.").
		WithHint("Ask one of them to do it, or to give you another role. Your profile, under Settings, lists them.")
}
