package threadssim_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"belfry/internal/network/sim"
	"belfry/internal/network/threads/threadssim"
)

const callback = "http://127.0.0.1:8080/accounts/callback/threads"

// clock is a clock that the test moves.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) forward(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(by)
}

type rig struct {
	t     *testing.T
	kit   *sim.Kit
	net   *threadssim.Sim
	clock *clock
}

func start(t *testing.T) *rig { t.Helper(); return startAt(t, "") }

func startAt(t *testing.T, journal string) *rig {
	t.Helper()
	c := &clock{at: time.Date(2026, 9, 1, 8, 0, 0, 0, time.UTC)}
	kit, err := sim.New(sim.Config{ClientID: "app", ClientSecret: "secret", Now: c.now, JournalPath: journal})
	if err != nil {
		t.Fatal(err)
	}
	net, err := threadssim.New(kit)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = kit.Close() })
	return &rig{t: t, kit: kit, net: net, clock: c}
}

type answer struct {
	t      *testing.T
	status int
	header http.Header
	body   string
	json   map[string]any
}

// call sends a request to a real address; body nil means none.
func (r *rig) call(method, address, token string, body url.Values) answer {
	r.t.Helper()
	req := httptest.NewRequestWithContext(r.t.Context(), method, address, strings.NewReader(body.Encode()))
	if body != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return r.send(req)
}

func (r *rig) send(req *http.Request) answer {
	r.t.Helper()
	w := httptest.NewRecorder()
	r.net.ServeHTTP(w, req)
	a := answer{t: r.t, status: w.Code, header: w.Header(), body: w.Body.String()}
	if strings.HasPrefix(w.Header().Get("Content-Type"), "application/json") {
		d := json.NewDecoder(w.Body)
		d.UseNumber()
		if err := d.Decode(&a.json); err != nil {
			r.t.Fatalf("answer is no JSON: %v\n%s", err, a.body)
		}
	}
	return a
}

const graph = "https://graph.threads.net"

func (r *rig) get(path, token string) answer {
	r.t.Helper()
	return r.call("GET", graph+path, token, nil)
}

func (r *rig) post(path, token string, v url.Values) answer {
	r.t.Helper()
	return r.call("POST", graph+path, token, v)
}

func (a answer) text(key string) string {
	a.t.Helper()
	s, ok := a.json[key].(string)
	if !ok {
		a.t.Fatalf("no text %q in %s", key, a.body)
	}
	return s
}

// refused checks code, subcode and a part of the message.
func (a answer) refused(code, subcode, words string) {
	a.t.Helper()
	e, ok := a.json["error"].(map[string]any)
	if !ok {
		a.t.Fatalf("want error %s/%s, got %d %s", code, subcode, a.status, a.body)
	}
	gotSub := ""
	if n, ok := e["error_subcode"].(json.Number); ok {
		gotSub = n.String()
	}
	if got := e["code"].(json.Number).String(); got != code || gotSub != subcode {
		a.t.Errorf("error %s/%s, want %s/%s: %s", got, gotSub, code, subcode, a.body)
	}
	if !strings.Contains(e["message"].(string), words) {
		a.t.Errorf("message %q does not say %q", e["message"], words)
	}
	if a.status < 400 || e["fbtrace_id"] == "" {
		a.t.Errorf("status %d, trace %v", a.status, e["fbtrace_id"])
	}
}

func authorize(change map[string]string) url.Values {
	v := url.Values{
		"client_id": {"app"}, "redirect_uri": {callback}, "scope": {"threads_basic,threads_content_publish,threads_delete"},
		"response_type": {"code"}, "state": {"st"},
	}
	for name, value := range change {
		v.Set(name, value)
		if value == "" {
			v.Del(name)
		}
	}
	return v
}

// code goes through the consent window and returns the code.
func (r *rig) code(username, scope string) string {
	r.t.Helper()
	v := authorize(map[string]string{"decision": "allow", "username": username, "scope": scope})
	a := r.call("POST", "https://threads.com/oauth/authorize", "", v)
	if a.status != http.StatusFound {
		r.t.Fatalf("consent answered %d %s", a.status, a.body)
	}
	back, err := url.Parse(a.header.Get("Location"))
	if err != nil {
		r.t.Fatal(err)
	}
	return back.Query().Get("code")
}

func exchange(code string) url.Values {
	return url.Values{
		"client_id": {"app"}, "client_secret": {"secret"}, "code": {code}, "grant_type": {"authorization_code"},
		"redirect_uri": {callback},
	}
}

func (r *rig) short(username, scope string) string {
	r.t.Helper()
	return r.post("/oauth/access_token", "", exchange(r.code(username, scope))).text("access_token")
}

const allScopes = "threads_basic,threads_content_publish,threads_delete"

// token signs a profile in for 60 days.
func (r *rig) token(username string) string {
	r.t.Helper()
	a := r.get("/access_token?grant_type=th_exchange_token&client_secret=secret", r.short(username, allScopes))
	return a.text("access_token")
}

func words(text string) url.Values { return url.Values{"media_type": {"TEXT"}, "text": {text}} }

func (r *rig) publish(token, text string) string {
	r.t.Helper()
	id := r.post("/v1.0/me/threads", token, words(text)).text("id")
	return r.post("/v1.0/me/threads_publish", token, url.Values{"creation_id": {id}}).text("id")
}
