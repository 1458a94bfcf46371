package e2e

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// step is one request of a scenario, what it is answered, and what it changes. Each one finds what those
// before it have left. A name in angle brackets stands for the id that a step saved under it.
type step struct {
	name   string
	plan   string // that the workspace is put on first
	by     string // who asks: "" is a key that may write; see cast
	call   string // "POST /folders", under /v1; a path with a dot before it stands outside
	body   string
	key    string // Idempotency-Key
	status int
	code   string
	says   string // somewhere in the answer; " … " stands for what is between
	header string // "Name: value" of the answer, or how it begins; "no Name"
	saves  string // the id of what was made, or of the first post
	leaves shelf
	counts ledger
	puts   string // to the upload address that was saved under this name, with the body as it is
}

// stage is where steps are taken: who takes them, who counts what they leave, and the ids that are known before.
type stage struct {
	*service
	workspace string
	cast      map[string]*client
	counter   *client
	saved     []string
}

// stage makes the keys of a workspace: to write (""), to read ("reader"), and such as let nobody in.
func (s *service) stage(workspace string, writer *client) *stage {
	s.t.Helper()
	return &stage{service: s, workspace: workspace, counter: writer, cast: map[string]*client{
		"": writer, "reader": s.client(s.key(workspace, "read")), "nobody": s.client("belfry_live_nobody"), "nameless": s.client("").headed("Authorization", ""),
	}}
}

// demo is a service with a demo workspace, where a person ("session") takes steps too. Its accounts, and the posts
// of the first in each state, are known by "threads", "facebook", "draft", "queued", "live" and "failed".
func demo(t testing.TB, settings ...map[string]string) *stage {
	t.Helper()
	s := newService(t, settings...)
	s.serve()
	seed := s.seed()
	g := s.stage(seed.Workspace, s.client(seed.Key))
	g.counter, _ = s.session(seed)
	g.cast["session"] = g.counter
	for network, id := range seed.Accounts {
		g.saved = append(g.saved, "<"+network+">", id)
	}
	for _, p := range g.counter.do("GET", "/posts?accountId="+seed.Accounts["threads"], nil).want(t, 200).Posts {
		g.saved = append(g.saved, "<"+p.Status+">", p.ID)
	}
	return g
}

// walk takes the steps one by one and counts what each leaves behind.
func (g *stage) walk(t *testing.T, steps []step) {
	t.Helper()
	uploads, names := map[string]string{}, map[string]bool{}
	files, rows := g.shelf(g.counter), g.ledger()
	for _, step := range steps {
		if names[step.name] {
			t.Fatalf("two steps are called %q", step.name)
		}
		names[step.name] = true
		if step.plan != "" {
			mustCommand(t, g.env, "", "workspace", "plan", "--workspace", g.workspace, "--plan", step.plan)
		}
		fill := strings.NewReplacer(g.saved...)
		var a answer
		if step.puts == "" {
			a = g.take(step, fill)
		} else {
			a = putTo(t, uploads[step.puts], step.body)
		}
		if wrong := a.differs(step, fill.Replace(step.says)); wrong != "" {
			t.Errorf("%s: answered %d %.1000s\nwant %d %s and %s", step.name, a.Status, a.Raw, step.status, step.code, wrong)
		}
		if step.saves != "" {
			id, address := made(t, a)
			g.saved, uploads[step.saves] = append([]string{"<" + step.saves + ">", id}, g.saved...), address
		}
		files, rows = files.plus(step.leaves), rows.plus(step.counts)
		var shelf shelf
		var ledger ledger
		if !poll(waits, func() bool { shelf, ledger = g.shelf(g.counter), g.ledger(); return shelf == files && ledger == rows }) {
			t.Fatalf("after %q there are %+v and %+v; want %+v and %+v", step.name, shelf, ledger, files, rows)
		}
		if t.Failed() && step.saves != "" {
			t.FailNow() // the next steps need what was not made
		}
	}
}

// take makes the request of a step.
func (g *stage) take(step step, fill *strings.Replacer) answer {
	method, path, _ := strings.Cut(fill.Replace(step.call), " ")
	c := *g.cast[step.by]
	if outside, ok := strings.CutPrefix(path, "."); ok {
		c.url, path = g.url, outside
	}
	var body any
	if step.body != "" {
		body = fill.Replace(step.body)
	}
	return c.with(map[string]string{"Idempotency-Key": step.key}, method, path, body)
}

// differs says what of an answer is not as the step wants it, "" if nothing is.
func (a answer) differs(step step, says string) string {
	switch name, value, _ := strings.Cut(step.header, ": "); {
	case a.Status != step.status || a.Code != step.code:
		return "the status and the code"
	case a.Status >= 400 && a.Message == "":
		return "a message"
	case strings.HasPrefix(name, "no "):
		if a.Header[name[len("no "):]] != "" {
			return step.header
		}
	case name != "" && (a.Header[name] == "" || !strings.HasPrefix(a.Header[name], value)):
		return "the header " + step.header
	case a.Status == 429 && a.Header["Retry-After"] == "":
		return "the header Retry-After"
	case a.Status == 402 && !strings.Contains(a.Raw, `"upgradeUrl":"http`):
		return "an address to upgrade at"
	}
	rest := a.Raw
	for part := range strings.SplitSeq(says, " … ") {
		_, after, found := strings.Cut(rest, part)
		if !found {
			return part
		}
		rest = after
	}
	return ""
}

// made reads the id of what an answer made, of the first of several, and the upload address where there is one.
func made(t testing.TB, a answer) (id, address string) {
	t.Helper()
	var u upload
	if err := json.Unmarshal([]byte(a.Raw), &u); err != nil {
		t.Fatal(err)
	}
	if u.MediaID != "" {
		return u.MediaID, u.UploadURL
	}
	if len(a.Posts) > 0 {
		return a.Posts[0].ID, ""
	}
	return a.ID, ""
}

func putTo(t testing.TB, address, content string) (a answer) {
	t.Helper()
	status, _, raw := send(t, http.MethodPut, address, nil, content)
	if err := json.Unmarshal(raw, &a); err != nil {
		t.Fatalf("PUT answers %d and no JSON: %s", status, raw)
	}
	a.Status, a.Raw = status, string(raw)
	return a
}
