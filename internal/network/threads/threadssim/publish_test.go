package threadssim_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"belfry/internal/network/threads/threadssim"
)

func TestContainerRules(t *testing.T) {
	t.Parallel()
	links := func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString("https://example.org/" + string(rune('a'+i)) + " ")
		}
		return b.String()
	}
	text := func(s string) map[string]string { return map[string]string{"media_type": "TEXT", "text": s} }
	with := func(m map[string]string, pairs ...string) map[string]string {
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = pairs[i+1]
		}
		return m
	}
	image := func(pairs ...string) map[string]string {
		return with(map[string]string{"media_type": "IMAGE", "image_url": "https://media.invalid/a.png"}, pairs...)
	}
	cases := map[string]struct {
		params map[string]string
		refuse string // empty: accepted
	}{
		"500 bytes":                         {text(strings.Repeat("a", 500)), ""},
		"501 bytes":                         {text(strings.Repeat("a", 501)), "at most 500 characters"},
		"498 characters that are 504 bytes": {text(strings.Repeat("a", 495) + "’’’"), "at most 500 characters"},
		"250 Cyrillic letters":              {text(strings.Repeat("ж", 250)), ""},
		"251 Cyrillic letters":              {text(strings.Repeat("ж", 251)), "at most 500 characters"},
		"no text":                           {map[string]string{"media_type": "TEXT"}, "text is required"},
		"blank text":                        {text(" \n "), "text is required"},
		"broken UTF-8":                      {text("a\xff"), "UTF-8"},
		"no media type":                     {map[string]string{"text": "a"}, "media_type"},
		"media type in lower case":          {with(text("a"), "media_type", "text"), "media_type"},
		"five links":                        {text(links(5)), ""},
		"six links":                         {text(links(6)), "THREADS_API__LINK_LIMIT_EXCEEDED"},
		"one link six times":                {text(strings.Repeat("https://example.org ", 6)), ""},
		"five links and another attached": {
			with(text(links(5)), "link_attachment", "https://other.example"),
			"THREADS_API__LINK_LIMIT_EXCEEDED",
		},
		"five links, one of them attached": {with(text(links(5)), "link_attachment", "https://example.org/a"), ""},
		"attached link that is none":       {with(text("a"), "link_attachment", "example"), "link_attachment"},
		"attached link on an image":        {image("link_attachment", "https://example.org"), "link_attachment"},
		"topic":                            {with(text("a"), "topic_tag", "Street bread"), ""},
		"topic of 50 characters":           {with(text("a"), "topic_tag", strings.Repeat("ü", 50)), ""},
		"topic of 51 characters":           {with(text("a"), "topic_tag", strings.Repeat("ü", 51)), "topic_tag"},
		"empty topic":                      {with(text("a"), "topic_tag", ""), "topic_tag"},
		"topic with a full stop":           {with(text("a"), "topic_tag", "a.b"), "topic_tag"},
		"topic with an ampersand":          {with(text("a"), "topic_tag", "a&b"), "topic_tag"},
		"alt text on a text":               {with(text("a"), "alt_text", "a"), "alt_text"},
		"alt text of 1000":                 {image("alt_text", strings.Repeat("é", 1000)), ""},
		"alt text of 1001":                 {image("alt_text", strings.Repeat("é", 1001)), "alt_text"},
		"reply control":                    {with(text("a"), "reply_control", "mentioned_only"), ""},
		"unknown reply control":            {with(text("a"), "reply_control", "nobody"), "reply_control"},
		"publishing in the same call":      {with(text("a"), "auto_publish_text", "true"), "auto_publish_text"},
		"a feature that is not simulated": {
			with(text("a"), "poll_attachment", "{}"),
			"THREADS_API__FEATURE_NOT_AVAILABLE",
		},
		"an image without address": {map[string]string{"media_type": "IMAGE"}, "image_url is required"},
		"a video with an image's address": {
			map[string]string{"media_type": "VIDEO", "image_url": "https://x.example/a"},
			"image_url is not allowed",
		},
		"an image from plain http": {
			map[string]string{"media_type": "IMAGE", "image_url": "http://x.example/a"},
			"could not be fetched",
		},
		"a text with media": {
			with(text("a"), "image_url", "https://x.example/a"),
			"image_url is not allowed",
		},
		"text on a carousel item": {image("is_carousel_item", "true", "text", "a"), "belongs on the carousel"},
		"a text as carousel item": {with(text("a"), "is_carousel_item", "true"), "is_carousel_item"},
		"a carousel of one": {
			map[string]string{"media_type": "CAROUSEL", "children": "1"},
			"between 2 and 20",
		},
		"a carousel of 21": {map[string]string{
			"media_type": "CAROUSEL",
			"children":   strings.Repeat("1,", 20) + "1",
		}, "between 2 and 20"},
		"a carousel of containers unheard of": {
			map[string]string{"media_type": "CAROUSEL", "children": "1,2"},
			"does not exist",
		},
		"a boolean that is neither":      {image("is_carousel_item", "yes"), "boolean"},
		"a child list on something else": {with(text("a"), "children", "1,2"), "children is not allowed"},
		"an address with credentials in it": {map[string]string{
			"media_type": "IMAGE",
			"image_url":  "https://u:p@x.example/a",
		}, "could not be fetched"},
		"a topic for a carousel item": {
			image("is_carousel_item", "true", "topic_tag", "a"),
			"belongs on the carousel",
		},
		"a www link counts as one of the five": {text(links(5) + "www.example.com"), "THREADS_API__LINK_LIMIT_EXCEEDED"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t)
			v := url.Values{}
			for key, value := range c.params {
				v.Set(key, value)
			}
			a := r.post("/v1.0/me/threads", r.token("harbour.bakery"), v)
			switch {
			case c.refuse != "":
				e, _ := a.json["error"].(map[string]any)
				if message, _ := e["message"].(string); !strings.Contains(message, c.refuse) || e["type"] != "THApiException" {
					t.Errorf("want refusal %q, got %d %s", c.refuse, a.status, a.body)
				}
			case a.status != http.StatusOK:
				t.Errorf("refused: %s", a.body)
			}
			if got := len(r.kit.Posts.All()); got != 0 {
				t.Errorf("%d posts are visible after a container", got)
			}
		})
	}
}

