package instagram

import (
	"context"
	"errors"
	"net/url"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/meta"
)

// codeQuota means that the account has reached its limit for 24 hours.
const codeQuota = "9/2207042"

// addWaitIfQuotaUsedUp adds the wait to an error about the quota: until the oldest post that fills the quota leaves its
// window. It returns any other error unchanged.
func (n *Network) addWaitIfQuotaUsedUp(ctx context.Context, it network.Item, err error) error {
	var e *network.Error
	if !errors.As(err, &e) || e.Code != codeQuota {
		return err
	}
	row := errorTable.MeaningOf(meta.Code{Code: 9, Subcode: 2207042})
	row.Wait = n.fetchTimeUntilQuotaHasRoom(ctx, it)
	return meta.Reclassify(err, row)
}

// ReadAccountFacts returns how much of the account's publishing quota is used.
func (n *Network) ReadAccountFacts(ctx context.Context, profileID string, t network.Token) (core.Facts, error) {
	q, err := n.fetchQuota(ctx, profileID, t)
	if err != nil {
		return core.Facts{}, err
	}
	return core.Facts{Quota: &q}, nil
}

func (n *Network) fetchQuota(ctx context.Context, profileID string, t network.Token) (core.PostQuota, error) {
	return meta.ReadQuota(func(params url.Values, into any) error {
		return n.readNodeWithFallback(ctx, t, "/"+url.PathEscape(profileID)+"/content_publishing_limit", params, into)
	})
}

// fetchTimeUntilQuotaHasRoom returns the time until the oldest post that fills the quota leaves its window; an hour if
// that is unknown.
func (n *Network) fetchTimeUntilQuotaHasRoom(
	ctx context.Context, it network.Item,
) (timeOrQuotaWait time.Duration) {
	q, err := n.fetchQuota(ctx, it.Profile, it.Token)
	if err != nil {
		return meta.QuotaWait
	}
	var times []time.Time
	for _, edge := range []string{"media", "stories"} {
		posts, err := n.listAllPostsSince(ctx, it, edge, "id,timestamp", n.now().Add(-q.Window))
		if err != nil {
			return meta.QuotaWait
		}
		for _, p := range posts {
			times = append(times, p.At.Time)
		}
	}
	return meta.TimeUntilQuotaHasRoom(q, times, n.now())
}
