package api_test

import (
	"net/http"
	"strings"
	"testing"

	"belfry/internal/core"
)

func TestACookieCountsForOurOwnPagesOnly(t *testing.T) {
	t.Parallel()
	r := open(t)
	owner := r.Workspace("one").Owner
	cookie := func(site, origin string) with {
		signed := r.signedIn(owner)
		return func(req *http.Request) {
			signed(req)
			req.Header.Del("Sec-Fetch-Site")
			if site != "" {
				req.Header.Set("Sec-Fetch-Site", site)
			}
			if origin != "" {
				req.Header.Set("Origin", origin)
			}
		}
	}
	for _, c := range []struct {
		name, method, path, site, origin string
		status                           int
	}{
		{"our page reads", "GET", "/v1/whoami", "same-origin", "", 200},
		{"a read that says nothing", "GET", "/v1/whoami", "", "", 200},
		{"another site reads", "GET", "/v1/whoami", "cross-site", "", 401},
		{"a neighbour reads", "GET", "/v1/whoami", "same-site", "", 401},
		{"our page writes", "POST", "/v1/keys", "same-origin", "", 201},
		{"our page writes by an old browser", "POST", "/v1/keys", "", "http://localhost:8080", 201},
		{"another site writes", "POST", "/v1/keys", "cross-site", "https://evil.example", 401},
		{"another site writes by an old browser", "POST", "/v1/keys", "", "https://evil.example", 401},
		{"a write that says nothing", "POST", "/v1/keys", "", "", 401},
		{"a write from nowhere", "POST", "/v1/keys", "", "null", 401},
	} {
		body := ""
		if c.method == "POST" {
			body = `{"name":"a","scope":"read"}`
		}
		if got := r.do(c.method, c.path, body, cookie(c.site, c.origin)); got.Status != c.status {
			t.Errorf("%s: want %d, got %d: %s", c.name, c.status, got.Status, got.Body)
		}
	}
}

func TestAKeyIsRefusedWhereAPersonIsNeeded(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	key := ws.Key(core.Write)
	editor := r.signedIn(ws.Member(core.RoleEditor))
	for _, c := range []struct{ method, path, body string }{
		{"GET", "/v1/keys", ""},
		{"POST", "/v1/keys", `{`},
		{"DELETE", "/v1/keys/" + key.ID, ""},
		{"POST", "/v1/accounts/connect", `{`},
		{"DELETE", "/v1/accounts/acc_x", ""},
		{"POST", "/v1/accounts/acc_x/reconnect", ""},
	} {
		for who, with := range map[string]with{"a key": bearerKey(key), "an editor": editor} {
			if got := r.do(c.method, c.path, c.body, with); got.Status != http.StatusForbidden ||
				got.code() != core.CodeInsufficientScope {
				t.Errorf("%s %s by %s: want 403, got %d: %s", c.method, c.path, who, got.Status, got.Body)
			}
		}
	}
	viewer := r.signedIn(ws.Member(core.RoleViewer))
	r.do("GET", "/v1/posts", "", viewer).want(t, http.StatusOK, "")
	r.do("POST", "/v1/posts", `{`, viewer).want(t, http.StatusForbidden, core.CodeInsufficientScope)
	r.do("POST", "/v1/posts/plan", `{`, viewer).want(t, http.StatusBadRequest, core.CodeInvalidRequest)
}

// A request that brings no key is told what it lacks; of a key that it brings only that it is not known.
func TestRequestWithoutKeySaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	r := open(t)
	key := r.Workspace("one").Key(core.Write).Bearer
	for name, c := range map[string]struct{ header, message string }{
		"none":        {"", "The request has no Authorization header."},
		"no Bearer":   {key, "must be `Bearer`, a space and an API key"},
		"basic":       {"Basic eDp5", "must be `Bearer`, a space and an API key"},
		"nothing":     {"Bearer ", "must be `Bearer`, a space and an API key"},
		"a variable":  {"Bearer $KEY", "The API key is mistyped or revoked."},
		"cut short":   {"Bearer " + key[:len(key)-1], "The API key is mistyped or revoked."},
		"a wrong sum": {"Bearer " + key[:len(key)-1] + "!", "The API key is mistyped or revoked."},
	} {
		var with []with
		if c.header != "" {
			with = append(with, header("Authorization", c.header))
		}
		got := r.do("GET", "/v1/whoami", "", with...)
		if got.Status != http.StatusUnauthorized || !strings.Contains(string(got.Body), c.message) ||
			!strings.Contains(string(got.Body), "Bearer <API_KEY>") {
			t.Errorf("%s: want 401 and %q, got %d: %s", name, c.message, got.Status, got.Body)
		}
	}
}
