package posts

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/views/layout"
	"belfry/views/link"
	"belfry/views/ui"
)

// ListModel is the list of posts.
type ListModel struct {
	Frame  layout.Frame
	Filter link.Filter
	Zone   core.Zone // the workspace's, for days and times
	Now    time.Time
	// Counts are the numbers of posts by status; nil means that they are not known.
	Counts map[core.PostStatus]int
	Rows   []Row
	// Next is the cursor of the next page; empty on the last.
	Next string
	// Elsewhere are the numbers of posts that match the filter, by the status of their tab; only known if the filter has
	// conditions. MoreElsewhere reports that only the newest matches were counted.
	Elsewhere     map[string]int
	MoreElsewhere bool
	// LiveToday is the number of posts that went live today, up to MostLiveToday; only known if Up next is empty.
	LiveToday int
	// Calendar is set if the rows are the posts of an entry or of a day of the calendar. It has a date only for a day.
	Calendar *link.Calendar
	// Schedule contains the values of the inputs for scheduling drafts, and Move those for moving posts.
	Schedule ScheduleInput
	Move     MoveInput
	// Accounts, Groups and Networks are the options of the filter.
	Accounts, Groups, Networks []ui.Option
	Form                       string // value of ui.FieldForm
}

// Row is a post in the list. It has a title only if the network publishes it.
type Row struct {
	contract.Post
	Revision         string // core.Post.Revision
	Account, Network string // names
	Kind             string // the network's name for such a post, such as Reel
	Avatar           string // the address of the account's picture; empty without one
	Files            []File
	// Note says why the post failed or what it is waiting for; optional.
	Note string
	// ReplacedBy is the id of a live copy of the failed post; optional. Its link takes the place of the note.
	ReplacedBy string
	// Editable reports that the person can edit the post in place.
	Editable bool
	// Fix is the label of the link to a failed post's page if a person must act on the post; optional.
	Fix string
	// LiveURL is the address of the live post; empty if there is none.
	LiveURL string
	// BulkActs are the actions on a selection that the post allows.
	BulkActs []core.Act
	// Selected reports that the post is selected at first, for example because an action on it has just been refused.
	Selected bool
}

// idWithRevision returns the value with which a form on the page selects the post.
func (r Row) idWithRevision() string { return r.ID + " " + r.Revision }

// ScheduleInput contains the values of the inputs for scheduling several drafts.
type ScheduleInput struct {
	At    string // of the first draft, YYYY-MM-DDTHH:mm
	Apart bool   // the drafts are scheduled one after another, not all at the same time
	Every string // how many days, or hours if Hours is set, lie between two drafts
	Hours bool
	Open  bool // shows the inputs at once
}

// MoveInput contains the values of the inputs for moving several posts. For an empty value, the form shows a proposal.
type MoveInput struct {
	Way    string // MoveLater, MoveEarlier or MoveToDay
	Number string // how many days, or hours if Hours is set, the posts move earlier or later
	Hours  bool
	Day    string // of MoveToDay, YYYY-MM-DD
	Open   bool   // shows the inputs at once
}

// ContentHash returns a string that changes whenever the list would look different. Pages poll with it
// (link.PostsSince).
func (m ListModel) ContentHash() string {
	shown := []any{m.Next, m.LiveToday, m.Elsewhere, m.Now.In(m.Zone.Location()).Format(time.DateOnly)}
	for _, t := range tabs {
		n, _ := m.tabCount(t)
		shown = append(shown, n)
	}
	for _, r := range m.Rows {
		shown = append(shown, r.ID, r.StatusLine, r.Revision, r.Editable, r.Fix, r.Note, r.LiveURL)
	}
	return ui.HashValues(shown...)
}

// moveInputWithProposals returns the values of the inputs for moving posts, with proposals in place of empty values.
func (m ListModel) moveInputWithProposals() MoveInput {
	in, way := m.Move, MoveLater
	if m.isForMovingDay() {
		way = MoveToDay
	}
	in.Way, in.Number, in.Day = cmp.Or(in.Way, way), cmp.Or(in.Number, "1"), cmp.Or(in.Day, m.proposedMoveDate())
	return in
}

// isForMovingDay reports whether the page is for moving the posts of a day of the calendar.
func (m ListModel) isForMovingDay() bool { return m.Calendar != nil && m.Calendar.Date != "" }

// proposedMoveDate returns the day that is proposed for a move, YYYY-MM-DD: tomorrow or, for the posts of a later entry
// or day of the calendar, the day after it.
func (m ListModel) proposedMoveDate() (isoDate string) {
	day := m.Zone.Today(m.Now)
	if m.Calendar != nil && len(m.Rows) > 0 && m.Rows[0].PublishAt != nil {
		if own := m.Zone.Today(m.Rows[0].PublishAt.Time); own.After(day) {
			day = own
		}
	}
	return day.AddDate(0, 0, 1).Format(time.DateOnly)
}

