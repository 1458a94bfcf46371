// Package calendar contains the calendar, which shows posts by day and hour.
package calendar

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

// Model is a view of the calendar.
type Model struct {
	Frame layout.Frame
	Shown link.Calendar
	Date  time.Time // the day of Shown; a day is represented by its midnight in UTC
	Zone  core.Zone // the workspace's, for days and hours
	Now   time.Time
	Form  string // value of ui.FieldForm for the next move
	Days  []Day
	// Chosen is the day of Date, with more of its posts than Days contains. A phone shows this day below the month.
	Chosen *Day
	// Accounts, Groups and Networks are the options of the filter.
	Accounts, Groups, Networks []ui.Option
	// Moved says to which time a post was moved, with a button that undoes the move. Refused is why a post was not moved.
	Moved   *layout.Flash
	Refused *Refusal
}

// Day is a day with its first posts. In a week, they are in Hours.
type Day struct {
	Date  time.Time
	Posts []Post
	Total int
	// HasFailed reports that a post of the day has failed and has no live copy, even if it is not in Posts.
	HasFailed bool
	Hours     []Hour
	// ClockChange is how far the clocks go forward on the day; negative if they go back.
	ClockChange time.Duration
}

// Hour is an hour of a day with its first posts.
type Hour struct {
	Hour  int
	Posts []Post
	Total int
	// Skipped and Twice report that a clock change skips or repeats the hour.
	Skipped, Twice bool
}

// Post is a post with a time. It may stand for several posts that were composed together.
type Post struct {
	Count    int       // how many posts it stands for
	Networks []Network // of these posts

	// Status is ui.Replaced for a failed post with a live copy.
	ID, Platform, Network, Account, Status, Text string
	At                                           time.Time
	Revision                                     string
	// Movable reports that the person may move the post.
	Movable bool
}

// Network is a network of an entry's posts.
type Network struct{ Platform, Name string }

// TogetherModel lists the posts that share an entry of the calendar.
type TogetherModel struct {
	Frame  layout.Frame
	Zone   core.Zone
	PostID string // of the post that the entry shows
	Posts  []Post // the first of the posts
	Total  int
}

// hasMovablePost reports whether the person may move any of the posts.
func (m TogetherModel) hasMovablePost() bool {
	return slices.ContainsFunc(m.Posts, func(p Post) bool { return p.Movable })
}

// Refusal is why a post was not moved.
type Refusal struct {
	Post  Post
	Error contract.Error
	// At and Together are what was entered in FieldAt and FieldTogether.
	At, Together string
	// SendNow reports that the post can be sent now instead.
	SendNow bool
}

// refusalOrZero returns m.Refused, or the zero Refusal if it is nil.
func (m Model) refusalOrZero() Refusal {
	if m.Refused == nil {
		return Refusal{}
	}
	return *m.Refused
}

// Names of the inputs of the form that moves a post. FieldAt is a local time in the workspace's zone.
const (
	FieldPost     = "post"
	FieldAt       = "at"
	FieldRevision = "revision"
	FieldTogether = "together" // is set for an entry that stands for several posts, which all move
)

const (
	wallTime = "2006-01-02T15:04"
	longDay  = "Monday 2 January"
)

// ContentHash returns a string that changes whenever the view would look different. Pages poll with it
// (link.CalendarSince).
func (m Model) ContentHash() string {
	return ui.HashValues(m.Now.Truncate(time.Hour), m.Days, m.Chosen)
}

// today returns midnight of the present day.
func (m Model) today() time.Time { return m.Zone.Today(m.Now) }

// title returns the month, the days or the day that the view shows.
func (m Model) title() string {
	switch m.Shown.View {
	case link.ViewWeek, link.ViewList:
		return formatDaySpan(m.Days[0].Date, m.Days[len(m.Days)-1].Date)
	case link.ViewDay:
		return m.Date.Format("Monday 2 January 2006")
	}
	return m.Date.Format("January 2006")
}

