package facebooksim_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"belfry/internal/network/facebook/facebooksim"
	"belfry/internal/network/sim"
)

const day = 24 * time.Hour

func TestDialogRefusesWhatTheNetworkWould(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		change map[string]string
		words  string
	}{
		"unknown app":              {map[string]string{"client_id": "other"}, "App ID"},
		"no state":                 {map[string]string{"state": ""}, "state"},
		"implicit grant":           {map[string]string{"response_type": "token"}, "response_type"},
		"no scope":                 {map[string]string{"scope": ""}, "scope"},
		"scope of another network": {map[string]string{"scope": "threads_basic"}, "threads_basic"},
		"http beyond loopback":     {map[string]string{"redirect_uri": "http://192.168.1.2/cb"}, "https"},
		"misspelt parameter":       {map[string]string{"scopes": "x"}, "scopes"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := start(t).call("GET", dialog+"?"+authorize(c.change).Encode(), "", nil)
			if a.status != http.StatusBadRequest || !strings.Contains(a.body, c.words) {
				t.Errorf("answered %d without %q:\n%s", a.status, c.words, a.body)
			}
		})
	}
	for _, version := range []string{"v20.0", "v9.0", "v27.0", "x"} {
		a := start(t).call("GET", strings.Replace(dialog, "v26.0", version, 1)+"?"+authorize(nil).Encode(), "", nil)
		if a.status != http.StatusBadRequest || !strings.Contains(a.body, "2635") {
			t.Errorf("version %s answered %d", version, a.status)
		}
	}
}

func TestDialogShowsThePages(t *testing.T) {
	t.Parallel()
	a := start(t).call("GET", dialog+"?"+authorize(nil).Encode(), "", nil)
	for _, want := range []string{
		"Harbour Bakery", "Old Mill Choir", "see only statistics", `action="/www.facebook.com/v26.0/dialog/oauth"`, `name="newPage"`,
		`value="pages_manage_posts"`, `value="deny"`,
	} {
		if !strings.Contains(a.body, want) {
			t.Errorf("the dialog lacks %q", want)
		}
	}
}

func TestAnswersOfTheDialog(t *testing.T) {
	t.Parallel()
	r := start(t)
	denied := r.call("POST", dialog, "", authorize(map[string]string{"decision": "deny"})).header.Get("Location")
	want := callback +
		"?error=access_denied&error_code=200&error_description=Permissions+error&error_reason=user_denied&state=st#_=_"
	if denied != want {
		t.Errorf("refusal goes to %s, want %s", denied, want)
	}
	v := authorize(map[string]string{"decision": "allow"})
	v["page"] = []string{bakery, cycles}
	granted := r.call("POST", dialog, "", v).header.Get("Location")
	if !strings.HasPrefix(granted, callback+"?code=AQ") || !strings.HasSuffix(granted, "&state=st#_=_") {
		t.Errorf("consent goes to %s", granted)
	}
	v["page"] = []string{"1"}
	if a := r.call("POST", dialog, "", v); a.status != http.StatusBadRequest {
		t.Errorf("a Page unheard of answered %d", a.status)
	}
}

func TestCodeExchange(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		spoil         func(r *rig, v url.Values)
		code, subcode string
	}{
		"wrong secret":      {func(_ *rig, v url.Values) { v.Set("client_secret", "guess") }, "101", ""},
		"wrong app":         {func(_ *rig, v url.Values) { v.Set("client_id", "other") }, "101", ""},
		"other redirect":    {func(_ *rig, v url.Values) { v.Set("redirect_uri", callback+"/") }, "100", "36008"},
		"unknown code":      {func(_ *rig, v url.Values) { v.Set("code", "AQnope") }, "100", ""},
		"code of yesterday": {func(r *rig, _ url.Values) { r.clock.forward(time.Hour) }, "100", "36007"},
		"a stray parameter": {func(_ *rig, v url.Values) { v.Set("state", "st") }, "100", ""},
		"used before":       {func(r *rig, v url.Values) { r.post("/oauth/access_token", "", v) }, "100", "36009"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t)
			v := exchange(r.code(bakery))
			c.spoil(r, v)
			r.post("/oauth/access_token", "", v).refused(c.code, c.subcode, "")
		})
	}
}

