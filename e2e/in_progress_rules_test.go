package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"belfry/internal/media/mediatest"
)

// lockTable blocks writes to a table until the returned function is called. Reads go on.
func (s *service) lockTable(table string) (release func()) {
	s.t.Helper()
	db, err := pgx.Connect(s.t.Context(), s.env["DATABASE_URL"])
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := db.Exec(
		s.t.Context(), `BEGIN; LOCK TABLE `+pgx.Identifier{table}.Sanitize()+` IN SHARE MODE`,
	); err != nil {
		s.t.Fatal(err)
	}
	return func() { _ = db.Close(s.t.Context()) }
}

// A request that is repeated while the first is under way (decisions.md, Shape of the API).
func TestRepeatedRequestWhileTheFirstIsUnderWay(t *testing.T) {
	t.Parallel()
	g := newDemoScenario(t)
	body := strings.NewReplacer(g.savedIDs...).Replace(
		`{"targets":{"accountIds":["<threads>"]},"text":"Under way","confirm":true}`,
	)
	again := func(name, body string, status int, code, header string) step {
		return step{name: name, key: "k", call: "POST /posts", body: body, status: status, code: code, header: header}
	}
	release, first, before := g.lockTable("posts"), make(chan answer, 1), g.countRows()
	go func() { first <- g.callers[""].withHeader("Idempotency-Key", "k").do("POST", "/posts", body) }()
	eventually(t, workerTimeout, "the first request waits", func() bool {
		var waiting bool
		g.queryRow(`SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'posts'::regclass AND NOT granted)`, &waiting)
		return waiting
	})
	g.runSteps(t, []step{
		again("the same request once more", body, 409, "idempotency_in_progress", "Retry-After"),
		again(
			"another request with its key", strings.Replace(body, "Under way", "Another", 1), 409, "idempotency_mismatch",
			"no Retry-After",
		),
		{name: "who only reads waits for nobody", call: "GET /posts/<draft>", status: 200, contains: `"id":"<draft>"`},
	})
	release()
	(<-first).requireStatus(t, 201)
	if rows := g.countRows(); rows != before.add(rowCounts{posts: 1}) {
		t.Errorf("after the first request there are %+v, before it %+v", rows, before)
	}
	g.runSteps(t, []step{again("it is answered", body, 201, "", "Idempotency-Replayed: true")})
}

// A post that a worker holds (Spec §3, §4): nobody else changes it, and its account stays.
func TestPostBeingPublishedCannotBeChanged(t *testing.T) {
	t.Parallel()
	g := newDemoScenario(t, map[string]string{"LEASE": "4m"}) // a call may take half of it
	g.addFault(
		map[string]any{"kind": "slow", "network": "threads", "call": "publish", "match": "Being sent", "delayMs": 300000},
	)
	c := g.callers[""]
	id := c.createPost("Being sent", "now", g.savedID("threads")).ID
	g.savedIDs = append(g.savedIDs, "<sent>", id)
	eventually(
		t, workerTimeout, "the post is being sent", func() bool { return g.countOpenCalls("threads", "publish") == 1 },
	)
	conflict := func(name, by, call, body string) step {
		return step{name: name, caller: by, call: call, body: body, status: 409, code: "conflict"}
	}
	g.runSteps(t, []step{
		{name: "it says so", call: "GET /posts/<sent>", status: 200, contains: `"status":"queued"`},
		conflict("it is moved", "", "PATCH /posts/<sent>", `{"when":`+whenBody(localTime(48), "UTC")+`}`),
		conflict("it is moved to now", "", "PATCH /posts/<sent>", `{"when":"now"}`),
		conflict("its time is taken away", "", "PATCH /posts/<sent>", `{"when":"draft"}`),
		conflict("its text is changed", "", "PATCH /posts/<sent>", `{"text":"Too late"}`),
		conflict("it is queued again", "", "PATCH /posts/<sent>", `{"status":"queued"}`),
		conflict("it is cancelled", "", "POST /posts/<sent>/cancel", ""),
		conflict("it is retried", "", "POST /posts/<sent>/retry", ""),
		conflict("it is deleted", "", "DELETE /posts/<sent>", ""),
		conflict("its account is disconnected", "session", "DELETE /accounts/<threads>", ""),
		{
			name: "it is copied", call: "POST /posts/<sent>/duplicate", status: 200,
			contains: `"text":"Being sent" … "status":"draft"`, rows: rowCounts{posts: 1},
		},
	})
	g.callSandbox("DELETE", "faults", nil)
	c.waitForStatus(id, "live", time.Minute)
	g.runSteps(t, []step{
		{
			name: "it was sent as it was", call: "GET /posts/<sent>", status: 200,
			contains: `"text":"Being sent" … "status":"live"`,
		},
		conflict("it is cancelled afterwards", "", "POST /posts/<sent>/cancel", ""),
		{
			name: "its account may go then", caller: "session", call: "DELETE /accounts/<threads>", status: 204,
			rows: rowCounts{accounts: -1, slots: -1},
		},
	})
}

