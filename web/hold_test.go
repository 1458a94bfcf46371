package web_test

import (
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
