package posts

import (
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/views/layout"
	"belfry/views/link"
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
	CalendarURL      string // the page of the calendar from which the page was opened; "" for none
	Post             contract.Post
	Revision, Form   string    // values of FieldRevision and ui.FieldForm
	Account, Network string    // names
	Avatar           string    // the path of the account's picture; "" without one
	Zone             core.Zone // the workspace's
	PostZone         core.Zone // the post's own, for changing its time
	Beside           Beside
	Events           []contract.Event
	NextTry          time.Time // the next automatic retry; zero if there is none
	Held             bool      // the network accepts no posts until NextTry
	// Asking reports that Belfry asks the network whether it published the post: at AskAt or, if that is zero, now.
	// Sending reports that the post is being published.
	Asking, Sending bool
	AskAt           time.Time
	Preparing       bool // the network is processing the post
	Waiting         bool // another post of the account is published first
	Settings        []Setting
	// LiveURL is the address of the live post; empty if there is none.
	LiveURL string
	Files   []File
	// ReplacedBy is the id of a live copy of the failed post; "" if there is none.
	ReplacedBy string
	// Mend reports that a failed post must be changed before it is sent again.
	Mend bool
	// RetryableOnceReconnected reports that the failed post can be sent again once its account is reconnected.
	RetryableOnceReconnected bool
	// NetworkSaid reports that the message of the post's error comes from the network.
	NetworkSaid bool
	// ProfileURL is the address of the account's profile on its network; empty if it is not known.
	ProfileURL string
	// Acts are the actions that the post's state and the person's role allow.
	Acts []core.Act
	// At is the time in the form for rescheduling, YYYY-MM-DDTHH:mm, and WrongAt what is wrong with it.
	At, WrongAt string
	// Refused is why the last action failed.
	Refused *contract.Error
	// Preview shows the post as its network would. It is nil if the network is not known. The page does not repeat what
	// the preview shows.
	Preview                          templ.Component
	ShowsTitle, ShowsText, ShowsTags bool
	ShowsOnlyFile                    bool // the preview shows the post's only file
	// PrepareAt is when Belfry sends the post to the network ahead of the post's time; zero if Belfry does not do so or
	// has already done so.
	PrepareAt time.Time
	// OnHold is why publishing is on hold, as the end of a sentence; empty if it is not.
	OnHold string
	// AccountTrouble says why Belfry cannot publish to the account; empty if it can. Reconnect is the address at which
	// the person can reconnect the account; empty if they may not or need not.
	AccountTrouble, Reconnect string
	// NotSetUp reports that nobody can reconnect the account, because the server lacks the network's credentials.
	NotSetUp bool
	// AwaitsLink reports that Belfry is asking the network for the live post's link. NoLink says which posts of the
	// network have no link.
	AwaitsLink bool
	NoLink     string
}

// tabURL returns the address of the list's tab that contains the post. The tab of failed posts leaves out those that a
// live copy replaces.
func (m ShowModel) tabURL() string {
	status := m.Post.Status
	switch {
	case status == string(core.PostQueued):
		status = ""
	case m.ReplacedBy != "":
		status = link.AllPosts
	}
	return m.Frame.Link.Posts(link.Filter{Status: status})
}

// zoneCity returns the city in a zone's name: Berlin for Europe/Berlin.
func zoneCity(zone core.Zone) string {
	name := zone.Name()
	return strings.ReplaceAll(name[strings.LastIndex(name, "/")+1:], "_", " ")
}

// differsFromUTC reports whether the zone has an offset from UTC at a time.
func differsFromUTC(at time.Time, zone core.Zone) bool {
	_, offset := at.In(zone.Location()).Zone()
	return offset != 0
}

// hasContentBesidePreview reports whether the post has content that the preview does not show.
func (m ShowModel) hasContentBesidePreview() bool {
	return m.listsFiles() || len(m.Settings) > 0 || m.hasNeitherTextNorFiles() || m.Post.Text != "" && !m.ShowsText ||
		m.Post.Title != nil && !m.ShowsTitle || len(m.Post.Tags) > 0 && !m.ShowsTags
}

// firstBrokenFileName returns the name of the first file that must be replaced, or "".
func (m ShowModel) firstBrokenFileName() (nameOrEmpty string) {
	if i := slices.IndexFunc(m.Files, func(f File) bool { return f.Broken }); i >= 0 {
		return m.Files[i].Name
	}
	return ""
}

// hasNeitherTextNorFiles reports whether the post has neither a text nor files.
func (m ShowModel) hasNeitherTextNorFiles() bool { return m.Post.Text == "" && len(m.Files) == 0 }

// listsFiles reports whether the page lists the post's files. It does not list a usable file that the preview shows.
func (m ShowModel) listsFiles() bool {
	return len(m.Files) > 0 && (!m.ShowsOnlyFile || m.Files[0].Trouble != "")
}

// Setting is a setting for display.
type Setting struct{ Label, Value string }

// offersAct reports whether the page offers an action.
func (m ShowModel) offersAct(a core.Act) bool { return slices.Contains(m.Acts, a) }

// offersDelete reports whether the page offers to delete the post. This also takes a queued post off the schedule.
func (m ShowModel) offersDelete() bool {
	return m.offersAct(core.ActDelete) || m.Post.Status == string(core.PostQueued) && m.offersAct(core.ActCancel)
}

