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

func (v *visit) setUpForm() error {
	first, err := v.web.cfg.App.SetUpOpen(v.ctx())
	if err != nil {
		return err
	}
	if !first {
		return v.redirect(link.Home)
	}
	return v.showSetUp(http.StatusOK, auth.SetUpModel{})
}

func (v *visit) showSetUp(status int, m auth.SetUpModel) error {
	m.Frame, m.NeedsCode = v.door("Set up"), v.needsCode()
	return v.render(status, auth.SetUp(m), nil)
}

func (v *visit) setUp() error {
	form, err := v.form()
	if err != nil {
		return err
	}
	m := auth.SetUpModel{Values: auth.SetUpValues{
		Workspace: form.Get(auth.FieldWorkspace), Name: form.Get(auth.FieldName), Email: form.Get(auth.FieldEmail),
		Zone: form.Get(auth.FieldZone), Code: form.Get(auth.FieldCode),
	}}
	first, err := v.web.cfg.App.SetUpOpen(v.ctx())
	if err != nil {
		return err
	}
	if first && v.needsCode() && !v.rightCode(m.Values.Code) {
		m.Errors = map[string]string{auth.FieldCode: "This is not the code. It stands in the server's log."}
		return v.showSetUp(http.StatusForbidden, m)
	}
	in, err := v.web.cfg.App.SetUp(v.ctx(), contract.SetUp{
		Workspace: m.Values.Workspace, Name: m.Values.Name, Email: m.Values.Email, Password: form.Get(auth.FieldPassword), TZ: m.Values.Zone,
	})
	if e, ok := refused(err); ok && e.Code == core.CodeInvalidRequest {
		m.Errors, m.Refused = v.beside(e, e.Path)
		return v.showSetUp(httpd.Status(e.Code), m)
	}
	if err != nil {
		return err
	}
	if err := v.web.sessions.begin(v.ctx(), in); err != nil {
		return err
	}
	v.say(ui.ToneGood, "Your workspace is ready. Connect an account, then write your first post.")
	return v.redirect(link.Accounts)
}

// beside puts a refusal beside the input that it is about, or above the form when that is "".
func (v *visit) beside(e *core.Error, input string) (map[string]string, *contract.Error) {
	told := v.web.people(e)
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
func (v *visit) needsCode() bool {
	r := v.Request()
	through := slices.ContainsFunc(forwarded, func(name string) bool { return r.Header.Get(name) != "" })
	return v.web.cfg.Exposed || through || !httpd.IsLoopback(v.RealIP()) || !httpd.IsLoopback(r.Host)
}

func (v *visit) rightCode(given string) bool {
	given = strings.ToUpper(strings.TrimSpace(given))
	return subtle.ConstantTimeCompare([]byte(given), []byte(v.web.cfg.SetUpCode)) == 1
}
