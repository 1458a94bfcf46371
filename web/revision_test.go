package web_test

import (
	"net/http"
	"testing"
	"time"

	"belfry/internal/contract"
)

// submit sends the form of a page that a selector finds as a browser does, with some of its fields changed.
func (s *studio) submit(p *page, form string, pairs ...string) *page {
	s.t.Helper()
	values := p.form(s.t, form)
	for i := 0; i < len(pairs); i += 2 {
		values.Set(pairs[i], pairs[i+1])
	}
	return s.b.send(http.MethodPost, attribute(p.one(s.t, form), "action"), values.Encode())
}

// text reads what a post holds.
func (s *studio) text(p contract.Post) string {
	s.t.Helper()
	got, err := s.App.GetPost(s.t.Context(), s.ws.Owner, p.ID)
	must(s.t, err)
	return got.Text
}

// Of two tabs with the same draft, the last one to save overwrote the other without a word.
func TestADraftThatChangedInAnotherTabIsNotOverwrittenUnseen(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	draft := s.ws.Draft("before", s.threads)
	edit := "/posts/" + draft.ID + "/edit"
	one, other := s.b.get(edit), s.b.get(edit)
	s.submit(one, "#compose", "text", "from the first tab").leads(t, "/posts/"+draft.ID)

	refused := s.submit(other, "#compose", "text", "from the second tab").is(t, http.StatusConflict)
	if got := refused.value(t, "text"); got != "from the second tab" {
		t.Errorf("the form holds %q", got)
	}
	if got := textOf(refused.one(t, testid("saved-version")+" "+testid("post-text"))); got != "from the first tab" {
		t.Errorf("the version shown as saved is %q", got)
	}
	refused.says(t, "This post was changed", "5 Oct 2026, 11:00 CEST")
	if got := s.text(draft); got != "from the first tab" {
		t.Errorf("the draft holds %q", got)
	}

	s.submit(refused, "#compose").leads(t, "/posts/"+draft.ID)
	if got := s.text(draft); got != "from the second tab" {
		t.Errorf("after saving again, the draft holds %q", got)
	}
}

// A page opened before a colleague queued or cancelled the post undid that, because the content had not changed.
func TestAPostThatAColleagueQueuedOrCancelledKeepsItsStatus(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	when := contract.When{Instant: s.Clock.Now().Add(time.Hour), Timezone: "UTC"}
	draft := s.ws.Draft("before", s.threads)
	_, err := s.App.EditPost(t.Context(), s.ws.Owner, contract.EditPost{ID: draft.ID, When: &when})
	must(t, err)
	page := s.b.get("/posts/" + draft.ID + "/edit")
	_, err = s.App.EditPost(t.Context(), s.ws.Owner, contract.EditPost{ID: draft.ID, Status: "queued"})
	must(t, err)
	s.submit(page, "#compose", "text", "mine", "when", "draft").is(t, http.StatusConflict).says(t, "This post was changed")
	if got := s.ws.Post(draft).Status; got != "queued" {
		t.Errorf("the queued post is %s", got)
	}

	queued := s.ws.Queued("before", s.threads, s.Clock.Now().Add(time.Hour))
	page = s.b.get("/posts/" + queued.ID + "/edit")
	_, err = s.App.CancelPost(t.Context(), s.ws.Owner, queued.ID)
	must(t, err)
	_, err = s.App.EditPost(t.Context(), s.ws.Owner, contract.EditPost{ID: queued.ID, When: &when})
	must(t, err)
	s.submit(page, "#compose", "text", "mine").is(t, http.StatusConflict).says(t, "This post was changed")
	if got := s.ws.Post(queued).Status; got != "draft" {
		t.Errorf("the cancelled post is %s", got)
	}
}

// Until its reader has been shown the newer version, a form keeps the revision that it showed.
func TestCheckingThePlanShowsANewerVersionToo(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	draft := s.ws.Draft("before", s.threads)
	edit := "/posts/" + draft.ID + "/edit"
	page := s.b.get(edit)
	revision := page.value(t, "revision")
	must(t, editText(s, draft, "newer"))
	s.b.part(http.MethodPost, edit+"/plan", "text", "mine", "when", "draft", "revision", revision).is(t, http.StatusOK)
	checked := s.b.post(edit+"/plan", "text", "mine", "when", "draft", "revision", revision).is(t, http.StatusOK)
	checked.one(t, testid("saved-version"))
	s.submit(checked, "#compose").leads(t, "/posts/"+draft.ID)
	if got := s.text(draft); got != "mine" {
		t.Errorf("the draft holds %q", got)
	}
}

