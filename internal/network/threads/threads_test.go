package threads_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/networktest"
	"belfry/internal/network/sim"
	"belfry/internal/network/threads"
	"belfry/internal/network/threads/threadssim"
	"belfry/internal/sandbox"
)

func sandboxed(t *testing.T, now func() time.Time, client, secret string) (http.Handler, *sim.Kit) {
	t.Helper()
	s, err := sandbox.New(sandbox.Config{Now: now, ClientID: client, ClientSecret: secret})
	if err != nil {
		t.Fatal(err)
	}
	return s, s.Kit()
}

func harness() networktest.Harness {
	return networktest.Harness{
		Driver: threads.NewDriver(), Settings: threads.Settings{}, Sandbox: sandboxed,
		Consent:    url.Values{"username": {"nightowl.cycles"}},
		TokenPaths: []string{"/access_token", "/refresh_access_token", "/debug_token"},
		Errors:     undocumented(), NoSearchWithoutText: true,
		Facts: []networktest.FactsCase{
			{Want: core.Facts{Quota: &core.PostQuota{Limit: 250, Window: 24 * time.Hour}}},
			{Option: threadssim.OptQuota, Value: "1", Want: core.Facts{Quota: &core.PostQuota{Limit: 1, Window: 24 * time.Hour}}},
		},
	}
}

// undocumented are errors that Threads does not document.
func undocumented() []networktest.Case {
	return []networktest.Case{
		{Code: 4, Status: 429, Kind: network.RateLimited},
		{Code: 9999, Status: 429, Kind: network.RateLimited},
		{Code: 9999, Status: 400, Kind: network.Rejected},
		{Code: 9999, Status: 503, Kind: network.Transient},
		{Code: 190, Subcode: 492, Status: 401, Kind: network.Revoked},
	}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	networktest.Run(t, harness())
}
