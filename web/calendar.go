package web

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/httpd"
	"belfry/views/calendar"
	"belfry/views/layout"
	"belfry/views/link"
	"belfry/views/posts"
	"belfry/views/ui"
)

// How many posts the calendar shows per day or, in a week, per hour.
const (
	monthMost  = 4
	chosenMost = 50
	weekMost   = 2
	listMost   = 8
	dayMost    = 200
)

// showCalendarOrStoreChosenView shows the view in the address or, if there is none, the view that the person chose
// last. If the person has just chosen a view, it stores the choice in the session and redirects to the view.
func (r *request) showCalendarOrStoreChosenView() error {
	query := r.echo.QueryParams()
	if !query.Has(link.ParamView) {
		chosen := r.web.sessions.manager.GetString(r.context(), keyCalendarView)
		query.Set(link.ParamView, cmp.Or(chosen, query.Get(link.ParamUnchosenView)))
	}
	shown := link.ParseCalendar(query)
	if query.Has(link.ParamChoose) {
		r.putSessionValue(keyCalendarView, shown.View)
		return r.redirect(r.link.Calendar(shown))
	}
	m, err := r.loadCalendarAndPopFlash(shown)
	if err != nil {
		return err
	}
	if r.isPollWithoutNews(m) {
		return r.echo.NoContent(http.StatusNoContent)
	}
	return r.render(http.StatusOK, calendar.Page(m), calendar.Part(m))
}

// loadCalendarAndPopFlash loads what the calendar shows in a view. For a whole page, it removes the flash from the
// session to show it.
func (r *request) loadCalendarAndPopFlash(shown link.Calendar) (calendar.Model, error) {
	m := calendar.Model{Shown: shown, Now: r.web.cfg.Now(), Form: newFormID()}
	var err error
	if m.Zone, err = r.loadWorkspaceZone(); err != nil {
		return m, err
	}
	m.Date = dateOrToday(shown, m.Zone, m.Now)
	if err := r.loadCalendarDays(&m); err != nil {
		return m, err
	}
	if m.Accounts, m.Groups, m.Networks, err = r.loadFilterOptions(); err != nil {
		return m, err
	}
	m.Frame, err = r.loadFrameAndPopFlash("Calendar", layout.SectionCalendar)
	return m, err
}

// dateOrToday returns the date of a view of the calendar or, if it has none, the present day.
func dateOrToday(shown link.Calendar, zone core.Zone, now time.Time) time.Time {
	if date, err := time.Parse(time.DateOnly, shown.Date); err == nil {
		return date
	}
	return zone.Today(now)
}

// loadCalendarDays loads the posts of the view, and adds the days with their posts to the model.
func (r *request) loadCalendarDays(m *calendar.Model) error {
	dates, most := calendarDays(m.Shown.View, m.Date)
	var spans []core.CalendarSpan
	for _, date := range dates {
		m.Days = append(m.Days, calendar.Day{Date: date, ClockChange: m.Zone.ClockChange(date)})
		if m.Shown.View == link.ViewWeek {
			spans = append(spans, spansOf24Hours(m.Zone, date)...)
		} else {
			spans = append(spans, core.CalendarSpan{Span: m.Zone.DaySpan(date), Limit: most})
		}
	}
	if m.Shown.View == link.ViewMonth {
		spans = append(spans, core.CalendarSpan{Span: m.Zone.DaySpan(m.Date), Limit: chosenMost})
	}
	f := m.Shown.Filter
	found, err := r.web.cfg.App.ListCalendarPosts(r.context(), r.caller, calendarListRequestWithoutNetwork(f),
		core.Platform(f.Network), spans)
	if err != nil {
		return err
	}
	for i := range m.Days {
		d := &m.Days[i]
		if m.Shown.View == link.ViewWeek {
			r.addHoursAndTotal(d, m.Zone, found[24*i:24*(i+1)])
			continue
		}
		d.Posts, d.Total, d.HasFailed = r.convertCalendarPosts(found[i].Posts), found[i].Total, found[i].HasFailed
		if m.Shown.View == link.ViewMonth && d.Total > calendar.CountPosts(d.Posts) {
			d.Posts = d.Posts[:monthMost-1] // makes room for the link to more
		}
	}
	if m.Shown.View == link.ViewMonth {
		last := found[len(found)-1]
		m.Chosen = &calendar.Day{
			Date: m.Date, Posts: r.convertCalendarPosts(last.Posts), Total: last.Total, ClockChange: m.Zone.ClockChange(m.Date),
		}
	}
	return nil
}

