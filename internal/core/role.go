package core

import "slices"

// Role is a person's role in a workspace (decisions.md, Credentials).
type Role string

// Roles, from most to fewest rights.
const (
	RoleOwner  Role = "owner"
	RoleAdmin  Role = "admin"
	RoleEditor Role = "editor"
	RoleViewer Role = "viewer"
)

// WithArticle returns the role with its indefinite article, such as "an editor".
func (r Role) WithArticle() string {
	if r == RoleViewer {
		return "a viewer"
	}
	return "an " + string(r)
}

// ManagerRoles returns the roles that can change accounts, keys and members.
func ManagerRoles() []Role { return []Role{RoleOwner, RoleAdmin} }

// CanManage reports whether the role is one of ManagerRoles.
func (r Role) CanManage() bool { return slices.Contains(ManagerRoles(), r) }

// CanWrite reports whether the role can change posts and media.
func (r Role) CanWrite() bool { return r == RoleOwner || r == RoleAdmin || r == RoleEditor }

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
