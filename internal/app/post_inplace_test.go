package app_test

import (
	"strings"
	"testing"
	"time"

	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/media/mediatest"
)

func (b *bench) editInPlace(p contract.Post, in contract.EditPost) (contract.Post, error) {
	b.t.Helper()
	in.ID, in.InPlace = p.ID, true
	return b.App.EditPost(b.Context(), b.ws.Owner, in)
}

func TestAQueuedPostIsEditedInPlace(t *testing.T) {
	b := newBench(t)
	at := b.Clock.Now().Add(time.Hour)
	post := b.ws.Queued("before", b.ws.Account("threads"), at)
	picture := b.ws.File("loaf.jpg", mediatest.JPEG(640, 640))
	used := b.used()
	edited, err := b.editInPlace(post, contract.EditPost{
		Text: new("after"), MediaIDs: &[]string{picture.ID}, Status: string(core.PostQueued),
	})
	must(t, err)
	if edited.Status != "queued" || !edited.PublishAt.Equal(at) || edited.Text != "after" || len(edited.MediaIDs) != 1 {
		t.Errorf("it is %+v", edited)
	}
	if b.used() != used {
		t.Errorf("%d slots are used, before %d", b.used(), used)
	}
	b.Clock.Set(at)
	b.ws.Work(post)
	must(t, b.Sim.WaitIdle(b.Context())) // until the network has the picture
	b.Clock.Advance(time.Minute)
	if live := b.ws.Work(post); live.Status != "live" || b.Visible("after") != 1 || b.Visible("before") != 0 {
		t.Errorf("it is %s; %d posts as edited, %d as before", live.Status, b.Visible("after"), b.Visible("before"))
	}
	events, err := b.App.ListPostEventsAndNextRetry(b.Context(), b.ws.Owner, post.ID)
	must(t, err)
	if e := events.Events[2]; e.Kind != "queued" || e.Message != "The content was changed." {
		t.Errorf("the timeline says %+v", e)
	}
}

func TestAnEditInPlaceMayChangeTheTimeOrTakeThePostBack(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	post := b.ws.Queued("before", account, b.Clock.Now().Add(time.Hour))
	when := local("2026-10-06T10:00", "UTC")
	edited, err := b.editInPlace(post, contract.EditPost{Text: new("later"), When: &when})
	must(t, err)
	if edited.PublishAt.Format("02 15:04") != "06 10:00" || edited.Text != "later" {
		t.Errorf("it is %+v", edited)
	}
	when = draft()
	edited, err = b.editInPlace(post, contract.EditPost{Text: new("never mind"), When: &when})
	must(t, err)
	if edited.Status != "draft" || edited.Text != "never mind" || b.used() != 0 {
		t.Errorf("it is %+v with %d slots used", edited, b.used())
	}
}

func TestARefusedEditInPlaceChangesNothing(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	post := b.ws.Queued("as it was", account, b.Clock.Now().Add(time.Hour))
	past := local("2026-10-05T08:00", "UTC")
	for name, c := range map[string]struct {
		in   contract.EditPost
		want core.Code
	}{
		"a text that is too long": {contract.EditPost{Text: new(strings.Repeat("x", 501))}, core.CodePlanHasIssues},
		"no text":                 {contract.EditPost{Text: new("")}, core.CodePlanHasIssues},
		"a time in the past":      {contract.EditPost{Text: new("changed"), When: &past}, core.CodePlanHasIssues},
		"a file that is unknown": {
			contract.EditPost{Text: new("changed"), MediaIDs: &[]string{core.NewID[core.MediaKind]().String()}}, core.CodeNotFound,
		},
		"another revision": {contract.EditPost{Text: new("changed"), Revision: "other"}, core.CodeConflict},
	} {
		if _, err := b.editInPlace(post, c.in); core.CodeOf(err) != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	if got := b.ws.Post(post); got.Text != post.Text || got.Status != "queued" || !got.PublishAt.Equal(post.PublishAt.Time) {
		t.Errorf("it is %+v", got)
	}
	b.Clock.Advance(time.Hour)
	if b.ws.Work(post); b.Visible("as it was") != 1 {
		t.Error("it did not go out as it was")
	}
}

func TestAPostWhoseTimeComesWhileItIsEditedGoesOutAsItWas(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	post := b.ws.Queued("as it was", account, b.Clock.Now().Add(time.Hour))
	b.Clock.Advance(time.Hour)
	b.ws.Work(post)
	_, err := b.editInPlace(post, contract.EditPost{Text: new("too late"), Revision: "the one of the queued post"})
	e := core.ErrorOrInternal(err)
	if e.Code != core.CodeConflict || e.Message != "The post was published before you saved. Your changes are not in the post." {
		t.Errorf("the answer is %v", err)
	}
	b.Fault(fault("create", "reject"))
	failed := b.ws.Work(b.ws.Now("refused", account))
	_, err = b.editInPlace(failed, contract.EditPost{Text: new("too late")})
	if e := core.ErrorOrInternal(err); e.Code != core.CodeConflict || !strings.HasPrefix(e.Message, "The post failed before you saved") {
		t.Errorf("the answer is %v", err)
	}
}

// A throttled call may have published the post, which is then looked for by its content: other content would be
// published beside it. The search is repeated even if the network has not shown the post.
func TestContentOfAPostThatMayBePublishedCannotBeChanged(t *testing.T) {
	t.Parallel()
	for _, answer := range []core.Answer{core.AnswerNone, core.AnswerAbsent} {
		t.Run(string(answer), func(t *testing.T) {
			t.Parallel()
			h := apptest.New(t)
			ws := h.Workspace("one")
			post := ws.Queued("as it was", ws.Account("facebook"), h.Clock.Now().Add(time.Hour))
			_, err := h.Pool.Exec(t.Context(), `UPDATE publications SET armed = true, rest = 'hold', answer = $1`, answer)
			must(t, err)
			text := "something else"
			edit := contract.EditPost{ID: post.ID, Text: &text, InPlace: true}
			if _, err := h.App.EditPost(t.Context(), ws.Owner, edit); core.CodeOf(err) != core.CodeConflict {
				t.Errorf("queued: %v", err)
			}
			_, err = h.App.CancelPost(t.Context(), ws.Owner, post.ID)
			must(t, err)
			edit.InPlace = false
			if _, err := h.App.EditPost(t.Context(), ws.Owner, edit); core.CodeOf(err) != core.CodeConflict {
				t.Errorf("as a draft: %v", err)
			}
			copied, err := h.App.DuplicatePost(t.Context(), ws.Owner, post.ID)
			must(t, err)
			edit.ID = copied.ID
			if _, err := h.App.EditPost(t.Context(), ws.Owner, edit); err != nil {
				t.Errorf("the copy: %v", err)
			}
		})
	}
}