// calendarListRequestWithoutNetwork returns the request for the posts that the calendar's filter selects. The operation
// takes the network separately.
func calendarListRequestWithoutNetwork(f link.Filter) contract.ListPosts {
	return contract.ListPosts{Status: f.Status, AccountID: f.Account, GroupID: f.Group}
}

// calendarDays returns the days that a view shows, and how many posts it shows per day, or 0 for a week, which has a
// limit per hour. A month consists of whole weeks, which begin on Monday.
func calendarDays(view string, date time.Time) (days []time.Time, maxPerDayOrZero int) {
	first, last := date, date
	switch view {
	case link.ViewMonth:
		start := time.Date(date.Year(), date.Month(), 1, 0, 0, 0, 0, time.UTC)
		first, last = mondayOf(start), mondayOf(start.AddDate(0, 1, -1)).AddDate(0, 0, 6)
		maxPerDayOrZero = monthMost
	case link.ViewWeek:
		first = mondayOf(date)
		last = first.AddDate(0, 0, 6)
	case link.ViewList:
		last, maxPerDayOrZero = date.AddDate(0, 0, calendar.ListDays-1), listMost
	case link.ViewDay:
		maxPerDayOrZero = dayMost
	}
	for day := first; !day.After(last); day = day.AddDate(0, 0, 1) {
		days = append(days, day)
	}
	return days, maxPerDayOrZero
}

// mondayOf returns the Monday of a day's week.
func mondayOf(day time.Time) time.Time { return day.AddDate(0, 0, -(int(day.Weekday())+6)%7) }

// spansOf24Hours returns the 24 hours of a day. A clock change can make an hour empty or longer.
func spansOf24Hours(zone core.Zone, date time.Time) []core.CalendarSpan {
	bounds := zone.HourBounds(date)
	spans := make([]core.CalendarSpan, 24)
	for h := range spans {
		spans[h] = core.CalendarSpan{Span: core.Span{From: bounds[h], To: bounds[h+1]}, Limit: weekMost}
	}
	return spans
}

// addHoursAndTotal adds the posts of each hour to a day, and their total.
func (r *request) addHoursAndTotal(d *calendar.Day, zone core.Zone, postsByHour []app.CalendarPosts) {
	bounds := zone.HourBounds(d.Date)
	for h, found := range postsByHour {
		lasts := bounds[h+1].Sub(bounds[h])
		d.Total += found.Total
		d.Hours = append(d.Hours, calendar.Hour{
			Hour: h, Posts: r.convertCalendarPosts(found.Posts), Total: found.Total,
			Skipped: lasts == 0, Twice: lasts > time.Hour,
		})
	}
}

func (r *request) convertCalendarPosts(found []app.CalendarPost) []calendar.Post {
	list := make([]calendar.Post, len(found))
	for i, p := range found {
		list[i] = calendar.Post{
			Count: p.Together,
			ID:    p.ID, Platform: string(p.Platform), Network: r.web.cfg.Networks.DisplayName(p.Platform), Account: p.Account,
			Status: string(p.Status), Text: p.Text, At: p.At, Movable: p.Movable,
			Revision: p.Revision,
		}
		if p.Replaced {
			list[i].Status = ui.Replaced
		}
		for _, platform := range slices.SortedFunc(slices.Values(p.Platforms), r.web.cfg.Networks.CompareOrder) {
			list[i].Networks = append(list[i].Networks, calendar.Network{
				Platform: string(platform), Name: r.web.cfg.Networks.DisplayName(platform),
			})
		}
	}
	return list
}

// showPostsOfCalendarEntry lists the posts that share an entry.
func (r *request) showPostsOfCalendarEntry() error {
	shown := link.ParseCalendar(r.echo.QueryParams())
	f := shown.Filter
	found, err := r.web.cfg.App.ListCalendarEntryPosts(r.context(), r.caller, calendarListRequestWithoutNetwork(f),
		core.Platform(f.Network),
		r.pathID())
	if err != nil {
		return err
	}
	slices.SortStableFunc(found.Posts, func(a, b app.CalendarPost) int {
		return r.web.cfg.Networks.CompareOrder(a.Platform, b.Platform)
	})
	m := calendar.TogetherModel{PostID: r.pathID(), Posts: r.convertCalendarPosts(found.Posts), Total: found.Total}
	if m.Zone, err = r.loadWorkspaceZone(); err != nil {
		return err
	}
	title := ui.CountNoun(m.Total, "post", "posts") + " at " + m.Zone.FormatTime(m.Posts[0].At)
	if m.Frame, err = r.loadFrameAndPopFlash(title, layout.SectionCalendar); err != nil {
		return err
	}
	if r.wantsFragment() {
		return r.render(http.StatusOK, calendar.TogetherPart(m), nil)
	}
	return r.showPostsOfEntryOrDay(m, shown)
}

