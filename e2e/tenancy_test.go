package e2e

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
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

// routeCase is what a route with an id needs to be called.
type routeCase struct {
	kind    string // whose id it takes
	session bool   // a key may not call it
	body    any
}

// The goal: "Two workspaces: every verb with the other's ids answers `not_found`, byte for byte as for an unknown
// id." The list of routes is the program's own description; one without a row here fails.
func TestOtherWorkspacesIDsAreNotFound(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.serveUntilReady()
	ours, theirs := s.seedWorkspace(), s.seedWorkspace()
	rows := map[string]routeCase{
		"DELETE /accounts/{id}":         {kind: "account", session: true},
		"POST /accounts/{id}/reconnect": {kind: "account", session: true},
		"GET /groups/{id}":              {kind: "group"},
		"PATCH /groups/{id}":            {kind: "group", body: fields{"name": "Taken over"}},
		"DELETE /groups/{id}":           {kind: "group"},
		"DELETE /keys/{id}":             {kind: "key", session: true},
		"PATCH /members/{id}":           {kind: "member", session: true, body: fields{"role": "viewer"}},
		"DELETE /members/{id}":          {kind: "member", session: true},
		"GET /posts/{id}":               {kind: "post"},
		"PATCH /posts/{id}":             {kind: "post", body: fields{"text": "Taken over"}},
		"DELETE /posts/{id}":            {kind: "post"},
		"POST /posts/{id}/retry":        {kind: "post"},
		"POST /posts/{id}/cancel":       {kind: "post"},
		"POST /posts/{id}/duplicate":    {kind: "post"},
		"GET /posts/{id}/events":        {kind: "post"},
		"GET /folders/{id}":             {kind: "folder"},
		"PATCH /folders/{id}":           {kind: "folder", body: fields{"name": "Taken over"}},
		"DELETE /folders/{id}":          {kind: "folder"},
		"GET /media/{id}":               {kind: "media"},
		"PATCH /media/{id}":             {kind: "media", body: fields{"title": "Taken over"}},
		"DELETE /media/{id}":            {kind: "media"},
	}
	key, stranger := s.newClient(ours.Key), s.newClient(theirs.Key)
	session, _ := s.signIn(ours)
	them, _ := s.signIn(theirs)
	stranger.do(
		"POST", "/groups", fields{"name": "Theirs", "accountIds": []string{theirs.Accounts["threads"]}},
	).requireStatus(t, 201)
	stranger.do("POST", "/folders", fields{"name": "Theirs"}).requireStatus(t, 201)
	stranger.reserveUpload("theirs.jpg", 1000)
	ids, deleted := createOwnAndDeleted(key, session, ours)
	foreign := them.listIDs()
	before, own := them.readEverything(), session.readEverything()
	// wrong are all ids of a kind that are not to be found in our workspace.
	wrong := func(kind string) []string {
		return append(append(unknownIDs(foreign[kind][0]), foreign[kind]...), deleted[kind])
	}

	routes, places := s.describedRoutes()
	left := maps.Clone(rows)
	for _, route := range routes {
		method, path, _ := strings.Cut(route, " ")
		if !strings.Contains(path, "{id}") {
			continue
		}
		r, ok := rows[route]
		if !ok {
			t.Errorf("%s has no row in this test", route)
			continue
		}
		delete(left, route)
		c := key
		if r.session {
			c = session
		}
		var want string
		for _, id := range wrong(r.kind) {
			got := c.do(method, strings.Replace(path, "{id}", id, 1), r.body).requireStatus(t, 404).comparableBytes()
			if want == "" {
				want = got
			}
			if got != want || !strings.Contains(got, `"not_found"`) {
				t.Errorf("%s with %s answers\n%s\nwant\n%s", route, id, got, want)
			}
		}
	}
	for route := range left {
		t.Errorf("%s is no route any more", route)
	}

	// Ids within bodies, and filters.
	const draft, post = `"text":"Not ours"`, `"text":"Not ours","when":"now","confirm":true`
	bodies := map[string]struct{ kind, body string }{
		"GET /posts?accountId":           {kind: "account"},
		"GET /posts?groupId":             {kind: "group"},
		"GET /media?folderId":            {kind: "folder"},
		"POST /posts targets.accountIds": {"account", `{"targets":{"accountIds":["<account>","ID"]},` + post + `}`},
		"POST /posts targets.groupId": {
			"group", `{"targets":{"accountIds":["<account>"],"groupId":"ID"},` + post + `}`,
		},
		"POST /posts mediaIds": {
			"media", `{"targets":{"accountIds":["<account>"]},"mediaIds":["<media>","ID"],` + post + `}`,
		},
		"POST /posts/plan targets.accountIds": {"account", `{"targets":{"accountIds":["<account>","ID"]},` + draft + `}`},
		"POST /posts/plan targets.groupId":    {"group", `{"targets":{"groupId":"ID"},` + draft + `}`},
		"POST /posts/plan mediaIds": {
			"media", `{"targets":{"accountIds":["<account>"]},"mediaIds":["ID"],` + draft + `}`,
		},
		"PATCH /posts/{id} mediaIds":    {"media", `{"mediaIds":["<media>","ID"],"text":"Lost"}`},
		"POST /groups accountIds":       {"account", `{"name":"More","accountIds":["<account>","ID"]}`},
		"PATCH /groups/{id} accountIds": {"account", `{"name":"Lost","accountIds":["<account>","ID"]}`},
		"POST /folders parentId":        {"folder", `{"name":"More","parentId":"ID"}`},
		"PATCH /folders/{id} parentId":  {"folder", `{"name":"Lost","parentId":"ID"}`},
		"POST /media/uploads folderId": {
			"folder", `{"filename":"more.jpg","mime":"image/jpeg","size":1000,"folderId":"ID"}`,
		},
		"POST /media/from-url folderId": {"folder", `{"url":"https://93.184.215.14/more.jpg","folderId":"ID"}`},
		"PATCH /media/{id} folderId":    {"folder", `{"title":"Lost","folderId":"ID"}`},
		// A network's own id, which is not looked up here.
		"POST /posts perPlatform.youtube.playlistId":      {},
		"POST /posts/plan perPlatform.youtube.playlistId": {},
		"PATCH /posts/{id} settings.youtube.playlistId":   {},
	}
	known := strings.NewReplacer("<account>", ids["account"], "<media>", ids["media"])
	for _, place := range places {
		r, ok := bodies[place]
		if !ok {
			t.Errorf("%s is a place for an id and has no row in this test", place)
			continue
		}
		delete(bodies, place)
		if r.kind == "" {
			continue
		}
		var want string
		for _, id := range wrong(r.kind) {
			method, path, _ := strings.Cut(place, " ")
			var body any
			if r.body == "" {
				path += "=" + id
			} else {
				path, _, _ = strings.Cut(path, " ")
				path = strings.Replace(path, "{id}", ids[rows["GET "+path].kind], 1)
				body = strings.Replace(known.Replace(r.body), "ID", id, 1)
			}
			got := key.do(method, path, body).requireStatus(t, 404).comparableBytes()
			if want == "" {
				want = got
			}
			if got != want || !strings.Contains(got, `"not_found"`) {
				t.Errorf("%s with %s answers\n%s\nwant\n%s", place, id, got, want)
			}
		}
	}
	for place := range bodies {
		t.Errorf("%s is no place for an id any more", place)
	}
	if after := session.readEverything(); after != own {
		t.Errorf("what is ours has changed:\n%s\nwas\n%s", after, own)
	}
	if after := them.readEverything(); after != before {
		t.Errorf("what is theirs has changed:\n%s\nwas\n%s", after, before)
	}
}

