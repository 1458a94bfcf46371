package web

import (
	"cmp"
	"net/http"
	"net/url"

	"belfry/internal/contract"
	"belfry/internal/httpd"
	"belfry/views/auth"
	"belfry/views/link"
)

func (r *request) showSignIn() error {
	next := safeReturnURL(r.echo.QueryParam(auth.FieldNext))
	if !r.caller.IsZero() {
		return r.redirect(cmp.Or(next, r.link.Home()))
	}
	first, err := r.web.cfg.App.NeedsSetUp(r.context())
	if err != nil {
		return err
	}
	if first {
		return r.redirect(link.SetUp)
	}
	return r.renderSignIn(http.StatusOK, auth.SignInModel{
		Next: next, Changed: r.echo.QueryParam("changed") != "", EndedAll: r.echo.QueryParam("ended") != "",
	})
}

func (r *request) renderSignIn(status int, m auth.SignInModel) error {
	m.Frame = r.newSignedOutFrame("Sign in")
	return r.render(status, auth.SignIn(m), nil)
}

func (r *request) signIn(form url.Values) error {
	m := auth.SignInModel{
		Email: form.Get(auth.FieldEmail), Next: safeReturnURL(form.Get(auth.FieldNext)),
		Carry: form.Get(auth.FieldCarry),
	}
	given := contract.SignIn{Email: m.Email, Password: form.Get(auth.FieldPassword)}
	in, err := r.web.cfg.App.SignIn(r.context(), given, r.readAddressKeyAndDeviceCookie())
	if e, ok := asFormRefusal(err); ok {
		m.Refused = r.web.errorForPeople(e)
		r.setRetryAfterHeader(e)
		return r.renderSignIn(httpd.Status(e.Code), m)
	}
	if err != nil {
		return err
	}
	if err := r.beginSessionAndSetDeviceCookie(in); err != nil {
		return err
	}
	if m.Carry != "" && len(m.Carry) <= maxSavedForm {
		r.putSessionValue(keySavedForm, m.Carry)
	}
	return r.redirect(cmp.Or(m.Next, r.link.Home()))
}

func (r *request) signOut() error { return r.endSessionAndRedirect(link.SignIn) }

// endSessionAndRedirect signs the person out of this browser.
func (r *request) endSessionAndRedirect(url string) error {
	if err := r.web.sessions.endAndClearCookie(r.context(), r.echo.Response()); err != nil {
		return err
	}
	r.sessionChanged = false
	return r.redirect(url)
}
