package app

import (
	"context"

	"belfry/internal/core"
)

// Preferences are what a signed-in person has chosen for themselves.
type Preferences struct {
	Shortcuts  bool // single keys are shortcuts
	FirstSteps bool // the workspace's first steps are shown
}

// SetShortcutsEnabled sets whether single keys are shortcuts for the signed-in person, in all their workspaces.
func (a *App) SetShortcutsEnabled(ctx context.Context, c core.Caller, enabled bool) error {
	if _, err := a.enterSession(c, false); err != nil {
		return err
	}
	return a.cfg.Store.SetShortcuts(ctx, c.User(), enabled)
}

// GetFirstSteps returns how far the workspace is with what makes it useful.
func (a *App) GetFirstSteps(ctx context.Context, c core.Caller) (core.FirstSteps, error) {
	t, err := a.enterSession(c, false)
	if err != nil {
		return core.FirstSteps{}, err
	}
	return t.FirstSteps(ctx)
}

// HideFirstSteps stops showing the workspace's first steps to the signed-in person.
func (a *App) HideFirstSteps(ctx context.Context, c core.Caller) error {
	t, err := a.enterSession(c, false)
	if err != nil {
		return err
	}
	return t.HideFirstSteps(ctx, c.User())
}
