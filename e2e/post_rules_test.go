package e2e

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"belfry/internal/media/mediatest"
)

// Posts that are there (Spec §3, §4): every move from every state, and what may be changed in each.
func TestPostRulesInEachState(t *testing.T) {
	t.Parallel()
	g := newDemoScenario(t)
	g.waitForFailedFacebookPost()
	picture := g.owner.uploadFile("bell.png", mediatest.PNG(640, 480)).MediaID
	g.owner.waitForFile(t, picture)
	g.savedIDs = append(g.savedIDs, "<picture>", picture)
	ok := func(name, call, body, says string, counts rowCounts) step {
		return step{name: name, call: call, body: body, status: 200, contains: says, rows: counts}
	}
	refuse := func(status int, code string) func(name, call, body, says string) step {
		return func(name, call, body, says string) step {
			return step{name: name, call: call, body: body, status: status, code: code, contains: says}
		}
	}
	invalid, missing := refuse(400, "invalid_request"), refuse(404, "not_found")
	conflict, issues := refuse(409, "conflict"), refuse(409, "plan_has_issues")
	after := func(s step, before ...string) step { s.before = before; return s }
	const draft, queued, live, failed = "/posts/<draft>", "/posts/<queued>", "/posts/<live>", "/posts/<failed>"
	const newDraft, newQueued = "/posts/<new draft>", "/posts/<new queued>" // of one step alone
	const whole = `{"text":"Changed","title":"T","tags":["a","b"],"mediaIds":["<picture>"],` +
		`"settings":{"threads":{"topicTag":"bells","altText":"A bell"}}}`
	const wholeShown = `"mediaIds":["<picture>"],"text":"Changed","title":"T","tags":["a","b"],` +
		`"settings":{"altText":"A bell","topicTag":"bells"}`
	later, sooner := localTime(72), localTime(48)
	when := func(publishAt string) string { return `{"when":` + whenBody(publishAt, "UTC") + `}` }
	tooLong := `{"text":"` + strings.Repeat("x", 501) + `","status":"queued","when":` + whenBody(later, "UTC") + `}`
	none, taken, back := rowCounts{}, rowCounts{slots: 1, jobs: 1}, rowCounts{slots: -1}
	g.runAlone(t, []step{
		// GET: a post in each state
		ok(
			"a draft", "GET "+draft, "",
			`{"id":"<draft>","accountId":"<threads>","platform":"threads","mediaIds":[] … "title":null,"tags":[],`+
				`"settings":{},"publishAt":null,"tz":"Europe/Berlin","status":"draft",`+
				`"externalId":null,"externalUrl":null,"attempts":0 … "statusLine":"Draft`,
			none,
		),
		ok("a queued one", "GET "+queued, "", `"publishAt":"2 … "status":"queued" … "statusLine":"Queued`, none),
		ok("a live one", "GET "+live, "", `"status":"live","externalId":" … "externalUrl":"http … "attempts":1`, none),
		ok(
			"a failed one", "GET "+failed, "",
			`"status":"failed" … "error":{"code":" … "message":"The network refused this text."`, none,
		),
		missing("one that never was", "GET /posts/post_none", "", ""),
		missing("an id of another kind", "GET /posts/<threads>", "", ""),
		ok("the events of a draft", "GET "+draft+"/events", "", `{"events":[{"kind":"created","at":"2`, none),
		ok(
			"the events of a live one", "GET "+live+"/events", "",
			`"kind":"created" … "kind":"queued" … "kind":"publishing" … "kind":"live"`, none,
		),
		ok(
			"the events of a failed one", "GET "+failed+"/events", "",
			`"kind":"failed" … "message":"The network refused this text."`, none,
		),
		missing("the events of none", "GET /posts/post_none/events", "", ""),

		// PATCH of content
		ok("all that may be changed", "PATCH "+newDraft, whole, wholeShown, none),
		after(ok("a copy has all of that", "POST "+newDraft+"/duplicate", "",
			`"accountId":"<threads>" … `+wholeShown+`,"publishAt":null`, rowCounts{posts: 1}), "PATCH "+newDraft+" "+whole),
		after(ok("settings are replaced, not merged", "PATCH "+newDraft, `{"settings":{"threads":{"altText":"Again"}}}`,
			`"text":"Changed" … "settings":{"altText":"Again"}`, none), "PATCH "+newDraft+" "+whole),
		after(ok("nothing is changed", "PATCH "+newDraft, `{}`, wholeShown, none), "PATCH "+newDraft+" "+whole),
		after(conflict("a file in use is deleted", "DELETE /media/<picture>", "", ""), "PATCH "+newDraft+" "+whole),
		after(ok("what is cleared", "PATCH "+newDraft, `{"title":null,"tags":[],"mediaIds":[],"settings":{}}`,
			`"mediaIds":[],"text":"Changed","title":null,"tags":[],"settings":{}`, none), "PATCH "+newDraft+" "+whole),
		missing("a file that never was", "PATCH "+newDraft, `{"text":"Lost","mediaIds":["med_none"]}`, ""),
		invalid(
			"an unknown setting", "PATCH "+newDraft, `{"text":"Lost","settings":{"threads":{"topictag":"x"}}}`,
			"settings.threads.topictag. Did you mean topicTag",
		),
		invalid("an unknown field", "PATCH "+newDraft, `{"text":"Lost","perPlatform":{}}`, "perPlatform"),
		invalid("a text of null", "PATCH "+newDraft, `{"text":null}`, "text"),
		invalid("an account", "PATCH "+newDraft, `{"accountId":"<facebook>"}`, "accountId"),
		invalid("a state that none may choose", "PATCH "+newDraft, `{"status":"live"}`, "status"),
		invalid("a time that is none", "PATCH "+newDraft, `{"text":"Lost","when":"soon"}`, "when"),
		missing("a change of none", "PATCH /posts/post_none", `{"text":"x"}`, ""),
		after(ok("nothing of refused changes is kept", "GET "+newDraft, "", `"mediaIds":[],"text":"New"`, none),
			`!PATCH `+newDraft+` {"text":"Lost","mediaIds":["med_none"]}`,
			`!PATCH `+newDraft+` {"text":"Lost","settings":{"threads":{"topictag":"x"}}}`,
			`!PATCH `+newDraft+` {"text":"Lost","perPlatform":{}}`,
			`!PATCH `+newDraft+` {"text":"Lost","when":"soon"}`),
		conflict("a queued one's text", "PATCH "+queued, `{"text":"x"}`, "draft"),
		conflict("a queued one's text and time", "PATCH "+queued, `{"text":"x","when":`+whenBody(later, "UTC")+`}`, ""),
		conflict("a live one's text", "PATCH "+live, `{"text":"x"}`, ""),
		conflict("a failed one's text", "PATCH "+failed, `{"text":"x"}`, ""),
		conflict("a live one's time", "PATCH "+live, when(later), ""),
		conflict("a failed one's time", "PATCH "+failed, when(later), ""),

		// PATCH of time and state
		issues("a draft without a time is queued", "PATCH "+newDraft, `{"status":"queued"}`, `"code":"time_required"`),
		ok(
			"a draft gets a time and stays one", "PATCH "+newDraft, when(later),
			`"publishAt":"`+later+` … "tz":"UTC","status":"draft"`, none,
		),
		after(ok("a draft's time is taken away", "PATCH "+newDraft, `{"when":"draft"}`,
			`"publishAt":null … "status":"draft"`, none), "PATCH "+newDraft+" "+when(later)),
		issues("a time that is past", "PATCH "+newDraft, when(localTime(-1)), `"code":"time_in_past"`),
		issues("a text, a state and a time, one of them wrong", "PATCH "+newDraft, tooLong, `"code":"caption_too_long"`),
		after(ok("nothing of that is kept", "GET "+newDraft, "", `"text":"New" … "publishAt":null … "status":"draft"`, none),
			"!PATCH "+newDraft+" "+tooLong),
		ok(
			"a draft is changed, timed and queued", "PATCH "+newDraft,
			`{"text":"All at once","status":"queued","when":`+whenBody(later, "UTC")+`}`,
			`"text":"All at once" … "publishAt":"`+later+` … "status":"queued"`, taken,
		),
		conflict("a queued one is queued", "PATCH "+newQueued, `{"status":"queued"}`, "already queued"),
		ok("a queued one is moved", "PATCH "+newQueued, when(sooner), `"publishAt":"`+sooner+` … "status":"queued"`, none),
		issues("a queued one is moved too far", "PATCH "+newQueued, when(localTime(24*367)), `"code":"time_too_far"`),
		after(ok("the events of a moved one", "GET "+newQueued+"/events", "",
			`"kind":"created" … "kind":"queued" … "kind":"rescheduled" … "message":"To `, none),
			"PATCH "+newQueued+" "+when(sooner)),
		ok(
			"a queued one becomes a draft by its time", "PATCH "+newQueued, `{"when":"draft"}`,
			`"publishAt":null … "status":"draft"`, back,
		),

		// Cancel
		ok("a queued one is cancelled", "POST "+newQueued+"/cancel", "", `"publishAt":null … "status":"draft"`, back),
		after(conflict("a cancelled one is cancelled", "POST "+newQueued+"/cancel", "", ""), "POST "+newQueued+"/cancel"),
		after(ok("the events of a cancelled one", "GET "+newQueued+"/events", "", `"kind":"cancelled"`, none),
			"POST "+newQueued+"/cancel"),
		conflict("a live one is cancelled", "POST "+live+"/cancel", "", ""),
		ok("a failed one stays failed", "POST "+failed+"/cancel", "", `"status":"failed"`, none),
		missing("none is cancelled", "POST /posts/post_none/cancel", "", ""),

		// Duplicate, from any state
		ok(
			"a draft is copied", "POST "+newDraft+"/duplicate", "", `"text":"New" … "publishAt":null … "status":"draft"`,
			rowCounts{posts: 1},
		),
		ok(
			"a live one is copied", "POST "+live+"/duplicate", "",
			`"status":"draft","externalId":null,"externalUrl":null,"attempts":0`, rowCounts{posts: 1},
		),
		ok("a failed one is copied", "POST "+failed+"/duplicate", "", `"status":"draft"`, rowCounts{posts: 1}),
		missing("none is copied", "POST /posts/post_none/duplicate", "", ""),
		invalid("a copy with a parameter that nobody reads", "POST "+draft+"/duplicate?when=now", "", "query.when"),

		// Retry
		conflict("a draft is retried", "POST "+draft+"/retry", "", ""),
		conflict("a live one is retried", "POST "+live+"/retry", "", ""),
		invalid("retried with a word", "POST "+failed+"/retry", `{"confirmNotPublished":"yes"}`, "confirmNotPublished"),
		missing("none is retried", "POST /posts/post_none/retry", "", ""),
		ok("a failed one is retried, at no cost", "POST /posts/<failed on Facebook>/retry", "", `"status":"queued"`, none),

		// Delete
		conflict("a live one is deleted", "DELETE "+live, "", ""),
		conflict("a queued one is deleted", "DELETE "+queued, "", "draft or a failed"),
		invalid("a draft is deleted on trial", "DELETE "+draft+"?dryRun=true", "", "query.dryRun"),
		{name: "a draft is deleted", call: "DELETE " + newDraft, status: 204, rows: rowCounts{posts: -1}},
		after(missing("a deleted one is deleted", "DELETE "+newDraft, "", ""), "DELETE "+newDraft),
		after(missing("a deleted one is read", "GET "+newDraft, "", ""), "DELETE "+newDraft),
		after(missing("a deleted one's events are read", "GET "+newDraft+"/events", "", ""), "DELETE "+newDraft),
		after(missing("a deleted one is changed", "PATCH "+newDraft, `{"text":"x"}`, ""), "DELETE "+newDraft),
		after(missing("a deleted one is cancelled", "POST "+newDraft+"/cancel", "", ""), "DELETE "+newDraft),
	})
}

