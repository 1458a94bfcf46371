package app_test

import (
	"testing"
	"time"

	"belfry/internal/app/apptest"
	"belfry/internal/network/sim"
)

// checkAll does what the worker does: it checks the accounts that are due.
func checkAll(t *testing.T, h *apptest.Harness) int {
	t.Helper()
	due, err := h.App.ListDueAccountChecks(t.Context())
	must(t, err)
	for _, job := range due {
		must(t, h.App.CheckAndUpdateDueAccount(t.Context(), job.Workspace, job.Account))
	}
	return len(due)
}

func TestATokenThatDiedIsSeenWithinADay(t *testing.T) {
	t.Parallel()
	for _, platform := range []string{"threads", "facebook"} {
		for name, c := range map[string]struct {
			kind   string
			status string
		}{
			"works":     {"", "ok"},
			"expired":   {sim.TokenExpired, "expired"},
			"revoked":   {sim.TokenRevoked, "revoked"},
			"down":      {sim.ServerError, "ok"},
			"half":      {sim.TruncatedJSON, "ok"},
			"throttled": {sim.RateLimited, "ok"},
		} {
			t.Run(platform+"/"+name, func(t *testing.T) {
				t.Parallel()
				h := apptest.New(t)
				a := h.Workspace("one").Account(platform)
				checkAll(t, h) // right after the consent, where the network tells facts
				if c.kind != "" {
					h.Fault(sim.Fault{Network: platform, Call: "profile", Kind: c.kind})
				}
				if n := checkAll(t, h); n != 0 {
					t.Errorf("%d are due right after the first check", n)
				}
				h.Clock.Advance(24*time.Hour + time.Second)
				if n := checkAll(t, h); n != 1 {
					t.Errorf("%d are due a day later", n)
				}
				if got := stored[string](t, h, a, "status"); got != c.status {
					t.Errorf("the status is %s, want %s", got, c.status)
				}
				if reason := stored[string](t, h, a, "status_reason"); (reason == "") != (c.status == "ok") {
					t.Errorf("the reason is %q", reason)
				}
				if n := checkAll(t, h); n != 0 {
					t.Errorf("%d are due once more at once", n)
				}
			})
		}
	}
}
