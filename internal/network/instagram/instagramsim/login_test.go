package instagramsim_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"belfry/internal/network/instagram/instagramsim"
	"belfry/internal/network/sim"
)

func TestConsentWindowRefusesWhatTheNetworkWould(t *testing.T) {
	t.Parallel()
	for words, change := range map[string]url.Values{
		"Invalid platform app":                 {"client_id": {"other"}},
		"state is missing":                     {"state": {""}},
		"must include instagram_business":      {"scope": {"instagram_business_content_publish"}},
		"Invalid scopes: instagram_basic":      {"scope": {"instagram_basic"}},
		"response_type":                        {"response_type": {"token"}},
		"does not accept the parameter prompt": {"prompt": {"consent"}},
	} {
		v := consent(change)
		v.Del("decision")
		a := start(t).call("GET", window+"?"+v.Encode(), "", nil)
		if a.status != http.StatusBadRequest || !strings.Contains(a.body, words) {
			t.Errorf("want %q, answered %d", words, a.status)
		}
	}
	r := start(t)
	v := consent(url.Values{"enable_fb_login": {"0"}, "force_reauth": {"1"}})
	v.Del("decision")
	for _, host := range []string{"www.instagram.com", "api.instagram.com"} {
		a := r.call("GET", "https://"+host+"/oauth/authorize?"+v.Encode(), "", nil)
		if a.status != http.StatusOK || !strings.Contains(a.body, "Harbour Bakery") || !strings.Contains(a.body, "personal") {
			t.Errorf("%s answered %d", host, a.status)
		}
	}
	denied := r.call("POST", window, "", consent(url.Values{"decision": {"deny"}})).header.Get("Location")
	want := callback + "?error=access_denied&error_reason=user_denied&error_description=The+user+denied+your+request&state=st#_"
	if denied != want {
		t.Errorf("a refusal goes to %s", denied)
	}
}

func TestTokensOfTheOwnLogin(t *testing.T) {
	t.Parallel()
	r := start(t)
	code := r.code(window, consent(url.Values{"profile": {"17841405309217644"}}))
	const token = "https://api.instagram.com/oauth/access_token"
	a := r.call("POST", token, "", exchange("AQmadeup"))
	if a.status != 400 || a.json["error_type"] != "OAuthException" || a.json["error_message"] == "" {
		t.Errorf("a made-up code: %s", a.body)
	}
	r.option(instagramsim.OptExchange, instagramsim.AnswerObject)
	a = r.call("POST", token, "", exchange(code))
	if a.text("permissions") != ownScopes || a.text("user_id") == "17841405309217644" {
		t.Errorf("exchange: %s", a.body)
	}
	if again := r.call("POST", token, "", exchange(code)); again.status != 400 {
		t.Errorf("a used code: %s", again.body)
	}
	short := a.text("access_token")
	get := func(path, token string) answer { return r.call("GET", ownGraph+path, token, nil) }
	a = get("/access_token?grant_type=ig_exchange_token&client_secret=secret", short)
	if a.json["expires_in"] != json.Number("5184000") {
		t.Errorf("long token: %s", a.body)
	}
	long := a.text("access_token")
	const refresh = "/refresh_access_token?grant_type=ig_refresh_token"
	get(refresh, short).refused("100", "", "long-lived")
	get(refresh, long).refused("100", "", "24 hours")
	r.forward(day)
	get("/v26.0/me", short).refused("190", "463", "expired")
	newer := get(refresh, long).text("access_token")
	r.forward(59 * day)
	get(refresh, long).refused("190", "463", "expired")
	if a := get("/v26.0/me?fields=username", newer); a.text("username") != "harbour.bakery" {
		t.Errorf("the renewed token: %s", a.body)
	}
	get("/me", newer).refused("2635", "", "without a version")
	get("/v20.0/me", newer).refused("2635", "", "deprecated")
	get("/v26.0/me", "IGAAnonsense").refused("190", "", "Cannot parse")
}

func TestOnlyProfessionalAccountsPublish(t *testing.T) {
	t.Parallel()
	r := start(t)
	u := r.own("maren.writes")
	a := u.get("me?fields=id,user_id,username,name,account_type,profile_picture_url,followers_count,media_count")
	if a.text("account_type") != "PERSONAL" || a.text("id") == a.text("user_id") {
		t.Errorf("profile: %s", a.body)
	}
	u.post(u.id+"/media", url.Values{"image_url": {mediaHost(t) + "/a.jpg"}}).refused("10", "", "professional")
	u.get("me/media").refused("10", "", "professional")
	r.option(instagramsim.OptAccountType, "MEDIA_CREATOR")
	if a := r.own("a.newcomer").get("me?fields=account_type"); a.text("account_type") != "MEDIA_CREATOR" {
		t.Errorf("profile: %s", a.body)
	}
	withheld := url.Values{"username": {"harbour.bakery"}, "withhold": {"instagram_business_content_publish"}}
	reader := user{rig: r, graph: ownGraph, token: r.long(withheld), id: "me"}
	reader.post("me/media", url.Values{"image_url": {"x"}}).refused("10", "", "instagram_business_content_publish")
	reader.get("me/media").succeeds()
}

