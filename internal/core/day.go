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
// lasts from bounds[h] to bounds[h+1]. wall is any time of the day, as the clock of its own location shows it. An hour
// that a clock change skips begins at the same instant as the hour after it, and an hour that occurs twice lasts two
// hours.
func (z Zone) HourBounds(wall time.Time) (bounds [25]time.Time) {
	midnight := wallMidnightOf(wall)
	for h := range bounds {
		bounds[h] = z.firstInstantAtOrAfter(midnight.Add(time.Duration(h) * time.Hour))
	}
	return bounds
}

// DaySpan returns the span of a day. wall is as for HourBounds.
func (z Zone) DaySpan(wall time.Time) Span {
	midnight := wallMidnightOf(wall)
	return Span{z.DayStart(midnight), z.DayStart(midnight.AddDate(0, 0, 1))}
}

// ClockChange returns how far the clocks go forward on a day: negative if they go back, and 0 if they do not change.
// wall is as for HourBounds.
func (z Zone) ClockChange(wall time.Time) (forward time.Duration) {
	day := z.DaySpan(wall)
	return 24*time.Hour - day.To.Sub(day.From)
}

// Today returns the midnight at which the current day begins on the wall clock, written as UTC.
func (z Zone) Today(now time.Time) (wallMidnight time.Time) {
	return wallMidnightOf(now.In(z.Location()))
}

// wallMidnightOf returns the midnight before a wall clock reading, written as UTC.
func wallMidnightOf(wall time.Time) time.Time { return wallOf(wall).Truncate(24 * time.Hour) }
