package core

import "time"

// Shift moves the times of posts: by hours, by days on the calendar, or to a day at the same time of day. Only one of
// its fields is set.
type Shift struct {
	Hours int
	Days  int
	Day   time.Time // midnight of the day, written as UTC
}

// Bounds of a shift: no post can be scheduled further ahead.
const (
	maxShiftDays  = mostDaysAhead
	maxShiftHours = 24 * maxShiftDays
)

// Check returns invalid_request unless the shift is within its bounds and moves something.
func (s Shift) Check() error {
	switch {
	case s == Shift{}:
		return Invalid("shift", "With these values, the posts would not move.").WithHint("Enter a number other than 0, or a date.")
	case s.Days > maxShiftDays || s.Days < -maxShiftDays || s.Hours > maxShiftHours || s.Hours < -maxShiftHours:
		return Invalid("shift", "Posts can be moved by at most %d days.", maxShiftDays)
	}
	return nil
}

// CheckSpacing returns invalid_request unless posts can be scheduled one after another at this distance. The zero shift
// schedules all of them for the same time.
func (s Shift) CheckSpacing() error {
	if !s.Day.IsZero() || s.Days < 0 || s.Days > maxShiftDays || s.Hours < 0 || s.Hours > maxShiftHours {
		return Invalid("every", "The time between two posts must be 0 to %d days.", maxShiftDays).
			WithHint("Enter another number.")
	}
	return nil
}

// MultipliedBy returns the shift n times as far. It is for a shift by hours or days.
func (s Shift) MultipliedBy(n int) Shift { return Shift{Hours: n * s.Hours, Days: n * s.Days} }

// Apply returns the time after the shift, with the issues of that time. The time is zero if it is impossible, which the
// issues explain. A shift by days or to a day keeps the time of day in the zone, even across a clock change.
func (s Shift) Apply(at time.Time, zone Zone, now time.Time) (shiftedOrZero time.Time, issues []Issue) {
	if s.Hours != 0 {
		return When{Kind: WhenInstant, At: at.Add(time.Duration(s.Hours) * time.Hour)}.resolveWithoutWarnings(now)
	}
	wall := wallOf(at.In(zone.Location()))
	days := s.Days
	if !s.Day.IsZero() {
		days = int(s.Day.Sub(wall.Truncate(24*time.Hour)).Hours()) / 24
	}
	return When{Kind: WhenAt, Wall: wall.AddDate(0, 0, days), Zone: zone}.resolveWithoutWarnings(now)
}

func (w When) resolveWithoutWarnings(now time.Time) (atOrZero time.Time, issues []Issue) {
	at, issues, _ := w.Resolve(now)
	return at, issues
}
