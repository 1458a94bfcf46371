package core_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"belfry/internal/core"
)

const wallForm = "2006-01-02T15:04"

func TestParseWhen(t *testing.T) {
	t.Parallel()
	berlin := zone(t, "Europe/Berlin")
	for name, c := range map[string]struct {
		word, wall, zone string
		kind             core.WhenKind
		inZone           string
	}{
		"now":   {word: "now", kind: core.WhenNow, inZone: "Europe/Berlin"},
		"draft": {word: "draft", kind: core.WhenDraft, inZone: "Europe/Berlin"},
		"a time in a zone": {
			wall: "2026-10-05T09:30", zone: "Asia/Tokyo", kind: core.WhenAt,
			inZone: "Asia/Tokyo",
		},
		"a time in the workspace zone":  {wall: "2026-10-05T09:30", kind: core.WhenAt, inZone: "Europe/Berlin"},
		"a leap day":                    {wall: "2028-02-29T23:59", kind: core.WhenAt, inZone: "Europe/Berlin"},
		"midnight at the year's border": {wall: "2027-01-01T00:00", kind: core.WhenAt, inZone: "Europe/Berlin"},
	} {
		w, err := core.ParseWhen(c.word, c.wall, c.zone, berlin)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if w.Kind != c.kind || w.Zone.Name() != c.inZone {
			t.Errorf("%s: %+v", name, w)
		}
		if c.wall != "" && w.Wall.Format(wallForm) != c.wall {
			t.Errorf("%s: wall time %s", name, w.Wall)
		}
	}
}

func TestParseWhenRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ word, wall, zone string }{
		"nothing":               {},
		"another word":          {word: "tomorrow"},
		"a word in capitals":    {word: "NOW"},
		"a date":                {wall: "2026-10-05"},
		"seconds":               {wall: "2026-10-05T09:30:00"},
		"an offset":             {wall: "2026-10-05T09:30+02:00"},
		"a Z":                   {wall: "2026-10-05T09:30Z"},
		"a space for the T":     {wall: "2026-10-05 09:30"},
		"a small t":             {wall: "2026-10-05t09:30"},
		"one digit":             {wall: "2026-10-5T09:30"},
		"an hour of one digit":  {wall: "2026-10-05T9:30"},
		"hour 24":               {wall: "2026-10-05T24:00"},
		"minute 60":             {wall: "2026-10-05T09:60"},
		"no such day":           {wall: "2026-02-30T09:30"},
		"no leap year":          {wall: "2026-02-29T09:30"},
		"month 13":              {wall: "2026-13-01T09:30"},
		"five digits of a year": {wall: "12026-10-05T09:30"},
		"two digits of a year":  {wall: "26-10-05T09:30"},
		"a space in front":      {wall: " 2026-10-05T09:30"},
		"wide digits":           {wall: "２０２６-10-05T09:30"},
		"an unknown zone":       {wall: "2026-10-05T09:30", zone: "Europe/Atlantis"},
		"the machine's zone":    {wall: "2026-10-05T09:30", zone: "Local"},
	} {
		w, err := core.ParseWhen(c.word, c.wall, c.zone, core.Zone{})
		if core.CodeOf(err) != core.CodeInvalidRequest {
			t.Errorf("%s: %+v, %v", name, w, err)
		}
		e := core.ErrorOrInternal(err)
		if e.Hint == "" && e.Path == "" {
			t.Errorf("%s: refused with neither a hint nor a path", name)
		}
		if odd := strings.Contains(e.Message, "out of range"); odd != strings.Contains("hour 24, minute 60, no such day, no leap year, month 13", name) {
			t.Errorf("%s: refused with %q", name, e.Message)
		}
	}
}

func TestResolveKeepsToItsBounds(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 10, 5, 12, 0, 30, 0, time.UTC)
	for wall, want := range map[string]string{
		"2026-10-05T11:59": "time_in_past", // 90 s ago
		"2026-10-05T12:00": "",             // 30 s ago
		"2026-10-05T12:01": "",
		"2027-10-06T12:00": "", // 366 days less 30 s
		"2027-10-06T12:01": "time_too_far",
		"1970-01-01T00:00": "time_in_past",
		"9999-12-31T23:59": "time_too_far",
	} {
		w, err := core.ParseWhen("", wall, "UTC", core.Zone{})
		if err != nil {
			t.Fatal(err)
		}
		at, issues, warnings := w.Resolve(now)
		if at.Format(wallForm) != wall || len(warnings) != 0 {
			t.Errorf("%s: %s, warnings %v", wall, at, warnings)
		}
		expectIssue(t, wall, issues, want)
		expectIssue(t, wall+" of a draft", core.CheckRequiredTime(at, now), want)
	}
	expectIssue(t, "a draft without a time", core.CheckRequiredTime(time.Time{}, now), "time_required")
}

