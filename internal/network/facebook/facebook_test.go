package facebook_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"belfry/internal/network"
	"belfry/internal/network/facebook"
	"belfry/internal/network/networktest"
	"belfry/internal/network/sim"
	"belfry/internal/sandbox"
)

const ticked = "118203947561038" // Night Owl Cycles

func sandboxed(t *testing.T, now func() time.Time, client, secret string) (http.Handler, *sim.Kit) {
	t.Helper()
	s, err := sandbox.New(sandbox.Config{
		Now: now, ClientID: client, ClientSecret: secret,
		Options: map[string]string{"facebook.require_appsecret_proof": "on"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, s.Kit()
}

var granted = []string{
	"pages_show_list", "pages_read_engagement", "pages_manage_posts", "pages_read_user_content", "read_insights",
	"business_management",
}

func harness() networktest.Harness {
	return networktest.Harness{
		Driver: facebook.Driver(), Settings: facebook.Settings{}, Sandbox: sandboxed,
		Consent:    url.Values{"page": {ticked, "104758391620475"}, "grant": granted},
		TokenPaths: []string{"/oauth/access_token", "/debug_token"},
		Errors:     documented(),
	}
}

// documented are the rows of networks/facebook.md, Errors.
func documented() []networktest.Case {
	var all []networktest.Case
	add := func(kind network.Kind, status int, codes ...[2]int) {
		for _, c := range codes {
			all = append(all, networktest.Case{Code: c[0], Subcode: c[1], Status: status, Kind: kind})
		}
	}
	add(network.Transient, 500, [2]int{1, 0}, [2]int{2, 0})
	add(network.Transient, 400, [2]int{3919, 0}, [2]int{1, 1363047}, [2]int{2, 1609010}, [2]int{1363047, 0},
		[2]int{389, 0}, [2]int{6000, 0}, [2]int{6001, 0}, [2]int{324, 2069019})
	add(network.RateLimited, 400, [2]int{4, 0}, [2]int{17, 0}, [2]int{32, 0}, [2]int{613, 0}, [2]int{613, 1996},
		[2]int{80001, 0}, [2]int{341, 0}, [2]int{368, 1390008})
	add(network.RateLimited, 429, [2]int{9999, 0})
	add(network.Rejected, 400, [2]int{382, 0}, [2]int{100, 1363040}, [2]int{100, 1363127}, [2]int{100, 1363128},
		[2]int{100, 1363129},
		[2]int{100, 0}, [2]int{100, 33}, [2]int{506, 0}, [2]int{506, 1455006}, [2]int{100, 1609005}, [2]int{100, 1609008},
		[2]int{100, 2061006},
		[2]int{324, 1366046}, [2]int{100, 1366051}, [2]int{368, 0}, [2]int{368, 1404082},
		[2]int{368, 4854002},
		[2]int{368, 1346003}, [2]int{368, 1404102}, [2]int{368, 1404112}, [2]int{104, 0}, [2]int{2635, 0},
		[2]int{3001, 1504028}, [2]int{101, 0})
	add(network.Revoked, 403, [2]int{10, 0}, [2]int{200, 0}, [2]int{210, 0}, [2]int{299, 0}, [2]int{368, 1404078})
	add(network.Expired, 400, [2]int{190, 463}, [2]int{102, 463})
	add(network.Revoked, 400, [2]int{190, 0}, [2]int{190, 458}, [2]int{190, 459}, [2]int{190, 460}, [2]int{190, 464},
		[2]int{190, 467},
		[2]int{190, 483}, [2]int{190, 492}, [2]int{102, 0})
	return all
}

func TestConformance(t *testing.T) {
	t.Parallel()
	networktest.Run(t, harness())
}