func (a answer) succeeds() {
	a.Helper()
	if a.status != http.StatusOK {
		a.Errorf("answered %d %s", a.status, a.body)
	}
}

func TestAccountsOfPages(t *testing.T) {
	t.Parallel()
	r := start(t)
	person := r.person(bakery, cycles, choir)
	a := person.get("me/accounts?fields=id,access_token,tasks,instagram_business_account{id,username,followers_count}")
	linked := map[string]map[string]any{}
	tokens := map[string]string{}
	for _, node := range a.json["data"].([]any) {
		page := node.(map[string]any)
		account, _ := page["instagram_business_account"].(map[string]any)
		linked[page["id"].(string)], tokens[page["id"].(string)] = account, page["access_token"].(string)
	}
	if linked[bakery]["username"] != "harbour.bakery" || linked[cycles] != nil || linked[choir]["username"] != "old.mill.choir" {
		t.Errorf("linked accounts: %s", a.body)
	}
	image := url.Values{"image_url": {mediaHost(t) + "/a.jpg"}}
	id, _ := linked[choir]["id"].(string)
	singer := user{rig: r, graph: pageGraph, token: tokens[choir], id: id}
	singer.post(id+"/media", image).refused("10", "", "linked Page")
	if a := singer.get(id + "?fields=username"); a.text("username") != "old.mill.choir" {
		t.Errorf("profile: %s", a.body)
	}
	bakers, _ := linked[bakery]["id"].(string)
	singer.get(bakers).refused("100", "33", "does not exist")
	person.get(bakers+"?fields=account_type").refused("100", "", "nonexisting field (account_type)")
	if id := person.post(bakers+"/media", image).text("id"); id == "" {
		t.Error("the person's own token does not publish")
	}
	permissions := person.get("me/permissions").body
	if !strings.Contains(permissions, `{"permission":"instagram_basic","status":"granted"}`) {
		t.Errorf("permissions: %s", permissions)
	}
	d := person.call("GET", pageGraph+"/v26.0/debug_token?input_token="+person.token, "app|secret", nil)
	if data := d.json["data"].(map[string]any); data["is_valid"] != true || !strings.Contains(d.body, "instagram_content_publish") {
		t.Errorf("debug_token: %s", d.body)
	}
	person.call("DELETE", pageGraph+"/v26.0/me/permissions", person.token, nil).succeeds()
	singer.get(id).refused("190", "458", "not authorized")
}

func TestBothLoginsReachTheSameAccount(t *testing.T) {
	t.Parallel()
	r := start(t)
	own, linked := r.own("harbour.bakery"), r.linked(bakery)
	if own.id != linked.id {
		t.Errorf("ids %s and %s", own.id, linked.id)
	}
	id := own.create(url.Values{"image_url": {mediaHost(t) + "/a.jpg"}})
	media := linked.publish(id).text("id")
	if a := own.get(media + "?fields=id"); a.text("id") != media {
		t.Errorf("read back %s", a.body)
	}
	if got := r.kit.Posts.All(); len(got) != 1 || got[0].Network != "instagram" {
		t.Errorf("visible %+v", got)
	}
}

func TestFaultsHitCallsOfTheSharedLoginToo(t *testing.T) {
	t.Parallel()
	r := start(t)
	u := r.linked(bakery)
	if _, err := r.kit.Faults.Add(sim.Fault{Network: "instagram", Call: "profile", Kind: sim.TokenRevoked, Subcode: 460}); err != nil {
		t.Fatal(err)
	}
	u.get("me").refused("190", "460", "changed their password")
	u.get(u.id).refused("190", "460", "")
}

func TestSecretProofIsCheckedAtBothHosts(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, u user) {
		u.get("me?appsecret_proof="+strings.Repeat("0", 64)).refused("100", "", "Invalid appsecret_proof")
	})
}

func TestRedirectsToAnyoneOtherAreRefused(t *testing.T) {
	t.Parallel()
	r := start(t)
	v := exchange(r.code(window, consent(url.Values{"username": {"harbour.bakery"}})))
	v.Set("redirect_uri", callback+"/")
	a := r.call("POST", "https://api.instagram.com/oauth/access_token", "", v)
	if a.status != 400 || !strings.Contains(a.body, "redirect_uri") {
		t.Errorf("another way back: %s", a.body)
	}
	v.Set("redirect_uri", callback)
	r.forward(time.Hour)
	if a := r.call("POST", "https://api.instagram.com/oauth/access_token", "", v); a.status != 400 {
		t.Errorf("a code of an hour ago: %s", a.body)
	}
}