func TestLifeOfAContainer(t *testing.T) {
	t.Parallel()
	r := start(t)
	token := r.token("harbour.bakery")
	state := func(id string) any {
		return r.get("/v1.0/"+id+"?fields=id,status,error_message", token).json["status"]
	}
	id := r.post("/v1.0/me/threads", token, words("hello")).text("id")
	left := r.post("/v1.0/me/threads", token, words("never published")).text("id")
	if got := state(id); got != "FINISHED" {
		t.Errorf("a text is %v at once, want FINISHED", got)
	}
	creation := url.Values{"creation_id": {id}}
	post := r.post("/v1.0/me/threads_publish", token, creation).text("id")
	if post == id {
		t.Error("post and container share an id")
	}
	if got := state(id); got != "PUBLISHED" {
		t.Errorf("after publishing it is %v", got)
	}
	r.get("/v1.0/"+post+"?fields=id,status", token).refused("100", "", "nonexisting field (status)")
	r.get("/v1.0/"+id+"?fields=permalink", token).refused("100", "", "nonexisting field (permalink)")

	r.post("/v1.0/me/threads_publish", token, creation).refused("24", "4279009", "does not exist")
	if err := r.kit.SetOption(threadssim.OptRepeatPublish, threadssim.RepeatSameID); err != nil {
		t.Fatal(err)
	}
	if again := r.post("/v1.0/me/threads_publish", token, creation).text("id"); again != post {
		t.Errorf("the second publish answers %s, want %s", again, post)
	}
	posts := r.kit.Posts.All()
	if len(posts) != 1 || posts[0].PublishCalls != 3 {
		t.Errorf("want one post after three calls, got %+v", posts)
	}

	r.clock.forward(day)
	if got := state(left); got != "EXPIRED" {
		t.Errorf("after a day it is %v, want EXPIRED", got)
	}
	r.post("/v1.0/me/threads_publish", token, url.Values{"creation_id": {left}}).refused("24", "4279009", "")
}

func TestStrangersSeeNothing(t *testing.T) {
	t.Parallel()
	r := start(t)
	mine, other := r.token("harbour.bakery"), r.token("maren.writes")
	id := r.post("/v1.0/me/threads", mine, words("hello")).text("id")
	r.get("/v1.0/"+id+"?fields=status", other).refused("100", "33", "does not exist")
	r.post("/v1.0/me/threads_publish", other, url.Values{"creation_id": {id}}).refused("24", "4279009", "")
	r.post("/v1.0/17841405793187218/threads", other, words("as somebody else")).refused("100", "33", "")
	post := r.publish(mine, "mine")
	r.get("/v1.0/"+post, other).refused("100", "33", "")
	r.call("DELETE", graph+"/v1.0/"+post, other, nil).refused("100", "33", "")
}

