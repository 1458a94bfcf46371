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
func (a *App) enterSession(c core.Caller, mustManage bool) (store.Tenant, error) {
	if err := c.RequireSession(mustManage); err != nil {
		return store.Tenant{}, err
	}
	return a.cfg.Store.In(c.Workspace()), nil
}

// enterReauthenticated is enterSession for operations that require a recently confirmed password.
func (a *App) enterReauthenticated(c core.Caller, mustManage bool) (store.Tenant, error) {
	t, err := a.enterSession(c, mustManage)
	return t, cmp.Or(err, c.RequireRecentPassword(a.cfg.Now()))
}

// enterAsInvited returns the workspace's data for a visitor who has the token of an invitation.
func (a *App) enterAsInvited(i store.Invitation) store.Tenant { return a.cfg.Store.In(i.Workspace) }

// enterAsOperator is the gate of an operator who decides on a post of a restored database.
func (a *App) enterAsOperator(p store.HeldPost) store.Tenant { return a.cfg.Store.In(p.Workspace) }

// enterForNetwork is the gate for a network's signed notice about the person who connected an account.
func (a *App) enterForNetwork(g store.GrantAccount) store.Tenant { return a.cfg.Store.In(g.Workspace) }

// enterWithID is enter for an operation on one object, and parses its id.
func enterWithID[K core.Kind](a *App, c core.Caller, need core.Scope, id string) (store.Tenant, core.ID[K], error) {
	t, err := a.enter(c, need)
	return withParsedID[K](t, id, err)
}

// enterToEdit is enterWithID for an operation that changes one object. malformed is an error in the form of the request,
// which is returned before the id is parsed (decisions.md, Order of checks).
func enterToEdit[K core.Kind](a *App, c core.Caller, id string, malformed error) (store.Tenant, core.ID[K], error) {
	t, err := a.enter(c, core.Write)
	return withParsedID[K](t, id, cmp.Or(err, malformed))
}

// enterManagerWithID is enterSession for an operation of a person who manages the workspace on one object, and parses
// its id.
func enterManagerWithID[K core.Kind](a *App, c core.Caller, id string) (store.Tenant, core.ID[K], error) {
	t, err := a.enterSession(c, true)
	return withParsedID[K](t, id, err)
}

// withParsedID parses the id and returns it with the tenant, unless there is already an error.
func withParsedID[K core.Kind](t store.Tenant, id string, err error) (store.Tenant, core.ID[K], error) {
	if err != nil {
		return t, core.ID[K]{}, err
	}
	parsed, err := core.ParseID[K](id)
	return t, parsed, err
}

// loadWorkspaceAndPlan returns the workspace and its plan.
func (a *App) loadWorkspaceAndPlan(ctx context.Context, t store.Tenant) (core.Workspace, core.Plan, error) {
	ws, err := t.Workspace(ctx)
	if err != nil {
		return ws, core.Plan{}, err
	}
	return ws, a.cfg.Plans[ws.Plan], nil
}
