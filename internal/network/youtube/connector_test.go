package youtube_test

import (
	"fmt"
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
		Driver: youtube.Driver(), Settings: youtube.Settings{}, Sandbox: sandboxed, NoTrace: true,
		Simplest: network.Draft{Title: "Harbour", Media: []core.Media{nt.Video()}},
		Consent:  url.Values{"username": {"nightowl.cycles"}}, Errors: documented(),
	}
}

// documented are the rows of networks/youtube.md, part 5.
func documented() []nt.Case {
	var all []nt.Case
	add := func(kind network.Kind, status int, reasons ...string) {
		for _, reason := range reasons {
			c := nt.Case{Reason: reason, Status: status, Kind: kind}
			all = append(all, c)
			c.Call = "create"
			all = append(all, c)
			if c.Call = "status"; kind != network.Rejected { // which tells what became of the upload
				all = append(all, c)
			}
		}
	}
	add(network.Transient, 500, "internalError", "backendError", "anotherError")
	add(network.Transient, 503, "backendError")
	add(network.RateLimited, 403, "rateLimitExceeded", "userRateLimitExceeded", "quotaExceeded", "dailyLimitExceeded")
	add(network.RateLimited, 429, "rateLimitExceeded", "uploadRateLimitExceeded", "anotherLimit")
	add(network.RateLimited, 400, "uploadLimitExceeded")
	add(network.Lapsed, 401, "authError", "anotherReason")
	add(network.Revoked, 401, "youtubeSignupRequired", "authorizationRequired")
	add(network.Revoked, 403, "insufficientPermissions", "ACCESS_TOKEN_SCOPE_INSUFFICIENT")
	add(network.Rejected, 400, "invalidTitle", "invalidDescription", "invalidTags", "invalidCategoryId", "invalidFilename",
		"invalidPublishAt", "invalidRecordingDetails", "invalidVideoGameRating", "invalidVideoMetadata",
		"defaultLanguageNotSet", "mediaBodyRequired", "keyInvalid", "missingRequiredParameter", "unexpectedParameter",
		"invalidPageToken", "invalidFilters", "incompatibleParameters", "badRequest")
	add(network.Rejected, 403, "forbidden", "forbiddenLicenseSetting", "forbiddenPrivacySetting",
		"authenticatedUserAccountClosed", "authenticatedUserAccountSuspended", "authenticatedUserNotChannel", "channelClosed",
		"channelSuspended", "accountDelegationForbidden", "accessNotConfigured")
	return all
}

func TestConformance(t *testing.T) {
	t.Parallel()
	nt.Run(t, harness())
}

// Each documented answer to the last bytes ends as it must, whether the video was taken with it or not.
func TestWhatEveryErrorOfThePublishingCallComesTo(t *testing.T) {
	t.Parallel()
	ends := map[network.Kind]core.Do{
		network.Transient: core.DoLive, network.RateLimited: core.DoLive, network.Lapsed: core.DoLive,
		network.Revoked: core.DoAccount, network.Rejected: core.DoFail,
	}
	for _, c := range documented() {
		if c.Call != "" {
			continue
		}
		for _, taken := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s %d taken %v", c.Reason, c.Status, taken), func(t *testing.T) {
				t.Parallel()
				w := nt.NewWorld(t, harness())
				if err := w.Kit.SetOption(youtubesim.OptAccess, "900000"); err != nil { // some throttles last for a day
					t.Fatal(err)
				}
				w.Fault(sim.Fault{Call: "publish", Kind: sim.Error, Reason: c.Reason, Status: c.Status, Accept: taken})
				want, visible := ends[c.Kind], 0
				if taken {
					want = core.DoLive
				}
				if want == core.DoLive {
					visible = 1
				}
				do, all := w.Publish(w.Item("An error")).Run(), w.Visible()
				if do != want || len(all) != visible || taken && all[0].PublishCalls != 1 {
					t.Errorf("ended with %s, visible: %+v", do, all)
				}
			})
		}
	}
}
