package web

import (
	"net/http"
	"net/url"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/httpd"
	"belfry/views/auth"
	"belfry/views/ui"
)

func (r *request) showInvitation() error {
	return r.renderInvitationOrInvalid(http.StatusOK, auth.InvitationModel{})
}

func (r *request) renderInvitationOrInvalid(status int, m auth.InvitationModel) error {
	m.Token = r.echo.Param("token")
	i, err := r.web.cfg.App.GetInvitation(r.context(), m.Token)
	if core.CodeOf(err) == core.CodeNotFound {
		return r.renderInvalidInvitation()
	}
	if err != nil {
		return err
	}
	m.Frame, m.Workspace, m.Email = r.newSignedOutFrame("Join "+i.Workspace), i.Workspace, i.Email
	m.Role, m.InvitedBy = i.Role, i.InvitedBy
	if status == http.StatusOK {
		m.Name = i.Name
	}
	return r.render(status, auth.Invitation(m), nil)
}

func (r *request) renderInvalidInvitation() error {
	return r.render(http.StatusNotFound, auth.NoInvitation(r.newSignedOutFrame("Invitation")), nil)
}

func (r *request) acceptInvitationAndSignIn(form url.Values) error {
	m := auth.InvitationModel{Name: form.Get(auth.FieldName)}
	join := contract.Join{Name: m.Name, Password: form.Get(auth.FieldPassword)}
	in, err := r.web.cfg.App.AcceptInvitation(r.context(), r.echo.Param("token"), join, r.readAddressKeyAndDeviceCookie())
	if core.CodeOf(err) == core.CodeNotFound {
		return r.renderInvalidInvitation()
	}
	if e, ok := asFormRefusal(err); ok {
		m.Errors, m.Refused = r.placeError(e, e.Path)
		r.setRetryAfterHeader(e)
		if m.Refused != nil {
			m.Refused.UpgradeURL = "" // only members may see the plans
		}
		return r.renderInvitationOrInvalid(httpd.Status(e.Code), m)
	}
	if err != nil {
		return err
	}
	if err := r.beginSessionAndSetDeviceCookie(in); err != nil {
		return err
	}
	r.setFlash(ui.ToneGood, "You have joined the workspace.")
	return r.redirect(r.link.Home())
}
