package e2e

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// storageURL is where the service keeps its files. All processes of an installation share it.
func (s *service) storageURL() string {
	return cmp.Or(s.env["STORAGE_URL"], "file:"+filepath.Join(s.env["DATA_DIR"], "media"))
}

// startRole starts a process of the service with one role. A worker gets its own address and data folder, and the
// service's file storage.
func (s *service) startRole(role string) *process {
	s.t.Helper()
	env := maps.Clone(s.env)
	env["ROLES"] = role
	if role == "worker" {
		env["STORAGE_URL"] = s.storageURL()
		env["ADDR"], env["DATA_DIR"] = freeAddr(s.t), s.t.TempDir()
	}
	p := startBinary(s.t, s.binary, env, "serve")
	p.url = "http://" + env["ADDR"]
	return p
}

// waitUntilReady waits until the process is ready.
func (p *process) waitUntilReady(t testing.TB) *process {
	t.Helper()
	eventually(t, time.Minute, "the process is ready", func() bool { return p.hasExited() || respondsOK(p.url+"/readyz") })
	if p.hasExited() {
		t.Fatalf("the process ended at its start:\n%s", p.log)
	}
	return p
}

// waitUntilAlive waits until the process responds. Without a worker it does not become ready.
func (p *process) waitUntilAlive(t testing.TB) {
	t.Helper()
	eventually(t, time.Minute, "the process answers", func() bool { return respondsOK(p.url + "/livez") })
}

// The goal: "worker killed with -9 at 30 random moments while 200 posts go out: never one twice, never one
// lost; a Threads post goes out exactly once; a Facebook text caught inside its single call, with no trace
// at the network after the settle time, ends `outcome_unknown`, and nothing else does."
func TestWorkersKilledWhilePostsGoOut(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.startRole("web").waitUntilAlive(t)
	// A post in its call when its worker dies holds back the others of its account until the lease ends.
	const posts, kills, accounts = 200, 30, 40
	seed := s.seedWorkspace(fmt.Sprintf("--accounts=%d", accounts))
	c := s.newClient(seed.Key)

	// A call takes as long as at a real network, and two in a hundred requests are lost on the way.
	s.addFault(map[string]any{"kind": "slow", "call": "any", "delayMs": 60, "times": 0})
	for _, n := range []string{"07", "61"} {
		s.addFault(
			map[string]any{"kind": "drop_before_accept", "call": "publish", "match": "crash test 1" + n, "delayMs": 200},
		)
	}
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	ids, platforms := make([]string, posts), []string{"threads", "facebook"}
	made := 0
	for kill := range kills {
		worker := s.startRole("worker").waitUntilReady(t)
		// Some posts are new to this worker, the others were left by those before it.
		for ; made < posts*(kill+1)/kills; made++ {
			ids[made] = c.createPost(fmt.Sprintf("crash test %03d", made), "now", seed.account(platforms[made%2], made/2%accounts)).ID
		}
		<-time.After(time.Duration(random.IntN(700)) * time.Millisecond)
		worker.kill()
	}
	s.startRole("worker").waitUntilReady(t)

	count := map[string]int{}
	for _, id := range ids {
		count[waitUntilSettled(t, c, id)]++
	}
	visible := map[string]int{}
	for _, p := range s.visiblePosts() {
		visible[p.Text]++
	}
	unknown := 0
	for i, id := range ids {
		p, n := c.getPost(id), visible[fmt.Sprintf("crash test %03d", i)]
		switch {
		case p.Status == "live" && n == 1 && p.ExternalID != nil:
		case p.Status == "failed" && p.Error.Code == "outcome_unknown" && p.Platform == "facebook" && n == 0:
			unknown++
		default:
			t.Errorf("%s post %d is %s (%+v) and visible %d times", p.Platform, i, p.Status, p.Error, n)
		}
	}
	t.Logf("%d kills, %d posts: %v, of these %d with an unknown outcome", kills, posts, count, unknown)
}

// waitUntilSettled waits until the post is in its final status and no retry is planned, and returns the status.
func waitUntilSettled(t testing.TB, c *client, id string) string {
	t.Helper()
	var p post
	eventually(t, 2*time.Minute, "the post "+id+" is settled", func() bool {
		if p = c.getPost(id); p.Status == "queued" {
			return false
		}
		return !slices.Contains(c.eventKinds(id), "retriedByWorker")
	})
	return p.Status
}

// eventKinds returns the kinds of a post's events, oldest first.
func (c *client) eventKinds(id string) []string {
	c.t.Helper()
	var kinds []string
	for _, e := range c.do("GET", "/posts/"+id+"/events", nil).requireStatus(c.t, 200).Events {
		kinds = append(kinds, e.Kind)
	}
	return kinds
}

// countOpenCalls counts the calls that a network has received and not answered.
func (s *service) countOpenCalls(network, call string) int { return s.countCalls(network, call, 0) }

// countCalls counts the calls that a network has answered with a status.
func (s *service) countCalls(network, call string, status int) int {
	s.t.Helper()
	var out struct {
		Calls []struct {
			Network, Call string
			Status        int
		}
	}
	if err := json.Unmarshal(s.callSandbox("GET", "calls", nil), &out); err != nil {
		s.t.Fatal(err)
	}
	n := 0
	for _, c := range out.Calls {
		if c.Network == network && c.Call == call && c.Status == status {
			n++
		}
	}
	return n
}

