package tiktok_test

import (
	"maps"
	"net/http"
	"net/url"
	"testing"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/networktest"
	"belfry/internal/network/sim"
	"belfry/internal/network/tiktok"
	"belfry/internal/network/tiktok/tiktoksim"
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
		Driver: tiktok.NewDriver(), Settings: tiktok.Settings{}, Sandbox: sandboxed, TokenCall: "create",
		Simplest: network.Draft{Media: networktest.RepeatFile(1, networktest.Video())},
		Consent:  url.Values{"username": {"nightowl.cycles"}}, Errors: undocumented(), Facts: facts(),
	}
}

// facts are the facts in networks/tiktok.md, 3.0.
func facts() []networktest.FactsCase {
	const longest = 600_000
	audiences := func(levels ...string) map[string][]string { return map[string][]string{"privacyLevel": levels} }
	open := audiences("PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY")
	quiet := maps.Clone(open)
	for _, setting := range []string{"disableComment", "disableDuet", "disableStitch"} {
		quiet[setting] = []string{"true"}
	}
	refusal := func(code string) sim.Fault {
		return sim.Fault{Call: "creator_info", Kind: sim.Error, Reason: code, Status: 403}
	}
	return []networktest.FactsCase{
		{Want: core.Facts{Choices: open, LongestVideoMs: longest}},
		{
			Option: tiktoksim.OptAccount, Value: tiktoksim.Private,
			Want: core.Facts{
				Choices: audiences("MUTUAL_FOLLOW_FRIENDS", "FOLLOWER_OF_CREATOR", "SELF_ONLY"), LongestVideoMs: longest,
			},
		},
		{Option: tiktoksim.OptAccount, Value: tiktoksim.Quiet, Want: core.Facts{Choices: quiet, LongestVideoMs: longest}},
		{Option: tiktoksim.OptDuration, Value: "180", Want: core.Facts{Choices: open, LongestVideoMs: 180_000}},
		{Option: tiktoksim.OptCap, Value: "0", Want: core.Facts{
			Blocked: "The account has reached TikTok's 24-hour limit on posts. Belfry will try again.",
		}},
		{Fault: refusal("spam_risk_user_banned_from_posting"), Want: core.Facts{
			Blocked: "TikTok does not allow this account to post. Open the account on TikTok to see why.",
		}},
		{Fault: refusal("reached_active_user_cap"), Want: core.Facts{
			Blocked: "This server's TikTok app has reached the 24-hour limit on the number of accounts that can post. Belfry will try again.",
		}},
	}
}

// undocumented are errors that TikTok does not document.
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