// formatDaySpan formats the first and last day of a span. A year or month that both days share occurs once. Lines break
// only between two whole dates.
func formatDaySpan(first, last time.Time) string {
	from, dash := "2 January 2006", "–"
	switch {
	case first.Year() == last.Year() && first.Month() == last.Month():
		from, dash = "2", "–\u2060"
	case first.Year() == last.Year():
		from = "2 January"
	}
	text := first.Format(from) + dash + last.Format("2 January 2006")
	return strings.ReplaceAll(text, " ", "\u00a0")
}

// urlWith returns the address of the calendar after a change to what it shows.
func (m Model) urlWith(change func(*link.Calendar)) string {
	shown := m.Shown
	change(&shown)
	return m.Frame.Link.Calendar(shown)
}

func (m Model) urlChoosingView(view string) string {
	shown := m.Shown
	shown.View = view
	return addStartAnchorIfWeek(view, m.Frame.Link.ChooseCalendarView(shown))
}

// startID is the id of the hour at which a week opens.
const startID = "start"

// addStartAnchorIfWeek adds the fragment that opens a week at its start hour, even without a script. It does not change
// the address of another view.
func addStartAnchorIfWeek(view, url string) string {
	if view == link.ViewWeek {
		return url + "#" + startID
	}
	return url
}

// hourToScrollTo returns the hour at which a week opens: the first hour with posts or, if that is earlier, the hour
// before the present one. Without either, it returns 7.
func (m Model) hourToScrollTo() int {
	const none = 24
	first := none
	for _, d := range m.Days {
		if m.isToday(d) {
			first = min(first, max(m.Now.In(m.Zone.Location()).Hour()-1, 0))
		}
		for _, h := range d.Hours {
			if h.Total > 0 {
				first = min(first, h.Hour)
			}
		}
	}
	if first == none {
		return 7
	}
	return first
}

func (m Model) dayViewURL(day time.Time) string {
	return m.urlWith(func(c *link.Calendar) { c.View, c.Date = link.ViewDay, day.Format(time.DateOnly) })
}

// chooseDayURL returns the address of the month with another day chosen.
func (m Model) chooseDayURL(day time.Time) string {
	return m.urlWith(func(c *link.Calendar) { c.Date = day.Format(time.DateOnly) })
}

func (m Model) todayURL() string {
	return addStartAnchorIfWeek(m.Shown.View, m.urlWith(func(c *link.Calendar) { c.Date = "" }))
}

// stepURL returns the address of the view that many steps after this one or, if steps is negative, before this one.
func (m Model) stepURL(steps int) string {
	url := m.urlWith(func(c *link.Calendar) { c.Date = StepDate(m.Shown.View, m.Date, steps).Format(time.DateOnly) })
	return addStartAnchorIfWeek(m.Shown.View, url)
}

// StepDate moves a day by a number of steps of a view, for example by weeks. For a month, it returns the first day.
func StepDate(view string, day time.Time, steps int) time.Time {
	switch view {
	case link.ViewWeek:
		return day.AddDate(0, 0, 7*steps)
	case link.ViewList:
		return day.AddDate(0, 0, ListDays*steps)
	case link.ViewDay:
		return day.AddDate(0, 0, steps)
	}
	return time.Date(day.Year(), day.Month()+time.Month(steps), 1, 0, 0, 0, 0, time.UTC)
}

// ListDays is the number of days in a list.
const ListDays = 28

// hasMovablePost reports whether the person may move any of the day's posts.
func (d Day) hasMovablePost() bool {
	return slices.ContainsFunc(d.Posts, func(p Post) bool { return p.Movable })
}

// movablePostsURL returns the address of the posts of a day that can be moved.
func (m Model) movablePostsURL(d Day) string {
	shown := m.Shown
	shown.View, shown.Date = link.ViewDay, d.Date.Format(time.DateOnly)
	return m.Frame.Link.MovablePostsOfDay(shown)
}

// postListURL returns the address of the list of posts on a day.
func (m Model) postListURL(d Day) string {
	f, date := m.Shown.Filter, d.Date.Format(time.DateOnly)
	f.From, f.To = date, date
	if f.Status == "" {
		f.Status = link.AllPosts
	}
	return m.Frame.Link.Posts(f)
}

