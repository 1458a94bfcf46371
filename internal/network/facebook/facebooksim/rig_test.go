package facebooksim_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"belfry/internal/network/facebook/facebooksim"
	"belfry/internal/network/sim"
)

const (
	callback    = "http://localhost:8080/accounts/callback/facebook"
	graph       = "https://graph.facebook.com/v26.0"
	dialog      = "https://www.facebook.com/v26.0/dialog/oauth"
	bakery      = "104758391620475"
	cycles      = "118203947561038"
	choir       = "126650918347205"
	knownScopes = "pages_show_list,pages_read_engagement,pages_manage_posts,pages_read_user_content"
)

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
	net   *facebooksim.Sim
	clock *clock
}

func start(t *testing.T) *rig { t.Helper(); return startAt(t, "") }

func startAt(t *testing.T, journal string) *rig {
	t.Helper()
	c := &clock{at: time.Date(2026, 9, 25, 8, 0, 0, 0, time.UTC)}
	kit, err := sim.New(sim.Config{ClientID: "app", ClientSecret: "secret", Now: c.now, JournalPath: journal})
	if err != nil {
		t.Fatal(err)
	}
	net, err := facebooksim.New(kit)
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

// call sends a request to a real address; v nil means no body.
func (r *rig) call(method, address, token string, v url.Values) answer {
	r.t.Helper()
	req := httptest.NewRequestWithContext(r.t.Context(), method, address, strings.NewReader(v.Encode()))
	if v != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return r.send(req)
}

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
		a.t.Fatalf("no text %q in %d %s", key, a.status, a.body)
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
}

func authorize(change map[string]string) url.Values {
	v := url.Values{
		"client_id": {"app"}, "redirect_uri": {callback}, "scope": {knownScopes}, "response_type": {"code"}, "state": {"st"},
	}
	for name, value := range change {
		v.Set(name, value)
		if value == "" {
			v.Del(name)
		}
	}
	return v
}

// code goes through the dialog with everything granted for some Pages.
func (r *rig) code(pages ...string) string {
	r.t.Helper()
	v := authorize(map[string]string{"decision": "allow"})
	v["page"], v["grant"] = pages, strings.Split(knownScopes, ",")
	return r.codeFor(v)
}

func (r *rig) codeFor(v url.Values) string {
	r.t.Helper()
	a := r.call("POST", dialog, "", v)
	back, err := url.Parse(a.header.Get("Location"))
	if a.status != http.StatusFound || err != nil {
		r.t.Fatalf("dialog answered %d %s, %v", a.status, a.body, err)
	}
	return back.Query().Get("code")
}

func exchange(code string) url.Values {
	return url.Values{"client_id": {"app"}, "client_secret": {"secret"}, "code": {code}, "redirect_uri": {callback}}
}

func (r *rig) short(pages ...string) string {
	r.t.Helper()
	return r.get("/oauth/access_token?"+exchange(r.code(pages...)).Encode(), "").text("access_token")
}

func lengthen(token string) url.Values {
	return url.Values{
		"client_id": {"app"}, "client_secret": {"secret"}, "grant_type": {"fb_exchange_token"}, "fb_exchange_token": {token},
	}
}

// user signs the person in for 60 days.
func (r *rig) user(pages ...string) string {
	r.t.Helper()
	return r.get("/oauth/access_token?"+lengthen(r.short(pages...)).Encode(), "").text("access_token")
}

// page returns the token of a Page.
func (r *rig) page(id string) string {
	r.t.Helper()
	return r.pageOf(r.user(id))
}

func (r *rig) pageOf(user string) string {
	r.t.Helper()
	a := r.get("/me/accounts", user)
	token, _ := a.json["data"].([]any)[0].(map[string]any)["access_token"].(string)
	return token
}

func proof(token string) string {
	mac := hmac.New(sha256.New, []byte("secret"))
	mac.Write([]byte(token))
	return hex.EncodeToString(mac.Sum(nil))
}
