package web

import (
	"context"
	"net/http"
	"net/url"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/httpd"
	"belfry/views/layout"
	"belfry/views/link"
	"belfry/views/settings"
	"belfry/views/ui"
)

func (v *visit) settings() error { return v.redirect(link.Keys) }

func (v *visit) keys() error { return v.showKeys(http.StatusOK, settings.KeysModel{}) }

func (v *visit) showKeys(status int, m settings.KeysModel) error {
	list, err := v.web.cfg.App.ListKeys(v.ctx(), v.caller)
	if err != nil {
		return err
	}
	who, err := v.whoami()
	if err != nil {
		return err
	}
	if m.Zone, err = v.zone(); err != nil {
		return err
	}
	if m.Frame, err = v.frame("API keys", layout.SectionSettings); err != nil {
		return err
	}
	m.Form, m.Keys, m.API, m.UpgradeURL = newForm(), list.Keys, who.Usage.API, v.web.cfg.UpgradeURL
	m.Address = v.web.cfg.PublicURL.JoinPath("v1").String()
	return v.render(status, settings.Keys(m), nil)
}

// createKey makes a key and shows it in the answer itself, for it is kept nowhere that a next page could
// read. The same form once more makes no second key.
func (v *visit) createKey() error {
	form, err := v.form()
	if err != nil {
		return err
	}
	m := settings.KeysModel{Name: form.Get(settings.FieldName), Scope: form.Get(settings.FieldScope)}
	made, e, err := v.mint(form, contract.CreateKey{Name: m.Name, Scope: m.Scope})
	switch {
	case err != nil:
		return err
	case e != nil:
		v.retryAfter(e)
		m.Errors, m.Refused = v.beside(e, func(path string) string { return path })
		return v.showKeys(httpd.Status(e.Code), m)
	case made == nil:
		v.say(ui.ToneInfo, "The key was made before, and is shown only once. Without a copy of it, revoke it and make another.")
		return v.redirect(link.Keys)
	}
	return v.showKeys(http.StatusCreated, settings.KeysModel{New: made})
}

// mint makes a key; nil when its form has made one already.
func (v *visit) mint(form url.Values, in contract.CreateKey) (*contract.Key, *core.Error, error) {
	claim := replay("create key", form)
	admitted, err := v.web.cfg.App.Admit(v.ctx(), v.caller, app.Need{Session: true, Manages: true, Replay: claim})
	if e, ok := refused(err); ok || err != nil {
		return nil, e, unless(ok, err)
	}
	if admitted.Replayed {
		return nil, nil, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(v.ctx()), keepTime)
	defer cancel()
	key, err := v.web.cfg.App.CreateKey(v.ctx(), v.caller, in)
	if e, ok := refused(err); ok || err != nil {
		if ok {
			v.forget(ctx, claim)
		}
		return nil, e, unless(ok, err)
	}
	v.keep(ctx, claim, struct{}{})
	return &key, nil, nil
}

func unless(ok bool, err error) error {
	if ok {
		return nil
	}
	return err
}

func (v *visit) confirmRevoke() error {
	list, err := v.web.cfg.App.ListKeys(v.ctx(), v.caller)
	if err != nil {
		return err
	}
	for _, k := range list.Keys {
		if k.ID == v.id() {
			return v.confirm(layout.SectionSettings, layout.ConfirmModel{
				Title: "Revoke the key " + k.Name + "?", Points: []string{"Programs that use it stop at once.", "It cannot be brought back."},
				Action: link.RevokeKey(k.ID), Button: "Revoke the key", Back: link.Keys,
			})
		}
	}
	return core.NotFound()
}

func (v *visit) revokeKey() error {
	if err := v.web.cfg.App.RevokeKey(v.ctx(), v.caller, v.id()); err != nil {
		return err
	}
	v.say(ui.ToneGood, "The key is revoked.")
	return v.redirect(link.Keys)
}
