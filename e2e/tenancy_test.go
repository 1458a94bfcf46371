package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// signIn signs a person of a seeded workspace in and answers a client of /v1 that carries the session.
func (s *service) signIn(seed seedResult) (*client, *person) {
	s.t.Helper()
	p := newPerson(s.t, s.url).openLink("/sign-in").requireStatus(http.StatusOK)
	p.submitForm(
		testid("sign-in"), formInput{"email": {seed.Email}, "password": {seed.Password}},
	).requireStatus(http.StatusOK)
	if len(p.findAll(testid("person"))) == 0 {
		s.t.Fatalf("signing in leads to %s: %s", p.at, p.visibleText("main"))
	}
	var cookies []string
	for _, c := range p.client.Jar.Cookies(p.at) {
		cookies = append(cookies, c.Name+"="+c.Value)
	}
	c := s.newClient("")
	c.header = map[string]string{
		"Cookie": strings.Join(cookies, "; "), "Origin": s.url, "Sec-Fetch-Site": "same-origin", "Authorization": "",
	}
	return c, p
}

// The goal: "Two workspaces: every verb with the other's ids answers `not_found`, byte for byte as for an unknown id."
// The tests of api try every route; this one shows that the built program is no different.
func TestOtherWorkspacesIDsAreNotFound(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.serveUntilReady()
	ours, theirs := s.seedWorkspace(), s.seedWorkspace()
	key, stranger := s.newClient(ours.Key), s.newClient(theirs.Key)
	account := theirs.Accounts["threads"]
	post := stranger.createPost("Theirs", "draft", account).ID
	noPost, noAccount := "post_"+strings.TrimPrefix(account, "acc_"), "acc_"+strings.TrimPrefix(post, "post_")
	for _, c := range []struct{ method, path, body, id, unknown string }{
		{"GET", "/posts/ID", "", post, noPost},
		{"PATCH", "/posts/ID", `{"text":"Taken over"}`, post, noPost},
		{"DELETE", "/posts/ID", "", post, noPost},
		{"POST", "/posts", `{"targets":{"accountIds":["ID"]},"text":"x","confirm":true}`, account, noAccount},
	} {
		ask := func(id string) string {
			var body any
			if c.body != "" {
				body = strings.Replace(c.body, "ID", id, 1)
			}
			a := key.do(c.method, strings.Replace(c.path, "ID", id, 1), body).requireStatus(t, http.StatusNotFound)
			for _, differs := range []string{"X-Request-Id", "Date", "Ratelimit"} {
				delete(a.Header, differs)
			}
			return fmt.Sprintf("%v\n%s", a.Header, a.Raw)
		}
		if got, want := ask(c.id), ask(c.unknown); got != want || !strings.Contains(got, `"not_found"`) {
			t.Errorf("%s %s answers\n%s\nwant\n%s", c.method, c.path, got, want)
		}
	}
	if p := stranger.getPost(post); p.Text != "Theirs" {
		t.Errorf("their post is %+v", p)
	}
}
