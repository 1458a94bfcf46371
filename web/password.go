package web

import (
	"cmp"
	"maps"
	"net/http"
	"slices"

	"belfry/internal/core"
	"belfry/internal/httpd"
	"belfry/views/auth"
	"belfry/views/layout"
)

// withPassword handles a request. If it requires the person's password again, the page that asks for it contains the
// form, so that nothing has to be entered twice; the form is then submitted with the password.
func (r *request) withPassword(handle func(*request) error) error {
	if e, err := r.confirmPassword(); err != nil || e != nil {
		return cmp.Or(err, r.renderPassword(e))
	}
	err := handle(r)
	if core.IsPasswordNeeded(err) && r.echo.Request().Method == http.MethodPost {
		return r.renderPassword(nil)
	}
	return err
}

// confirmPassword checks the password of a form from renderPassword, if the request is one. It returns why the
// password was refused.
func (r *request) confirmPassword() (*core.Error, error) {
	if r.echo.Request().Method != http.MethodPost || !r.caller.IsSession() {
		return nil, nil
	}
	form, err := r.readForm()
	if err != nil || !form.Has(auth.FieldCurrentPassword) {
		return nil, nil //nolint:nilerr // the handler says what is wrong with the form
	}
	err = r.web.cfg.App.CheckOwnPassword(r.context(), r.caller, form.Get(auth.FieldCurrentPassword))
	if e, ok := asRefusal(err); ok {
		return e, nil
	}
	if err != nil {
		return nil, err
	}
	if err := r.web.sessions.renewProof(r.context()); err != nil {
		return nil, err
	}
	r.sessionChanged = true
	return nil, r.enterWorkspace(r.addressedWorkspace())
}

// renderPassword asks for the person's password before the submitted form is handled. e is why the previous password
// was refused, or nil.
func (r *request) renderPassword(e *core.Error) error {
	form, err := r.readForm()
	if err != nil {
		return err
	}
	m := auth.PasswordModel{Action: r.echo.Request().URL.Path, Back: cmp.Or(r.refererPage(), r.link.Settings())}
	for _, name := range slices.Sorted(maps.Keys(form)) {
		for _, value := range form[name] {
			if name != auth.FieldCurrentPassword {
				m.Carried = append(m.Carried, auth.Input{Name: name, Value: value})
			}
		}
	}
	status := http.StatusForbidden
	if e != nil {
		m.Refused, status = r.web.humanize(e), httpd.Status(e.Code)
		r.retryAfter(e)
	}
	if m.Frame, err = r.pageFrame("Confirm your password", layout.SectionSettings); err != nil {
		return err
	}
	return r.render(status, auth.Password(m), auth.PasswordPart(m))
}
