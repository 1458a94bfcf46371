package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"belfry/internal/app"
)

// One session copied a draft 6,003 times in 15 seconds.
func TestPagesAreLimitedByAddress(t *testing.T) {
	t.Parallel()
	r := open(t, func(c *app.Config) { c.LimitAddress = app.Rate{Max: 4, Window: 10 * time.Minute} })
	ws := r.Workspace("one")
	draft := ws.Draft("hello", ws.Account("threads"))
	b := r.as(ws)
	for range 19 { // and one to sign in
		b.post("/w/one/posts/"+draft.ID+"/duplicate").is(t, http.StatusSeeOther)
	}
	for _, refused := range []*page{
		b.post("/w/one/posts/" + draft.ID + "/duplicate"), b.get("/posts"), r.browser().get("/sign-in"),
		b.post("/posts", "text", "my words"),
	} {
		refused.is(t, http.StatusTooManyRequests).says(t, "Too many requests from this address.")
		if refused.Header.Get("Retry-After") == "" {
			t.Error("a program is not told how long to wait")
		}
		if told := textOf(refused.one(t, testid("fault"))); strings.Count(told, "Wait ") != 1 ||
			!strings.Contains(told, "Wait 11 minutes, then try again.") {
			t.Errorf("a person is told %q", told)
		}
	}
	b.post("/posts", "text", "my words").says(t, "my words")
	if style := b.get("/static/app.css"); style.StatusCode == http.StatusTooManyRequests {
		t.Error("static files are counted")
	}
	elsewhere := r.browser()
	elsewhere.peer = "203.0.113.9:4000"
	elsewhere.get("/sign-in").is(t, http.StatusOK)
	r.Clock.Advance(11 * time.Minute)
	b.get("/posts").is(t, http.StatusOK)
	if n := count(t, r, "SELECT count(*) FROM posts"); n != 20 {
		t.Errorf("%d posts", n)
	}
}
