package api_test

import (
	"net/http"
	"strings"
	"testing"

	"belfry/internal/core"
)

func TestEveryAnswerCarriesItsHeaders(t *testing.T) {
	t.Parallel()
	r := open(t)
	key := bearerKey(r.Workspace("one").Key(core.Write))
	for request, with := range map[string][]with{
		"GET /v1/whoami":       {key},
		"GET /v1/openapi.json": nil,
		"GET /v1/accounts":     nil,
		"GET /v1/nowhere":      nil,
		"PUT /v1/posts":        {key},
		"OPTIONS /v1/posts":    nil,
		"HEAD /v1/whoami":      {key},
		"GET /v1/posts/x":      {key},
		"POST /v1/posts":       {key},
	} {
		method, path, _ := strings.Cut(request, " ")
		got := r.do(method, path, "", with...)
		for name, want := range map[string]string{
			"RateLimit-Policy": `"address";q=600;w=600, "post-create";q=60;w=3600`, "Belfry-Sandbox": "true",
			"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
		} {
			if h := got.Header.Get(name); h != want {
				t.Errorf("%s: %s is %q", request, name, h)
			}
		}
		if got.Header.Get("X-Request-Id") == "" || !strings.HasPrefix(got.Header.Get("RateLimit"), `"address";r=5`) {
			t.Errorf("%s: X-Request-Id %q, RateLimit %q", request, got.Header.Get("X-Request-Id"), got.Header.Get("RateLimit"))
		}
		if got.Status != http.StatusNoContent && got.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: Content-Type %q", request, got.Header.Get("Content-Type"))
		}
	}
	if got := r.do("POST", "/v1/posts", `{}`, key); !strings.Contains(got.Header.Get("RateLimit"),
		`"post-create";r=58;t=`) {
		t.Errorf("a creation tells where its limit stands: %q", got.Header.Get("RateLimit"))
	}
}

func TestUnknownPathsAndMethodsAnswerJSON(t *testing.T) {
	t.Parallel()
	r := open(t)
	key := bearerKey(r.Workspace("one").Key(core.Write))
	for _, path := range []string{"/v1", "/v1/", "/v1/nowhere", "/v1/posts/a/b/c", "/v1/POSTS", "/v1/posts/../keys/x/y", "/v1/%2e%2e/x"} {
		r.do("GET", path, "", key).want(t, http.StatusNotFound, core.CodeNotFound)
	}
	for request, allow := range map[string][]string{
		"PUT /v1/posts":          {"GET", "HEAD", "POST"},
		"DELETE /v1/posts":       {"GET", "POST"},
		"GET /v1/posts/plan/x":   nil,
		"GET /v1/posts/a/retry":  {"POST"},
		"POST /v1/posts/a":       {"GET", "PATCH", "DELETE"},
		"POST /v1/openapi.json":  {"GET"},
		"TRACE /v1/whoami":       {"GET"},
		"PATCH /v1/accounts/a":   {"DELETE"},
		"BREW /v1/posts":         {"GET", "POST"},
		"HEAD /v1/posts/a/retry": {"POST"},
	} {
		method, path, _ := strings.Cut(request, " ")
		got := r.do(method, path, "", key)
		if allow == nil {
			got.want(t, http.StatusNotFound, core.CodeNotFound)
			continue
		}
		if got.Status != http.StatusMethodNotAllowed || method != "HEAD" && got.code() != core.CodeMethodNotAllowed {
			t.Errorf("%s answers %d: %s", request, got.Status, got.Body)
		}
		for _, m := range allow {
			if !strings.Contains(got.Header.Get("Allow"), m) {
				t.Errorf("%s: Allow is %q, without %s", request, got.Header.Get("Allow"), m)
			}
		}
	}
}

func TestHeadAndOptions(t *testing.T) {
	t.Parallel()
	r := open(t)
	key := bearerKey(r.Workspace("one").Key(core.Read))
	for _, path := range []string{"/v1/whoami", "/v1/posts", "/v1/openapi.json"} {
		if got := r.do("HEAD", path, "", key); got.Status != http.StatusOK || len(got.Body) != 0 {
			t.Errorf("HEAD %s answers %d with %d bytes", path, got.Status, len(got.Body))
		}
	}
	if got := r.do("HEAD", "/v1/whoami", ""); got.Status != http.StatusUnauthorized {
		t.Errorf("HEAD without a key answers %d", got.Status)
	}
	got := r.do("OPTIONS", "/v1/posts", "", header("Origin", "https://evil.example"),
		header("Access-Control-Request-Method", "POST"))
	if got.Status != http.StatusNoContent || got.Header.Get("Access-Control-Allow-Origin") != "" ||
		!strings.Contains(got.Header.Get("Allow"), "POST") {
		t.Errorf("OPTIONS answers %d, Allow %q, %q", got.Status, got.Header.Get("Allow"),
			got.Header.Get("Access-Control-Allow-Origin"))
	}
}

func TestTheDescriptionNeedsNoCredential(t *testing.T) {
	t.Parallel()
	r := open(t)
	got := r.do("GET", "/v1/openapi.json", "")
	got.want(t, http.StatusOK, "")
	if !strings.HasPrefix(string(got.Body), `{`) || !strings.Contains(string(got.Body), `"openapi": "3.1.0"`) {
		t.Errorf("got %.200s", got.Body)
	}
}

func TestAPIAnswersUnavailableWithoutItsDatabase(t *testing.T) {
	t.Parallel()
	r := open(t)
	key := bearerKey(r.Workspace("one").Key(core.Read))
	r.Pool.Close()
	for _, path := range []string{"/v1/whoami", "/v1/openapi.json"} {
		got := r.do("GET", path, "", key)
		got.want(t, http.StatusServiceUnavailable, core.CodeUnavailable)
		if got.Header.Get("Retry-After") == "" || strings.Contains(string(got.Body), "pool") {
			t.Errorf("%s: Retry-After %q: %s", path, got.Header.Get("Retry-After"), got.Body)
		}
	}
}
