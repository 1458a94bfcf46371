package app

import (
	"context"

	"belfry/internal/core"
	"belfry/internal/store"
)

// authorizeAndThrottleCreationOrReplay checks the following, in the order of decisions.md: whether the plan includes
// the API, the scope, whether the request is a repetition, and, for a request that creates posts, the hourly limit. It
// commits its own writes. For a repetition, it returns the stored answer, with Replayed set; otherwise, the answer has
// at most Creations. If it admits a request with a replay key, it reserves the key: either the operation stores its
// response, or releaseReplayKeyIfRefused releases the key.
func (a *App) authorizeAndThrottleCreationOrReplay(ctx context.Context, c core.Caller, access Access,
	replayKeyOrNil *ReplayKey,
) (storedOrCountOnly Answer, err error) {
	t, err := a.authorizeExceptProof(c, access)
	if err != nil {
		return Answer{}, err
	}
	if replayKeyOrNil != nil {
		kept, err := reserveReplayKeyOrLoadAnswer(ctx, t, replayKeyOrNil)
		if err != nil {
			return Answer{}, err
		}
		if kept.Replayed {
			return a.attachPostCreationCountIfCreates(ctx, t, access, kept)
		}
	}
	if !access.Creates {
		return Answer{}, nil
	}
	counted, err := a.throttlePostCreationRequest(ctx, t)
	if err != nil && replayKeyOrNil != nil {
		if err := t.ReleaseReplayKey(ctx, replayKeyOrNil.toStoreReplayKey()); err != nil {
			return Answer{}, err
		}
	}
	return Answer{Creations: &counted}, err
}

// authorizeExceptProof returns the tenant of the caller's workspace if the caller meets the requirements. It does not
// check Proved, which the operation checks. For an API key, the plan must also include the API.
func (a *App) authorizeExceptProof(c core.Caller, access Access) (store.Tenant, error) {
	if c.Kind() == core.CredentialKey && !a.cfg.Plans[c.Plan()].API {
		return store.Tenant{}, core.NewFeatureNotIncludedError("API access")
	}
	switch {
	case access.Session && access.Manages:
		return a.authorizeManager(c)
	case access.Session:
		return a.authorizeSession(c)
	}
	return a.authorize(c, access.Scope)
}
