package posts

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/views/layout"
	"belfry/views/ui"
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
	Avatar           string    // the path of the account's picture; "" without one
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
	// Preview draws the post as its network shows it; nil if the network is not known.
	Preview templ.Component
	// PrepareAt is when the network gets the post ahead of its time; zero if it does not, or has it.
	PrepareAt time.Time
	// OnHold is why nothing is published, in words that continue a sentence; empty if posts are published.
	OnHold string
	// AccountTrouble says that the account cannot be published to; empty if it can. Reconnect is where the person
	// renews its connection; empty if they may not, or need not.
	AccountTrouble, Reconnect string
	// AwaitsLink reports that the network is being asked for the live post's link. NoLink is which posts have none there.
	AwaitsLink bool
	NoLink     string
}

// zoneCity returns the city in a zone's name: Berlin for Europe/Berlin.
func zoneCity(zone core.Zone) string {
	name := zone.Name()
	return strings.ReplaceAll(name[strings.LastIndex(name, "/")+1:], "_", " ")
}

// Setting is a setting for display.
type Setting struct{ Label, Value string }

func (m ShowModel) offers(a core.Act) bool { return slices.Contains(m.Acts, a) }

// stateOf is the one state that is shown of a post: its status, unless the post needs a person.
func stateOf(p contract.Post) string {
	if p.Error != nil && p.Error.Code == core.ErrorOutcomeUnknown {
		return ui.NeedsYou
	}
	return p.Status
}

// noLink says why a live post has no link.
func (m ShowModel) noLink() string {
	if m.NoLink != "" {
		return m.NoLink
	}
	return m.Network + " has not given a link to the post."
}

// Version changes if the page would look different. A reader who sends it with link.PostSince needs no new response
// until then.
func (m ShowModel) Version() string {
	post := m.Post
	return contentHash(post.StatusLine, post.UpdatedAt.UnixMilli(), len(m.Events), m.LiveURL, m.AwaitsLink, m.Acts,
		nextStep(m), m.AccountTrouble)
}

// contentHash returns a short text that changes with its arguments.
func contentHash(shown ...any) string {
	sum := fnv.New64a()
	_, _ = fmt.Fprintf(sum, "%q", shown)
	return strconv.FormatUint(sum.Sum64(), 36)
}

// IsImminent reports whether a post is being published or will be within a minute. One that is long overdue is not.
func IsImminent(status string, due, nextTry, now time.Time) bool {
	next := nextTry
	if next.IsZero() {
		next = due
	}
	if status != string(core.PostQueued) && (status != string(core.PostFailed) || nextTry.IsZero()) {
		return false
	}
	wait := next.Sub(now)
	return wait < time.Minute && wait > -imminentFor
}

// imminentFor is how long a post that is due counts as about to be published.
const imminentFor = 10 * time.Minute

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