// createOwnAndDeleted makes what takes ids: one of each kind that stays, and one that is deleted again.
func createOwnAndDeleted(key, session *client, seed seedResult) (own, deleted map[string]string) {
	key.t.Helper()
	own = map[string]string{
		"account": seed.Accounts["threads"], "post": key.createPost("Ours", "draft", seed.Accounts["threads"]).ID,
	}
	deleted = map[string]string{
		"account": seed.Accounts["facebook"], "post": key.createPost("Deleted", "draft", seed.Accounts["threads"]).ID,
	}
	for _, all := range []map[string]string{own, deleted} {
		name := "With " + all["post"]
		all["folder"] = key.do("POST", "/folders", fields{"name": name}).requireStatus(key.t, 201).ID
		all["group"] = key.do("POST", "/groups", fields{"name": name}).requireStatus(key.t, 201).ID
		all["media"] = key.reserveUpload(name, 1000).MediaID
		all["key"] = session.do("POST", "/keys", fields{"name": name, "scope": "read"}).requireStatus(key.t, 201).ID
		all["member"] = session.do(
			"POST", "/members", fields{"email": all["post"] + "@example.org", "role": "viewer"},
		).requireStatus(key.t, 201).ID
	}
	for kind, path := range listPaths {
		session.do("DELETE", path+"/"+deleted[kind], nil).requireStatus(key.t, 204)
	}
	return own, deleted
}

