package facebooksim_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"belfry/internal/network/facebook/facebooksim"
	"belfry/internal/network/sim"
)

func TestFeedRules(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		params              url.Values
		code, subcode, says string // empty code: accepted
	}{
		"a text":                   {url.Values{"message": {"hello"}}, "", "", ""},
		"a link alone":             {url.Values{"link": {"https://example.org/a?b=c"}}, "", "", ""},
		"neither":                  {url.Values{}, "100", "", "Missing message"},
		"blank":                    {url.Values{"message": {" \n"}}, "100", "", "Missing message"},
		"63,206 characters":        {url.Values{"message": {strings.Repeat("ж", 63_206)}}, "", "", ""},
		"63,207 characters":        {url.Values{"message": {strings.Repeat("ж", 63_207)}}, "100", "", "63206"},
		"broken UTF-8":             {url.Values{"message": {"a\xff"}}, "100", "", "UTF-8"},
		"a link to Facebook":       {url.Values{"link": {"https://m.facebook.com/x"}}, "100", "1609008", "Facebook"},
		"its short form":           {url.Values{"link": {"https://fb.me/x"}}, "100", "1609008", "Facebook"},
		"a lookalike of it":        {url.Values{"link": {"https://notfacebook.com/x"}}, "", "", ""},
		"a link that is none":      {url.Values{"link": {"example"}}, "100", "2061006", "invalid"},
		"an empty link":            {url.Values{"message": {"a"}, "link": {""}}, "100", "2061006", "invalid"},
		"a link of another scheme": {url.Values{"link": {"ftp://example.org"}}, "100", "2061006", "invalid"},
		"a link nobody can fetch":  {url.Values{"link": {"https://nowhere.invalid/"}}, "100", "1609005", "scraped"},
		"scheduling": {
			url.Values{"message": {"a"}, "published": {"false"}, "scheduled_publish_time": {"1"}},
			"100", "", "scheduled_publish_time",
		},
		"a boolean that is none": {url.Values{"message": {"a"}, "published": {"maybe"}}, "100", "", "published"},
		"a draft that is live": {
			url.Values{"message": {"a"}, "unpublished_content_type": {"DRAFT"}},
			"100", "",
			"unpublished_content_type",
		},
		"photos": {
			url.Values{"message": {"a"}, "attached_media": {`[{"media_fbid":"1"}]`}},
			"100", "33",
			"does not exist",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t)
			a := r.post("/"+bakery+"/feed", r.page(bakery), c.params)
			posts := r.kit.Posts.All()
			if c.code != "" {
				a.refused(c.code, c.subcode, c.says)
				if len(posts) != 0 {
					t.Errorf("refused and visible all the same: %v", posts)
				}
				return
			}
			if id := a.text("id"); !strings.HasPrefix(id, bakery+"_") || len(posts) != 1 || posts[0].ID != id {
				t.Errorf("id %s, posts %v", id, posts)
			}
		})
	}
}

func TestOnlyTheRightTokenPublishes(t *testing.T) {
	t.Parallel()
	r := start(t)
	user := r.user(bakery, choir)
	hello := url.Values{"message": {"hello"}}
	r.post("/"+bakery+"/feed", user, hello).refused("200", "", "Page access token")
	r.post("/"+bakery+"/feed", r.page(cycles), hello).refused("100", "33", "does not exist")
	r.post("/"+cycles+"/feed", user, hello).refused("100", "33", "does not exist")
	r.post("/me/feed", r.page(choir), hello).refused("200", "", "create content")
	r.post("/me/feed", "", hello).refused("104", "", "access token is required")
	r.post("/me/feed", "EAAnonsense", hello).refused("190", "", "Cannot parse")
	r.get("/"+bakery+"/feed", user).refused("200", "", "Page access token")
	if got := r.kit.Posts.All(); len(got) != 0 {
		t.Errorf("posts appeared: %v", got)
	}
}

func TestIdenticalConsecutiveTextsAreRefused(t *testing.T) {
	t.Parallel()
	r := start(t)
	page := r.page(bakery)
	post := func(text string) answer { return r.post("/me/feed", page, url.Values{"message": {text}}) }
	post("one").text("id")
	post("one").refused("506", "1455006", "Duplicate")
	if got := r.kit.Posts.All(); len(got) != 1 || got[0].PublishCalls != 2 {
		t.Errorf("want one post after two calls, got %+v", got)
	}
	r.post("/me/feed", r.page(cycles), url.Values{"message": {"one"}}).text("id")
	post("two").text("id")
	post("one").text("id")
	if err := r.kit.SetOption(facebooksim.OptDuplicates, facebooksim.Off); err != nil {
		t.Fatal(err)
	}
	post("one").text("id")
}

