package sandbox_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"belfry/internal/sandbox"
)

// publisher sends one text to one network, with the calls before the last one made already.
type publisher func(r *rig, words string) func() (reply, error)

func publishers() map[string]publisher {
	return map[string]publisher{
		"threads": func(r *rig, words string) func() (reply, error) {
			token := r.threads("harbour.bakery")
			v := url.Values{"creation_id": {r.container(token, words)}}
			return func() (reply, error) {
				return r.do("POST", "/graph.threads.net/v1.0/me/threads_publish", token, form, v.Encode())
			}
		},
		"facebook": func(r *rig, words string) func() (reply, error) {
			_, token := r.facebook()
			v := url.Values{"message": {words}}
			return func() (reply, error) {
				return r.do("POST", "/graph.facebook.com/v26.0/me/feed", token, form, v.Encode())
			}
		},
	}
}

func TestLostAnswers(t *testing.T) {
	t.Parallel()
	for network, prepare := range publishers() {
		for kind, visible := range map[string]int{"drop_after_accept": 1, "drop_before_accept": 0} {
			t.Run(network+" "+kind, func(t *testing.T) {
				t.Parallel()
				r := start(t, sandbox.Config{Prefix: "/sandbox"})
				publish := prepare(r, "hello")
				r.script(fmt.Sprintf(`{"network":%q,"call":"publish","kind":%q}`, network, kind))
				if a, err := publish(); !errors.Is(err, io.EOF) && !isReset(err) {
					t.Errorf("the connection was to close without an answer, got %d %s, %v", a.status, a.text, err)
				}
				posts := r.posts()
				if len(posts) != visible {
					t.Fatalf("%d posts are visible, want %d", len(posts), visible)
				}
				if visible == 1 && posts[0]["publishCalls"] != 1.0 {
					t.Errorf("the post took %v calls", posts[0]["publishCalls"])
				}
				a, err := publish()
				if err != nil {
					t.Fatal(err)
				}
				if ok := a.status == http.StatusOK; ok != (visible == 0) {
					t.Errorf("the second call answered %d %s", a.status, a.text)
				}
				if posts = r.posts(); len(posts) != 1 || posts[0]["publishCalls"] != 2.0 {
					t.Errorf("want one post after two calls, got %v", posts)
				}
			})
		}
	}
}

func isReset(err error) bool {
	return err != nil && strings.Contains(err.Error(), "connection reset")
}

func TestHalfAnAnswer(t *testing.T) {
	t.Parallel()
	for network, prepare := range publishers() {
		t.Run(network, func(t *testing.T) {
			t.Parallel()
			r := start(t, sandbox.Config{})
			publish := prepare(r, "hello")
			r.script(`{"kind":"truncated_json","call":"publish"}`)
			a, err := publish()
			if err != nil || a.status != http.StatusOK || json.Valid([]byte(a.text)) {
				t.Errorf("answered %d %q, %v", a.status, a.text, err)
			}
			if got := len(r.posts()); got != 1 {
				t.Errorf("%d posts are visible, want 1", got)
			}
		})
	}
}

func TestSlowAnswersAddUpAndReachTheirEnd(t *testing.T) {
	t.Parallel()
	for network, prepare := range publishers() {
		t.Run(network, func(t *testing.T) {
			t.Parallel()
			r := start(t, sandbox.Config{})
			publish := prepare(r, "hello")
			r.script(`[{"kind":"slow","delayMs":30,"times":0},{"kind":"slow","call":"publish","delayMs":20},
				{"kind":"drop_after_accept","call":"publish"}]`)
			began := time.Now()
			if _, err := publish(); err == nil {
				t.Error("the connection was to close")
			}
			if took := time.Since(began); took < 50*time.Millisecond {
				t.Errorf("took %s, want 50 ms and more", took)
			}
			posts := r.posts()
			if len(posts) != 1 {
				t.Fatalf("posts %v", posts)
			}
			arrived, err1 := time.Parse(time.RFC3339Nano, text(t, posts[0], "arrivedAt"))
			created, err2 := time.Parse(time.RFC3339Nano, text(t, posts[0], "createdAt"))
			if err1 != nil || err2 != nil || created.Sub(arrived) < 50*time.Millisecond {
				t.Errorf("arrived %v, created %v: the arrival must be before the delay", posts[0]["arrivedAt"],
					posts[0]["createdAt"])
			}
		})
	}
}

func TestACallerWhoHangsUpIsPublishedAllTheSame(t *testing.T) {
	t.Parallel()
	r := start(t, sandbox.Config{})
	_, token := r.facebook()
	r.script(`{"kind":"slow","call":"publish","delayMs":100}`)
	r.http.Timeout = 20 * time.Millisecond
	if _, err := r.do("POST", "/graph.facebook.com/v26.0/me/feed", token, form, "message=hello"); err == nil {
		t.Error("the caller was to lose patience")
	}
	r.http.Timeout = 0
	eventually(t, "the post appears late", func() bool { return len(r.posts()) == 1 })
}

