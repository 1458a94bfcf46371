package web

import (
	"belfry/internal/core"
	"belfry/views/layout"
	"belfry/views/link"
)

// switchWorkspace goes on in another of the person's workspaces, as long as the session lasts. One that they are no member of is
// answered as one that does not exist.
func (v *visit) switchWorkspace() error {
	form, err := v.form()
	if err != nil {
		return err
	}
	p, _ := v.web.sessions.person(v.ctx())
	there, err := v.web.cfg.App.SessionCaller(v.ctx(), p.user, form.Get(layout.FieldWorkspace), p.proof)
	if core.CodeOf(err) == core.CodeUnauthenticated {
		return core.NotFound()
	}
	if err != nil {
		return err
	}
	v.take(keyChoice) // of profiles for the workspace that is left
	v.put(keyWorkspace, there.Workspace().String())
	return v.redirect(link.Home)
}
