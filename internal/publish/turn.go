package publish

import (
	"context"
	"time"

	"belfry/internal/core"
	"belfry/internal/store"
)

// useTurn sets what the statement before a call does to the account's turn. Until the outcome of the irreversible call
// is saved, no other post of the account may make its own. Where a network shows a post as soon as it has the files,
// the arm must follow its creation at once.
func (c *claim) useTurn(call *store.Call) {
	call.TakesTurn = call.Do == core.DoPublish || call.Do == core.DoCreate && c.delivery.Gated
	call.PassesTurn = c.hasTurn && !call.TakesTurn && (c.called == core.DoPublish || call.Do == core.DoCreate)
}

// turnToPass is how long the next post has the account's turn when this claim ends, or 0 if this one does not have it.
func (c *claim) turnToPass() time.Duration {
	if !c.hasTurn {
		return 0
	}
	return c.engine.cfg.Schedule.Lease
}

// awaitTurn ends the claim because another post of the account has the turn. p is the ledger without the call.
func (c *claim) awaitTurn(ctx context.Context, p core.Publication) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.engine.cfg.Schedule.CallTimeout())
	defer cancel()
	c.setState(p)
	if err := c.tenant.AwaitTurn(ctx, c.pub); err != nil {
		return err
	}
	c.log.Debug("another post of the account is being published; this one waits for its turn")
	return c.endProbe(ctx, c.tenant)
}

// passTurns lets posts go on that wait for the turn of a worker that died, until ctx ends.
func (e *Engine) passTurns(ctx context.Context, w Worker) {
	for ctx.Err() == nil {
		if err := e.cfg.Store.PassTurns(ctx); err != nil && ctx.Err() == nil {
			e.cfg.Log.ErrorContext(ctx, "could not give waiting posts their turn", "error", err)
		}
		wait(ctx, w.Poll)
	}
}
