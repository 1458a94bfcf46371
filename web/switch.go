package web

import (
	"net/url"

	"belfry/internal/core"
	"belfry/views/layout"
	"belfry/views/link"
)

// switchWorkspace goes on in another of the person's workspaces, as long as the session lasts. One that they are no
// member of is answered as one that does not exist.
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
