package settings

import (
	"slices"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/views/layout"
	"belfry/views/ui"
)

// Names of the inputs of an invitation, in addition to FieldName, and of a member's role.
const (
	FieldEmail = "email"
	FieldRole  = "role"
)

// MembersModel is the page of members and invitations.
type MembersModel struct {
	Frame   layout.Frame
	Form    string // value of ui.FieldForm
	Members []contract.Member
	Zone    core.Zone
	Now     time.Time
	// Me is the id of the signed-in person, and Role their role.
	Me   string
	Role core.Role
	// New is the invitation that was just created. Its link is shown only once.
	New *contract.Member
	// Mails reports that invitations are emailed, and Kept that a sandbox keeps these emails. Outbox is the address at
	// which it shows them; empty if it does not show them to this person.
	Mails, Kept bool
	Outbox      string
	// Email, Name and Invites are the form's values; Invites is the role.
	Email, Name, Invites string
	Errors               map[string]string // by input
	// Refused is why the last action failed.
	Refused *contract.Error
}

// roleOption is a role that can be chosen.
type roleOption struct {
	role  core.Role
	label string
}

// offeredRoles returns the roles that the signed-in person can give, from least to most rights.
func (m MembersModel) offeredRoles() []roleOption {
	all := []roleOption{
		{core.RoleViewer, "Viewer: read only"},
		{core.RoleEditor, "Editor: posts, files and groups"},
		{core.RoleAdmin, "Admin: posts, files, groups, accounts, keys and members"},
		{core.RoleOwner, "Owner: everything"},
	}
	return slices.DeleteFunc(all, func(o roleOption) bool { return m.Role.CheckRoleChange("", o.role) != nil })
}

var roleNames = map[core.Role]string{
	core.RoleViewer: "Viewer", core.RoleEditor: "Editor", core.RoleAdmin: "Admin",
	core.RoleOwner: "Owner",
}

// canChangeMember reports whether the signed-in person can change the member's role or remove the member.
func (m MembersModel) canChangeMember(row contract.Member) bool {
	return m.Role.CheckRoleChange(core.Role(row.Role), "") == nil
}

// isOnlyOwner reports whether the workspace would have no owner without the member. An invited owner is not one yet.
func (m MembersModel) isOnlyOwner(row contract.Member) bool {
	isOwner := func(member contract.Member) bool {
		return member.Role == string(core.RoleOwner) && member.ExpiresAt == nil
	}
	return isOwner(row) && !slices.ContainsFunc(m.Members, func(other contract.Member) bool {
		return other.ID != row.ID && isOwner(other)
	})
}

// selectedInvitationRole returns the role that is preselected for an invitation.
func (m MembersModel) selectedInvitationRole() string {
	if m.Invites == "" {
		return string(core.RoleEditor)
	}
	return m.Invites
}

func (m MembersModel) newInvitationTitle() string {
	if m.New.Emailed && m.Kept {
		return "Invitation created for " + m.New.Email
	}
	if m.New.Emailed {
		return "Invitation emailed to " + m.New.Email
	}
	return "Send this link to " + m.New.Email
}

// newInvitationTone warns if the email of the invitation was not sent.
func (m MembersModel) newInvitationTone() ui.Tone {
	if m.Mails && !m.New.Emailed {
		return ui.ToneWarn
	}
	return ui.ToneGood
}

// ResendLabel returns the label of the button that renews an invitation.
func (m MembersModel) ResendLabel() string {
	if m.Mails {
		return "Resend invitation"
	}
	return "New link"
}

// rolesByRights are the roles from least to most rights.
var rolesByRights = []core.Role{core.RoleViewer, core.RoleEditor, core.RoleAdmin, core.RoleOwner}

// roleTask is a task that some roles allow.
type roleTask struct {
	name   string
	allows func(core.Role) bool
}

var roleTasks = []roleTask{
	{"See posts, accounts and files", func(core.Role) bool { return true }},
	{"Write, schedule and publish posts", core.Role.CanWrite},
	{"Upload and organize files, and sort accounts into groups", core.Role.CanWrite},
	{"Connect, reconnect and disconnect accounts", core.Role.CanManage},
	{"Create and revoke API keys", core.Role.CanManage},
	{"Invite and remove members, and change their roles", core.Role.CanManage},
	{"Change the workspace's settings and read the audit log", core.Role.CanManage},
	{"Appoint and remove owners", func(r core.Role) bool {
		return r.CheckRoleChange("", core.RoleOwner) == nil
	}},
}
