package web

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"belfry/internal/core"
	"belfry/internal/httpd"
	"belfry/views/auth"
	"belfry/views/layout"
	"belfry/views/settings"
)

// handleAndPromptIfPasswordNeeded handles a request. If the operation requires the person's password again, it shows a
// page that asks for the password. That page contains the submitted form, which is submitted again with the password.
func (r *request) handleAndPromptIfPasswordNeeded(handle func(*request) error) error {
	if e, err := r.checkPasswordIfSubmittedAndRecordTime(); err != nil || e != nil {
		return cmp.Or(err, r.renderPasswordPrompt(e))
	}
	err := handle(r)
	if core.IsPasswordNeeded(err) && r.echo.Request().Method == http.MethodPost {
		return r.renderPasswordPrompt(nil)
	}
	return err
}

// checkPasswordIfSubmittedAndRecordTime checks the password in a form from renderPasswordPrompt, and records that the
// person has just entered it. For any other request, it does nothing. refusalOrNil is why the password was refused.
func (r *request) checkPasswordIfSubmittedAndRecordTime() (refusalOrNil *core.Error, err error) {
	if r.echo.Request().Method != http.MethodPost || !r.caller.IsSession() {
		return nil, nil
	}
	form, err := r.readForm()
	if err != nil || !form.Has(auth.FieldCurrentPassword) {
		return nil, nil //nolint:nilerr // the handler returns the error of the form
	}
	err = r.web.cfg.App.VerifyOwnPasswordAndAudit(r.context(), r.caller, form.Get(auth.FieldCurrentPassword))
	if e, ok := asFormRefusal(err); ok {
		return e, nil
	}
	if err != nil {
		return nil, err
	}
	if err := r.web.sessions.renewTokenAndRecordPasswordTime(r.context()); err != nil {
		return nil, err
	}
	r.sessionChanged = true
	return nil, r.enterWorkspaceOrLast(r.addressedSlug())
}

// renderPasswordPrompt asks for the person's password, and keeps the submitted form in hidden inputs. refusalOrNil is
// why the previous password was refused.
func (r *request) renderPasswordPrompt(refusalOrNil *core.Error) error {
	form, err := r.readForm()
	if err != nil {
		return err
	}
	m := auth.PasswordModel{
		Change: r.describeChange(form), Action: r.echo.Request().URL.Path,
		Back: cmp.Or(r.refererPageURL(), r.link.Settings()),
	}
	for _, name := range slices.Sorted(maps.Keys(form)) {
		for _, value := range form[name] {
			if name != auth.FieldCurrentPassword {
				m.Carried = append(m.Carried, auth.Input{Name: name, Value: value})
			}
		}
	}
	status := http.StatusForbidden
	if e := refusalOrNil; e != nil {
		m.Refused, status = r.web.errorForPeople(e), httpd.Status(e.Code)
		r.setRetryAfterHeader(e)
	}
	if m.Frame, err = r.loadFrameAndPopFlash("Confirm your password", layout.SectionSettings); err != nil {
		return err
	}
	return r.render(status, auth.Password(m), auth.PasswordPart(m))
}

// describeChange says what a submitted form that needs the password is about to do, for example "invite
// ben@example.org".
func (r *request) describeChange(form url.Values) string {
	switch r.echo.Request().URL.Path {
	case r.link.Keys():
		return "create the API key “" + form.Get(settings.FieldName) + "”"
	case r.link.RevokeKey(r.pathID()):
		return "revoke the API key"
	case r.link.Members():
		return "invite " + form.Get(settings.FieldEmail)
	case r.link.ChangeRole(r.pathID()):
		return "make this person " + core.Role(form.Get(settings.FieldRole)).WithArticle()
	case r.link.RemoveAccess(r.pathID()):
		return "end this person's access to the workspace"
	case r.link.WorkspaceSettings():
		return "save the workspace's settings"
	case r.link.Profile():
		return "change your email address to " + form.Get(settings.FieldEmail)
	}
	return "make this change"
}