// unknownIDs are ids that are nobody's: an absent one, and such as cannot be.
func unknownIDs(like string) []string {
	kind, body, _ := strings.Cut(like, "_")
	absent := strings.Map(func(r rune) rune {
		if r == '7' {
			return '8'
		}
		return r
	}, body[10:])
	other := "post"
	if kind == other {
		other = "acc"
	}
	return []string{
		kind + "_" + body[:10] + absent[:len(absent)-1] + "0", "nonsense", kind + "_", other + "_" + body,
		strings.ToUpper(like), like + "0",
	}
}

// volatile are the headers that differ from answer to answer.
var volatile = []string{"X-Request-Id", "Date", "Ratelimit"}

// comparableBytes is all that an answer tells a client that compares it with another.
func (a answer) comparableBytes() string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(a.Header)) {
		if !slices.Contains(volatile, name) {
			lines = append(lines, name+": "+a.Header[name])
		}
	}
	return fmt.Sprintf("%d\n%s\n\n%s", a.Status, strings.Join(lines, "\n"), a.Raw)
}

// listPaths are where each kind of thing is listed, and deleted by its id.
var listPaths = map[string]string{
	"account": "/accounts", "group": "/groups", "key": "/keys", "post": "/posts", "folder": "/folders",
	"media": "/media", "member": "/members",
}

var idPattern = regexp.MustCompile(`"id":"((?:post|acc|grp|key|fld|med|usr)_[a-z0-9]+)"`)

// listIDs are the ids of a workspace, by what they identify.
func (c *client) listIDs() map[string][]string {
	c.t.Helper()
	all := map[string][]string{}
	for kind, path := range listPaths {
		for _, found := range idPattern.FindAllStringSubmatch(c.do("GET", path, nil).requireStatus(c.t, 200).Raw, -1) {
			all[kind] = append(all[kind], found[1])
		}
		if len(all[kind]) == 0 {
			c.t.Fatalf("%s lists nothing", path)
		}
	}
	return all
}

var lastUse = regexp.MustCompile(`"lastUsedAt":("[^"]*"|null)`)

// readEverything is all that a workspace shows of itself.
func (c *client) readEverything() string {
	c.t.Helper()
	var b strings.Builder
	for _, path := range []string{"/accounts", "/groups", "/keys", "/posts", "/folders", "/media", "/members"} {
		b.WriteString(lastUse.ReplaceAllString(c.do("GET", path, nil).requireStatus(c.t, 200).Raw, "") + "\n")
	}
	for _, id := range c.listIDs()["post"] {
		b.WriteString(c.do("GET", "/posts/"+id+"/events", nil).requireStatus(c.t, 200).Raw + "\n")
	}
	return b.String()
}
