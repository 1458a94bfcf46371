package core

import "time"

// Member is a person in a workspace, or an invited person, who has no rights yet.
type Member struct {
	ID        UserID // of an invitation its own: whether the person exists shows only once they join
	Name      string
	Email     string
	Role      Role
	CreatedAt time.Time // when they joined, or were first invited
	// InvitedUntil is when the invitation's link expires; zero for a person who has joined.
	InvitedUntil time.Time
}

// Invited reports whether the person has not joined yet.
func (m Member) Invited() bool { return !m.InvitedUntil.IsZero() }

// ParseRole parses a role; path is its place in the request.
func ParseRole(path, s string) (Role, error) {
	switch r := Role(s); r {
	case RoleOwner, RoleAdmin, RoleEditor, RoleViewer:
		return r, nil
	}
	return "", Invalid(path, "The role must be %q, %q, %q or %q.", RoleOwner, RoleAdmin, RoleEditor, RoleViewer)
}

// MaySet returns an error unless a person with role r may change somebody's role from one to another. "" is the role
// of a person outside the workspace.
func (r Role) MaySet(from, to Role) error {
	if !r.Manages() {
		return errRoleTooLow()
	}
	if r != RoleOwner && (from == RoleOwner || to == RoleOwner) {
		return Fail(CodeInsufficientScope,
			"Only an owner can add or demote owners.").WithHint("Ask an owner of the workspace.")
	}
	return nil
}

func errRoleTooLow() *Error {
	return Fail(CodeInsufficientScope,
		"Your role does not allow this.").WithHint("Ask an owner or admin of the workspace.")
}
