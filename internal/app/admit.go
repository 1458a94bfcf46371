package app

import (
	"context"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/store"
)

// Need is what a route asks of its caller before its body is read.
type Need struct {
	Scope core.Scope
	// Session is for signed-in persons only, Manages for those who manage the workspace.
	Session, Manages bool
	// Create counts in the hourly limit of creations (Spec §8).
	Create bool
	// Replay is set when the request carries an Idempotency-Key.
	Replay *contract.Replay
}

// Admitted is a caller let in. A replayed request is answered with Status and Body and goes no further.
// Create is where the hourly limit stands, for a Need with Create.
type Admitted struct {
	Replayed bool
	Status   int
	Body     []byte
	Create   *Counted
}

const (
	// replayLock is how long a first request may run before a repetition takes its place: longer than
	// any request is allowed to take.
	replayLock = time.Minute
	// replayKeep is how long answers are kept (decisions.md, Shape of the API).
	replayKeep = 24 * time.Hour
)

// Admit checks, in the order of decisions.md: that the plan has the API, the scope, whether this is a
// repetition, and the hourly limit. What it notes commits by itself. After an admission with Replay, the
// verb keeps its answer, or the door calls Forget.
func (a *App) Admit(ctx context.Context, c core.Caller, need Need) (Admitted, error) {
	t, err := a.gate(c, need)
	if err != nil {
		return Admitted{}, err
	}
	if need.Replay != nil {
		kept, err := firstOrKept(ctx, t, *need.Replay)
		if err != nil {
			return Admitted{}, err
		}
		if kept.Replayed {
			return a.withCreations(ctx, t, need, kept)
		}
	}
	if !need.Create {
		return Admitted{}, nil
	}
	counted, err := a.countCreate(ctx, t)
	if err != nil && need.Replay != nil {
		if err := t.DropReplay(ctx, stored(*need.Replay)); err != nil {
			return Admitted{}, err
		}
	}
	return Admitted{Create: &counted}, err
}

func (a *App) gate(c core.Caller, need Need) (store.Tenant, error) {
	if c.Kind() == core.CredentialKey && !a.cfg.Plans[c.Plan()].API {
		return store.Tenant{}, core.NotIncluded("API access")
	}
	if need.Session {
		return a.enterSession(c, need.Manages)
	}
	return a.enter(c, need.Scope)
}

// Forget frees the key of an admitted request that was refused, so that it may carry a mended body.
func (a *App) Forget(ctx context.Context, c core.Caller, r contract.Replay) error {
	t, err := a.enter(c, core.Read)
	if err != nil {
		return err
	}
	return t.DropReplay(ctx, stored(r))
}
