package posts

import (
	"fmt"
	"testing"

	"belfry/internal/contract"
	"belfry/internal/core"
)

// A text for five networks without a file had a box for each network that needs one, beside the files and in the plan.
func TestACauseOfSeveralNetworksIsToldOnce(t *testing.T) {
	t.Parallel()
	said := func(input string, text core.IssueText, args []any, rows ...string) (m PlanModel) {
		for i, network := range rows {
			row := PlanRow{Account: fmt.Sprint("account ", i), Network: network}
			m.Rows = append(m.Rows, row)
			m.AddOrMergeCause(Cause{Input: input, Issue: text.OnNetwork(network, args...)}, row)
		}
		return m
	}
	for name, c := range map[string]struct {
		got  PlanModel
		want string
		who  string
	}{
		"two networks":   {said(FieldMedia, core.IssueMediaRequired, nil, "One", "Two"), "A post on One or Two needs a file.", ""},
		"three networks": {said(FieldMedia, core.IssueMediaRequired, nil, "One", "Two", "Three"), "A post on One, Two or Three needs a file.", ""},
		"an account more": {
			said(FieldMedia, core.IssueMediaRequired, nil, "One", "Two", "Two"), "A post on One or Two needs a file.", "3 accounts",
		},
		"one network": {said(FieldMedia, core.IssueMediaRequired, nil, "One", "One"), "A post on One needs a file.", "2 accounts"},
		"a verb": {
			said(FieldMedia, core.IssueMediaMixedUnsupported, nil, "One", "Two"),
			"One and Two do not allow photos and videos in the same post.", "",
		},
		"no network in it": {said(FieldAt, core.IssueTimeInPast, nil, "One", "Two"), "The time is in the past.", "2 accounts"},
	} {
		if m := c.got; len(m.Causes) != 1 || m.Causes[0].Message != c.want || m.accountsText(m.Causes[0]) != c.who {
			t.Errorf("%s: %+v", name, m.Causes)
		}
	}
	if m := said(FieldText, core.IssueCaptionTooLong, []any{2500, "characters", 500}, "One", "One", "Two"); len(m.Causes) != 1 ||
		m.Causes[0].Message != "The text is too long for One and Two." || m.accountsText(m.Causes[0]) != "3 accounts" {
		t.Errorf("a text too long for two networks: %+v", m.Causes)
	}
	if m := said(FieldAccount, core.WarnAccountBlocked, []any{"One", "Wait."}, "One"); m.Causes[0].NamesNetwork() {
		t.Errorf("an account's warning is about its whole network: %+v", m.Causes)
	}
	apart := PlanModel{}
	for _, name := range []string{"Ada", "Ben"} {
		apart.AddOrMergeCause(Cause{Input: FieldAccount, Issue: core.IssueAccountExpired.WithoutNetwork(name)}, PlanRow{Account: name})
	}
	if len(apart.Causes) != 2 {
		t.Errorf("two accounts that have expired are one cause: %+v", apart.Causes)
	}
}

// The plan said that the post was ready, or had a problem, while its files were being checked.
func TestAPlanWaitsForFilesThatAreBeingChecked(t *testing.T) {
	t.Parallel()
	waits := core.IssueMediaNotReady.WithoutNetwork("a.jpg")
	issue := contract.Issue{Code: string(waits.Code), Message: waits.Message, Hint: waits.Hint, Reason: waits}
	row := PlanRow{PlanRow: contract.PlanRow{Issues: []contract.Issue{issue}}, Account: "Ada", Network: "One"}
	m := PlanModel{Plan: &contract.Plan{}, Rows: []PlanRow{row}, When: WhenNow}
	m.AddOrMergeCause(Cause{Issue: waits, Input: FieldMedia}, row)
	if got := m.verdict(); got != "Waiting for your files. When they are ready, you can send the post." || m.tone() != "" || m.canSubmit() {
		t.Errorf("%q, %q", got, m.tone())
	}
	m.AddOrMergeCause(Cause{Issue: core.IssueTextRequired.OnNetwork("One")}, row)
	if got := m.verdict(); got != "1 problem to fix." || m.tone() != "danger" {
		t.Errorf("%q, %q", got, m.tone())
	}
}