// Accounts that may no longer be published to (Spec §2): a post on its way fails, no other is queued, and a person
// connects the account again.
func TestRevokedAccountRules(t *testing.T) {
	t.Parallel()
	g := newDemoScenario(t)
	c := g.callers[""]
	var steps []step
	for network, status := range map[string]string{"threads": "expired", "facebook": "revoked"} {
		g.addFault(map[string]any{"network": network, "call": "publish", "kind": "token_" + status, "match": "Lost"})
		waiting, lost, draft := c.createPost("Waits", inDays(2), g.savedID(network)), c.createPost(
			"Lost on its way", "now", g.savedID(network),
		), c.createPost("A draft", "draft", g.savedID(network))
		c.waitForStatus(lost.ID, "failed", time.Minute)
		g.savedIDs = append(
			g.savedIDs, "<"+status+" waiting>", waiting.ID, "<"+status+" lost>", lost.ID, "<"+status+" draft>", draft.ID,
		)
		code, name := "account_"+status, func(what string) string { return what + ", " + status }
		request := `{"targets":{"accountIds":["<` + network + `>"]},"text":"Nowhere"`
		refuse := func(what, call, body string) step {
			return step{
				name: name(what), call: call, body: body, status: 409, code: "plan_has_issues",
				contains: `"rows":[ … "code":"` + code + `" … "hint":"`,
			}
		}
		steps = append(steps,
			step{
				name: name("the accounts"), caller: "reader", call: "GET /accounts", status: 200,
				contains: `"status":"` + status + `"`,
			},
			step{
				name: name("what was on its way"), call: "GET /posts/<" + status + " lost>", status: 200,
				contains: `"status":"failed" … "error":{"code":"` + code + `" … "hint":"`,
			},
			step{
				name: name("a plan"), caller: "reader", call: "POST /posts/plan", body: request + `,"when":"now"}`, status: 200,
				contains: `{"ok":false, … "issues":[{"code":"` + code + `"`,
			},
			refuse("a post", "POST /posts", request+`,"when":"now","confirm":true}`),
			refuse("a post for later", "POST /posts", request+`,"when":`+whenBody(localTime(48), "UTC")+`,"confirm":true}`),
			refuse("a draft is queued", "PATCH /posts/<"+status+" draft>", `{"status":"queued","when":"now"}`),
			step{
				name: name("which stays a draft"), call: "GET /posts/<" + status + " draft>", status: 200,
				contains: `"publishAt":null … "status":"draft"`,
			},
			step{
				name: name("what waits may be taken off"), call: "POST /posts/<" + status + " waiting>/cancel", status: 200,
				contains: `"status":"draft"`, rows: rowCounts{slots: -1},
			},
			step{
				name: name("a key reconnects it"), call: "POST /accounts/<" + network + ">/reconnect", status: 403,
				code: "insufficient_scope",
			},
			step{
				name: name("a person reconnects it"), caller: "session", call: "POST /accounts/<" + network + ">/reconnect",
				status: 200, contains: `{"authorizeUrl":"http`,
			},
		)
	}
	g.runSteps(t, steps)
}

// A file whose bytes were removed (Spec §1.8, §2): its row stays, and no post takes it.
func TestPurgedFileRules(t *testing.T) {
	t.Parallel()
	g := newDemoScenario(t, map[string]string{"RETENTION": "1ms"})
	c := g.callers[""]
	gone := c.uploadFile("gone.png", mediatest.PNG(640, 480)).MediaID
	c.waitForFile(t, gone)
	live := c.do(
		"POST", "/posts", newPostBodyWithFile("With a file", "now", g.savedID("threads"), gone),
	).requireStatus(t, 201).Posts[0].ID
	c.waitForStatus(live, "live", time.Minute)
	g.process.requireStop(t) // a worker looks for such files when it starts
	g.serveUntilReady()
	eventually(t, 90*time.Second, "the bytes are gone", func() bool {
		purged := strings.Contains(c.do("GET", "/media/"+gone, nil).requireStatus(t, 200).Raw, `"purgedAt":"2`)
		return purged && g.countFiles(c).blobs == 0
	})
	g.savedIDs = append(g.savedIDs, "<gone>", gone, "<sent>", live)
	request := `{"targets":{"accountIds":["<threads>"]},"text":"Too late","mediaIds":["<gone>"]`
	refuse := func(name, call, body string) step {
		return step{name: name, call: call, body: body, status: 409, code: "media_purged"}
	}
	g.runSteps(t, []step{
		{
			name: "its row", caller: "reader", call: "GET /media/<gone>", status: 200,
			contains: `"originalName":"gone.png" … "status":"ready" … "width":640 … "purgedAt":"2 … "thumbnailUrl":null`,
		},
		{
			name: "the post that it went out with", call: "GET /posts/<sent>", status: 200,
			contains: `"mediaIds":["<gone>"] … "status":"live"`,
		},
		{
			name: "a plan", caller: "reader", call: "POST /posts/plan", body: request + `}`, status: 200,
			contains: `{"ok":false, … "issues":[{"code":"media_purged"`,
		},
		refuse("a post", "POST /posts", request+`,"when":"now","confirm":true}`),
		refuse("a draft", "POST /posts", request+`,"confirm":true}`),
		refuse("a draft takes it", "PATCH /posts/<draft>", `{"text":"Too late","mediaIds":["<gone>"]}`),
		{
			name: "a copy of that post", call: "POST /posts/<sent>/duplicate", status: 200,
			contains: `"mediaIds":["<gone>"] … "status":"draft"`, saveAs: "copy", rows: rowCounts{posts: 1},
		},
		refuse("which is queued", "PATCH /posts/<copy>", `{"status":"queued","when":"now"}`),
		{name: "its row is of use to the copy", call: "DELETE /media/<gone>", status: 409, code: "conflict"},
		{name: "the copy goes", call: "DELETE /posts/<copy>", status: 204, rows: rowCounts{posts: -1}},
		{name: "nothing of that is kept", call: "GET /posts/<draft>", status: 200, contains: `"mediaIds":[]`},
		{
			name: "its words may be changed", call: "PATCH /media/<gone>", body: `{"title":"Gone","pinned":true}`, status: 200,
			contains: `"title":"Gone" … "pinned":true`,
		},
		{name: "its row goes", call: "DELETE /media/<gone>", status: 204, files: fileCounts{files: -1}},
		{name: "it is read", call: "GET /media/<gone>", status: 404, code: "not_found"},
	})
}
