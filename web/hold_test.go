package web_test

import (
	"strings"
	"testing"
	"time"
)

func TestThePageOfPostsOnHoldNamesEachNetwork(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	ws.Queued("due before the hold", ws.Account("threads"), r.Clock.Now().Add(time.Minute))
	before := r.Clock.Now()
	r.Clock.Advance(time.Hour)
	must(t, r.Store.HoldPublishingAndDeleteSessionsAndEmails(t.Context(), "of a test", before, nil))
	page := r.as(ws).get("/on-hold")
	page.says(t, "Threads, ")
	page.says(t, "may already be published; check the account")
}

// "Publishing in 10 seconds." was not true.
func TestAPostThatIsSentDuringAHoldIsSaidToWait(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	draft := s.ws.Draft("hello", s.threads)
	must(t, s.Store.HoldPublishingAndDeleteSessionsAndEmails(t.Context(), "of a test", s.Clock.Now(), nil))
	s.b = s.as(s.ws)
	s.act(draft, "send-now")
	page := s.show(draft)
	if text := textOf(page.one(t, testid("flash"))); !strings.Contains(text, "The post is queued, but publishing is on hold.") {
		t.Errorf("it says %q", text)
	}
	page.one(t, `form[action="/posts/undo"]`)
}
