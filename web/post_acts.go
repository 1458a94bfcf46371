package web

import (
	"slices"
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

// handedOver stays true whatever the worker has made of the post by the time it is read.
const handedOver = "The post is handed over. The timeline shows how it goes."

// acted answers an act on a post: back to its page with a word, or the page with why not.
func (v *visit) acted(word string, err error) error {
	if e, ok := refused(err); ok {
		v.retryAfter(e)
		return v.showPost(httpd.Status(e.Code), func(m *posts.ShowModel) { m.Refused = v.web.people(e) })
	}
	if err != nil {
		return err
	}
	v.say(ui.ToneGood, word)
	return v.redirect(link.Post(v.id()))
}

func (v *visit) edited(word string, in contract.EditPost) error {
	_, err := v.web.cfg.App.EditPost(v.ctx(), v.caller, v.id(), in)
	return v.acted(word, err)
}

func (v *visit) queue() error {
	return v.edited("The post is scheduled.", contract.EditPost{Status: string(core.PostQueued)})
}

// sendNow queues a draft for this moment, and moves a queued post to it.
func (v *visit) sendNow() error {
	p, err := v.web.cfg.App.GetPost(v.ctx(), v.caller, v.id())
	if err != nil {
		return err
	}
	in := contract.EditPost{When: &contract.When{Word: posts.WhenNow}}
	if p.Status == string(core.PostDraft) {
		in.Status = string(core.PostQueued)
	}
	return v.edited(handedOver, in)
}

func (v *visit) reschedule() error {
	form, err := v.form()
	if err != nil {
		return err
	}
	_, err = v.web.cfg.App.EditPost(v.ctx(), v.caller, v.id(), contract.EditPost{When: timeIn(form)})
	if e, ok := refused(err); ok && (e.Code == core.CodePlanHasIssues || inputFor(e.Path) == posts.FieldAt) {
		return v.showPost(httpd.Status(e.Code), func(m *posts.ShowModel) {
			told := v.web.people(e)
			m.At, m.WrongAt = form.Get(posts.FieldAt), strings.TrimSpace(told.Message+" "+told.Hint)
			if e.Code == core.CodePlanHasIssues {
				m.WrongAt = told.Hint
			}
		})
	}
	return v.acted("The post has its new time.", err)
}

// toPost leads somebody who opens the address of an act, which only takes forms, to the page of its post.
func (v *visit) toPost() error { return v.redirect(link.Post(v.id())) }

func (v *visit) cancel() error {
	p, err := v.web.cfg.App.CancelPost(v.ctx(), v.caller, v.id())
	if p.Status == string(core.PostFailed) {
		return v.acted("It will not be tried again by itself.", err)
	}
	return v.acted("The post is a draft again and does not go out.", err)
}

func (v *visit) retry() error {
	_, err := v.web.cfg.App.RetryPost(v.ctx(), v.caller, v.id(), contract.RetryPost{})
	return v.acted(handedOver, err)
}

func (v *visit) duplicate() error {
	made, err := v.web.cfg.App.DuplicatePost(v.ctx(), v.caller, v.id())
	if err != nil {
		return v.acted("", err)
	}
	v.say(ui.ToneGood, "This draft is a copy. The original stays as it is.")
	return v.redirect(link.Edit(made.ID))
}

func (v *visit) settle() error {
	form, err := v.form()
	if err != nil {
		return err
	}
	in, word := contract.SettlePost{}, handedOver
	switch form.Get(posts.FieldOutcome) {
	case posts.OutcomeLive:
		in, word = contract.SettlePost{Live: true, URL: form.Get(posts.FieldLink)}, "The post is live, by your word."
	case posts.OutcomeAbsent:
	default:
		return core.Invalid(posts.FieldOutcome, "Say whether the post is live.")
	}
	_, err = v.web.cfg.App.SettlePost(v.ctx(), v.caller, v.id(), in)
	return v.acted(word, err)
}

// confirmSendNow asks once before a post goes out before its time, or without one.
func (v *visit) confirmSendNow() error {
	card, err := v.web.cfg.App.PostCard(v.ctx(), v.caller, v.id())
	if err != nil {
		return err
	}
	if !slices.Contains(card.Acts, core.ActSendNow) {
		return v.toPost()
	}
	points := []string{"It goes out at once. What the network has published cannot be taken back from here."}
	if card.PublishAt != nil {
		points = append(points, "Its time falls away.")
	}
	return v.confirm(layout.SectionPosts, layout.ConfirmModel{
		Title: "Send this post now?", About: aboutOf(card), Points: points, Action: link.SendNow(v.id()), Button: "Send now", Class: "primary",
		Back: link.Post(v.id()), Leave: "Not now",
	})
}

// aboutLength is how much of a post's text stands in a question about it.
const aboutLength = 120

// aboutOf tells which post a question is about.
func aboutOf(card app.PostCard) string {
	return posts.Excerpt(card.Post, aboutLength) + " (" + card.StatusLine + ")"
}

func (v *visit) confirmDelete() error {
	card, err := v.web.cfg.App.PostCard(v.ctx(), v.caller, v.id())
	if err != nil {
		return err
	}
	points := []string{"Its text, settings and timeline are gone for good."}
	if card.Status == string(core.PostFailed) {
		points = append(points, "It stays counted in the month’s posts.")
	}
	return v.confirm(layout.SectionPosts, layout.ConfirmModel{
		Title: "Delete this post?", About: aboutOf(card), Points: points, Action: link.Delete(v.id()), Button: "Delete the post", Back: link.Post(v.id()),
	})
}

func (v *visit) remove() error {
	if err := v.web.cfg.App.DeletePost(v.ctx(), v.caller, v.id()); err != nil {
		return v.acted("", err)
	}
	v.say(ui.ToneGood, "The post is deleted.")
	return v.redirect(link.Posts(link.Filter{}))
}
