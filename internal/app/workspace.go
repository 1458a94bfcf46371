package app

import (
	"context"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/store"
)

// EditWorkspace changes the fields that the request contains. If the zone changes, the quota's months begin at a
// different hour; used slots stay in their month, and posts keep their zones.
func (a *App) EditWorkspace(ctx context.Context, c core.Caller, in contract.EditWorkspace) (contract.Workspace, error) {
	t, err := a.enterProved(c, true)
	if err != nil {
		return contract.Workspace{}, err
	}
	if err := checkWorkspace(in); err != nil {
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
		if after, err = t.UpdateWorkspace(ctx, in.Name, in.Slug, in.TZ); err != nil {
			return err
		}
		return t.AddAudit(ctx, core.AuditEntry{
			Action: core.AuditWorkspaceChanged, Actor: c, Before: workspaceSettings(before), After: workspaceSettings(after),
		})
	})
	return contract.WorkspaceOf(after), err
}

// workspaceSettings returns the values that the audit log compares.
func workspaceSettings(w core.Workspace) map[string]string {
	return map[string]string{"name": w.Name, "slug": w.Slug, "tz": w.Zone.Name()}
}

// checkWorkspace checks the fields that the request contains.
func checkWorkspace(in contract.EditWorkspace) error {
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
	_, err := workspaceZone(*in.TZ)
	return err
}
