package posts

import (
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
	Account, Network string // names
	Zone             core.Zone
	Events           []contract.Event
	NextTry          time.Time // zero when the worker will not try by itself
	Held             bool      // waits at the network until NextTry
	Settings         []Setting
	// LiveURL is where a browser finds the live post; empty while there is no such place.
	LiveURL string
	Can     Actions
	// At is the value of the form of another time, YYYY-MM-DDTHH:mm.
	At string
	// Refused is why the last act did not work.
	Refused *contract.Error
	// Poll is how often the page looks for news; zero when none can come. See PollEvery.
	Poll time.Duration
}

// Setting is a setting in words.
type Setting struct{ Label, Value string }

// Actions are the acts that the post's state and the person's role allow.
type Actions struct {
	Edit, Queue, SendNow, Cancel, Reschedule, Retry, Duplicate, Delete bool
	// Settle asks the person what they see at the network (outcome_unknown).
	Settle bool
}

// Version changes when the page of a post would show something else. A reader who names it with
// link.PostSince needs no new drawing.
func (m ShowModel) Version() string {
	link := "no"
	if m.LiveURL != "" {
		link = "with"
	}
	return strings.Join([]string{
		m.Post.Status, strconv.FormatInt(m.Post.UpdatedAt.UnixMilli(), 36), strconv.Itoa(len(m.Events)), m.Poll.String(), link,
	}, "-")
}

// PollSoon is how often a page looks for news of what is about to happen.
const PollSoon = 2 * time.Second

// PollEvery tells how often to look for news of a post: often while it is on its way or about to be,
// now and then while it waits, never when nothing will happen by itself.
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
	if next.Sub(now) < time.Minute {
		return PollSoon
	}
	return 20 * time.Second
}

func (m ShowModel) trigger() string { return "every " + m.Poll.String() }

type eventWord struct{ word, icon, tone string }

var eventWords = map[core.EventKind]eventWord{
	core.EventCreated:         {"Created", "plus", ""},
	core.EventQueued:          {"Queued", "clock", "info"},
	core.EventPublishing:      {"Publishing", "send", "info"},
	core.EventLive:            {"Live", "circle-check", "good"},
	core.EventFailed:          {"Failed", "circle-x", "danger"},
	core.EventRetried:         {"Sent again", "rotate-cw", "info"},
	core.EventCancelled:       {"Cancelled", "ban", ""},
	core.EventRescheduled:     {"Rescheduled", "calendar-clock", ""},
	core.EventRetriedByWorker: {"Next try", "rotate-cw", "warn"},
}

func wordOf(kind string) eventWord {
	if w, ok := eventWords[core.EventKind(kind)]; ok {
		return w
	}
	return eventWord{kind, "circle-dashed", ""}
}

var doors = map[string]string{"ui": "the dashboard", "api": "the API", "mcp": "an agent"}
