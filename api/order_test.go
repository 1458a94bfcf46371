package api_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/core"
)

// TestChecksRunInTheDocumentedOrder gives a request everything that is wrong with it from one check on, and
// expects the first to answer (decisions.md, Order of checks).
func TestChecksRunInTheDocumentedOrder(t *testing.T) {
	t.Parallel()
	r := open(t, func(c *app.Config) { c.LimitCreate = app.Rate{Max: 3, Window: time.Hour} })
	free, paid := r.Workspace("free"), r.WorkspaceOn(core.PlanFree, "full", "UTC")
	account := paid.Account("threads")
	for range 30 {
		paid.Queued("the month's posts", account, apptest.Start().Add(time.Hour))
	}
	lacking := free.Key(core.Write)
	free.Use(core.PlanFree)
	reader, writer := r.Workspace("reader").Key(core.Read), r.Workspace("writer").Key(core.Write)
	limited := r.Workspace("limited")
	limitedKey := bearerKey(limited.Key(core.Write))
	kept := `{"targets":{"accountIds":["` + limited.Account("threads").ID + `"]},"text":"kept","confirm":true}`
	first := r.do("POST", "/v1/posts", kept, limitedKey, header("Idempotency-Key", "kept"))
	first.want(t, http.StatusCreated, "")
	for range 2 {
		r.do("POST", "/v1/posts", `{`, limitedKey).want(t, http.StatusBadRequest, core.CodeInvalidRequest)
	}

	const unknown = `{"targets":{"accountIds":["acc_unknown"]},"text":"x","when":{"publishAt":"2020-01-01T10:00"}`
	known := `{"targets":{"accountIds":["` + account.ID + `"]},"text":"x","when":{"publishAt":"2020-01-01T10:00"}`
	session := r.signedIn(paid.Owner)
	for _, c := range []struct {
		name, body string
		with       []with
		status     int
		code       core.Code
	}{
		{"no credential, and a broken body", `{`, nil, 401, core.CodeUnauthenticated},
		{
			"a mistyped key, and a broken body", `{`,
			[]with{header("Authorization", "Bearer belfry_live_x")},
			401,
			core.CodeUnauthenticated,
		},
		{"another scheme", `{`, []with{header("Authorization", "Basic "+writer.Bearer)}, 401, core.CodeUnauthenticated},
		{
			"two credentials", `{`,
			[]with{bearerKey(writer), header("Authorization", "Bearer "+writer.Bearer)},
			401,
			core.CodeUnauthenticated,
		},
		{"a plan without API, a broken body", `{`, []with{bearerKey(lacking)}, 402, core.CodeQuotaExceeded},
		{"a key that only reads, a broken body", `{`, []with{bearerKey(reader)}, 403, core.CodeInsufficientScope},
		{
			"a key that only reads, a body of another type", `x`,
			[]with{bearerKey(reader), header("Content-Type", "text/plain")},
			403, core.CodeInsufficientScope,
		},
		{
			"a repeated key with another body, over the hourly limit", `{`,
			[]with{limitedKey, header("Idempotency-Key", "kept")},
			409, core.CodeIdempotencyMismatch,
		},
		{"a kept answer, over the hourly limit", kept, []with{limitedKey, header("Idempotency-Key", "kept")}, 201, ""},
		{"over the hourly limit, a broken body", `{`, []with{limitedKey}, 429, core.CodeRateLimited},
		{
			"over the hourly limit, too large a body", strings.Repeat(" ", 1<<20+1),
			[]with{limitedKey, header("Idempotency-Key", "large")},
			429, core.CodeRateLimited,
		},
		{
			"a body of another type, which is broken", `{`,
			[]with{session, header("Content-Type", "text/plain")},
			415,
			core.CodeUnsupportedMediaType,
		},
		{"a broken body", `{`, []with{bearerKey(writer)}, 400, core.CodeInvalidRequest},
		{"an unknown account, no confirm, no quota, a past time", unknown + `}`, []with{session}, 404, core.CodeNotFound},
		{"no confirm, no quota, a past time", known + `}`, []with{session}, 409, core.CodeConfirmRequired},
	} {
		got := r.do("POST", "/v1/posts", c.body, c.with...)
		if got.Status != c.status || got.code() != c.code {
			t.Errorf("%s: want %d %s, got %d: %s", c.name, c.status, c.code, got.Status, got.Body)
		}
	}
}

func TestQuotaIsCheckedBeforeThePlan(t *testing.T) {
	t.Parallel()
	r := open(t)
	full := r.WorkspaceOn(core.PlanFree, "full", "UTC")
	account := full.Account("threads")
	for range 30 {
		full.Queued("the month's posts", account, apptest.Start().Add(time.Hour))
	}
	body := `{"targets":{"accountIds":["` + account.ID +
		`"]},"text":"x","when":{"publishAt":"2020-01-01T10:00"},"confirm":true}`
	got := r.do("POST", "/v1/posts", body, r.signedIn(full.Owner))
	got.want(t, http.StatusPaymentRequired, core.CodeQuotaExceeded)
	var facts struct {
		Limit, Used int
		UpgradeURL  string
	}
	got.read(t, &facts)
	if facts.Limit != 30 || facts.Used != 30 || facts.UpgradeURL == "" {
		t.Errorf("a 402 carries limit, used and upgradeUrl (Spec §2): %s", got.Body)
	}
}

func TestAddressLimitIsCheckedFirst(t *testing.T) {
	t.Parallel()
	r := open(t, func(c *app.Config) { c.LimitAddress = app.Rate{Max: 5, Window: 10 * time.Minute} })
	key := bearerKey(r.Workspace("one").Key(core.Write))
	for _, path := range []string{"/v1/whoami", "/v1/openapi.json", "/v1/nowhere", "/v1", "/v1/accounts"} {
		if got := r.do("GET", path, "", key); got.Status == http.StatusTooManyRequests {
			t.Fatalf("%s is over the limit of 5 already", path)
		}
	}
	for _, request := range []string{"GET /v1/whoami", "GET /v1/openapi.json", "POST /v1/posts", "PUT /v1/posts", "GET /v1/nowhere"} {
		method, path, _ := strings.Cut(request, " ")
		got := r.do(method, path, "", header("Authorization", "Bearer wrong"))
		got.want(t, http.StatusTooManyRequests, core.CodeRateLimited)
		wait, err := strconv.Atoi(got.Header.Get("Retry-After"))
		if err != nil || wait < 590 || wait > 620 || !strings.HasPrefix(got.Header.Get("RateLimit"), `"address";r=0;t=`) {
			t.Errorf("%s: Retry-After %q, RateLimit %q", request, got.Header.Get("Retry-After"), got.Header.Get("RateLimit"))
		}
	}
	if got := r.do("GET", "/livez", ""); got.Status != http.StatusOK {
		t.Errorf("health is not counted, yet it answers %d", got.Status)
	}
	wait, err := strconv.Atoi(r.do("GET", "/v1/whoami", "").Header.Get("Retry-After"))
	must(t, err)
	r.Clock.Advance(time.Duration(wait) * time.Second)
	r.do("GET", "/v1/whoami", "", key).want(t, http.StatusOK, "")
}