// BackToCalendar is the label of the link to the page of the calendar from which a page was opened.
const BackToCalendar = "Back to the calendar"

// MostLiveToday is the maximum of ListModel.LiveToday.
const MostLiveToday = 100

func (m ListModel) liveTodayText() string {
	count := ui.CountNoun(m.LiveToday, "post", "posts")
	if m.LiveToday >= MostLiveToday {
		count = fmt.Sprintf("%d+ posts", MostLiveToday)
	}
	return count + " went live today."
}

type tab struct {
	status string // link.Filter.Status
	name   string
	search string // label of the search, which finds only posts of the tab
	// byDay reports that the posts are grouped by day.
	byDay bool
	acts  []core.Act // actions on several posts
}

const searchAll = "Search all posts"

var tabs = []tab{
	{"", "Up next", "Search upcoming posts", true, []core.Act{core.ActReschedule, core.ActCancel, core.ActDuplicate}},
	{string(core.PostDraft), "Drafts", "Search drafts", false, []core.Act{
		core.ActQueue, core.ActReschedule, core.ActDuplicate, core.ActDelete,
	}},
	{string(core.PostLive), "Live", "Search live posts", true, []core.Act{core.ActDuplicate}},
	{string(core.PostFailed), "Failed", "Search failed posts", true, []core.Act{
		core.ActRetry, core.ActDuplicate, core.ActDelete,
	}},
	{link.AllPosts, "All", searchAll, false, []core.Act{
		core.ActReschedule, core.ActRetry, core.ActCancel, core.ActDuplicate, core.ActDelete,
	}},
}

// currentTab returns the tab that the filter selects.
func (m ListModel) currentTab() tab {
	i := slices.IndexFunc(tabs, func(t tab) bool { return t.status == m.Filter.Status })
	return tabs[max(i, 0)]
}

// joinActs returns the value of data-acts (static/js/select.js).
func joinActs(acts []core.Act) string {
	names := make([]string, len(acts))
	for i, act := range acts {
		names[i] = string(act)
	}
	return strings.Join(names, " ")
}

// offersBulkAct reports whether the tab offers an action on several posts.
func (m ListModel) offersBulkAct(a core.Act) bool { return slices.Contains(m.currentTab().acts, a) }

func (m ListModel) tabURL(t tab) string {
	f := m.Filter
	f.Status, f.Cursor = t.status, ""
	return m.Frame.Link.Posts(f)
}

// tabCount returns the number of posts in a tab; known is false if the posts were not counted.
func (m ListModel) tabCount(t tab) (n int, known bool) {
	if m.Counts == nil {
		return 0, false
	}
	if t.status != link.AllPosts {
		return m.Counts[core.PostStatus(cmp.Or(t.status, string(core.PostQueued)))], true
	}
	var all int
	for _, n := range m.Counts {
		all += n
	}
	return all, true
}

// urlAfterAction returns the address of the page to show after an action on the selected posts: the day of the calendar
// to which they belong, or else the current page of the list.
func (m ListModel) urlAfterAction() string {
	if day := m.calendarDayURLOrEmpty(); day != "" {
		return day
	}
	return m.Frame.Link.Posts(m.Filter)
}

// calendarDayURLOrEmpty returns the day of the calendar if the rows are its posts.
func (m ListModel) calendarDayURLOrEmpty() string {
	if !m.isForMovingDay() {
		return ""
	}
	return m.Frame.Link.Calendar(*m.Calendar)
}

// pageURL returns the address of the page of the list at a cursor; "" is the first page.
func (m ListModel) pageURL(cursor string) string {
	f := m.Filter
	f.Cursor = cursor
	return m.Frame.Link.Posts(f)
}

// otherTabsWithMatches returns the other tabs in which posts match the filter, as links such as "2 in Live".
func (m ListModel) otherTabsWithMatches() (links []ui.Option) {
	for _, t := range tabs {
		n := m.Elsewhere[t.status]
		if n == 0 || t.status == m.Filter.Status {
			continue
		}
		count := strconv.Itoa(n)
		if m.MoreElsewhere {
			count += "+"
		}
		links = append(links, ui.Option{Value: m.tabURL(t), Label: count + " in " + t.name})
	}
	return links
}

// elsewhereHeading says which matches otherTabsWithMatches counts.
func (m ListModel) elsewhereHeading() string {
	if m.MoreElsewhere {
		return "Newest matches in other tabs:"
	}
	return "Matches in other tabs:"
}

