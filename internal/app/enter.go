package app

import (
	"cmp"
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

// enterProved is the gate of what only a signed-in person may do who has given their password lately; manages asks for
// a role that manages the workspace as well.
func (a *App) enterProved(c core.Caller, manages bool) (store.Tenant, error) {
	t, err := a.enterSession(c, manages)
	return t, cmp.Or(err, c.NeedPassword(a.cfg.Now()))
}

// enterInvited is the gate of somebody who has shown an invitation's token.
func (a *App) enterInvited(i store.Invitation) store.Tenant { return a.cfg.Store.In(i.Workspace) }

// enterHeld is the gate of an operator who decides on a post of a restored database.
func (a *App) enterHeld(p store.HeldPost) store.Tenant { return a.cfg.Store.In(p.Workspace) }

// enterFor is the gate of an operation on one thing, whose id it reads.
func enterFor[K core.Kind](a *App, c core.Caller, need core.Scope, id string) (store.Tenant, core.ID[K], error) {
	t, err := a.enter(c, need)
	return tenantAndID[K](t, id, err)
}

// enterEdit is the gate of an operation that changes one thing. malformed is what is wrong with the request's form,
// which is said before its id is looked at (decisions.md, Order of checks).
func enterEdit[K core.Kind](a *App, c core.Caller, id string, malformed error) (store.Tenant, core.ID[K], error) {
	t, err := a.enter(c, core.Write)
	return tenantAndID[K](t, id, cmp.Or(err, malformed))
}

// enterSessionFor is the gate of what only a person who manages the workspace may do to one thing.
func enterSessionFor[K core.Kind](a *App, c core.Caller, id string) (store.Tenant, core.ID[K], error) {
	t, err := a.enterSession(c, true)
	return tenantAndID[K](t, id, err)
}

// tenantAndID returns the tenant with the id that was parsed, or the error that there is already.
func tenantAndID[K core.Kind](t store.Tenant, id string, err error) (store.Tenant, core.ID[K], error) {
	if err != nil {
		return t, core.ID[K]{}, err
	}
	parsed, err := core.ParseID[K](id)
	return t, parsed, err
}

// workspaceAndPlan reads the workspace and returns it with what its plan includes.
func (a *App) workspaceAndPlan(ctx context.Context, t store.Tenant) (core.Workspace, core.Plan, error) {
	ws, err := t.Workspace(ctx)
	if err != nil {
		return ws, core.Plan{}, err
	}
	return ws, a.cfg.Plans[ws.Plan], nil
}
