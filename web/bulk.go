package web

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"belfry/internal/app"
	"belfry/internal/core"
	"belfry/views/layout"
	"belfry/views/link"
	"belfry/views/posts"
	"belfry/views/ui"
)

// safeReturnURLOrPostsURL returns the page to show after an action on several posts: the requested one if it is a
// page of this server, or else the list of queued posts.
func (r *request) safeReturnURLOrPostsURL(requested string) string {
	return cmp.Or(safeReturnURL(requested), r.link.Posts(link.Filter{}))
}

// changeSelectedPosts applies an action to the selected posts and redirects to the list, where refused posts stay
// selected.
func (r *request) changeSelectedPosts(form url.Values) error {
	in, err := parseBulkForm(form)
	var result app.BulkResult
	if err == nil {
		result, err = r.web.cfg.App.ApplyBulkAction(r.context(), r.caller, in)
	}
	if err != nil || len(result.Refused) > 0 {
		r.rememberBulkInput(form)
	}
	if e, ok := asFormRefusal(err); ok {
		return r.redirectWithRefusalKeepingSelection(form, e)
	}
	if err != nil && result.Done == 0 {
		return err
	}
	r.rememberSelection(refusedIDs(in, result))
	if in.Act == core.ActDuplicate && err == nil && len(result.Refused) == 0 {
		return r.flashAndRedirectToCopies(result.Made)
	}
	zone, zoneErr := r.loadWorkspaceZone()
	if zoneErr != nil {
		return zoneErr
	}
	told := r.logErrorAndAddToFlash(r.context(), r.newBulkFlash(in.Act, result, zone), err,
		"Select those posts and try again.")
	if result.Done > 0 {
		told.URL, told.Label = r.changedPostsLink(in.Act, result, zone)
	}
	next := r.urlShowingSelected(form, refusedIDs(in, result))
	if len(told.Points) == 0 { // an update would remove them
		told = r.withOutcomeUpdates(told, idsOfQueued(in.Act, result))
		if shown, isDay := parseShownCalendarPart(form); isDay && in.Act == core.ActReschedule {
			shown.Date = findEarliest(result.Times).In(zone.Location()).Format(time.DateOnly)
			next, told.URL = r.link.Calendar(shown), ""
		}
	}
	r.setFlashWithDetails(told)
	return r.redirect(next)
}

// idsOfQueued returns the ids of the posts that are queued after an action that changed them.
func idsOfQueued(act core.Act, result app.BulkResult) (ids []string) {
	switch act {
	case core.ActQueue, core.ActRetry:
		return result.Changed
	case core.ActReschedule:
		for _, before := range result.Undo {
			if before.Status == core.PostQueued {
				ids = append(ids, before.ID)
			}
		}
	}
	return ids
}

// refusedIDs returns the ids of the posts that an action refused. Queuing refuses all drafts if it refuses one.
func refusedIDs(in app.BulkAction, result app.BulkResult) (ids []string) {
	if in.Act == core.ActQueue && result.Done == 0 {
		return in.IDs
	}
	for _, refusal := range result.Refused {
		ids = append(ids, refusal.ID)
	}
	return ids
}

// flashAndRedirectToCopies opens the only copy in the composer, with the choice of a time selected. If there are
// several, it shows them selected among the drafts. Either page shows a message.
func (r *request) flashAndRedirectToCopies(ids []string) error {
	if len(ids) == 1 {
		r.setFlash(ui.ToneGood, flashCopy)
		return r.redirect(r.link.EditPostWhen(ids[0], posts.WhenAt))
	}
	r.rememberSelection(ids)
	r.setFlash(ui.ToneGood, ui.CountNoun(len(ids), "post", "posts")+" duplicated. The copies are selected.")
	return r.redirect(r.link.Posts(link.Filter{Status: string(core.PostDraft)}))
}