// noMatchText says in which tab no posts match which conditions.
func (m ListModel) noMatchText() string {
	posts := "posts"
	if m.Filter.Status != link.AllPosts {
		posts += " in " + m.currentTab().name
	}
	return ui.NoMatchText(posts, m.Filter.Query, m.hasConditionsBesideText())
}

// hasConditionsBesideText reports whether the filter has conditions beside the words that are searched for.
func (m ListModel) hasConditionsBesideText() bool {
	f := m.Filter
	f.Query = ""
	return f.HasConditionsBesideStatus()
}

// tabURLWithoutConditions returns the address of the tab without any conditions.
func (m ListModel) tabURLWithoutConditions() string {
	return m.Frame.Link.Posts(link.Filter{Status: m.Filter.Status})
}

// hasCountedPosts reports whether the workspace has any posts. It returns false if they were not counted.
func (m ListModel) hasCountedPosts() bool {
	n, _ := m.tabCount(tabs[len(tabs)-1])
	return n > 0
}

// filterChips returns the conditions of the filter. A search without other conditions is only in its input.
func (m ListModel) filterChips() []ui.FilterChip {
	var list []ui.FilterChip
	add := func(what, value string, remove func(*link.Filter)) {
		if value == "" {
			return
		}
		f := m.Filter
		f.Cursor = ""
		remove(&f)
		list = append(list, ui.FilterChip{Label: what + ": " + value, URL: m.Frame.Link.Posts(f)})
	}
	f := m.Filter
	if m.hasConditionsBesideText() {
		add("Text", f.Query, func(f *link.Filter) { f.Query = "" })
	}
	add("Account", ui.OptionLabel(m.Accounts, f.Account), func(f *link.Filter) { f.Account = "" })
	add("Group", ui.OptionLabel(m.Groups, f.Group), func(f *link.Filter) { f.Group = "" })
	add("Network", ui.OptionLabel(m.Networks, f.Network), func(f *link.Filter) { f.Network = "" })
	add("From", formatDateIfISO(f.From), func(f *link.Filter) { f.From = "" })
	add("To", formatDateIfISO(f.To), func(f *link.Filter) { f.To = "" })
	return list
}

// formatDateIfISO formats a date, YYYY-MM-DD, for people. It returns anything else unchanged.
func formatDateIfISO(date string) string {
	day, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return date
	}
	return day.Format("2 January 2006")
}

// day is a part of the list: the posts of one day or, without a label, all posts.
type day struct {
	label, date string
	rows        []Row
}

// groupByDayOrAsOne groups the rows by day. If the tab is not divided by day, or the page's title is the day, it
// returns all rows in one group.
func (m ListModel) groupByDayOrAsOne() []day {
	if !m.currentTab().byDay || m.calendarDayURLOrEmpty() != "" {
		return []day{{rows: m.Rows}}
	}
	var list []day
	for _, r := range m.Rows {
		label, date := m.dayLabel(r.sortTime())
		if len(list) == 0 || list[len(list)-1].label != label {
			list = append(list, day{label: label, date: date})
		}
		last := &list[len(list)-1]
		last.rows = append(last.rows, r)
	}
	return list
}

// fullLabel returns the label and the date of the day, such as "Tomorrow, Sunday 22 November".
func (d day) fullLabel() string {
	if d.date == "" {
		return d.label
	}
	return d.label + ", " + d.date
}

// formatNetworkAndKind names a network and, unless it is just a post or unknown, the kind of the post: Instagram Reel.
func formatNetworkAndKind(network, kindOrEmpty string) string {
	if kindOrEmpty == "" || kindOrEmpty == "post" {
		return network
	}
	return network + " " + kindOrEmpty
}

// sortTime returns the time by which the list is sorted: the post's own or, without one, that of its creation.
func (r Row) sortTime() time.Time {
	if r.PublishAt == nil {
		return r.CreatedAt.Time
	}
	return r.PublishAt.Time
}

// dayLabel returns the name of an instant's day for people and, if the name is not its date, the date.
func (m ListModel) dayLabel(at time.Time) (label, dateIfNotLabel string) {
	local, now := at.In(m.Zone.Location()), m.Now.In(m.Zone.Location())
	dateIfNotLabel = ui.FormatDay("Monday 2 January", local, now)
	for days, name := range []string{"Yesterday", "Today", "Tomorrow"} {
		if local.Format(time.DateOnly) == now.AddDate(0, 0, days-1).Format(time.DateOnly) {
			return name, dateIfNotLabel
		}
	}
	return dateIfNotLabel, ""
}

