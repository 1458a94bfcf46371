package publish

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/store"
)

// budgetMargin is how much later than ours a network's clock may count a call.
const budgetMargin = 2 * time.Second

// budgetOf returns the budget that counts a call, or false if none does. Status queries count after the arm: before
// it, they may send parts of files.
func (c *claim) budgetOf(do core.Do) (network.Budget, bool) {
	if do == core.DoStatus && !c.asksAboutCall(do) {
		return network.Budget{}, false
	}
	return c.delivery.BudgetOf(do)
}

// storedBudget names a budget in the ledger.
func (c *claim) storedBudget(b network.Budget) store.Budget {
	stored := store.Budget{Platform: c.post.Platform, Name: b.Name, Count: b.Count, Cost: cmp.Or(b.Cost, 1)}
	if b.Scope == network.ScopeAccount {
		stored.Scope = c.account.ID.String()
	}
	return stored
}

// takeBudget counts a call that is about to be made. If the network would not take it, it returns until when the post
// waits, and the budget.
func (c *claim) takeBudget(ctx context.Context, do core.Do) (until time.Time, b network.Budget, err error) {
	b, counts := c.budgetOf(do)
	if !counts {
		return time.Time{}, b, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.engine.cfg.Schedule.CallTimeout())
	defer cancel()
	since, ends := b.Span(c.now())
	blocking, err := c.engine.cfg.Store.TakeBudget(ctx, c.storedBudget(b), since)
	switch {
	case err != nil:
		return time.Time{}, b, fmt.Errorf("count a call: %w", err)
	case blocking.IsZero():
		return time.Time{}, b, nil
	case !ends.IsZero():
		return ends, b, nil
	}
	return blocking.Add(b.Window + budgetMargin), b, nil
}

// returnBudget takes back a call that is not made after all.
func (c *claim) returnBudget(ctx context.Context, do core.Do) {
	b, counts := c.budgetOf(do)
	if !counts {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.engine.cfg.Schedule.CallTimeout())
	defer cancel()
	if err := c.engine.cfg.Store.ReturnBudget(ctx, c.storedBudget(b)); err != nil {
		c.log.WarnContext(ctx, "could not take back a call that was counted", "call", do, "error", err)
	}
}

// awaitBudget ends the claim until the network takes the call. p is the ledger without it.
func (c *claim) awaitBudget(ctx context.Context, p core.Publication, until time.Time, b network.Budget) error {
	asks := c.asksAboutCall(b.Call)
	c.setState(p)
	if asks {
		c.retryAfter = until.Sub(c.now())
		return c.endClaim(ctx, core.DoBackoff)
	}
	c.failure = &failure{
		Kind: network.RateLimited, Message: fmt.Sprintf("%s allows %s.", c.desc.Name, b), Until: until,
	}
	encoded, err := json.Marshal(c.failure)
	if err != nil {
		return fmt.Errorf("encode why the post is held: %w", err)
	}
	c.pub.Failure = encoded
	return c.endClaim(ctx, core.DoHold)
}
