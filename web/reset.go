package web

import (
	"net/http"
	"net/url"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/httpd"
	"belfry/views/auth"
	"belfry/views/link"
)

func (r *request) showForgotPassword() error {
	return r.renderForgotPassword(http.StatusOK, auth.ForgotModel{Sent: r.echo.QueryParam("sent") != ""})
}

func (r *request) renderForgotPassword(status int, m auth.ForgotModel) error {
	m.Frame, m.Mails = r.newSignedOutFrame("Forgotten password"), r.web.cfg.App.MailMode() != app.MailOff
	m.Kept, m.Outbox = r.web.keepsEmails(), r.findOutboxURLIfLocal()
	return r.render(status, auth.Forgot(m), nil)
}

func (r *request) requestPasswordReset(form url.Values) error {
	m := auth.ForgotModel{Email: form.Get(auth.FieldEmail)}
	err := r.web.cfg.App.RequestPasswordReset(r.context(), m.Email, r.readAddressKeyAndDeviceCookie())
	if e, ok := asFormRefusal(err); ok {
		m.Errors, m.Refused = r.placeError(e, e.Path)
		r.setRetryAfterHeader(e)
		return r.renderForgotPassword(httpd.Status(e.Code), m)
	}
	if err != nil {
		return err
	}
	return r.redirect(link.PasswordRequested)
}

func (r *request) showPasswordReset() error {
	return r.renderPasswordResetOrInvalid(http.StatusOK, auth.ResetModel{})
}

func (r *request) renderPasswordResetOrInvalid(status int, m auth.ResetModel) (err error) {
	m.Token, m.Frame = r.echo.Param("token"), r.newSignedOutFrame("Choose a new password")
	m.Email, err = r.web.cfg.App.GetPasswordResetUserEmail(r.context(), m.Token)
	if core.CodeOf(err) == core.CodeNotFound {
		return r.renderInvalidReset()
	}
	if err != nil {
		return err
	}
	return r.render(status, auth.Reset(m), nil)
}

func (r *request) renderInvalidReset() error {
	return r.render(http.StatusNotFound, auth.NoReset(r.newSignedOutFrame("Choose a new password")), nil)
}

func (r *request) resetPassword(form url.Values) error {
	err := r.web.cfg.App.ResetPassword(r.context(), r.echo.Param("token"),
		contract.NewPassword{Password: form.Get(auth.FieldPassword)}, r.readAddressKeyAndDeviceCookie())
	if core.CodeOf(err) == core.CodeNotFound {
		return r.renderInvalidReset()
	}
	if e, ok := asFormRefusal(err); ok {
		var m auth.ResetModel
		m.Errors, m.Refused = r.placeError(e, e.Path)
		r.setRetryAfterHeader(e)
		return r.renderPasswordResetOrInvalid(httpd.Status(e.Code), m)
	}
	if err != nil {
		return err
	}
	return r.redirect(link.SignInAfterReset)
}
