package app

import (
	"cmp"
	"context"

	"belfry/internal/core"
	"belfry/internal/store"
)

// enter checks the caller's scope and returns their workspace's data. All access of a caller to data begins here.
func (a *App) enter(c core.Caller, need core.Scope) (store.Tenant, error) {
	if err := c.RequireScope(need); err != nil {
		return store.Tenant{}, err
	}
	return a.cfg.Store.In(c.Workspace()), nil
}

// enterSession is enter for operations that require a signed-in person; manages also requires a role that manages the
// workspace.
func (a *App) enterSession(c core.Caller, manages bool) (store.Tenant, error) {
	if err := c.RequireSession(manages); err != nil {
		return store.Tenant{}, err
	}
	return a.cfg.Store.In(c.Workspace()), nil
}

// enterProved is enterSession for operations that require a recently confirmed password.
func (a *App) enterProved(c core.Caller, manages bool) (store.Tenant, error) {
	t, err := a.enterSession(c, manages)
	return t, cmp.Or(err, c.RequireRecentPassword(a.cfg.Now()))
}

// enterInvited returns the workspace's data for a visitor who has the token of an invitation.
func (a *App) enterInvited(i store.Invitation) store.Tenant { return a.cfg.Store.In(i.Workspace) }

// enterHeld is the gate of an operator who decides on a post of a restored database.
func (a *App) enterHeld(p store.HeldPost) store.Tenant { return a.cfg.Store.In(p.Workspace) }

// enterGranted is the gate for a network's signed notice about the person who connected an account.
func (a *App) enterGranted(g store.GrantAccount) store.Tenant { return a.cfg.Store.In(g.Workspace) }

// enterFor is enter for an operation on one object, and parses its id.
func enterFor[K core.Kind](a *App, c core.Caller, need core.Scope, id string) (store.Tenant, core.ID[K], error) {
	t, err := a.enter(c, need)
	return tenantAndID[K](t, id, err)
}

// enterEdit is enterFor for an operation that changes one object. malformed is an error in the form of the request,
// which is returned before the id is parsed (decisions.md, Order of checks).
func enterEdit[K core.Kind](a *App, c core.Caller, id string, malformed error) (store.Tenant, core.ID[K], error) {
	t, err := a.enter(c, core.Write)
	return tenantAndID[K](t, id, cmp.Or(err, malformed))
}

// enterSessionFor is enterSession for an operation of a person who manages the workspace on one object, and parses
// its id.
func enterSessionFor[K core.Kind](a *App, c core.Caller, id string) (store.Tenant, core.ID[K], error) {
	t, err := a.enterSession(c, true)
	return tenantAndID[K](t, id, err)
}

// tenantAndID parses the id and returns it with the tenant, unless there is already an error.
func tenantAndID[K core.Kind](t store.Tenant, id string, err error) (store.Tenant, core.ID[K], error) {
	if err != nil {
		return t, core.ID[K]{}, err
	}
	parsed, err := core.ParseID[K](id)
	return t, parsed, err
}

// workspaceAndPlan returns the workspace and its plan.
func (a *App) workspaceAndPlan(ctx context.Context, t store.Tenant) (core.Workspace, core.Plan, error) {
	ws, err := t.Workspace(ctx)
	if err != nil {
		return ws, core.Plan{}, err
	}
	return ws, a.cfg.Plans[ws.Plan], nil
}
