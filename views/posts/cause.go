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
	Input    string   // name of the input that it is about; "" for none
}

// AddCause adds an issue or a warning of a row. If other rows have it for the same reason, the account and the network
// are added to theirs.
func (m *PlanModel) AddCause(c Cause, row PlanRow) {
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

// IsWaiting reports that nobody has to do anything: a file is being checked.
func (c Cause) IsWaiting() bool { return c.Code == core.IssueMediaNotReady.Code }

// isInfo reports that nobody has to decide anything: Belfry says what it does.
func (c Cause) isInfo() bool { return c.Code == core.WarnImagesConverted.Code }

// IsProblem reports that somebody has to change something before the posts can be created.
func (c Cause) IsProblem() bool { return !c.Warning && !c.IsWaiting() }

// needsReconnect reports that somebody has to reconnect an account.
func (c Cause) needsReconnect() bool {
	return c.Code == core.IssueAccountExpired.Code || c.Code == core.IssueAccountRevoked.Code
}

func hasProblem(causes []Cause) bool { return slices.ContainsFunc(causes, Cause.IsProblem) }

// kind is the class of a cause, and its data-testid in the plan.
func (c Cause) kind() string {
	switch {
	case c.isInfo():
		return "info"
	case c.Warning:
		return "warning"
	case c.IsWaiting():
		return "waiting"
	}
	return "issue"
}

func (c Cause) icon() string {
	return map[string]string{
		"info": "info", "warning": "triangle-alert", "waiting": "clock", "issue": "circle-alert",
	}[c.kind()]
}

// accountsText names or counts the accounts of a cause. It returns "" if the plan has only one row, and if the message
// says enough, because it names networks on which no other account is chosen.
func (m PlanModel) accountsText(c Cause) string {
	switch {
	case len(m.Rows) < 2 || len(c.Accounts) == 0, c.NamesNetwork() && m.countRows(c.Networks) == len(c.Networks):
		return ""
	case len(c.Accounts) == 1:
		return c.Accounts[0] + " on " + c.Networks[0]
	}
	return ui.CountNoun(len(c.Accounts), "account", "accounts")
}

func (m PlanModel) countRows(networks []string) (n int) {
	for _, row := range m.Rows {
		if slices.Contains(networks, row.Network) {
			n++
		}
	}
	return n
}

// countCauses returns how many problems, or how many warnings, the plan has.
func (m PlanModel) countCauses(warnings bool) (n int) {
	for _, c := range m.Causes {
		if c.Warning && !c.isInfo() && warnings || c.IsProblem() && !warnings {
			n++
		}
	}
	return n
}

// isWaiting reports that the posts can be created as soon as their files have been checked.
func (m PlanModel) isWaiting() bool {
	return m.Plan != nil && !m.Plan.OK && len(m.Causes) > 0 && m.countCauses(false) == 0
}

// isWaitingRow reports the same of one row.
func isWaitingRow(row PlanRow) bool {
	return len(row.Issues) > 0 && !slices.ContainsFunc(row.Issues, func(i contract.Issue) bool {
		return i.Code != string(core.IssueMediaNotReady.Code)
	})
}
