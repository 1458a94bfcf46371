package sandbox_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"belfry/internal/sandbox"
)

const callback = "http://localhost:8080/accounts/callback/any"

// rig is a served sandbox and a client that follows no redirects.
type rig struct {
	t    *testing.T
	box  *sandbox.Sandbox
	base string
	http *http.Client
}

func start(t *testing.T, cfg sandbox.Config) *rig {
	t.Helper()
	box, err := sandbox.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(box)
	r := &rig{t: t, box: box, base: server.URL + cfg.Prefix, http: &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport:     &http.Transport{MaxIdleConnsPerHost: 64},
	}}
	t.Cleanup(func() {
		server.Close()
		if err := box.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return r
}

type reply struct {
	status int
	header http.Header
	text   string
}

func (a reply) json(t *testing.T) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(a.text), &m); err != nil {
		t.Fatalf("answer %d is no JSON: %v\n%s", a.status, err, a.text)
	}
	return m
}

func (r *rig) do(method, path, token, kind, body string) (reply, error) {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.base+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := r.http.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	return reply{status: resp.StatusCode, header: resp.Header, text: string(text)}, err
}

func (r *rig) must(method, path, token, kind, body string) reply {
	r.t.Helper()
	a, err := r.do(method, path, token, kind, body)
	if err != nil {
		r.t.Fatalf("%s %s: %v", method, path, err)
	}
	return a
}

const (
	form   = "application/x-www-form-urlencoded"
	inJSON = "application/json"
)

func (r *rig) get(path, token string) reply { r.t.Helper(); return r.must("GET", path, token, "", "") }

func (r *rig) post(path, token string, v url.Values) reply {
	r.t.Helper()
	return r.must("POST", path, token, form, v.Encode())
}

func text(t *testing.T, m map[string]any, key string) string {
	t.Helper()
	s, ok := m[key].(string)
	if !ok {
		t.Fatalf("no text %q in %v", key, m)
	}
	return s
}

// consent presses a button of a consent page and returns the query it came back with.
func (r *rig) consent(path string, v url.Values) url.Values {
	r.t.Helper()
	a := r.post(path, "", v)
	if a.status != http.StatusFound {
		r.t.Fatalf("consent answered %d: %s", a.status, a.text)
	}
	back, err := url.Parse(a.header.Get("Location"))
	if err != nil {
		r.t.Fatal(err)
	}
	return back.Query()
}

// threads signs a profile in and returns its long-lived token.
func (r *rig) threads(username string) string {
	r.t.Helper()
	back := r.consent("/www.threads.net/oauth/authorize", url.Values{
		"client_id": {"sandbox"}, "redirect_uri": {callback},
		"scope":         {"threads_basic,threads_content_publish,threads_delete"},
		"response_type": {"code"}, "state": {"s1"}, "decision": {"allow"}, "username": {username},
	})
	short := r.post("/graph.threads.net/oauth/access_token", "", url.Values{
		"client_id": {"sandbox"}, "client_secret": {"sandbox"}, "grant_type": {"authorization_code"},
		"redirect_uri": {callback}, "code": {back.Get("code")},
	}).json(r.t)
	long := r.get("/graph.threads.net/access_token?grant_type=th_exchange_token&client_secret=sandbox",
		text(r.t, short, "access_token"))
	return text(r.t, long.json(r.t), "access_token")
}

// facebook signs in and returns the token of a Page of its own.
func (r *rig) facebook() (page, token string) {
	r.t.Helper()
	back := r.consent("/www.facebook.com/v26.0/dialog/oauth", url.Values{
		"client_id": {"sandbox"}, "redirect_uri": {callback}, "state": {"s1"}, "response_type": {"code"},
		"scope": {"pages_show_list,pages_read_engagement,pages_manage_posts,pages_read_user_content"}, "decision": {"allow"},
		"grant":   {"pages_show_list", "pages_read_engagement", "pages_manage_posts", "pages_read_user_content"},
		"newPage": {"Corner Shop"},
	})
	q := url.Values{
		"client_id": {"sandbox"}, "client_secret": {"sandbox"}, "redirect_uri": {callback},
		"code": {back.Get("code")},
	}
	short := r.post("/graph.facebook.com/v26.0/oauth/access_token", "", q).json(r.t)
	long := r.get("/graph.facebook.com/v26.0/oauth/access_token?"+url.Values{
		"grant_type": {"fb_exchange_token"}, "client_id": {"sandbox"}, "client_secret": {"sandbox"},
		"fb_exchange_token": {text(r.t, short, "access_token")},
	}.Encode(), "").json(r.t)
	pages := r.get("/graph.facebook.com/v26.0/me/accounts?fields=id,name,access_token,tasks,picture.type(large){url}",
		text(r.t, long, "access_token"))
	first := pages.json(r.t)["data"].([]any)[0].(map[string]any)
	return text(r.t, first, "id"), text(r.t, first, "access_token")
}

func (r *rig) posts() []map[string]any {
	r.t.Helper()
	var all []map[string]any
	for _, p := range r.get("/_/posts", "").json(r.t)["posts"].([]any) {
		all = append(all, p.(map[string]any))
	}
	return all
}

func (r *rig) script(faults string) {
	r.t.Helper()
	if a := r.must("POST", "/_/faults", "", inJSON, faults); a.status != http.StatusOK {
		r.t.Fatalf("faults answered %d: %s", a.status, a.text)
	}
}

func (r *rig) container(token, words string) string {
	r.t.Helper()
	a := r.post("/graph.threads.net/v1.0/me/threads", token, url.Values{"media_type": {"TEXT"}, "text": {words}})
	return text(r.t, a.json(r.t), "id")
}

func TestBothNetworksPublishBelowAPrefixAndAtTheRoot(t *testing.T) {
	t.Parallel()
	for _, prefix := range []string{"", "/sandbox"} {
		t.Run("prefix "+prefix, func(t *testing.T) {
			t.Parallel()
			r := start(t, sandbox.Config{Prefix: prefix})
			token := r.threads("harbour.bakery")
			id := r.container(token, "Fresh rolls at six #bread")
			state := r.get("/graph.threads.net/v1.0/"+id+"?fields=id,status,error_message", token).json(t)
			if state["status"] != "FINISHED" {
				t.Fatalf("a text container is %v, want FINISHED", state)
			}
			post := r.post("/graph.threads.com/v1.0/me/threads_publish", token, url.Values{"creation_id": {id}}).json(t)
			read := r.get("/graph.threads.net/v1.0/"+text(t, post, "id")+"?fields=permalink,text,topic_tag,media_type",
				token).json(t)
			page := r.get("/"+strings.TrimPrefix(text(t, read, "permalink"), "https://"), "")
			if page.status != http.StatusOK || !strings.Contains(page.text, "Fresh rolls at six") {
				t.Errorf("permalink page answered %d:\n%s", page.status, page.text)
			}

			owner, pageToken := r.facebook()
			fb := r.post("/graph.facebook.com/v26.0/"+owner+"/feed", pageToken, url.Values{
				"message": {"Open today"}, "link": {"https://example.org/menu"}, "fields": {"id,permalink_url"},
			}).json(t)
			page = r.get("/"+strings.TrimPrefix(text(t, fb, "permalink_url"), "https://"), "")
			if page.status != http.StatusOK || !strings.Contains(page.text, "Open today") {
				t.Errorf("permalink page answered %d:\n%s", page.status, page.text)
			}
			if got := len(r.posts()); got != 2 {
				t.Errorf("%d posts are visible, want 2", got)
			}
		})
	}
}
