package calendar

import (
	"strings"
	"testing"
	"time"
)

// A phone showed one dot for several posts.
func TestADayHasADotPerPostOrTheirNumber(t *testing.T) {
	t.Parallel()
	post := func(status string, count int) Post { return Post{Status: status, Count: count} }
	for want, day := range map[string]Day{
		"":                   {},
		"queued":             {Total: 1, Posts: []Post{post("queued", 1)}},
		"queued queued":      {Total: 2, Posts: []Post{post("queued", 2)}},
		"live queued queued": {Total: 3, Posts: []Post{post("live", 1), post("queued", 2)}},
		"queued 4":           {Total: 4, Posts: []Post{post("queued", 4)}},
		"failed live draft 12": {
			Total: 12, HasFailed: true, Posts: []Post{post("live", 1), post("live", 1), post("failed", 1), post("draft", 1)},
		},
		// The failed post is not among the first posts of the day.
		"failed live 99+": {Total: 5000, HasFailed: true, Posts: []Post{post("live", 1), post("live", 1)}},
		"failed live queued replaced 12": {
			Total: 12, HasFailed: true, Posts: []Post{post("live", 1), post("queued", 1), post("replaced", 1), post("draft", 1)},
		},
	} {
		got := strings.TrimSpace(strings.Join(day.dotStates(), " ") + " " + day.totalBesideDotsOrEmpty())
		if got != want {
			t.Errorf("want %q, got %q", want, got)
		}
	}
}

// A phone broke "28 November–25 December 2026" inside a date.
func TestASpanOfDaysBreaksOnlyBetweenWholeDates(t *testing.T) {
	t.Parallel()
	for _, days := range [][3]string{
		{"2026-11-23", "2026-11-29", "23–\u206029\u00a0November\u00a02026"},
		{"2026-11-28", "2026-12-25", "28\u00a0November–25\u00a0December\u00a02026"},
		{"2026-12-28", "2027-01-03", "28\u00a0December\u00a02026–3\u00a0January\u00a02027"},
	} {
		first, _ := time.Parse(time.DateOnly, days[0])
		last, _ := time.Parse(time.DateOnly, days[1])
		if got := formatDaySpan(first, last); got != days[2] {
			t.Errorf("want %q, got %q", days[2], got)
		}
	}
}
