package core

import "time"

// Facts are what a network has reported about one account. The zero value contains no facts.
type Facts struct {
	// Choices maps a setting to the values that the account can use; for a switch, "true" and "false". A setting that is
	// missing is not restricted.
	Choices map[string][]string `json:"choices,omitempty"`
	// LongestVideoMs is how long the account's videos may be; 0 if the account has no limit of its own.
	LongestVideoMs int64      `json:"longestVideoMs,omitempty"`
	Quota          *PostQuota `json:"quota,omitempty"` // nil if the network does not report it
	// Blocked explains why the network accepted no posts from the account when Belfry asked; empty if it accepted posts.
	// A network that is blocking the account reports nothing else.
	Blocked string `json:"blocked,omitempty"`
	// ToldAt is when the network reported the facts.
	ToldAt time.Time `json:"-"`
}

// PostQuota is how many posts an account has published, and how many it may publish, within a moving window. The posts
// of all apps count.
type PostQuota struct {
	Used   int           `json:"used"`
	Limit  int           `json:"limit"`
	Window time.Duration `json:"window"`
}

const (
	// factsLife is how long facts are used. Belfry requests them at least once a day, so older facts mean that the network
	// has stopped responding.
	factsLife = 7 * 24 * time.Hour
	// blockLife is how long a reported block is assumed to last.
	blockLife = 24 * time.Hour

	nearPercent = 90
)

// IsNearlyUsed reports whether at least 90 percent of the quota is used.
func (q PostQuota) IsNearlyUsed() bool { return q.Used*100 >= q.Limit*nearPercent }

// OnlyValidFor returns the facts that still apply to a post that is due at the given time; the zero time means a draft.
// It drops all facts if they are too old. It drops the quota if the post is due after the quota's window, and a block
// if the post is due more than a day after the block was reported.
func (f Facts) OnlyValidFor(due, now time.Time) Facts {
	if now.Sub(f.ToldAt) > factsLife {
		return Facts{}
	}
	if due.Before(now) {
		due = now
	}
	after := due.Sub(f.ToldAt)
	if f.Quota != nil && after > f.Quota.Window {
		f.Quota = nil
	}
	if after > blockLife {
		f.Blocked = ""
	}
	return f
}

// WithEarlierChoicesIfBlocked returns f, the latest facts. If f reports nothing but a block, the result also contains
// the earlier choices and the earlier length limit for videos.
func (f Facts) WithEarlierChoicesIfBlocked(earlier Facts) Facts {
	if f.Blocked != "" {
		f.Choices, f.LongestVideoMs = earlier.Choices, earlier.LongestVideoMs
	}
	return f
}
