package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"belfry/internal/media/mediatest"
)

// localTime is a time some hours ahead, as `when` takes it, in UTC.
func localTime(hours int) string {
	return time.Now().UTC().Add(time.Duration(hours) * time.Hour).Format("2006-01-02T15:04")
}

// whenBody is the `when` of such a time.
func whenBody(publishAt, zone string) string {
	return fmt.Sprintf(`{"publishAt":"%s","timezone":"%s"}`, publishAt, zone)
}

// POST /posts/plan and POST /posts (Spec §4): one table for both, since a plan says what a creation does. Every
// request is planned, which leaves nothing, and then sent.
func TestPlanAndCreateRules(t *testing.T) {
	t.Parallel()
	g := newDemoScenario(t)
	picture := g.owner.uploadFile("bell.png", mediatest.PNG(640, 480)).MediaID
	failed := g.owner.uploadFile("no.png", []byte("no picture")).MediaID
	reserved := g.owner.reserveUpload("later.png", 1000).MediaID
	g.owner.waitForFile(t, picture)
	g.owner.waitForFile(t, failed)
	other := g.owner.uploadFile("tower.png", mediatest.PNG(320, 240)).MediaID
	g.owner.waitForFile(t, other)
	g.savedIDs = append(g.savedIDs, "<picture>", picture, "<other>", other, "<broken>", failed, "<later>", reserved)
	var steps []step
	const (
		threads  = `"accountIds":["<threads>"]`
		facebook = `"accountIds":["<facebook>"]`
		both     = `"accountIds":["<threads>","<facebook>"]`
	)
	request := func(targets, more string) string { return `{"targets":{` + targets + `}` + more }
	add := func(s step) { steps = append(steps, s) }

	// What both refuse: 400, 404.
	refused := func(status int, code string) func(name, body, says string) {
		return func(name, body, says string) {
			add(
				step{
					name: name + ", planned", caller: "reader", call: "POST /posts/plan", body: body + "}", status: status,
					code: code, contains: says,
				},
			)
			add(
				step{name: name, call: "POST /posts", body: body + `,"confirm":true}`, status: status, code: code, contains: says},
			)
		}
	}
	invalid, missing := refused(400, "invalid_request"), refused(404, "not_found")
	invalid("no targets", `{"text":"x"`, "targets")
	invalid("empty targets", request("", ""), "targets")
	invalid("no account", request(`"accountIds":[]`, ""), "targets")
	invalid("an account that is no text", request(`"accountIds":[7]`, ""), "targets.accountIds[0]")
	invalid("one account for a list", request(`"accountIds":"<threads>"`, ""), "targets.accountIds")
	invalid("another field in targets", request(threads+`,"groups":[]`, ""), "groupId")
	invalid("an unknown field", request(threads, `,"txet":"x"`), "Did you mean text?")
	invalid("a field twice", request(threads, `,"text":"x","text":"y"`), "text")
	invalid("a text of null", request(threads, `,"text":null`), "text")
	invalid("a control character", request(threads, `,"text":"a\u0007b"`), "text")
	invalid("one tag for a list", request(threads, `,"tags":"bells"`), "tags")
	invalid("an empty tag", request(threads, `,"tags":[""]`), "tags[0]")
	invalid("one file for a list", request(threads, `,"mediaIds":"<picture>"`), "mediaIds")
	invalid("a time in words", request(threads, `,"when":"tomorrow"`), "when")
	invalid("a time with seconds", request(threads, `,"when":`+whenBody("2030-01-01T10:00:00", "UTC")), "when.publishAt")
	invalid("a time with an offset", request(threads, `,"when":`+whenBody("2030-01-01T10:00Z", "UTC")), "when.publishAt")
	invalid("a day that is none", request(threads, `,"when":`+whenBody("2027-02-29T10:00", "UTC")), "when.publishAt")
	invalid("a zone that is none", request(threads, `,"when":`+whenBody(localTime(48), "Mars/Olympus")), "when.timezone")
	invalid("a zone without a time", request(threads, `,"when":{"timezone":"UTC"}`), "publishAt")
	invalid("settings of no network", request(threads, `,"perPlatform":{"thread":{}}`), "Did you mean threads?")
	invalid("an unknown setting", request(threads, `,"perPlatform":{"threads":{"topictag":"x"}}`), "topicTag")
	invalid(
		"an unknown setting of another network", request(threads, `,"perPlatform":{"youtube":{"visible":true}}`), "visib",
	)
	invalid(
		"a value that a setting cannot have", request(threads, `,"perPlatform":{"instagram":{"contentType":"reel"}}`),
		"contentType",
	)
	invalid("settings of null", request(threads, `,"perPlatform":{"threads":null}`), "perPlatform.threads")
	invalid(
		"a setting of null", request(threads, `,"perPlatform":{"youtube":{"madeForKids":null}}`),
		"perPlatform.youtube.madeForKids",
	)
	invalid(
		"a visibility of nothing", request(threads, `,"perPlatform":{"youtube":{"visibility":""}}`),
		"public, unlisted, private",
	)
	invalid(
		"four collaborators", request(threads, `,"perPlatform":{"instagram":{"collaborators":["a","b","c","d"]}}`),
		"collaborators",
	)
	invalid("an override of no network", request(threads, `,"overrides":{"myspace":{}}`), "overrides.myspace")
	invalid(
		"an override for a network that is not supported", request(threads, `,"overrides":{"fedbook":{"text":"x"}}`),
		"overrides.fedbook",
	)
	invalid("an unknown override", request(threads, `,"overrides":{"threads":{"tekst":"x"}}`), "text")
	missing("an account that never was", request(`"accountIds":["<threads>","acc_none"]`, `,"text":"x"`), "")
	missing("a group that never was", request(`"groupId":"grp_none"`, `,"text":"x"`), "")
	missing("a group without an id", request(threads+`,"groupId":""`, `,"text":"x"`), "")
	missing("a file that never was", request(threads, `,"text":"x","mediaIds":["<picture>","med_none"]`), "")

	// What a plan names and a creation refuses, row by row.
	issue := func(code, name, body string) {
		add(
			step{
				name: name + ", planned", caller: "reader", call: "POST /posts/plan", body: body + "}", status: 200,
				contains: `{"ok":false, … "issues":[ … "code":"` + code + `","message":" … "hint":"`,
			},
		)
		add(
			step{
				name: name, call: "POST /posts", body: body + `,"confirm":true}`, status: 409, code: "plan_has_issues",
				contains: `"rows":[ … "issues":[ … "code":"` + code + `"`,
			},
		)
	}
	issue("caption_too_long", "a text that is too long", request(threads, `,"text":"`+strings.Repeat("x", 501)+`"`))
	issue("caption_too_long", "a text too long for one of two", request(both, `,"text":"`+strings.Repeat("x", 501)+`"`))
	issue(
		"caption_too_long", "an override that is too long",
		request(both, `,"text":"x","overrides":{"threads":{"text":"`+strings.Repeat("x", 501)+`"}}`),
	)
	issue(
		"caption_too_long", "a text with tags that is too long",
		request(facebook, `,"text":"`+strings.Repeat("x", 63_203)+`","tags":["a"]`),
	)
	issue(
		"text_required", "an override that leaves no text", request(both, `,"text":"x","overrides":{"threads":{"text":""}}`),
	)
	issue("text_required", "no text", request(threads, ""))
	issue("text_required", "a text of spaces", request(facebook, `,"text":"  "`))
	issue("media_not_ready", "a file that has not come", request(threads, `,"text":"x","mediaIds":["<later>"]`))
	issue("media_failed", "a file that failed", request(threads, `,"text":"x","mediaIds":["<broken>"]`))
	issue(
		"media_required", "a photo without one",
		request(facebook, `,"text":"x","perPlatform":{"facebook":{"contentType":"photo"}}`),
	)
	issue(
		"text_not_allowed", "a Story with a text",
		request(facebook, `,"text":"x","mediaIds":["<picture>"],"perPlatform":{"facebook":{"contentType":"stories"}}`),
	)
	issue(
		"text_not_allowed", "a Story with tags",
		request(facebook, `,"tags":["a"],"mediaIds":["<picture>"],"perPlatform":{"facebook":{"contentType":"stories"}}`),
	)
	issue(
		"setting_conflict", "a link beside a photo",
		request(facebook, `,"text":"x","mediaIds":["<picture>"],"perPlatform":{"facebook":{"link":"https://example.com"}}`),
	)
	issue(
		"setting_conflict", "a preview beside a photo",
		request(
			threads, `,"text":"x","mediaIds":["<picture>"],"perPlatform":{"threads":{"linkAttachment":"https://example.com"}}`,
		),
	)
	issue(
		"links_too_many", "six links",
		request(
			threads,
			`,"text":"https://a.example https://b.example https://c.example https://d.example https://e.example `+
				`https://f.example"`,
		),
	)
	issue("time_in_past", "a time that is past", request(threads, `,"text":"x","when":`+whenBody(localTime(-1), "UTC")))
	issue(
		"time_too_far", "a time too far ahead", request(threads, `,"text":"x","when":`+whenBody(localTime(24*367), "UTC")),
	)
	issue(
		"time_does_not_exist", "a time that clocks skip",
		request(threads, `,"text":"x","when":`+whenBody("2027-03-28T02:30", "Europe/Berlin")),
	)

	// What both take.
	later := localTime(48)
	utc := later + ":00"
	ok := func(name, body, plan, created string, counts rowCounts) {
		add(
			step{
				name: name + ", planned", caller: "reader", call: "POST /posts/plan", body: body + "}", status: 200,
				contains: `{"ok":true, … ` + plan,
			},
		)
		add(step{name: name + ", unconfirmed", call: "POST /posts", body: body + "}", status: 409, code: "confirm_required"})
		add(
			step{name: name, call: "POST /posts", body: body + `,"confirm":true}`, status: 201, contains: created, rows: counts},
		)
	}
	ok(
		"a draft", request(threads, `,"text":"A draft"`),
		`"status":"draft" … "publishAt":null … "quota":{"used": … "limit":null,"requested":0},"table":"`,
		`"text":"A draft","title":null,"tags":[] … "publishAt":null,"tz":"Europe/Berlin","status":"draft" … `+
			`"createdVia":"api"`,
		rowCounts{posts: 1},
	)
	ok(
		"a draft, said so", request(threads, `,"text":"Said so","when":"draft"`), `"status":"draft"`, `"status":"draft"`,
		rowCounts{posts: 1},
	)
	ok(
		"two posts at a time", request(both, `,"text":"Later","when":`+whenBody(later, "UTC")),
		`"status":"queued" … "publishAt":"`+utc+` … "requested":2`,
		`"publishAt":"`+utc+` … "tz":"UTC","status":"queued" … "status":"queued"`, rowCounts{posts: 2, slots: 2, jobs: 2},
	)
	ok(
		"a time in the workspace's zone", request(threads, `,"text":"In summer","when":{"publishAt":"2027-07-01T12:00"}`),
		`"publishAt":"2027-07-01T10:00:00`, `"tz":"Europe/Berlin"`, rowCounts{posts: 1, slots: 1, jobs: 1},
	)
	ok(
		"a time that occurs twice",
		request(threads, `,"text":"Twice","when":`+whenBody("2027-10-31T02:30", "Europe/Berlin")),
		`"publishAt":"2027-10-31T00:30:00 … "warnings":[{"code":"time_occurs_twice"`, `"publishAt":"2027-10-31T00:30:00`,
		rowCounts{posts: 1, slots: 1, jobs: 1},
	)
	ok(
		"an account that is named twice", request(`"accountIds":["<threads>","<threads>"]`, `,"text":"Once"`),
		`"requested":0`, `{"posts":[{`, rowCounts{posts: 1},
	)
	ok(
		"a text as it was sent", request(threads, `,"text":"  Gr\u00fc\u00df Gott \ud83d\udd14\r\n"`), ``,
		`"text":"  Grüß Gott 🔔\r\n"`, rowCounts{posts: 1},
	)
	ok(
		"the longest text of the other network", request(facebook, `,"text":"`+strings.Repeat("鐘", 63_206)+`"`), ``, `鐘"`,
		rowCounts{posts: 1},
	)
	issue("caption_too_long", "one more than it takes", request(facebook, `,"text":"`+strings.Repeat("鐘", 63_207)+`"`))
	ok(
		"an override for one of two",
		request(both, `,"text":"Base","title":"T","tags":["a"],"overrides":{"facebook":{"text":"Own","tags":["b"]}}`), ``,
		`"text":"Base","title":"T","tags":["a"] … "text":"Own","title":"T","tags":["b"]`, rowCounts{posts: 2},
	)
	ok(
		"settings are kept with the post",
		request(threads, `,"text":"x","perPlatform":{"threads":{"topicTag":"bells","replyControl":"everyone"},"tiktok":{}}`),
		``, `"settings":{"topicTag":"bells"}`, rowCounts{posts: 1},
	)
	ok(
		"tags that fit beside a text", request(facebook, `,"text":"`+strings.Repeat("x", 63_202)+`","tags":["a"]`), ``,
		`"tags":["a"]`, rowCounts{posts: 1},
	)
	ok(
		"tags that are not sent", request(threads, `,"text":"`+strings.Repeat("x", 500)+`","tags":["a"]`), ``,
		`"tags":["a"]`, rowCounts{posts: 1},
	)
	ok(
		"files in their order, one of them twice",
		request(threads, `,"text":"Three","mediaIds":["<other>","<picture>","<other>"]`), ``,
		`"mediaIds":["<other>","<picture>","<other>"]`, rowCounts{posts: 1},
	)
	ok(
		"a file", request(both, `,"text":"With a picture","mediaIds":["<picture>"]`), ``,
		`"mediaIds":["<picture>"] … "mediaIds":["<picture>"]`, rowCounts{posts: 2},
	)
	before := "POST /posts " + request(threads, `,"text":"Said before","when":`+whenBody(later, "UTC")+`,"confirm":true}`)
	add(
		step{
			name: "the same text again", before: []string{before}, caller: "reader", call: "POST /posts/plan",
			body: request(threads, `,"text":"Said before","when":`+whenBody(later, "UTC")+`}`), status: 200,
			contains: `"ok":true … "warnings":[{"code":"same_text_recently"`,
		},
	)
	add(
		step{
			name: "the same text on another day", before: []string{before}, caller: "reader", call: "POST /posts/plan",
			body: request(threads, `,"text":"Said before","when":"now"}`), status: 200, contains: `"ok":true … "warnings":[]`,
		},
	)
	add(
		step{
			name: "a plan that confirms", caller: "reader", call: "POST /posts/plan",
			body: request(threads, `,"text":"x","confirm":true}`), status: 400, code: "invalid_request", contains: "confirm",
		},
	)
	add(
		step{
			name: "confirmed with a word", call: "POST /posts", body: request(threads, `,"text":"x","confirm":"true"}`),
			status: 400, code: "invalid_request", contains: "confirm",
		},
	)
	add(
		step{
			name: "confirmed with false", call: "POST /posts", body: request(threads, `,"text":"x","confirm":false}`),
			status: 409, code: "confirm_required",
		},
	)

	g.runAlone(t, steps)

	// The order of refusals: each request has all that is wrong with those after it.
	steps = nil
	past := `,"text":"x","when":` + whenBody(localTime(-1), "UTC")
	order := []struct{ name, body, code string }{
		{
			"nonsense, no account, no confirm, a past time", request(`"accountIds":["acc_none"]`, past+`,"x":1`),
			"invalid_request",
		},
		{"no account, no confirm, a past time", request(`"accountIds":["acc_none"]`, past), "not_found"},
		{"no confirm, a past time", request(threads, past), "confirm_required"},
		{"no slot left, a past time", request(threads, past+`,"confirm":true`), "quota_exceeded"},
	}
	statuses := map[string]int{"invalid_request": 400, "not_found": 404, "confirm_required": 409, "quota_exceeded": 402}
	body := `{"targets":{"accountIds":["<threads>"]},"text":"Slot %d","confirm":true,"when":` + whenBody(
		later, "UTC",
	) + `}`
	for i := range 18 { // 12 of the 30 are taken
		add(
			step{
				name: fmt.Sprintf("slot %d", i), plan: map[int]string{0: "free"}[i], caller: "session", call: "POST /posts",
				body: fmt.Sprintf(body, i), status: 201, rows: rowCounts{posts: 1, slots: 1, jobs: 1},
			},
		)
	}
	for _, o := range order {
		add(
			step{
				name: o.name, caller: "session", call: "POST /posts", body: o.body + "}", status: statuses[o.code], code: o.code,
			},
		)
	}
	add(
		step{
			name: "no slot left", caller: "session", call: "POST /posts", body: fmt.Sprintf(body, 30), status: 402,
			code: "quota_exceeded", contains: `"limit":30,"used":30`,
		},
	)
	add(
		step{
			name: "no slot left, planned", caller: "session", call: "POST /posts/plan",
			body: request(threads, `,"text":"x","when":"now"}`), status: 200,
			contains: `"ok":false … "code":"quota_exceeded" … "quota":{"used":30,"limit":30,"requested":1}`,
		},
	)
	add(
		step{
			name: "a draft takes none", caller: "session", call: "POST /posts",
			body: request(threads, `,"text":"Only a draft","confirm":true}`), status: 201, saveAs: "new",
			rows: rowCounts{posts: 1},
		},
	)
	add(
		step{
			name: "and cannot be queued", caller: "session", call: "PATCH /posts/<new>",
			body: `{"when":"now","status":"queued"}`, status: 402, code: "quota_exceeded", contains: `"limit":30,"used":30`,
		},
	)
	add(
		step{
			name: "one of two has no slot", caller: "session", call: "POST /posts/<queued>/cancel", status: 200,
			rows: rowCounts{slots: -1},
		},
	)
	add(
		step{
			name: "so neither is made", caller: "session", call: "POST /posts",
			body: request(both, `,"text":"One too many","confirm":true,"when":"now"}`), status: 402, code: "quota_exceeded",
			contains: `"limit":30,"used":29`,
		},
	)
	g.runSteps(t, steps)
}
