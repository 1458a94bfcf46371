package threadssim_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestConsentWindowRefusesWhatTheNetworkWould(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		change map[string]string
		words  string
	}{
		"unknown app":               {map[string]string{"client_id": "other"}, "4476002"},
		"no state":                  {map[string]string{"state": ""}, "state"},
		"implicit grant":            {map[string]string{"response_type": "token"}, "response_type"},
		"scope without the basics":  {map[string]string{"scope": "threads_content_publish"}, "threads_basic"},
		"scope of another network":  {map[string]string{"scope": "threads_basic,pages_show_list"}, "pages_show_list"},
		"relative redirect":         {map[string]string{"redirect_uri": "/callback"}, "absolute"},
		"http beyond loopback":      {map[string]string{"redirect_uri": "http://example.org/cb"}, "https"},
		"other scheme":              {map[string]string{"redirect_uri": "javascript:alert(1)"}, "absolute"},
		"redirect with a fragment":  {map[string]string{"redirect_uri": callback + "#x"}, "fragment"},
		"no redirect":               {map[string]string{"redirect_uri": ""}, "missing"},
		"misspelt parameter":        {map[string]string{"scopes": "threads_basic"}, "scopes"},
		"loopback lookalike domain": {map[string]string{"redirect_uri": "http://localhost.example.org/cb"}, "https"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := start(t).call("GET", "https://threads.com/oauth/authorize?"+authorize(c.change).Encode(), "", nil)
			if a.status != http.StatusBadRequest || !strings.Contains(a.body, c.words) {
				t.Errorf("answered %d without %q:\n%s", a.status, c.words, a.body)
			}
		})
	}
}

func TestConsentWindowOffersProfilesOnEveryBrowserHost(t *testing.T) {
	t.Parallel()
	r := start(t)
	for _, host := range []string{"threads.com", "threads.net", "www.threads.net", "www.threads.com"} {
		a := r.call("GET", "https://"+host+"/oauth/authorize?"+authorize(nil).Encode(), "", nil)
		for _, want := range []string{"Harbour Bakery", `action="/` + host + `/oauth/authorize"`, `name="username"`, `value="deny"`} {
			if a.status != http.StatusOK || !strings.Contains(a.body, want) {
				t.Errorf("%s answered %d without %q", host, a.status, want)
			}
		}
		csp := a.header.Get("Content-Security-Policy")
		if !strings.Contains(csp, "default-src 'none'") || strings.Contains(a.body, "<script") ||
			strings.Contains(a.body, " style=") {
			t.Errorf("%s: page needs more than its policy %q allows", host, csp)
		}
	}
}

func TestRefusalComesBackInTheNetworksWords(t *testing.T) {
	t.Parallel()
	a := start(t).call("POST", "https://threads.com/oauth/authorize", "", authorize(map[string]string{"decision": "deny"}))
	want := callback +
		"?error=access_denied&error_reason=user_denied&error_description=The+user+denied+your+request&state=st#_"
	if got := a.header.Get("Location"); got != want {
		t.Errorf("redirected to %s, want %s", got, want)
	}
}

func TestConsentComesBackWithACodeAndTheFragment(t *testing.T) {
	t.Parallel()
	v := authorize(map[string]string{"decision": "allow", "profile": "17841405793187218"})
	a := start(t).call("POST", "https://threads.com/oauth/authorize", "", v)
	if got := a.header.Get("Location"); !strings.HasPrefix(got, callback+"?code=AQ") ||
		!strings.HasSuffix(got, "&state=st#_") {
		t.Errorf("redirected to %s", got)
	}
}

func TestNobodyIsConnectedWithoutAChoice(t *testing.T) {
	t.Parallel()
	r := start(t)
	for _, change := range []map[string]string{
		{"decision": "allow"},
		{"decision": "allow", "profile": "12"},
		{"decision": "allow", "username": "no spaces please"},
		{"decision": "allow", "username": strings.Repeat("a", 31)},
	} {
		if a := r.call("POST", "https://threads.com/oauth/authorize", "", authorize(change)); a.status != http.StatusBadRequest {
			t.Errorf("%v answered %d", change, a.status)
		}
	}
}

func TestANewUsernameIsTheSamePersonEverySingleTime(t *testing.T) {
	t.Parallel()
	first, again, elsewhere := start(t), "", ""
	read := func(r *rig) string {
		return r.get("/v1.0/me?fields=id,username,name,threads_profile_picture_url", r.token("@New.Comer")).text("id")
	}
	id := read(first)
	again = read(first)
	elsewhere = read(start(t))
	if id != again || id != elsewhere || len(id) != 17 {
		t.Errorf("ids %s, %s, %s", id, again, elsewhere)
	}
}

func TestCodeExchange(t *testing.T) {
	t.Parallel()
	cases := map[string]func(r *rig, v url.Values){
		"wrong secret":      func(_ *rig, v url.Values) { v.Set("client_secret", "guess") },
		"wrong app":         func(_ *rig, v url.Values) { v.Set("client_id", "other") },
		"other redirect":    func(_ *rig, v url.Values) { v.Set("redirect_uri", callback+"/") },
		"no grant type":     func(_ *rig, v url.Values) { v.Del("grant_type") },
		"unknown code":      func(_ *rig, v url.Values) { v.Set("code", "AQnope") },
		"code of yesterday": func(r *rig, _ url.Values) { r.clock.forward(time.Hour) },
		"a stray parameter": func(_ *rig, v url.Values) { v.Set("state", "st") },
		"used before":       func(r *rig, v url.Values) { r.post("/oauth/access_token", "", v) },
	}
	for name, spoil := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t)
			v := exchange(r.code("harbour.bakery", allScopes))
			spoil(r, v)
			a := r.post("/oauth/access_token", "", v)
			if a.status != http.StatusBadRequest || a.json["error_type"] != "OAuthException" || a.json["error_message"] == "" {
				t.Errorf("answered %d %s", a.status, a.body)
			}
			if a.json["access_token"] != nil {
				t.Error("a token was handed out all the same")
			}
		})
	}
}

func TestExchangeAnswersTheIDAsABigNumber(t *testing.T) {
	t.Parallel()
	r := start(t)
	a := r.post("/oauth/access_token", "", exchange(r.code("harbour.bakery", allScopes)))
	if !strings.Contains(a.body, `"user_id":17841405793187218`) {
		t.Errorf("answer %s", a.body)
	}
	if me := r.get("/v1.0/me", a.text("access_token")); me.text("id") != "17841405793187218" {
		t.Errorf("profile %s", me.body)
	}
}
