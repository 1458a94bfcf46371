package app

import (
	"context"
	"slices"
	"strings"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/store"
)

// EditWorkspace changes the fields that are set in the request. The monthly post quota resets at the start of the month
// in the workspace's zone. If the zone changes, used slots stay in their month, and posts keep their zones.
func (a *App) EditWorkspace(ctx context.Context, c core.Caller, in contract.EditWorkspace) (contract.Workspace, error) {
	t, err := a.authorizeReauthenticatedManager(c)
	if err != nil {
		return contract.Workspace{}, err
	}
	if err := checkWorkspaceFields(in); err != nil {
		return contract.Workspace{}, err
	}
	var after core.Workspace
	err = t.Tx(ctx, func(t store.Tenant) error {
		if err := t.LockWorkspace(ctx); err != nil {
			return err
		}
		before, err := t.Workspace(ctx)
		if err != nil {
			return err
		}
		if in.Slug != nil {
			if err := checkFormerSlugLimit(ctx, t, *in.Slug); err != nil {
				return err
			}
		}
		if after, err = t.UpdateWorkspace(ctx, in.Name, in.Slug, in.TZ); err != nil {
			return err
		}
		return t.AddAuditEntry(ctx, core.AuditEntry{
			Action: core.AuditWorkspaceChanged, Actor: c,
			Before: workspaceAuditFields(before), After: workspaceAuditFields(after),
		})
	})
	return contract.WorkspaceOf(after), err
}

// maxFormerSlugs is how many former slugs a workspace can have. It keeps them all, so no other workspace can use them.
const maxFormerSlugs = 20

// checkFormerSlugLimit returns conflict if the slug is new to the workspace and the workspace has maxFormerSlugs former
// slugs. The caller has locked the workspace.
func checkFormerSlugLimit(ctx context.Context, t store.Tenant, newSlug string) error {
	slugs, err := t.CurrentAndFormerSlugs(ctx)
	if err != nil || len(slugs) <= maxFormerSlugs || slices.Contains(slugs, newSlug) {
		return err
	}
	return core.Fail(core.CodeConflict, "This workspace has changed its short name too many times.").
		WithHint("Keep the short name %s, or use a former one: %s.", slugs[0], strings.Join(slugs[1:], ", "))
}

// workspaceAuditFields returns the fields of a workspace that the audit log records.
func workspaceAuditFields(w core.Workspace) map[string]string {
	return map[string]string{"name": w.Name, "slug": w.Slug, "tz": w.Zone.Name()}
}

// checkWorkspaceFields returns invalid_request for the first invalid field that is set in the request.
func checkWorkspaceFields(in contract.EditWorkspace) error {
	if in.Name != nil {
		if err := checkName("name", "The workspace's name", *in.Name); err != nil {
			return err
		}
	}
	if in.Slug != nil {
		if err := checkSlug(*in.Slug); err != nil {
			return err
		}
	}
	if in.TZ == nil {
		return nil
	}
	_, err := parseZone(*in.TZ)
	return err
}

// Whoami returns the caller's workspace, person and rights, and the usage of the workspace's plan.
func (a *App) Whoami(ctx context.Context, c core.Caller) (contract.Whoami, error) {
	t, err := a.authorize(c, core.Read)
	if err != nil {
		return contract.Whoami{}, err
	}
	w, plan, err := a.loadWorkspaceAndPlan(ctx, t)
	if err != nil {
		return contract.Whoami{}, err
	}
	user, err := t.MemberUser(ctx, c.AttributedUser())
	if err != nil {
		return contract.Whoami{}, err
	}
	used, err := t.PlanUsage(ctx, w.Zone.QuotaPeriod(a.cfg.Now()), a.cfg.Now())
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

// GetPlanAndDraftCount returns the workspace's plan and its number of drafts, which Whoami does not include.
func (a *App) GetPlanAndDraftCount(ctx context.Context, c core.Caller) (plan core.Plan, drafts int64, err error) {
	t, err := a.authorize(c, core.Read)
	if err != nil {
		return core.Plan{}, 0, err
	}
	_, plan, err = a.loadWorkspaceAndPlan(ctx, t)
	if err != nil {
		return core.Plan{}, 0, err
	}
	drafts, err = t.CountDrafts(ctx)
	return plan, drafts, err
}

// Workspace is a workspace that a person can switch to.
type Workspace struct {
	ID         core.WorkspaceID
	Slug, Name string
}

// ListJoinedWorkspaces lists the workspaces of the signed-in person, oldest membership first.
func (a *App) ListJoinedWorkspaces(ctx context.Context, c core.Caller) ([]Workspace, error) {
	if _, err := a.authorizeSession(c); err != nil {
		return nil, err
	}
	list, err := a.cfg.Store.Memberships(ctx, c.AttributedUser())
	return convertAll(list, func(m store.Membership) Workspace { return Workspace{m.ID, m.Slug, m.Name} }), err
}
