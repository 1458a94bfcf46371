package web

import (
	"net/http"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/httpd"
	"belfry/views/layout"
	"belfry/views/link"
	"belfry/views/settings"
	"belfry/views/ui"
)

func (v *visit) members() error { return v.showMembers(http.StatusOK, settings.MembersModel{}) }

// toMembers is for who loads anew the address that a form went to.
func (v *visit) toMembers() error { return v.redirect(link.Members) }

func (v *visit) showMembers(status int, m settings.MembersModel) error {
	list, err := v.web.cfg.App.ListMembers(v.ctx(), v.caller)
	if err != nil {
		return err
	}
	if m.Zone, err = v.zone(); err != nil {
		return err
	}
	if m.Frame, err = v.frame("Members", layout.SectionSettings); err != nil {
		return err
	}
	m.Members, m.Now, m.Me, m.Role = list.Members, v.web.cfg.Now(), v.caller.User().String(), v.caller.Role()
	return v.render(status, settings.Members(m), nil)
}

// invite makes an invitation and shows its link in the answer itself, for it is kept nowhere that a next page could
// read. The same form once more makes another link in place of it.
func (v *visit) invite() error {
	form, err := v.form()
	if err != nil {
		return err
	}
	m := settings.MembersModel{Email: form.Get(settings.FieldEmail), Name: form.Get(settings.FieldName), Invites: form.Get(settings.FieldRole)}
	made, err := v.web.cfg.App.InviteMember(v.ctx(), v.caller, contract.InviteMember{Email: m.Email, Name: m.Name, Role: m.Invites})
	if e, ok := refused(err); ok {
		m.Errors, m.Refused = v.beside(e, e.Path)
		return v.showMembers(httpd.Status(e.Code), m)
	}
	if err != nil {
		return err
	}
	return v.showMembers(http.StatusCreated, settings.MembersModel{New: &made})
}

func (v *visit) editMember() error {
	form, err := v.form()
	if err != nil {
		return err
	}
	made, err := v.web.cfg.App.EditMember(v.ctx(), v.caller, v.id(), contract.EditMember{Role: form.Get(settings.FieldRole)})
	if e, ok := refused(err); ok {
		return v.showMembers(httpd.Status(e.Code), settings.MembersModel{Refused: v.web.people(e)})
	}
	if err != nil {
		return err
	}
	v.say(ui.ToneGood, made.Name+" is "+article(made.Role)+" now.")
	return v.redirect(link.Members)
}

func article(role string) string {
	if role == string(core.RoleViewer) {
		return "a " + role
	}
	return "an " + role
}

func (v *visit) confirmRemoval() error {
	list, err := v.web.cfg.App.ListMembers(v.ctx(), v.caller)
	if err != nil {
		return err
	}
	for _, m := range list.Members {
		if m.ID != v.id() {
			continue
		}
		ask := layout.ConfirmModel{
			Title: "Remove " + m.Name + "?", Points: []string{"Their API keys and sessions stop at once.", "Their posts stay."},
			Action: link.RemoveMember(m.ID), Button: "Remove", Back: link.Members,
		}
		switch {
		case m.ID == v.caller.User().String():
			ask.Title, ask.Button, ask.Leave = "Leave this workspace?", "Leave", "Stay"
			ask.Points = []string{"Your API keys stop at once, and you see nothing of it any more.", "Your posts stay."}
		case m.ExpiresAt != nil:
			ask.Points = []string{"The link of the invitation stops working."}
		}
		return v.confirm(layout.SectionSettings, ask)
	}
	return core.NotFound()
}

func (v *visit) removeMember() error {
	err := v.web.cfg.App.RemoveMember(v.ctx(), v.caller, v.id())
	if e, ok := refused(err); ok {
		return v.showMembers(httpd.Status(e.Code), settings.MembersModel{Refused: v.web.people(e)})
	}
	if err != nil {
		return err
	}
	if v.id() == v.caller.User().String() {
		return v.signOut()
	}
	v.say(ui.ToneGood, "Removed.")
	return v.redirect(link.Members)
}
