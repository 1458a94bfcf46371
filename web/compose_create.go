package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/views/layout"
	"belfry/views/link"
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
		Replay: newFormReplayOrNil(form),
	})
	if err == nil {
		err = json.Unmarshal(answer.Body, &made)
	}
	return made, err
}

// createdFlashes are the messages about new posts, one or several, by the form's FieldWhen.
var createdFlashes = map[string][2]string{
	posts.WhenNow: {flashSending, flashSendingMany}, posts.WhenAt: {"Post scheduled", "%d posts scheduled"},
	posts.WhenDraft: {"Draft saved.", "%d drafts saved."},
}

// createdFlashText says what happened to posts of a form that are not sent now, and when scheduled posts go out.
func createdFlashText(m posts.ComposeModel, made ...contract.Post) string {
	text := formatForCount(createdFlashes[m.Values.When], len(made))
	if m.Values.When != posts.WhenAt {
		return text
	}
	if len(made) > 0 && made[0].PublishAt != nil { // all have the same time
		text += " for " + m.Zone.FormatTime(made[0].PublishAt.Time)
	}
	return text + "."
}

// setCreatedFlash stores a message that says what happened to new posts. For scheduled posts, it links to the calendar.
// For posts that are sent now, it offers Undo, unless the form is submitted again later, when the posts may have been
// published, cancelled or changed.
func (r *request) setCreatedFlash(m posts.ComposeModel, made []contract.Post) {
	if m.Values.When != posts.WhenNow {
		f := layout.Flash{Tone: ui.ToneGood, Text: createdFlashText(m, made...)}
		if m.Values.When == posts.WhenAt && len(made) > 0 && made[0].PublishAt != nil {
			f.URL, f.Label = r.calendarDayLink(made[0].PublishAt.Time, m.Zone)
		}
		r.setFlashWithDetails(f)
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
	f := layout.Flash{
		Tone: ui.ToneGood, Text: formatForCount(createdFlashes[posts.WhenNow], len(before)),
		Action: r.newUndoAction(before...),
	}
	if len(made) > 1 { // the only post has its page, which shows that it is live
		f.URL, f.Label = r.link.Posts(link.Filter{Status: string(core.PostLive)}), viewLivePosts
	}
	if len(made) > 1 && len(before) <= app.MaxBulk { // an address with more could be too long
		for _, p := range before {
			f.Posts = append(f.Posts, p.ID)
		}
		f.UpdateURL = r.link.SentPosts(f.Posts...)
	}
	r.setFlashWithDetails(f)
}

const viewLivePosts = "View live posts"

// showSentPosts renders the message about posts that were sent together, once none of them is queued. A retry can still
// change what became of them, so the message is updated again.
func (r *request) showSentPosts() error {
	if !r.wantsFragment() {
		return r.redirect(r.link.Home())
	}
	sent := r.echo.QueryParams()[posts.FieldPost]
	counts, err := r.web.cfg.App.CountPostsAmong(r.context(), r.caller, sent)
	if err != nil {
		return err
	}
	live, failed := counts[core.PostLive], counts[core.PostFailed]
	switch {
	case counts[core.PostQueued] > 0:
		return r.echo.NoContent(http.StatusNoContent)
	case live+failed == 0: // they were moved back to drafts or deleted
		r.echo.Response().Header().Set("HX-Reswap", "delete")
		return r.echo.NoContent(http.StatusOK)
	}
	f := layout.Flash{
		Tone: ui.ToneGood, Text: ui.CountNoun(live, "post is", "posts are") + " live.",
		URL: r.link.Posts(link.Filter{Status: string(core.PostLive)}), Label: viewLivePosts,
		Posts: sent, UpdateURL: r.link.SentPosts(sent...),
	}
	if failed > 0 {
		failures := ui.CountNoun(failed, "post", "posts") + " failed."
		f.Tone, f.Text = ui.ToneDanger, f.Text+" "+failures
		if live == 0 {
			f.Text = failures
		}
		f.URL, f.Label = r.link.Posts(link.Filter{Status: string(core.PostFailed)}), "View failed posts"
	}
	return r.render(http.StatusOK, layout.FlashPart(f), nil)
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
