package web

import (
	"context"
	"crypto/subtle"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/httpd"
	"belfry/views/auth"
	"belfry/views/link"
	"belfry/views/ui"
)

// FindSetUpURL returns the address for setting up a new server, including the code that the page requires. It returns
// "" if the server has already been set up.
func (w *Web) FindSetUpURL(ctx context.Context) (urlOrEmpty string, err error) {
	first, err := w.cfg.App.NeedsSetUp(ctx)
	if err != nil || !first {
		return "", err
	}
	at := w.cfg.PublicURL.JoinPath(link.SetUp)
	at.RawQuery = url.Values{auth.FieldCode: {w.cfg.SetUpCode}}.Encode()
	return at.String(), nil
}

func (r *request) showSetUp() error {
	first, err := r.web.cfg.App.NeedsSetUp(r.context())
	if err != nil {
		return err
	}
	if !first {
		return r.redirect(link.Home)
	}
	return r.renderSetUp(http.StatusOK, auth.SetUpModel{Values: auth.SetUpValues{Code: r.echo.QueryParam(auth.FieldCode)}})
}

func (r *request) renderSetUp(status int, m auth.SetUpModel) error {
	m.Frame, m.AsksForCode = r.newSignedOutFrame("Set up"), !r.isSetUpCode(m.Values.Code)
	return r.render(status, auth.SetUp(m), nil)
}

func (r *request) setUpServer(form url.Values) error {
	m := auth.SetUpModel{Values: auth.SetUpValues{
		Workspace: form.Get(auth.FieldWorkspace), Name: form.Get(auth.FieldName), Email: form.Get(auth.FieldEmail),
		Zone: expandUniqueCityToZoneName(form.Get(auth.FieldZone)), Code: form.Get(auth.FieldCode),
	}}
	first, err := r.web.cfg.App.NeedsSetUp(r.context())
	if err != nil {
		return err
	}
	if first && !r.isSetUpCode(m.Values.Code) {
		m.Errors = map[string]string{auth.FieldCode: "This code is wrong. Copy the code from the link that Belfry printed when it started."}
		return r.renderSetUp(http.StatusForbidden, m)
	}
	in, err := r.web.cfg.App.SetUpServer(r.context(), contract.SetUp{
		Workspace: m.Values.Workspace, Name: m.Values.Name, Email: m.Values.Email, Password: form.Get(auth.FieldPassword),
		TZ: m.Values.Zone,
	}, r.readAddressKeyAndDeviceCookie())
	if e, ok := asFormRefusal(err); ok && e.Code == core.CodeInvalidRequest {
		m.Errors = r.errorsByInput(err)
		if m.Errors[auth.FieldZone] != "" {
			m.Errors[auth.FieldZone] = explainInvalidZone(m.Values.Zone)
		}
		return r.renderSetUp(httpd.Status(e.Code), m)
	}
	if err != nil {
		return err
	}
	if err := r.beginSessionAndSetDeviceCookie(in); err != nil {
		return err
	}
	r.setFlash(ui.ToneGood, "Your workspace is ready. Connect an account, then write your first post.")
	return r.redirect(r.link.Accounts())
}

// placeError returns an error as the message beside an input or, if input is "", as the error at the top of the form.
func (r *request) placeError(e *core.Error, input string) (byInputOrNil map[string]string, topOrNil *contract.Error) {
	told := r.web.errorForPeople(e)
	if input != "" {
		return map[string]string{input: strings.TrimSpace(told.Message + " " + told.Hint)}, nil
	}
	return nil, told
}

// errorsByInput returns the messages of all joined errors, by input. It omits errors that concern no input.
func (r *request) errorsByInput(err error) map[string]string {
	found := map[string]string{}
	for _, e := range core.Errors(err) {
		beside, _ := r.placeError(e, e.Path)
		maps.Copy(found, beside)
	}
	return found
}

// isSetUpCode reports whether a person has entered the setup code. It takes the same time for each code.
func (r *request) isSetUpCode(given string) bool {
	given = strings.ToUpper(strings.TrimSpace(given))
	return subtle.ConstantTimeCompare([]byte(given), []byte(r.web.cfg.SetUpCode)) == 1
}
