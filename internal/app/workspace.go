package app

import (
	"context"

	"belfry/internal/contract"
	"belfry/internal/core"
)

// EditWorkspace changes what the request names. With another zone the quota's months begin at other hours from then
// on; a slot stays in the month that it was taken in, and posts keep the zones that they have.
func (a *App) EditWorkspace(ctx context.Context, c core.Caller, in contract.EditWorkspace) (contract.Workspace, error) {
	t, err := a.enterSession(c, true)
	if err != nil {
		return contract.Workspace{}, err
	}
	if err := checkWorkspace(in); err != nil {
		return contract.Workspace{}, err
	}
	w, err := t.UpdateWorkspace(ctx, in.Name, in.Slug, in.TZ)
	if err != nil {
		return contract.Workspace{}, err
	}
	return contract.WorkspaceOf(w), nil
}

// checkWorkspace judges those fields that are there.
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