func TestUnpublishedPostsArePublishedLater(t *testing.T) {
	t.Parallel()
	r := start(t)
	page := r.page(bakery)
	id := r.post("/me/feed", page, url.Values{
		"message": {"later"}, "published": {"false"}, "unpublished_content_type": {"DRAFT"},
	}).text("id")
	published := func() any { return r.get("/"+id+"?fields=is_published", page).json["is_published"] }
	listed := func(edge string) int { return len(r.get("/me/"+edge, page).json["data"].([]any)) }
	address := r.get("/"+id+"?fields=permalink_url", page).text("permalink_url")
	if published() != false || len(r.kit.Posts.All()) != 0 || listed("feed") != 1 || listed("published_posts") != 0 {
		t.Errorf("before: %v, feed %d, published %d", published(), listed("feed"), listed("published_posts"))
	}
	if a := r.call("GET", address, "", nil); a.status != http.StatusNotFound {
		t.Errorf("the page of an unpublished post answered %d", a.status)
	}
	r.post("/"+id, page, url.Values{"is_published": {"false"}}).refused("100", "", "is_published")
	r.clock.forward(time.Minute)
	for range 2 {
		if a := r.post("/"+id, page, url.Values{"is_published": {"true"}}); a.json["success"] != true {
			t.Errorf("publishing answered %s", a.body)
		}
	}
	posts := r.kit.Posts.All()
	if published() != true || listed("published_posts") != 1 || len(posts) != 1 || posts[0].PublishCalls != 2 {
		t.Errorf("after: %v, posts %+v", published(), posts)
	}
	if a := r.call("GET", address, "", nil); a.status != http.StatusOK || !strings.Contains(a.body, "later") {
		t.Errorf("its page answered %d", a.status)
	}
}

func TestReadBackAndPage(t *testing.T) {
	t.Parallel()
	r := start(t)
	page := r.page(bakery)
	a := r.post("/me/feed", page, url.Values{
		"message": {"<b>Menu</b>"}, "link": {"https://example.org/menu"}, "fields": {"id,permalink_url,created_time"},
	})
	id := a.text("id")
	if got := a.text("created_time"); got != "2026-09-25T08:00:00+0000" {
		t.Errorf("created %s", got)
	}
	read := r.get("/"+id+"?fields=id,message,permalink_url,is_published,application,attachments{unshimmed_url}", page)
	link := read.json["attachments"].(map[string]any)["data"].([]any)[0].(map[string]any)
	if len(link) != 1 || link["unshimmed_url"] != "https://example.org/menu" ||
		read.json["application"].(map[string]any)["id"] != "app" {
		t.Errorf("read back %s", read.body)
	}
	own := strings.TrimPrefix(id, bakery+"_")
	if got := read.text("permalink_url"); got != "https://www.facebook.com/"+bakery+"/posts/"+own ||
		got != a.text("permalink_url") {
		t.Errorf("permalink %s", got)
	}
	shown := r.call("GET", read.text("permalink_url"), "", nil)
	if shown.status != http.StatusOK || !strings.Contains(shown.body, "&lt;b&gt;Menu") ||
		!strings.Contains(shown.body, `href="https://example.org/menu"`) {
		t.Errorf("page answered %d:\n%s", shown.status, shown.body)
	}
	short := r.call("GET", "https://www.facebook.com/"+id, "", nil)
	if got := short.header.Get("Location"); got != "/www.facebook.com/"+bakery+"/posts/"+own {
		t.Errorf("the id alone leads to %s", got)
	}
	if a := r.call("DELETE", graph+"/"+id, page, nil); a.json["success"] != true || len(r.kit.Posts.All()) != 0 {
		t.Errorf("deletion answered %s", a.body)
	}
	r.get("/"+id, page).refused("100", "33", "does not exist")
	r.get("/"+bakery+"_1", page).refused("100", "33", "does not exist")
}

