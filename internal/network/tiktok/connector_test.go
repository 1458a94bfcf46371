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
		Consent:  url.Values{"username": {"nightowl.cycles"}}, Errors: documented(),
	}
}

// documented are the rows of networks/tiktok.md, part 5, at each call where they occur.
func documented() []networktest.Case {
	var all []networktest.Case
	add := func(kind network.Kind, status int, codes ...string) {
		for _, call := range []string{"creator_info", "create", "status"} {
			for _, code := range codes {
				all = append(all, networktest.Case{Call: call, Reason: code, Status: status, Kind: kind})
			}
		}
	}
	add(network.Rejected, 400, "invalid_param", "invalid_params", "invalid_publish_id", "invalid_file_upload",
		"token_not_authorized_for_specified_publish_id", "app_version_check_failed", "a_code_of_tomorrow")
	add(network.Lapsed, 401, "access_token_invalid")
	add(network.Revoked, 401, "scope_not_authorized")
	add(network.Revoked, 400, "scope_permission_missed")
	add(network.RateLimited, 403, "spam_risk_too_many_posts", "spam_risk_too_many_pending_share", "reached_active_user_cap")
	add(network.RateLimited, 429, "rate_limit_exceeded", "a_limit_of_tomorrow")
	add(network.Rejected, 403, "spam_risk_user_banned_from_posting", "unaudited_client_can_only_post_to_private_accounts",
		"url_ownership_unverified", "privacy_level_option_mismatch")
	add(network.Transient, 500, "internal_error", "an_error_of_tomorrow")
	return all
}

func TestConformance(t *testing.T) {
	t.Parallel()
	networktest.Run(t, harness())
}
