package meta

import (
	"net/url"
	"slices"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
)

// QuotaWait holds a post when nothing tells when a quota frees.
const QuotaWait = time.Hour

// longestWindow bounds what a network says of the window of a quota, in seconds.
const longestWindow = 30 * 24 * 60 * 60

// ReadQuota reads how many posts an account has published in a moving window. read reads the edge that tells it.
func ReadQuota(read func(params url.Values, into any) error) (core.PostQuota, error) {
	var out struct {
		Data []struct {
			Used   int `json:"quota_usage"`
			Config struct {
				Total   int   `json:"quota_total"`
				Seconds int64 `json:"quota_duration"`
			} `json:"config"`
		} `json:"data"`
	}
	if err := read(url.Values{"fields": {"quota_usage,config"}}, &out); err != nil {
		return core.PostQuota{}, err
	}
	if len(out.Data) == 0 || out.Data[0].Config.Total <= 0 || out.Data[0].Config.Seconds <= 0 {
		return core.PostQuota{}, &network.Error{Kind: network.Unknown, Message: "The network did not tell the quota."}
	}
	q := out.Data[0]
	return core.PostQuota{
		Used: q.Used, Limit: q.Config.Total, Window: time.Duration(min(q.Config.Seconds, longestWindow)) * time.Second,
	}, nil
}

// TimeUntilQuotaFrees returns how long it takes until the oldest of the posts that fill the quota leaves its window, or
// QuotaWait if published, when the account's posts of this window were made, does not tell.
func TimeUntilQuotaFrees(q core.PostQuota, published []time.Time, now time.Time) time.Duration {
	if len(published) < q.Limit {
		return QuotaWait
	}
	slices.SortFunc(published, func(a, b time.Time) int { return b.Compare(a) })
	if free := published[q.Limit-1].Add(q.Window).Sub(now); free > 0 && free <= q.Window {
		return free
	}
	return QuotaWait
}
