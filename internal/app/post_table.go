package app

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"belfry/internal/core"
)

// formatPlanTable formats the plan as a monospaced table with the quota, issues and warnings below it. The table is the
// same for the API, the dashboard and agents.
func (a *App) formatPlanTable(r *postRequest) string {
	var table strings.Builder
	columns := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(columns, "NETWORK\tACCOUNT\tWHEN\tPLAN") // writing to a Builder never fails
	var notes []string
	for i, row := range r.rows {
		network, account := a.cfg.Networks.DisplayName(row.Platform), oneLine(r.targets[i].draft.Account.DisplayName)
		verdict := "ok"
		if !row.OK() {
			verdict = fmt.Sprintf("%d to fix", len(row.Issues))
		}
		_, _ = fmt.Fprintf(columns, "%s\t%s\t%s\t%s\n", network, account, r.formatRowTime(row), verdict)
		for _, issue := range row.Issues {
			notes = append(notes, fmt.Sprintf("x %s, %s: %s %s", network, account, issue.Message, issue.Hint))
		}
		for _, warning := range row.Warnings {
			notes = append(notes, fmt.Sprintf("! %s, %s: %s %s", network, account, warning.Message, warning.Hint))
		}
	}
	_ = columns.Flush()
	out := table.String() + r.formatMonthlyPostQuotaLine()
	if len(notes) > 0 {
		out += "\n\n" + strings.Join(notes, "\n")
	}
	return out
}

func (r *postRequest) formatRowTime(row core.PlanRow) string {
	switch {
	case !r.queuesPosts():
		return "draft"
	case r.when.Kind == core.WhenNow:
		return "now"
	case row.PublishAt.IsZero():
		return "no such time"
	}
	return r.when.Zone.FormatTime(row.PublishAt)
}

// formatMonthlyPostQuotaLine returns a sentence about the workspace's posts of this month and those of the request.
func (r *postRequest) formatMonthlyPostQuotaLine() string {
	if r.subscription.Posts == nil {
		return fmt.Sprintf("Posts this month: %d used, no limit, %d requested.", r.used, r.slotCount())
	}
	return fmt.Sprintf("Posts this month: %d of %d used, %d requested.", r.used, *r.subscription.Posts, r.slotCount())
}

// oneLine replaces line breaks and repeated spaces with single spaces, so that a name does not break the table.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
