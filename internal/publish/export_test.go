package publish

import (
	"context"

	"belfry/internal/core"
	"belfry/internal/store"
)

// Combiner brings claims together as Publish does.
type Combiner struct{ combiner combiner }

// Join claims a post for one claimant.
func (c *Combiner) Join(ctx context.Context, post core.PostID, claim func(context.Context, []core.PostID) (map[core.PostID]store.Claimed, error)) (store.Claimed, error) {
	return c.combiner.join(ctx, claimant{}, post, claim)
}

// Waiting counts those who wait for the next statement.
func (c *Combiner) Waiting() int {
	c.combiner.mu.Lock()
	defer c.combiner.mu.Unlock()
	if l := c.combiner.lines[claimant{}]; l != nil {
		return len(l.waiting)
	}
	return 0
}

// ClaimsAtOnce bounds a statement.
const ClaimsAtOnce = claimsAtOnce
