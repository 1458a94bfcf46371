package core

import "time"

// Member is a person in a workspace, or somebody invited to it, who has no rights there yet.
type Member struct {
	ID        UserID // of an invitation its own: whether the person exists shows only once they join
	Name      string
	Email     string
	Role      Role
	CreatedAt time.Time // when they joined, or were first invited
	// InvitedUntil is when the invitation's link stops working; zero for who has joined.
	InvitedUntil time.Time
}

// Invited tells whether the person has not joined yet.
func (m Member) Invited() bool { return !m.InvitedUntil.IsZero() }

// ParseRole reads a role; path is its place in the request.
func ParseRole(path, s string) (Role, error) {
	switch r := Role(s); r {
	case RoleOwner, RoleAdmin, RoleEditor, RoleViewer:
		return r, nil
	}
	return "", Invalid(path, "The role must be %q, %q, %q or %q.", RoleOwner, RoleAdmin, RoleEditor, RoleViewer)
}

// MaySet returns the error of a person with the role r who may not turn somebody's role into another; nil when they
// may. "" is the role of who is not in the workspace.
func (r Role) MaySet(from, to Role) error {
	if !r.Manages() {
		return roleTooLow()
	}
	if r != RoleOwner && (from == RoleOwner || to == RoleOwner) {
		return Fail(CodeInsufficientScope,
			"Only an owner can add or demote owners.").WithHint("Ask an owner of the workspace.")
	}
	return nil
}

func roleTooLow() *Error {
	return Fail(CodeInsufficientScope,
		"Your role does not allow this.").WithHint("Ask an owner or admin of the workspace.")
}
