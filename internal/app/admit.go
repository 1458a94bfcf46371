package app

import (
	"context"

	"belfry/internal/core"
	"belfry/internal/store"
)

// admit checks, in the order of decisions.md: that the plan has the API, the scope, whether this is a repeated
// request, and the hourly limit. What it writes commits by itself. After an admission with a replay, the operation
// saves its answer, or freeReplay frees the key.
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
			return a.withCreations(ctx, t, access, kept)
		}
	}
	if !access.Creates {
		return Answer{}, nil
	}
	counted, err := a.countCreate(ctx, t)
	if err != nil && replay != nil {
		if err := t.DropReplay(ctx, replay.storedReplay()); err != nil {
			return Answer{}, err
		}
	}
	return Answer{Creations: &counted}, err
}

// enterWith returns the workspace's data for a caller who has the access, and whose plan includes the API where they
// come with a key.
func (a *App) enterWith(c core.Caller, access Access) (store.Tenant, error) {
	if c.Kind() == core.CredentialKey && !a.cfg.Plans[c.Plan()].API {
		return store.Tenant{}, core.NotIncluded("API access")
	}
	if access.Session {
		return a.enterSession(c, access.Manages)
	}
	return a.enter(c, access.Scope)
}
