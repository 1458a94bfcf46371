package web

import (
	"net/http"
	"net/url"

	"belfry/internal/contract"
	"belfry/internal/httpd"
	"belfry/views/layout"
	"belfry/views/link"
	"belfry/views/settings"
	"belfry/views/ui"
)

func (r *request) showSecurity() error {
	return r.renderSecurity(http.StatusOK, settings.SecurityModel{})
}

func (r *request) renderSecurity(status int, m settings.SecurityModel) (err error) {
	if m.Sessions, err = r.web.cfg.App.ListSessions(r.context(), r.caller); err != nil {
		return err
	}
	m.Present = r.web.sessions.browserSessionEnsuringID(r.context()).ID
	if m.Zone, err = r.loadWorkspaceZone(); err != nil {
		return err
	}
	if m.Frame, err = r.loadFrameAndPopFlash("Password and sessions", layout.SectionSettings); err != nil {
		return err
	}
	m.Email = m.Frame.Person.Email
	return r.render(status, settings.Security(m), nil)
}

func (r *request) changePassword(form url.Values) error {
	proof, err := r.web.cfg.App.ChangePassword(r.context(), r.caller, contract.ChangePassword{
		Current: form.Get(settings.FieldPresentPassword), New: form.Get(settings.FieldNewPassword),
	})
	if e, ok := asFormRefusal(err); ok {
		var m settings.SecurityModel
		m.Errors, m.Refused = r.placeError(e, e.Path)
		r.setRetryAfterHeader(e)
		return r.renderSecurity(httpd.Status(e.Code), m)
	}
	if err != nil {
		return err
	}
	if err := r.web.sessions.renewSessionForNewPassword(r.context(), proof); err != nil {
		return err
	}
	r.sessionChanged = true
	r.setFlash(ui.ToneGood, "Password changed. You are signed out of all other browsers.")
	return r.redirect(r.link.Security())
}

func (r *request) endSessionByID() error {
	if err := r.web.cfg.App.EndSession(r.context(), r.caller, r.pathID()); err != nil {
		return err
	}
	r.setFlash(ui.ToneGood, "Signed out of that browser.")
	return r.redirect(r.link.Security())
}

func (r *request) redirectToSecurity() error { return r.redirect(r.link.Security()) }

func (r *request) showEndAllSessionsConfirmation() error {
	return r.renderConfirmation(layout.SectionSettings, layout.ConfirmModel{
		Title: "Sign out of all browsers?",
		Points: []string{
			"You will also be signed out of this browser.",
			"API keys keep working. If somebody else may know your password, change it.",
		},
		Action: r.link.EndAllSessions(), Button: "Sign out of all browsers", Back: r.link.Security(),
	})
}

func (r *request) endAllSessions() error {
	if err := r.web.cfg.App.EndAllSessions(r.context(), r.caller); err != nil {
		return err
	}
	return r.endSessionAndRedirect(link.SignInEnded)
}
