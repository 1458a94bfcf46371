package app_test

import (
	"strings"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
)

func TestNewNamesWhatTheConfigurationLacks(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	for name, remove := range map[string]func(*app.Config){
		"Store":          func(c *app.Config) { c.Store = nil },
		"Networks":       func(c *app.Config) { c.Networks = nil },
		"Client":         func(c *app.Config) { c.Client = nil },
		"Ring":           func(c *app.Config) { c.Ring = nil },
		"Plans":          func(c *app.Config) { c.Plans = nil },
		"Schedule.Lease": func(c *app.Config) { c.Schedule = core.Schedule{} },
		"Log":            func(c *app.Config) { c.Log = nil },
		"Metrics":        func(c *app.Config) { c.Metrics = nil },
		"Now":            func(c *app.Config) { c.Now = nil },
		"PublicURL":      func(c *app.Config) { c.PublicURL = "" },
		"UploadTTL":      func(c *app.Config) { c.UploadTTL = 0 },
		"Retention":      func(c *app.Config) { c.Retention = 0 },
		"MediaURL":       func(c *app.Config) { c.MediaURL = "" },
		"LimitAddress":   func(c *app.Config) { c.LimitAddress.Window = 0 },
		"LimitCreate":    func(c *app.Config) { c.LimitCreate.Max = 0 },
	} {
		cfg := h.Config
		remove(&cfg)
		if _, err := app.New(cfg); err == nil || !strings.HasSuffix(err.Error(), "lacks "+name) {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

// The warning must not say of a post that waits that it went out.
func TestARepeatedTextIsWordedByWhereTheOtherPostStands(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	first := b.ws.Now("Once more", account)
	says := func() string {
		plan, err := b.App.PlanPosts(b.Context(), b.ws.Owner, request("Once more", now(), account).PlanPosts)
		must(t, err)
		warnings := plan.Rows[0].Warnings
		if len(warnings) != 1 || warnings[0].Code != "same_text_recently" {
			t.Fatalf("the row is %+v", plan.Rows[0])
		}
		return warnings[0].Message
	}
	if got := says(); got != "The same text is queued for "+account.DisplayName+" within a day of this time." {
		t.Errorf("while it waits: %s", got)
	}
	first = b.ws.Work(first)
	b.ws.Now("Once more", account)
	if got := says(); first.Status != "live" || got != "The same text was posted to "+account.DisplayName+
		" within the last day." {
		t.Errorf("when the first is %s and another waits: %s", first.Status, got)
	}
}

// The warning was given for any post that waits, however long after this one it goes out.
func TestARepeatedTextIsWarnedOfWithinADayOnly(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	far := b.Clock.Now().Add(300 * 24 * time.Hour)
	b.ws.Queued("Far ahead", account, far)
	at := func(when time.Time) contract.When { return local(when.Format("2006-01-02T15:04"), "UTC") }
	for name, c := range map[string]struct {
		when contract.When
		want int
	}{
		"now":                   {now(), 0},
		"more than a day ahead": {at(far.Add(-24*time.Hour - time.Minute)), 0},
		"a day ahead":           {at(far.Add(-24 * time.Hour)), 1},
		"a day behind":          {at(far.Add(24 * time.Hour)), 1},
		"more than a day on":    {at(far.Add(24*time.Hour + time.Minute)), 0},
	} {
		plan, err := b.App.PlanPosts(b.Context(), b.ws.Owner, request("Far ahead", c.when, account).PlanPosts)
		must(t, err)
		if warnings := plan.Rows[0].Warnings; len(warnings) != c.want {
			t.Errorf("%s: %+v", name, warnings)
		}
	}
}