// The goal: "Takeover within lease + 2 s, the settle time on top where it applies." Measured from the kill of
// a worker that holds a post inside each of its calls, with another worker beside it.
func TestAnotherWorkerTakesOverWithinTheLease(t *testing.T) {
	t.Parallel()
	const lease, settle, slack = 12 * time.Second, 8 * time.Second, 2 * time.Second
	s := newService(
		t, map[string]string{"LEASE": lease.String(), "FACEBOOK_SETTLE": settle.String(), "THREADS_SETTLE": settle.String()},
	)
	s.startRole("web").waitUntilAlive(t)
	first := s.startRole("worker").waitUntilReady(t)
	seed := s.seedWorkspace("--accounts=5")
	c := s.newClient(seed.Key)

	tests := []struct {
		network, call string
		fault         map[string]any
		ends          string
		within        time.Duration
		visible       int
	}{
		{"threads", "create", map[string]any{"kind": "slow", "delayMs": 30000}, "live", lease, 1},
		{"threads", "publish", map[string]any{"kind": "slow", "delayMs": 30000, "accept": true}, "live", lease, 1},
		{"threads", "publish", map[string]any{"kind": "drop_before_accept", "delayMs": 5000}, "live", lease + settle, 1},
		{"facebook", "publish", map[string]any{"kind": "slow", "delayMs": 30000, "accept": true}, "live", lease + settle, 1},
		{"facebook", "publish", map[string]any{"kind": "drop_before_accept", "delayMs": 5000}, "failed", lease + settle, 0},
	}
	ids, texts, calls := make([]string, len(tests)), make([]string, len(tests)), map[[2]string]int{}
	for i, tt := range tests {
		texts[i] = fmt.Sprintf("taken over, case %d", i)
		tt.fault["network"], tt.fault["call"], tt.fault["match"] = tt.network, tt.call, texts[i]
		s.addFault(tt.fault)
		calls[[2]string{tt.network, tt.call}]++
		ids[i] = c.createPost(texts[i], "now", seed.account(tt.network, i)).ID
	}
	for call, n := range calls {
		eventually(
			t, 5*time.Second, fmt.Sprintf("the worker is inside %v", call),
			func() bool { return s.countOpenCalls(call[0], call[1]) == n },
		)
	}
	s.startRole("worker").waitUntilReady(t)
	first.kill()
	killed := time.Now()

	took := make([]time.Duration, len(tests))
	eventually(t, time.Minute, "all posts have come to their end", func() bool {
		left := 0
		for i, tt := range tests {
			if took[i] == 0 && c.getPost(ids[i]).Status == tt.ends {
				took[i] = time.Since(killed)
			}
			if took[i] == 0 {
				left++
			}
		}
		return left == 0
	})
	for i, tt := range tests {
		t.Logf(
			"%s, %s in %s: %s %.1f s after the kill; bound %s + 2 s", tt.network, tt.fault["kind"], tt.call, tt.ends,
			took[i].Seconds(), tt.within,
		)
		if took[i] > tt.within+slack {
			t.Errorf("case %d: %s after %s, want within %s", i, tt.ends, took[i], tt.within+slack)
		}
	}
	if p := c.getPost(ids[4]); p.Error == nil || p.Error.Code != "outcome_unknown" {
		t.Errorf("a Facebook text that left no trace has the error %+v, want outcome_unknown", p.Error)
	}
	for i, tt := range tests {
		if n := s.countVisible(texts[i]); n != tt.visible {
			t.Errorf("case %d is visible %d times, want %d", i, n, tt.visible)
		}
	}
}

// countVisible counts the public posts with a text.
func (s *service) countVisible(text string) int {
	s.t.Helper()
	n := 0
	for _, p := range s.visiblePosts() {
		if p.Text == text {
			n++
		}
	}
	return n
}

// A worker that is told to stop ends its call, starts no irreversible one and gives its lease back: the next
// one goes on at once, however long the lease is.
func TestStoppedWorkerHandsItsPostsOver(t *testing.T) {
	t.Parallel()
	s := newService(t, map[string]string{"LEASE": "10m"})
	s.startRole("web").waitUntilAlive(t)
	seed := s.seedWorkspace()
	c := s.newClient(seed.Key)
	first := s.startRole("worker").waitUntilReady(t)
	s.addFault(map[string]any{"kind": "slow", "network": "threads", "call": "create", "delayMs": 1500})
	p := c.createPost("left to the next", "now", seed.Accounts["threads"])
	eventually(
		t, 10*time.Second, "the worker is in its call", func() bool { return s.countOpenCalls("threads", "create") == 1 },
	)
	first.requireStop(t)
	if code := first.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("the stopped worker ends with %d, want 0", code)
	}
	if now := c.getPost(p.ID); now.Status != "queued" {
		t.Errorf("after the stop the post is %s, want queued", now.Status)
	}
	s.startRole("worker").waitUntilReady(t)
	c.waitForStatus(p.ID, "live", 15*time.Second)
	if n := s.countVisible("left to the next"); n != 1 {
		t.Errorf("visible %d times, want once", n)
	}
}
