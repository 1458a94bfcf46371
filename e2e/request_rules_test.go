package e2e

import (
	"strings"
	"testing"
)

// The shape of the API (decisions.md; Spec §7, §8): errors, headers, repetition, methods and health.
func TestRequestShapeRules(t *testing.T) {
	t.Parallel()
	g := newDemoScenario(t)
	const create = `{"targets":{"accountIds":["<threads>"]},"text":"Once","confirm":true}`
	in := func(as, name string) { g.callers[as] = g.callers[""].withHeader("Content-Type", name) }
	in("text", "text/plain")
	in("form", "application/x-www-form-urlencoded")
	in("json", "application/json; charset=utf-8")
	in("latin", "application/json; charset=latin1")
	posts := func(name, by, body string, status int, code, says string) step {
		return step{name: name, caller: by, call: "POST /posts", body: body, status: status, code: code, contains: says}
	}
	repeat := func(name, key, call, body string, status int, code, header string) step {
		return step{name: name, key: key, call: call, body: body, status: status, code: code, header: header}
	}
	made := func(s step, rows rowCounts, files fileCounts) step { s.rows, s.files = rows, files; return s }
	headers := func(name string) step {
		return step{name: "an answer carries " + name, call: "GET /whoami", status: 200, header: name}
	}
	none := func(name, call string, status int, code, header string) step {
		return step{name: name, call: call, status: status, code: code, header: header}
	}
	g.runSteps(t, []step{
		// Headers
		headers("X-Request-Id"), headers("Content-Type: application/json"), headers(`Ratelimit: "address";r=`),
		headers(`Ratelimit-Policy: "address";q=1000000;w=600`),
		headers("Cache-Control: no-store"), headers("X-Content-Type-Options: nosniff"),
		{
			name: "a creation carries its own limit", call: "POST /posts", body: `{`, status: 400, code: "invalid_request",
			header: `Ratelimit-Policy: "address";q=1000000;w=600, "post-create";q=1000000;w=3600`,
		},
		{
			name: "a refusal carries them too", caller: "nobody", call: "GET /whoami", status: 401, code: "unauthenticated",
			header: "X-Request-Id",
		},
		{
			name: "what nobody may is counted", caller: "nobody", call: "GET /posts", status: 401, code: "unauthenticated",
			header: "Ratelimit",
		},
		{name: "a path that is none is counted", call: "GET /nothing", status: 404, code: "not_found", header: "Ratelimit"},

		// Health, which needs no credential and is not counted
		{
			name: "it lives", caller: "nameless", call: "GET ./livez", status: 200, contains: `{"live":true}`,
			header: "Belfry-Version",
		},
		{
			name: "it is ready", caller: "nameless", call: "GET ./readyz", status: 200, contains: `{"ready":true}`,
			header: "no Ratelimit",
		},

		// Bodies
		posts("no body", "", "", 400, "invalid_request", ""),
		posts("broken", "", `{"text":`, 400, "invalid_request", ""),
		posts("a list", "", `[]`, 400, "invalid_request", ""),
		posts("null", "", `null`, 400, "invalid_request", ""),
		posts("two values", "", create+create, 400, "invalid_request", ""),
		posts("a comment", "", create+"// once", 400, "invalid_request", ""),
		posts("bytes that are no text", "", "{\"text\":\"\xff\"}", 400, "invalid_request", ""),
		posts("half of a pair", "", `{"text":"\ud83d"}`, 400, "invalid_request", ""),
		posts("deeper than any body", "", strings.Repeat(`[`, 20000), 400, "invalid_request", ""),
		posts("larger than any body", "", `{"text":"`+strings.Repeat("x", 1<<20)+`"}`, 413, "payload_too_large", ""),
		posts("text by its type", "text", create, 415, "unsupported_media_type", "application/json"),
		posts("a form", "form", "text=x", 415, "unsupported_media_type", ""),
		posts("another alphabet", "latin", create, 415, "unsupported_media_type", ""),
		made(posts("JSON by its whole name", "json", create, 201, "", ""), rowCounts{posts: 1}, fileCounts{}),

		// Paths and methods
		none("no path", "GET /", 404, "not_found", ""),
		none("a path below a path", "GET /whoami/me", 404, "not_found", ""),
		none("a slash too many", "GET /posts/", 404, "not_found", ""),
		none("another case", "GET /Posts", 404, "not_found", ""),
		none("what is not there yet", "POST /webhooks", 404, "not_found", ""), // Spec §6
		none("a wrong method", "PUT /posts", 405, "method_not_allowed", "Allow"),
		none("a wrong method of one", "POST /posts/<draft>", 405, "method_not_allowed", "Allow"),
		none("a method of nobody", "BREW /whoami", 405, "method_not_allowed", "Allow"),

		// Repetition
		made(repeat("a creation with a key", "a", "POST /posts", create, 201, "", ""), rowCounts{posts: 1}, fileCounts{}),
		repeat("is answered again", "a", "POST /posts", create, 201, "", "Idempotency-Replayed: true"),
		repeat(
			"but not for another body", "a", "POST /posts", strings.Replace(create, "Once", "Twice", 1), 409,
			"idempotency_mismatch", "",
		),
		repeat("a refusal with a key", "b", "POST /posts", `{"text":`, 400, "invalid_request", ""),
		made(
			repeat("leaves the key free for a mended body", "b", "POST /posts", create, 201, "", ""), rowCounts{posts: 1},
			fileCounts{},
		),
		made(
			repeat(
				"another route has keys of its own", "a", "POST /media/uploads",
				`{"filename":"a.png","mime":"image/png","size":7}`, 201, "", "",
			),
			rowCounts{}, fileCounts{files: 1, used: 7},
		),
		repeat(
			"and answers again too", "a", "POST /media/uploads", `{"filename":"a.png","mime":"image/png","size":7}`, 201, "",
			"Idempotency-Replayed: true",
		),
		repeat("a key of spaces", "a b", "POST /posts", create, 400, "invalid_request", ""),
		repeat("a key that is too long", strings.Repeat("k", 256), "POST /posts", create, 400, "invalid_request", ""),
		made(
			repeat("a key as long as may be", strings.Repeat("k", 255), "POST /posts", create, 201, "", ""),
			rowCounts{posts: 1}, fileCounts{},
		),
		made(
			repeat("a key where none is taken", "a", "POST /posts/<draft>/duplicate", "", 200, "", ""), rowCounts{posts: 1},
			fileCounts{},
		),
		made(
			repeat("makes no difference there", "a", "POST /posts/<draft>/duplicate", "", 200, "", ""), rowCounts{posts: 1},
			fileCounts{},
		),
		{
			name: "another's key is no secret", caller: "reader", key: "a", call: "POST /posts", body: create, status: 403,
			code: "insufficient_scope",
		},
	})
}