type viewName struct{ view, name, one string }

var viewNames = []viewName{
	{link.ViewMonth, "Month", "month"},
	{link.ViewWeek, "Week", "week"},
	{link.ViewDay, "Day", "day"},
	{link.ViewList, "List", "4 weeks"},
}

// stepLabel returns the label of an arrow, for example "Next week".
func (m Model) stepLabel(nextOrPrevious string) string {
	i := slices.IndexFunc(viewNames, func(v viewName) bool { return v.view == m.Shown.View })
	return nextOrPrevious + " " + viewNames[max(i, 0)].one
}

// groupByWeek divides the days of a month into weeks.
func (m Model) groupByWeek() [][]Day {
	var weeks [][]Day
	for i := 0; i+7 <= len(m.Days); i += 7 {
		weeks = append(weeks, m.Days[i:i+7])
	}
	return weeks
}

// listedDays returns the days that a list shows: those with posts, and today. A single day is always shown.
func (m Model) listedDays() []Day {
	var list []Day
	for _, d := range m.Days {
		if d.Total > 0 || m.isToday(d) || m.Shown.View == link.ViewDay {
			list = append(list, d)
		}
	}
	return list
}

func (m Model) hasPosts() bool {
	for _, d := range m.Days {
		if d.Total > 0 {
			return true
		}
	}
	return false
}

func (m Model) isFiltered() bool { return m.Shown.Filter != link.Filter{} }

// nothingTitle and nothingText say that the view has no posts.
func (m Model) nothingTitle() string {
	if m.isFiltered() {
		return "No matching posts"
	}
	return "Nothing is scheduled"
}

func (m Model) nothingText() string {
	if m.isFiltered() {
		return "No posts for " + m.title() + " match the filter."
	}
	text := "No posts are scheduled for " + m.title() + "."
	if m.canConnectFirstAccount() {
		text += " To schedule one, connect an account first."
	}
	return text
}

// canConnectFirstAccount reports whether the person can connect an account and there is none yet.
func (m Model) canConnectFirstAccount() bool { return len(m.Accounts) == 0 && m.Frame.Manages }

// unfilteredURL returns the address of the view without the filter.
func (m Model) unfilteredURL() string {
	return m.urlWith(func(c *link.Calendar) { c.Filter = link.Filter{} })
}

func (m Model) isToday(d Day) bool { return d.Date.Equal(m.today()) }

// isInMonth reports whether a day belongs to the month that is shown. The first and last weeks of the view may
// contain days of other months.
func (m Model) isInMonth(d Day) bool { return d.Date.Month() == m.Date.Month() }

// dayNumberOrDate returns the number of a day in a month or, for a day of another month, its date.
func (m Model) dayNumberOrDate(d Day) string {
	if m.isInMonth(d) {
		return strconv.Itoa(d.Date.Day())
	}
	return d.Date.Format("2 Jan")
}

// dayClasses returns the CSS classes of a day.
func (m Model) dayClasses(d Day) string {
	var class []string
	for _, c := range []struct {
		name  string
		holds bool
	}{
		{"today", m.isToday(d)},
		{"past", d.Date.Before(m.today())},
		{"outside", !m.isInMonth(d)},
		{"chosen", d.Date.Equal(m.Date)},
	} {
		if c.holds {
			class = append(class, c.name)
		}
	}
	return strings.Join(class, " ")
}

// dayName returns a day's date for a heading.
func (m Model) dayName(d Day) string {
	return ui.FormatDay(longDay, d.Date, m.today())
}

// dayAriaLabel returns a day's date and number of posts, for screen readers.
func (m Model) dayAriaLabel(d Day) string { return m.dayName(d) + ", " + postCountText(d.Total) }

func postCountText(n int) string {
	if n == 0 {
		return "no posts"
	}
	return ui.CountNoun(n, "post", "posts")
}

// On a phone, each post of a day in the month is a dot. If there are more than mostDots, there is one dot for each
// state of the first posts, but no more than mostStates, and the number of posts is beside them. A failed post of the
// day then always has a dot, the first.
const (
	mostDots   = 3
	mostStates = 4
)

