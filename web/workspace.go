package web

import (
	"net/http"
	"net/url"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/httpd"
	"belfry/views/layout"
	"belfry/views/link"
	"belfry/views/settings"
	"belfry/views/ui"
)

func (r *request) showWorkspaceSettings() error {
	who, err := r.loadWhoami()
	if err != nil {
		return err
	}
	return r.renderWorkspaceSettingsOrRefuse(http.StatusOK,
		settings.WorkspaceModel{Name: who.Workspace.Name, Slug: who.Workspace.Slug, Zone: who.Workspace.TZ})
}

// renderWorkspaceSettingsOrRefuse renders the page for owners and admins. For anyone else, it returns an error.
func (r *request) renderWorkspaceSettingsOrRefuse(status int, m settings.WorkspaceModel) (err error) {
	if err := r.caller.RequireManager(); err != nil {
		return err
	}
	if m.Frame, err = r.loadFrameAndPopFlash("General", layout.SectionSettings); err != nil {
		return err
	}
	return r.render(status, settings.Workspace(m), nil)
}

func (r *request) editWorkspace(form url.Values) error {
	m := settings.WorkspaceModel{
		Name: form.Get(settings.FieldName), Slug: form.Get(settings.FieldSlug),
		Zone: expandUniqueCityToZoneName(form.Get(settings.FieldZone)),
	}
	saved, err := r.web.cfg.App.EditWorkspace(r.context(), r.caller, contract.EditWorkspace{
		Name: &m.Name, Slug: &m.Slug, TZ: &m.Zone,
	})
	if e, ok := asFormRefusal(err); ok {
		if e.Code == core.CodeConflict { // only the short name can be taken
			e.Path = settings.FieldSlug
		}
		m.Errors, m.Refused = r.placeError(e, e.Path)
		if m.Errors[settings.FieldZone] != "" {
			m.Errors[settings.FieldZone] = explainInvalidZone(m.Zone)
		}
		return r.renderWorkspaceSettingsOrRefuse(httpd.Status(e.Code), m)
	}
	if err != nil {
		return err
	}
	r.link = link.Workspace(saved.Slug)
	r.setFlash(ui.ToneGood, "Workspace saved.")
	return r.redirect(r.link.WorkspaceSettings())
}
