package threads_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"belfry/internal/network"
	"belfry/internal/network/networktest"
	"belfry/internal/network/sim"
	"belfry/internal/network/threads"
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
		Driver: threads.Driver(), Settings: threads.Settings{}, Sandbox: sandboxed,
		Consent:    url.Values{"username": {"nightowl.cycles"}},
		TokenPaths: []string{"/access_token", "/refresh_access_token", "/debug_token"},
		Errors:     documented(),
	}
}

// documented are the rows of networks/threads.md, Errors, and of what Graph shares.
func documented() []networktest.Case {
	var all []networktest.Case
	add := func(kind network.Kind, status int, codes ...[2]int) {
		for _, c := range codes {
			all = append(all, networktest.Case{Code: c[0], Subcode: c[1], Status: status, Kind: kind})
		}
	}
	add(network.Transient, 500, [2]int{1, 0}, [2]int{2, 0})
	add(network.RateLimited, 400, [2]int{4, 0}, [2]int{17, 0}, [2]int{32, 0}, [2]int{613, 0}, [2]int{9, 2207042})
	add(network.RateLimited, 429, [2]int{4, 0}, [2]int{9999, 0})
	add(network.Transient, 400, [2]int{24, 4279009}, [2]int{9007, 2207027}, [2]int{9004, 2207052})
	add(network.Rejected, 400, [2]int{100, 0}, [2]int{100, 33}, [2]int{4, 2207051}, [2]int{368, 0}, [2]int{24, 4279013})
	add(network.Revoked, 403, [2]int{10, 0}, [2]int{200, 0}, [2]int{210, 0}, [2]int{299, 0}, [2]int{100, 10})
	add(network.Expired, 401, [2]int{190, 463}, [2]int{102, 463})
	add(network.Revoked, 401, [2]int{190, 0}, [2]int{190, 458}, [2]int{190, 459}, [2]int{190, 460}, [2]int{190, 464},
		[2]int{190, 467}, [2]int{190, 492}, [2]int{102, 0})
	return all
}

func TestConformance(t *testing.T) {
	t.Parallel()
	networktest.Run(t, harness())
}
