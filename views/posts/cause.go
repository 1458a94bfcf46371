package posts

import (
	"slices"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/views/ui"
)

// Cause is an issue or a warning of one or more rows.
type Cause struct {
	core.Issue
	Warning  bool
	Accounts []string // names of the accounts of those rows
	Networks []string // names of their networks, each once
	Input    string   // name of the input that the cause is about; "" for none
}

// AddOrMergeCause adds an issue or a warning of a row to the plan. If the plan already contains a cause with the same
// reason, the method merges the two and adds the row's account and network to that cause.
func (m *PlanModel) AddOrMergeCause(c Cause, row PlanRow) {
	for i := range m.Causes {
		other := &m.Causes[i]
		if other.Warning != c.Warning || other.Input != c.Input {
			continue
		}
		issue, same := other.Join(c.Issue)
		if !same {
			continue
		}
		other.Issue, other.Accounts = issue, append(other.Accounts, row.Account)
		if !slices.Contains(other.Networks, row.Network) {
			other.Networks = append(other.Networks, row.Network)
		}
		return
	}
	c.Accounts, c.Networks = []string{row.Account}, []string{row.Network}
	m.Causes = append(m.Causes, c)
}

// IsWaitingForFile reports whether the cause is a file that is still being checked. Nobody has to act on such a cause.
func (c Cause) IsWaitingForFile() bool { return c.Code == core.IssueMediaNotReady.Code }

// isInfo reports whether the cause only says what Belfry does, and needs no decision.
func (c Cause) isInfo() bool { return c.Code == core.WarnImagesConverted.Code }

// isWarningNotInfo reports whether somebody should look at the cause before the posts are created.
func (c Cause) isWarningNotInfo() bool { return c.Warning && !c.isInfo() }

// NeedsFix reports whether somebody has to change something before the posts can be created. It returns false for
// warnings and for a file that is still being checked.
func (c Cause) NeedsFix() bool { return !c.Warning && !c.IsWaitingForFile() }

// needsReconnect reports whether somebody has to reconnect an account.
func (c Cause) needsReconnect() bool {
	return c.Code == core.IssueAccountExpired.Code || c.Code == core.IssueAccountRevoked.Code
}

func anyNeedsFix(causes []Cause) bool { return slices.ContainsFunc(causes, Cause.NeedsFix) }

// kind is the class of a cause, and its data-testid in the plan.
func (c Cause) kind() string {
	switch {
	case c.isInfo():
		return "info"
	case c.Warning:
		return "warning"
	case c.IsWaitingForFile():
		return "waiting"
	}
	return "issue"
}

func (c Cause) iconName() string {
	return map[string]string{
		"info": "info", "warning": "triangle-alert", "waiting": "clock", "issue": "circle-alert",
	}[c.kind()]
}

// accountsText names or counts the accounts of a cause. It returns "" if the plan has only one row, or if the message
// names networks on which no other account is chosen.
func (m PlanModel) accountsText(c Cause) (textOrEmpty string) {
	switch {
	case len(m.Rows) < 2 || len(c.Accounts) == 0, c.NamesNetwork() && m.countRowsOn(c.Networks) == len(c.Networks):
		return ""
	case len(c.Accounts) == 1:
		return c.Accounts[0] + " on " + c.Networks[0]
	}
	return ui.CountNoun(len(c.Accounts), "account", "accounts")
}

// countRowsOn returns the number of rows whose account is on one of the networks.
func (m PlanModel) countRowsOn(networkNames []string) (n int) {
	for _, row := range m.Rows {
		if slices.Contains(networkNames, row.Network) {
			n++
		}
	}
	return n
}

// countCausesToFix returns how many of the plan's causes need a fix.
func (m PlanModel) countCausesToFix() (n int) {
	for _, c := range m.Causes {
		if c.NeedsFix() {
			n++
		}
	}
	return n
}

// countWarningsExceptInfo returns the number of the plan's warnings. Information does not count.
func (m PlanModel) countWarningsExceptInfo() (n int) {
	for _, c := range m.Causes {
		if c.isWarningNotInfo() {
			n++
		}
	}
	return n
}

// isOnlyWaitingForFiles reports whether the posts can be created as soon as their files have been checked.
func (m PlanModel) isOnlyWaitingForFiles() bool {
	return m.Plan != nil && !m.Plan.OK && len(m.Causes) > 0 && m.countCausesToFix() == 0
}

// isRowOnlyWaitingForFiles reports whether a row's post can be created as soon as its files have been checked.
func isRowOnlyWaitingForFiles(row PlanRow) bool {
	return len(row.Issues) > 0 && !slices.ContainsFunc(row.Issues, func(i contract.Issue) bool {
		return i.Code != string(core.IssueMediaNotReady.Code)
	})
}
