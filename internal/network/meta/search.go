package meta

import (
	"strings"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
)

// clockSlack is how far a network's clock may be behind ours.
const clockSlack = time.Minute

// SearchStart returns the time from which to search for a post that was armed at the given time.
func SearchStart(armedAt time.Time) time.Time { return armedAt.Add(-clockSlack).Truncate(time.Second) }

// storyLife is how long the networks list a Story, less a margin for differences between clocks.
const storyLife = 24*time.Hour - 10*time.Minute

// AreStoriesListed reports whether the networks still list all Stories since an arm at the given time. Later, the list
// does not prove that there was none.
func AreStoriesListed(armedAt, now time.Time) bool { return now.Sub(armedAt) < storyLife }

// IsSameText reports whether two texts are equal, apart from surrounding white space and the form of line breaks.
func IsSameText(a, b string) bool { return trimAndConvertCRLF(a) == trimAndConvertCRLF(b) }

func trimAndConvertCRLF(s string) string {
	return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n"))
}

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

// Before reports whether the instant is certainly before another. An instant that could not be parsed never is.
func (t Time) Before(other time.Time) bool { return !t.IsZero() && t.Time.Before(other) }

// StatusOfMatches returns the status of a search that found these posts: Absent for none, Done for one, or Ambiguous
// for several. fingerprint is what these posts have in common and other people's posts do not, such as the text.
// Without a fingerprint, a single match is Ambiguous too: a person may have published it.
func StatusOfMatches(found []network.Status, fingerprint string) network.Status {
	switch {
	case len(found) == 0:
		return network.Status{Verdict: core.Absent}
	case len(found) > 1:
		return network.Status{Verdict: core.Ambiguous, Message: "Several posts look like this one."}
	case IsSameText(fingerprint, ""):
		return network.Status{Verdict: core.Ambiguous, Message: "The account has a post that could be this one."}
	}
	found[0].Verdict = core.Done
	return found[0]
}