// Both limits (Spec §8): what they count, and what they answer when there is no more.
func TestRequestLimitRules(t *testing.T) {
	t.Parallel()
	g := newDemoScenario(t, map[string]string{"LIMIT_CREATE": "3/1h", "LIMIT_ADDRESS": "1000/10m"})
	const create = `{"targets":{"accountIds":["<threads>"]},"text":"Counted","confirm":true}`
	g.runSteps(t, []step{
		{
			name: "one of three", key: "k", call: "POST /posts", body: create, status: 201, header: `Ratelimit`,
			rows: rowCounts{posts: 1},
		},
		{
			name: "a repetition costs nothing", key: "k", call: "POST /posts", body: create, status: 201,
			header: "Idempotency-Replayed: true",
		},
		{name: "a refusal for its content counts", call: "POST /posts", body: `{`, status: 400, code: "invalid_request"},
		{
			name: "a refusal for its scope does not", caller: "reader", call: "POST /posts", body: create, status: 403,
			code: "insufficient_scope",
		},
		{
			name: "a person's counts with the keys', and once for all its targets", caller: "session", call: "POST /posts",
			body: strings.Replace(create, `"]`, `","<facebook>"]`, 1), status: 201, rows: rowCounts{posts: 2},
		},
		{
			name: "there is no more", call: "POST /posts", body: create, status: 429, code: "rate_limited",
			header: "Retry-After",
		},
		{name: "nor for a person", caller: "session", call: "POST /posts", body: create, status: 429, code: "rate_limited"},
		{name: "nor for nonsense", call: "POST /posts", body: `{`, status: 429, code: "rate_limited"},
		{name: "nor with a new key", key: "l", call: "POST /posts", body: create, status: 429, code: "rate_limited"},
		{
			name: "but the kept answer is there", key: "k", call: "POST /posts", body: create, status: 201,
			header: "Idempotency-Replayed: true",
		},
		{
			name: "a plan is no creation", call: "POST /posts/plan",
			body: `{"targets":{"accountIds":["<threads>"]},"text":"x"}`, status: 200,
		},
		{name: "nor is a copy", call: "POST /posts/<draft>/duplicate", status: 200, rows: rowCounts{posts: 1}},
	})
}