// dotStates returns the states of the day's dots.
func (d Day) dotStates() (states []string) {
	if d.Total <= mostDots {
		for _, p := range d.Posts {
			states = append(states, slices.Repeat([]string{p.Status}, p.Count)...)
		}
		return states
	}
	if d.HasFailed {
		states = []string{string(core.PostFailed)}
	}
	for _, p := range d.Posts {
		if len(states) < mostStates && !slices.Contains(states, p.Status) {
			states = append(states, p.Status)
		}
	}
	return states
}

// dotLegendStates returns the states of the month's dots, each once, for the legend below the month.
func (m Model) dotLegendStates() (list []string) {
	var shown []string
	for _, d := range m.Days {
		shown = append(shown, d.dotStates()...)
	}
	for _, state := range states {
		if slices.Contains(shown, state.Value) {
			list = append(list, state.Value)
		}
	}
	if slices.Contains(shown, ui.Replaced) {
		list = append(list, ui.Replaced)
	}
	return list
}

// totalBesideDotsOrEmpty returns the number of the day's posts, which is shown beside its dots, or "" if each post
// has a dot.
func (d Day) totalBesideDotsOrEmpty() string {
	switch {
	case d.Total <= mostDots:
		return ""
	case d.Total > 99:
		return "99+"
	}
	return strconv.Itoa(d.Total)
}

// clockChangeText says how a clock change affects the length of the day. It returns "" if the day has none.
func (d Day) clockChangeText() (textOrEmpty string) {
	if d.ClockChange == 0 {
		return ""
	}
	by, direction := d.ClockChange, "forward"
	if by < 0 {
		by, direction = -by, "back"
	}
	hours := strconv.FormatFloat((24*time.Hour - d.ClockChange).Hours(), 'f', -1, 64)
	return fmt.Sprintf("The clocks go %s by %s, so this day has %s hours.", direction, formatMinutesOrHours(by), hours)
}

func formatMinutesOrHours(d time.Duration) string {
	if d < time.Hour {
		return ui.CountNoun(int(d.Minutes()), "minute", "minutes")
	}
	return ui.CountNoun(int(d.Hours()), "hour", "hours")
}

// proposedComposeTime returns the time for a new post on a day: 09:00 or, if that is past, the next full hour. It
// returns "" if the day is over or has no full hour left, or if the person may not create posts.
func (m Model) proposedComposeTime(d Day) (wallTimeOrEmpty string) {
	at := d.Date.Add(9 * time.Hour)
	if m.isToday(d) {
		now := m.Now.In(m.Zone.Location())
		at = d.Date.Add(time.Duration(max(now.Hour()+1, 9)) * time.Hour)
	}
	if !m.Frame.Writes || d.Date.Before(m.today()) || at.Day() != d.Date.Day() {
		return ""
	}
	return at.Format(wallTime)
}

// composeURL returns the address of the composer. If the view is a day, the composer proposes a time on that day.
func (m Model) composeURL() string {
	if at := m.proposedComposeTime(m.Days[0]); m.Shown.View == link.ViewDay && at != "" {
		return m.Frame.Link.ComposeAt(at)
	}
	return m.Frame.Link.Compose()
}

// composeTimeInHour returns the time for a new post in an hour of a day. It returns "" if the hour has begun or is
// skipped, or if the person may not create posts.
func (m Model) composeTimeInHour(d Day, h Hour) (wallTimeOrEmpty string) {
	at := d.Date.Add(time.Duration(h.Hour) * time.Hour)
	now := m.Now.In(m.Zone.Location())
	over := d.Date.Before(m.today()) || m.isToday(d) && h.Hour <= now.Hour()
	if !m.Frame.Writes || over || h.Skipped {
		return ""
	}
	return at.Format(wallTime)
}

// isCurrentHour reports whether an hour of a day is the present one.
func (m Model) isCurrentHour(d Day, h Hour) bool {
	return m.isToday(d) && h.Hour == m.Now.In(m.Zone.Location()).Hour()
}