// showMovablePostsOfDay lists the posts of a day that the person may move, with all of them selected. Without any, it
// shows the day.
func (r *request) showMovablePostsOfDay() error {
	zone, err := r.loadWorkspaceZone()
	if err != nil {
		return err
	}
	shown := link.ParseCalendar(r.echo.QueryParams())
	date := dateOrToday(shown, zone, r.web.cfg.Now())
	shown.View, shown.Date = link.ViewDay, date.Format(time.DateOnly)
	movable, err := r.web.cfg.App.ListMovablePosts(r.context(), r.caller, calendarListRequestWithoutNetwork(shown.Filter),
		core.Platform(shown.Network), core.CalendarSpan{Span: zone.DaySpan(date), Limit: app.MaxBulk})
	if err != nil {
		return err
	}
	if movable.Total == 0 {
		return r.redirect(r.link.Calendar(shown))
	}
	m := calendar.TogetherModel{Zone: zone, Posts: r.convertCalendarPosts(movable.Posts), Total: movable.Total}
	title := ui.CountNoun(m.Total, "post", "posts") + " on " + date.Format("Monday 2 January 2006")
	if m.Frame, err = r.loadFrameAndPopFlash(title, layout.SectionCalendar); err != nil {
		return err
	}
	return r.showPostsOfEntryOrDay(m, shown)
}

// showPostsOfEntryOrDay shows the first app.MaxBulk posts of an entry or a day on a page, with the actions that the
// list offers for their status. Those of a day are selected unless an action has just been refused.
func (r *request) showPostsOfEntryOrDay(together calendar.TogetherModel, shown link.Calendar) error {
	ids := make([]string, len(together.Posts))
	for i, p := range together.Posts {
		ids[i] = p.ID
	}
	cards, err := r.web.cfg.App.FindPostCards(r.context(), r.caller, ids)
	if err != nil {
		return err
	}
	if len(cards) == 0 { // they have just been deleted
		return core.NotFound()
	}
	m := posts.ListModel{
		Frame: together.Frame, Zone: together.Zone, Now: r.web.cfg.Now(), Form: newFormID(),
		Calendar: &shown,
	}
	m.Schedule, m.Move = r.popBulkInputOrProposals(together.Zone)
	hasOtherStatus := func(card app.PostCard) bool { return card.Status != cards[0].Status }
	if status := cards[0].Status; status != string(core.PostQueued) && !slices.ContainsFunc(cards, hasOtherStatus) {
		m.Filter.Status = status
	}
	selectedIDs := r.popSelectionUnlessFragment()
	if shown.Date != "" && len(selectedIDs) == 0 {
		selectedIDs = ids
	}
	if err := r.loadFilesAndAddRows(&m, cards, selectedIDs); err != nil {
		return err
	}
	back := shown
	back.Date = cmp.Or(shown.Date, together.Posts[0].At.In(together.Zone.Location()).Format(time.DateOnly))
	backURL, backLabel := r.link.Calendar(back), posts.BackToCalendar
	if query := r.echo.QueryParam(layout.FieldQuery); query != "" {
		backURL, backLabel = r.link.Search(query), "Back to search"
	}
	return r.render(http.StatusOK, posts.Together(m, together.Total, backURL, backLabel), nil)
}

// moveCalendarEntryOrUndo moves a post, or all posts that share its entry, to another time or, for Undo, back, and
// shows the calendar.
func (r *request) moveCalendarEntryOrUndo(form url.Values) error {
	zone, err := r.loadWorkspaceZone()
	if err != nil {
		return err
	}
	shown := link.ParseCalendar(r.echo.QueryParams())
	isUndo := form.Has(posts.FieldBefore)
	in := contract.EditPost{
		ID: form.Get(calendar.FieldPost), Revision: form.Get(calendar.FieldRevision),
		When: &contract.When{PublishAt: trimZeroSeconds(form.Get(calendar.FieldAt)), Timezone: zone.Name()},
	}
	flash, mayBeOutdated, err := doOnce(r, form, func(ctx context.Context) (layout.Flash, error) {
		switch {
		case isUndo:
			return r.restoreSchedules(ctx, form, func(restored []app.PostSchedule) string {
				return movedBackText(restored, zone)
			})
		case form.Get(calendar.FieldTogether) != "":
			return r.movePostsOfCalendarEntry(ctx, in, shown.Filter, zone)
		}
		return r.moveSinglePost(ctx, in, zone)
	})
	if e, ok := asFormRefusal(err); ok && !isUndo {
		return r.renderMoveError(form, e)
	}
	if err != nil {
		return err
	}
	if mayBeOutdated {
		flash = newRepeatedFlash(flash)
	}
	if flash.Action != nil {
		flash.Action.URL = r.link.MovePostInCalendar(shown)
	}
	if !r.wantsFragment() {
		r.setFlashWithDetails(flash)
		return r.redirect(r.link.Calendar(shown))
	}
	m, err := r.loadCalendarAndPopFlash(shown)
	if err != nil {
		return err
	}
	m.Moved = &flash
	return r.render(http.StatusOK, calendar.Page(m), calendar.MovedPart(m))
}

