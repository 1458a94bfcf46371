package api_test

import (
	"bytes"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
)

func TestRepeatedCreationReturnsTheFirstAnswer(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	key := bearerKey(ws.Key(core.Write))
	body := `{"targets":{"accountIds":["` + ws.Account("threads").ID + `"]},"text":"<once> & only","confirm":true}`
	once := header("Idempotency-Key", "a-client's-own-uuid")

	first := r.do("POST", "/v1/posts", body, key, once)
	first.want(t, http.StatusCreated, "")
	again := r.do("POST", "/v1/posts", body, key, once)
	if again.Status != first.Status || !bytes.Equal(again.Body, first.Body) ||
		again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("want the first answer, got %d %q: %s", again.Status, again.Header.Get("Idempotency-Replayed"), again.Body)
	}
	if first.Header.Get("Idempotency-Replayed") != "" || again.Header.Get("Content-Type") != "application/json" {
		t.Errorf("the headers are %v and %v", first.Header, again.Header)
	}
	if a, b := first.Header.Get("RateLimit"), again.Header.Get("RateLimit"); !strings.Contains(a, `"post-create";r=59`) ||
		!strings.Contains(b, `"post-create";r=59`) {
		t.Errorf("a replay costs nothing of the hourly limit: %q, then %q", a, b)
	}
	r.do("POST", "/v1/posts", body+" ", key, once).want(t, http.StatusConflict, core.CodeIdempotencyMismatch)
	r.do("POST", "/v1/posts", body, bearerKey(r.Workspace("two").Key(core.Write)), once).want(t, http.StatusNotFound,
		core.CodeNotFound)

	var list contract.PostList
	r.do("GET", "/v1/posts", "", key).read(t, &list)
	if len(list.Posts) != 1 {
		t.Errorf("there are %d posts", len(list.Posts))
	}
	r.Clock.Advance(24*time.Hour + time.Second)
	if late := r.do("POST", "/v1/posts", body, key, once); late.Status != http.StatusCreated ||
		late.Header.Get("Idempotency-Replayed") != "" {
		t.Errorf("after 24 hours the key is free: %d %v", late.Status, late.Header)
	}
}

// The key is the client's word that the requests are one, but about one post.
func TestAKeyOfARetryDoesNotRetryAnotherPost(t *testing.T) {
	t.Parallel()
	r := open(t)
	s := r.stage("one")
	one, two := s.failed(), s.failed()
	who, once := bearerKey(s.ws.Key(core.Write)), header("Idempotency-Key", "once")
	r.do("POST", "/v1/posts/"+one.ID+"/retry", "", who, once).want(t, http.StatusOK, "")
	r.do("POST", "/v1/posts/"+two.ID+"/retry", "", who, once).want(t, http.StatusConflict, core.CodeIdempotencyMismatch)
	if two = s.ws.Post(two); two.Status != "failed" {
		t.Errorf("the other post is %s", two.StatusLine)
	}
}

func TestRefusedRequestFreesItsIdempotencyKey(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	key, once := bearerKey(ws.Key(core.Write)), header("Idempotency-Key", "mended")
	body := `{"targets":{"accountIds":["` + ws.Account("threads").ID + `"]},"text":"x"`
	r.do("POST", "/v1/posts", body, key, once).want(t, http.StatusBadRequest, core.CodeInvalidRequest)
	r.do("POST", "/v1/posts", body+"}", key, once).want(t, http.StatusConflict, core.CodeConfirmRequired)
	r.do("POST", "/v1/posts", body+`,"confirm":true}`, key, once).want(t, http.StatusCreated, "")
}

func TestAnIdempotencyKeyIsVisibleASCII(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	key := bearerKey(ws.Key(core.Write))
	body := `{"targets":{"accountIds":["` + ws.Account("threads").ID + `"]},"text":"x","confirm":true}`
	for name, with := range map[string][]with{
		"empty": {header("Idempotency-Key", "")}, "too long": {header("Idempotency-Key", strings.Repeat("a", 256))},
		"with a space": {header("Idempotency-Key", "a b")}, "not ASCII": {header("Idempotency-Key", "ä")},
		"two of them": {header("Idempotency-Key", "a"), header("Idempotency-Key", "b")},
	} {
		if got := r.do("POST", "/v1/posts", body, append(with, key)...); got.code() != core.CodeInvalidRequest {
			t.Errorf("%s: %d %s", name, got.Status, got.Body)
		}
	}
	r.do("POST", "/v1/posts", body, key, header("Idempotency-Key", strings.Repeat("~", 255))).want(t, http.StatusCreated,
		"")
	// Routes that create nothing take no key, and are not made to fail by one.
	r.do("GET", "/v1/whoami", "", key, header("Idempotency-Key", "")).want(t, http.StatusOK, "")
}

func TestConcurrentRepetitionsCreateOnce(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	key := bearerKey(ws.Key(core.Write))
	body := `{"targets":{"accountIds":["` + ws.Account("threads").ID + `"]},"text":"x","confirm":true}`
	answers := make([]answer, 16)
	var group sync.WaitGroup
	for i := range answers {
		group.Go(func() { answers[i] = r.do("POST", "/v1/posts", body, key, header("Idempotency-Key", "same")) })
	}
	group.Wait()
	created := 0
	for _, a := range answers {
		switch {
		case a.Status == http.StatusCreated && a.Header.Get("Idempotency-Replayed") == "":
			created++
		case a.Status != http.StatusCreated &&
			(a.code() != core.CodeIdempotencyInProgress || a.Header.Get("Retry-After") == ""):
			t.Errorf("got %d %q: %s", a.Status, a.Header.Get("Retry-After"), a.Body)
		}
	}
	if created != 1 {
		t.Errorf("%d requests created", created)
	}
}
