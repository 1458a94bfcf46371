package sandbox_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"belfry/internal/network/sim"
	"belfry/internal/sandbox"
)

// inbox is the product's side of callbacks.
type inbox struct {
	mu    sync.Mutex
	calls []string // path and body
}

func (i *inbox) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.calls = append(i.calls, r.URL.Path+" "+r.Header.Get("TikTok-Signature")+" "+string(body))
}

func (i *inbox) paths() (all []string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, call := range i.calls {
		path, _, _ := strings.Cut(call, " ")
		all = append(all, path)
	}
	return all
}

func TestTheTopOfThePageMakesAPostFailAndDisconnectsAnAccount(t *testing.T) {
	t.Parallel()
	r := start(t, sandbox.Config{AppName: "Belfry"})
	token := r.threads("harbour.bakery")
	container := r.container(token, "rolls")
	page := r.get("/_/", "").text
	if strings.Index(page, `data-testid="fail-next-post"`) > strings.Index(page, `id="posts"`) ||
		strings.Index(page, `data-testid="add-fault"`) > strings.Index(page, `data-testid="kinds"`) {
		t.Error("the page begins with what few people need")
	}
	failing := r.post("/_/faults", "", url.Values{
		"network": {"threads"}, "call": {"publish"}, "kind": {"reject"}, "done": {"next-post-fails"},
	})
	if to := failing.header.Get("Location"); to != "/_/?done=next-post-fails&network=threads#practice" {
		t.Errorf("making a post fail leads to %q", to)
	}
	for query, want := range map[string]string{
		"network=threads": "The next post on Threads will fail.", "network=": "The next post on any network will fail.",
	} {
		if page := r.get("/_/?done=next-post-fails&"+query, "").text; !strings.Contains(page, want) {
			t.Errorf("after %s, the page does not say %q", query, want)
		}
	}
	publish := func() int {
		return r.post("/graph.threads.net/v1.0/me/threads_publish", token, url.Values{"creation_id": {container}}).status
	}
	if first, second := publish(), publish(); first < 400 || second != http.StatusOK {
		t.Errorf("the next posts answer %d and %d", first, second)
	}
	_, option, _ := strings.Cut(page, `<option value="threads/`)
	person, _, _ := strings.Cut(option, `"`)
	if to := r.post("/_/people/remove-app", "", url.Values{"access": {"threads/" + person}}).header.Get("Location"); to !=
		"/_/?removed=threads#people" {
		t.Errorf("disconnecting leads to %q", to)
	}
	if strings.Contains(r.get("/_/", "").text, `data-testid="disconnect"`) {
		t.Error("a disconnected account can be disconnected again")
	}
}

func TestOnlyNetworksWithSuchARequestOfferToDeleteData(t *testing.T) {
	t.Parallel()
	r := start(t, sandbox.Config{AppName: "Belfry"})
	r.threads("harbour.bakery")
	back := r.consent("/accounts.google.com/o/oauth2/v2/auth", url.Values{
		"client_id": {"sandbox"}, "redirect_uri": {callback}, "state": {"s1"}, "response_type": {"code"},
		"decision": {"allow"},
		"scope":    {"https://www.googleapis.com/auth/youtube.upload https://www.googleapis.com/auth/youtube.readonly"},
		"username": {"harbour"}, "access_type": {"offline"}, "prompt": {"consent"},
	})
	r.post("/oauth2.googleapis.com/token", "", url.Values{
		"client_id": {"sandbox"}, "client_secret": {"sandbox"}, "redirect_uri": {callback}, "code": {back.Get("code")},
		"grant_type": {"authorization_code"},
	})
	page := r.get("/_/", "").text
	if n := strings.Count(page, `data-testid="remove-data"`); n != 1 {
		t.Errorf("the page offers to delete data for %d people, want 1 of 2", n)
	}
	if !strings.Contains(page, "YouTube does not notify Belfry.") || strings.Contains(page, "Threads does not notify") {
		t.Errorf("the page does not say which network notifies the app")
	}
}

