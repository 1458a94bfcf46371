package web_test

import (
	"net/http"
	"testing"
)

func TestWritesComeFromOurOwnPages(t *testing.T) {
	t.Parallel()
	r := open(t)
	ws := r.Workspace("one")
	post := ws.Draft("hello", ws.Account("threads"))
	b := r.as(ws)
	for _, mix := range []struct {
		name, site, origin string
		allowed            bool
	}{
		{"our page", "same-origin", "http://localhost:8080", true},
		{"our page without an origin", "same-origin", "", true},
		{"an old browser", "", "http://localhost:8080", true},
		{"typed by the person", "none", "", true},
		{"another site", "cross-site", "https://evil.example", false},
		{"another site that hides", "cross-site", "", false},
		{"another site that lies about its origin", "cross-site", "null", false},
		{"a neighbour", "same-site", "http://other.localhost:8080", false},
		{"another port", "", "http://localhost:9090", false},
		{"an old browser on another site", "", "https://evil.example", false},
		{"an old browser on a page without an origin", "", "null", false},
		{"no word of where from", "", "", false},
	} {
		want := http.StatusForbidden
		if mix.allowed {
			want = http.StatusSeeOther
		}
		headers := []string{"Sec-Fetch-Site", mix.site, "Origin", mix.origin}
		if got := b.send(http.MethodPost, "/posts/"+post.ID+"/duplicate", "", headers...); got.StatusCode != want {
			t.Errorf("%s: want %d, got %d", mix.name, want, got.StatusCode)
		}
		stranger := r.browser().send(http.MethodPost, "/sign-in", "email=a%40example.org&password=x", headers...)
		if refused := stranger.StatusCode == http.StatusForbidden; refused == mix.allowed {
			t.Errorf("%s, signing in: got %d", mix.name, stranger.StatusCode)
		}
	}
	page := b.send(http.MethodPost, "/sign-out", "", "Sec-Fetch-Site", "cross-site")
	page.is(t, http.StatusForbidden).one(t, testid("fault")+`[data-status="403"]`)
	b.get("/posts").is(t, http.StatusOK)
}
