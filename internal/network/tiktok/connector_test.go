package tiktok_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"belfry/internal/network"
	"belfry/internal/network/networktest"
	"belfry/internal/network/sim"
	"belfry/internal/network/tiktok"
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
		Driver: tiktok.Driver(), Settings: tiktok.Settings{}, Sandbox: sandboxed, TokenCall: "create",
		Simplest: network.Draft{Media: networktest.Files(1, networktest.Video())},
		Consent:  url.Values{"username": {"nightowl.cycles"}}, Errors: undocumented(),
	}
}

// undocumented are errors that TikTok has not told anyone about.
func undocumented() []networktest.Case {
	var all []networktest.Case
	for _, call := range []string{"creator_info", "create", "status"} {
		all = append(all, networktest.Case{Call: call, Reason: "a_code_of_tomorrow", Status: 400, Kind: network.Rejected},
			networktest.Case{Call: call, Reason: "a_limit_of_tomorrow", Status: 429, Kind: network.RateLimited},
			networktest.Case{Call: call, Reason: "an_error_of_tomorrow", Status: 500, Kind: network.Transient})
	}
	return all
}

func TestConformance(t *testing.T) {
	t.Parallel()
	networktest.Run(t, harness())
}
