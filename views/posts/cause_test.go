package posts

import (
	"fmt"
	"strings"
	"testing"

	"belfry/internal/contract"
	"belfry/internal/core"
)

// A text for five networks without a file had a box for each network that needs one, beside the files and in the plan.
func TestACauseOfSeveralNetworksIsToldOnce(t *testing.T) {
	t.Parallel()
	said := func(input string, text core.IssueText, rows ...string) (m PlanModel) {
		for i, network := range rows {
			row := PlanRow{Account: fmt.Sprint("account ", i), Network: network}
			issue := text.With([]any{network, 1, 2, 3}[:strings.Count(wordsOf(text), "…")]...)
			m.Rows = append(m.Rows, row)
			m.AddCause(Cause{Input: input, Issue: contract.Issue{
				Code: string(issue.Code), Message: issue.Message, Hint: issue.Hint,
			}}, row)
		}
		return m
	}
	for name, c := range map[string]struct {
		got  PlanModel
		want string
		who  string
	}{
		"two networks":   {said(FieldMedia, core.IssueMediaRequired, "One", "Two"), "A post on One or Two needs a file.", ""},
		"three networks": {said(FieldMedia, core.IssueMediaRequired, "One", "Two", "Three"), "A post on One, Two or Three needs a file.", ""},
		"an account more": {
			said(FieldMedia, core.IssueMediaRequired, "One", "Two", "Two"), "A post on One or Two needs a file.", "3 accounts",
		},
		"one network": {said(FieldMedia, core.IssueMediaRequired, "One", "One"), "A post on One needs a file.", "2 accounts"},
		"a verb": {
			said(FieldMedia, core.IssueMediaMixedUnsupported, "One", "Two"),
			"One and Two do not allow photos and videos in the same post.", "",
		},
		"no network in it": {said(FieldAt, core.IssueTimeInPast, "One", "Two"), "The time is in the past.", "2 accounts"},
	} {
		if m := c.got; len(m.Causes) != 1 || m.Causes[0].Message != c.want || m.accountsText(m.Causes[0]) != c.who {
			t.Errorf("%s: %+v", name, m.Causes)
		}
	}
	if apart := said(FieldAccount, core.IssueAccountExpired, "One", "Two"); len(apart.Causes) != 2 {
		t.Errorf("names of accounts are taken for those of networks: %+v", apart.Causes)
	}
}

func wordsOf(text core.IssueText) string {
	message, hint := text.WithEllipses()
	return message + hint
}

// The plan said that the post was ready, or had a problem, while its files were being checked.
func TestAPlanWaitsForFilesThatAreBeingChecked(t *testing.T) {
	t.Parallel()
	waits := core.IssueMediaNotReady.With("a.jpg")
	issue := contract.Issue{Code: string(waits.Code), Message: waits.Message, Hint: waits.Hint}
	row := PlanRow{PlanRow: contract.PlanRow{Issues: []contract.Issue{issue}}, Account: "Ada", Network: "One"}
	m := PlanModel{Plan: &contract.Plan{}, Rows: []PlanRow{row}, When: WhenNow}
	m.AddCause(Cause{Issue: issue, Input: FieldMedia}, row)
	if got := m.verdict(); got != "Checking your files. You can send when they are ready." || m.tone() != "" || m.canSubmit() {
		t.Errorf("%q, %q", got, m.tone())
	}
	m.AddCause(Cause{Issue: contract.Issue{Code: "text_required"}}, row)
	if got := m.verdict(); got != "1 problem to fix." || m.tone() != "danger" {
		t.Errorf("%q, %q", got, m.tone())
	}
}