// RFC 3339, in which answers write times, knows the years 0 to 9999.
func TestATimeThatNoAnswerCanSpellIsNone(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 10, 5, 12, 0, 30, 0, time.UTC)
	for _, c := range []struct{ wall, zone, want string }{
		{"0000-01-01T00:00", "Etc/GMT-14", "time_in_past"},
		{"9999-12-31T23:59", "Etc/GMT+12", "time_too_far"},
	} {
		w, err := core.ParseWhen("", c.wall, c.zone, core.Zone{})
		if err != nil {
			t.Fatal(err)
		}
		at, issues, _ := w.Resolve(now)
		if !at.IsZero() {
			t.Errorf("%s in %s is %s", c.wall, c.zone, at.UTC())
		}
		expectIssue(t, c.wall, issues, c.want)
	}
}

func TestResolveOfNowAndDraft(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 10, 5, 12, 0, 30, 0, time.UTC)
	if at, issues, _ := (core.When{Kind: core.WhenNow}).Resolve(now); !at.Equal(now) || len(issues) != 0 {
		t.Errorf("now: %s %v", at, issues)
	}
	if at, issues, _ := (core.When{Kind: core.WhenDraft}).Resolve(now); !at.IsZero() || len(issues) != 0 {
		t.Errorf("draft: %s %v", at, issues)
	}
}

func expectIssue(t *testing.T, name string, issues []core.Issue, want string) {
	t.Helper()
	switch {
	case want == "" && len(issues) == 0:
	case want != "" && len(issues) == 1 && string(issues[0].Code) == want:
	default:
		t.Errorf("%s: %+v, want %q", name, issues, want)
	}
}

func TestClocksGoForward(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	w, err := core.ParseWhen("", "2026-03-29T02:30", "Europe/Berlin", core.Zone{})
	if err != nil {
		t.Fatal(err)
	}
	at, issues, warnings := w.Resolve(now)
	if !at.IsZero() || len(warnings) != 0 {
		t.Errorf("a time that is not gives %s, %v", at, warnings)
	}
	expectIssue(t, "02:30", issues, "time_does_not_exist")
	if want := "The clocks go forward at that time. The nearest times are 01:59 and 03:00."; len(issues) == 1 &&
		issues[0].Hint != want {
		t.Errorf("hint %q, want %q", issues[0].Hint, want)
	}
}

func TestClocksGoBack(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	w, err := core.ParseWhen("", "2026-10-25T02:30", "Europe/Berlin", core.Zone{})
	if err != nil {
		t.Fatal(err)
	}
	at, issues, warnings := w.Resolve(now)
	if want := time.Date(2026, 10, 25, 0, 30, 0, 0, time.UTC); !at.Equal(want) || len(issues) != 0 {
		t.Errorf("02:30 is %s, %v; want %s", at, issues, want)
	}
	expectIssue(t, "02:30", warnings, "time_occurs_twice")
	if want := "Belfry uses the first of the two times: Sun 25 Oct 2026, 02:30 CEST (Europe/Berlin)."; len(warnings) == 1 &&
		warnings[0].Hint != want {
		t.Errorf("hint %q, want %q", warnings[0].Hint, want)
	}
}

func FuzzWhen(f *testing.F) {
	f.Add("", "2026-03-29T02:30", "Europe/Berlin", int64(86_400))
	f.Add("now", "", "", int64(0))
	f.Add("", "0000-01-01T00:00", "Africa/Monrovia", int64(366*86_400))
	f.Add("", "9999-12-31T23:59", "Pacific/Apia", int64(1<<40))
	f.Add("", "2026-10-25T02:30", "Europe/Berlin", int64(-60))
	f.Add("", "2011-12-30T12:00", "Pacific/Apia", int64(0)) // a day that was left out
	f.Fuzz(func(t *testing.T, word, wall, zoneName string, ahead int64) {
		w, err := core.ParseWhen(word, wall, zoneName, core.Zone{})
		if err != nil {
			if core.CodeOf(err) != core.CodeInvalidRequest {
				t.Errorf("refused with %v", err)
			}
			return
		}
		at, _, _ := w.Resolve(time.Unix(0, 0).UTC())
		now := time.Unix(at.Unix()-ahead%(1<<40), 0).UTC()
		at, issues, _ := w.Resolve(now)
		if w.Kind != core.WhenAt {
			return
		}
		if at.IsZero() {
			expectIssue(t, wall, issues, "time_does_not_exist")
			return
		}
		if shown := at.In(w.Zone.Location()).Format(wallForm); shown != wall {
			t.Errorf("%s in %s resolves to %s, when clocks there show %s", wall, w.Zone.Name(), at.UTC(), shown)
		}
		want := ""
		switch {
		case at.Before(now.Add(-time.Minute)):
			want = "time_in_past"
		case at.After(now.AddDate(0, 0, 366)):
			want = "time_too_far"
		}
		expectIssue(t, fmt.Sprintf("%s at %s", at, now), issues, want)
	})
}