// Send now, Schedule and a new time acted on a text that the page had not shown.
func TestAPostThatChangedSinceItsPageWasOpenedIsNotSentUnseen(t *testing.T) {
	t.Parallel()
	for name, form := range map[string]string{
		"send now": "form:has(#send-now)", "schedule": "form:has(#queue)", "set time": testid("reschedule"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStudio(t)
			draft := s.ws.Draft("before", s.threads)
			s.act(draft, "reschedule", "at", "2026-10-06T10:00", "tz", "Europe/Berlin")
			shown := s.show(draft)
			must(t, editText(s, draft, "changed"))
			before := s.show(draft).one(t, testid("status-line"))

			submit := func(p *page) *page { return s.submit(p, form, "at", "2026-10-07T10:00") }
			refused := submit(shown).is(t, http.StatusConflict)
			refused.says(t, "The post was changed on Mon 5 Oct 2026, 11:00 CEST (Europe/Berlin), after you opened this page")
			if got := textOf(refused.one(t, testid("preview-text"))); got != "changed" {
				t.Errorf("the page shows %q", got)
			}
			if got, want := textOf(refused.one(t, testid("status-line"))), textOf(before); got != want {
				t.Errorf("the post is %q, want %q", got, want)
			}
			submit(refused).leads(t, "/posts/"+draft.ID)
		})
	}
}

func TestATimeThatWasTypedSurvivesARefusal(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	draft := s.ws.Draft("before", s.threads)
	shown := s.show(draft)
	must(t, editText(s, draft, "changed"))
	refused := s.submit(shown, testid("reschedule"), "at", "2026-10-07T10:00").is(t, http.StatusConflict)
	if got := refused.value(t, "at"); got != "2026-10-07T10:00" {
		t.Errorf("the form holds %q", got)
	}
}

// A post that is not changeable any more says so, rather than that it was changed.
func TestALivePostIsNotCalledChanged(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	post := s.ws.Queued("hello", s.threads, s.Clock.Now().Add(time.Hour))
	s.b.post("/posts/"+post.ID+"/send-now", "revision", "of another text").is(t, http.StatusConflict).
		says(t, "was changed")
	s.act(post, "send-now")
	s.Clock.Advance(10 * time.Second)
	s.work(post)
	s.b.post("/posts/"+post.ID+"/send-now", "revision", "of another text").is(t, http.StatusConflict).
		says(t, "A post that is live cannot be changed")
}

// A person could take the copy for the correction of a post that has failed, although the post is live.
func TestAPostThatWentLiveSinceItsPageWasOpenedIsNotCopiedUnseen(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	queued := s.ws.Queued("hello", s.threads, s.Clock.Now().Add(time.Minute))
	shown := s.show(queued)
	s.Clock.Advance(time.Minute)
	s.ws.Work(queued)
	refused := s.submit(shown, "form:has(#duplicate)").is(t, http.StatusConflict)
	refused.says(t, "The post went live after you opened this page")
	s.submit(refused, "form:has(#duplicate)").is(t, http.StatusSeeOther)
}

func TestSelectedPostsThatChangedSinceTheirListWasOpenedAreNotChangedUnseen(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	queued := s.ws.Queued("hello", s.threads, s.Clock.Now().Add(time.Hour))
	shown := s.b.get("/posts")
	form := shown.form(t, testid("bulk"))
	form.Set("post", attribute(shown.one(t, "input[name=post]"), "value"))
	form.Set("act", "cancel")
	later := contract.When{Instant: s.Clock.Now().Add(2 * time.Hour), Timezone: "UTC"}
	_, err := s.App.EditPost(t.Context(), s.ws.Owner, contract.EditPost{ID: queued.ID, When: &later})
	must(t, err)
	s.b.send(http.MethodPost, attribute(shown.one(t, testid("bulk")), "action"), form.Encode()).is(t, http.StatusSeeOther)
	refused := s.b.get("/posts")
	refused.says(t, "1 post could not be moved to drafts:", "The post was changed on Mon 5 Oct 2026")
	refused.one(t, "input[name=post][checked]")
	if got := s.ws.Post(queued).Status; got != "queued" {
		t.Errorf("the post is %s", got)
	}
}

// The confirmation of a failed post or a draft does not say that a scheduled post is taken off the schedule.
func TestAPostThatWasScheduledSinceItsDeletionWasOfferedIsNotDeleted(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	draft := s.ws.Draft("hello", s.threads)
	confirmation := s.b.get("/posts/" + draft.ID + "/delete")
	later := contract.When{Instant: s.Clock.Now().Add(time.Hour), Timezone: "UTC"}
	_, err := s.App.EditPost(t.Context(), s.ws.Owner, contract.EditPost{ID: draft.ID, When: &later, Status: "queued"})
	must(t, err)
	s.submit(confirmation, testid("confirm-form")).is(t, http.StatusConflict).says(t, "The post was changed on")
	if got := s.ws.Post(draft).Status; got != "queued" {
		t.Errorf("the post is %s", got)
	}
}
