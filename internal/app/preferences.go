package app

import (
	"context"

	"belfry/internal/core"
)

// Preferences are the personal settings of a signed-in person.
type Preferences struct {
	Shortcuts  bool // single keys work as shortcuts
	FirstSteps bool // the workspace's first steps are shown
}

// SetShortcutsEnabled sets whether single keys work as shortcuts for the signed-in person, in all their workspaces.
func (a *App) SetShortcutsEnabled(ctx context.Context, c core.Caller, enabled bool) error {
	if _, err := a.authorizeSession(c); err != nil {
		return err
	}
	return a.cfg.Store.SetShortcutsEnabled(ctx, c.AttributedUser(), enabled)
}

// GetFirstSteps returns which of the first steps of a new workspace are done.
func (a *App) GetFirstSteps(ctx context.Context, c core.Caller) (core.FirstSteps, error) {
	t, err := a.authorizeSession(c)
	if err != nil {
		return core.FirstSteps{}, err
	}
	return t.FirstSteps(ctx)
}

// HideFirstSteps hides the workspace's first steps from the signed-in person.
func (a *App) HideFirstSteps(ctx context.Context, c core.Caller) error {
	t, err := a.authorizeSession(c)
	if err != nil {
		return err
	}
	return t.HideFirstSteps(ctx, c.AttributedUser())
}
