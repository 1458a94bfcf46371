package web

import (
	"net/http"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/httpd"
	"belfry/views/auth"
	"belfry/views/link"
	"belfry/views/ui"
)

func (v *visit) invitation() error { return v.showInvitation(http.StatusOK, auth.InvitationModel{}) }

func (v *visit) showInvitation(status int, m auth.InvitationModel) error {
	m.Token = v.Param("token")
	i, err := v.web.cfg.App.Invitation(v.ctx(), m.Token)
	if core.CodeOf(err) == core.CodeNotFound {
		return v.noInvitation()
	}
	if err != nil {
		return err
	}
	m.Frame, m.Workspace, m.Email = v.door("Join "+i.Workspace), i.Workspace, i.Email
	if status == http.StatusOK {
		m.Name = i.Name
	}
	return v.render(status, auth.Invitation(m), nil)
}

func (v *visit) noInvitation() error {
	return v.render(http.StatusNotFound, auth.NoInvitation(v.door("Invitation")), nil)
}

func (v *visit) join() error {
	form, err := v.form()
	if err != nil {
		return err
	}
	m := auth.InvitationModel{Name: form.Get(auth.FieldName)}
	in, err := v.web.cfg.App.Join(v.ctx(), v.Param("token"), contract.Join{Name: m.Name, Password: form.Get(auth.FieldPassword)}, httpd.AddressKey(v))
	if core.CodeOf(err) == core.CodeNotFound {
		return v.noInvitation()
	}
	if e, ok := refused(err); ok {
		m.Errors, m.Refused = v.beside(e, e.Path)
		v.retryAfter(e)
		if m.Refused != nil {
			m.Refused.UpgradeURL = "" // the plan is not this person's business
		}
		return v.showInvitation(httpd.Status(e.Code), m)
	}
	if err != nil {
		return err
	}
	if err := v.web.sessions.begin(v.ctx(), in); err != nil {
		return err
	}
	v.say(ui.ToneGood, "You are a member of the workspace now.")
	return v.redirect(link.Posts(link.Filter{}))
}
