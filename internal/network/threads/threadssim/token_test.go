package threadssim_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"
	"time"
)

const day = 24 * time.Hour

func TestTokensLiveAsLongAsDocumented(t *testing.T) {
	t.Parallel()
	r := start(t)
	short, long := r.short("harbour.bakery", allScopes), r.token("harbour.bakery")

	r.clock.forward(time.Hour - time.Second)
	if a := r.get("/v1.0/me", short); a.status != http.StatusOK {
		t.Errorf("a token of one hour died early: %s", a.body)
	}
	r.clock.forward(time.Second)
	r.get("/v1.0/me", short).refused("190", "463", "Session has expired")
	r.get("/access_token?grant_type=th_exchange_token&client_secret=secret", short).refused("190", "463", "expired")

	r.clock.forward(60*day - time.Hour)
	r.get("/v1.0/me", long).refused("190", "463", "Session has expired")
	r.get("/refresh_access_token?grant_type=th_refresh_token", long).refused("190", "463", "expired")
}

func TestRefreshIsForTokensOfADayAndMore(t *testing.T) {
	t.Parallel()
	r := start(t)
	long := r.token("harbour.bakery")
	path := "/refresh_access_token?grant_type=th_refresh_token"

	r.clock.forward(day - time.Second)
	r.get(path, long).refused("100", "", "24 hours")
	r.clock.forward(time.Second)
	a := r.get(path, long)
	if n := a.json["expires_in"]; n != json.Number("5184000") || a.json["token_type"] != "bearer" {
		t.Errorf("answer %s", a.body)
	}
	r.clock.forward(59*day + time.Hour)
	if me := r.get("/v1.0/me", a.text("access_token")); me.status != http.StatusOK {
		t.Errorf("the refreshed token has no 60 days: %s", me.body)
	}
}

func TestTokenCallsRefuseWhatTheyShould(t *testing.T) {
	t.Parallel()
	r := start(t)
	short, long := r.short("harbour.bakery", allScopes), r.token("harbour.bakery")
	r.get("/access_token?grant_type=th_exchange_token&client_secret=secret", long).refused("452", "",
		"Session key invalid")
	r.get("/access_token?grant_type=th_exchange_token&client_secret=guess", short).refused("101", "", "secret")
	r.get("/access_token?grant_type=ig_exchange_token&client_secret=secret", short).refused("100", "", "grant_type")
	r.get("/refresh_access_token?grant_type=th_refresh_token", short).refused("100", "", "long-lived")
	r.get("/v1.0/me", "THQnonsense").refused("190", "", "Cannot parse")
	r.get("/v1.0/me", "").refused("190", "", "required")
}

func TestDebugTokenTellsTheDeadFromTheLiving(t *testing.T) {
	t.Parallel()
	r := start(t)
	old, fresh := r.token("harbour.bakery"), ""
	data := func(token string) map[string]any {
		a := r.get("/v1.0/debug_token?input_token="+token, fresh)
		return a.json["data"].(map[string]any)
	}
	fresh = old
	if d := data(old); d["is_valid"] != true || d["user_id"] != "17841405793187218" || len(d["scopes"].([]any)) != 3 {
		t.Errorf("living token: %v", d)
	}
	r.clock.forward(61 * day)
	fresh = r.token("maren.writes")
	ends, err := data(old)["expires_at"].(json.Number).Int64()
	if d := data(old); d["is_valid"] != false || err != nil || ends >= r.clock.now().Unix() {
		t.Errorf("dead token: %v", d)
	}
	if d := data("unknown"); d["is_valid"] != false {
		t.Errorf("unknown token: %v", d)
	}
	r.get("/v1.0/debug_token?input_token="+fresh, old).refused("190", "463", "expired")
}

func TestScopesAreHeldTo(t *testing.T) {
	t.Parallel()
	r := start(t)
	token := r.short("harbour.bakery", "threads_basic")
	r.post("/v1.0/me/threads", token, words("hello")).refused("10", "", "threads_content_publish")
	r.post("/v1.0/me/threads_publish", token, url.Values{"creation_id": {"1"}}).refused("10", "",
		"threads_content_publish")
	r.get("/v1.0/me/threads_publishing_limit?fields=quota_usage", token).refused("10", "", "threads_content_publish")

	id := r.publish(r.token("harbour.bakery"), "hello")
	r.call("DELETE", graph+"/v1.0/"+id, token, nil).refused("10", "", "threads_delete")
	if a := r.get("/v1.0/me/threads", token); a.status != http.StatusOK {
		t.Errorf("the basics do not cover reading: %s", a.body)
	}
}
