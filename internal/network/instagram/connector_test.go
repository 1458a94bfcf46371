package instagram_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

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
		s.ServeHTTP(w, kit.Enter(r, instagramsim.Name, host, "/"+path, ""))
	}), kit
}

func harness() nt.Harness {
	return nt.Harness{
		Driver: instagram.Driver(), Settings: instagram.Settings{}, Sandbox: sandboxed,
		Simplest:   network.Draft{Media: nt.Files(1, nt.Image(nt.Size(320, 320)))},
		Consent:    url.Values{"username": {"nightowl.cycles"}},
		TokenPaths: []string{"/access_token", "/refresh_access_token"},
		Errors:     documented(),
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

// withFacebook is the harness with Facebook Login, whose person selects these Pages and permissions.
func withFacebook(pages, scopes []string) nt.Harness {
	h := harness()
	for i, v := range h.Driver.Variables {
		if v.Name == "INSTAGRAM_LOGIN" {
			h.Driver.Variables[i].Default = "facebook"
		}
	}
	h.Consent, h.NoRenewal = url.Values{"page": pages, "grant": scopes}, true
	h.TokenPaths = []string{"/oauth/access_token", "/debug_token"}
	h.Errors = slices.DeleteFunc(h.Errors, func(c nt.Case) bool {
		return c.Call == "status" && c.Code == 10 // is read again with the person's token
	})
	return h
}

// documented are the rows of networks/instagram.md, part 5, at each call where they may occur.
func documented() []nt.Case {
	var all []nt.Case
	add := func(kind network.Kind, status int, codes ...[2]int) {
		for _, c := range codes {
			for _, call := range []string{"create", "status", "publish"} {
				if call == "status" && (c == [2]int{24, 2207006} || c == [2]int{24, 2207008} || c == [2]int{100, 33}) {
					continue // means that the container is missing
				}
				all = append(all, nt.Case{Call: call, Code: c[0], Subcode: c[1], Status: status, Kind: kind})
			}
		}
	}
	add(network.Transient, 500, [2]int{1, 0}, [2]int{2, 0})
	add(network.Transient, 400, [2]int{-1, 2207001}, [2]int{-1, 2207032}, [2]int{-1, 2207053}, [2]int{-2, 2207003},
		[2]int{-2, 2207020}, [2]int{24, 2207006}, [2]int{24, 2207008}, [2]int{9007, 2207027}, [2]int{9004, 2207052})
	add(network.RateLimited, 400, [2]int{4, 0}, [2]int{17, 0}, [2]int{32, 0}, [2]int{341, 0}, [2]int{613, 0},
		[2]int{80002, 0}, [2]int{9, 2207042})
	add(network.RateLimited, 429, [2]int{9999, 0})
	add(network.Rejected, 400, [2]int{1, 2207057}, [2]int{4, 2207051}, [2]int{25, 2207050}, [2]int{100, 0},
		[2]int{100, 33}, [2]int{100, 2207023}, [2]int{100, 2207028}, [2]int{100, 2207040}, [2]int{352, 2207026},
		[2]int{36000, 2207004}, [2]int{36001, 2207005}, [2]int{36003, 2207009}, [2]int{36004, 2207010}, [2]int{368, 0})
	add(network.Revoked, 403, [2]int{10, 0}, [2]int{200, 0}, [2]int{299, 0}, [2]int{100, 10})
	add(network.Expired, 400, [2]int{190, 463}, [2]int{102, 463})
	add(network.Revoked, 400, [2]int{190, 0}, [2]int{190, 458}, [2]int{190, 459}, [2]int{190, 460}, [2]int{190, 464},
		[2]int{190, 467}, [2]int{190, 492}, [2]int{102, 0})
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
