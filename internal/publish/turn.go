package publish

import (
	"context"
	"time"

	"belfry/internal/core"
	"belfry/internal/store"
)

// setTurnFlags sets in call whether the statement that saves the call takes the account's turn or passes it on. Until
// the outcome of an irreversible call is saved, no other post of the account may make its irreversible call. Nor may it
// search the network, because the search could find the post whose id is not saved yet. If a network shows a post as
// soon as it has the files, the turn is taken when the post is created, so that the arm can follow immediately.
func (c *claim) setTurnFlags(call *store.Call) {
	call.TakesTurn = call.Do == core.DoPublish || c.mightSearchDuring(call.Do) ||
		call.Do == core.DoCreate && c.delivery.Gated
	call.PassesTurn = c.hasTurn && !call.TakesTurn && call.Do == core.DoCreate
}

// mightSearchDuring reports whether the connector may search the account's posts during a call: in FindPost, and in
// AdvanceStatus once a post is armed whose handle shows the outcome. If the network no longer has the object of the
// handle, only a search can tell.
func (c *claim) mightSearchDuring(do core.Action) bool {
	return do == core.DoFind || do == core.DoStatus && c.pub.Armed && c.pub.Flow.CanRepeatCall()
}

// nextTurnLease returns for how long the next post gets the account's turn when this claim ends, or 0 if this post does
// not have the turn.
func (c *claim) nextTurnLease() (leaseOrZero time.Duration) {
	if !c.hasTurn {
		return 0
	}
	return c.engine.cfg.Schedule.Lease
}

// endClaimUntilTurn ends the claim because another post of the account has the turn. beforeCall is the publication
// without the call that needs the turn.
func (c *claim) endClaimUntilTurn(ctx context.Context, beforeCall core.Publication) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.engine.cfg.Schedule.CallTimeout())
	defer cancel()
	c.setStateAndSealHandle(beforeCall)
	if err := c.tenant.EndClaimUntilTurn(ctx, c.pub); err != nil {
		return err
	}
	c.log.Debug("waiting for another post from the account to be published")
	return c.endThrottleIfProbeSucceeded(ctx, c.tenant)
}

// endClaimUntilPublishingHoldEnds ends the claim because publishing was put on hold. beforeCall is the publication
// without the irreversible call. The next claim asks the network about the handle first, which may have expired by
// then.
func (c *claim) endClaimUntilPublishingHoldEnds(ctx context.Context, beforeCall core.Publication) error {
	c.log.Info("publishing is on hold; a worker continues with the post when the hold ends")
	c.setStateAndSealHandle(beforeCall)
	return c.endClaimWithOutcome(ctx, core.DoAwait)
}