// changedPostsLink returns the address and the label of a link to the posts that an action has changed, or "" if it has
// deleted them.
func (r *request) changedPostsLink(act core.Act, result app.BulkResult, zone core.Zone) (urlOrEmpty, label string) {
	if act == core.ActRetry && len(result.Changed) == 1 {
		return r.link.Post(result.Changed[0]), viewPost
	}
	switch act {
	case core.ActQueue, core.ActRetry:
		return r.link.Posts(link.Filter{}), "View Up next"
	case core.ActCancel, core.ActDuplicate:
		return r.link.Posts(link.Filter{Status: string(core.PostDraft)}), "View drafts"
	case core.ActReschedule:
		return r.calendarDayLink(findEarliest(result.Times), zone)
	default:
		return "", ""
	}
}

func findEarliest(nonEmptyTimes []time.Time) time.Time {
	return slices.MinFunc(nonEmptyTimes, time.Time.Compare)
}

// calendarDayLink returns the address and the label of a link to the day of an instant in the calendar.
func (r *request) calendarDayLink(at time.Time, zone core.Zone) (url, label string) {
	day := at.In(zone.Location()).Format(time.DateOnly)
	return r.link.Calendar(link.Calendar{Date: day}), "View in the calendar"
}

// redirectWithRefusalKeepingSelection redirects to the posts in a form with the reason for a refusal, and stores them
// as selected for that page.
func (r *request) redirectWithRefusalKeepingSelection(form url.Values, e *core.Error) error {
	ids := selectedPostIDs(form)
	r.rememberSelection(ids)
	told := r.web.errorForPeople(e)
	r.setFlash(ui.ToneDanger, strings.TrimSpace(told.Message+" "+told.Hint))
	return r.redirect(r.urlShowingSelected(form, ids))
}

// urlShowingSelected returns the page to show after an action on several posts, or after its refusal. If the posts were
// chosen on the page of a calendar's entry or day, and any of them are still selected, it returns that page. Otherwise,
// it returns the page in posts.FieldBack.
func (r *request) urlShowingSelected(form url.Values, selectedIDs []string) string {
	shown, isDay := parseShownCalendarPart(form)
	switch {
	case !form.Has(posts.FieldCalendar) || len(selectedIDs) == 0:
		return r.safeReturnURLOrPostsURL(form.Get(posts.FieldBack))
	case isDay:
		return r.link.MovablePostsOfDay(shown)
	}
	return r.link.PostsOfCalendarEntry(url.PathEscape(selectedIDs[0]), shown.Filter)
}

// parseShownCalendarPart returns the part of the calendar whose posts a form changes. isDay reports that it is a day,
// not an entry.
func parseShownCalendarPart(form url.Values) (shown link.Calendar, isDay bool) {
	query, _ := url.ParseQuery(form.Get(posts.FieldCalendar)) // the valid part of an invalid query
	shown = link.ParseCalendar(query)
	return shown, shown.Date != ""
}

// actUndo stands for the undo of an action in newBulkFlash.
const actUndo core.Act = "undo"

// bulkWords are the participle that says what an action did to posts, and the preposition before their times.
var bulkWords = map[core.Act]struct{ participle, preposition string }{
	core.ActQueue: {"scheduled", "for"}, core.ActReschedule: {"moved", "to"}, core.ActRetry: {"queued again", ""},
	core.ActCancel: {"moved to drafts", ""}, core.ActDuplicate: {"duplicated", ""}, core.ActDelete: {"deleted", ""},
	actUndo: {"restored", ""},
}

// newBulkFlash says how many posts an action changed, to which times, and why it refused others.
func (r *request) newBulkFlash(act core.Act, result app.BulkResult, zone core.Zone) layout.Flash {
	words := bulkWords[act]
	f := layout.Flash{Tone: ui.ToneGood, Text: ui.CountNoun(result.Done, "post", "posts") + " " + words.participle}
	if len(result.Times) > 0 {
		f.Text += " " + words.preposition + " " + formatTimeOrDays(result.Times, zone)
	}
	if n := len(result.Refused); n > 0 {
		f.Tone = ui.ToneWarn
		f.Text += "; " + strconv.Itoa(n) + " could not be " + words.participle + ":"
		if result.Done == 0 {
			f.Tone, f.Text = ui.ToneDanger, ui.CountNoun(n, "post", "posts")+" could not be "+words.participle+":"
		}
		if act == core.ActQueue {
			f.Text = "Nothing was scheduled. Fix these problems, then try again:"
		}
		f.Points = r.summarizeRefusals(result.Refused)
	} else {
		f.Text += "."
	}
	if len(result.Undo) > 0 {
		f.Action = r.newUndoAction(result.Undo...)
	}
	return f
}

