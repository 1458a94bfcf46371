package core_test

import (
	"strings"
	"testing"
	"time"
)

func midnight(t *testing.T, date string) time.Time {
	t.Helper()
	day, err := time.Parse(time.DateOnly, date)
	if err != nil {
		t.Fatal(err)
	}
	return day
}

func TestHoursOfDaysWithAClockChange(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		zone, date string
		change     time.Duration
		hour       int           // on the wall clock
		lasts      time.Duration // that hour
	}{
		{"Europe/Berlin", "2026-03-28", 0, 2, time.Hour},
		{"Europe/Berlin", "2026-03-29", time.Hour, 2, 0},
		{"Europe/Berlin", "2026-10-25", -time.Hour, 2, 2 * time.Hour},
		{"America/New_York", "2026-11-01", -time.Hour, 1, 2 * time.Hour},
		{"Australia/Lord_Howe", "2026-10-04", 30 * time.Minute, 2, 30 * time.Minute},
		{"Australia/Lord_Howe", "2026-04-05", -30 * time.Minute, 1, 90 * time.Minute},
		{"Africa/Cairo", "2026-04-24", time.Hour, 0, 0},
		{"Pacific/Apia", "2011-12-30", 24 * time.Hour, 12, 0},
	} {
		z, day := zone(t, test.zone), midnight(t, test.date)
		if got := z.ClockChange(day); got != test.change {
			t.Errorf("%s, %s: the clocks change by %s, want %s", test.zone, test.date, got, test.change)
		}
		bounds := z.HourBounds(day)
		if got := bounds[test.hour+1].Sub(bounds[test.hour]); got != test.lasts {
			t.Errorf("%s, %s: hour %d lasts %s, want %s", test.zone, test.date, test.hour, got, test.lasts)
		}
	}
}

// Noon in New York and the first second of the day in Cairo, where clocks skip the midnight, stand for the same day.
func TestADayCanBeGivenAsAnyOfItsTimesInAnyLocation(t *testing.T) {
	t.Parallel()
	z, day := zone(t, "Europe/Berlin"), midnight(t, "2026-04-24")
	for _, wall := range []time.Time{
		time.Date(2026, 4, 24, 12, 0, 0, 0, zone(t, "America/New_York").Location()),
		time.Date(2026, 4, 24, 1, 0, 0, 0, zone(t, "Africa/Cairo").Location()),
		time.Date(2026, 4, 24, 23, 59, 59, 0, zone(t, "Pacific/Kiritimati").Location()),
	} {
		if got, want := z.DaySpan(wall), z.DaySpan(day); got != want {
			t.Errorf("the day of %s is %v, want %v", wall, got, want)
		}
		if got, want := z.DayStart(wall), z.DayStart(day); got != want {
			t.Errorf("the day of %s begins at %s, want %s", wall, got, want)
		}
		if got, want := z.HourBounds(wall), z.HourBounds(day); got != want {
			t.Errorf("the hours of %s begin at %v, want %v", wall, got, want)
		}
	}
}

// Each instant of a day lies in the hour that the wall clock shows. Where the clocks go back from within an hour, or by
// two, an hour's second part lies in the next.
func TestHoursOfADayFollowTheWallClockInEveryZone(t *testing.T) {
	t.Parallel()
	for name := range strings.FieldsSeq(zoneNames) {
		z := zone(t, name)
		for day := midnight(t, "2026-01-01"); day.Year() == 2026; day = day.AddDate(0, 0, 1) {
			span := z.DaySpan(day)
			if got := z.Today(span.From.Add(12 * time.Hour)); !got.Equal(day) {
				t.Fatalf("%s: noon of %s is on %s", name, day.Format(time.DateOnly), got.Format(time.DateOnly))
			}
			if z.ClockChange(day) == 0 {
				continue
			}
			bounds := z.HourBounds(day)
			if !bounds[0].Equal(span.From) || !bounds[24].Equal(span.To) {
				t.Fatalf("%s, %s: hours from %s to %s", name, day.Format(time.DateOnly), bounds[0], bounds[24])
			}
			for h := range 24 {
				for at := bounds[h]; at.Before(bounds[h+1]); at = at.Add(15 * time.Minute) {
					if got := at.In(z.Location()).Hour(); got != h && (got != h-1 || z.ClockChange(day) > 0) {
						t.Errorf("%s: %s lies in hour %d, but the clock shows %d", name, at, h, got)
					}
				}
			}
		}
	}
}
