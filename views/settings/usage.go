package settings

import (
	"fmt"
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
	atTheLimit string // continues a sentence with what happens at the limit
	counts     string // which things count, if the name does not say it
}

func (m UsageModel) meters() []meter {
	return []meter{
		{
			"posts", "Posts in " + formatMonthIfISO(m.Usage.Period), m.Usage.Posts.Used, m.Usage.Posts.Limit,
			core.FormatThousands,
			"you can still write drafts. To schedule more posts, wait until next month or turn posts that you queued this month into drafts.",
			"Posts that were scheduled or sent this month, regardless of when they go out. Drafts do not count.",
		},
		{
			"storage", "Storage", m.Usage.Storage.UsedBytes, m.Usage.Storage.LimitBytes, core.FormatBytes,
			"you cannot upload more files until you delete some. Scheduled posts are still published.", "",
		},
		{
			"drafts", "Drafts", m.Drafts, m.Plan.Drafts, core.FormatThousands,
			"you cannot save more drafts until you schedule or delete some.", "",
		},
		{
			"accounts", "Accounts", m.Usage.Accounts.Used, m.Usage.Accounts.Limit, core.FormatThousands,
			"you cannot connect more accounts. Connected accounts keep working.", "",
		},
		{
			"members", "Members and invitations", m.Usage.Members.Used, m.Usage.Members.Limit, core.FormatThousands,
			"you cannot invite more people. Members keep their access.", "",
		},
	}
}

// formatMonthIfISO formats a month, YYYY-MM, such as "November 2026". It returns anything else unchanged.
func formatMonthIfISO(period string) string {
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

// nearLimit is the percentage from which a meter warns.
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

var planNames = map[core.PlanName]string{
	core.PlanFree: "Free", core.PlanCreator: "Creator", core.PlanStudio: "Studio", core.PlanAgency: "Agency",
	core.PlanOwner: "Unlimited",
}

// featureLines says which features the plan includes, and how large a file may be.
func (m UsageModel) featureLines() []string {
	yes := func(has bool, what string) string {
		if has {
			return what + ": included"
		}
		return what + ": not included"
	}
	list := []string{yes(m.Plan.Groups, "Groups of accounts"), yes(m.Plan.API, "API")}
	if m.Plan.FileBytes != nil {
		list = append(list, "Largest file: "+core.FormatBytes(*m.Plan.FileBytes))
	}
	return list
}
