package app

import (
	"cmp"
	"context"

	"belfry/internal/core"
	"belfry/internal/store"
)

// authorize checks the caller's scope and returns access to the data of the caller's workspace. All access of callers
// to data goes through this function and its variants below.
func (a *App) authorize(c core.Caller, scope core.Scope) (store.Tenant, error) {
	if err := c.RequireScope(scope); err != nil {
		return store.Tenant{}, err
	}
	return a.cfg.Store.In(c.Workspace()), nil
}

// authorizeSession is like authorize, but requires a signed-in person, with any role.
func (a *App) authorizeSession(c core.Caller) (store.Tenant, error) {
	if err := c.RequireSession(); err != nil {
		return store.Tenant{}, err
	}
	return a.cfg.Store.In(c.Workspace()), nil
}

// authorizeManager is like authorizeSession, but the person's role must also allow them to manage the workspace.
func (a *App) authorizeManager(c core.Caller) (store.Tenant, error) {
	if err := c.RequireManager(); err != nil {
		return store.Tenant{}, err
	}
	return a.cfg.Store.In(c.Workspace()), nil
}

// authorizeReauthenticated is like authorizeSession, but also requires that the person has recently confirmed their
// password.
func (a *App) authorizeReauthenticated(c core.Caller) (store.Tenant, error) {
	t, err := a.authorizeSession(c)
	return t, cmp.Or(err, c.RequireRecentPassword(a.cfg.Now()))
}

// authorizeReauthenticatedManager is like authorizeManager, but also requires that the person has recently confirmed
// their password.
func (a *App) authorizeReauthenticatedManager(c core.Caller) (store.Tenant, error) {
	t, err := a.authorizeManager(c)
	return t, cmp.Or(err, c.RequireRecentPassword(a.cfg.Now()))
}

// tenantForInvitee returns access to an invitation's workspace for a person with the invitation's token. It does not
// check the token.
func (a *App) tenantForInvitee(i store.Invitation) store.Tenant { return a.cfg.Store.In(i.Workspace) }

// tenantForOperator returns access to a held post's workspace for the operator, who has no role in the workspace.
func (a *App) tenantForOperator(p store.HeldPost) store.Tenant { return a.cfg.Store.In(p.Workspace) }

// tenantForNetwork returns access to an account's workspace for a network that has sent a signed notice about the
// account's grant.
func (a *App) tenantForNetwork(g store.GrantAccount) store.Tenant { return a.cfg.Store.In(g.Workspace) }

// authorizeAndParseID is authorize for an operation on one object. It also parses the object's id.
func authorizeAndParseID[K core.Kind](a *App, c core.Caller, scope core.Scope, id string,
) (store.Tenant, core.ID[K], error) {
	t, err := a.authorize(c, scope)
	return parseIDUnlessFailed[K](t, id, err)
}

// authorizeWriteAndParseID is authorizeAndParseID for an operation that changes one object. inputErr is an error in the
// form of the request, or nil; it takes precedence over errors of the id (decisions.md, Order of checks).
func authorizeWriteAndParseID[K core.Kind](a *App, c core.Caller, id string, inputErr error,
) (store.Tenant, core.ID[K], error) {
	t, err := a.authorize(c, core.Write)
	return parseIDUnlessFailed[K](t, id, cmp.Or(err, inputErr))
}

// authorizeManagerAndParseID is authorizeManager for an operation on one object. It also parses the object's id.
func authorizeManagerAndParseID[K core.Kind](a *App, c core.Caller, id string) (store.Tenant, core.ID[K], error) {
	t, err := a.authorizeManager(c)
	return parseIDUnlessFailed[K](t, id, err)
}

// parseIDUnlessFailed parses the id and returns it with t. If earlierErr is not nil, it returns earlierErr instead.
func parseIDUnlessFailed[K core.Kind](t store.Tenant, id string, earlierErr error) (store.Tenant, core.ID[K], error) {
	if earlierErr != nil {
		return t, core.ID[K]{}, earlierErr
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
