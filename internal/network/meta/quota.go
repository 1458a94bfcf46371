package meta

import (
	"net/url"
	"slices"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
)

// QuotaWait is how long a post waits if it is unknown when the quota will have room.
const QuotaWait = time.Hour

// longestWindow caps the window of a quota that a network reports, in seconds.
const longestWindow = 30 * 24 * 60 * 60

// ReadQuota returns how many posts an account has published in the moving window of its quota. read must read the edge
// that reports the quota.
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
		return core.PostQuota{}, &network.Error{Kind: network.Unknown, Message: "The network did not return the quota."}
	}
	q := out.Data[0]
	return core.PostQuota{
		Used: q.Used, Limit: q.Config.Total, Window: time.Duration(min(q.Config.Seconds, longestWindow)) * time.Second,
	}, nil
}

// TimeUntilQuotaHasRoom returns the time until the oldest post that fills the quota leaves its window. published are
// the times of the account's posts, in any order. If they do not determine the time, it returns QuotaWait.
func TimeUntilQuotaHasRoom(q core.PostQuota, published []time.Time, now time.Time) (timeOrQuotaWait time.Duration) {
	if len(published) < q.Limit {
		return QuotaWait
	}
	newestFirst := slices.SortedFunc(slices.Values(published), func(a, b time.Time) int { return b.Compare(a) })
	if free := newestFirst[q.Limit-1].Add(q.Window).Sub(now); free > 0 && free <= q.Window {
		return free
	}
	return QuotaWait
}
