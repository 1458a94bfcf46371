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

// Names of the inputs on a post's page: FieldOutcome is OutcomeLive or OutcomeAbsent, and FieldLink the optional
// address of the live post. The form for rescheduling sends FieldAt and FieldZone.
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
	// Asking reports that the network is being asked whether it published the post: at AskAt, or now if that is zero.
	// Sending reports that the post is being published.
	Asking, Sending bool
	AskAt           time.Time
	Preparing       bool // the network works on what it was given
	Waiting         bool // another post of the account is published first
	Settings        []Setting
	// LiveURL is the address of the live post; empty if there is none.
	LiveURL string
	Files   []File
	// Mend reports that a failed post must be changed rather than sent again.
	Mend bool
	// NetworkSaid reports that the message of the post's error is the network's own.
	NetworkSaid bool
	// ProfileURL is the address of the account's profile on its network; empty if it is not known.
	ProfileURL string
	// Acts are the actions that the post's state and the person's role allow.
	Acts []core.Act
	// At is the value of the rescheduling form, YYYY-MM-DDTHH:mm, and WrongAt the error of this value.
	At, WrongAt string
	// Refused is why the last action failed.
	Refused *contract.Error
	// Poll is how often the page is polled; zero if nothing can change. See PollEvery.
	Poll time.Duration
}

// zoneCity returns the city in a zone's name: Berlin for Europe/Berlin.
func zoneCity(zone core.Zone) string {
	name := zone.Name()
	return strings.ReplaceAll(name[strings.LastIndex(name, "/")+1:], "_", " ")
}

// Setting is a setting for display.
type Setting struct{ Label, Value string }

func (m ShowModel) offers(a core.Act) bool { return slices.Contains(m.Acts, a) }

// Version changes if the page would look different. A reader who sends it with link.PostSince needs no new response
// until then.
func (m ShowModel) Version() string {
	post := m.Post
	return contentHash(post.StatusLine, post.UpdatedAt.UnixMilli(), len(m.Events), m.Poll, m.LiveURL, m.Acts, m.Sending)
}

// contentHash returns a short text that changes with its arguments.
func contentHash(shown ...any) string {
	sum := fnv.New64a()
	_, _ = fmt.Fprintf(sum, "%q", shown)
	return strconv.FormatUint(sum.Sum64(), 36)
}

// PollSoon is how often a page is polled while a change is imminent.
const PollSoon = 2 * time.Second

// PollEvery returns how often to poll a post: often while it is being published or about to be, less often while it
// waits or is long overdue, and never if nothing will change automatically.
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

// pollSoonFor is how long a post that is due counts as about to be published.
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