// movedBackText says that posts have their earlier times again, and which if it is the same for all.
func movedBackText(before []app.PostSchedule, zone core.Zone) string {
	at := before[0].At
	switch {
	case slices.ContainsFunc(before, func(s app.PostSchedule) bool { return !s.At.Equal(at) }):
		return "Move undone."
	case len(before) == 1:
		return "Moved back to " + zone.FormatTime(at) + "."
	}
	return ui.CountNoun(len(before), "post", "posts") + " moved back to " + zone.FormatTime(at) + "."
}

// moveSinglePost moves a post to another time, and returns the message about it.
func (r *request) moveSinglePost(ctx context.Context, in contract.EditPost, zone core.Zone) (layout.Flash, error) {
	moved, before, err := r.web.cfg.App.EditPostWithUndo(ctx, r.caller, in)
	if err != nil {
		return layout.Flash{}, err
	}
	return layout.Flash{
		Tone: ui.ToneGood, Text: describeNewTime("Moved to ", moved, zone), Action: r.newUndoAction(before),
	}, nil
}

// movePostsOfCalendarEntry is moveSinglePost for all posts that share an entry. If all are refused, it returns the
// first reason.
func (r *request) movePostsOfCalendarEntry(
	ctx context.Context, in contract.EditPost, f link.Filter, zone core.Zone,
) (layout.Flash, error) {
	result, err := r.web.cfg.App.MoveCalendarEntryPosts(ctx, r.caller, calendarListRequestWithoutNetwork(f),
		core.Platform(f.Network), in)
	if result.Done == 0 {
		if err == nil && len(result.Refused) > 0 {
			err = result.Refused[0].Cause
		}
		return layout.Flash{}, err
	}
	return r.logErrorAndAddToFlash(ctx, r.newBulkFlash(core.ActReschedule, result, zone), err,
		"Move those posts again."), nil
}

// renderMoveError renders the calendar with the reason why a post was not moved. For a whole entry, none of its posts
// was moved. If the time is in the past, the page offers to send a single post now.
func (r *request) renderMoveError(form url.Values, e *core.Error) error {
	r.setRetryAfterHeader(e)
	p, err := r.web.cfg.App.GetPostCard(r.context(), r.caller, form.Get(calendar.FieldPost))
	if err != nil {
		return err
	}
	m, err := r.loadCalendarAndPopFlash(link.ParseCalendar(r.echo.QueryParams()))
	if err != nil {
		return err
	}
	if form.Get(calendar.FieldTogether) != "" {
		shown := link.ParseCalendar(r.echo.QueryParams()).Filter
		entry, err := r.web.cfg.App.ListCalendarEntryPosts(r.context(), r.caller, calendarListRequestWithoutNetwork(shown),
			core.Platform(shown.Network), p.ID)
		if err != nil && core.CodeOf(err) != core.CodeNotFound { // the post may have left the entry
			return err
		}
		p.Revision = entry.EntryRevision
	}
	m.Refused = &calendar.Refusal{
		Post:  calendar.Post{ID: p.ID, Text: cmp.Or(valueOrZero(p.Title), p.Text), Revision: p.Revision},
		Error: *r.web.errorForPeople(e), At: form.Get(calendar.FieldAt), Together: form.Get(calendar.FieldTogether),
	}
	if e.Code == core.CodePlanHasIssues {
		m.Refused.Error.Message = "" // the hint contains the issues
	}
	isPast := func(issue core.Issue) bool { return issue.Code == core.IssueTimeInPast.Code }
	for _, row := range e.Rows {
		m.Refused.SendNow = m.Refused.SendNow || m.Refused.Together == "" && slices.ContainsFunc(row.Issues, isPast)
	}
	return r.render(httpd.Status(e.Code), calendar.Page(m), calendar.RefusedPart(m))
}

// redirectToCalendar redirects a person who opens the address of a move, which accepts only forms, to the calendar.
func (r *request) redirectToCalendar() error {
	return r.redirect(r.link.Calendar(link.ParseCalendar(r.echo.QueryParams())))
}
