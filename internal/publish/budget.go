package publish

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/store"
)

// budgetMargin is how much later than Belfry a network may count a call.
const budgetMargin = 2 * time.Second

// budgetOf returns the budget that limits a call, or false if none does. Status queries count only after the arm,
// because they may send parts of files before the arm.
func (c *claim) budgetOf(do core.Action) (budget network.Budget, limited bool) {
	if do == core.DoStatus && !c.isOutcomeQuery(do) {
		return network.Budget{}, false
	}
	return c.delivery.FindBudget(do)
}

// toStoreBudget converts a network's budget to the store's. A budget per account gets the account as its scope.
func (c *claim) toStoreBudget(b network.Budget) store.Budget {
	stored := store.Budget{Platform: c.post.Platform, Name: b.Name, Count: b.Count, Cost: cmp.Or(b.Cost, 1)}
	if b.Scope == network.ScopeAccount {
		stored.Scope = c.account.ID.String()
	}
	return stored
}

// reserveCallIfRoom counts a call that is about to be made. If the call would exceed a budget, it is not counted:
// reserveCallIfRoom returns the exhausted budget and when the call can be made. Otherwise, the time is zero.
func (c *claim) reserveCallIfRoom(
	ctx context.Context, do core.Action,
) (exhaustedUntilOrZero time.Time, exhausted network.Budget, err error) {
	b, counts := c.budgetOf(do)
	if !counts {
		return time.Time{}, network.Budget{}, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.engine.cfg.Schedule.CallTimeout())
	defer cancel()
	since, ends := b.PeriodAt(c.databaseNow())
	blocking, err := c.engine.cfg.Store.ReserveCallIfRoom(ctx, c.toStoreBudget(b), since)
	switch {
	case err != nil:
		return time.Time{}, network.Budget{}, fmt.Errorf("count a call: %w", err)
	case blocking.IsZero():
		return time.Time{}, network.Budget{}, nil
	case !ends.IsZero():
		return ends, b, nil
	}
	return blocking.Add(b.Window + budgetMargin), b, nil
}

// tryRefundUnmadeCall subtracts a call that was not made after all from the counted calls. A failure is only logged.
func (c *claim) tryRefundUnmadeCall(ctx context.Context, do core.Action) {
	b, counts := c.budgetOf(do)
	if !counts {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.engine.cfg.Schedule.CallTimeout())
	defer cancel()
	if err := c.engine.cfg.Store.RefundUnmadeCall(ctx, c.toStoreBudget(b)); err != nil {
		c.log.WarnContext(ctx, "a call that was not made still counts toward the network's limit", "call", do, "error", err)
	}
}

// endClaimUntilBudgetAllows ends the claim and lets the post wait until the budget allows the call. beforeCall is the
// publication without that call.
func (c *claim) endClaimUntilBudgetAllows(
	ctx context.Context, beforeCall core.Publication, until time.Time, b network.Budget,
) error {
	asks := c.isOutcomeQuery(b.Call)
	c.setStateAndSealHandle(beforeCall)
	if asks {
		c.retryAfter = until.Sub(c.databaseNow())
		return c.endClaimWithOutcome(ctx, core.DoBackoff)
	}
	c.setFailure(&failure{
		Kind: network.RateLimited, Message: fmt.Sprintf("%s allows %s.", c.desc.Name, b), Until: until,
	})
	return c.endClaimWithOutcome(ctx, core.DoHold)
}
