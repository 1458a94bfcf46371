package youtube_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	nt "belfry/internal/network/networktest"
	"belfry/internal/network/sim"
	"belfry/internal/network/youtube"
	"belfry/internal/network/youtube/youtubesim"
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

func harness() nt.Harness {
	return nt.Harness{
		Driver: youtube.NewDriver(), Settings: youtube.Settings{}, Sandbox: sandboxed, NoTrace: true,
		Simplest: network.Draft{Title: "Harbour", Media: []core.Media{nt.Video()}},
		Consent:  url.Values{"username": {"nightowl.cycles"}}, Errors: undocumented(),
		Facts: facts(),
	}
}

// facts are those of networks/youtube.md, part 2 and 4. An unspecified status says nothing.
func facts() []nt.FactsCase {
	var cases []nt.FactsCase
	for status, longest := range map[string]int64{
		"allowed": 0, "eligible": 900_000, "disallowed": 900_000, "longUploadsUnspecified": 0,
	} {
		cases = append(cases, nt.FactsCase{
			Option: youtubesim.OptLongUploads, Value: status, Want: core.Facts{LongestVideoMs: longest},
		})
	}
	return cases
}

// undocumented are errors that YouTube does not document.
func undocumented() []nt.Case {
	var all []nt.Case
	for _, call := range []string{"create", "status", "publish"} {
		all = append(all, nt.Case{Call: call, Reason: "anotherError", Status: 500, Kind: network.Transient},
			nt.Case{Call: call, Reason: "anotherLimit", Status: 429, Kind: network.RateLimited},
			nt.Case{Call: call, Reason: "anotherReason", Status: 401, Kind: network.Lapsed},
			nt.Case{Call: call, Reason: "badRequest", Status: 400, Kind: network.Rejected})
	}
	return all
}

func TestConformance(t *testing.T) {
	t.Parallel()
	nt.Run(t, harness())
}
