package web

import (
	"net/url"

	"belfry/views/settings"
	"belfry/views/ui"
)

// setShortcuts switches single-key shortcuts on or off for the signed-in person.
func (r *request) setShortcuts(form url.Values) error {
	on := form.Has(settings.FieldShortcuts)
	if err := r.web.cfg.App.SetShortcutsEnabled(r.context(), r.caller, on); err != nil {
		return err
	}
	text := "Single-key shortcuts are off."
	if on {
		text = "Single-key shortcuts are on."
	}
	r.setFlash(ui.ToneGood, text)
	return r.redirect(r.link.Appearance())
}

func (r *request) hideFirstSteps() error {
	if err := r.web.cfg.App.HideFirstSteps(r.context(), r.caller); err != nil {
		return err
	}
	return r.redirect(r.link.Home())
}
