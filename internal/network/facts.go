package network

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"belfry/internal/core"
)

// checkAccountFacts checks a draft against what the network has reported about its account. Limits that hold for all
// accounts have been checked before.
func (f *Findings) checkAccountFacts(d Description, draft Draft) {
	facts := draft.Facts
	f.checkAccountChoices(d, draft)
	tooLong := func(m core.Media) bool {
		return m.Kind == core.FileVideo && exceedsIfLimited(m.DurationMs, facts.LongestVideoMs)
	}
	if slices.ContainsFunc(draft.Media, tooLong) && !f.hasIssue(core.IssueDurationTooLong.Code) {
		f.AddIf(true, core.IssueDurationOverAccount, formatDuration(facts.LongestVideoMs))
	}
	if q := facts.Quota; q != nil {
		f.AddIf(q.IsNearlyUsed(), core.WarnAccountLimitNear, q.Used, q.Limit, d.Name, formatDuration(q.Window.Milliseconds()))
	}
	f.AddIf(facts.Blocked != "", core.WarnAccountBlocked, d.Name, facts.Blocked)
}

// checkAccountChoices adds an issue for each setting whose value the account cannot use. If a setting is left out,
// the network or the connector chooses its value.
func (f *Findings) checkAccountChoices(d Description, draft Draft) {
	var settings map[string]any
	if len(draft.Facts.Choices) == 0 || json.Unmarshal(draft.Settings, &settings) != nil {
		return
	}
	for _, field := range d.Fields {
		allowed, restricted := draft.Facts.Choices[field.Name]
		value, given := settings[field.Name]
		if !restricted || !given || slices.Contains(allowed, fmt.Sprint(value)) {
			continue
		}
		setting := fmt.Sprintf("%q", field.Label+": "+field.choiceLabelOrValue(fmt.Sprint(value)))
		issue := core.IssueSettingUnavailable.WithoutNetwork(setting, field.allowedHint(allowed))
		issue.Setting = field.Name
		f.issues = append(f.issues, issue)
	}
}

// allowedHint returns a hint with the values that an account can use, each with its label and its value in the API.
func (f Field) allowedHint(allowed []string) string {
	if len(allowed) == 0 {
		return "Leave out " + f.Name + "."
	}
	named := make([]string, len(allowed))
	for i, value := range allowed {
		named[i] = fmt.Sprintf("%s (%s)", f.choiceLabelOrValue(value), value)
	}
	return fmt.Sprintf("Use %s for %s.", strings.Join(named, " or "), f.Name)
}

// choiceLabelOrValue returns the label of a choice, or the value itself if it is not a choice of the field.
func (f Field) choiceLabelOrValue(value string) string {
	for _, c := range f.Choices {
		if c.Value == value {
			return c.Label
		}
	}
	return value
}

func (f *Findings) hasIssue(code core.IssueCode) bool {
	return slices.ContainsFunc(f.issues, func(i core.Issue) bool { return i.Code == code })
}
