package web

import (
	"net/http"

	"belfry/internal/contract"
	"belfry/internal/httpd"
	"belfry/views/auth"
	"belfry/views/link"
)

func (v *visit) signInForm() error {
	next := internal(v.QueryParam(auth.FieldNext))
	if !v.caller.IsZero() {
		return v.redirect(orHome(next))
	}
	first, err := v.web.cfg.App.SetUpOpen(v.ctx())
	if err != nil {
		return err
	}
	if first {
		return v.redirect(link.SetUp)
	}
	return v.showSignIn(http.StatusOK, auth.SignInModel{Next: next})
}

func (v *visit) showSignIn(status int, m auth.SignInModel) error {
	m.Frame = v.door("Sign in")
	return v.render(status, auth.SignIn(m), nil)
}

func (v *visit) signIn() error {
	form, err := v.form()
	if err != nil {
		return err
	}
	m := auth.SignInModel{Email: form.Get(auth.FieldEmail), Next: internal(form.Get(auth.FieldNext)), Carry: form.Get(auth.FieldCarry)}
	in, err := v.web.cfg.App.SignIn(v.ctx(), contract.SignIn{Email: m.Email, Password: form.Get(auth.FieldPassword)}, httpd.AddressKey(v))
	if e, ok := refused(err); ok {
		m.Refused = v.web.people(e)
		v.retryAfter(e)
		return v.showSignIn(httpd.Status(e.Code), m)
	}
	if err != nil {
		return err
	}
	if err := v.web.sessions.begin(v.ctx(), in); err != nil {
		return err
	}
	v.dirty = true
	if m.Carry != "" && len(m.Carry) <= longestCarry {
		v.put(keyCarried, m.Carry)
	}
	return v.redirect(orHome(m.Next))
}

func orHome(next string) string {
	if next == "" {
		return link.Posts(link.Filter{})
	}
	return next
}

func (v *visit) signOut() error {
	if err := v.web.sessions.end(v.ctx(), v.Response()); err != nil {
		return err
	}
	v.dirty = false
	return v.redirect(link.SignIn)
}