// minuteOfCurrentHour returns the minute of the present time, from 0 to 59.
func (m Model) minuteOfCurrentHour() string {
	return strconv.Itoa(m.Now.In(m.Zone.Location()).Minute())
}

// hourClass returns the CSS class of an hour. Quiet hours take less space.
func (m Model) hourClass(d Day, h Hour) (classOrEmpty string) {
	switch {
	case h.Skipped:
		return "skipped"
	case m.isCurrentHour(d, h):
		return "now"
	case m.isEmptyNightHour(h.Hour):
		return "quiet"
	}
	return ""
}

// isEmptyNightHour reports whether an hour is at night and no day has posts in it.
func (m Model) isEmptyNightHour(hour int) bool {
	for _, d := range m.Days {
		if d.Hours[hour].Total > 0 {
			return false
		}
	}
	return hour < 7 || hour > 21
}

func formatHour(hour int) string { return fmt.Sprintf("%02d:00", hour) }

// formatWallTime formats an instant as a local time in the format of inputs for date and time.
func (m Model) formatWallTime(at time.Time) string { return at.In(m.Zone.Location()).Format(wallTime) }

func (m Model) formatClock(at time.Time) string { return at.In(m.Zone.Location()).Format("15:04") }

// stateAndAccountText returns a post's state with its network and account. For several posts, it returns their state
// and their number.
func (p Post) stateAndAccountText() string {
	state := stateText(p.Status)
	if p.standsForSeveral() {
		return state + ", " + postCountText(p.Count)
	}
	return state + ", " + p.Network + ", " + p.Account
}

// stateText returns a post's state in words.
func stateText(status string) string {
	if status == ui.Replaced {
		return ui.StateWord(status) + ", a copy is live"
	}
	return ui.StateWord(status)
}

// networkNames returns the networks of several posts, for screen readers.
func (p Post) networkNames() string {
	names := make([]string, len(p.Networks))
	for i, n := range p.Networks {
		names[i] = n.Name
	}
	return strings.Join(names, ", ")
}

func (p Post) standsForSeveral() bool { return p.Count > 1 }

// CountPosts returns how many posts the entries stand for.
func CountPosts(entries []Post) (n int) {
	for _, p := range entries {
		n += p.Count
	}
	return n
}

// excerptOrNoText returns at most maxChars of a post's title or text on one line, or "No text".
func (p Post) excerptOrNoText(maxChars int) string {
	return cmp.Or(core.Excerpt(p.Text, maxChars), "No text")
}

// Maximum lengths of a post's title or text.
const (
	excerptInCell = 48
	excerptInList = 90
)

// excerptForView returns the beginning of a post's title or text that fits into the view.
func (m Model) excerptForView(p Post) string {
	if m.Shown.View == link.ViewMonth || m.Shown.View == link.ViewWeek {
		return p.excerptOrNoText(excerptInCell)
	}
	return p.excerptOrNoText(excerptInList)
}

// states are the options of the filter by state.
var states = []ui.Option{
	{Value: string(core.PostQueued), Label: "Queued"},
	{Value: string(core.PostDraft), Label: "Draft"},
	{Value: string(core.PostLive), Label: "Live"},
	{Value: string(core.PostFailed), Label: "Failed"},
}

// filterChips returns the conditions of the filter.
func (m Model) filterChips() []ui.FilterChip {
	var list []ui.FilterChip
	add := func(what, value string, options []ui.Option, remove func(*link.Filter)) {
		if value != "" {
			list = append(list, ui.FilterChip{
				Label: what + ": " + ui.OptionLabel(options, value),
				URL:   m.urlWith(func(c *link.Calendar) { remove(&c.Filter) }),
			})
		}
	}
	f := m.Shown.Filter
	add("Account", f.Account, m.Accounts, func(f *link.Filter) { f.Account = "" })
	add("Group", f.Group, m.Groups, func(f *link.Filter) { f.Group = "" })
	add("Network", f.Network, m.Networks, func(f *link.Filter) { f.Network = "" })
	add("State", f.Status, states, func(f *link.Filter) { f.Status = "" })
	return list
}
