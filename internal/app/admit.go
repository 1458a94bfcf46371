package app

import (
	"context"

	"belfry/internal/core"
	"belfry/internal/store"
)

// admit checks, in the order of decisions.md: that the plan includes the API, the scope, whether the request is
// repeated, and the hourly limit. It commits its writes itself. After an admission with a replay, the operation
// stores its response, or freeReplay frees the key.
func (a *App) admit(ctx context.Context, c core.Caller, access Access, replay *Replay) (Answer, error) {
	t, err := a.enterWith(c, access)
	if err != nil {
		return Answer{}, err
	}
	if replay != nil {
		kept, err := beginReplay(ctx, t, replay)
		if err != nil {
			return Answer{}, err
		}
		if kept.Replayed {
			return a.addCreateLimit(ctx, t, access, kept)
		}
	}
	if !access.Creates {
		return Answer{}, nil
	}
	counted, err := a.countCreate(ctx, t)
	if err != nil && replay != nil {
		if err := t.ReleaseReplay(ctx, replay.storedReplay()); err != nil {
			return Answer{}, err
		}
	}
	return Answer{Creations: &counted}, err
}

// enterWith returns the workspace's data if the caller has the access and, for a caller with a key, the plan includes
// the API.
func (a *App) enterWith(c core.Caller, access Access) (store.Tenant, error) {
	if c.Kind() == core.CredentialKey && !a.cfg.Plans[c.Plan()].API {
		return store.Tenant{}, core.NotIncluded("API access")
	}
	if access.Session {
		return a.enterSession(c, access.Manages)
	}
	return a.enter(c, access.Scope)
}