// formatTimeOrDays formats the time of one or more posts: the instant if it is the same for all, or else their day or
// days.
func formatTimeOrDays(times []time.Time, zone core.Zone) string {
	const day = "Mon 2 Jan 2006"
	first, last := slices.MinFunc(times, time.Time.Compare), slices.MaxFunc(times, time.Time.Compare)
	if first.Equal(last) {
		return zone.FormatTime(first)
	}
	from, to := first.In(zone.Location()).Format(day), last.In(zone.Location()).Format(day)
	if from == to {
		return from
	}
	return from + " – " + to
}

// logErrorAndAddToFlash logs the error that ended an action on several posts, and adds a sentence about it to the
// message. advice says what to do with the posts that were not processed. It does nothing if err is nil.
func (r *request) logErrorAndAddToFlash(ctx context.Context, f layout.Flash, err error, advice string) layout.Flash {
	if err == nil {
		return f
	}
	r.web.cfg.Log.ErrorContext(ctx, "an action on several posts ended early", "error", err)
	f.Tone = ui.ToneDanger
	f.Points = append(f.Points, "Belfry ran into an error and did not process the remaining posts. "+advice)
	return f
}

// summarizeRefusals returns each reason for a refusal once, with the post, or the number of posts, that was refused for
// it.
func (r *request) summarizeRefusals(refused []app.BulkRefusal) []string {
	var reasons []string
	byReason := map[string][]app.BulkRefusal{}
	for _, refusal := range refused {
		told := r.web.errorForPeople(refusal.Cause)
		if refusal.Cause.Code == core.CodePlanHasIssues {
			told.Message = "" // the hint contains the issues
		}
		reason := strings.TrimSpace(told.Message + " " + told.Hint)
		if byReason[reason] == nil {
			reasons = append(reasons, reason)
		}
		byReason[reason] = append(byReason[reason], refusal)
	}
	for i, reason := range reasons {
		reasons[i] = r.describeRefusedPosts(byReason[reason]) + ": " + reason
	}
	return reasons
}

// describeRefusedPosts returns the text and the network of a single post. For several posts, or for a deleted one, it
// returns the number of posts.
func (r *request) describeRefusedPosts(refused []app.BulkRefusal) string {
	p := refused[0].Post
	if len(refused) > 1 || p.ID == "" {
		return ui.CountNoun(len(refused), "post", "posts")
	}
	return "“" + posts.TitleOrText(p, titleLength) + "” on " + r.web.cfg.Networks.DisplayName(core.Platform(p.Platform))
}

// showBulkDeleteConfirmation asks for confirmation before the selected posts are deleted.
func (r *request) showBulkDeleteConfirmation() error {
	query, err := r.readQuery()
	if err != nil {
		return err
	}
	ids := selectedPostIDs(query)
	if e, ok := asFormRefusal(app.CheckPostBatchSize(ids)); ok {
		return r.redirectWithRefusalKeepingSelection(query, e)
	}
	fields := []ui.Hidden{
		newFormIDField(),
		{Name: posts.FieldAct, Value: string(core.ActDelete)},
	}
	for _, name := range []string{posts.FieldBack, posts.FieldCalendar} {
		if query.Has(name) {
			fields = append(fields, ui.Hidden{Name: name, Value: query.Get(name)})
		}
	}
	for _, post := range query[posts.FieldPost] {
		fields = append(fields, ui.Hidden{Name: posts.FieldPost, Value: post})
	}
	n := ui.CountNoun(len(ids), "post", "posts")
	return r.renderConfirmation(layout.SectionPosts, layout.ConfirmModel{
		Title: "Delete " + n + "?",
		Points: []string{
			"Texts, settings and timelines are deleted permanently.", "Failed posts count toward the monthly quota even after you delete them.",
		},
		Action: r.link.ChangeSelectedPosts(), Button: "Delete " + n, Back: r.urlShowingSelected(query, ids), Keep: "Keep " + n, Fields: fields,
	})
}

