package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/views/layout"
	"belfry/views/posts"
	"belfry/views/ui"
)

// saveAltTextsAndCreatePosts saves the form's alternative texts, and creates its posts, which counts toward the hourly
// limit. If the form was submitted before and the response was lost, it returns the posts that were created then.
func (r *request) saveAltTextsAndCreatePosts(
	ctx context.Context, form url.Values, m posts.ComposeModel,
) (made contract.Posts, err error) {
	if e := checkNoFileMissing(form, m); e != nil {
		return made, e
	}
	if e := firstUnchosenSettingError(m); e != nil {
		return made, e
	}
	if err := r.saveAltTexts(ctx, m); err != nil { // first, because posts must not be created if this fails
		return made, err
	}
	operation, ok := app.FindOperation("posts_create")
	if !ok {
		return made, errors.New("there is no operation that creates posts")
	}
	answer, err := r.web.cfg.App.RunOperation(ctx, operation, app.Request{
		Caller: r.caller, Decode: app.NewFixedInputDecoder(contract.CreatePosts{PlanPosts: newPlanRequest(m), Confirm: true}),
		ReplayKey: newFormReplayKeyOrNil(form),
	})
	if err == nil {
		err = json.Unmarshal(answer.Body, &made)
	}
	return made, err
}

// createdFlashes are the messages about new posts that are not sent now, one or several, by the form's FieldWhen.
var createdFlashes = map[string][2]string{
	posts.WhenAt: {"Post scheduled", "%d posts scheduled"}, posts.WhenDraft: {"Draft saved.", "%d drafts saved."},
}

// scheduledOrDraftFlashText says what happened to posts of a form that are not sent now, and when scheduled posts go
// out.
func scheduledOrDraftFlashText(m posts.ComposeModel, made ...contract.Post) string {
	text := formatForCount(createdFlashes[m.Values.When], len(made))
	if m.Values.When != posts.WhenAt {
		return text
	}
	if len(made) > 0 && made[0].PublishAt != nil { // all have the same time
		text += " for " + m.Zone.FormatTime(made[0].PublishAt.Time)
	}
	return text + "."
}

// newScheduledOrDraftFlash returns a message about posts of a form that are not sent now. For scheduled posts, it links
// to the calendar.
func (r *request) newScheduledOrDraftFlash(text string, m posts.ComposeModel, saved ...contract.Post) layout.Flash {
	f := layout.Flash{Tone: ui.ToneGood, Text: text}
	if m.Values.When == posts.WhenAt && len(saved) > 0 && saved[0].PublishAt != nil {
		f.URL, f.Label = r.calendarDayLink(saved[0].PublishAt.Time, m.Zone)
	}
	return f
}

// setCreatedFlash stores a message that says what happened to new posts. For posts that are sent now, it offers Undo,
// unless the form is submitted again later, when the posts may have been published, cancelled or changed.
func (r *request) setCreatedFlash(m posts.ComposeModel, made []contract.Post) {
	if m.Values.When != posts.WhenNow {
		r.setFlashWithDetails(r.newScheduledOrDraftFlash(scheduledOrDraftFlashText(m, made...), m, made...))
		return
	}
	before, err := r.web.cfg.App.GetSchedulesToUndoCreation(r.context(), r.caller, made)
	if err != nil { // must not hide that the posts were created
		r.web.cfg.Log.WarnContext(r.context(), "cannot offer to undo sending posts", "error", err)
	}
	if len(before) == 0 {
		r.setFlash(ui.ToneInfo, formatForCount(createdBefore, len(made)))
		return
	}
	f := r.newSendingFlash(before...)
	if at := made[0].PublishAt; at != nil && !f.CountsDownTo.IsZero() { // earlier if the form is submitted again
		f.CountsDownTo = at.Time
	}
	r.setFlashWithDetails(f)
}

// createdBefore says only that one post was created, or several, because they may have changed since then.
var createdBefore = [2]string{"The post was created.", "%d posts were created."}

// formatForCount returns the text for one post, or formats the text for n posts.
func formatForCount(oneAndMany [2]string, n int) string {
	if n == 1 {
		return oneAndMany[0]
	}
	return fmt.Sprintf(oneAndMany[1], n)
}
