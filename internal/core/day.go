package core

import "time"

// Span is the time from From until To, which is not part of it.
type Span struct{ From, To time.Time }

// CalendarSpan is a span of a calendar, and how many of its posts the calendar shows.
type CalendarSpan struct {
	Span
	Most int
}

// Hours returns when each hour of a day begins on the wall clock and, last, when the day ends. midnight is the day's
// midnight on the wall clock, written as UTC. An hour that a clock change skips begins when the next one does, and one
// that occurs twice lasts two hours.
func (z Zone) Hours(midnight time.Time) (starts [25]time.Time) {
	for h := range starts {
		starts[h] = z.firstAt(midnight.Add(time.Duration(h) * time.Hour))
	}
	return starts
}

// Day returns the time that a day takes. midnight is as for Hours.
func (z Zone) Day(midnight time.Time) Span {
	return Span{z.DayStart(midnight), z.DayStart(midnight.AddDate(0, 0, 1))}
}

// ClockChange returns how far the clocks are put forward on a day, negative if they are put back, or 0.
func (z Zone) ClockChange(midnight time.Time) time.Duration {
	day := z.Day(midnight)
	return 24*time.Hour - day.To.Sub(day.From)
}

// Today returns the midnight of an instant's day on the wall clock, written as UTC.
func (z Zone) Today(now time.Time) time.Time {
	return wallOf(now.In(z.Location())).Truncate(24 * time.Hour)
}