func TestListIsNewestFirstInPages(t *testing.T) {
	t.Parallel()
	r := start(t)
	page := r.page(bakery)
	for _, text := range []string{"one", "two", "three", "four", "five"} {
		r.post("/me/feed", page, url.Values{"message": {text}}).text("id")
		r.clock.forward(time.Minute)
	}
	texts := func(a answer) string {
		var all []string
		for _, p := range a.json["data"].([]any) {
			all = append(all, p.(map[string]any)["message"].(string))
		}
		return strings.Join(all, " ")
	}
	next := func(a answer) answer {
		return r.call("GET", a.json["paging"].(map[string]any)["next"].(string), page, nil)
	}
	for _, edge := range []string{"feed", "published_posts"} {
		first := r.get("/"+bakery+"/"+edge+"?fields=id,message&limit=2", page)
		second := next(first)
		third := next(second)
		if texts(first) != "five four" || texts(second) != "three two" || texts(third) != "one" ||
			third.json["paging"].(map[string]any)["next"] != nil {
			t.Errorf("%s: %q %q %q", edge, texts(first), texts(second), texts(third))
		}
	}
	base := time.Date(2026, 9, 25, 8, 0, 0, 0, time.UTC)
	unix := func(d time.Duration) string { return strconv.FormatInt(base.Add(d).Unix(), 10) }
	if got := texts(r.get("/me/published_posts?since="+unix(3*time.Minute), page)); got != "five four" {
		t.Errorf("since: %s", got)
	}
	if got := texts(r.get("/me/published_posts?until="+unix(time.Minute), page)); got != "two one" {
		t.Errorf("until: %s", got)
	}
	r.get("/me/feed?limit=101", page).refused("100", "", "limit")
	r.get("/me/feed?since=yesterday", page).refused("100", "", "since")
	r.get("/me/feed?fields=text", page).refused("100", "", "nonexisting field (text)")
	r.get("/me/feed?after=x", page).refused("100", "", "cursor")
	if err := r.kit.SetOption(facebooksim.OptListDelay, "90"); err != nil {
		t.Fatal(err)
	}
	if got := texts(r.get("/me/feed", page)); got != "four three two one" {
		t.Errorf("with a delay of 90 s: %s", got)
	}
}

func TestStrictnessAboutRequests(t *testing.T) {
	t.Parallel()
	r := start(t)
	page := r.page(bakery)
	request := func(method, path, body string, header ...string) *http.Request {
		req := httptest.NewRequestWithContext(t.Context(), method, graph+path, strings.NewReader(body))
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Authorization", "Bearer "+page)
		for i := 0; i < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		return req
	}
	cases := map[string]struct {
		req                  *http.Request
		code, subcode, words string
	}{
		"idempotency key":       {request("POST", "/me/feed", "message=a", "Idempotency-Key", "1"), "100", "", "idempotency"},
		"token in both places":  {request("POST", "/me/feed?access_token="+page, "message=a"), "100", "", "both"},
		"parameter given twice": {request("POST", "/me/feed?message=b", "message=a"), "100", "", "more than once"},
		"stray parameter":       {request("POST", "/me/feed", "message=a&text=b"), "100", "", "text"},
		"unknown edge to read": {
			request("GET", "/me/photoz", ""), "100", "",
			"nonexisting field (photoz) on node type (Page)",
		},
		"unknown edge to write": {request("POST", "/me/photoz", "url=x"), "100", "33", "Unsupported post request"},
		"a node unheard of":     {request("GET", "/123", ""), "100", "33", "does not exist"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			a := r.send(c.req)
			a.t = t
			a.refused(c.code, c.subcode, c.words)
		})
	}
	if got := r.kit.Posts.All(); len(got) != 0 {
		t.Errorf("posts appeared: %v", got)
	}
	if a := r.send(request("POST", "/me/feed", `{"message":"as JSON","published":true}`, "Content-Type", "application/json")); a.status != http.StatusOK {
		t.Errorf("a JSON body was refused: %s", a.body)
	}
}

