package e2e

import (
	"testing"
)

// Members and the workspace (decisions.md, Credentials, sessions, members; Spec §2): who may invite, change and remove
// whom, what the plan allows, and what of it a key may.
func TestMemberRules(t *testing.T) {
	t.Parallel()
	g := newDemoScenario(t)
	stranger := g.seedWorkspace()
	g.callers["stranger"], _ = g.signIn(stranger)
	g.savedIDs = append(
		g.savedIDs, "<me>", g.userID("session"), "<theirs>", g.userID("stranger"), "<their slug>", stranger.Workspace,
	)
	invite := func(name, email, role string, status int, code, says, saves string, counts rowCounts) step {
		return step{
			name: name, caller: "session", call: "POST /members", body: `{"email":"` + email + `","role":"` + role + `"}`,
			status: status, code: code, contains: says, saveAs: saves, rows: counts,
		}
	}
	refuse := func(name, by, call, body string, status int, code string) step {
		return step{name: name, caller: by, call: call, body: body, status: status, code: code}
	}
	unknown := func(name, id string) []step {
		says := `{"code":"not_found","message":"Nothing in this workspace has this ID.",` +
			`"hint":"Use an ID from one of this workspace's lists."}`
		return []step{
			{
				name: name + " is changed", caller: "session", call: "PATCH /members/" + id, body: `{"role":"viewer"}`,
				status: 404, code: "not_found", contains: says,
			},
			{
				name: name + " is removed", caller: "session", call: "DELETE /members/" + id, status: 404, code: "not_found",
				contains: says,
			},
		}
	}
	steps := []step{
		// A key may nothing of it.
		refuse("a key lists members", "", "GET /members", "", 403, "insufficient_scope"),
		refuse("a key invites", "", "POST /members", `{"email":"x@example.org","role":"viewer"}`, 403, "insufficient_scope"),
		refuse("a key changes a member", "", "PATCH /members/<me>", `{"role":"viewer"}`, 403, "insufficient_scope"),
		refuse("a key removes a member", "", "DELETE /members/<me>", "", 403, "insufficient_scope"),
		refuse("a key changes the workspace", "", "PATCH /workspace", `{"name":"Mine"}`, 403, "insufficient_scope"),
		refuse("nobody lists members", "nobody", "GET /members", "", 401, "unauthenticated"),

		// Invitations
		{
			name: "the owner alone", caller: "session", call: "GET /members", status: 200,
			contains: `{"members":[{"id":"<me>" … "role":"owner","status":"active" … "expiresAt":null … "nextCursor":null}`,
		},
		invite(
			"an invitation", "ben@example.org", "editor", 201, "",
			`"name":"ben","email":"ben@example.org","role":"editor","status":"invited" … "inviteUrl":"http … /invitations/`,
			"ben", rowCounts{members: 1},
		),
		{
			name: "is listed without its link", caller: "session", call: "GET /members", status: 200,
			contains: `"id":"<ben>" … "status":"invited" … "expiresAt":"20 … "}],"nextCursor":null`,
		},
		invite(
			"the same once more is the same with another link", "BEN@example.org", "viewer", 201, "",
			`{"id":"<ben>" … "role":"viewer" … "inviteUrl"`, "", rowCounts{},
		),
		invite(
			"the owner of another workspace is invited like anybody", stranger.Email, "viewer", 201, "", `"status":"invited"`,
			"guest", rowCounts{members: 1},
		),
		invite("no address", "ben", "viewer", 400, "invalid_request", "", "", rowCounts{}),
		invite("no role", "eve@example.org", "king", 400, "invalid_request", "", "", rowCounts{}),
		refuse(
			"a name of two lines", "session", "POST /members", `{"email":"eve@example.org","role":"viewer","name":"a\nb"}`,
			400, "invalid_request",
		),
		refuse(
			"a field that nobody knows", "session", "POST /members",
			`{"email":"eve@example.org","role":"viewer","admin":true}`, 400, "invalid_request",
		),

		// Roles
		{
			name: "another role", caller: "session", call: "PATCH /members/<ben>", body: `{"role":"owner"}`, status: 200,
			contains: `"id":"<ben>" … "role":"owner","status":"invited"`,
		},
		refuse("who is invited keeps no workspace", "session", "PATCH /members/<me>", `{"role":"viewer"}`, 409, "conflict"),
		refuse("the last owner leaves", "session", "DELETE /members/<me>", "", 409, "conflict"),
		{
			name: "an owner stays one", caller: "session", call: "PATCH /members/<me>", body: `{"role":"owner"}`, status: 200,
			contains: `"role":"owner"`,
		},
		refuse("a role that is none", "session", "PATCH /members/<ben>", `{"role":"king"}`, 400, "invalid_request"),
		refuse("null for a role", "session", "PATCH /members/<ben>", `{"role":null}`, 400, "invalid_request"),
		{
			name: "an invitation is taken back", caller: "session", call: "DELETE /members/<ben>", status: 204,
			rows: rowCounts{members: -1},
		},
	}
	steps = append(steps, unknown("who was removed", "<ben>")...)
	steps = append(steps, unknown("another workspace's owner", "<theirs>")...)
	steps = append(steps, unknown("nobody", "usr_none")...)
	steps = append(steps, unknown("an id of another kind", "<threads>")...)
	steps = append(steps,
		// 402: the invited ones count.
		step{
			name: "the plan's last place", plan: "creator", caller: "session", call: "POST /members",
			body: `{"email":"c@example.org","role":"viewer"}`, status: 201, rows: rowCounts{members: 1}, saveAs: "last",
		},
		invite(
			"one more than the plan has", "d@example.org", "viewer", 402, "quota_exceeded", `"limit":3, … "used":3`, "",
			rowCounts{},
		),
		step{
			name: "whoami counts them", caller: "session", call: "GET /whoami", status: 200,
			contains: `"members":{"used":3,"limit":3}`,
		},
		step{
			name: "a smaller plan leaves them", plan: "free", caller: "session", call: "GET /members", status: 200,
			contains: `"id":"<me>" … "id":"<guest>" … "id":"<last>"`,
		},
		invite(
			"and takes nobody new", "e@example.org", "viewer", 402, "quota_exceeded", `"limit":1, … "used":3`, "", rowCounts{},
		),
		step{
			name: "a place is free again", plan: "creator", caller: "session", call: "DELETE /members/<last>", status: 204,
			rows: rowCounts{members: -1},
		},
		invite("and is taken", "d@example.org", "viewer", 201, "", "", "", rowCounts{members: 1}),

		// The workspace
		step{
			name: "the workspace is renamed", caller: "session", call: "PATCH /workspace",
			body: `{"name":"Bell & Rope","slug":"bell-rope-<me>"}`, status: 400, code: "invalid_request",
		},
		step{
			name: "all at once", plan: "owner", caller: "session", call: "PATCH /workspace",
			body: `{"name":"Bell & Rope","tz":"Asia/Kathmandu"}`, status: 200,
			contains: `{"id":"ws_ … "name":"Bell & Rope","plan":"owner","currency":"USD","tz":"Asia/Kathmandu"}`,
		},
		step{
			name: "whoami knows it", call: "GET /whoami", status: 200, contains: `"name":"Bell & Rope" … "tz":"Asia/Kathmandu"`,
		},
		step{name: "a post keeps its zone", call: "GET /posts/<queued>", status: 200, contains: `"tz":"Europe/Berlin"`},
		step{
			name: "nothing is nothing", caller: "session", call: "PATCH /workspace", body: `{}`, status: 200,
			contains: `"name":"Bell & Rope"`,
		},
		refuse("another's short name", "session", "PATCH /workspace", `{"slug":"<their slug>"}`, 409, "conflict"),
		refuse("a short name with spaces", "session", "PATCH /workspace", `{"slug":"Bell Rope"}`, 400, "invalid_request"),
		refuse("an empty short name", "session", "PATCH /workspace", `{"slug":""}`, 400, "invalid_request"),
		refuse("a zone that is none", "session", "PATCH /workspace", `{"tz":"Berlin"}`, 400, "invalid_request"),
		refuse("null for a name", "session", "PATCH /workspace", `{"name":null}`, 400, "invalid_request"),
		refuse("a plan of one's choice", "session", "PATCH /workspace", `{"plan":"owner"}`, 400, "invalid_request"),
	)
	g.runSteps(t, steps)
}

// userID is the id of who asks.
func (g *scenario) userID(by string) string {
	g.t.Helper()
	var who struct{ User struct{ ID string } }
	g.callers[by].getInto("/whoami", &who)
	return who.User.ID
}