func TestReadBack(t *testing.T) {
	t.Parallel()
	r := start(t)
	token := r.token("harbour.bakery")
	v := words("Look #123 #sour.dough at https://example.org/x.")
	id := r.post("/v1.0/17841405793187218/threads", token, v).text("id")
	post := r.post("/v1.0/me/threads_publish", token, url.Values{"creation_id": {id}}).text("id")
	a := r.get("/v1.0/"+
		post+"?fields=id,permalink,shortcode,timestamp,media_type,media_product_type,text,topic_tag,link_attachment_url,username", token)
	want := map[string]any{
		"id": post, "permalink": "https://www.threads.net/@harbour.bakery/post/" + a.text("shortcode"),
		"timestamp": "2026-09-01T08:00:00+0000", "media_type": "TEXT_POST", "media_product_type": "THREADS",
		"text": v.Get("text"), "topic_tag": "sour", "link_attachment_url": "https://example.org/x",
		"username": "harbour.bakery",
	}
	for name, value := range want {
		if a.json[name] != value {
			t.Errorf("%s is %v, want %v", name, a.json[name], value)
		}
	}
	page := r.call("GET", a.text("permalink"), "", nil)
	if page.status != http.StatusOK || !strings.Contains(page.body, "Look #123") ||
		!strings.Contains(page.body, "Simulated network") {
		t.Errorf("permalink answered %d:\n%s", page.status, page.body)
	}
	if wrong := r.call("GET", strings.Replace(a.text("permalink"), "harbour", "other", 1), "", nil); wrong.status != http.StatusNotFound {
		t.Errorf("another author's address answered %d", wrong.status)
	}
	gone := r.call("DELETE", graph+"/v1.0/"+post, token, nil)
	if gone.json["success"] != true || gone.json["deleted_id"] != post || len(r.kit.Posts.All()) != 0 {
		t.Errorf("deletion answered %s", gone.body)
	}
	if page := r.call("GET", a.text("permalink"), "", nil); page.status != http.StatusNotFound {
		t.Errorf("a deleted post's page answered %d", page.status)
	}
}

func TestMarkupInAPostStaysText(t *testing.T) {
	t.Parallel()
	r := start(t)
	token := r.token("harbour.bakery")
	post := r.publish(token, `<script>alert(1)</script> & "quotes"`)
	page := r.call("GET", r.get("/v1.0/"+post+"?fields=permalink", token).text("permalink"), "", nil)
	if strings.Contains(page.body, "<script>") || !strings.Contains(page.body, "&lt;script&gt;") {
		t.Errorf("page:\n%s", page.body)
	}
}

func TestListIsNewestFirstInPages(t *testing.T) {
	t.Parallel()
	r := start(t)
	token := r.token("harbour.bakery")
	for _, text := range []string{"one", "two", "three", "four", "five"} {
		r.publish(token, text)
		r.clock.forward(time.Minute)
	}
	texts := func(a answer) string {
		var all []string
		for _, p := range a.json["data"].([]any) {
			all = append(all, p.(map[string]any)["text"].(string))
		}
		return strings.Join(all, " ")
	}
	first := r.get("/v1.0/me/threads?fields=id,text,timestamp&limit=2", token)
	if got := texts(first); got != "five four" {
		t.Errorf("first page: %s", got)
	}
	next := first.json["paging"].(map[string]any)["next"].(string)
	if strings.Contains(next, "access_token") {
		t.Error("a token that came in the header leaked into an address")
	}
	second := r.call("GET", next, token, nil)
	third := r.call("GET", second.json["paging"].(map[string]any)["next"].(string), token, nil)
	if texts(second) != "three two" || texts(third) != "one" || third.json["paging"].(map[string]any)["next"] != nil {
		t.Errorf("pages %q and %q: %s", texts(second), texts(third), third.body)
	}
	if got := texts(r.get("/v1.0/me/threads?fields=text&since=2026-09-01T08:03:00Z", token)); got != "five four" {
		t.Errorf("since: %s", got)
	}
	if got := texts(r.get("/v1.0/me/threads?fields=text&until=1788249600", token)); got != "one" {
		t.Errorf("until: %s", got)
	}
	r.get("/v1.0/me/threads?limit=101", token).refused("100", "", "limit")
	r.get("/v1.0/me/threads?fields=status", token).refused("100", "", "nonexisting field")
	r.get("/v1.0/me/threads?after=***", token).refused("100", "", "cursor")

	if err := r.kit.SetOption(threadssim.OptListDelay, "90"); err != nil {
		t.Fatal(err)
	}
	if got := texts(r.get("/v1.0/me/threads?fields=text", token)); got != "four three two one" {
		t.Errorf("with a delay of 90 s: %s", got)
	}
}