func TestRemovingTheAppEndsTheAccessAndIsReported(t *testing.T) {
	t.Parallel()
	product := &inbox{}
	server := httptest.NewServer(product)
	t.Cleanup(server.Close)
	r := start(t, sandbox.Config{Prefix: "/sandbox", CallbackURL: server.URL + "/callbacks", AppName: "Belfry"})
	profile := r.threads("harbour.bakery")
	_, page := r.facebook()
	var listed struct{ People []sim.Person }
	if err := json.Unmarshal([]byte(r.get("/_/people", "").text), &listed); err != nil || len(listed.People) != 2 {
		t.Fatalf("people %+v, %v", listed, err)
	}
	shown := r.get("/_/", "").text
	for _, p := range listed.People {
		if !strings.Contains(shown, `name="person" value="`+p.ID+`"`) || !strings.Contains(shown, p.Name) {
			t.Errorf("the page does not show %+v", p)
		}
		body, err := json.Marshal(map[string]any{"network": p.Network, "person": p.ID, "erase": p.Network == "threads"})
		if err != nil {
			t.Fatal(err)
		}
		if a := r.must("POST", "/_/people/remove-app", "", inJSON, string(body)); a.status != http.StatusOK {
			t.Errorf("removing answered %d %s", a.status, a.text)
		}
		if a := r.must("POST", "/_/people/remove-app", "", inJSON, string(body)); a.status != http.StatusBadRequest {
			t.Errorf("removing it again answered %d", a.status)
		}
	}
	if err := r.box.Kit().WaitIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if a := r.get("/graph.threads.net/v1.0/me", profile); a.status != http.StatusUnauthorized {
		t.Errorf("a removed app's token answers %d", a.status)
	}
	if a := r.get("/graph.facebook.com/v26.0/me", page); !strings.Contains(a.text, `"error_subcode":458`) {
		t.Errorf("a removed app's token answers %d %s", a.status, a.text)
	}
	want := map[string]int{
		"/callbacks/threads/deauthorize": 1, "/callbacks/threads/data-deletion": 1, "/callbacks/facebook/deauthorize": 1,
	}
	for _, path := range product.paths() {
		want[path]--
	}
	for path, missing := range want {
		if missing != 0 {
			t.Errorf("%s was called %d times too few", path, missing)
		}
	}
}

// The page jumped to its top and said nothing.
func TestAPersonSeesThatTheAppWasRemoved(t *testing.T) {
	t.Parallel()
	r := start(t, sandbox.Config{Prefix: "/sandbox", AppName: "Belfry"})
	r.threads("harbour.bakery")
	var listed struct{ People []sim.Person }
	if err := json.Unmarshal([]byte(r.get("/_/people", "").text), &listed); err != nil || len(listed.People) != 1 {
		t.Fatalf("people %+v, %v", listed, err)
	}
	a := r.post("/_/people/remove-app", "", url.Values{"network": {"threads"}, "person": {listed.People[0].ID}})
	if to := a.header.Get("Location"); to != "/sandbox/_/?removed=threads#people" {
		t.Errorf("it leads to %q", to)
	}
	if page := r.get("/_/?removed=threads", ""); !strings.Contains(page.text, "Belfry's access on Threads was removed.") {
		t.Error("the page does not say what happened")
	}
}

// The tab of a simulated profile looked like that of a real one.
func TestTitlesOfPagesSayWhatTheyAre(t *testing.T) {
	t.Parallel()
	r := start(t, sandbox.Config{AppName: "Belfry"})
	token := r.threads("harbour.bakery")
	r.post("/graph.threads.net/v1.0/me/threads_publish", token, url.Values{"creation_id": {r.container(token, "rolls")}})
	for path, want := range map[string]string{
		"/_/":                              "<title>Simulated networks · Sandbox</title>",
		"/www.threads.net/@harbour.bakery": "<title>Harbour Bakery on Threads · Sandbox</title>",
	} {
		if page := r.get(path, "").text; !strings.Contains(page, want) {
			title, _, _ := strings.Cut(page, "</title>")
			t.Errorf("%s has no %s: %s", path, want, title)
		}
	}
	if page := r.get("/www.threads.net/@harbour.bakery", "").text; !strings.Contains(page, ">Day (UTC)<") {
		t.Error("the days of a profile have no time zone")
	}
}
