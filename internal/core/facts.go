package core

import "time"

// Facts are what a network has told about one account. The zero value says nothing.
type Facts struct {
	// Choices maps a setting to the values that the account can use, those of a switch as "true" and "false". A setting
	// that it lacks is not restricted.
	Choices map[string][]string `json:"choices,omitempty"`
	// LongestVideoMs is how long the account's videos may be; 0 if the account has no limit of its own.
	LongestVideoMs int64      `json:"longestVideoMs,omitempty"`
	Quota          *PostQuota `json:"quota,omitempty"` // nil if the network does not tell
	// Blocked is why the network accepted no posts when it was asked, in sentences; empty if it did. Such facts
	// contain nothing else.
	Blocked string `json:"blocked,omitempty"`
	// ToldAt is when the network was asked.
	ToldAt time.Time `json:"-"`
}

// PostQuota is how many posts an account has published in a moving window, through all apps.
type PostQuota struct {
	Used   int           `json:"used"`
	Limit  int           `json:"limit"`
	Window time.Duration `json:"window"`
}

const (
	// factsLife is how long facts count. They are asked for at least once a day, so older ones mean that the network
	// has not been answering.
	factsLife = 7 * 24 * time.Hour
	// blockLife is how long a network's refusal of all posts counts.
	blockLife = 24 * time.Hour

	nearPercent = 90
)

// IsNear reports whether at least 90 percent of the quota are used.
func (q PostQuota) IsNear() bool { return q.Used*100 >= q.Limit*nearPercent }

// For returns what the facts say now about a post that is due at the given time, or about a draft for the zero time:
// nothing if they are too old, and nothing about today's posts if it is due after those no longer count.
func (f Facts) For(due, now time.Time) Facts {
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

// After returns the facts that a network has just told, completed with the earlier ones where it told only that the
// account is blocked.
func (f Facts) After(earlier Facts) Facts {
	if f.Blocked != "" {
		f.Choices, f.LongestVideoMs = earlier.Choices, earlier.LongestVideoMs
	}
	return f
}
