package core_test

import (
	"strings"
	"testing"

	"belfry/internal/core"
)

func none() *int64 { return nil }
func TestPlansAreThoseOfTheDecisions(t *testing.T) {
	t.Parallel()
	const gb, mb = 1_000_000_000, 1_000_000
	type row struct {
		posts, accounts, members, storage, file, history *int64
		groups, api                                      bool
		mcp                                              string
	}
	want := map[core.PlanName]row{
		"free": {
			new(int64(30)), new(int64(3)), new(int64(1)), new(int64(2 * gb)), new(int64(500 * mb)), new(int64(30)),
			false, false, "read",
		},
		"creator": {
			new(int64(300)), new(int64(10)), new(int64(3)), new(int64(50 * gb)), new(int64(2 * gb)), new(int64(90)),
			true, true, "write",
		},
		"studio": {
			new(int64(2000)), new(int64(40)), new(int64(10)), new(int64(250 * gb)), new(int64(5 * gb)),
			new(int64(365)), true, true, "write",
		},
		"agency": {
			none(), new(int64(200)), none(), new(int64(1000 * gb)), new(int64(10 * gb)), new(int64(365)), true, true,
			"write",
		},
		"owner": {none(), none(), none(), none(), new(int64(20 * gb)), none(), true, true, "write"},
	}
	plans := core.DefaultPlans()
	if len(plans) != len(want) {
		t.Errorf("%d plans, want %d", len(plans), len(want))
	}
	for name, w := range want {
		p := plans[name]
		if p.Name != name || p.Groups != w.groups || p.API != w.api || p.MCP != w.mcp {
			t.Errorf("%s: %+v", name, p)
		}
		for what, pair := range map[string][2]*int64{
			"posts": {p.Posts, w.posts}, "accounts": {p.Accounts, w.accounts}, "members": {p.Members, w.members},
			"storage": {p.StorageBytes, w.storage}, "file": {p.FileBytes, w.file}, "history": {p.HistoryDays, w.history},
		} {
			got, want := pair[0], pair[1]
			if (got == nil) != (want == nil) || got != nil && *got != *want {
				t.Errorf("%s, %s: %v, want %v", name, what, got, want)
			}
		}
	}
}

func TestQuotaErrorsCarryFigures(t *testing.T) {
	t.Parallel()
	if e := core.NewFeatureNotIncludedError("the API"); e.Code != core.CodeQuotaExceeded ||
		*e.Quota != (core.QuotaFacts{}) || e.Hint == "" {
		t.Errorf("not included: %+v", e)
	}
	if e := core.NewPostQuotaExceededError(30, 30); e.Code != core.CodeQuotaExceeded ||
		*e.Quota != (core.QuotaFacts{Limit: 30, Used: 30}) {
		t.Errorf("over quota: %+v", e)
	}
	const freesSlots = "turn posts that were queued this month into drafts" // a slot is of the month of the queueing
	_, planHint := core.IssueQuotaExceeded.WithEllipses()
	for _, hint := range []string{core.NewPostQuotaExceededError(30, 30).Hint, planHint} {
		if !strings.Contains(hint, freesSlots) {
			t.Errorf("over quota: %s", hint)
		}
	}
	if e := core.NewPostQuotaExceededError(31, 30); *e.Quota != (core.QuotaFacts{Limit: 30, Used: 31}) || e.Message != "The subscription plan's limit is 30 posts per month, and 31 count toward it." {
		t.Errorf("after a downgrade: %+v", e)
	}
}
