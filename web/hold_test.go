package web_test

import (
	"strings"
	"testing"
	"time"

	"belfry/internal/core"
	"belfry/internal/network/sim"
	"belfry/internal/store"
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

// "Publishing begins in 10 seconds." was not true.
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

// The timeline said "Retries stopped" of a queued post that the end of a hold had turned into a draft.
func TestTheTimelineSaysWhatTheEndOfAHoldCancelled(t *testing.T) {
	t.Parallel()
	for want, fault := range map[string]sim.Fault{
		"Moved to drafts": {Kind: sim.Reject, Code: 100, Status: 400, Message: "No."},
		"Retries stopped": {Kind: sim.ServerError},
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			s := newStudio(t)
			fault.Network, fault.Call = "threads", "create"
			s.Fault(fault)
			published := s.ws.Now("hello", s.threads)
			s.work(published)
			stopped, err := s.App.DuplicatePost(t.Context(), s.ws.Owner, published.ID)
			must(t, err)
			if fault.Kind == sim.ServerError {
				published, stopped = stopped, published
			} else {
				_, err = s.App.SendPostAfterUndoDelay(t.Context(), s.ws.Owner, stopped.ID, "")
				must(t, err)
			}
			id, err := core.ParseID[core.PostKind](published.ID)
			must(t, err)
			receipts := []store.RestoredReceipt{{Workspace: s.ws.ID, Post: id, ArmedAt: s.Clock.Now(), Live: true}}
			must(t, s.Store.HoldPublishingAndDeleteSessionsAndEmails(t.Context(), "of a test", time.Time{}, receipts))
			_, err = s.App.GuardOrNil().EndHoldUnlessUnproved(t.Context())
			must(t, err)
			s.b = s.as(s.ws)
			if events := s.show(stopped).all(testid("event")); !strings.Contains(textOf(events[len(events)-1]), want) {
				t.Errorf("the last event is %q", textOf(events[len(events)-1]))
			}
		})
	}
}
