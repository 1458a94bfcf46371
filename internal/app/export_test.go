package app

import (
	"context"

	"belfry/internal/core"
	"belfry/internal/store"
)

// RefusedAddresses counts the addresses that are remembered as over their limit.
func (a *App) RefusedAddresses() int {
	a.refused.mu.Lock()
	defer a.refused.mu.Unlock()
	return len(a.refused.until)
}

// Claims brings claims together as Publish does.
type Claims struct{ claims claims }

// Join claims a post for one claimant.
func (c *Claims) Join(ctx context.Context, post core.PostID, claim func(context.Context, []core.PostID) (map[core.PostID]store.Claimed, error)) (store.Claimed, error) {
	return c.claims.join(ctx, claimant{}, post, claim)
}

// Waiting counts those who wait for the next statement.
func (c *Claims) Waiting() int {
	c.claims.mu.Lock()
	defer c.claims.mu.Unlock()
	if l := c.claims.lines[claimant{}]; l != nil {
		return len(l.waiting)
	}
	return 0
}

// ClaimsAtOnce bounds a statement.
const ClaimsAtOnce = claimsAtOnce
