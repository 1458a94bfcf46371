package httpd_test

import (
	"testing"

	"belfry/internal/core"
	"belfry/internal/httpd"
)

func TestEveryCodeHasItsStatus(t *testing.T) {
	t.Parallel()
	want := map[core.Code]int{
		"invalid_request": 400, "unauthenticated": 401, "quota_exceeded": 402, "insufficient_scope": 403, "not_found": 404,
		"method_not_allowed": 405, "conflict": 409, "confirm_required": 409, "plan_has_issues": 409, "media_purged": 409,
		"outcome_unknown": 409, "idempotency_mismatch": 409, "idempotency_in_progress": 409, "payload_too_large": 413,
		"unsupported_media_type": 415, "rate_limited": 429, "unavailable": 503, "internal": 500,
	}
	for _, code := range core.Codes {
		if _, listed := want[code]; !listed {
			// A code that is missing in the table is answered as internal.
			if code != core.CodeInternal && httpd.Status(code) == 500 {
				t.Errorf("%s has no status", code)
			}
			continue
		}
		if got := httpd.Status(code); got != want[code] {
			t.Errorf("%s: %d, want %d", code, got, want[code])
		}
	}
	if got := httpd.Status("no such code"); got != 500 {
		t.Errorf("an unknown code: %d", got)
	}
}
