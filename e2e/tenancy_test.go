package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// session signs a person of a seeded workspace in and answers a client of /v1 that carries the session.
func (s *service) session(seed seeded) (*client, *person) {
	s.t.Helper()
	p := newPerson(s.t, s.url).open("/sign-in").want(http.StatusOK)
	p.submit(testid("sign-in"), fill{"email": {seed.Email}, "password": {seed.Password}}).want(http.StatusOK)
	if len(p.all(testid("person"))) == 0 {
		s.t.Fatalf("signing in leads to %s: %s", p.at, p.words("main"))
	}
	var cookies []string
	for _, c := range p.client.Jar.Cookies(p.at) {
		cookies = append(cookies, c.Name+"="+c.Value)
	}
	c := s.client("")
	c.header = map[string]string{"Cookie": strings.Join(cookies, "; "), "Origin": s.url, "Sec-Fetch-Site": "same-origin", "Authorization": ""}
	return c, p
}

// routes reads the description of /v1: each route as "METHOD /path".
func (s *service) routes() []string {
	s.t.Helper()
	var doc struct {
		Paths map[string]map[string]json.RawMessage
	}
	status, _, raw := send(s.t, "GET", s.url+"/v1/openapi.json", nil, nil)
	if status != http.StatusOK {
		s.t.Fatalf("openapi.json answers %d", status)
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		s.t.Fatal(err)
	}
	var all []string
	for path, methods := range doc.Paths {
		for method := range methods {
			all = append(all, strings.ToUpper(method)+" "+strings.TrimPrefix(path, "/v1"))
		}
	}
	slices.Sort(all)
	return all
}

// row is what a route with an id needs to be called.
type row struct {
	kind    string // whose id it takes
	session bool   // a key may not call it
	body    any
}

