package settings

import (
	"fmt"
	"strconv"
	"strings"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/views/layout"
	"belfry/views/ui"
)

// UsageModel is the page of the workspace's plan and its usage.
type UsageModel struct {
	Frame  layout.Frame
	Plan   core.Plan
	Usage  contract.Usage
	Drafts int64
	// UpgradeURL is where the plan can be changed; optional.
	UpgradeURL string
}

// meter is a limit of the plan and how much of it is used.
type meter struct {
	id, name   string
	used       int64
	limit      *int64
	format     func(int64) string
	atTheLimit string // what happens at the limit
}

func (m UsageModel) meters() []meter {
	return []meter{
		{
			"posts", "Posts in " + monthName(m.Usage.Period), m.Usage.Posts.Used, m.Usage.Posts.Limit, formatCount,
			"Drafts can still be written. New posts can be scheduled again next month, or after queued posts are cancelled.",
		},
		{
			"storage", "Storage", m.Usage.Storage.UsedBytes, m.Usage.Storage.LimitBytes, core.FormatBytes,
			"Uploads are refused until files are deleted. Scheduled posts still go out.",
		},
		{
			"drafts", "Drafts", m.Drafts, m.Plan.Drafts, formatCount,
			"No more drafts can be saved until some are scheduled or deleted.",
		},
		{
			"accounts", "Accounts", m.Usage.Accounts.Used, m.Usage.Accounts.Limit, formatCount,
			"No more accounts can be connected. Those that are connected go on working.",
		},
		{
			"members", "Members and invitations", m.Usage.Members.Used, m.Usage.Members.Limit, formatCount,
			"Nobody else can be invited. Members keep their access.",
		},
	}
}

// formatCount returns a number with a comma between thousands.
func formatCount(n int64) string {
	text := strconv.FormatInt(n, 10)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// monthName returns the name of a month that is given as YYYY-MM.
func monthName(period string) string {
	year, month, _ := strings.Cut(period, "-")
	names := strings.Fields("January February March April May June July August September October November December")
	var n int
	if _, err := fmt.Sscanf(month, "%d", &n); err != nil || n < 1 || n > len(names) {
		return period
	}
	return names[n-1] + " " + year
}

// percent returns how much is used, at most 100.
func (m meter) percent() int64 {
	if m.limit == nil || *m.limit == 0 {
		return 0
	}
	return min(100*m.used/(*m.limit), 100)
}

// nearLimit is from how many percent on a meter warns.
const nearLimit = 80

func (m meter) tone() ui.Tone {
	switch {
	case m.limit == nil:
		return ui.ToneInfo
	case m.used >= *m.limit:
		return ui.ToneDanger
	case m.percent() >= nearLimit:
		return ui.ToneWarn
	}
	return ui.ToneGood
}

// words says how much is used, of how much.
func (m meter) words() string {
	if m.limit == nil {
		return m.format(m.used) + ", no limit"
	}
	return m.format(m.used) + " of " + m.format(*m.limit)
}

var planNames = map[core.PlanName]string{
	core.PlanFree: "Free", core.PlanCreator: "Creator", core.PlanStudio: "Studio", core.PlanAgency: "Agency",
	core.PlanOwner: "Owner (no limits)",
}

// included lists what the plan includes that is not counted.
func (m UsageModel) included() []string {
	yes := func(has bool, what string) string {
		if has {
			return what + ": included"
		}
		return what + ": not included"
	}
	list := []string{yes(m.Plan.Groups, "Groups of accounts"), yes(m.Plan.API, "API")}
	if m.Plan.FileBytes != nil {
		list = append(list, "One file: up to "+core.FormatBytes(*m.Plan.FileBytes))
	}
	return list
}
