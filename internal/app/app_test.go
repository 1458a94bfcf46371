package app_test

import (
	"strings"
	"testing"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
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
	if got := says(); got != "The same text is queued for "+account.DisplayName+" already." {
		t.Errorf("while it waits: %s", got)
	}
	first = b.work(first)
	b.ws.Now("Once more", account)
	if got := says(); first.Status != "live" || got != "The same text went to "+account.DisplayName+" within the last day." {
		t.Errorf("when the first is %s and another waits: %s", first.Status, got)
	}
}