func eventually(t *testing.T, what string, met func() bool) {
	t.Helper()
	deadline := time.After(time.Minute)
	for !met() {
		select {
		case <-deadline:
			t.Fatalf("%s: not within 10 s", what)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func TestCloseEndsSlowAnswers(t *testing.T) {
	t.Parallel()
	r := start(t, sandbox.Config{})
	_, token := r.facebook()
	r.script(`{"kind":"slow","call":"publish","delayMs":600000}`)
	ended := make(chan error, 1)
	go func() {
		_, err := r.do("POST", "/graph.facebook.com/v26.0/me/feed", token, form, "message=hello")
		ended <- err
	}()
	eventually(t, "the call arrives", func() bool {
		return strings.Contains(r.get("/_/calls", "").text, `"fault":"slow `)
	})
	if err := r.box.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Error("a call that outlived the sandbox got an answer")
	}
	if got := len(r.posts()); got != 0 {
		t.Errorf("%d posts appeared", got)
	}
}

func TestClearingTheFaultsEndsSlowAnswers(t *testing.T) {
	t.Parallel()
	r := start(t, sandbox.Config{})
	_, token := r.facebook()
	r.script(`{"kind":"slow","call":"publish","delayMs":600000}`)
	ended := make(chan error, 1)
	go func() {
		_, err := r.do("POST", "/graph.facebook.com/v26.0/me/feed", token, form, "message=hello")
		ended <- err
	}()
	eventually(t, "the call arrives", func() bool {
		return strings.Contains(r.get("/_/calls", "").text, `"fault":"slow `)
	})
	r.must("DELETE", "/_/faults", "", "", "")
	if err := <-ended; err != nil || len(r.posts()) != 1 {
		t.Errorf("the delayed call ends with %v, and there are %d posts", err, len(r.posts()))
	}
}

func TestFaultsAimAtAccountsAndWords(t *testing.T) {
	t.Parallel()
	r := start(t, sandbox.Config{})
	one, two := r.threads("harbour.bakery"), r.threads("maren.writes")
	r.script(`[{"network":"threads","call":"create","kind":"reject","account":"17841405793187218","match":"rolls","times":2}]`)
	create := func(token, words string) int {
		v := url.Values{"media_type": {"TEXT"}, "text": {words}}
		return r.post("/graph.threads.net/v1.0/me/threads", token, v).status
	}
	got := []int{
		create(two, "rolls"), create(one, "bread"), create(one, "rolls"), create(one, "more rolls"), create(one, "rolls"),
	}
	if want := []int{200, 200, 400, 400, 200}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("answers %v, want %v", got, want)
	}
	script := r.get("/_/faults", "").json(t)
	spent := script["spent"].([]any)
	if len(script["faults"].([]any)) != 0 || len(spent) != 1 || spent[0].(map[string]any)["fired"] != 2.0 {
		t.Errorf("script %v", script)
	}
}

func TestAThousandPostsInOneGo(t *testing.T) {
	t.Parallel()
	const posts, profiles = 1000, 8
	r := start(t, sandbox.Config{
		JournalDir: t.TempDir(), Options: map[string]string{"threads.quota_total": "1000"},
	})
	var tokens []string
	for i := range profiles {
		tokens = append(tokens, r.threads(fmt.Sprintf("profile%d", i)))
	}
	_, page := r.facebook()
	r.script(`[{"kind":"slow","delayMs":200,"times":0}]`)
	began := time.Now()
	var all sync.WaitGroup
	failures := make(chan string, posts)
	for i := range posts {
		all.Go(func() {
			words := fmt.Sprintf("post number %d", i)
			if i%2 == 0 {
				a, err := r.do("POST", "/graph.facebook.com/v26.0/me/feed", page, form, url.Values{"message": {words}}.Encode())
				if err != nil || a.status != http.StatusOK {
					failures <- fmt.Sprint(a, err)
				}
				return
			}
			token, id := tokens[i%profiles], struct {
				ID string `json:"id"`
			}{}
			v := url.Values{"media_type": {"TEXT"}, "text": {words}}
			a, err := r.do("POST", "/graph.threads.net/v1.0/me/threads", token, form, v.Encode())
			if err == nil {
				err = json.Unmarshal([]byte(a.text), &id)
			}
			if err == nil {
				a, err = r.do("POST", "/graph.threads.net/v1.0/me/threads_publish", token, form, url.Values{"creation_id": {id.ID}}.Encode())
			}
			if err != nil || a.status != http.StatusOK {
				failures <- fmt.Sprint(a, err)
			}
		})
	}
	all.Wait()
	close(failures)
	for f := range failures {
		t.Error(f)
	}
	t.Logf("%d posts, 1,500 calls of 200 ms, in %s", posts, time.Since(began))
	seen := map[string]int{}
	for _, p := range r.posts() {
		seen[text(t, p, "text")]++
	}
	if len(seen) != posts || len(r.posts()) != posts {
		t.Errorf("%d different of %d posts, want %d", len(seen), len(r.posts()), posts)
	}
}