// A failure that is another's to mend: the slot of a failed post stays used when it is deleted, the worker's retry
// stands among the events until it is taken back, and an unknown outcome waits for a person's word.
func TestFailedPostRules(t *testing.T) {
	t.Parallel()
	g := newDemoScenario(t, map[string]string{"RETRY_DELAYS": "1h,1h,1h"})
	c := g.callers[""]
	g.addFault(
		map[string]any{"network": "threads", "call": "create", "kind": "server_error", "match": "Later, perhaps", "times": 0},
	)
	g.addFault(
		map[string]any{
			"network": "facebook", "call": "publish", "kind": "drop_before_accept", "match": "Who knows", "delayMs": 100,
		},
	)
	wait, unknown := c.createPost(
		"Later, perhaps", "now", g.savedID("threads"),
	).ID, c.createPost("Who knows?", "now", g.savedID("facebook")).ID
	c.waitForStatus(wait, "failed", time.Minute)
	c.waitForStatus(unknown, "failed", time.Minute)
	g.savedIDs = append(g.savedIDs, "<waiting>", wait, "<unknown>", unknown)
	g.runSteps(t, []step{
		{
			name: "the worker will try again", call: "GET /posts/<waiting>/events", status: 200,
			contains: `"kind":"failed" … {"kind":"retriedByWorker","at":"2`,
		},
		{name: "which is taken back", call: "POST /posts/<waiting>/cancel", status: 200, contains: `"status":"failed"`},
		{
			name: "and stands there no more", call: "GET /posts/<waiting>/events", status: 200,
			contains: `"kind":"cancelled" … "message":"The automatic retry was cancelled."}]`,
		},
		{name: "its slot stays used", call: "DELETE /posts/<waiting>", status: 204, rows: rowCounts{posts: -1}},
		{
			name: "nobody knows of another", call: "GET /posts/<unknown>", status: 200,
			contains: `"error":{"code":"outcome_unknown"`,
		},
		{name: "which is not sent again", call: "POST /posts/<unknown>/retry", status: 409, code: "outcome_unknown"},
		{
			name: "without a word", call: "POST /posts/<unknown>/retry", body: `{"confirmNotPublished":false}`, status: 409,
			code: "outcome_unknown",
		},
		{
			name: "on a word, at no cost", call: "POST /posts/<unknown>/retry", body: `{"confirmNotPublished":true}`,
			status: 200, contains: `"status":"queued"`,
		},
	})
}