// offersEditOfCopy reports whether the page offers to copy the post in order to change it.
func (m ShowModel) offersEditOfCopy() bool {
	return m.Post.Status == string(core.PostFailed) && m.offersAct(core.ActDuplicate)
}

// reconnectAdvice says who must do what before Belfry can publish to the account again.
func (m ShowModel) reconnectAdvice() string {
	if m.NotSetUp {
		return core.IssueNetworkUnavailable.OnNetwork(m.Network).String()
	}
	return m.Frame.ReconnectAdvice()
}

// RetriesOnceReconnected reports whether reconnecting the account from this page sends the failed post again.
func (m ShowModel) RetriesOnceReconnected() bool { return m.RetryableOnceReconnected && !m.Mend }

// showsErrorHint reports whether the page shows the hint of the post's error. It does not if nothing is left to do, or
// if the page itself offers to reconnect the account.
func (m ShowModel) showsErrorHint() bool {
	reconnects := m.AccountTrouble != "" && slices.Contains(core.LostAccessCodes(), m.Post.Error.Code)
	return m.Post.Error.Hint != nil && m.ReplacedBy == "" && !reconnects
}

// hiddenInputs returns the hidden inputs of a form on the page.
func (m ShowModel) hiddenInputs() []ui.Hidden {
	inputs := []ui.Hidden{{Name: ui.FieldForm, Value: m.Form}, {Name: FieldRevision, Value: m.Revision}}
	if m.CalendarURL != "" {
		inputs = append(inputs, ui.Hidden{Name: link.BackToCalendar, Value: m.CalendarURL})
	}
	return inputs
}

// shownState returns the state that a post's badge shows: its status, ui.Replaced if it has a live copy, or ui.NeedsYou
// if a person must check it.
func shownState(p contract.Post, liveCopyIDOrEmpty string) string {
	if liveCopyIDOrEmpty != "" {
		return ui.Replaced
	}
	if p.Error != nil && p.Error.Code == core.ErrorOutcomeUnknown {
		return ui.NeedsYou
	}
	return p.Status
}

// noLinkText returns why a live post has no link.
func (m ShowModel) noLinkText() string {
	if m.NoLink != "" {
		return m.NoLink
	}
	return m.Network + " has not provided a link to the post."
}

// ContentHash returns a string that changes whenever the page would look different. Pages poll with it
// (link.PostSince).
func (m ShowModel) ContentHash() string {
	post := m.Post
	return ui.HashValues(post.StatusLine, post.UpdatedAt.UnixMilli(), len(m.Events), m.LiveURL, m.AwaitsLink, m.Acts,
		nextStep(m), m.AccountTrouble, m.ReplacedBy, m.Beside)
}

// liveUpdateTopics returns the value of data-live (static/js/live.js). The page of a failed post also changes when its
// copy goes live, and a page that links to other posts when they change.
func (m ShowModel) liveUpdateTopics() string {
	if m.Post.Status == string(core.PostFailed) || m.Beside.Total > 0 {
		return "posts"
	}
	return m.Post.ID
}

// asksOutcomeAfterRefusal reports whether the last action was refused because the outcome of the post is unknown, and
// the page asks the person for the outcome.
func (m ShowModel) asksOutcomeAfterRefusal() bool {
	return m.Refused != nil && m.Refused.Code == string(core.CodeOutcomeUnknown) && m.offersAct(core.ActSettle)
}

type eventLabel struct{ text, icon, tone string }

var eventLabels = map[core.EventKind]eventLabel{
	core.EventCreated:         {"Created", "plus", ""},
	core.EventQueued:          {"Queued", "clock", "info"},
	core.EventPublishing:      {"Publishing", "send", "info"},
	core.EventLive:            {"Live", "circle-check", "good"},
	core.EventFailed:          {"Failed", "circle-x", "danger"},
	core.EventRetried:         {"Retried", "rotate-cw", "info"},
	core.EventCancelled:       {"Moved to drafts", "circle-dashed", ""},
	core.EventRescheduled:     {"Moved", "calendar-clock", ""},
	core.EventRetriedByWorker: {"Next try", "rotate-cw", "warn"},
}

// eventLabelAt returns the text, icon and tone of an event in the timeline. The last event of a post with an unknown
// outcome does not say that the post failed, because it may be live. Cancelling a failed post stops only its retries.
func (m ShowModel) eventLabelAt(i int) eventLabel {
	kind := m.Events[i].Kind
	if kind == string(core.EventCancelled) && i > 0 && m.Events[i-1].Kind == string(core.EventFailed) {
		return eventLabel{"Retries stopped", "ban", ""}
	}
	if i == len(m.Events)-1 && kind == string(core.EventFailed) && shownState(m.Post, "") == ui.NeedsYou {
		return eventLabel{"Not confirmed", "circle-question-mark", "warn"}
	}
	if w, ok := eventLabels[core.EventKind(kind)]; ok {
		return w
	}
	return eventLabel{kind, "circle-dashed", ""}
}

var createdFrom = map[string]string{"ui": "Dashboard", "api": "API", "mcp": "Agent"}
