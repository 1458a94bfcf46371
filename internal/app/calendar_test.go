package app_test

import (
	"testing"
	"time"

	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
)

func TestMovablePostsAreThoseThatTheCallerMayMove(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws, other := h.Workspace("one"), h.Workspace("two")
	account, foreign := ws.Account("threads"), other.Account("threads")
	at := h.Clock.Now().Add(time.Hour)
	ws.Work(ws.Now("is live", account))
	queued := ws.Queued("is queued", account, at)
	other.Queued("is of another workspace", foreign, at)
	span := core.CalendarSpan{Span: core.Span{From: at.Add(-2 * time.Hour), To: at.Add(time.Hour)}, Limit: 10}

	for name, c := range map[string]struct {
		caller core.Caller
		filter contract.ListPosts
		want   int
	}{
		"all":                    {ws.Owner, contract.ListPosts{}, 1},
		"queued and live":        {ws.Owner, contract.ListPosts{Status: "live,queued"}, 1},
		"live":                   {ws.Owner, contract.ListPosts{Status: "live"}, 0},
		"for people who may not": {ws.Member(core.RoleViewer), contract.ListPosts{}, 0},
	} {
		found, err := h.App.ListMovablePosts(t.Context(), c.caller, c.filter, "", span)
		must(t, err)
		if found.Total != c.want || len(found.Posts) != c.want || c.want == 1 && found.Posts[0].ID != queued.ID {
			t.Errorf("%s: %+v", name, found)
		}
	}
	_, err := h.App.ListMovablePosts(t.Context(), ws.Owner, contract.ListPosts{AccountID: foreign.ID}, "", span)
	want(t, core.CodeNotFound, err)
}

func TestAnEntryIsCountedWithoutAllItsPosts(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	made, err := h.App.CreatePosts(t.Context(), ws.Owner, contract.CreatePosts{Confirm: true, PlanPosts: contract.PlanPosts{
		Targets: contract.Targets{AccountIDs: []string{ws.Account("threads").ID, ws.Account("facebook").ID}}, Text: "hello",
		When: &contract.When{PublishAt: h.Clock.Now().Add(24 * time.Hour).Format("2006-01-02T15:04")},
	}})
	must(t, err)
	for limit, want := range map[int]int{0: 2, 1: 1} {
		found, err := h.App.ListCalendarEntryPosts(t.Context(), ws.Owner, contract.ListPosts{Limit: limit}, "", made.Posts[0].ID)
		must(t, err)
		if found.Total != 2 || len(found.Posts) != want {
			t.Errorf("limit %d: %+v", limit, found)
		}
	}
}
