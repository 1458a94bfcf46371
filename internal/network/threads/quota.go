package threads

import (
	"context"
	"net/url"
	"time"

	"belfry/internal/network"
	"belfry/internal/network/meta"
)

// quotaWait holds a post when the profile's posts do not tell when the quota frees.
const quotaWait = time.Hour

type quota struct {
	Used   int `json:"quota_usage"`
	Config struct {
		Total   int   `json:"quota_total"`
		Seconds int64 `json:"quota_duration"`
	} `json:"config"`
}

// withQuota turns a refusal of the publishing call into a throttle until the quota frees, when the quota is used
// up: Threads documents no code for that. Any other error comes back as it is.
func (n *Network) withQuota(ctx context.Context, it network.Item, err error) error {
	if !isRefusal(err) {
		return err
	}
	var out struct {
		Data []quota `json:"data"`
	}
	params := url.Values{"fields": {"quota_usage,config"}}
	edge := "/" + url.PathEscape(it.Profile) + "/threads_publishing_limit"
	failed := n.graph.Get(ctx, edge, it.Token.Access, params, &out)
	if failed != nil || len(out.Data) == 0 || out.Data[0].Config.Total <= 0 ||
		out.Data[0].Used < out.Data[0].Config.Total {
		return err
	}
	return meta.Reclassify(err, network.Meaning{
		Kind: network.RateLimited, Hint: hintQuota, Scope: network.ScopeAccount,
		Wait: n.untilQuotaFrees(ctx, it, out.Data[0]),
	})
}

// untilQuotaFrees is how long it takes until the oldest post that fills the quota leaves its window.
func (n *Network) untilQuotaFrees(ctx context.Context, it network.Item, q quota) time.Duration {
	window := time.Duration(q.Config.Seconds) * time.Second
	now := n.now()
	posts, err := n.listPosts(ctx, it, "id,timestamp", now.Add(-window))
	if err != nil || len(posts) < q.Config.Total {
		return quotaWait
	}
	free := posts[q.Config.Total-1].At.Add(window).Sub(now)
	if free <= 0 || free > window {
		return quotaWait
	}
	return free
}