// Must show: "Two workspaces: every verb with the other's ids answers `not_found`, byte for byte as for an unknown
// id." The list of routes is the program's own description; one without a row here fails.
func TestNoWorkspaceSeesAnothers(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.serve()
	ours, theirs := s.seed(), s.seed()
	rows := map[string]row{
		"DELETE /accounts/{id}":         {kind: "account", session: true},
		"POST /accounts/{id}/reconnect": {kind: "account", session: true},
		"GET /groups/{id}":              {kind: "group"},
		"PATCH /groups/{id}":            {kind: "group", body: fields{"name": "Taken over"}},
		"DELETE /groups/{id}":           {kind: "group"},
		"DELETE /keys/{id}":             {kind: "key", session: true},
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
	key, stranger := s.client(ours.Key), s.client(theirs.Key)
	session, _ := s.session(ours)
	them, _ := s.session(theirs)
	stranger.do("POST", "/groups", fields{"name": "Theirs", "accountIds": []string{theirs.Accounts["threads"]}}).want(t, 201)
	stranger.do("POST", "/folders", fields{"name": "Theirs"}).want(t, 201)
	stranger.do("POST", "/media/uploads", fields{"filename": "theirs.jpg", "mime": "image/jpeg", "size": 1000}).want(t, 201)
	foreign := them.ids()
	before := them.snapshot()

	for _, route := range s.routes() {
		method, path, _ := strings.Cut(route, " ")
		if !strings.Contains(path, "{id}") {
			continue
		}
		r, ok := rows[route]
		if !ok {
			t.Errorf("%s has no row in this test", route)
			continue
		}
		delete(rows, route)
		c := key
		if r.session {
			c = session
		}
		var want string
		for _, id := range append(unknown(foreign[r.kind][0]), foreign[r.kind]...) {
			got := c.do(method, strings.Replace(path, "{id}", id, 1), r.body).want(t, 404).bytes()
			if want == "" {
				want = got
			}
			if got != want || !strings.Contains(got, `"not_found"`) {
				t.Errorf("%s with %s answers\n%s\nwant\n%s", route, id, got, want)
			}
		}
	}
	for route := range rows {
		t.Errorf("%s is no route any more", route)
	}

	// Ids within bodies, and filters.
	account, group := foreign["account"][0], foreign["group"][0]
	for _, folder := range append(unknown(foreign["folder"][0]), foreign["folder"]...) {
		for path, body := range map[string]any{
			"/folders":        fields{"name": "Ours", "parentId": folder},
			"/media/uploads":  fields{"filename": "ours.jpg", "mime": "image/jpeg", "size": 1000, "folderId": folder},
			"/media/from-url": fields{"url": "https://93.184.215.14/ours.jpg", "folderId": folder},
		} {
			key.do("POST", path, body).want(t, 404)
		}
	}
	for _, tt := range []struct {
		method, path string
		body         func(account, group string) any
	}{
		{"POST", "/posts", func(account, _ string) any { return create("Not ours", "now", account) }},
		{"POST", "/posts", func(_, group string) any {
			return fields{"targets": fields{"groupId": group}, "text": "Not ours", "when": "now", "confirm": true}
		}},
		{"POST", "/posts/plan", func(account, _ string) any {
			return fields{"targets": fields{"accountIds": []string{account}}, "text": "Not ours"}
		}},
		{"POST", "/posts/plan", func(_, group string) any { return fields{"targets": fields{"groupId": group}, "text": "Not ours"} }},
		{"POST", "/groups", func(account, _ string) any { return fields{"name": "Ours", "accountIds": []string{account}} }},
	} {
		got := key.do(tt.method, tt.path, tt.body(account, group)).want(t, 404).bytes()
		for i, id := range unknown(account) {
			if other := key.do(tt.method, tt.path, tt.body(id, unknown(group)[i])).want(t, 404).bytes(); other != got {
				t.Errorf("%s %s answers\n%s\nto another's id, and to %s\n%s", tt.method, tt.path, got, id, other)
			}
		}
	}
	for _, filter := range []string{"accountId=" + account, "groupId=" + group} {
		if a := key.do("GET", "/posts?"+filter, nil); a.Status == 200 && len(a.Posts) != 0 {
			t.Errorf("GET /posts?%s shows another's posts: %s", filter, a.Raw)
		}
	}
	if after := them.snapshot(); after != before {
		t.Errorf("what is theirs has changed:\n%s\nwas\n%s", after, before)
	}
}

// unknown are ids that are nobody's: an absent one, and such as cannot be.
func unknown(like string) []string {
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
	return []string{kind + "_" + body[:10] + absent[:len(absent)-1] + "0", "nonsense", kind + "_", other + "_" + body, strings.ToUpper(like), like + "0"}
}

// volatile are the headers that differ from answer to answer.
var volatile = []string{"X-Request-Id", "Date", "Ratelimit"}

// bytes is all that an answer tells a client that compares it with another.
func (a answer) bytes() string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(a.Header)) {
		if !slices.Contains(volatile, name) {
			lines = append(lines, name+": "+a.Header[name])
		}
	}
	return fmt.Sprintf("%d\n%s\n\n%s", a.Status, strings.Join(lines, "\n"), a.Raw)
}

var anID = regexp.MustCompile(`"id":"((?:post|acc|grp|key|fld|med)_[a-z0-9]+)"`)

// ids are the ids of a workspace, by what they identify.
func (c *client) ids() map[string][]string {
	c.t.Helper()
	all := map[string][]string{}
	for kind, path := range map[string]string{"account": "/accounts", "group": "/groups", "key": "/keys", "post": "/posts", "folder": "/folders", "media": "/media"} {
		for _, found := range anID.FindAllStringSubmatch(c.do("GET", path, nil).want(c.t, 200).Raw, -1) {
			all[kind] = append(all[kind], found[1])
		}
		if len(all[kind]) == 0 {
			c.t.Fatalf("%s lists nothing", path)
		}
	}
	return all
}

var lastUse = regexp.MustCompile(`"lastUsedAt":("[^"]*"|null)`)

// snapshot is all that a workspace shows of itself.
func (c *client) snapshot() string {
	c.t.Helper()
	var b strings.Builder
	for _, path := range []string{"/accounts", "/groups", "/keys", "/posts", "/folders", "/media"} {
		b.WriteString(lastUse.ReplaceAllString(c.do("GET", path, nil).want(c.t, 200).Raw, "") + "\n")
	}
	for _, id := range c.ids()["post"] {
		b.WriteString(c.do("GET", "/posts/"+id+"/events", nil).want(c.t, 200).Raw + "\n")
	}
	return b.String()
}
