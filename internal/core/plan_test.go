package core_test

import (
	"testing"

	"belfry/internal/core"
)

func none() *int64           { return nil }
func exactly(n int64) *int64 { return &n }

func TestPlansAreThoseOfTheDecisions(t *testing.T) {
	t.Parallel()
	const gb, mb = 1_000_000_000, 1_000_000
	type row struct {
		posts, accounts, members, storage, file, history *int64
		groups, api                                      bool
		mcp                                              string
	}
	want := map[core.PlanName]row{
		"free":    {exactly(30), exactly(3), exactly(1), exactly(2 * gb), exactly(500 * mb), exactly(30), false, false, "read"},
		"creator": {exactly(300), exactly(10), exactly(3), exactly(50 * gb), exactly(2 * gb), exactly(90), true, true, "write"},
		"studio":  {exactly(2000), exactly(40), exactly(10), exactly(250 * gb), exactly(5 * gb), exactly(365), true, true, "write"},
		"agency":  {none(), exactly(200), none(), exactly(1000 * gb), exactly(10 * gb), exactly(365), true, true, "write"},
		"owner":   {none(), none(), none(), none(), exactly(20 * gb), none(), true, true, "write"},
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
	if e := core.NotIncluded("the API"); e.Code != core.CodeQuotaExceeded || *e.Quota != (core.QuotaFacts{}) || e.Hint == "" {
		t.Errorf("not included: %+v", e)
	}
	if e := core.OverQuota("posts a month", 30, 30); e.Code != core.CodeQuotaExceeded || *e.Quota != (core.QuotaFacts{Limit: 30, Used: 30}) {
		t.Errorf("over quota: %+v", e)
	}
	if e := core.OverQuota("posts a month", 31, 30); *e.Quota != (core.QuotaFacts{Limit: 30, Used: 31}) || e.Message != "The plan allows 30 posts a month; 31 are used." {
		t.Errorf("after a downgrade: %+v", e)
	}
}
