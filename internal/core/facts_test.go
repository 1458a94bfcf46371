package core_test

import (
	"reflect"
	"testing"
	"time"

	"belfry/internal/core"
)

const day = 24 * time.Hour

func TestFactsSayNothingOnceTheyAreOld(t *testing.T) {
	t.Parallel()
	told := time.Date(2026, 10, 5, 9, 0, 0, 0, time.UTC)
	full := core.Facts{
		Choices: map[string][]string{"audience": {"friends"}}, LongestVideoMs: 1000, Blocked: "It may not post.",
		Quota: &core.PostQuota{Used: 1, Limit: 2, Window: day}, ToldAt: told,
	}
	lasting := core.Facts{Choices: full.Choices, LongestVideoMs: full.LongestVideoMs, ToldAt: told}
	for name, c := range map[string]struct {
		due, now time.Duration // after the facts were told
		draft    bool
		want     core.Facts
	}{
		"now":                              {0, 0, false, full},
		"a draft":                          {0, time.Hour, true, full},
		"due when today's posts count":     {day, time.Hour, false, full},
		"due when they no longer count":    {day + time.Second, time.Hour, false, lasting},
		"read when they no longer count":   {0, day + time.Second, false, lasting},
		"a draft, read when they do not":   {0, day + time.Second, true, lasting},
		"a week old":                       {0, 7 * day, false, lasting},
		"more than a week old":             {0, 7*day + time.Second, false, core.Facts{}},
		"due in a month, told just before": {30 * day, 0, false, lasting},
	} {
		due := told.Add(c.due)
		if c.draft {
			due = time.Time{}
		}
		if got := full.OnlyValidFor(due, told.Add(c.now)); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := (core.Facts{}).OnlyValidFor(told, told); !reflect.DeepEqual(got, core.Facts{}) {
		t.Errorf("facts that were never told: %+v", got)
	}
}

func TestABlockedAccountKeepsWhatWasToldBefore(t *testing.T) {
	t.Parallel()
	earlier := core.Facts{
		Choices: map[string][]string{"audience": {"friends"}}, LongestVideoMs: 1000,
		Quota: &core.PostQuota{Used: 1, Limit: 2, Window: day},
	}
	blocked := core.Facts{Blocked: "It may not post."}.WithEarlierChoicesIfBlocked(earlier)
	if blocked.LongestVideoMs != 1000 || len(blocked.Choices) != 1 || blocked.Quota != nil || blocked.Blocked == "" {
		t.Errorf("blocked: %+v", blocked)
	}
	if free := (core.Facts{LongestVideoMs: 2000}).WithEarlierChoicesIfBlocked(earlier); free.Choices != nil || free.LongestVideoMs != 2000 {
		t.Errorf("no longer blocked: %+v", free)
	}
}

func TestAQuotaIsNearFromNinetyPercentOn(t *testing.T) {
	t.Parallel()
	for used, near := range map[int]bool{0: false, 89: false, 90: true, 100: true, 101: true} {
		if got := (core.PostQuota{Used: used, Limit: 100}).IsNearlyUsed(); got != near {
			t.Errorf("%d of 100: near %v", used, got)
		}
	}
}
