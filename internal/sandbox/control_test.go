package sandbox_test

import (
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"belfry/internal/network/sim"
	"belfry/internal/sandbox"
)

func TestControlPageWorksByFormsAlone(t *testing.T) {
	t.Parallel()
	r := start(t, sandbox.Config{Prefix: "/sandbox"})
	r.post("/graph.threads.net/v1.0/me/threads_publish", r.threads("harbour.bakery"), url.Values{
		"creation_id": {r.container(r.threads("harbour.bakery"), "<em>rolls</em>")},
	})
	added := r.post("/_/faults", "", url.Values{
		"network": {"threads"}, "call": {"publish"}, "kind": {"slow"}, "delayMs": {"5"}, "times": {"0"}, "message": {""},
	})
	if added.status != http.StatusSeeOther || added.header.Get("Location") != "/sandbox/_/?done=fault-added#faults" {
		t.Fatalf("adding answered %d %s", added.status, added.text)
	}
	page := r.get("/_/", "")
	for _, want := range []string{
		"&lt;em&gt;rolls", "until removed", `value="f1"`, `href="/sandbox/www.threads.net/@harbour.bakery/post/`,
		"<strong>Facebook</strong>",
		`href="/sandbox/_/style.css"`, `name="threads.quota_total"`,
	} {
		if !strings.Contains(page.text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	policy := page.header.Get("Content-Security-Policy")
	want := "default-src 'none'; style-src 'self'; img-src 'self'; media-src 'self'; form-action 'self' http: https:;"
	if !strings.HasPrefix(policy, want) || strings.Contains(page.text, "<script") ||
		strings.Contains(page.text, " style=") {
		t.Errorf("policy %q", policy)
	}
	if bad := r.post("/_/faults", "", url.Values{"kind": {"slow"}}); bad.status != http.StatusBadRequest ||
		!strings.Contains(bad.text, "requires delayMs") {
		t.Errorf("a bad form answered %d", bad.status)
	}
	for code, want := range map[string]string{"24/4279009": "<code>error</code> 24/4279009", "quotaExceeded": "quotaExceeded"} {
		r.post("/_/faults", "", url.Values{"kind": {"error"}, "code": {code}})
		if page := r.get("/_/", ""); !strings.Contains(page.text, want) {
			t.Errorf("the page lacks the fault %q", want)
		}
	}
	if bad := r.post("/_/faults", "", url.Values{"kind": {"error"}, "code": {"24/9"}}); bad.status != http.StatusBadRequest {
		t.Errorf("a code that is not documented answered %d", bad.status)
	}
	for _, id := range []string{"f2", "f3"} {
		r.post("/_/faults/delete", "", url.Values{"id": {id}})
	}
	r.post("/_/faults/delete", "", url.Values{"id": {"f1"}})
	if left := r.get("/_/faults", "").json(t)["faults"].([]any); len(left) != 0 {
		t.Errorf("faults %v", left)
	}
	if a := r.post("/_/posts/reset", "", nil); a.status != http.StatusSeeOther && a.status != http.StatusOK {
		t.Errorf("reset answered %d", a.status)
	}
	if got := len(r.posts()); got != 0 {
		t.Errorf("%d posts after a reset", got)
	}
	style := r.get("/_/style.css", "")
	if !strings.HasPrefix(style.header.Get("Content-Type"), "text/css") || !strings.Contains(style.text, ".net-threads") {
		t.Errorf("style %d", style.status)
	}
}

// A hundred posts moved everything else on the page far down.
func TestTheControlPageFoldsOlderPosts(t *testing.T) {
	t.Parallel()
	r := start(t, sandbox.Config{Prefix: "/sandbox"})
	token := r.threads("harbour.bakery")
	publish := func() {
		r.post("/graph.threads.net/v1.0/me/threads_publish", token, url.Values{"creation_id": {r.container(token, "rolls")}})
	}
	for range 11 {
		publish()
	}
	if page := r.get("/_/", "").text; !strings.Contains(page, "<summary>Show 1 older post</summary>") {
		t.Error("one older post is not folded, or counted as several")
	}
	publish()
	shown, folded, _ := strings.Cut(r.get("/_/", "").text, "<summary>Show 2 older posts</summary>")
	row := "<tr><td>Threads</td>"
	if strings.Count(shown, row) != 10 || strings.Count(folded, row+`<td class="words"><a `) != 2 {
		t.Errorf("%d posts are shown and %d folded", strings.Count(shown, row), strings.Count(folded, row+`<td class="words"><a `))
	}
}

func TestTheControlPageLinksToItsSections(t *testing.T) {
	t.Parallel()
	page := start(t, sandbox.Config{Prefix: "/sandbox"}).get("/_/", "").text
	for _, section := range []string{"posts", "networks", "people", "faults", "switches", "clock", "calls"} {
		if !strings.Contains(page, `<a href="#`+section+`">`) || !strings.Contains(page, `<h2 id="`+section+`">`) {
			t.Errorf("the page does not link to %s", section)
		}
	}
}

// The page jumped to its top and said nothing.
func TestTheControlPageStaysAtTheFormAndSaysWhatItDid(t *testing.T) {
	t.Parallel()
	r := start(t, sandbox.Config{Prefix: "/sandbox"})
	forms := []struct {
		path, leadsTo, says string
		values              url.Values
	}{
		{"/_/faults", "?done=fault-added#faults", "The fault was added.", url.Values{"kind": {"rate_limited"}}},
		{"/_/faults/delete", "?done=fault-removed#faults", "The fault was removed.", url.Values{"id": {"f1"}}},
		{"/_/posts/reset", "?done=posts-deleted#posts", "All posts were deleted.", url.Values{}},
		{"/_/options", "?done=options-saved#switches", "The options were saved.", url.Values{}},
		{"/_/clock", "?done=clock-moved#clock", "The clock was moved.", url.Values{"advance": {"1m"}}},
	}
	for _, form := range forms {
		a := r.post(form.path, "", form.values)
		if to := a.header.Get("Location"); to != "/sandbox/_/"+form.leadsTo {
			t.Errorf("%s leads to %q: %s", form.path, to, a.text)
			continue
		}
		if page := r.get("/_/"+form.leadsTo, ""); strings.Count(page.text, form.says) != 1 {
			t.Errorf("the page does not say %q once", form.says)
		}
	}
	if page := r.get("/_/?done=nothing", ""); strings.Contains(page.text, `data-testid="done"`) {
		t.Error("the page says that something unknown was done")
	}
}

// The page looked like another product, and all links to posts had the same time as their text.
func TestTheControlPageLooksLikeTheProductAndLinksTheTextsOfPosts(t *testing.T) {
	t.Parallel()
	const tokens = `<link rel="stylesheet" href="/static/css/tokens.css">`
	r := start(t, sandbox.Config{Tokens: "/static/css/tokens.css", Icon: "/static/icon.svg", Home: "/", AppName: "Belfry"})
	token := r.threads("harbour.bakery")
	for _, text := range []string{"Rye bread is back.", strings.Repeat("é", 161)} {
		r.post("/graph.threads.net/v1.0/me/threads_publish", token, url.Values{"creation_id": {r.container(token, text)}})
	}
	page := r.get("/_/", "").text
	for _, want := range []string{
		tokens, `<img src="/static/icon.svg" alt="" width="20" height="20">Back to Belfry</a>`,
		`dir="auto">Rye bread is back.</a>`, `dir="auto">` + strings.Repeat("é", 160) + "…</a>",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(start(t, sandbox.Config{}).get("/_/", "").text, "/static/") {
		t.Error("networks that stand alone refer to a product")
	}
}

// People met names such as drop_after_accept without a word on what they do, and no way back.
func TestThePageExplainsEveryFaultAndLeadsBack(t *testing.T) {
	t.Parallel()
	page := start(t, sandbox.Config{Prefix: "/sandbox", AppName: "Belfry", Home: "/"}).get("/_/", "")
	for _, kind := range sim.FaultKinds() {
		if !strings.Contains(page.text, "<dt><code>"+kind.Name+"</code></dt><dd>"+template.HTMLEscapeString(kind.Does)) {
			t.Errorf("the page does not explain %s", kind.Name)
		}
	}
	if !strings.Contains(page.text, `<a href="/" data-testid="home">Back to Belfry</a>`) {
		t.Error("no way back")
	}
	if alone := start(t, sandbox.Config{AppName: "Belfry"}).get("/_/", ""); strings.Contains(alone.text,
		`data-testid="home"`) {
		t.Error("networks that stand alone lead back to nothing")
	}
}

func TestControlAsJSON(t *testing.T) {
	t.Parallel()
	r := start(t, sandbox.Config{Prefix: "/sandbox"})
	bad := map[string]string{
		"unknown key":      `{"kind":"reject","networks":"threads"}`,
		"unknown kind":     `[{"kind":"reject"},{"kind":"explode"}]`,
		"no JSON":          `kind=reject`,
		"two values":       `{"kind":"reject"} {"kind":"reject"}`,
		"text for a count": `{"kind":"reject","times":"1"}`,
	}
	for name, body := range bad {
		if a := r.must("POST", "/_/faults", "", inJSON, body); a.status != http.StatusBadRequest || a.json(t)["error"] == "" {
			t.Errorf("%s answered %d %s", name, a.status, a.text)
		}
	}
	r.script(`[{"kind":"reject"},{"kind":"server_error","network":"any","times":0}]`)
	if a := r.must("DELETE", "/_/faults/f1", "", "", ""); len(a.json(t)["faults"].([]any)) != 1 {
		t.Errorf("deleting one left %s", a.text)
	}
	if a := r.must("DELETE", "/_/faults?id=f1", "", "", ""); a.status != http.StatusBadRequest {
		t.Errorf("deleting it again answered %d", a.status)
	}
	if a := r.must("DELETE", "/_/faults", "", "", ""); len(a.json(t)["faults"].([]any)) != 0 {
		t.Errorf("deleting all left %s", a.text)
	}

	if a := r.must("POST", "/_/options", "", inJSON, `{"threads.quota_total":"5000"}`); !strings.Contains(a.text,
		`"value":"5000"`) {
		t.Errorf("options answered %s", a.text)
	}
	if a := r.must("POST", "/_/options", "", inJSON, `{"threads.quota":"5000"}`); a.status != http.StatusBadRequest {
		t.Errorf("an unknown option answered %d", a.status)
	}
	for _, kind := range []string{inJSON, "application/x-www-form-urlencoded"} {
		a := r.must("POST", "/_/posts/backdate", "", kind, `{"network":"threads","id":"1","at":"2026-10-01T08:00:00Z"}`)
		if reason, _ := a.json(t)["error"].(string); a.status != http.StatusBadRequest || !strings.Contains(reason, "there is no post") {
			t.Errorf("backdating no post answered %d %s", a.status, a.text)
		}
	}
	if a := r.must("POST", "/_/clock", "", inJSON, `{"advance":"25h"}`); a.json(t)["aheadSeconds"] != 90000.0 {
		t.Errorf("clock answered %s", a.text)
	}
	if a := r.must("POST", "/_/clock", "", inJSON, `{"advance":"-1h"}`); a.status != http.StatusBadRequest {
		t.Errorf("turning the clock back answered %d", a.status)
	}
}

func TestTheClockMakesTokensOldEnoughToRefresh(t *testing.T) {
	t.Parallel()
	r := start(t, sandbox.Config{})
	token := r.threads("harbour.bakery")
	refresh := func() int {
		return r.get("/graph.threads.net/refresh_access_token?grant_type=th_refresh_token", token).status
	}
	young := refresh()
	r.must("POST", "/_/clock", "", inJSON, `{"advance":"24h"}`)
	if old := refresh(); young != http.StatusBadRequest || old != http.StatusOK {
		t.Errorf("refresh answered %d before and %d after a day", young, old)
	}
}

func TestOtherSitesCannotPressTheButtons(t *testing.T) {
	t.Parallel()
	r := start(t, sandbox.Config{})
	req, err := http.NewRequestWithContext(t.Context(), "POST", r.base+"/_/faults", strings.NewReader("kind=reject"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", form)
	req.Header.Set("Sec-Fetch-Site", "cross-site")
	resp, err := r.http.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusForbidden || len(r.get("/_/faults", "").json(t)["faults"].([]any)) != 0 {
		t.Errorf("answered %d", resp.StatusCode)
	}
}

func TestCallsAreRemembered(t *testing.T) {
	t.Parallel()
	r := start(t, sandbox.Config{})
	token := r.threads("harbour.bakery")
	req, err := http.NewRequestWithContext(t.Context(), "POST", r.base+"/graph.threads.net/v1.0/me/threads?access_token="+token, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Idempotency-Key", "1")
	resp, err := r.http.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	id := r.container(token, "hello")
	answer := r.get("/_/calls?limit=2", "")
	calls := answer.json(t)["calls"].([]any)
	keyed, create := calls[0].(map[string]any), calls[1].(map[string]any)
	if keyed["idempotencyKey"] != true || keyed["tokenInQuery"] != true || keyed["status"] != 400.0 {
		t.Errorf("first call %v", keyed)
	}
	for name, want := range map[string]any{
		"network": "threads", "method": "POST", "host": "graph.threads.net", "path": "/v1.0/me/threads", "call": "create",
		"account": "17841405793187218", "idempotencyKey": false, "tokenInQuery": false, "status": 200.0,
	} {
		if create[name] != want {
			t.Errorf("%s is %v, want %v", name, create[name], want)
		}
	}
	if at, err := time.Parse(time.RFC3339Nano, text(t, create, "at")); err != nil || time.Since(at) > time.Minute {
		t.Errorf("at %v", create["at"])
	}
	if strings.Contains(answer.text, token) || strings.Contains(answer.text, id) {
		t.Error("the memory of calls holds a token or a body")
	}
}

func TestCallsHaveTheStatusOfADecisionOnAConsentPage(t *testing.T) {
	t.Parallel()
	r := start(t, sandbox.Config{})
	for _, decision := range []string{sandbox.Allow, sandbox.Deny} {
		r.consent("/www.threads.net/oauth/authorize", url.Values{
			"client_id": {"sandbox"}, "redirect_uri": {callback}, "scope": {"threads_basic"}, "response_type": {"code"},
			"state": {"s1"}, "decision": {decision}, "username": {"harbour.bakery"},
		})
		call := r.get("/_/calls?limit=1", "").json(t)["calls"].([]any)[0].(map[string]any)
		if call["path"] != "/oauth/authorize" || call["status"] != 302.0 {
			t.Errorf("%s: the call is %v", decision, call)
		}
	}
}

func TestAJournalThatASandboxNeedsAloneHasNoOtherUser(t *testing.T) {
	t.Parallel()
	shared, alone := sandbox.Config{JournalDir: t.TempDir()}, sandbox.Config{JournalAlone: true}
	alone.JournalDir = shared.JournalDir
	for _, order := range [][2]sandbox.Config{{shared, alone}, {alone, shared}} {
		first := start(t, order[0])
		if second, err := sandbox.New(order[1]); !errors.Is(err, sandbox.ErrJournalInUse) {
			t.Errorf("the second sandbox is %v, with the error %v", second, err)
		}
		if err := first.box.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestARestartKeepsWhatIsVisible(t *testing.T) {
	t.Parallel()
	cfg := sandbox.Config{JournalDir: t.TempDir()}
	first := start(t, cfg)
	token := first.threads("somebody.new")
	first.post("/graph.threads.net/v1.0/me/threads_publish", token,
		url.Values{"creation_id": {first.container(token, "one")}})
	_, page := first.facebook()
	first.post("/graph.facebook.com/v26.0/me/feed", page, url.Values{"message": {"two"}})
	before := first.get("/_/posts", "").text
	if err := first.box.Close(); err != nil {
		t.Fatal(err)
	}
	second := start(t, cfg)
	if after := second.get("/_/posts", "").text; after != before || !strings.Contains(after, "one") ||
		!strings.Contains(after, "two") {
		t.Errorf("posts changed:\n%s\n%s", before, after)
	}
	second.container(token, "three")
	second.must("DELETE", "/_/posts", "", "", "")
	if got := len(second.posts()); got != 0 {
		t.Errorf("%d posts after a reset", got)
	}
}

func TestAClosedJournalPromisesNothing(t *testing.T) {
	t.Parallel()
	r := start(t, sandbox.Config{JournalDir: t.TempDir()})
	_, page := r.facebook()
	if err := r.box.Close(); err != nil {
		t.Fatal(err)
	}
	a := r.post("/graph.facebook.com/v26.0/me/feed", page, url.Values{"message": {"hello"}})
	if a.status != http.StatusInternalServerError || len(r.posts()) != 0 {
		t.Errorf("answered %d %s", a.status, a.text)
	}
}

func TestAddressesBesideTheNetworks(t *testing.T) {
	t.Parallel()
	r := start(t, sandbox.Config{Prefix: "/sandbox/"})
	r.base = strings.TrimSuffix(r.base, "/")
	for path, want := range map[string]int{
		"": 303, "/": 303, "/_/": 200, "/example.org/x": 404, "/www.threads.net/nothing": 404,
		"/WWW.THREADS.NET/picture/1.jpg": 403, // the address is not signed
		"/graph.threads.net/":            400, "/rupload.facebook.com/x": 400, "x": 404,
	} {
		if a := r.get(path, ""); a.status != want {
			t.Errorf("%q answered %d, want %d", path, a.status, want)
		}
	}
	if _, err := sandbox.New(sandbox.Config{Prefix: "sandbox"}); err == nil {
		t.Error("a prefix without a slash was taken")
	}
}
