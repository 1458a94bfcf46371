package instagram_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/instagram"
	"belfry/internal/network/instagram/instagramsim"
	nt "belfry/internal/network/networktest"
	"belfry/internal/network/sim"
)

func sandboxed(t *testing.T, now func() time.Time, client, secret string) (http.Handler, *sim.Kit) {
	t.Helper()
	kit, err := sim.New(sim.Config{Now: now, ClientID: client, ClientSecret: secret})
	if err != nil {
		t.Fatal(err)
	}
	s, err := instagramsim.New(kit)
	if err != nil {
		t.Fatal(err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		s.ServeHTTP(w, kit.BeginRequest(r, instagramsim.Name, host, "/"+path, ""))
	}), kit
}

func harness() nt.Harness {
	return nt.Harness{
		Driver: instagram.NewDriver(), Settings: instagram.Settings{}, Sandbox: sandboxed,
		Simplest:   network.Draft{Media: nt.RepeatFile(1, nt.Image(nt.Size(320, 320)))},
		Consent:    url.Values{"username": {"nightowl.cycles"}},
		TokenPaths: []string{"/access_token", "/refresh_access_token"},
		Errors:     undocumented(), NoRevocation: true, NoSearchWithoutText: true,
		Facts: []nt.FactsCase{
			{Want: core.Facts{Quota: &core.PostQuota{Limit: 100, Window: 24 * time.Hour}}},
			{Option: instagramsim.OptQuota, Value: "50", Want: core.Facts{Quota: &core.PostQuota{Limit: 50, Window: 24 * time.Hour}}},
		},
	}
}

const (
	bakery = "104758391620475"
	cycles = "118203947561038" // which no account is linked to
	choir  = "126650918347205" // whose figures may be seen, and no more
)

var granted = []string{
	"instagram_basic", "instagram_content_publish", "instagram_manage_insights", "pages_show_list",
	"pages_read_engagement", "business_management",
}

// withFacebook returns the harness with Facebook Login, whose person selects these Pages and permissions.
func withFacebook(pages, scopes []string) nt.Harness {
	h := harness()
	for i, v := range h.Driver.Variables {
		if v.Name == "INSTAGRAM_LOGIN" {
			h.Driver.Variables[i].Default = "facebook"
		}
	}
	h.Consent, h.NoRenewal = url.Values{"page": pages, "grant": scopes}, true
	h.TokenPaths = []string{"/oauth/access_token", "/debug_token"}
	h.NoRevocation, h.RevokesByApp = false, true
	return h
}

// undocumented are errors that Instagram does not document.
func undocumented() []nt.Case {
	var all []nt.Case
	for _, call := range []string{"create", "status", "publish"} {
		all = append(all, nt.Case{Call: call, Code: 9999, Status: 429, Kind: network.RateLimited},
			nt.Case{Call: call, Code: 9999, Status: 400, Kind: network.Rejected},
			nt.Case{Call: call, Code: 9999, Status: 503, Kind: network.Transient})
	}
	return all
}

func TestConformance(t *testing.T) {
	t.Parallel()
	nt.Run(t, harness())
}

func TestConformanceWithFacebookLogin(t *testing.T) {
	t.Parallel()
	nt.Run(t, withFacebook([]string{bakery, cycles}, granted))
}

func TestConformanceOfUploadsWithFacebookLogin(t *testing.T) {
	t.Parallel()
	nt.RunPushed(t, withFacebook([]string{bakery, cycles}, granted))
}
