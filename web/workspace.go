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

func (v *visit) workspace() error {
	who, err := v.whoami()
	if err != nil {
		return err
	}
	return v.showWorkspace(http.StatusOK, settings.WorkspaceModel{Name: who.Workspace.Name, Slug: who.Workspace.Slug, Zone: who.Workspace.TZ})
}

func (v *visit) showWorkspace(status int, m settings.WorkspaceModel) (err error) {
	if err := v.caller.NeedSession(true); err != nil {
		return err
	}
	if m.Frame, err = v.frame("Workspace", layout.SectionSettings); err != nil {
		return err
	}
	return v.render(status, settings.Workspace(m), nil)
}

func (v *visit) editWorkspace() error {
	form, err := v.form()
	if err != nil {
		return err
	}
	m := settings.WorkspaceModel{Name: form.Get(settings.FieldName), Slug: form.Get(settings.FieldSlug), Zone: form.Get(settings.FieldZone)}
	_, err = v.web.cfg.App.EditWorkspace(v.ctx(), v.caller, contract.EditWorkspace{Name: &m.Name, Slug: &m.Slug, TZ: &m.Zone})
	if e, ok := refused(err); ok {
		if e.Code == core.CodeConflict { // only the short name can be taken
			e.Path = settings.FieldSlug
		}
		m.Errors, m.Refused = v.beside(e, e.Path)
		return v.showWorkspace(httpd.Status(e.Code), m)
	}
	if err != nil {
		return err
	}
	v.say(ui.ToneGood, "Saved.")
	return v.redirect(link.Workspace)
}
