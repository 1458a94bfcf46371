package app

import (
	"context"

	"belfry/internal/core"
	"belfry/internal/store"
)

// Bounds of short texts.
const (
	MaxName        = maxName
	MaxDescription = maxDescription
	MaxSlug        = maxSlug
	MaxEmail       = maxEmail
)

// RefusedAddresses counts the addresses that are remembered as over their limit.
func (a *App) RefusedAddresses() int {
	a.refused.mu.Lock()
	defer a.refused.mu.Unlock()
	return len(a.refused.until)
}

// Admit is the admission of an operation by itself, as Do begins with it.
func (a *App) Admit(ctx context.Context, c core.Caller, access Access, replayKey *ReplayKey) (Answer, error) {
	return a.authorizeAndThrottleCreationOrReplay(ctx, c, access, replayKey)
}

// FreeReplay frees a request's key as Do does when the operation refuses.
func (a *App) FreeReplay(ctx context.Context, c core.Caller, replayKey *ReplayKey, refused error) {
	a.releaseReplayKeyIfRefused(ctx, c, replayKey, refused)
}

// WithReplay hands the replay key to an operation as Do does.
func WithReplay(ctx context.Context, replayKey *ReplayKey) context.Context {
	return contextWithReplayKey(ctx, replayKey)
}

// Watchers are told by Tell what a look has found. LookTime is how long a look may take.
type Watchers struct{ watchers }

const LookTime = lookTime

// Watch adds a watcher.
func (w *Watchers) Watch(workspace core.WorkspaceID) <-chan Changes {
	one := &watcher{workspace: workspace, changes: make(chan Changes, 1)}
	w.addWatcher(one)
	return one.changes
}

// Tell hands over what a look has found.
func (w *Watchers) Tell(missed bool, found ...store.Activity) { w.notifyWatchers(found, missed) }
