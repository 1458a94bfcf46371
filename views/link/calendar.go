package link

import (
	"net/url"
	"time"
)

// Views of the calendar.
const (
	ViewMonth = "month"
	ViewWeek  = "week"
	ViewList  = "list"
	ViewDay   = "day"
)

// Parameters of the calendar's address. Of these, ParseCalendar reads only ParamView.
const (
	ParamView         = "view"
	ParamUnchosenView = "unchosen" // the view for a person who has chosen none
	ParamChoose       = "choose"   // remember the view
)

// Calendar says what the calendar shows. Its fields are in the query of the calendar's address.
type Calendar struct {
	View   string // one of the views
	Date   string // a day within the view, YYYY-MM-DD, or "" for today
	Filter        // its status is a post's status, or "" for all
}

// ParseCalendar parses the query of the calendar's address. It replaces an invalid view with the month, and an invalid
// date with today.
func ParseCalendar(query url.Values) Calendar {
	c := Calendar{View: query.Get(ParamView), Date: query.Get("date"), Filter: ParseFilter(query)}
	c.Filter = Filter{Status: query.Get("status"), Account: c.Account, Group: c.Group, Network: c.Network}
	switch c.View {
	case ViewWeek, ViewList, ViewDay:
	default:
		c.View = ViewMonth
	}
	if _, err := time.Parse(time.DateOnly, c.Date); err != nil {
		c.Date = ""
	}
	return c
}

// Query returns the query that ParseCalendar parses.
func (c Calendar) Query() url.Values {
	query := c.queryValues()
	if c.View != "" {
		query.Set(ParamView, c.View)
	}
	if c.Date != "" {
		query.Set("date", c.Date)
	}
	return query
}

// Calendar returns the address of a view of the calendar or, if c has no view, of the view that the person chose last.
func (w Workspace) Calendar(c Calendar) string { return withQuery(w.At("/calendar"), c.Query()) }

// CalendarOnPhone is the calendar in the view that the person chose last or, if they chose none, as a list.
func (w Workspace) CalendarOnPhone() string {
	return withQuery(w.At("/calendar"), url.Values{ParamUnchosenView: {ViewList}})
}

// ChooseCalendarView shows a view of the calendar. From then on, the calendar opens in this view.
func (w Workspace) ChooseCalendarView(c Calendar) string {
	query := c.Query()
	query.Set(ParamChoose, "yes")
	return withQuery(w.At("/calendar"), query)
}

// CalendarSince is the address for polling a view; seenHash is the ContentHash of what the page shows. The response is
// 204 if nothing has changed.
func (w Workspace) CalendarSince(c Calendar, seenHash string) string {
	query := c.Query()
	query.Set("seen", seenHash)
	return withQuery(w.At("/calendar"), query)
}

// MovePostInCalendar moves a post to another time and responds with the view c (POST).
func (w Workspace) MovePostInCalendar(c Calendar) string {
	return withQuery(w.At("/calendar/move"), c.Query())
}

// PostsOfCalendarEntry lists a post and the posts that share its entry if the calendar has the filter f. The query of f
// is that of the search to which the page leads back; "" for the calendar.
func (w Workspace) PostsOfCalendarEntry(postID string, f Filter) string {
	return withQuery(w.At("/calendar/posts/"+postID), f.queryValues())
}

// MovablePostsOfDay lists the movable posts of a day of the calendar.
func (w Workspace) MovablePostsOfDay(c Calendar) string {
	return withQuery(w.At("/calendar/posts"), c.Query())
}

// ComposeAt is the composer with a time filled in: YYYY-MM-DDTHH:MM in the workspace's zone.
func (w Workspace) ComposeAt(localTime string) string {
	return withQuery(w.Compose(), url.Values{"at": {localTime}})
}
