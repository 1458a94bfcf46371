package calendar

import (
	"strings"
	"testing"
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
