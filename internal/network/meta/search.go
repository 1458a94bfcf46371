package meta

import (
	"strings"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
)

// clockSlack is how far a network's clock may be behind ours.
const clockSlack = time.Minute

// SearchStart is from when on a search looks for what was armed at the time.
func SearchStart(armed time.Time) time.Time { return armed.Add(-clockSlack).Truncate(time.Second) }

// IsSameText compares a post's text with ours and forgives what a network does to the white space around it.
func IsSameText(a, b string) bool { return normalizeText(a) == normalizeText(b) }

func normalizeText(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")) }

// Time is an instant as Graph writes it: 2026-07-12T08:00:00+0000.
type Time struct{ time.Time }

// UnmarshalJSON reads Graph's form and RFC 3339; anything else is the zero instant.
func (t *Time) UnmarshalJSON(data []byte) error {
	text := strings.Trim(string(data), `"`)
	for _, layout := range []string{"2006-01-02T15:04:05-0700", time.RFC3339} {
		if at, err := time.Parse(layout, text); err == nil {
			t.Time = at
			return nil
		}
	}
	return nil
}

// Before tells whether the instant surely lies before another: one that could not be read may lie anywhere.
func (t Time) Before(other time.Time) bool { return !t.IsZero() && t.Time.Before(other) }

// StatusOfMatches is the status of a search that found these posts: Absent for none, the one that was found, or
// Ambiguous for several that nobody can tell apart.
func StatusOfMatches(found []network.Status) network.Status {
	switch len(found) {
	case 0:
		return network.Status{Verdict: core.Absent}
	case 1:
		found[0].Verdict = core.Done
		return found[0]
	}
	return network.Status{Verdict: core.Ambiguous, Message: "Several posts look like this one."}
}