func TestFaultsHaveTheNetworksWords(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		fault         sim.Fault
		status        int
		code, subcode string
	}{
		"reject": {sim.Fault{Kind: sim.Reject}, 400, "100", ""},
		"policy block": {
			sim.Fault{Kind: sim.Error, Code: 368, Subcode: 1390008, Message: "too fast"},
			400, "368",
			"1390008",
		},
		"throttled":         {sim.Fault{Kind: sim.RateLimited, Code: 80001, RetryAfter: 90}, 429, "80001", ""},
		"server error":      {sim.Fault{Kind: sim.ServerError}, 500, "2", ""},
		"token expired":     {sim.Fault{Kind: sim.TokenExpired}, 400, "190", "463"},
		"token revoked":     {sim.Fault{Kind: sim.TokenRevoked}, 400, "190", "458"},
		"race":              {sim.Fault{Kind: sim.NotReadyRace}, 400, "100", "33"},
		"role lost":         {sim.Fault{Kind: sim.TokenRevoked, Subcode: 492}, 400, "190", "492"},
		"aimed at the feed": {sim.Fault{Kind: sim.Reject, Call: "feed", Account: bakery, Match: "hel"}, 400, "100", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t)
			page := r.page(bakery)
			if c.fault.Call == "" {
				c.fault.Call = "publish"
			}
			c.fault.Network = "facebook"
			if _, err := r.kit.Faults.Add(c.fault); err != nil {
				t.Fatal(err)
			}
			a := r.post("/me/feed", page, url.Values{"message": {"hello"}})
			a.refused(c.code, c.subcode, c.fault.Message)
			if a.status != c.status || len(r.kit.Posts.All()) != 0 {
				t.Errorf("status %d, posts %v", a.status, r.kit.Posts.All())
			}
			if use := a.header.Get("X-Business-Use-Case-Usage"); c.fault.RetryAfter > 0 &&
				!strings.Contains(use, `"estimated_time_to_regain_access":2`) {
				t.Errorf("usage header %q", use)
			}
			died := c.fault.Kind == sim.TokenExpired || c.fault.Kind == sim.TokenRevoked
			again := r.post("/me/feed", page, url.Values{"message": {"hello"}})
			if died {
				again.refused("190", c.subcode, "")
				return
			}
			again.text("id")
			if got := r.kit.Posts.All(); got[0].PublishCalls != 2 {
				t.Errorf("the post took %d calls, want 2", got[0].PublishCalls)
			}
		})
	}
}

func TestARestartForgetsNothing(t *testing.T) {
	t.Parallel()
	journal := filepath.Join(t.TempDir(), "sandbox.jsonl")
	r := startAt(t, journal)
	v := authorize(map[string]string{"decision": "allow", "newPage": "Corner  Shop"})
	v["grant"] = strings.Split(knownScopes, ",")
	spent := r.codeFor(v)
	user := r.get("/oauth/access_token?"+exchange(spent).Encode(), "").text("access_token")
	page := r.pageOf(user)
	r.post("/me/feed", page, url.Values{"message": {"one"}}).text("id")
	r.post("/me/feed", page, url.Values{"message": {"one"}}).refused("506", "1455006", "")
	draft := r.post("/me/feed", page, url.Values{"message": {"draft"}, "published": {"false"}}).text("id")
	r.clock.forward(time.Second)
	r.post("/"+draft, page, url.Values{"is_published": {"true"}})
	gone := r.post("/me/feed", page, url.Values{"message": {"gone"}}).text("id")
	r.call("DELETE", graph+"/"+gone, page, nil)
	before, list := r.kit.Posts.All(), r.get("/me/feed?fields=id,message,is_published,created_time", page).body
	if err := r.kit.Close(); err != nil {
		t.Fatal(err)
	}

	again := startAt(t, journal)
	again.clock.forward(time.Minute)
	if after := again.kit.Posts.All(); !reflect.DeepEqual(after, before) || len(after) != 2 {
		t.Errorf("visible posts changed:\n%+v\n%+v", before, after)
	}
	if got := again.get("/me/feed?fields=id,message,is_published,created_time", page).body; got != list {
		t.Errorf("list changed:\n%s\n%s", list, got)
	}
	if a := again.get("/me/accounts?fields=name,access_token", user); again.pageOf(user) != page ||
		!strings.Contains(a.body, "Corner Shop") {
		t.Errorf("pages changed: %s", a.body)
	}
	again.get("/oauth/access_token?"+exchange(spent).Encode(), "").refused("100", "36009", "")
	again.call("DELETE", graph+"/me/permissions", user, nil)
	_ = again.kit.Close()
	startAt(t, journal).get("/me", page).refused("190", "458", "")
}
