package web_test

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alexedwards/scs/v2"

	"belfry/internal/core"
	"belfry/web"
)

// brittleSessions stores sessions, unless it is broken.
type brittleSessions struct {
	scs.CtxStore
	broken atomic.Bool
}

func (s *brittleSessions) CommitCtx(ctx context.Context, token string, content []byte, expiry time.Time) error {
	if s.broken.Load() {
		return errors.New("the session cannot be stored")
	}
	return s.CtxStore.CommitCtx(ctx, token, content, expiry)
}

// A second press acted again if the first had acted and then could not lead to the next page.
func TestAFormThatActedButCouldNotLeadOnDoesNotActAgain(t *testing.T) {
	t.Parallel()
	sessions := &brittleSessions{}
	r := openWith(t, func(c *web.Config) { sessions.CtxStore, c.Sessions = c.Sessions, sessions })
	ws := r.WorkspaceOn(core.PlanOwner, "one", "Europe/Berlin")
	s := &studio{rig: r, ws: ws, threads: ws.Account("threads"), b: r.as(ws)}
	draft := s.ws.Draft("hello", s.threads)
	press := func() *page {
		return s.b.post("/posts/bulk", "form", "AFORMTHATWASDRAWNSOMETIME2", "act", "duplicate", "post", draft.ID)
	}
	sessions.broken.Store(true)
	press().is(t, http.StatusInternalServerError)
	sessions.broken.Store(false)
	copied := press().is(t, http.StatusSeeOther).Header.Get("Location")
	s.b.get(copied).says(t, "This is a copy.")
	if n := len(s.all()); n != 2 {
		t.Errorf("there are %d posts", n)
	}
}

// The time was lost when the form was sent again.
func TestARefusedScheduleThatIsSentAgainKeepsItsTime(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	draft := s.ws.Draft("hello", s.threads)
	for range 2 {
		s.b.post("/posts/bulk", "form", "AFORMTHATWASDRAWNSOMETIME2", "act", "queue", "post", draft.ID, "at", "2026-10-01T09:00",
			"tz", "Europe/Berlin", "back", "/posts?status=draft").is(t, http.StatusSeeOther)
		page := s.b.get("/posts?status=draft").is(t, http.StatusOK)
		page.one(t, ".post-move[open] #bulk-at[value='2026-10-01T09:00']")
	}
}

// The error of a form with an id came as plain text.
func TestTheErrorOfAFormWithAnIDIsAPage(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	page := s.b.post("/posts/undo", "form", "AFORMTHATWASDRAWNSOMETIME2", "before", "never").is(t, http.StatusBadRequest)
	if kind := page.Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/html") {
		t.Errorf("it is %s: %s", kind, page.body)
	}
	page.says(t, "Belfry cannot undo this change.")
}

func TestAButtonOfAPostThatIsPressedTwiceActsOnce(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	draft := s.ws.Draft("hello", s.threads)
	shown := s.show(draft)
	for _, act := range []string{"duplicate", "send-now"} {
		path := "/posts/" + draft.ID + "/" + act
		form := shown.form(t, `form[action="`+path+`"]`).Encode()
		first := s.b.send(http.MethodPost, path, form).is(t, http.StatusSeeOther)
		s.b.send(http.MethodPost, path, form).leads(t, first.Header.Get("Location"))
	}
	if n := len(s.all()); n != 2 {
		t.Errorf("there are %d posts", n)
	}
	s.show(draft).says(t, "Publishing begins in 10 seconds.")
}

