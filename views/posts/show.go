package posts

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/views/layout"
)

// Inputs of the forms on a post's page: FieldOutcome is OutcomeLive or OutcomeAbsent, FieldLink the
// optional address of the live post. The form of another time sends FieldAt and FieldZone.
const (
	FieldOutcome  = "outcome"
	FieldLink     = "url"
	OutcomeLive   = "live"
	OutcomeAbsent = "absent"
)

// ShowModel is a post's page.
type ShowModel struct {
	Frame            layout.Frame
	Post             contract.Post
	Revision         string    // for the forms on the page
	Account, Network string    // names
	Zone             core.Zone // the workspace's
	PostZone         core.Zone // by which the post's time is told and asked for
	Events           []contract.Event
	NextTry          time.Time // zero when the worker will not try by itself
	Held             bool      // waits at the network until NextTry
	// Asking tells that the network is asked whether it took the post: at AskAt, or now where that is zero;
	// Sending that it is being sent right now.
	Asking, Sending bool
	AskAt           time.Time
	Preparing       bool // the network works on what it was given
	Settings        []Setting
	// LiveURL is where a browser finds the live post; empty while there is no such place.
	LiveURL string
	Files   []File
	// Mend tells that a failed post is to be changed rather than sent again as it is.
	Mend bool
	// NetworkSaid tells that the message of the post's error is the network's own words.
	NetworkSaid bool
	// ProfileURL is where a browser finds the account at the network; empty where that is not known.
	ProfileURL string
	// Acts are what is offered: what the post's state and the person's role allow.
	Acts []core.Act
	// At is the value of the form of another time, YYYY-MM-DDTHH:mm; WrongAt what is wrong with it.
	At, WrongAt string
	// Refused is why the last act did not work.
	Refused *contract.Error
	// Poll is how often the page looks for news; zero when none can come. See PollEvery.
	Poll time.Duration
}

// zoneCity is the place that a zone is named for: Berlin for Europe/Berlin.
func zoneCity(zone core.Zone) string {
	name := zone.Name()
	return strings.ReplaceAll(name[strings.LastIndex(name, "/")+1:], "_", " ")
}

// Setting is a setting in words.
type Setting struct{ Label, Value string }

func (m ShowModel) offers(a core.Act) bool { return slices.Contains(m.Acts, a) }

// Version changes when the page of a post would show something else. A reader who names it with
// link.PostSince needs no new drawing.
func (m ShowModel) Version() string {
	post := m.Post
	return contentHash(post.StatusLine, post.UpdatedAt.UnixMilli(), len(m.Events), m.Poll, m.LiveURL, m.Acts, m.Sending)
}

// contentHash is a short text that changes with what it is given.
func contentHash(shown ...any) string {
	sum := fnv.New64a()
	_, _ = fmt.Fprintf(sum, "%q", shown)
	return strconv.FormatUint(sum.Sum64(), 36)
}

// PollSoon is how often a page looks for news of what is about to happen.
const PollSoon = 2 * time.Second

// PollEvery tells how often to look for news of a post: often while it is on its way or about to be,
// now and then while it waits or is long overdue, never when nothing will happen by itself.
func PollEvery(status string, due, nextTry, now time.Time) time.Duration {
	next := nextTry
	if next.IsZero() {
		next = due
	}
	switch {
	case status == string(core.PostQueued):
	case status == string(core.PostFailed) && !nextTry.IsZero():
	default:
		return 0
	}
	if wait := next.Sub(now); wait < time.Minute && wait > -pollSoonFor {
		return PollSoon
	}
	return 20 * time.Second
}

// pollSoonFor is how long news of a post that is due is looked for as something about to come.
const pollSoonFor = 10 * time.Minute

func (m ShowModel) pollTrigger() string { return "every " + m.Poll.String() }

type eventLabel struct{ text, icon, tone string }

var eventLabels = map[core.EventKind]eventLabel{
	core.EventCreated:         {"Created", "plus", ""},
	core.EventQueued:          {"Queued", "clock", "info"},
	core.EventPublishing:      {"Publishing", "send", "info"},
	core.EventLive:            {"Live", "circle-check", "good"},
	core.EventFailed:          {"Failed", "circle-x", "danger"},
	core.EventRetried:         {"Retried", "rotate-cw", "info"},
	core.EventCancelled:       {"Cancelled", "ban", ""},
	core.EventRescheduled:     {"Rescheduled", "calendar-clock", ""},
	core.EventRetriedByWorker: {"Next try", "rotate-cw", "warn"},
}

func labelOf(kind string) eventLabel {
	if w, ok := eventLabels[core.EventKind(kind)]; ok {
		return w
	}
	return eventLabel{kind, "circle-dashed", ""}
}

var createdFrom = map[string]string{"ui": "Dashboard", "api": "API", "mcp": "Agent"}
