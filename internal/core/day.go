package core

import "time"

// Span is the time from From up to, but not including, To.
type Span struct{ From, To time.Time }

// CalendarSpan is a span of a calendar, with the number of posts to show in it.
type CalendarSpan struct {
	Span
	Limit int
}

// HourBounds returns when each of the 24 hours of a day begins on the wall clock and, last, when the day ends. Hour h
// lasts from bounds[h] to bounds[h+1]. wallMidnight is the day's midnight on the wall clock, written as UTC. An hour
// that a clock change skips begins at the same instant as the hour after it, and an hour that occurs twice lasts two
// hours.
func (z Zone) HourBounds(wallMidnight time.Time) (bounds [25]time.Time) {
	for h := range bounds {
		bounds[h] = z.firstInstantAtOrAfter(wallMidnight.Add(time.Duration(h) * time.Hour))
	}
	return bounds
}

// DaySpan returns the span of a day. wallMidnight is as for HourBounds.
func (z Zone) DaySpan(wallMidnight time.Time) Span {
	return Span{z.DayStart(wallMidnight), z.DayStart(wallMidnight.AddDate(0, 0, 1))}
}

// ClockChange returns how far the clocks go forward on a day: negative if they go back, and 0 if they do not change.
// wallMidnight is as for HourBounds.
func (z Zone) ClockChange(wallMidnight time.Time) (forward time.Duration) {
	day := z.DaySpan(wallMidnight)
	return 24*time.Hour - day.To.Sub(day.From)
}

// Today returns the midnight at which the current day begins on the wall clock, written as UTC.
func (z Zone) Today(now time.Time) (wallMidnight time.Time) {
	return wallOf(now.In(z.Location())).Truncate(24 * time.Hour)
}
