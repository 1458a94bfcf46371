package e2e

import (
	"strings"
	"testing"
)

// Groups (Spec §2, §4): their fields, who may have them, and posts that name one.
func TestGroupRules(t *testing.T) {
	t.Parallel()
	g := newDemoScenario(t)
	g.waitForFailedFacebookPost()
	one := rowCounts{groups: 1}
	invalid := func(name, call, body, says string) step {
		return step{name: name, call: call, body: body, status: 400, code: "invalid_request", contains: says}
	}
	reads := func(name, call, body string) step {
		return step{name: name, caller: "reader", call: call, body: body, status: 403, code: "insufficient_scope"}
	}
	missing := func(name, call, body string) step {
		return step{name: name, call: call, body: body, status: 404, code: "not_found"}
	}
	conflict := func(name, call, body string) step {
		return step{name: name, call: call, body: body, status: 409, code: "conflict"}
	}
	to := func(targets string) string { return `{"targets":` + targets + `,"text":"To a group","confirm":true}` }
	g.runSteps(t, []step{
		{name: "no groups", caller: "reader", call: "GET /groups", status: 200, contains: `{"groups":[],"nextCursor":null}`},
		{
			name: "a group", call: "POST /groups",
			body: `{"name":"Bells","description":"All that ring","color":"#b5651d","accountIds":["<threads>",` +
				`"<facebook>","<threads>"]}`,
			status:   201,
			contains: `"name":"Bells","description":"All that ring","color":"#b5651d","accountIds":["<threads>","<facebook>"]`,
			saveAs:   "bells", rows: one,
		},
		{
			name: "a group of nobody", call: "POST /groups", body: `{"name":"Empty"}`, status: 201,
			contains: `"name":"Empty","description":"","color":"#8a8f98","accountIds":[]`, saveAs: "empty", rows: one,
		},
		conflict("its name again", "POST /groups", `{"name":"Bells"}`),
		invalid("no name", "POST /groups", `{}`, "name"),
		invalid("a name of spaces", "POST /groups", `{"name":"  "}`, "name"),
		invalid("a name that is too long", "POST /groups", `{"name":"`+strings.Repeat("a", 81)+`"}`, "name"),
		invalid("a color in words", "POST /groups", `{"name":"x","color":"brown"}`, "color"),
		invalid("a color of nothing", "POST /groups", `{"name":"x","color":""}`, "color"),
		invalid("an unknown field", "POST /groups", `{"name":"x","accounts":["<threads>"]}`, "accountIds"),
		invalid("one account for a list", "POST /groups", `{"name":"x","accountIds":"<threads>"}`, "accountIds"),
		missing("an account that never was", "POST /groups", `{"name":"x","accountIds":["<threads>","acc_none"]}`),
		reads("made with a key to read", "POST /groups", `{"name":"x"}`),
		{
			name: "the list", caller: "reader", call: "GET /groups", status: 200,
			contains: `"name":"Bells" … "name":"Empty" … "nextCursor":null`,
		},
		{name: "one of them", caller: "reader", call: "GET /groups/<bells>", status: 200, contains: `"id":"<bells>"`},
		missing("none of them", "GET /groups/grp_none", ""),

		// PATCH
		{
			name: "all that may be changed", call: "PATCH /groups/<empty>",
			body: `{"name":"Towers","description":"High","color":"#000000","accountIds":["<facebook>"]}`, status: 200,
			contains: `"name":"Towers","description":"High","color":"#000000","accountIds":["<facebook>"]`,
		},
		{
			name: "accounts are replaced, not added", call: "PATCH /groups/<empty>", body: `{"accountIds":["<threads>"]}`,
			status: 200, contains: `"name":"Towers","description":"High","color":"#000000","accountIds":["<threads>"]`,
		},
		{
			name: "nothing changed", call: "PATCH /groups/<empty>", body: `{}`, status: 200,
			contains: `"accountIds":["<threads>"]`,
		},
		{
			name: "nobody is left", call: "PATCH /groups/<empty>", body: `{"accountIds":[]}`, status: 200,
			contains: `"accountIds":[]`,
		},
		conflict("a name that is taken", "PATCH /groups/<empty>", `{"name":"Bells"}`),
		missing("another account that never was", "PATCH /groups/<empty>", `{"name":"Lost","accountIds":["acc_none"]}`),
		{name: "and nothing of it is kept", call: "GET /groups/<empty>", status: 200, contains: `"name":"Towers"`},
		invalid("a change to no name", "PATCH /groups/<empty>", `{"name":""}`, "name"),
		invalid("a change of the id", "PATCH /groups/<empty>", `{"id":"grp_none"}`, "id"),
		invalid("accounts of null", "PATCH /groups/<empty>", `{"accountIds":null}`, "accountIds"),
		missing("a change of none", "PATCH /groups/grp_none", `{"name":"x"}`),
		reads("a change with a key to read", "PATCH /groups/<empty>", `{"name":"x"}`),

		// Targets
		{
			name: "a group is planned", call: "POST /posts/plan",
			body: `{"targets":{"groupId":"<bells>"},"text":"To a group"}`, status: 200,
			contains: `"accountId":"<threads>" … "accountId":"<facebook>"`,
		},
		{
			name: "a post for each of a group", call: "POST /posts", body: to(`{"groupId":"<bells>"}`), status: 201,
			contains: `"accountId":"<threads>" … "accountId":"<facebook>"`, rows: rowCounts{posts: 2},
		},
		{
			name: "who stands there twice gets one", call: "POST /posts",
			body: to(`{"accountIds":["<facebook>","<facebook>"],"groupId":"<bells>"}`), status: 201,
			contains: `"accountId":"<facebook>" … "accountId":"<threads>"`, rows: rowCounts{posts: 2},
		},
		{
			name: "the posts of a group", call: "GET /posts?status=failed&groupId=<bells>", status: 200,
			contains: `"status":"failed" … "status":"failed"`,
		},
		{
			name: "the posts of a group of nobody", call: "GET /posts?groupId=<empty>", status: 200,
			contains: `{"posts":[],"nextCursor":null}`,
		},
		invalid("a group of nobody is posted to", "POST /posts", to(`{"groupId":"<empty>"}`), "targets"),
		missing("no group is posted to", "POST /posts", to(`{"groupId":"grp_none"}`)),

		// DELETE
		reads("deleting with a key to read", "DELETE /groups/<empty>", ""),
		{
			name: "deleting leaves accounts and posts", call: "DELETE /groups/<bells>", status: 204, rows: rowCounts{groups: -1},
		},
		missing("deleting it again", "DELETE /groups/<bells>", ""),
		missing("what was deleted is posted to", "POST /posts", to(`{"groupId":"<bells>"}`)),
		missing("the posts of what was deleted", "GET /posts?groupId=<bells>", ""),

		// A plan without groups
		{
			name: "a group on a plan without them", plan: "free", caller: "session", call: "POST /groups",
			body: `{"name":"More"}`, status: 402, code: "quota_exceeded", contains: `"limit":0, … "used":0`,
		},
		{
			name: "nonsense on a plan without them", caller: "session", call: "POST /groups",
			body: `{"name":"More","accountIds":["acc_none"]}`, status: 404, code: "not_found",
		},
		{name: "what there is stays", caller: "session", call: "GET /groups", status: 200, contains: `"id":"<empty>"`},
		{
			name: "and may be deleted", caller: "session", call: "DELETE /groups/<empty>", status: 204,
			rows: rowCounts{groups: -1},
		},
	})
}
