package contract

import "belfry/internal/core"

// Member is a member of the workspace, or an invited person.
type Member struct {
	ID        string `json:"id" doc:"Until the person joins, the invitation's ID; afterwards the person's ID, as in GET /whoami."`
	Name      string `json:"name"`
	Email     string `json:"email"`
	Role      string `json:"role" enum:"owner,admin,editor,viewer"`
	Status    string `json:"status" enum:"active,invited"`
	CreatedAt Time   `json:"createdAt" doc:"When the person joined or, until then, was first invited."`
	ExpiresAt *Time  `json:"expiresAt" doc:"When the invitation's link stops working; null for a member."`
	InviteURL string `json:"inviteUrl,omitempty" doc:"The invitation link, returned only in the response to POST /members. It works once, until expiresAt."`
	Emailed   bool   `json:"emailed,omitzero" doc:"True if Belfry also emails the link to the person. An address gets at most three invitations by email in quick succession, and then at most one a day."`
}

// Members is the response to GET /members.
type Members struct {
	Members    []Member `json:"members" nullable:"false"`
	NextCursor *string  `json:"nextCursor"`
}

// InviteMember is the body of POST /members, and the dashboard's form.
type InviteMember struct {
	Email string `json:"email" minLength:"3" maxLength:"254"`
	Role  string `json:"role" enum:"owner,admin,editor,viewer"`
	Name  string `json:"name,omitempty" maxLength:"80" doc:"The name that Belfry shows until the person joins. Default: the part of the email address before the @."`
}

// EditMember is the request PATCH /members/{id}.
type EditMember struct {
	ID   string `json:"-" path:"id"`
	Role string `json:"role" enum:"owner,admin,editor,viewer"`
}

// Statuses of a member.
const (
	memberActive  = "active"
	memberInvited = "invited"
)

// MemberOf converts a member to their record, without the link of an invitation.
func MemberOf(m core.Member) Member {
	out := Member{
		ID: m.ID.String(), Name: m.Name, Email: m.Email, Role: string(m.Role), Status: memberActive,
		CreatedAt: Time{m.CreatedAt},
		ExpiresAt: TimeOrNil(m.InvitedUntil),
	}
	if m.IsPending() {
		out.Status = memberInvited
	}
	return out
}
