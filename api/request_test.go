package api_test

import (
	"net/http"
	"strings"
	"testing"

	"belfry/internal/core"
)

func TestABodyMustBeJSONAndOfASensibleSize(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	key := bearerKey(ws.Key(core.Write))
	plan := `{"targets":{"accountIds":["` + ws.Account("threads").ID + `"]},"text":"x"}`
	kind := func(v string) with { return header("Content-Type", v) }
	chunked := func(req *http.Request) { req.ContentLength = -1 }
	post := "/v1/posts/" + "post_x"
	for name, c := range map[string]struct {
		path, body string
		with       []with
		status     int
		code       core.Code
	}{
		"JSON": {"/v1/posts/plan", plan, nil, 200, ""},
		"JSON with a charset": {
			"/v1/posts/plan", plan,
			[]with{kind("application/json; charset=UTF-8")},
			200, "",
		},
		"JSON in capitals": {"/v1/posts/plan", plan, []with{kind("Application/JSON")}, 200, ""},
		"JSON in chunks":   {"/v1/posts/plan", plan, []with{chunked}, 200, ""},
		"padded to the limit": {
			"/v1/posts/plan", plan + strings.Repeat(" ", 1<<20-len(plan)), nil,
			200, "",
		},
		"one byte over it": {
			"/v1/posts/plan", plan + strings.Repeat(" ", 1<<20-len(plan)+1),
			nil, 413, core.CodePayloadTooLarge,
		},
		"one byte over it, in chunks": {
			"/v1/posts/plan", plan + strings.Repeat(" ", 1<<20-len(plan)+1),
			[]with{chunked},
			413, core.CodePayloadTooLarge,
		},
		"too large, with an Idempotency-Key": {
			"/v1/posts", plan + strings.Repeat(" ", 1<<20),
			[]with{header("Idempotency-Key", "a")},
			413, core.CodePayloadTooLarge,
		},
		"another charset": {
			"/v1/posts/plan", plan,
			[]with{kind("application/json; charset=latin1")},
			415, core.CodeUnsupportedMediaType,
		},
		"plain text": {
			"/v1/posts/plan", plan,
			[]with{kind("text/plain")},
			415,
			core.CodeUnsupportedMediaType,
		},
		"a form": {
			"/v1/posts/plan", "text=x",
			[]with{kind("application/x-www-form-urlencoded")},
			415, core.CodeUnsupportedMediaType,
		},
		"something like JSON": {
			"/v1/posts/plan", plan,
			[]with{kind("application/vnd.api+json")},
			415, core.CodeUnsupportedMediaType,
		},
		"no type that can be read": {
			"/v1/posts/plan", plan,
			[]with{kind("json;;;=")},
			415,
			core.CodeUnsupportedMediaType,
		},
		"nothing where a body is needed":       {"/v1/posts/plan", "", nil, 400, core.CodeInvalidRequest},
		"nothing where a body may be left out": {post + "/retry", "", nil, 404, core.CodeNotFound},
		"a body where none is taken": {
			post + "/cancel", `{"force":true}`, nil, 400,
			core.CodeInvalidRequest,
		},
		"an empty object where none is taken": {post + "/cancel", `{}`, nil, 404, core.CodeNotFound},
		"an unknown key of a body that may be left out": {
			post + "/retry", `{"confirm":true}`, nil, 400,
			core.CodeInvalidRequest,
		},
		"a network that does not exist": {
			"/v1/posts/plan",
			strings.Replace(plan, `"text"`, `"perPlatform":{"thread":{}},"text"`, 1), nil, 400, core.CodeInvalidRequest,
		},
	} {
		got := r.do("POST", c.path, c.body, append(c.with, key)...)
		if got.Status != c.status || got.code() != c.code {
			t.Errorf("%s: want %d %s, got %d: %s", name, c.status, c.code, got.Status, got.Body)
		}
	}
}

func TestQueryIsDecodedStrictly(t *testing.T) {
	t.Parallel()
	r := open(t)
	key := bearerKey(r.Workspace("one").Key(core.Read))
	for query, hint := range map[string]string{
		"/v1/posts?staus=draft":                "Check query.staus. Did you mean status?",
		"/v1/posts?Status=draft":               "Did you mean status?",
		"/v1/posts?status=draft&status=live":   "Check query.status.",
		"/v1/posts?limit=0":                    "Check query.limit.",
		"/v1/posts?limit=101":                  "Check query.limit.",
		"/v1/posts?limit=ten":                  "Check query.limit.",
		"/v1/posts?limit=99999999999999999999": "Check query.limit.",
		"/v1/posts?order=up":                   "Check query.order. Use one of: asc, desc.",
		"/v1/posts?q=a%00b":                    "Check query.q.",
		"/v1/posts?q=%ff":                      "Check query.q.",
		"/v1/posts?q=%zz":                      "Check query.",
		"/v1/posts?a;b":                        "Check query.",
		"/v1/posts?status=sent":                "",
		"/v1/posts?cursor=x":                   "",
		"/v1/posts?from=yesterday":             "",
		"/v1/accounts?limit=5":                 "None are allowed here.",
		"/v1/groups?x":                         "None are allowed here.",
	} {
		got := r.do("GET", query, "", key)
		got.want(t, http.StatusBadRequest, core.CodeInvalidRequest)
		if !strings.Contains(string(got.Body), hint) {
			t.Errorf("%s: want the hint %q, got %s", query, hint, got.Body)
		}
	}
	for _, query := range []string{"/v1/posts?", "/v1/posts?limit=1&order=asc&status=draft,queued&q=%C3%A4&from=2026-10-01&to=2026-10-31", "/v1/posts?status="} {
		r.do("GET", query, "", key).want(t, http.StatusOK, "")
	}
}
