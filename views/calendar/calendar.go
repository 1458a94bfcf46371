// Package calendar draws posts by day and hour.
package calendar

import (
	"fmt"
	"hash/fnv"
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
	Date  time.Time // the day of Shown; days are their midnights on the wall clock, written as UTC
	Zone  core.Zone // by which days and hours are told
	Now   time.Time
	Days  []Day
	// Chosen lists the posts of Date on a phone, below the month.
	Chosen *Day
	// Accounts, Groups and Networks can be filtered by. The labels of networks are their names.
	Accounts, Groups, Networks []ui.Option
	// Moved says what a post was moved to, with Undo. Refused is why a post was not moved.
	Moved   *layout.Flash
	Refused *Refusal
}

// Day is a day with the first of its posts. A day of a week has them by hour.
type Day struct {
	Date  time.Time
	Posts []Post
	Total int
	Hours []Hour
	// ClockChange is how far the clocks are put forward on the day, negative if they are put back.
	ClockChange time.Duration
}

// Hour is an hour on the wall clock, with the first of its posts.
type Hour struct {
	Hour  int
	Posts []Post
	Total int
	// Skipped and Twice report what a clock change does to the hour.
	Skipped, Twice bool
}

// Post is a post with a time.
type Post struct {
	ID, Platform, Network, Account, Status, Text string
	At                                           time.Time
	Revision                                     string
	// Movable reports that the person can give the post another time.
	Movable bool
}

// Refusal is why a post was not moved.
type Refusal struct {
	Post  Post
	Error contract.Error
	// SendNow reports that the post can be sent now instead.
	SendNow bool
}

// Inputs of the form that moves a post. At is a time on the workspace's clock, and Revision the post's as it is shown.
const (
	FieldPost     = "post"
	FieldAt       = "at"
	FieldRevision = "revision"
)

const (
	wallTime = "2006-01-02T15:04"
	longDay  = "Monday 2 January"
)

// Version changes if the view would look different. A reader who sends it with link.CalendarSince needs no new
// response until then.
func (m Model) Version() string {
	sum := fnv.New64a()
	_, _ = fmt.Fprint(sum, m.Now.Truncate(time.Hour), m.Days, m.Chosen) // a hash accepts everything
	return strconv.FormatUint(sum.Sum64(), 36)
}

// today returns the midnight of the present day.
func (m Model) today() time.Time { return m.Zone.Today(m.Now) }

// title returns what the view shows: a month, a week, a span or a day.
func (m Model) title() string {
	switch m.Shown.View {
	case link.ViewWeek, link.ViewList:
		return formatSpan(m.Days[0].Date, m.Days[len(m.Days)-1].Date)
	case link.ViewDay:
		return m.Date.Format("Monday 2 January 2006")
	}
	return m.Date.Format("January 2006")
}

// formatSpan returns two days, with the year and month once if they are the same.
func formatSpan(first, last time.Time) string {
	from := "2 January 2006"
	switch {
	case first.Year() == last.Year() && first.Month() == last.Month():
		from = "2"
	case first.Year() == last.Year():
		from = "2 January"
	}
	return first.Format(from) + "–" + last.Format("2 January 2006")
}

// url returns the address of the calendar after a change of its view.
func (m Model) url(change func(*link.Calendar)) string {
	shown := m.Shown
	change(&shown)
	return m.Frame.Link.Calendar(shown)
}

func (m Model) viewURL(view string) string {
	return m.url(func(c *link.Calendar) { c.View = view })
}

func (m Model) dayURL(day time.Time) string {
	return m.url(func(c *link.Calendar) { c.View, c.Date = link.ViewDay, day.Format(time.DateOnly) })
}

// chooseURL returns the address of the month with another day chosen.
func (m Model) chooseURL(day time.Time) string {
	return m.url(func(c *link.Calendar) { c.Date = day.Format(time.DateOnly) })
}

func (m Model) todayURL() string { return m.url(func(c *link.Calendar) { c.Date = "" }) }

// stepURL returns the address of the view before or after this one.
func (m Model) stepURL(by int) string {
	return m.url(func(c *link.Calendar) { c.Date = Step(m.Shown.View, m.Date, by).Format(time.DateOnly) })
}

// Step returns a day of the view that is some views after the one of a day.
func Step(view string, day time.Time, by int) time.Time {
	switch view {
	case link.ViewWeek:
		return day.AddDate(0, 0, 7*by)
	case link.ViewList:
		return day.AddDate(0, 0, ListDays*by)
	case link.ViewDay:
		return day.AddDate(0, 0, by)
	}
	return time.Date(day.Year(), day.Month()+time.Month(by), 1, 0, 0, 0, 0, time.UTC)
}

// ListDays is how many days a list has.
const ListDays = 28

// allPostsURL returns the address of the list of all posts of a day.
func (m Model) allPostsURL(d Day) string {
	f, date := m.Shown.Filter, d.Date.Format(time.DateOnly)
	f.From, f.To = date, date
	if f.Status == "" {
		f.Status = link.AllPosts
	}
	return m.Frame.Link.Posts(f)
}

type viewName struct{ view, name, one string }

var viewNames = []viewName{
	{link.ViewMonth, "Month", "month"}, {link.ViewWeek, "Week", "week"}, {link.ViewList, "List", "4 weeks"},
}

// step names what the arrows go to.
func (m Model) step(word string) string {
	for _, v := range viewNames {
		if v.view == m.Shown.View {
			return word + " " + v.one
		}
	}
	return word + " day"
}

// weeks returns the days of a month by week.
func (m Model) weeks() [][]Day {
	var weeks [][]Day
	for i := 0; i+7 <= len(m.Days); i += 7 {
		weeks = append(weeks, m.Days[i:i+7])
	}
	return weeks
}