// Sent again, these forms were refused as if somebody else had changed the post, or showed no page.
func TestAFormOfAPostThatIsSentAgainActsOnceAndSaysTheSame(t *testing.T) {
	t.Parallel()
	at := []string{"at", "2026-10-07T10:00"}
	for name, c := range map[string]struct {
		untimed, queued bool
		page            string // after the post's address
		form            string
		pairs           []string
		says            string
	}{
		"schedule":       {form: "form:has(#queue)", says: "Post scheduled."},
		"set time":       {untimed: true, form: testid("reschedule"), pairs: at, says: "Time set to Wed 7 Oct 2026, 10:00 CEST"},
		"change time":    {queued: true, form: testid("reschedule"), pairs: at, says: "Moved to Wed 7 Oct 2026, 10:00 CEST"},
		"move to drafts": {queued: true, form: "form:has(#cancel)", says: "Moved to drafts."},
		"delete":         {page: "/delete", form: testid("confirm-form"), says: "Post deleted."},
		"edit a draft":   {page: "/edit", form: "#compose", pairs: []string{"text", "new", "when", "draft"}, says: "Draft saved."},
		"edit and schedule": {
			page: "/edit", form: "#compose", pairs: append([]string{"text", "new", "when", "at"}, at...), says: "Post scheduled for Wed 7 Oct 2026, 10:00 CEST",
		},
		"edit a queued post": {
			queued: true, page: "/edit", form: "#compose", pairs: []string{"text", "new"}, says: "Saved. The post goes out",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStudio(t)
			post := s.ws.Draft("hello", s.threads)
			if !c.untimed {
				s.act(post, "reschedule", "at", "2026-10-06T10:00", "tz", "Europe/Berlin")
			}
			if c.queued {
				s.act(post, "queue")
			}
			page, before := s.b.get("/posts/"+post.ID+c.page).is(t, http.StatusOK), s.auditedChanges()
			first := s.submit(page, c.form, c.pairs...).is(t, http.StatusSeeOther)
			s.b.get("/posts").says(t, c.says)
			s.Clock.Advance(5 * time.Second)
			s.submit(page, c.form, c.pairs...).leads(t, first.Header.Get("Location"))
			s.b.get("/posts").says(t, c.says)
			if n := s.auditedChanges() - before; n != 1 {
				t.Errorf("it acted %d times", n)
			}
		})
	}
}

// Long after, the first message can be wrong: here, the post is queued again.
func TestAFormThatIsSentAgainLaterSaysThatItWasSentBefore(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	post := s.ws.Draft("hello", s.threads)
	queue := func() {
		s.act(post, "reschedule", "at", "2026-10-06T10:00", "tz", "Europe/Berlin")
		s.act(post, "queue")
	}
	queue()
	page := s.show(post)
	s.submit(page, "form:has(#cancel)").is(t, http.StatusSeeOther)
	s.show(post).says(t, "Moved to drafts.")
	queue()
	s.show(post)
	s.Clock.Advance(time.Minute)
	s.submit(page, "form:has(#cancel)").is(t, http.StatusSeeOther)
	s.show(post).says(t, "You already submitted this form, so the repeated submission changed nothing. The first result was: Moved to drafts.")
}

// The message of a form that was sent again began to count down anew.
func TestAMessageCountsDownOnce(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	draft := s.ws.Draft("hello", s.threads)
	shown := s.show(draft)
	send := func() *page {
		s.submit(shown, "form:has(#send-now)").is(t, http.StatusSeeOther)
		return s.show(draft)
	}
	send().says(t, "Publishing begins in 10 seconds.")
	s.Clock.Advance(4 * time.Second)
	send().says(t, "Publishing begins in 6 seconds.")
	s.Clock.Advance(7 * time.Second)
	later := send()
	later.says(t, "The first result was: Publishing…")
	if len(later.all("[data-counts-down]")) != 0 {
		t.Error("the message counts down again")
	}
}

// The second sending answered that there is no such account or key.
func TestDisconnectingAndRevokingTwiceActsOnce(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	for page, c := range map[string]struct{ to, says string }{
		"/accounts/" + s.threads.ID + "/disconnect":            {"/accounts", "Account disconnected. Posts that were queued for it are now drafts."},
		"/settings/keys/" + s.ws.Key(core.Read).ID + "/revoke": {"/settings/keys", "Key revoked."},
	} {
		asked := s.b.get(page).is(t, http.StatusOK)
		for range 2 {
			s.submit(asked, testid("confirm-form")).leads(t, c.to)
			s.b.get(c.to).says(t, c.says)
		}
	}
}

// auditedChanges counts the actions on posts and groups in the audit log.
func (r *rig) auditedChanges() int { return r.countAudited("^(post|group)_") }

// countAudited counts the actions in the audit log that match a regular expression.
func (r *rig) countAudited(actions string) (n int) {
	r.t.Helper()
	must(r.t, r.Pool.QueryRow(r.t.Context(), "SELECT count(*) FROM audit_log WHERE action ~ $1", actions).Scan(&n))
	return n
}

// sendAtOnce sends the form of a page four times at the same moment, and counts the answers with a status.
func (s *studio) sendAtOnce(status int, p *page, form string, pairs ...string) (n int) {
	s.t.Helper()
	answers := make(chan int, 4)
	for range cap(answers) {
		tab := *s.b
		tab.cookies = maps.Clone(s.b.cookies)
		other := *s
		other.b = &tab
		go func() {
			status := 0
			defer func() { answers <- status }() // also if the page has no such form, which ends the goroutine
			status = other.submit(p, form, pairs...).StatusCode
		}()
	}
	for range cap(answers) {
		if <-answers == status {
			n++
		}
	}
	return n
}
