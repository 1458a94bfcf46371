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
		Driver: facebook.NewDriver(), Settings: facebook.Settings{}, Sandbox: sandboxed,
		Consent:    url.Values{"page": {ticked, "104758391620475"}, "grant": granted},
		TokenPaths: []string{"/oauth/access_token", "/debug_token"},
		Errors:     undocumented(), RevokesByApp: true,
	}
}

// undocumented are errors without a code, or that Facebook does not document.
func undocumented() []networktest.Case {
	return []networktest.Case{
		{Code: 9999, Status: 429, Kind: network.RateLimited},
		{Code: 9999, Status: 400, Kind: network.Rejected},
		{Code: 9999, Status: 503, Kind: network.Transient},
		{Code: 1363047, Status: 400, Kind: network.Transient},
		{Code: 101, Status: 400, Kind: network.Rejected},
		{Code: 102, Subcode: 463, Status: 400, Kind: network.Expired},
	}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	networktest.Run(t, harness())
}

func TestConformanceOfUploads(t *testing.T) {
	t.Parallel()
	networktest.RunPushed(t, harness())
}
