package threads

import (
	"context"
	"net/url"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/meta"
)

// ReadAccountFacts returns how much of the profile's publishing quota is used.
func (n *Network) ReadAccountFacts(ctx context.Context, profileID string, t network.Token) (core.Facts, error) {
	q, err := n.fetchQuota(ctx, profileID, t)
	if err != nil {
		return core.Facts{}, err
	}
	return core.Facts{Quota: &q}, nil
}

func (n *Network) fetchQuota(ctx context.Context, profileID string, t network.Token) (core.PostQuota, error) {
	return meta.ReadQuota(func(params url.Values, into any) error {
		return n.graph.Get(ctx, "/"+url.PathEscape(profileID)+"/threads_publishing_limit", t.Access, params, into)
	})
}

// convertToRateLimitedIfQuotaUsedUp turns a refusal of the publishing call into a throttle if the quota is used up,
// because Threads documents no code for that. It returns any other error unchanged.
func (n *Network) convertToRateLimitedIfQuotaUsedUp(ctx context.Context, it network.Item, err error) error {
	if !isRejectedOrRateLimited(err) {
		return err
	}
	q, failed := n.fetchQuota(ctx, it.Profile, it.Token)
	if failed != nil || q.Used < q.Limit {
		return err
	}
	return meta.Reclassify(err, network.ErrorMeaning{
		Kind: network.RateLimited, Hint: hintQuota, Scope: network.ScopeAccount,
		Wait: n.fetchTimeUntilQuotaHasRoom(ctx, it, q),
	})
}

// fetchTimeUntilQuotaHasRoom returns the time until the oldest post that fills the quota leaves its window; an hour if
// that is unknown.
func (n *Network) fetchTimeUntilQuotaHasRoom(
	ctx context.Context, it network.Item, q core.PostQuota,
) (timeOrQuotaWait time.Duration) {
	posts, err := n.listAllPostsSince(ctx, it, "id,timestamp", n.now().Add(-q.Window))
	if err != nil {
		return meta.QuotaWait
	}
	times := make([]time.Time, len(posts))
	for i, p := range posts {
		times[i] = p.At.Time
	}
	return meta.TimeUntilQuotaHasRoom(q, times, n.now())
}
