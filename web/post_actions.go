package web

import (
	"errors"
	"net/url"
	"strings"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/httpd"
	"belfry/views/layout"
	"belfry/views/link"
	"belfry/views/posts"
	"belfry/views/ui"
)

const flashCopy = "This is a copy. The original post is unchanged."

// redirectToPostOrShowRefusal responds to an action on a post: it redirects to the post's page with a message, or shows
// the page with the error.
func (r *request) redirectToPostOrShowRefusal(message string, err error) error {
	return r.redirectToPostWithFlashOrShowRefusal(layout.Flash{Tone: ui.ToneGood, Text: message}, err)
}

// redirectToPostWithFlashOrShowRefusal is redirectToPostOrShowRefusal for a message with details or a button.
func (r *request) redirectToPostWithFlashOrShowRefusal(message layout.Flash, err error) error {
	if e, ok := asFormRefusal(err); ok {
		r.setRetryAfterHeader(e)
		return r.renderPost(httpd.Status(e.Code), func(m *posts.ShowModel) { m.Refused = r.web.errorForPeople(e) })
	}
	if err != nil {
		return err
	}
	r.setFlashWithDetails(message)
	return r.redirect(r.link.PostOpenedFrom(r.pathID(), r.findBackToCalendarURL()))
}

// queuePost queues a draft for the time that is saved with it.
func (r *request) queuePost(form url.Values) error {
	_, err := r.web.cfg.App.EditPost(r.context(), r.caller, contract.EditPost{
		ID: r.pathID(), Revision: form.Get(posts.FieldRevision), Status: string(core.PostQueued),
	})
	return r.redirectToPostOrShowRefusal("Post scheduled.", err)
}

// sendPostAfterDelay publishes a draft or a queued post after a short delay in which the person can undo it.
func (r *request) sendPostAfterDelay(form url.Values) error {
	before, err := r.web.cfg.App.SendPostAfterUndoDelay(r.context(), r.caller, r.pathID(), form.Get(posts.FieldRevision))
	return r.redirectToPostWithFlashOrShowRefusal(r.newSendingFlash(before), err)
}

func (r *request) reschedulePost(form url.Values) error {
	p, before, err := r.web.cfg.App.EditPostWithUndo(r.context(), r.caller, contract.EditPost{
		ID: r.pathID(), When: new(whenFromTimeInputs(form)), Revision: form.Get(posts.FieldRevision),
	})
	if e, ok := asFormRefusal(err); ok && (e.Code == core.CodePlanHasIssues ||
		inputForFieldPath(e.Path) == posts.FieldAt || errors.Is(err, app.ErrPostChanged)) {
		return r.renderPost(httpd.Status(e.Code), func(m *posts.ShowModel) {
			told := r.web.errorForPeople(e)
			m.At, m.WrongAt = form.Get(posts.FieldAt), strings.TrimSpace(told.Message+" "+told.Hint)
			if e.Code == core.CodePlanHasIssues {
				m.WrongAt = told.Hint
			}
		})
	}
	if err != nil {
		return r.redirectToPostOrShowRefusal("", err)
	}
	zone, err := core.ParseZone(p.TZ)
	if err != nil {
		return err
	}
	calendarZone, err := r.loadWorkspaceZone()
	if err != nil {
		return err
	}
	act := "Moved to "
	if before.At.IsZero() {
		act = "Time set to "
	}
	message := r.newUndoFlash(describeNewTime(act, p, zone), before)
	message.URL, message.Label = r.calendarDayLink(p.PublishAt.Time, calendarZone)
	if before.Status == core.PostQueued {
		message = r.withOutcomeUpdates(message, []string{before.ID})
	}
	return r.redirectToPostWithFlashOrShowRefusal(message, nil)
}

// describeNewTime says, after the words act, when a post is now to be published.
func describeNewTime(act string, p contract.Post, zone core.Zone) string {
	text := act + zone.FormatTime(p.PublishAt.Time) + "."
	if p.Status == string(core.PostDraft) {
		text += " The post is still a draft and will not be published until you schedule it."
	}
	return text
}