func TestQuotaMovesWithTheDay(t *testing.T) {
	t.Parallel()
	r := start(t)
	token := r.token("harbour.bakery")
	if err := r.kit.SetOption(threadssim.OptQuota, "2"); err != nil {
		t.Fatal(err)
	}
	used := func() string {
		a := r.get("/v1.0/me/threads_publishing_limit?fields=quota_usage,config", token)
		entry := a.json["data"].([]any)[0].(map[string]any)
		return entry["quota_usage"].(json.Number).String() + " of " +
			entry["config"].(map[string]any)["quota_total"].(json.Number).String()
	}
	r.publish(token, "one")
	r.clock.forward(time.Hour)
	r.publish(token, "two")
	if got := used(); got != "2 of 2" {
		t.Errorf("used %s", got)
	}
	third := r.post("/v1.0/me/threads", token, words("three")).text("id")
	r.post("/v1.0/me/threads_publish", token, url.Values{"creation_id": {third}}).refused("9", "2207042", "")
	r.clock.forward(23*time.Hour - time.Second)
	if got := used(); got != "2 of 2" {
		t.Errorf("a second before the window moves: %s", got)
	}
	r.clock.forward(time.Second)
	r.post("/v1.0/me/threads_publish", token, url.Values{"creation_id": {third}}).text("id")
	if got := used(); got != "2 of 2" {
		t.Errorf("after the window moved: %s", got)
	}
}

func TestStrictnessAboutRequests(t *testing.T) {
	t.Parallel()
	r := start(t)
	token := r.token("harbour.bakery")
	body := words("hello").Encode()
	request := func(method, path, body string, header ...string) *http.Request {
		req := httptest.NewRequestWithContext(t.Context(), method, graph+path, strings.NewReader(body))
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Authorization", "Bearer "+token)
		for i := 0; i < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		return req
	}
	cases := map[string]struct {
		req         *http.Request
		code, words string
	}{
		"idempotency key": {request("POST", "/v1.0/me/threads", body, "Idempotency-Key", "1"), "100", "idempotency"},
		"its older name": {
			request("POST", "/v1.0/me/threads", body, "X-Idempotency-Key", "1"), "100",
			"idempotency",
		},
		"token in both places": {request("POST", "/v1.0/me/threads?access_token="+token, body), "100", "both"},
		"other kind of token": {
			request("POST", "/v1.0/me/threads", body, "Authorization", "OAuth "+token), "100",
			"Bearer",
		},
		"parameter given twice": {request("POST", "/v1.0/me/threads?text=other", body), "100", "more than once"},
		"JSON body": {
			request("POST", "/v1.0/me/threads", `{"text":"a"}`, "Content-Type", "application/json"),
			"100", "JSON",
		},
		"without a version":       {request("POST", "/me/threads", body), "2500", "Unknown path"},
		"version of a neighbour":  {request("POST", "/v26.0/me/threads", body), "2500", "Unknown path"},
		"edge that is none":       {request("POST", "/v1.0/me/media", body), "2500", "Unknown path"},
		"wrong method":            {request("GET", "/v1.0/me/threads_publish", ""), "2500", "Unknown path"},
		"publishing nothing":      {request("POST", "/v1.0/me/threads_publish", ""), "100", "creation_id"},
		"stray publish parameter": {request("POST", "/v1.0/me/threads_publish", "creation_id=1&text=a"), "100", "text"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			a := r.send(c.req)
			a.t = t
			a.refused(c.code, "", c.words)
		})
	}
	if a := r.call("POST", graph+"/v1.0/me/threads?access_token="+token, "", words("token as parameter")); a.status != http.StatusOK {
		t.Errorf("a token as parameter was refused: %s", a.body)
	}
	if got := r.kit.Posts.All(); len(got) != 0 {
		t.Errorf("posts appeared: %v", got)
	}
}

func TestVisitorsSeeTheProfile(t *testing.T) {
	t.Parallel()
	r := start(t)
	token := r.token("harbour.bakery")
	r.publish(token, "older")
	r.publish(token, "newer")
	a := r.call("GET", "https://www.threads.net/@Harbour.Bakery", "", nil)
	if a.status != http.StatusOK || strings.Index(a.body, "newer") > strings.Index(a.body, "older") ||
		!strings.Contains(a.body, "older") || !strings.Contains(a.body, "followers") {
		t.Errorf("the profile answered %d\n%s", a.status, a.body)
	}
	if a := r.call("GET", "https://www.threads.net/@nobody", "", nil); a.status != http.StatusNotFound {
		t.Errorf("the profile of nobody answered %d", a.status)
	}
}
