package e2e

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// step is one request of a scenario, what it is answered, and what it changes. A name in angle brackets stands for an
// id: one that the scenario knows, one that an earlier step saved (in runSteps), or "<new draft>" and "<new queued>",
// posts that are created for this step alone.
type step struct {
	name     string
	plan     string   // that the workspace is put on first
	before   []string // requests that are sent first, as "PATCH /posts/<new draft> {…}"; "!" marks one that is refused
	caller   string   // who asks: "" is a key that may write; see cast
	call     string   // "POST /folders", under /v1; a path with a dot before it stands outside
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
	uploads   map[string]string // addresses, by the names under which their files were saved
}

// newScenario makes the keys of a workspace: to write (""), to read ("reader"), and such as let nobody in.
func (s *service) newScenario(workspace string, writer *client) *scenario {
	s.t.Helper()
	callers := map[string]*client{
		"": writer, "reader": s.newClient(s.createKey(workspace, "read")), "nobody": s.newClient("belfry_live_nobody"),
		"nameless": s.newClient("").withHeader("Authorization", ""),
	}
	return &scenario{
		service: s, workspace: workspace, callers: callers, owner: writer, uploads: map[string]string{},
	}
}

// newDemoScenario starts a service with a demo workspace, where a person ("session") is a caller too. Its accounts are
// known as "threads" and "facebook", and the Threads account's posts as "draft", "queued", "live" and "failed".
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

// waitForFailedFacebookPost waits until the refused post on Facebook has failed, and saves it as "failed on Facebook".
// The worker believes the refusal when half a lease and the settle time are over.
func (g *scenario) waitForFailedFacebookPost() {
	g.t.Helper()
	list := "/posts?status=failed&accountId=" + g.savedID("facebook")
	eventually(g.t, time.Minute, "the post on Facebook has failed", func() bool {
		for _, p := range g.owner.do("GET", list, nil).requireStatus(g.t, 200).Posts {
			g.savedIDs = append(g.savedIDs, "<failed on Facebook>", p.ID)
		}
		return g.savedID("failed on Facebook") != "<failed on Facebook>"
	})
}

// counts is everything that a request may leave behind.
type counts struct {
	files fileCounts
	rows  rowCounts
}

// countAll counts when no file is being written, as marks and receipts are now and then.
func (g *scenario) countAll() (all counts) {
	g.t.Helper()
	eventually(g.t, workerTimeout, "no file is being written", func() bool {
		all = counts{g.countFiles(g.owner), g.countRows()}
		return all.files.unfinished == 0
	})
	return all
}

// runAlone runs each step as a test of its own, in random order: no step may need what another has left.
func (g *scenario) runAlone(t *testing.T, steps []step) {
	t.Helper()
	for _, i := range rand.Perm(len(steps)) {
		t.Run(steps[i].name, func(t *testing.T) {
			alone := g.inTest(t)
			alone.createNew(steps[i])
			for _, request := range steps[i].before {
				alone.sendBefore(request)
			}
			alone.runStep(t, steps[i], alone.countAll())
		})
	}
}

// inTest returns a copy of the scenario that reports its failures to another test.
func (g *scenario) inTest(t testing.TB) *scenario {
	service, other := *g.service, *g
	service.t, other.service = t, &service
	other.owner, other.callers, other.savedIDs = g.owner.inTest(t), map[string]*client{}, slices.Clone(g.savedIDs)
	for name, c := range g.callers {
		other.callers[name] = c.inTest(t)
	}
	return &other
}

// createNew creates the posts that a step names as new.
func (g *scenario) createNew(step step) {
	g.t.Helper()
	requests := step.call + strings.Join(step.before, "")
	for status, when := range map[string]any{"draft": "draft", "queued": inDays(2)} {
		if name := "<new " + status + ">"; strings.Contains(requests, name) {
			created := g.callers[""].createPost("New", when, g.savedID("threads"))
			g.savedIDs = append(g.savedIDs, name, created.ID)
		}
	}
}

// sendBefore sends a request that comes before a step.
func (g *scenario) sendBefore(request string) {
	g.t.Helper()
	request, refused := strings.CutPrefix(strings.NewReplacer(g.savedIDs...).Replace(request), "!")
	method, rest, _ := strings.Cut(request, " ")
	path, body, _ := strings.Cut(rest, " ")
	var a answer
	if body == "" {
		a = g.callers[""].do(method, path, nil)
	} else {
		a = g.callers[""].do(method, path, body)
	}
	if refused != (a.Status >= 400) {
		g.t.Fatalf("before the step %s is answered %d %s", request, a.Status, a.Raw)
	}
}

// runSteps runs steps that build on each other, in their order.
func (g *scenario) runSteps(t *testing.T, steps []step) {
	t.Helper()
	now := g.countAll()
	for _, step := range steps {
		now = g.runStep(t, step, now)
	}
}

// runStep sends the request of a step, checks its answer, and waits until what there was before has changed as the
// step says. It returns what there is then.
func (g *scenario) runStep(t *testing.T, step step, before counts) (want counts) {
	t.Helper()
	if step.plan != "" {
		requireCommand(t, g.env, "", "workspace", "plan", "--workspace", g.workspace, "--plan", step.plan)
	}
	fill := strings.NewReplacer(g.savedIDs...)
	var a answer
	if step.uploadTo == "" {
		a = g.sendStep(step, fill)
	} else {
		a = putContent(t, g.uploads[step.uploadTo], step.body)
	}
	if wrong := a.findMismatch(step, fill.Replace(step.contains)); wrong != "" {
		t.Errorf("%s: answered %d %.1000s\nwant %d %s and %s", step.name, a.Status, a.Raw, step.status, step.code, wrong)
	}
	if step.saveAs != "" {
		if t.Failed() {
			t.FailNow() // the next steps need what was not made
		}
		id, address := readCreatedID(t, a)
		g.savedIDs, g.uploads[step.saveAs] = append([]string{"<" + step.saveAs + ">", id}, g.savedIDs...), address
	}
	want = counts{before.files.add(step.files), before.rows.add(step.rows)}
	var got counts
	if !waitUntil(workerTimeout, func() bool { got = g.countAll(); return got == want }) {
		t.Fatalf("after %q there are %+v; want %+v", step.name, got, want)
	}
	return want
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

// readCreatedID reads the id of what an answer made, of the first of several, and the upload address where there is
// one.
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
