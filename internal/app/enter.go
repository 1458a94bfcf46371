package app

import (
	"cmp"
	"context"

	"belfry/internal/core"
	"belfry/internal/store"
)

// enter checks the caller's scope and returns access to their workspace's data. All access of callers to data goes
// through this function and its variants below.
func (a *App) enter(c core.Caller, need core.Scope) (store.Tenant, error) {
	if err := c.RequireScope(need); err != nil {
		return store.Tenant{}, err
	}
	return a.cfg.Store.In(c.Workspace()), nil
}

// enterSession is like enter, but requires a signed-in person. With mustManage, their role must also allow them to
// manage the workspace.
func (a *App) enterSession(c core.Caller, mustManage bool) (store.Tenant, error) {
	if err := c.RequireSession(mustManage); err != nil {
		return store.Tenant{}, err
	}
	return a.cfg.Store.In(c.Workspace()), nil
}

// enterReauthenticated is like enterSession, but also requires that the person has recently confirmed their password.
func (a *App) enterReauthenticated(c core.Caller, mustManage bool) (store.Tenant, error) {
	t, err := a.enterSession(c, mustManage)
	return t, cmp.Or(err, c.RequireRecentPassword(a.cfg.Now()))
}

// enterAsInvited returns access to the workspace's data for a visitor with the token of an invitation, which the
// caller of this function has checked.
func (a *App) enterAsInvited(i store.Invitation) store.Tenant { return a.cfg.Store.In(i.Workspace) }

// enterAsOperator returns access to a held post's workspace for the operator, who has no role in it.
func (a *App) enterAsOperator(p store.HeldPost) store.Tenant { return a.cfg.Store.In(p.Workspace) }

// enterForNetwork returns access to an account's workspace for a network that has sent a signed notice about the
// account's grant.
func (a *App) enterForNetwork(g store.GrantAccount) store.Tenant { return a.cfg.Store.In(g.Workspace) }

// enterWithID is enter for an operation on one object. It also parses the object's id.
func enterWithID[K core.Kind](a *App, c core.Caller, need core.Scope, id string) (store.Tenant, core.ID[K], error) {
	t, err := a.enter(c, need)
	return withParsedID[K](t, id, err)
}

// enterToEdit is enterWithID for an operation that changes one object. malformed is an error in the form of the
// request, or nil; it takes precedence over errors of the id (decisions.md, Order of checks).
func enterToEdit[K core.Kind](a *App, c core.Caller, id string, malformed error) (store.Tenant, core.ID[K], error) {
	t, err := a.enter(c, core.Write)
	return withParsedID[K](t, id, cmp.Or(err, malformed))
}

// enterManagerWithID is enterSession for an operation on one object by a person who manages the workspace. It also
// parses the object's id.
func enterManagerWithID[K core.Kind](a *App, c core.Caller, id string) (store.Tenant, core.ID[K], error) {
	t, err := a.enterSession(c, true)
	return withParsedID[K](t, id, err)
}

// withParsedID parses the id and returns it with t. If err is set, it returns err instead.
func withParsedID[K core.Kind](t store.Tenant, id string, err error) (store.Tenant, core.ID[K], error) {
	if err != nil {
		return t, core.ID[K]{}, err
	}
	parsed, err := core.ParseID[K](id)
	return t, parsed, err
}

// loadWorkspaceAndPlan reads the workspace and returns it with its plan.
func (a *App) loadWorkspaceAndPlan(ctx context.Context, t store.Tenant) (core.Workspace, core.Plan, error) {
	ws, err := t.Workspace(ctx)
	if err != nil {
		return ws, core.Plan{}, err
	}
	return ws, a.cfg.Plans[ws.Plan], nil
}
