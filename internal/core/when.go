package core

import (
	"errors"
	"strings"
	"time"
)

// WhenKind is one of the forms of `when` (Spec §4, POST /posts).
type WhenKind int

// Forms of when.
const (
	WhenDraft WhenKind = iota
	WhenNow
	WhenAt
	WhenInstant
)

// When is the requested time: none, now, an instant, or a local time in a zone.
type When struct {
	Kind WhenKind
	Wall time.Time     // the wall clock's reading, written as UTC; set for WhenAt
	Zone Zone          // the zone of Wall or At; for the other kinds the workspace's
	At   time.Time     // set for WhenInstant
	Hold time.Duration // how long after now; for WhenNow
}

// Limits of a requested time (decisions.md, Posts).
const (
	pastTolerance = 60 * time.Second
	mostDaysAhead = 366
	lastYear      = 9999 // the last year of RFC 3339, the format of instants in responses; the first is 0
)

// LongestAhead is the longest time before a post is due at which a worker begins to prepare it.
const LongestAhead = 24 * time.Hour

const wallLayout = "2006-01-02T15:04"

// ParseWhen parses `when`: keyword is its string form, and wallTime and zoneName are the fields of its object form. The
// zone defaults to the workspace's.
func ParseWhen(keyword, wallTime, zoneName string, workspaceZone Zone) (When, error) {
	switch {
	case keyword == "now":
		return When{Kind: WhenNow, Zone: workspaceZone}, nil
	case keyword == "draft":
		return When{Kind: WhenDraft, Zone: workspaceZone}, nil
	case keyword != "":
		return When{}, Invalid("when", "%q is not a valid time.", keyword).
			WithHint("Use \"now\", \"draft\" or {\"publishAt\": \"YYYY-MM-DDTHH:mm\", \"timezone\": \"Europe/Berlin\"}.")
	}
	wall, err := time.Parse(wallLayout, wallTime)
	if wrong, ok := errors.AsType[*time.ParseError](err); ok && strings.HasSuffix(wrong.Message, "out of range") {
		return When{}, Invalid("when.publishAt", "%q is not a valid date and time%s.", wallTime, wrong.Message).WithCause(err)
	}
	if err != nil || wall.Format(wallLayout) != wallTime {
		return When{}, Invalid("when.publishAt", "%q is not a local date and time.", wallTime).
			WithHint("Use the form YYYY-MM-DDTHH:mm, without an offset.")
	}
	zone := workspaceZone
	if zoneName != "" {
		if zone, err = ParseZone(zoneName); err != nil {
			return When{}, PrefixPaths("when.timezone", err)
		}
	}
	return When{Kind: WhenAt, Wall: wall, Zone: zone}, nil
}

// Resolve converts the requested time to an instant. The instant is zero for a draft without a time, and for an
// impossible time, which the issues explain.
func (w When) Resolve(now time.Time) (atOrZero time.Time, issues, warnings []Issue) {
	switch w.Kind {
	case WhenDraft:
		return time.Time{}, nil, nil
	case WhenNow:
		return now.Add(w.Hold), nil, nil
	case WhenInstant:
		return w.At, checkTimeBounds(w.At, now), nil
	}
	instants := w.Zone.instantsOf(w.Wall)
	if len(instants) == 0 {
		before, after := w.Zone.clockGap(w.Wall)
		skipped := IssueTimeDoesNotExist.WithoutNetwork(w.Zone.Name(), before.Format("15:04"), after.Format("15:04"))
		return time.Time{}, []Issue{skipped}, nil
	}
	at := instants[0]
	issues = checkTimeBounds(at, now)
	if len(instants) > 1 {
		WarnTimeOccursTwice.AppendTo(&issues, &warnings, "", w.Zone.FormatTime(at))
	}
	if y := at.UTC().Year(); y < 0 || y > lastYear {
		at = time.Time{}
	}
	return at, issues, warnings
}

func checkTimeBounds(at, now time.Time) []Issue {
	switch {
	case at.Before(now.Add(-pastTolerance)):
		return []Issue{IssueTimeInPast.WithoutNetwork()}
	case at.After(now.Add(mostDaysAhead * 24 * time.Hour)):
		return []Issue{IssueTimeTooFar.WithoutNetwork()}
	}
	return nil
}

// CheckRequiredTime returns the issues of a time that was set earlier for a draft. The zero time is also an issue.
func CheckRequiredTime(at, now time.Time) []Issue {
	if at.IsZero() {
		return []Issue{IssueTimeRequired.WithoutNetwork()}
	}
	return checkTimeBounds(at, now)
}