// publishTimeText returns a scheduled row's time, without the day if the rows are grouped by day.
func (m ListModel) publishTimeText(scheduled Row) string {
	local := scheduled.PublishAt.In(m.Zone.Location())
	switch {
	case m.currentTab().byDay:
		return local.Format("15:04")
	case local.Year() == m.Now.In(m.Zone.Location()).Year():
		return local.Format("Mon 2 Jan, 15:04")
	}
	return local.Format("2 Jan 2006, 15:04")
}

// creationDayText returns the day of a row's creation, by which the list sorts a post without a time.
func (m ListModel) creationDayText(r Row) string {
	return ui.FormatDay("2 Jan", r.CreatedAt.In(m.Zone.Location()), m.Now)
}

// Names of the inputs for an action on several posts.
const (
	FieldAct      = "act"
	FieldPost     = "post" // the post's id, a space, and the revision that the page showed; the revision is optional
	FieldMove     = "move"
	FieldShift    = "shift" // of MoveLater and MoveEarlier
	FieldUnit     = "unit"
	FieldDay      = "day" // of MoveToDay
	FieldBack     = "back"
	FieldCalendar = "calendar" // the query of ListModel.Calendar
	FieldBefore   = "before"   // for Undo: a post's earlier schedule
	// For scheduling drafts, the form also sends FieldAt and FieldZone. FieldEvery and FieldEveryUnit belong to
	// SpreadApart.
	FieldSpread    = "spread"
	FieldEvery     = "every"
	FieldEveryUnit = "everyUnit"
)

// Values of FieldMove, FieldSpread, FieldUnit and FieldEveryUnit.
const (
	MoveLater   = "later"
	MoveEarlier = "earlier"
	MoveToDay   = "day"
	SpreadNone  = "none" // all drafts at the same time
	SpreadApart = "apart"
	UnitDays    = "days"
	UnitHours   = "hours"
)

// shownText returns the post on one line: its title and text, or the name of its first file. Above a passage, the
// line is shorter.
func (r Row) shownText(passageBelowOrEmpty string) string {
	if passageBelowOrEmpty != "" {
		return TitleOrText(r.Post, excerptAbovePassage)
	}
	return r.titleAndTextOrFileName(rowExcerpt)
}

// matchingPassage returns the part of the post's title or text that the search has found, or "" if the beginning of the
// row shows it.
func (m ListModel) matchingPassage(r Row) (passageOrEmpty string) {
	if m.Filter.Query == "" {
		return ""
	}
	return MatchingPassage(r.Post, m.Filter.Query, r.titleAndTextOrFileName(excerptAbovePassage))
}

// MatchingPassage returns the part of a post's title or text around the first match of a search, or "" if the text that
// is shown already contains a match.
func MatchingPassage(p contract.Post, query, shown string) (passageOrEmpty string) {
	if len(core.FindPhrase(shown, query)) > 0 {
		return ""
	}
	passage := core.ExcerptAround(p.Text, query, passageExcerpt)
	if p.Title != nil {
		passage = cmp.Or(passage, core.ExcerptAround(*p.Title, query, passageExcerpt))
	}
	return passage
}

// titleAndTextOrFileName returns at most maxChars of the post on one line: its title and text, or the name of its first
// file.
func (r Row) titleAndTextOrFileName(maxChars int) string {
	if r.hasNoTitleOrText() && len(r.Files) > 0 {
		return r.Files[0].Name
	}
	if r.Title != nil && r.Text != "" {
		return core.Excerpt(*r.Title+" · "+r.Text, maxChars)
	}
	return TitleOrText(r.Post, maxChars)
}

func (r Row) hasNoTitleOrText() bool { return r.Text == "" && r.Title == nil }

// accessibleName returns the post's name in the labels of its row's actions, for screen readers.
func (r Row) accessibleName() string {
	if r.hasNoTitleOrText() && len(r.Files) > 0 {
		return r.Files[0].Name
	}
	return TitleOrText(r.Post, nameExcerpt)
}

// TitleOrText returns a post's title or, if it has none, its text on one line. If it is longer than maxChars, it ends
// with an ellipsis.
func TitleOrText(p contract.Post, maxChars int) string {
	text := p.Text
	if p.Title != nil {
		text = *p.Title
	}
	return cmp.Or(core.Excerpt(text, maxChars), "No text")
}

// Maximum lengths of a post's text: in a row; in a row above the passage that a search has found; in that passage; and
// in the labels of the row's actions.
const (
	rowExcerpt          = 160
	excerptAbovePassage = 50
	passageExcerpt      = 90
	nameExcerpt         = 40
)
