package apptest_test

import (
	"testing"
	"time"

	"belfry/internal/app/apptest"
	"belfry/internal/core"
)

func TestTheHarnessStands(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	if ws.Slug != "one" {
		t.Errorf("the slug is %q", ws.Slug)
	}
	threads, page := ws.Account("threads"), ws.Account("facebook")
	if threads.Username == nil || *threads.Username != "one" || threads.Status != "ok" || threads.ExpiresAt == nil {
		t.Errorf("the first account is %+v", threads)
	}
	if page.DisplayName != "one_2" || page.Status != "ok" {
		t.Errorf("the second account is %+v", page)
	}
	if key := ws.Key(core.Write); key.Caller.Via() != core.ViaAPI {
		t.Errorf("a key came through %s", key.Caller.Via())
	}
	h.Clock.Advance(time.Hour)
	var now time.Time
	err := h.Pool.QueryRow(t.Context(), "SELECT clock()").Scan(&now)
	if err != nil || !now.Equal(h.Clock.Now()) || !now.Equal(apptest.Start().Add(time.Hour)) {
		t.Errorf("the database's clock shows %s, %v", now, err)
	}
}
