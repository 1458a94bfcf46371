package app

import (
	"context"

	"belfry/internal/core"
	"belfry/internal/store"
)

// enter is the gate: the only way from a caller to a workspace's data.
func (a *App) enter(c core.Caller, need core.Scope) (store.Tenant, error) {
	if err := c.Need(need); err != nil {
		return store.Tenant{}, err
	}
	return a.cfg.Store.In(c.Workspace()), nil
}

// enterSession is the gate of what only a signed-in person may do.
func (a *App) enterSession(c core.Caller, manages bool) (store.Tenant, error) {
	if err := c.NeedSession(manages); err != nil {
		return store.Tenant{}, err
	}
	return a.cfg.Store.In(c.Workspace()), nil
}

// enterInvited is the gate of somebody who has shown an invitation's token.
func (a *App) enterInvited(i store.Invitation) store.Tenant { return a.cfg.Store.In(i.Workspace) }

// enterFor is the gate of a verb about one thing, whose id it reads. What else is wrong with the request's form is
// said before that (decisions.md, Shape of the API).
func enterFor[K core.Kind](a *App, c core.Caller, need core.Scope, id string, forms ...func() error) (store.Tenant, core.ID[K], error) {
	t, err := a.enter(c, need)
	for _, form := range forms {
		if err == nil {
			err = form()
		}
	}
	if err != nil {
		return t, core.ID[K]{}, err
	}
	parsed, err := core.ParseID[K](id)
	return t, parsed, err
}

// enterSessionFor is the gate of what only a person who manages the workspace may do to one thing.
func enterSessionFor[K core.Kind](a *App, c core.Caller, id string) (store.Tenant, core.ID[K], error) {
	t, err := a.enterSession(c, true)
	if err != nil {
		return t, core.ID[K]{}, err
	}
	parsed, err := core.ParseID[K](id)
	return t, parsed, err
}

// plan reads the workspace and what its plan includes.
func (a *App) plan(ctx context.Context, t store.Tenant) (core.Workspace, core.Plan, error) {
	ws, err := t.Workspace(ctx)
	if err != nil {
		return ws, core.Plan{}, err
	}
	return ws, a.cfg.Plans[ws.Plan], nil
}
