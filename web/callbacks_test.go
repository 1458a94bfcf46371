package web_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/sandbox"
)

// signedForm is what Meta sends about a person.
func signedForm(user string, at time.Time) string {
	encode := base64.RawURLEncoding.EncodeToString
	payload := encode(fmt.Appendf(nil, `{"algorithm":"HMAC-SHA256","user_id":%q,"issued_at":%d}`, user, at.Unix()))
	mac := hmac.New(sha256.New, []byte(sandbox.Credentials))
	mac.Write([]byte(payload))
	return url.Values{"signed_request": {encode(mac.Sum(nil)) + "." + payload}}.Encode()
}

// outside is a network: it has no cookie and comes from no page.
func (r *rig) outside() *browser {
	b := r.browser()
	b.header = http.Header{}
	return b
}

func TestNetworksCallWithoutASession(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	ws.Account("facebook", "Harbour Bakery")
	form := signedForm("10160384756102938", r.Clock.Now())
	if p := r.outside().send(http.MethodPost, "/callbacks/facebook/deauthorize", form).is(t, http.StatusOK); p.body != "" {
		t.Errorf("the answer is %q", p.body)
	}
	b := r.as(ws)
	account := b.get("/accounts").one(t, testid("account"))
	if status := attribute(account, "data-status"); status != "revoked" {
		t.Errorf("the accounts page shows %s", status)
	}

	p := r.outside().send(http.MethodPost, "/callbacks/facebook/data-deletion", form).is(t, http.StatusOK)
	var answer struct {
		URL  string `json:"url"`
		Code string `json:"confirmation_code"`
	}
	must(t, json.Unmarshal([]byte(p.body), &answer))
	path := strings.TrimPrefix(answer.URL, "http://localhost:8080")
	shown := r.browser().get(path).is(t, http.StatusOK)
	if done := attribute(shown.one(t, testid("erasure")), "data-done"); done != "no" ||
		textOf(shown.one(t, testid("code"))) != answer.Code {
		t.Errorf("before it is done, the page shows %s", shown.body)
	}
	if again := r.WorkErasures(); again != 0 {
		t.Errorf("again in %s", again)
	}
	shown = r.browser().get(path).is(t, http.StatusOK)
	if done := attribute(shown.one(t, testid("erasure")), "data-done"); done != "yes" {
		t.Errorf("after it is done, the page shows %s", shown.body)
	}
	for _, stranger := range []string{"nobody", "%00", "%ff", strings.Repeat("a", 5000)} {
		r.browser().get("/erasures/"+stranger).is(t, http.StatusNotFound)
	}
	if shown := b.get("/accounts"); len(shown.all(testid("account"))) != 0 {
		t.Error("an erased account is still listed")
	}
}

// What a stranger sends gets the same response, whatever is wrong with it.
func TestUnsignedCallsAreNotFound(t *testing.T) {
	t.Parallel()
	r := open(t, func(c *app.Config) { c.LimitAddress = app.Rate{Max: 2, Window: time.Minute} })
	form := signedForm("1", r.Clock.Now())
	for _, c := range []struct{ path, body string }{
		{"/callbacks/facebook/deauthorize", form[:len(form)-4]},
		{"/callbacks/facebook/deauthorize", ""},
		{"/callbacks/facebook/webhook", form},
		{"/callbacks/attic/deauthorize", form},
		{"/callbacks/youtube/deauthorize", form},
		{"/callbacks/tiktok/webhook", `{"client_key":"sandbox","event":"authorization.removed"}`},
	} {
		if p := r.outside().send(http.MethodPost, c.path, c.body).is(t, http.StatusNotFound); p.body != "" {
			t.Errorf("%s: %q", c.path, p.body)
		}
	}
	large := r.outside()
	large.peer = "192.0.2.2:1"
	large.send(http.MethodPost, "/callbacks/facebook/deauthorize", strings.Repeat("x", 65<<10)).
		is(t, http.StatusRequestEntityTooLarge)
	flood := r.outside()
	flood.peer = "192.0.2.1:1"
	for range 10 { // five pages for each request of the API
		flood.send(http.MethodPost, "/callbacks/facebook/deauthorize", "x").is(t, http.StatusNotFound)
	}
	flood.send(http.MethodPost, "/callbacks/facebook/deauthorize", form).is(t, http.StatusTooManyRequests)
}
