package app

import (
	"context"
	"crypto/sha256"
	"time"

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
	Replay *Replay
}

// Replay is a request that may be repeated: Route is its method and path, Key the client's.
type Replay struct {
	Route string
	Key   string
	Body  []byte
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

	maxReplayKey = 255
)

// Admit checks, in the order of decisions.md: that the plan has the API, the scope, whether this is a
// repetition, and the hourly limit. What it notes commits by itself. After an admission with Replay, the
// door calls Keep or Forget.
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
		if err := t.DropReplay(ctx, need.Replay.stored()); err != nil {
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

// Keep stores the answer of an admitted request for its repetitions. Only 2xx answers are kept; any
// other frees the key.
func (a *App) Keep(ctx context.Context, c core.Caller, r Replay, status int, body []byte) error {
	if status/100 != 2 {
		return a.Forget(ctx, c, r)
	}
	t, err := a.enter(c, core.Read)
	if err != nil {
		return err
	}
	return t.KeepReplay(ctx, r.stored(), status, body)
}

// Forget frees the key of an admitted request that was refused, so that it may carry a mended body.
func (a *App) Forget(ctx context.Context, c core.Caller, r Replay) error {
	t, err := a.enter(c, core.Read)
	if err != nil {
		return err
	}
	return t.DropReplay(ctx, r.stored())
}

func (r Replay) stored() store.Replay {
	sum := sha256.New()
	for _, part := range [][]byte{[]byte(r.Route), {0}, r.Body} {
		_, _ = sum.Write(part) // a hash never fails
	}
	return store.Replay{Route: r.Route, Key: r.Key, Fingerprint: sum.Sum(nil)}
}

func (r Replay) check() error {
	if len(r.Key) == 0 || len(r.Key) > maxReplayKey {
		return core.Invalid("Idempotency-Key", "The header Idempotency-Key takes 1 to %d characters.", maxReplayKey)
	}
	for _, b := range []byte(r.Key) {
		if b < '!' || b > '~' {
			return core.Invalid("Idempotency-Key", "The header Idempotency-Key takes visible ASCII characters only.")
		}
	}
	return nil
}
