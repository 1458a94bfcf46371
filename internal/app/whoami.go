package app

import (
	"context"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/store"
)

// Whoami returns the caller's workspace, person and rights, and the usage of the workspace's plan.
func (a *App) Whoami(ctx context.Context, c core.Caller) (contract.Whoami, error) {
	t, err := a.enter(c, core.Read)
	if err != nil {
		return contract.Whoami{}, err
	}
	w, plan, err := a.workspaceAndPlan(ctx, t)
	if err != nil {
		return contract.Whoami{}, err
	}
	user, err := t.User(ctx, c.User())
	if err != nil {
		return contract.Whoami{}, err
	}
	used, err := t.Usage(ctx, w.Zone.Month(a.cfg.Now()), a.cfg.Now())
	if err != nil {
		return contract.Whoami{}, err
	}
	out := contract.Whoami{
		Workspace:  contract.WorkspaceOf(w),
		User:       contract.User{ID: user.ID.String(), Name: user.Name},
		Credential: contract.Credential{Kind: string(c.Kind()), Name: c.CredentialName()},
		Usage:      contract.UsageOf(used, plan),
	}
	for _, scope := range c.Scopes() {
		out.Credential.Scopes = append(out.Credential.Scopes, string(scope))
	}
	if c.IsSession() {
		out.User.Email = &user.Email
	}
	return out, nil
}

// Workspace is a workspace that a person can switch to.
type Workspace struct {
	ID         core.WorkspaceID
	Slug, Name string
}

// Workspaces lists the workspaces of the signed-in person, oldest membership first.
func (a *App) Workspaces(ctx context.Context, c core.Caller) ([]Workspace, error) {
	if _, err := a.enterSession(c, false); err != nil {
		return nil, err
	}
	list, err := a.cfg.Store.Memberships(ctx, c.User())
	return convertAll(list, func(m store.Membership) Workspace { return Workspace{m.ID, m.Slug, m.Name} }), err
}
