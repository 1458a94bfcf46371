package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// The goal: "Bad input gets a clear error and loses nothing: broken JSON, duplicate and unknown keys, wrong zone,
// past time, foreign id, missing scope, expired session …"
func TestBadInputGetsAClearErrorAndLosesNothing(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.serveUntilReady()
	seed, other := s.seedWorkspace(), s.seedWorkspace()
	c := s.newClient(seed.Key)
	reader := s.newClient(
		strings.TrimSpace(
			requireCommand(t, s.env, "", "key", "create", "--workspace", seed.Workspace, "--name", "Reader", "--scope", "read"),
		),
	)
	account := seed.Accounts["threads"]
	body := func(more string) string {
		return `{"targets":{"accountIds":["` + account + `"]},"confirm":true,"when":"now",` + more + `}`
	}
	at := func(when string) string {
		return `{"targets":{"accountIds":["` + account + `"]},"confirm":true,"text":"Not now","when":` + when + `}`
	}
	tests := []struct {
		name   string
		client *client
		header map[string]string
		body   any
		status int
		code   string
		says   string // somewhere in the body
	}{
		{"broken JSON", c, nil, `{"targets":{"accountIds":[`, 400, "invalid_request", ""},
		{"no JSON at all", c, nil, `text=hello`, 400, "invalid_request", ""},
		{"trailing data", c, nil, body(`"text":"a"`) + `{}`, 400, "invalid_request", ""},
		{"a duplicate key", c, nil, body(`"text":"a","text":"b"`), 400, "invalid_request", "text"},
		{"an unknown key", c, nil, body(`"texxt":"a"`), 400, "invalid_request", "text"},
		{
			"an unknown setting", c, nil, body(`"text":"a","perPlatform":{"threads":{"topicTagg":"x"}}`), 400,
			"invalid_request", "topicTag",
		},
		{"a wrong type", c, nil, body(`"text":7`), 400, "invalid_request", "text"},
		{"invalid UTF-8", c, nil, body("\"text\":\"\xff\""), 400, "invalid_request", ""},
		{
			"a wrong zone", c, nil, at(`{"publishAt":"2030-01-01T10:00","timezone":"Europe/Berlim"}`), 400, "invalid_request",
			"Europe/Berlim",
		},
		{"a wrong time", c, nil, at(`{"publishAt":"tomorrow","timezone":"UTC"}`), 400, "invalid_request", "YYYY-MM-DDTHH:mm"},
		{
			"a past time", c, nil, at(`{"publishAt":"2020-01-01T10:00","timezone":"UTC"}`), 409, "plan_has_issues",
			"time_in_past",
		},
		{
			"a time that a clock change skips", c, nil, at(`{"publishAt":"2027-03-28T02:30","timezone":"Europe/Berlin"}`), 409,
			"plan_has_issues", "time_does_not_exist",
		},
		{
			"a text that is too long", c, nil, body(`"text":"` + strings.Repeat("x", 501) + `"`), 409, "plan_has_issues",
			"caption_too_long",
		},
		{"a foreign id", c, nil, newPostBody("Not ours", "now", other.Accounts["threads"]), 404, "not_found", ""},
		{
			"no confirmation", c, nil, `{"targets":{"accountIds":["` + account + `"]},"text":"a","when":"now"}`, 409,
			"confirm_required", "confirm",
		},
		{"a missing scope", reader, nil, newPostBody("May not", "now", account), 403, "insufficient_scope", ""},
		{
			"a key that is none", s.newClient("belfry_live_nonsense"), nil, newPostBody("Who?", "now", account), 401,
			"unauthenticated", "",
		},
		{
			"another content type", c,
			map[string]string{"Content-Type": "text/plain"},
			body(`"text":"a"`), 415,
			"unsupported_media_type", "application/json",
		},
		{
			"a body that is too large", c, nil, body(`"text":"` + strings.Repeat("x", 1<<20) + `"`), 413, "payload_too_large",
			"",
		},
	}
	before := len(c.do("GET", "/posts?limit=100", nil).requireStatus(t, 200).Posts)
	for _, tt := range tests {
		a := tt.client.doWithHeader(tt.header, "POST", "/posts", tt.body)
		if a.Status != tt.status || a.Code != tt.code || a.Message == "" || !strings.Contains(a.Raw, tt.says) {
			t.Errorf("%s answers %d %s; want %d %s and %q", tt.name, a.Status, a.Raw, tt.status, tt.code, tt.says)
		}
		if a.Header["X-Request-Id"] == "" || !strings.HasPrefix(a.Header["Content-Type"], "application/json") {
			t.Errorf("%s: headers %v", tt.name, a.Header)
		}
	}
	if now := len(c.do("GET", "/posts?limit=100", nil).requireStatus(t, 200).Posts); now != before {
		t.Errorf("%d posts were made of bad input", now-before)
	}
	if a := c.do("PUT", "/posts", nil); a.Status != 405 || !strings.Contains(a.Header["Allow"], "POST") {
		t.Errorf("PUT /posts answers %d, Allow %q", a.Status, a.Header["Allow"])
	}
	c.do("GET", "/nothing", nil).requireStatus(t, 404)
}

