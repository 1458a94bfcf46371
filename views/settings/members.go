package settings

import (
	"slices"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/views/layout"
)

// Inputs of the form of an invitation, beside FieldName, and of a member's role.
const (
	FieldEmail = "email"
	FieldRole  = "role"
)

// MembersModel is the page of members and invitations.
type MembersModel struct {
	Frame   layout.Frame
	Members []contract.Member
	Zone    core.Zone
	Now     time.Time
	// Me is the id of the person who looks; Role is theirs.
	Me   string
	Role core.Role
	// New is the invitation just made: the only time that its link is shown.
	New *contract.Member
	// Email, Name and Invites are the form's values; Invites is the role.
	Email, Name, Invites string
	Errors               map[string]string // by input
	// Refused is why the last act did not work.
	Refused *contract.Error
}

// option is a role as it is offered.
type roleOption struct {
	role  core.Role
	label string
}

// offeredRoles are the roles that the person who looks may give, from least to most.
func (m MembersModel) offeredRoles() []roleOption {
	all := []roleOption{
		{core.RoleViewer, "Viewer: read only"},
		{core.RoleEditor, "Editor: posts and files"},
		{core.RoleAdmin, "Admin: also accounts, keys and members"},
		{core.RoleOwner, "Owner: everything"},
	}
	return slices.DeleteFunc(all, func(o roleOption) bool { return m.Role.MaySet("", o.role) != nil })
}

var roleNames = map[core.Role]string{
	core.RoleViewer: "Viewer", core.RoleEditor: "Editor", core.RoleAdmin: "Admin",
	core.RoleOwner: "Owner",
}

// canChange tells whether the person who looks may give the member another role, or remove them.
func (m MembersModel) canChange(row contract.Member) bool {
	return m.Role.MaySet(core.Role(row.Role), "") == nil
}

// selectedRole is the role that the form of an invitation shows first.
func (m MembersModel) selectedRole() string {
	if m.Invites == "" {
		return string(core.RoleEditor)
	}
	return m.Invites
}
