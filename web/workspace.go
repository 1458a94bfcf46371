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

func (r *request) showWorkspace() error {
	who, err := r.loadWhoami()
	if err != nil {
		return err
	}
	return r.renderWorkspace(http.StatusOK,
		settings.WorkspaceModel{Name: who.Workspace.Name, Slug: who.Workspace.Slug, Zone: who.Workspace.TZ})
}

func (r *request) renderWorkspace(status int, m settings.WorkspaceModel) (err error) {
	if err := r.caller.NeedSession(true); err != nil {
		return err
	}
	if m.Frame, err = r.pageFrame("Workspace", layout.SectionSettings); err != nil {
		return err
	}
	return r.render(status, settings.Workspace(m), nil)
}

func (r *request) editWorkspace(form url.Values) error {
	m := settings.WorkspaceModel{
		Name: form.Get(settings.FieldName), Slug: form.Get(settings.FieldSlug),
		Zone: form.Get(settings.FieldZone),
	}
	_, err := r.web.cfg.App.EditWorkspace(r.context(), r.caller, contract.EditWorkspace{
		Name: &m.Name, Slug: &m.Slug, TZ: &m.Zone,
	})
	if e, ok := asRefusal(err); ok {
		if e.Code == core.CodeConflict { // only the short name can be taken
			e.Path = settings.FieldSlug
		}
		m.Errors, m.Refused = r.fieldErrors(e, e.Path)
		return r.renderWorkspace(httpd.Status(e.Code), m)
	}
	if err != nil {
		return err
	}
	r.setFlash(ui.ToneGood, "Workspace saved.")
	return r.redirect(link.Workspace)
}

// switchWorkspace switches to another of the person's workspaces for the rest of the session. A workspace of which
// they are not a member is not found.
func (r *request) switchWorkspace(form url.Values) error {
	p, _ := r.web.sessions.signedInUser(r.context())
	p.Workspace = form.Get(layout.FieldWorkspace)
	there, err := r.web.cfg.App.SessionCaller(r.context(), p)
	if core.CodeOf(err) == core.CodeUnauthenticated {
		return core.NotFound()
	}
	if err != nil {
		return err
	}
	r.popSession(keyChoice) // of profiles for the workspace that is left
	r.putSession(keyWorkspace, there.Workspace().String())
	return r.redirect(link.Home)
}
