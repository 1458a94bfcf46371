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
	name     string
	plan     string // that the workspace is put on first
	caller   string // who asks: "" is a key that may write; see cast
	call     string // "POST /folders", under /v1; a path with a dot before it stands outside
	body     string
	key      string // Idempotency-Key
	status   int
	code     string
	contains string // somewhere in the answer; " … " stands for what is between
	header   string // "Name: value" of the answer, or how it begins; "no Name"
	saveAs   string // the id of what was made, or of the first post
	files    fileCounts
	rows     rowCounts
	uploadTo string // to the upload address that was saved under this name, with the body as it is
}

// scenario is where steps are taken: who takes them, who counts what they leave, and the ids that are known before.
type scenario struct {
	*service
	workspace string
	callers   map[string]*client
	owner     *client
	savedIDs  []string
}

// newScenario makes the keys of a workspace: to write (""), to read ("reader"), and such as let nobody in.
func (s *service) newScenario(workspace string, writer *client) *scenario {
	s.t.Helper()
	return &scenario{service: s, workspace: workspace, owner: writer, callers: map[string]*client{
		"": writer, "reader": s.newClient(s.createKey(workspace, "read")), "nobody": s.newClient("belfry_live_nobody"),
		"nameless": s.newClient("").withHeader("Authorization", ""),
	}}
}

// newDemoScenario is a service with a demo workspace, where a person ("session") takes steps too. Its accounts, and the posts
// of the first in each state, are known by "threads", "facebook", "draft", "queued", "live" and "failed".
func newDemoScenario(t testing.TB, settings ...map[string]string) *scenario {
	t.Helper()
	s := newService(t, settings...)
	s.serveUntilReady()
	seed := s.seedWorkspace()
	g := s.newScenario(seed.Workspace, s.newClient(seed.Key))
	g.owner, _ = s.signIn(seed)
	g.callers["session"] = g.owner
	for network, id := range seed.Accounts {
		g.savedIDs = append(g.savedIDs, "<"+network+">", id)
	}
	for _, p := range g.owner.do("GET", "/posts?accountId="+seed.Accounts["threads"], nil).requireStatus(t, 200).Posts {
		g.savedIDs = append(g.savedIDs, "<"+p.Status+">", p.ID)
	}
	return g
}

// runSteps takes the steps one by one and counts what each leaves behind.
func (g *scenario) runSteps(t *testing.T, steps []step) {
	t.Helper()
	uploads, names := map[string]string{}, map[string]bool{}
	files, rows := g.countFiles(g.owner), g.countRows()
	for _, step := range steps {
		if names[step.name] {
			t.Fatalf("two steps are called %q", step.name)
		}
		names[step.name] = true
		if step.plan != "" {
			requireCommand(t, g.env, "", "workspace", "plan", "--workspace", g.workspace, "--plan", step.plan)
		}
		fill := strings.NewReplacer(g.savedIDs...)
		var a answer
		if step.uploadTo == "" {
			a = g.sendStep(step, fill)
		} else {
			a = putContent(t, uploads[step.uploadTo], step.body)
		}
		if wrong := a.findMismatch(step, fill.Replace(step.contains)); wrong != "" {
			t.Errorf("%s: answered %d %.1000s\nwant %d %s and %s", step.name, a.Status, a.Raw, step.status, step.code, wrong)
		}
		if step.saveAs != "" {
			id, address := readCreatedID(t, a)
			g.savedIDs, uploads[step.saveAs] = append([]string{"<" + step.saveAs + ">", id}, g.savedIDs...), address
		}
		files, rows = files.add(step.files), rows.add(step.rows)
		var shelf fileCounts
		var ledger rowCounts
		if !waitUntil(
			workerTimeout,
			func() bool {
				shelf, ledger = g.countFiles(g.owner), g.countRows()
				return shelf == files && ledger == rows
			},
		) {
			t.Fatalf("after %q there are %+v and %+v; want %+v and %+v", step.name, shelf, ledger, files, rows)
		}
		if t.Failed() && step.saveAs != "" {
			t.FailNow() // the next steps need what was not made
		}
	}
}

// sendStep makes the request of a step.
func (g *scenario) sendStep(step step, fill *strings.Replacer) answer {
	method, path, _ := strings.Cut(fill.Replace(step.call), " ")
	c := *g.callers[step.caller]
	if outside, ok := strings.CutPrefix(path, "."); ok {
		c.url, path = g.url, outside
	}
	var body any
	if step.body != "" {
		body = fill.Replace(step.body)
	}
	return c.doWithHeader(map[string]string{"Idempotency-Key": step.key}, method, path, body)
}

// findMismatch says what of an answer is not as the step wants it, "" if nothing is.
func (a answer) findMismatch(step step, says string) string {
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

// readCreatedID reads the id of what an answer made, of the first of several, and the upload address where there is one.
func readCreatedID(t testing.TB, a answer) (id, address string) {
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

func putContent(t testing.TB, address, content string) (a answer) {
	t.Helper()
	status, _, raw := sendRequest(t, http.MethodPut, address, nil, content)
	if err := json.Unmarshal(raw, &a); err != nil {
		t.Fatalf("PUT answers %d and no JSON: %s", status, raw)
	}
	a.Status, a.Raw = status, string(raw)
	return a
}