// redirectToPost redirects a person who opens the address of an action, which accepts only forms, to the post's page.
func (r *request) redirectToPost() error { return r.redirect(r.link.Post(r.pathID())) }

// cancelPost moves a queued post back to drafts, or stops the automatic retries of a failed post.
func (r *request) cancelPost(form url.Values) error {
	p, before, err := r.web.cfg.App.CancelPostWithUndo(r.context(), r.caller, r.pathID(), form.Get(posts.FieldRevision))
	if p.Status == string(core.PostFailed) {
		return r.redirectToPostOrShowRefusal("Automatic retries stopped.", err)
	}
	message := r.newUndoFlash("Moved to drafts. The post will not be published.", before)
	return r.redirectToPostWithFlashOrShowRefusal(message, err)
}

func (r *request) retryPost(form url.Values) error {
	p, err := r.web.cfg.App.RetryPostFromDashboard(r.context(), r.caller, r.pathID(), form.Get(posts.FieldRevision))
	return r.redirectToPostWithFlashOrShowRefusal(r.newQueuedAgainFlash(p), err)
}

// duplicatePost copies a post and opens the copy, with the choice of time in the form, if any.
func (r *request) duplicatePost(form url.Values) error {
	made, err := r.web.cfg.App.DuplicatePostFromDashboard(r.context(), r.caller, r.pathID(), form.Get(posts.FieldRevision))
	if err != nil {
		return r.redirectToPostOrShowRefusal("", err)
	}
	r.setFlash(ui.ToneGood, flashCopy)
	if when := form.Get(posts.FieldWhen); when != "" {
		return r.redirect(r.link.EditPostWhen(made.ID, when))
	}
	return r.redirect(r.link.EditPost(made.ID))
}

// resolveOutcome records a person's answer to the question whether the post is live. A post that is not live is queued
// again.
func (r *request) resolveOutcome(form url.Values) error {
	var in contract.ResolveOutcome
	switch form.Get(posts.FieldOutcome) {
	case posts.OutcomeLive:
		in = contract.ResolveOutcome{Live: true, URL: form.Get(posts.FieldLink)}
	case posts.OutcomeAbsent:
	default:
		return core.NotSelected(posts.FieldOutcome, "whether the post is live")
	}
	in.Revision = form.Get(posts.FieldRevision)
	p, err := r.web.cfg.App.ResolveOutcome(r.context(), r.caller, r.pathID(), in)
	if in.Live {
		return r.redirectToPostOrShowRefusal("Marked as live.", err)
	}
	return r.redirectToPostWithFlashOrShowRefusal(r.newQueuedAgainFlash(p), err)
}

// aboutLength is how many characters of a post's text a confirmation shows.
const aboutLength = 120

func (r *request) showDeletePostConfirmation() error {
	card, err := r.web.cfg.App.GetPostCard(r.context(), r.caller, r.pathID())
	if err != nil {
		return err
	}
	points := []string{"Its text, settings and timeline are deleted permanently."}
	if card.Status == string(core.PostQueued) {
		points = append(points, "It is taken off the schedule and will not be published.")
	}
	if card.Status == string(core.PostFailed) {
		points = append(points, "It still counts toward the monthly quota.")
	}
	return r.renderConfirmation(layout.SectionPosts, layout.ConfirmModel{
		Title: "Delete this post?", Subject: posts.TitleOrText(card.Post, aboutLength), About: card.StatusLine,
		Points: points, Action: r.link.DeletePost(r.pathID()),
		Button: "Delete post", Back: r.link.Post(r.pathID()), Keep: "Keep post",
		Fields: []ui.Hidden{newFormIDField(), {Name: posts.FieldRevision, Value: card.Revision}},
	})
}

func (r *request) deletePost(form url.Values) error {
	err := r.web.cfg.App.DeletePostEvenIfQueued(r.context(), r.caller, r.pathID(), form.Get(posts.FieldRevision))
	if err != nil {
		return r.redirectToPostOrShowRefusal("", err)
	}
	r.setFlash(ui.ToneGood, "Post deleted.")
	return r.redirect(r.link.Posts(link.Filter{}))
}
