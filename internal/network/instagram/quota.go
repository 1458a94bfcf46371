package instagram

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"time"

	"belfry/internal/network"
	"belfry/internal/network/meta"
)

// codeQuota says that the account has published as often as it may in 24 hours.
const codeQuota = "9/2207042"

// withQuotaWait holds a post that the quota refuses until the oldest post that fills it is 24 hours old. Any other
// error comes back as it is.
func (n *Network) withQuotaWait(ctx context.Context, it network.Item, err error) error {
	var e *network.Error
	if !errors.As(err, &e) || e.Code != codeQuota {
		return err
	}
	row := errorTable.Row(meta.Code{Code: 9, Subcode: 2207042})
	row.Wait = n.untilQuotaFrees(ctx, it)
	return meta.Reclassify(err, row)
}

// untilQuotaFrees is how long it takes until the oldest post that fills the quota leaves its window; an hour when
// that is not known.
func (n *Network) untilQuotaFrees(ctx context.Context, it network.Item) time.Duration {
	var out struct {
		Data []struct {
			Config struct {
				Total   int   `json:"quota_total"`
				Seconds int64 `json:"quota_duration"`
			} `json:"config"`
		} `json:"data"`
	}
	edge := "/" + url.PathEscape(it.Profile) + "/content_publishing_limit"
	err := n.readNode(ctx, it.Token, edge, url.Values{"fields": {"quota_usage,config"}}, &out)
	if err != nil || len(out.Data) == 0 || out.Data[0].Config.Total <= 0 {
		return quotaWait
	}
	total, window := out.Data[0].Config.Total, time.Duration(out.Data[0].Config.Seconds)*time.Second
	var times []time.Time
	for _, edge := range []string{"/media", "/stories"} {
		posts, err := n.listPosts(ctx, it, edge, "id,timestamp", n.now().Add(-window))
		if err != nil {
			return quotaWait
		}
		for _, p := range posts {
			times = append(times, p.At.Time)
		}
	}
	if len(times) < total {
		return quotaWait
	}
	slices.SortFunc(times, func(a, b time.Time) int { return b.Compare(a) })
	free := times[total-1].Add(window).Sub(n.now())
	if free <= 0 || free > window {
		return quotaWait
	}
	return free
}
