package core_test

import (
	"testing"
	"time"

	"belfry/internal/core"
)

func TestAShiftKeepsTheTimeOfDay(t *testing.T) {
	t.Parallel()
	berlin, err := core.ParseZone("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	local := func(s string) time.Time {
		at, err := time.ParseInLocation("2006-01-02 15:04", s, berlin.Location())
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	now := local("2026-10-20 12:00")
	day := time.Date(2026, 10, 26, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		from  string
		by    core.Shift
		want  string
		issue core.IssueCode
	}{
		"a day later":                    {"2026-10-22 09:30", core.Shift{Days: 1}, "2026-10-23 09:30", ""},
		"across the end of summer time":  {"2026-10-24 09:30", core.Shift{Days: 1}, "2026-10-25 09:30", ""},
		"a week earlier, into the past":  {"2026-10-24 09:30", core.Shift{Days: -7}, "2026-10-17 09:30", "time_in_past"},
		"to a day":                       {"2026-10-22 23:45", core.Shift{Day: day}, "2026-10-26 23:45", ""},
		"to an earlier day":              {"2026-11-02 00:15", core.Shift{Day: day}, "2026-10-26 00:15", ""},
		"hours across the clock change":  {"2026-10-24 23:00", core.Shift{Hours: 6}, "2026-10-25 04:00", ""},
		"onto a time that is left out":   {"2027-03-27 02:30", core.Shift{Days: 1}, "", "time_does_not_exist"},
		"further ahead than can be kept": {"2026-10-24 09:30", core.Shift{Days: 366}, "2027-10-25 09:30", "time_too_far"},
	} {
		at, issues := c.by.Apply(local(c.from), berlin, now)
		if c.want != "" && !at.Equal(local(c.want)) {
			t.Errorf("%s: %s, want %s", name, at.In(berlin.Location()), c.want)
		}
		var got core.IssueCode
		if len(issues) > 0 {
			got = issues[0].Code
		}
		if got != c.issue {
			t.Errorf("%s: issue %q, want %q", name, got, c.issue)
		}
	}
}

func TestAShiftHasBounds(t *testing.T) {
	t.Parallel()
	for _, s := range []core.Shift{{}, {Days: 367}, {Days: -367}, {Hours: 1 << 40}} {
		if s.Check() == nil {
			t.Errorf("%+v is allowed", s)
		}
	}
	if err := (core.Shift{Days: -1}).Check(); err != nil {
		t.Error(err)
	}
}