func TestLifeOfTokens(t *testing.T) {
	t.Parallel()
	r := start(t)
	short, user := r.short(bakery), r.user(bakery)
	shortPage, page := r.pageOf(short), r.pageOf(user)
	r.clock.forward(2 * time.Hour)
	r.get("/me", short).refused("190", "463", "expired")
	r.get("/me", shortPage).refused("190", "463", "expired")
	r.get("/oauth/access_token?"+lengthen(short).Encode(), "").refused("190", "463", "expired")

	longer := r.get("/oauth/access_token?"+lengthen(user).Encode(), "").text("access_token")
	r.clock.forward(60 * day)
	r.get("/me", user).refused("190", "463", "expired")
	r.get("/me", longer).refused("190", "463", "expired")
	if a := r.get("/me?fields=id,name", page); a.text("id") != bakery {
		t.Errorf("a Page token ended with its parent: %s", a.body)
	}
}

func TestAccountsAreThePagesThatWereTicked(t *testing.T) {
	t.Parallel()
	r := start(t)
	user := r.user(bakery, choir, cycles)
	fields := "?fields=id,name,username,access_token,tasks,picture.type(large){url},followers_count&limit=2"
	first := r.get("/me/accounts"+fields, user)
	second := r.call("GET", first.json["paging"].(map[string]any)["next"].(string), user, nil)
	pages := append(first.json["data"].([]any), second.json["data"].([]any)...)
	if len(pages) != 3 || second.json["paging"].(map[string]any)["next"] != nil {
		t.Fatalf("pages %s %s", first.body, second.body)
	}
	names, tokens := []string{}, map[string]bool{}
	for _, p := range pages {
		node := p.(map[string]any)
		names = append(names, node["name"].(string))
		tokens[node["access_token"].(string)] = true
	}
	if !slices.Equal(names, []string{"Harbour Bakery", "Old Mill Choir", "Night Owl Cycles"}) || len(tokens) != 3 {
		t.Errorf("names %v, %d tokens", names, len(tokens))
	}
	looker := pages[1].(map[string]any)
	if tasks := looker["tasks"].([]any); len(tasks) != 1 || tasks[0] == "CREATE_CONTENT" {
		t.Errorf("tasks %v", tasks)
	}
	if _, has := pages[2].(map[string]any)["username"]; has {
		t.Error("a Page without a username has one")
	}
	if again := r.get("/me/accounts"+fields, user); again.body != first.body {
		t.Error("asking again answers other tokens")
	}
	r.get("/me/accounts?limit=101", user).refused("100", "", "limit")
	r.get("/me/accounts?fields=secret", user).refused("100", "", "nonexisting field (secret)")
}

func TestDeclinedPermissionsAreDeclined(t *testing.T) {
	t.Parallel()
	r := start(t)
	v := authorize(map[string]string{"decision": "allow"})
	v["page"], v["grant"] = []string{bakery}, []string{"pages_show_list", "pages_read_engagement"}
	user := r.get("/oauth/access_token?"+exchange(r.codeFor(v)).Encode(), "").text("access_token")
	status := map[string]string{}
	for _, p := range r.get("/me/permissions", user).json["data"].([]any) {
		entry := p.(map[string]any)
		status[entry["permission"].(string)] = entry["status"].(string)
	}
	if status["pages_show_list"] != "granted" || status["pages_manage_posts"] != "declined" ||
		status["public_profile"] != "granted" {
		t.Errorf("permissions %v", status)
	}
	page := r.pageOf(user)
	r.post("/me/feed", page, url.Values{"message": {"hello"}}).refused("200", "", "pages_manage_posts")
	r.get("/me/feed", page).refused("10", "", "pages_read_user_content")

	v["grant"] = nil
	bare := r.get("/oauth/access_token?"+exchange(r.codeFor(v)).Encode(), "").text("access_token")
	r.get("/me/accounts", bare).refused("10", "", "pages_show_list")
}

