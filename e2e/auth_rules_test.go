package e2e

import (
	"testing"
	"time"
)

// Authentication, whoami, limits and accounts (Spec §4, Identity and accounts; §5): who is let in, and to what.
func TestAuthenticationScopesAndPlans(t *testing.T) {
	t.Parallel()
	g := newDemoScenario(t)
	stranger := g.seedWorkspace()
	g.callers["basic"] = g.callers["nobody"].withHeader("Authorization", "Basic "+g.callers[""].key)
	g.callers["typo"] = g.newClient(g.callers[""].key[:len(g.callers[""].key)-1] + "!")
	g.callers["revoked"] = g.newClient(g.createKey(g.workspace, "write"))
	g.callers["elsewhere"] = g.callers["session"].withHeader(
		"Origin", "https://example.com",
	).withHeader("Sec-Fetch-Site", "cross-site")
	g.callers["stranger"] = g.newClient(stranger.Key)
	var keys struct {
		Keys []struct{ ID, Key, Name string }
	}
	g.owner.getInto("/keys", &keys)
	for _, k := range keys.Keys {
		g.savedIDs = append(g.savedIDs, "<key "+k.Name+">", k.ID)
	}
	create := `{"targets":{"accountIds":["<threads>"]},"text":"Not by this one","confirm":true}`
	refuse := func(name, by, call, body string, status int, code string) step {
		return step{name: name, caller: by, call: call, body: body, status: status, code: code}
	}
	unauthenticated := func(name, by string) step {
		return refuse(
			name, by, "POST /posts", create, 401, "unauthenticated",
		)
	}
	person := func(name, call, body string) step { return refuse(name, "", call, body, 403, "insufficient_scope") }
	reads := func(name, call, body string) step {
		return refuse(name, "reader", call, body, 403, "insufficient_scope")
	}
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	period := time.Now().In(zone).Format("2006-01")
	figures := func(plan, usage string) step {
		return step{
			name: "the figures of " + plan, plan: plan, caller: "session", call: "GET /whoami", status: 200,
			contains: `"plan":"` + plan + `" … "usage":{"plan":"` + plan + `" … "posts":{"used":5,"limit":` + usage + `}`,
		}
	}
	g.runAlone(t, []step{
		// 401: who is it?
		unauthenticated("no credential", "nameless"),
		unauthenticated("a key that is none", "nobody"),
		unauthenticated("a key with a wrong letter", "typo"),
		unauthenticated("a key in another scheme", "basic"),
		{
			name: "who nobody is", caller: "nameless", call: "GET /whoami", status: 401, code: "unauthenticated",
			header: "Www-Authenticate: Bearer",
		},
		unauthenticated("a session's request from another site", "elsewhere"),

		// 403: what may it?
		reads("a key to read creates", "POST /posts", create),
		reads("a key to read creates nonsense", "POST /posts", `{`),
		reads("a key to read edits", "PATCH /posts/<draft>", `{"text":"x"}`),
		reads("a key to read cancels", "POST /posts/<queued>/cancel", ""),
		reads("a key to read retries", "POST /posts/<failed>/retry", ""),
		reads("a key to read duplicates", "POST /posts/<live>/duplicate", ""),
		reads("a key to read deletes", "DELETE /posts/<draft>", ""),
		reads("a key to read deletes what never was", "DELETE /posts/post_none", ""),
		{
			name: "a key to read plans", caller: "reader", call: "POST /posts/plan",
			body: `{"targets":{"accountIds":["<threads>"]},"text":"A plan"}`, status: 200, contains: `"ok":true`,
		},
		{name: "a key to read reads", caller: "reader", call: "GET /posts/<draft>", status: 200, contains: `"id":"<draft>"`},
		person("a key lists keys", "GET /keys", ""),
		person("a key makes a key", "POST /keys", `{"name":"More","scope":"write"}`),
		person("a key revokes a key", "DELETE /keys/<key read>", ""),
		person("a key connects an account", "POST /accounts/connect", `{"platform":"threads"}`),
		person("a key reconnects an account", "POST /accounts/<threads>/reconnect", ""),
		person("a key disconnects an account", "DELETE /accounts/<threads>", ""),
	})
	g.runSteps(t, []step{
		// Keys, by a person
		{
			name: "a key's maker revokes it", caller: "session", call: "DELETE /keys/<key write>", status: 204,
			rows: rowCounts{keys: -1},
		},
		unauthenticated("a key that was revoked", "revoked"),
		{name: "revoking it again", caller: "session", call: "DELETE /keys/<key write>", status: 404, code: "not_found"},
		{
			name: "a person makes a key", caller: "session", call: "POST /keys", body: `{"name":"New","scope":"read"}`,
			status: 201, contains: `"key":"belfry_live_`, saveAs: "new", rows: rowCounts{keys: 1},
		},
		{
			name: "a person lists keys", caller: "session", call: "GET /keys", status: 200,
			contains: `{"keys":[{"id":"<new>" … "nextCursor":null`,
		},
		refuse("a key without a name", "session", "POST /keys", `{"scope":"read"}`, 400, "invalid_request"),
		refuse(
			"a key that may everything", "session", "POST /keys", `{"name":"All","scope":"admin"}`, 400, "invalid_request",
		),
		refuse("another's key is revoked", "stranger", "DELETE /keys/<new>", "", 403, "insufficient_scope"),

		// Whoami
		{
			name: "a key that may write", call: "GET /whoami", status: 200,
			contains: `"plan":"owner" … "tz":"Europe/Berlin" … "email":null … "credential":{"kind":"api_key",` +
				`"name":"Demo key","scopes":["read","write"]} … "period":"` + period + `","posts":{"used":6,"limit":null} … ` +
				`"groups":true,"mcp":"write","api":true`,
		},
		{
			name: "a key that may read", caller: "reader", call: "GET /whoami", status: 200,
			contains: `"kind":"api_key","name":"read","scopes":["read"]`,
		},
		{
			name: "a person", caller: "session", call: "GET /whoami", status: 200,
			contains: `"email":"owner- … "kind":"session" … "scopes":["read","write"]`,
		},
		refuse("whoami with a question", "", "GET /whoami?verbose=1", "", 400, "invalid_request"),

		// Limits and accounts
		{
			name: "the limits", caller: "reader", call: "GET /limits", status: 200,
			contains: `{"limits":{"facebook":{ … "instagram":{ … "threads":{"text":{"max":500, … "tiktok":{ … "youtube":{`,
		},
		{
			name: "the accounts", caller: "reader", call: "GET /accounts", status: 200,
			contains: `"displayName" … "status":"ok" … "nextCursor":null`,
		},
		{
			name: "an account is connected", caller: "session", call: "POST /accounts/connect", body: `{"platform":"threads"}`,
			status: 200, contains: `{"authorizeUrl":"http`,
		},
		refuse(
			"an account of no network", "session", "POST /accounts/connect", `{"platform":"myspace"}`, 400, "invalid_request",
		),
		{
			name: "an account is connected again", caller: "session", call: "POST /accounts/<threads>/reconnect", status: 200,
			contains: `{"authorizeUrl":"http`,
		},
		refuse("an account that never was", "session", "POST /accounts/acc_none/reconnect", "", 404, "not_found"),
		{
			name: "an account is disconnected, and its queued post is a draft", caller: "session",
			call: "DELETE /accounts/<threads>", status: 204, rows: rowCounts{accounts: -1, slots: -1},
		},
		{
			name: "which has no time", call: "GET /posts/<queued>", status: 200, contains: `"publishAt":null … "status":"draft"`,
		},
		{
			name: "nor can it be queued", call: "PATCH /posts/<queued>", body: `{"status":"queued","when":"now"}`, status: 409,
			code: "plan_has_issues", contains: `"issues":[{"code":"account_revoked"`,
		},
		{name: "its history stays", call: "GET /posts/<live>", status: 200, contains: `"status":"live"`},
		refuse("it is disconnected again", "session", "DELETE /accounts/<threads>", "", 404, "not_found"),
		refuse("it is posted to", "", "POST /posts", create, 404, "not_found"),

		// What each plan includes (decisions.md, Plans)
		figures(
			"creator",
			`300},"storage":{"usedBytes":0,"limitBytes":50000000000},"accounts":{"used":1,"limit":10},`+
				`"members":{"used":1,"limit":3},"groups":true,"mcp":"write","api":true`,
		),
		figures(
			"studio",
			`2000},"storage":{"usedBytes":0,"limitBytes":250000000000},"accounts":{"used":1,"limit":40},`+
				`"members":{"used":1,"limit":10},"groups":true,"mcp":"write","api":true`,
		),
		figures(
			"agency",
			`null},"storage":{"usedBytes":0,"limitBytes":1000000000000},"accounts":{"used":1,"limit":200},`+
				`"members":{"used":1,"limit":null},"groups":true,"mcp":"write","api":true`,
		),
		figures(
			"owner",
			`null},"storage":{"usedBytes":0,"limitBytes":null},"accounts":{"used":1,"limit":null},`+
				`"members":{"used":1,"limit":null},"groups":true,"mcp":"write","api":true`,
		),
		figures(
			"free",
			`30},"storage":{"usedBytes":0,"limitBytes":2000000000},"accounts":{"used":1,"limit":3},`+
				`"members":{"used":1,"limit":1},"groups":false,"mcp":"read","api":false`,
		),

		// 402: does the plan include it? The gate is of keys, before all that is wrong with a request.
		{
			name: "a key on a plan without the API", call: "GET /whoami", status: 402, code: "quota_exceeded",
			contains: `"limit":0, … "used":0`,
		},
		refuse("a key that reads, on a plan without the API", "reader", "POST /posts", `{`, 402, "quota_exceeded"),
		{name: "a person on a plan without the API", caller: "session", call: "GET /accounts", status: 200},
		unauthenticated("nobody on a plan without the API", "nobody"),
		{
			name: "the description needs no credential", caller: "nameless", call: "GET /openapi.json", status: 200,
			contains: `"openapi": "3.1`,
		},
	})
}
