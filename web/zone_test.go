package web_test

import (
	"net/http"
	"testing"

	"belfry/internal/contract"
)

// A post for 18:00 in another zone was offered another hour in the workspace's, and took that zone with any new time.
func TestAPostIsMovedInItsOwnZone(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	draft := s.ws.Draft("hello", s.threads)
	_, err := s.App.EditPost(t.Context(), s.ws.Owner, contract.EditPost{ID: draft.ID, When: &contract.When{PublishAt: "2026-10-06T18:00", Timezone: "America/New_York"}})
	must(t, err)
	edit := s.b.get("/posts/"+draft.ID+"/edit").is(t, http.StatusOK)
	if at, zone := edit.value(t, "at"), edit.value(t, "tz"); at != "2026-10-06T18:00" || zone != "America/New_York" {
		t.Errorf("the draft is edited at %s in %s", at, zone)
	}
	edit.says(t, "New York time", "Tue 6 Oct 2026, 18:00 EDT")
	s.b.post("/posts/"+draft.ID+"/edit", "text", "hello", "when", "at", "at", "2026-10-06T19:00").leads(t, "/posts/"+
		draft.ID)

	page := s.show(draft)
	page.says(t, "19:00 EDT (America/New_York)")
	form := page.form(t, testid("reschedule"))
	if form.Get("at") != "2026-10-06T19:00" || form.Get("tz") != "America/New_York" {
		t.Errorf("another time is asked for with %v", form)
	}
	s.act(draft, "reschedule", "at", "2026-10-07T08:00", "tz", form.Get("tz"))
	s.show(draft).says(t, "08:00 EDT (America/New_York)")
	s.act(draft, "send-now")
	s.show(draft).says(t, "05:00 EDT (America/New_York)")
}