func TestGivingBackConsentEndsAllTokens(t *testing.T) {
	t.Parallel()
	r := start(t)
	user, page := r.user(bakery), r.page(cycles)
	if a := r.call("DELETE", graph+"/me/permissions", user, nil); a.json["success"] != true {
		t.Fatalf("answered %s", a.body)
	}
	r.get("/me", user).refused("190", "458", "not authorized")
	r.get("/me", page).refused("190", "458", "not authorized")
	if a := r.get("/me", r.user(bakery)); a.status != http.StatusOK {
		t.Errorf("a new consent does not work: %s", a.body)
	}
}

func TestDebugToken(t *testing.T) {
	t.Parallel()
	r := start(t)
	user := r.user(bakery)
	page := r.pageOf(user)
	data := func(token string) map[string]any {
		return r.get("/debug_token?input_token="+token, "app|secret").json["data"].(map[string]any)
	}
	if d := data(user); d["type"] != "USER" || d["is_valid"] != true || d["app_id"] != "app" ||
		d["expires_at"] == json.Number("0") {
		t.Errorf("user token %v", d)
	}
	if d := data(page); d["type"] != "PAGE" || d["profile_id"] != bakery || d["expires_at"] != json.Number("0") {
		t.Errorf("page token %v", d)
	}
	if _, err := r.kit.Faults.Add(sim.Fault{Call: "profile", Kind: sim.TokenRevoked, Subcode: 460}); err != nil {
		t.Fatal(err)
	}
	r.get("/me", page).refused("190", "460", "changed their password")
	d := data(page)
	if e := d["error"].(map[string]any); d["is_valid"] != false || e["subcode"] != json.Number("460") {
		t.Errorf("dead token %v", d)
	}
	if d := data("unknown"); d["is_valid"] != false {
		t.Errorf("unknown token %v", d)
	}
	r.get("/debug_token?input_token="+page, "app|guess").refused("190", "", "Cannot parse")
	r.clock.forward(61 * day)
	if d := data(user); d["is_valid"] != false || d["error"].(map[string]any)["subcode"] != json.Number("463") {
		t.Errorf("expired token %v", d)
	}
}

func TestSecretProof(t *testing.T) {
	t.Parallel()
	r := start(t)
	page := r.page(bakery)
	if a := r.get("/me?appsecret_proof="+proof(page), page); a.status != http.StatusOK {
		t.Errorf("a right proof was refused: %s", a.body)
	}
	r.get("/me?appsecret_proof="+proof("other"), page).refused("100", "", "Invalid appsecret_proof")
	if err := r.kit.SetOption(facebooksim.OptProof, facebooksim.On); err != nil {
		t.Fatal(err)
	}
	r.get("/me", page).refused("100", "", "require an appsecret_proof")
	v := url.Values{"message": {"proved"}, "appsecret_proof": {proof(page)}}
	if a := r.post("/me/feed", page, v); a.status != http.StatusOK {
		t.Errorf("a right proof in the body was refused: %s", a.body)
	}
}

func TestVersions(t *testing.T) {
	t.Parallel()
	r := start(t)
	page := r.page(bakery)
	for version, ok := range map[string]bool{
		"v26.0": true, "v25.0": true, "v21.0": true, "v20.0": false, "v2.0": false, "v27.0": false, "v26": false, "me": false,
	} {
		a := r.call("GET", "https://graph.facebook.com/"+version+"/me", page, nil)
		if ok && a.status != http.StatusOK {
			t.Errorf("%s was refused: %s", version, a.body)
		}
		if !ok {
			a.refused("2635", "", "ersion")
		}
	}
	r.call("GET", "https://graph.facebook.com/me", page, nil).refused("2635", "", "without a version")
}
