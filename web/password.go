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

// handleConfirmingPassword handles a request. If the operation requires the person's password again, it shows a page
// that asks for it. That page contains the submitted form, which is submitted again with the password.
func (r *request) handleConfirmingPassword(handle func(*request) error) error {
	if e, err := r.confirmPassword(); err != nil || e != nil {
		return cmp.Or(err, r.renderPassword(e))
	}
	err := handle(r)
	if core.IsPasswordNeeded(err) && r.echo.Request().Method == http.MethodPost {
		return r.renderPassword(nil)
	}
	return err
}

// confirmPassword checks the password in a form from renderPassword, and does nothing for any other request. refusal is
// why the password was refused, or nil.
func (r *request) confirmPassword() (refusal *core.Error, err error) {
	if r.echo.Request().Method != http.MethodPost || !r.caller.IsSession() {
		return nil, nil
	}
	form, err := r.readForm()
	if err != nil || !form.Has(auth.FieldCurrentPassword) {
		return nil, nil //nolint:nilerr // the handler returns the error of the form
	}
	err = r.web.cfg.App.ConfirmOwnPassword(r.context(), r.caller, form.Get(auth.FieldCurrentPassword))
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

// renderPassword asks for the person's password, and keeps the submitted form in hidden inputs. e is why the previous
// password was refused, or nil.
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
		r.setRetryAfter(e)
	}
	if m.Frame, err = r.loadFrame("Confirm your password", layout.SectionSettings); err != nil {
		return err
	}
	return r.render(status, auth.Password(m), auth.PasswordPart(m))
}
