package web

import (
	"net/http"

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
	m.Slug = who.Workspace.Slug
	m.Address = v.web.cfg.PublicURL.JoinPath("v1").String()
	return v.render(status, settings.Keys(m), nil)
}

// createKey makes a key and shows it in the answer itself, for it is kept nowhere that a next page could
// read. The same form once more, as when the answer is loaded anew, makes no second key.
func (v *visit) createKey() error {
	form, err := v.form()
	if err != nil {
		return err
	}
	name := form.Get(settings.FieldForm)
	if name != "" && name == v.web.sessions.manager.GetString(v.ctx(), keyForm) {
		v.say(ui.ToneInfo, "That key is made already, and is shown only once. Without a copy of it, revoke it and make another.")
		return v.redirect(link.Keys)
	}
	m := settings.KeysModel{Name: form.Get(settings.FieldName), Scope: form.Get(settings.FieldScope)}
	made, err := v.web.cfg.App.CreateKey(v.ctx(), v.caller, contract.CreateKey{Name: m.Name, Scope: m.Scope})
	if e, ok := refused(err); ok {
		m.Errors, m.Refused = v.beside(e, e.Path)
		return v.showKeys(httpd.Status(e.Code), m)
	}
	if err != nil {
		return err
	}
	v.put(keyForm, name)
	return v.showKeys(http.StatusCreated, settings.KeysModel{New: &made})
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
