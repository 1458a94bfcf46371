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

// Calendar is a view of the calendar. All of it is in the address.
type Calendar struct {
	View   string // one of the views
	Date   string // a day of what it shows, YYYY-MM-DD, or "" for today
	Filter        // its status is a state, or "" for all
}

// ReadCalendar returns the view in the query of an address: the month, unless the query names another.
func ReadCalendar(query url.Values) Calendar {
	c := Calendar{View: query.Get("view"), Date: query.Get("date"), Filter: ReadFilter(query)}
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

// Query returns what ReadCalendar reads.
func (c Calendar) Query() url.Values {
	query := c.queryValues()
	if c.View != ViewMonth && c.View != "" {
		query.Set("view", c.View)
	}
	if c.Date != "" {
		query.Set("date", c.Date)
	}
	return query
}

// Calendar returns the address of a view of the calendar.
func (w Workspace) Calendar(c Calendar) string { return withQuery(w.At("/calendar"), c.Query()) }

// CalendarSince returns the address for news of a view; version is the version that the reader has seen. The response
// is 204 if nothing has changed.
func (w Workspace) CalendarSince(c Calendar, version string) string {
	query := c.Query()
	query.Set("seen", version)
	return withQuery(w.At("/calendar"), query)
}

// CalendarMove gives a post another time, and answers with the view that its query names (POST).
func (w Workspace) CalendarMove(c Calendar) string {
	return withQuery(w.At("/calendar/move"), c.Query())
}

// ComposeAt returns the composer's address with a time, YYYY-MM-DDTHH:MM on the workspace's clock.
func (w Workspace) ComposeAt(wall string) string {
	return withQuery(w.Compose(), url.Values{"at": {wall}})
}