// savedID is the id that stands for a name.
func (g *scenario) savedID(name string) string {
	return strings.NewReplacer(g.savedIDs...).Replace("<" + name + ">")
}

// GET /posts: each filter by itself and with others, the order, and pages.
func TestPostListRules(t *testing.T) {
	t.Parallel()
	g := newDemoScenario(t)
	g.waitForFailedFacebookPost()
	tomorrow := time.Now().AddDate(0, 0, 1)
	list := func(query, says string) step {
		return step{name: "?" + query, caller: "reader", call: "GET /posts?" + query, status: 200, contains: says}
	}
	refuse := func(query, says string) step {
		return step{name: "?" + query, call: "GET /posts?" + query, status: 400, code: "invalid_request", contains: says}
	}
	missing := func(query string) step {
		return step{name: "?" + query, call: "GET /posts?" + query, status: 404, code: "not_found"}
	}
	const nothing = `{"posts":[],"nextCursor":null}`
	from := func(at time.Time) string { return "from=" + at.UTC().Format(time.DateOnly) }
	first := g.callers[""].do("GET", "/posts?limit=1", nil).requireStatus(t, 200)
	if first.NextCursor == nil {
		t.Fatalf("eight posts are one page: %s", first.Raw)
	}
	cursor := url.QueryEscape(*first.NextCursor)
	g.runAlone(t, []step{
		list("", `"status":"queued" … "status":"queued" … "nextCursor":null}`),
		list("status=queued&accountId=<threads>", `{"posts":[{"id":"<queued>" … "nextCursor":null`),
		list("status=draft,failed&accountId=<threads>", `"status":"`),
		list("status=live&accountId=<threads>", `{"posts":[{"id":"<live>"`),
		list("status=&accountId=<threads>&q=refused", `{"posts":[{"id":"<failed>"`),
		list("q=REFUSED&accountId=<threads>", `{"posts":[{"id":"<failed>"`),
		list("q=%25", nothing),
		list("accountId=<threads>&order=desc&limit=1", `{"posts":[{"id":"<queued>"`),
		list(from(tomorrow.AddDate(0, 0, 2)), nothing),
		list(
			from(
				tomorrow.AddDate(0, 0, -2),
			)+"&to="+tomorrow.AddDate(0, 0, 3).Format(time.DateOnly)+"&status=queued&accountId=<threads>",
			`"id":"<queued>"`,
		),
		list("to=2020-01-01T00:00:00Z", nothing),
		list("limit=1", `"nextCursor":"`),
		list("limit=100&order=asc", `"status":"queued","externalId":null`),
		list("limit=100&cursor="+cursor, `"nextCursor":null`),
		refuse("limit=0", "limit"),
		refuse("limit=101", "limit"),
		refuse("limit=many", "limit"),
		refuse("order=newest", "order"),
		refuse("status=sent", "status"),
		refuse("status=draft,,live", "status"),
		refuse("from=yesterday", "from"),
		refuse("to=2026-13-01", "to"),
		refuse("cursor=nowhere", "cursor"),
		refuse("account=<threads>", "accountId"),
		refuse("q=a&q=b", "repeated"),
		refuse("accountId=acc_none&from=yesterday", "from"), // the form comes before the ids
		refuse("groupId=grp_none&cursor=nowhere", "cursor"),
		missing("accountId=acc_none"),
		missing("accountId=<draft>"),
		missing("groupId=grp_none"),
		{name: "nobody lists", caller: "nobody", call: "GET /posts", status: 401, code: "unauthenticated"},
	})
}
