package web

import (
	"context"
	"crypto/subtle"
	"net/http"
	"slices"
	"strings"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/httpd"
	"belfry/views/auth"
	"belfry/views/link"
	"belfry/views/ui"
)

// TellSetUpCode logs where a new server is set up, and the code for doing it from another machine.
func (w *Web) TellSetUpCode(ctx context.Context) error {
	first, err := w.cfg.App.SetUpOpen(ctx)
	if err != nil || !first {
		return err
	}
	w.cfg.Log.InfoContext(ctx, "nobody has set this server up yet; the code is asked for from any machine but this one",
		"url", w.cfg.PublicURL.JoinPath(link.SetUp).String(), "code", w.cfg.SetUpCode)
	return nil
}

func (r *request) showSetUp() error {
	first, err := r.web.cfg.App.SetUpOpen(r.context())
	if err != nil {
		return err
	}
	if !first {
		return r.redirect(link.Home)
	}
	return r.renderSetUp(http.StatusOK, auth.SetUpModel{})
}

func (r *request) renderSetUp(status int, m auth.SetUpModel) error {
	m.Frame, m.NeedsCode = r.signedOutFrame("Set up"), r.needsCode()
	return r.render(status, auth.SetUp(m), nil)
}

func (r *request) setUp() error {
	form, err := r.readForm()
	if err != nil {
		return err
	}
	m := auth.SetUpModel{Values: auth.SetUpValues{
		Workspace: form.Get(auth.FieldWorkspace), Name: form.Get(auth.FieldName), Email: form.Get(auth.FieldEmail),
		Zone: form.Get(auth.FieldZone), Code: form.Get(auth.FieldCode),
	}}
	first, err := r.web.cfg.App.SetUpOpen(r.context())
	if err != nil {
		return err
	}
	if first && r.needsCode() && !r.rightCode(m.Values.Code) {
		m.Errors = map[string]string{auth.FieldCode: "This is not the code. It stands in the server's log."}
		return r.renderSetUp(http.StatusForbidden, m)
	}
	in, err := r.web.cfg.App.SetUp(r.context(), contract.SetUp{
		Workspace: m.Values.Workspace, Name: m.Values.Name, Email: m.Values.Email, Password: form.Get(auth.FieldPassword), TZ: m.Values.Zone,
	}, r.visitor())
	if e, ok := asRefusal(err); ok && e.Code == core.CodeInvalidRequest {
		m.Errors, m.Refused = r.fieldErrors(e, e.Path)
		return r.renderSetUp(httpd.Status(e.Code), m)
	}
	if err != nil {
		return err
	}
	if err := r.beginSession(in); err != nil {
		return err
	}
	r.setFlash(ui.ToneGood, "Your workspace is ready. Connect an account, then write your first post.")
	return r.redirect(link.Accounts)
}

// fieldErrors puts a refusal beside the input that it is about, or above the form when that is "".
func (r *request) fieldErrors(e *core.Error, input string) (map[string]string, *contract.Error) {
	told := r.web.humanize(e)
	if input != "" {
		return map[string]string{input: strings.TrimSpace(told.Message + " " + told.Hint)}, nil
	}
	return nil, told
}

// forwarded are the headers by which a proxy says that somebody else asks.
var forwarded = []string{"Forwarded", "X-Forwarded-For", "X-Real-Ip", "Via"}

// needsCode tells whether a stranger could be the one who asks: the service is open to others, the
// request comes from another machine, maybe through a proxy on this one, or under a name that somebody else's
// page may have pointed here.
func (r *request) needsCode() bool {
	httpReq := r.echo.Request()
	through := slices.ContainsFunc(forwarded, func(name string) bool { return httpReq.Header.Get(name) != "" })
	return r.web.cfg.Exposed || through || !httpd.IsLoopback(r.echo.RealIP()) || !httpd.IsLoopback(httpReq.Host)
}

func (r *request) rightCode(given string) bool {
	given = strings.ToUpper(strings.TrimSpace(given))
	return subtle.ConstantTimeCompare([]byte(given), []byte(r.web.cfg.SetUpCode)) == 1
}