// listed returns the days that a list shows: those with posts, and today.
func (m Model) listed() []Day {
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

func (m Model) isToday(d Day) bool { return d.Date.Equal(m.today()) }

// inMonth reports whether a day belongs to the month, and not to the weeks around it.
func (m Model) inMonth(d Day) bool { return d.Date.Month() == m.Date.Month() }

// dayClass returns the classes of a day.
func (m Model) dayClass(d Day) string {
	var class []string
	for _, c := range []struct {
		name  string
		holds bool
	}{
		{"today", m.isToday(d)},
		{"past", d.Date.Before(m.today())},
		{"outside", !m.inMonth(d)},
		{"chosen", d.Date.Equal(m.Date)},
	} {
		if c.holds {
			class = append(class, c.name)
		}
	}
	return strings.Join(class, " ")
}

// dayName returns a day as a heading says it.
func (m Model) dayName(d Day) string {
	layout := longDay
	if d.Date.Year() != m.today().Year() {
		layout += " 2006"
	}
	return d.Date.Format(layout)
}

// dayLabel is what is heard of a day: its date and how many posts it has.
func (m Model) dayLabel(d Day) string { return m.dayName(d) + ", " + countPosts(d.Total) }

func countPosts(n int) string {
	if n == 0 {
		return "no posts"
	}
	return ui.CountNoun(n, "post", "posts")
}

// clockNote says what a clock change does to a day.
func (d Day) clockNote() string {
	by, direction := d.ClockChange, "forward"
	if by < 0 {
		by, direction = -by, "back"
	}
	hours := strconv.FormatFloat((24*time.Hour - d.ClockChange).Hours(), 'f', -1, 64)
	return fmt.Sprintf("Clocks go %s %s: this day has %s hours.", direction, formatHours(by), hours)
}

func formatHours(d time.Duration) string {
	if d < time.Hour {
		return ui.CountNoun(int(d.Minutes()), "minute", "minutes")
	}
	return ui.CountNoun(int(d.Hours()), "hour", "hours")
}

// addAt returns the time on the wall clock at which a click on a day composes: 09:00, or the next whole hour if that is
// past. It is "" for a day that is over, and for somebody who cannot write.
func (m Model) addAt(d Day) string {
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

// addAtHour is addAt for an hour of a day.
func (m Model) addAtHour(d Day, h Hour) string {
	at := d.Date.Add(time.Duration(h.Hour) * time.Hour)
	now := m.Now.In(m.Zone.Location())
	over := d.Date.Before(m.today()) || m.isToday(d) && h.Hour <= now.Hour()
	if !m.Frame.Writes || over || h.Skipped {
		return ""
	}
	return at.Format(wallTime)
}

// isNow reports whether an hour is the present one.
func (m Model) isNow(d Day, h Hour) bool {
	return m.isToday(d) && h.Hour == m.Now.In(m.Zone.Location()).Hour()
}

// minute returns how far the present hour has come.
func (m Model) minute() string { return strconv.Itoa(m.Now.In(m.Zone.Location()).Minute()) }

// hourClass returns the class of an hour. The night takes less room if no day of the week has posts in it.
func (m Model) hourClass(d Day, h Hour) string {
	switch {
	case h.Skipped:
		return "skipped"
	case m.isNow(d, h):
		return "now"
	case m.isQuiet(h.Hour):
		return "quiet"
	}
	return ""
}

// isQuiet reports whether an hour is at night and has no posts on any day.
func (m Model) isQuiet(hour int) bool {
	for _, d := range m.Days {
		if d.Hours[hour].Total > 0 {
			return false
		}
	}
	return hour < 7 || hour > 21
}

func clockHour(hour int) string { return fmt.Sprintf("%02d:00", hour) }

// wall returns an instant as the wall clock shows it.
func (m Model) wall(at time.Time) string { return at.In(m.Zone.Location()).Format(wallTime) }

func (m Model) clock(at time.Time) string { return at.In(m.Zone.Location()).Format("15:04") }

// spokenDetails is what is heard of a post beside its time and words.
func (p Post) spokenDetails() string {
	return ui.StateWord(p.Status) + ", " + p.Network + ", " + p.Account
}

// words returns the beginning of the title or text of a post on one line, of at most longest characters.
func (p Post) words(longest int) string {
	text := strings.Join(strings.Fields(p.Text), " ")
	if text == "" {
		return "No text"
	}
	if runes := []rune(text); len(runes) > longest {
		return strings.TrimSpace(string(runes[:longest-1])) + "…"
	}
	return text
}

// Lengths of the words of posts.
const (
	excerptInCell = 32
	excerptInList = 90
)

// excerpt returns as many words of a post as the view has room for.
func (m Model) excerpt(p Post) string {
	if m.Shown.View == link.ViewMonth || m.Shown.View == link.ViewWeek {
		return p.words(excerptInCell)
	}
	return p.words(excerptInList)
}

// states are the states that can be filtered by.
var states = []ui.Option{
	{Value: string(core.PostQueued), Label: "Queued"},
	{Value: string(core.PostDraft), Label: "Draft"},
	{Value: string(core.PostLive), Label: "Live"},
	{Value: string(core.PostFailed), Label: "Failed"},
}

// chip is a condition of the filter, with the address of the calendar without it.
type chip struct{ label, url string }

func (m Model) chips() []chip {
	var list []chip
	add := func(what, value string, options []ui.Option, remove func(*link.Filter)) {
		if value != "" {
			list = append(list, chip{
				what + ": " + ui.OptionLabel(options, value), m.url(func(c *link.Calendar) { remove(&c.Filter) }),
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
