package core_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"belfry/internal/core"
)

// TestEveryClockChange compares Resolve, around every clock change of every zone from 2026 to 2028, with a
// table of what the clocks show minute by minute.
func TestEveryClockChange(t *testing.T) {
	t.Parallel()
	gaps, overlaps := 0, 0
	for name := range strings.FieldsSeq(zoneNames) {
		z := zone(t, name)
		for _, change := range clockChanges(z.Location()) {
			before, after := offset(change.Add(-time.Minute), z.Location()), offset(change, z.Location())
			if after > before {
				gaps++
			} else {
				overlaps++
			}
			checkClockChange(t, z, change, max(before, after)-min(before, after))
		}
	}
	t.Logf("%d gaps and %d overlaps", gaps, overlaps)
	if gaps < 500 || overlaps < 500 {
		t.Errorf("only %d gaps and %d overlaps: the zones are not all there", gaps, overlaps)
	}
}

func offset(at time.Time, location *time.Location) time.Duration {
	_, seconds := at.In(location).Zone()
	return time.Duration(seconds) * time.Second
}

// clockChanges lists the first minutes with a new offset.
func clockChanges(location *time.Location) []time.Time {
	var changes []time.Time
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for end := at.AddDate(3, 0, 0); at.Before(end); at = at.Add(6 * time.Hour) {
		before := offset(at, location)
		if offset(at.Add(6*time.Hour), location) == before {
			continue
		}
		minute := at
		for offset(minute, location) == before {
			minute = minute.Add(time.Minute)
		}
		changes = append(changes, minute)
	}
	return changes
}

// checkClockChange asks for every wall time from two hours before the change to two hours after, in
// steps of five minutes and at each border.
func checkClockChange(t *testing.T, z core.Zone, change time.Time, size time.Duration) {
	t.Helper()
	shownAt := map[time.Time][]time.Time{} // by wall time, written as UTC
	reach := size + 4*time.Hour
	for at := change.Add(-reach); at.Before(change.Add(reach)); at = at.Add(time.Minute) {
		wall := at.Add(offset(at, z.Location()))
		shownAt[wall] = append(shownAt[wall], at)
	}
	middle := change.Add(offset(change.Add(-time.Minute), z.Location()))
	for wall := middle.Add(-size - 2*time.Hour); wall.Before(middle.Add(size +
		2*time.Hour)); wall = wall.Add(time.Minute) {
		atBorder := len(shownAt[wall]) != len(shownAt[wall.Add(-time.Minute)]) ||
			len(shownAt[wall]) != len(shownAt[wall.Add(time.Minute)])
		if wall.Minute()%5 != 0 && !atBorder {
			continue
		}
		at, issues, warnings := (core.When{Kind: core.WhenAt, Wall: wall, Zone: z}).Resolve(change.Add(-24 * time.Hour))
		name := fmt.Sprintf("%s %s", z.Name(), wall.Format(wallForm))
		switch instants := shownAt[wall]; len(instants) {
		case 0:
			checkGap(t, name, wall, shownAt, at, issues)
		case 1:
			if !at.Equal(instants[0]) || len(issues)+len(warnings) != 0 {
				t.Errorf("%s is %s with %v, %v; want %s", name, at, issues, warnings, instants[0])
			}
		default:
			if !at.Equal(instants[0]) || len(issues) != 0 {
				t.Errorf("%s is %s with %v; want the first, %s", name, at, issues, instants[0])
			}
			expectIssue(t, name, warnings, "time_occurs_twice")
		}
	}
}

func checkGap(t *testing.T, name string, wall time.Time, shownAt map[time.Time][]time.Time, at time.Time,
	issues []core.Issue,
) {
	t.Helper()
	if !at.IsZero() {
		t.Errorf("%s does not exist and is %s", name, at)
	}
	expectIssue(t, name, issues, "time_does_not_exist")
	before, after := wall, wall
	for len(shownAt[before]) == 0 {
		before = before.Add(-time.Minute)
	}
	for len(shownAt[after]) == 0 {
		after = after.Add(time.Minute)
	}
	hint := fmt.Sprintf("The clocks go forward at that time. The nearest times are %s and %s.", before.Format("15:04"),
		after.Format("15:04"))
	if len(issues) == 1 && issues[0].Hint != hint {
		t.Errorf("%s: hint %q, want %q", name, issues[0].Hint, hint)
	}
}
