package web

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"belfry/internal/app"
	"belfry/internal/core"
	"belfry/views/posts"
)

// parseBulkForm converts the form of an action on several posts to a request.
func parseBulkForm(form url.Values) (app.BulkAction, error) {
	in := app.BulkAction{
		Act: core.Act(form.Get(posts.FieldAct)), IDs: selectedPostIDs(form), Revisions: map[string]string{},
	}
	for i, post := range form[posts.FieldPost] {
		_, in.Revisions[in.IDs[i]], _ = strings.Cut(post, " ")
	}
	var err error
	switch in.Act {
	case core.ActReschedule:
		in.Shift, err = parseShift(form)
	case core.ActQueue:
		in.First = whenFromTimeInputs(form)
		in.Every, err = parseSpacing(form)
		if in.First.PublishAt == "" {
			err = core.NotEntered(posts.FieldAt, "a date and time")
		}
	}
	return in, err
}

// selectedPostIDs returns the ids of the selected posts, each of which the form sends with its revision
// (posts.Row.idWithRevision).
func selectedPostIDs(form url.Values) (ids []string) {
	for _, post := range form[posts.FieldPost] {
		id, _, _ := strings.Cut(post, " ")
		ids = append(ids, id)
	}
	return ids
}

// parseSpacing parses how far apart to schedule posts. It returns the zero Shift for posts at the same time.
func parseSpacing(form url.Values) (shiftOrZero core.Shift, err error) {
	if form.Get(posts.FieldSpread) != posts.SpreadApart {
		return core.Shift{}, nil
	}
	n, err := parseCount(posts.FieldEvery, form.Get(posts.FieldEvery))
	return shiftBy(n, form.Get(posts.FieldEveryUnit)), err
}

// parseShift parses how far, or to which day, to move posts.
func parseShift(form url.Values) (move core.Shift, err error) {
	if form.Get(posts.FieldMove) == posts.MoveToDay {
		day := form.Get(posts.FieldDay)
		if move.Day, err = time.Parse(time.DateOnly, day); err != nil {
			e := core.Invalid(posts.FieldDay, "%q is not a date.", day)
			if day == "" {
				e = core.NotEntered(posts.FieldDay, "a date")
			}
			return move, e.WithCause(err)
		}
		return move, nil
	}
	n, err := parseCount(posts.FieldShift, form.Get(posts.FieldShift))
	if err != nil {
		return move, err
	}
	switch form.Get(posts.FieldMove) {
	case posts.MoveLater:
	case posts.MoveEarlier:
		n = -n
	default:
		return move, core.NotSelected(posts.FieldMove, "Later, Earlier or To a day")
	}
	return shiftBy(n, form.Get(posts.FieldUnit)), nil
}

// parseCount parses the whole number in an input.
func parseCount(inputName, text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		e := core.Invalid(inputName, "%q is not a valid number.", text).WithHint("Enter a whole number, such as 3.")
		if text == "" {
			e = core.NotEntered(inputName, "a whole number, such as 3")
		}
		return 0, e.WithCause(err)
	}
	return n, nil
}

// shiftBy returns a shift by n hours or days.
func shiftBy(n int, unit string) core.Shift {
	if unit == posts.UnitHours {
		return core.Shift{Hours: n}
	}
	return core.Shift{Days: n}
}

// bulkInputNames are the inputs of the actions on several posts.
var bulkInputNames = []string{
	posts.FieldAct, posts.FieldAt, posts.FieldSpread, posts.FieldEvery, posts.FieldEveryUnit,
	posts.FieldMove, posts.FieldShift, posts.FieldUnit, posts.FieldDay,
}

// rememberBulkInput stores what the person entered for an action on several posts, for the next list.
func (r *request) rememberBulkInput(form url.Values) {
	entered := url.Values{}
	for _, name := range bulkInputNames {
		entered.Set(name, form.Get(name))
	}
	r.putSessionValue(r.sessionKeyForWorkspace(keyBulkInput), entered.Encode())
}

// popBulkInputOrProposals returns what the person entered to schedule drafts or to move posts that were refused, or
// else proposals. It removes what they entered from the session.
func (r *request) popBulkInputOrProposals(zone core.Zone) (schedule posts.ScheduleInput, move posts.MoveInput) {
	schedule = posts.ScheduleInput{At: r.timeInputOrProposal(nil, zone), Every: "1"}
	entered, err := url.ParseQuery(r.popSessionValue(r.sessionKeyForWorkspace(keyBulkInput)))
	if err != nil {
		return schedule, move
	}
	switch core.Act(entered.Get(posts.FieldAct)) {
	case core.ActQueue:
		schedule = posts.ScheduleInput{
			At: entered.Get(posts.FieldAt), Apart: entered.Get(posts.FieldSpread) == posts.SpreadApart,
			Every: entered.Get(posts.FieldEvery), Hours: entered.Get(posts.FieldEveryUnit) == posts.UnitHours, Open: true,
		}
	case core.ActReschedule:
		move = posts.MoveInput{
			Way: entered.Get(posts.FieldMove), Number: entered.Get(posts.FieldShift),
			Hours: entered.Get(posts.FieldUnit) == posts.UnitHours, Day: entered.Get(posts.FieldDay), Open: true,
		}
	}
	return schedule, move
}