// redirectToPosts redirects a person who opens the address of an action, which accepts only forms, to the list of
// posts.
func (r *request) redirectToPosts() error { return r.redirect(r.link.Posts(link.Filter{})) }

// newUndoAction returns the button that restores the schedules that posts had before.
func (r *request) newUndoAction(before ...app.PostSchedule) *ui.Action {
	undo := &ui.Action{
		ID: "undo", URL: r.link.UndoPostChange(), Label: "Undo",
		Fields: []ui.Hidden{newFormIDField()},
	}
	for _, s := range before {
		undo.Fields = append(undo.Fields, ui.Hidden{Name: posts.FieldBefore, Value: encodeSchedule(s)})
	}
	return undo
}

// newUndoFlash returns a message that says what happened to posts, with a button that restores their schedule.
func (r *request) newUndoFlash(text string, before ...app.PostSchedule) layout.Flash {
	return layout.Flash{Tone: ui.ToneGood, Text: text, Action: r.newUndoAction(before...)}
}

// undoPostChange restores the schedules that posts had before an action.
func (r *request) undoPostChange(form url.Values) error {
	zone, err := r.loadWorkspaceZone()
	if err != nil {
		return err
	}
	var at time.Time
	flash, err := r.restoreSchedules(r.context(), form, func(restored []app.PostSchedule) string {
		at = restored[0].At
		return "Undone."
	})
	if err != nil {
		return err
	}
	if !at.IsZero() && r.findBackToCalendarURL() != "" { // the page may show the day to which the posts had been moved
		flash.URL, flash.Label = r.calendarDayLink(at, zone)
	}
	r.setFlashWithDetails(flash)
	return r.redirect(cmp.Or(r.refererPageURL(), r.link.Posts(link.Filter{})))
}

// restoreSchedules restores the schedules in the form of newUndoAction, and returns the message about it. If it has
// not restored all of them, the message says why, without a call of describeIfAllRestored.
func (r *request) restoreSchedules(
	ctx context.Context, form url.Values, describeIfAllRestored func(restored []app.PostSchedule) string,
) (layout.Flash, error) {
	var before []app.PostSchedule
	for _, text := range form[posts.FieldBefore] {
		s, err := decodeSchedule(text)
		if err != nil {
			return layout.Flash{}, core.Invalid(posts.FieldBefore, "Belfry cannot undo this change.").
				WithHint("Open the posts and change them back yourself.").WithCause(err)
		}
		before = append(before, s)
	}
	result, err := r.web.cfg.App.RestorePostSchedules(ctx, r.caller, before)
	if err != nil && result.Done == 0 {
		return layout.Flash{}, err
	}
	if len(result.Refused) == 0 && err == nil {
		return layout.Flash{Tone: ui.ToneGood, Text: describeIfAllRestored(before)}, nil
	}
	f := r.newBulkFlash(actUndo, result, core.Zone{})
	return r.logErrorAndAddToFlash(ctx, f, err, "Open those posts and change them back yourself."), nil
}

// encodeSchedule encodes a post's schedule as the value of an input: id, status, revision, zone and, if the post has a
// time, that time in microseconds of Unix time.
func encodeSchedule(s app.PostSchedule) string {
	text := s.ID + " " + string(s.Status) + " " + s.Revision + " " + s.Zone.Name()
	if !s.At.IsZero() {
		text += " " + strconv.FormatInt(s.At.UnixMicro(), 10)
	}
	return text
}

// decodeSchedule decodes the result of encodeSchedule.
func decodeSchedule(text string) (s app.PostSchedule, err error) {
	parts := strings.Fields(text)
	if len(parts) < 4 || len(parts) > 5 {
		return s, errors.New("a schedule must have four or five parts")
	}
	s.ID, s.Status, s.Revision = parts[0], core.PostStatus(parts[1]), parts[2]
	if s.Zone, err = core.ParseZone(parts[3]); err != nil {
		return s, err
	}
	if len(parts) == 5 {
		micros, err := strconv.ParseInt(parts[4], 10, 64)
		if err != nil {
			return s, err
		}
		s.At = time.UnixMicro(micros).UTC()
	}
	return s, nil
}
