package app

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"belfry/internal/core"
)

// formatPlan formats the plan as monospaced text, the same for the API, the dashboard and agents.
func (a *App) formatPlan(r *postRequest) string {
	lines := [][]string{{"NETWORK", "ACCOUNT", "WHEN", "PLAN"}}
	var notes []string
	for i, row := range r.rows {
		name := a.cfg.Networks.Name(row.Platform)
		verdict := "ok"
		if !row.OK() {
			verdict = fmt.Sprintf("%d to fix", len(row.Issues))
		}
		lines = append(lines, []string{name, oneLine(r.targets[i].draft.Account.DisplayName), r.formatTime(row), verdict})
		for _, issue := range row.Issues {
			notes = append(notes,
				fmt.Sprintf("x %s, %s: %s %s", name, oneLine(r.targets[i].draft.Account.DisplayName), issue.Message, issue.Hint))
		}
		for _, warning := range row.Warnings {
			notes = append(notes,
				fmt.Sprintf("! %s, %s: %s %s", name, oneLine(r.targets[i].draft.Account.DisplayName), warning.Message,
					warning.Hint))
		}
	}
	out := alignColumns(lines) + "\n" + r.formatQuota()
	if len(notes) > 0 {
		out += "\n\n" + strings.Join(notes, "\n")
	}
	return out
}

func (r *postRequest) formatTime(row core.PlanRow) string {
	switch {
	case !r.queues():
		return "draft"
	case r.when.Kind == core.WhenNow:
		return "now"
	case row.PublishAt.IsZero():
		return "no such time"
	}
	return r.when.Zone.Label(row.PublishAt)
}

func (r *postRequest) formatQuota() string {
	if r.plan.Posts == nil {
		return fmt.Sprintf("This month: %d used, no limit, %d requested.", r.used, r.slots())
	}
	return fmt.Sprintf("This month: %d of %d used, %d requested.", r.used, *r.plan.Posts, r.slots())
}

// alignColumns pads cells so that columns align.
func alignColumns(rows [][]string) string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	lines := make([]string, len(rows))
	for n, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2))
		}
		lines[n] = strings.TrimRight(line.String(), " ")
	}
	return strings.Join(lines, "\n")
}

// oneLine replaces line breaks in a name, which would break the table.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
