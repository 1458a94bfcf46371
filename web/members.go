package web

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/httpd"
	"belfry/views/layout"
	"belfry/views/settings"
	"belfry/views/ui"
)

func (r *request) showMembers() error { return r.renderMembers(http.StatusOK, settings.MembersModel{}) }

// redirectToMembers redirects a person who opens the address of an action, which accepts only forms, to the members.
func (r *request) redirectToMembers() error { return r.redirect(r.link.Members()) }

func (r *request) renderMembers(status int, m settings.MembersModel) error {
	list, err := r.web.cfg.App.ListMembersAndInvitations(r.context(), r.caller)
	if err != nil {
		return err
	}
	if m.Zone, err = r.loadWorkspaceZone(); err != nil {
		return err
	}
	if m.Frame, err = r.loadFrameAndPopFlash("Members", layout.SectionSettings); err != nil {
		return err
	}
	m.Form = newFormID()
	m.Mails = r.web.cfg.App.MailMode() != app.MailOff
	m.Kept, m.Outbox = r.web.keepsEmails(), r.findOutboxURLIfLocal()
	m.Members, m.Now, m.Me, m.Role = list.Members, r.web.cfg.Now(), r.caller.AttributedUser().String(), r.caller.Role()
	return r.render(status, settings.Members(m), nil)
}

// inviteMember creates an invitation, or a new link for one. Only this response shows the link, because only a hash of
// it is stored. Submitting the form again, for example by reloading, does not replace the link.
func (r *request) inviteMember(form url.Values) error {
	m := settings.MembersModel{
		Email: form.Get(settings.FieldEmail), Name: form.Get(settings.FieldName),
		Invites: form.Get(settings.FieldRole),
	}
	var made contract.Member
	repeated, err := r.actUnlessRepeated(form, func(ctx context.Context) (err error) {
		made, err = r.web.cfg.App.InviteMember(ctx, r.caller, contract.InviteMember{
			Email: m.Email, Name: m.Name, Role: m.Invites,
		})
		return err
	})
	if e, ok := asFormRefusal(err); ok {
		m.Errors, m.Refused = r.placeError(e, e.Path)
		return r.renderMembers(httpd.Status(e.Code), m)
	}
	if err != nil {
		return err
	}
	if repeated {
		said, err := r.explainRepeatedInvitation(m.Email)
		if err != nil {
			return err
		}
		r.setFlash(ui.ToneInfo, said)
		return r.redirect(r.link.Members())
	}
	r.showsSecret = true
	return r.renderMembers(http.StatusCreated, settings.MembersModel{New: &made})
}

// explainRepeatedInvitation says what has become of an invitation whose form was sent again.
func (r *request) explainRepeatedInvitation(email string) (text string, err error) {
	list, err := r.web.cfg.App.ListMembersAndInvitations(r.context(), r.caller)
	if err != nil {
		return "", err
	}
	for _, m := range list.Members {
		if !strings.EqualFold(m.Email, strings.TrimSpace(email)) {
			continue
		}
		if m.ExpiresAt == nil {
			return m.Name + " is already a member.", nil
		}
		resend := settings.MembersModel{Mails: r.web.cfg.App.MailMode() != app.MailOff}.ResendLabel()
		return "This invitation has already been created, and its link was shown only once. " +
			"If you need another link, select “" + resend + "”.", nil
	}
	return "This invitation is no longer valid. To create another one, enter the email address again.", nil
}

func (r *request) changeMemberOrInvitationRole(form url.Values) error {
	made, err := r.web.cfg.App.ChangeMemberOrInvitationRole(r.context(), r.caller, contract.EditMember{
		ID: r.pathID(), Role: form.Get(settings.FieldRole),
	})
	if e, ok := asFormRefusal(err); ok {
		return r.renderMembers(httpd.Status(e.Code), settings.MembersModel{Refused: r.web.errorForPeople(e)})
	}
	if err != nil {
		return err
	}
	verb := " is now "
	if made.ExpiresAt != nil { // an invitation
		verb = " will join as "
	}
	r.setFlash(ui.ToneGood, made.Name+verb+core.Role(made.Role).WithArticle()+".")
	return r.redirect(r.link.Members())
}

// showRemoveAccessOrLeaveConfirmation asks before a member is removed, the person leaves, or an invitation is
// withdrawn.
func (r *request) showRemoveAccessOrLeaveConfirmation() error {
	list, err := r.web.cfg.App.ListMembersAndInvitations(r.context(), r.caller)
	if err != nil {
		return err
	}
	for _, m := range list.Members {
		if m.ID != r.pathID() {
			continue
		}
		ask := layout.ConfirmModel{
			Title: "Remove " + m.Name + "?", Points: []string{
				"They lose access to the workspace, and their API keys for it stop working immediately.",
				"Their posts remain in the workspace.",
			},
			Action: r.link.RemoveAccess(m.ID), Button: "Remove", Back: r.link.Members(),
			Fields: []ui.Hidden{newFormIDField()},
		}
		switch {
		case m.ID == r.caller.AttributedUser().String():
			ask.Title, ask.Button = "Leave this workspace?", "Leave"
			ask.Points = []string{
				"You lose access to the workspace, and your API keys for it stop working immediately.",
				"Your posts remain in the workspace.",
			}
		case m.ExpiresAt != nil:
			ask.Title, ask.Button = "Withdraw the invitation to "+m.Name+"?", "Withdraw invitation"
			ask.Points = []string{"The invitation link stops working."}
		}
		return r.renderConfirmation(layout.SectionSettings, ask)
	}
	return core.NotFound()
}

// removeAccessOrLeave removes a member or withdraws an invitation. Members who remove themselves are signed out.
func (r *request) removeAccessOrLeave(url.Values) error {
	err := r.web.cfg.App.RemoveMemberOrInvitation(r.context(), r.caller, r.pathID())
	if e, ok := asFormRefusal(err); ok {
		return r.renderMembers(httpd.Status(e.Code), settings.MembersModel{Refused: r.web.errorForPeople(e)})
	}
	if err != nil {
		return err
	}
	if r.pathID() == r.caller.AttributedUser().String() {
		return r.signOut()
	}
	r.setFlash(ui.ToneGood, "This person has no access to the workspace.")
	return r.redirect(r.link.Members())
}