// The goal: an expired session loses nothing. The form that met it comes back, with all that was written, after
// signing in.
func TestFormKeepsItsInputWhenTheSessionEnds(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.serveUntilReady()
	seed := s.seedWorkspace()
	_, p := s.signIn(seed)
	p.openLink("/compose").requireStatus(http.StatusOK)
	f := p.readForm("form#compose")
	const written = "Written for an hour, and then the session was gone.\nSecond line."
	f.values["text"], f.values["account"], f.values["when"] = []string{written}, []string{
		seed.Accounts["facebook"],
	}, []string{"draft"}

	fresh := newPerson(t, s.url) // has no session, as after its end
	fresh.sendRequest(http.MethodPost, f.action, f.values)
	if len(fresh.findAll(testid("sign-in"))) != 1 {
		t.Fatalf("without a session the form leads to %s with %d: %s", fresh.at, fresh.status, fresh.visibleText("main"))
	}
	fresh.submitForm(testid("sign-in"), formInput{"email": {seed.Email}, "password": {"wrong " + seed.Password}})
	fresh.submitForm(
		testid("sign-in"), formInput{"email": {seed.Email}, "password": {seed.Password}},
	).requireStatus(http.StatusOK)
	got := fresh.readForm("form#compose").values
	if strings.ReplaceAll(got.Get("text"), "\r\n", "\n") != written ||
		got.Get("account") != seed.Accounts["facebook"] || got.Get("when") != "draft" {
		t.Errorf("after signing in the form holds %v", got)
	}
	fresh.submitForm(testid("check-plan"), nil).requireStatus(http.StatusOK)
	fresh.submitForm(testid("submit"), nil).requireStatus(http.StatusOK)
	if text := textOf(fresh.findOne(testid("preview-text"))); text != written {
		t.Errorf("the post says %q", text)
	}
}

// A stop takes no new requests and cuts none: those that have begun are answered in full.
func TestStopFinishesRequestsUnderWay(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.serveUntilReady()
	seed := s.seedWorkspace()
	const n = 20
	type result struct {
		status int
		err    error
	}
	results, bodies := make(chan result, n), make([]*slowBody, n)
	// The body's first half is read when the service has said that it goes on: it is in the midst of the request.
	patient := &http.Client{Transport: &http.Transport{ExpectContinueTimeout: time.Minute}}
	for i := range n {
		bodies[i] = newSlowBody(
			`{"targets":{"accountIds":["`+seed.Accounts["threads"]+`"]},"confirm":true,"when":"draft",`,
			`"text":"Sent while the service stopped"}`,
		)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/v1/posts", bodies[i])
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+seed.Key)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Expect", "100-continue")
		go func() {
			answer, err := patient.Do(r)
			if err != nil {
				results <- result{err: err}
				return
			}
			defer answer.Body.Close()
			results <- result{status: answer.StatusCode}
		}()
	}
	for _, b := range bodies {
		<-b.begun
	}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		s.process.terminate()
	}()
	eventually(
		t, 10*time.Second, "the service says that it stops",
		func() bool { return strings.Contains(s.process.log.String(), "stopping") },
	)
	for _, b := range bodies {
		close(b.rest)
	}
	for range n {
		if r := <-results; r.err != nil || r.status != http.StatusCreated {
			t.Errorf("a request that had begun is answered %d, %v", r.status, r.err)
		}
	}
	<-stopped
	if code := s.process.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("the service ends with %d", code)
	}
	s.serveUntilReady()
	if made := len(
		s.newClient(seed.Key).do("GET", "/posts?limit=100&q=stopped", nil).requireStatus(t, 200).Posts,
	); made != n {
		t.Errorf("%d posts were made, want %d", made, n)
	}
}
