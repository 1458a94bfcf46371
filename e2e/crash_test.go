package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// role makes a process of the service that has one role and, as a worker, its own address and folder.
func (s *service) role(role string) *process {
	s.t.Helper()
	env := maps.Clone(s.env)
	env["ROLES"] = role
	if role == "worker" {
		env["ADDR"], env["DATA_DIR"] = freeAddr(s.t), s.t.TempDir()
	}
	p := start(s.t, env, "serve")
	p.url = "http://" + env["ADDR"]
	return p
}

// up waits until a process serves.
func (p *process) up(t testing.TB) *process {
	t.Helper()
	eventually(t, time.Minute, "the process is ready", func() bool { return p.exited() || reachable(p.url+"/readyz") })
	if p.exited() {
		t.Fatalf("the process ended at its start:\n%s", p.log)
	}
	return p
}

// alive waits until a process answers; without a worker it is not ready.
func (p *process) alive(t testing.TB) {
	t.Helper()
	eventually(t, time.Minute, "the process answers", func() bool { return reachable(p.url + "/livez") })
}

// The goal: "worker killed with -9 at 30 random moments while 200 posts go out: never one twice, never one
// lost; a Threads post goes out exactly once; a Facebook text caught inside its single call, with no trace
// at the network after the settle time, ends `outcome_unknown`, and nothing else does."
func TestWorkersKilledWhilePostsGoOut(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.role("web").alive(t)
	seed := s.seed()
	c := s.client(seed.Key)
	const posts, kills = 200, 30

	// A call takes as long as at a real network, and two in a hundred requests are lost on the way.
	s.fault(map[string]any{"kind": "slow", "call": "any", "delayMs": 60, "times": 0})
	for _, n := range []string{"07", "61"} {
		s.fault(map[string]any{"kind": "drop_before_accept", "call": "publish", "match": "crash test 1" + n, "delayMs": 200})
	}
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	ids, platforms := make([]string, posts), []string{"threads", "facebook"}
	made := 0
	for kill := range kills {
		worker := s.role("worker").up(t)
		// Some posts are new to this worker, the others were left by those before it.
		for ; made < posts*(kill+1)/kills; made++ {
			ids[made] = c.post(fmt.Sprintf("crash test %03d", made), "now", seed.Accounts[platforms[made%2]]).ID
		}
		<-time.After(time.Duration(random.IntN(700)) * time.Millisecond)
		worker.kill()
	}
	s.role("worker").up(t)

	count := map[string]int{}
	for _, id := range ids {
		count[settled(t, c, id)]++
	}
	visible := map[string]int{}
	for _, p := range s.visible() {
		visible[p.Text]++
	}
	unknown := 0
	for i, id := range ids {
		p, n := c.get(id), visible[fmt.Sprintf("crash test %03d", i)]
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

// settled waits until nothing more will happen to a post by itself.
func settled(t testing.TB, c *client, id string) string {
	t.Helper()
	var p post
	eventually(t, 2*time.Minute, "the post "+id+" is settled", func() bool {
		if p = c.get(id); p.Status == "queued" {
			return false
		}
		return !slices.Contains(c.kinds(id), "retriedByWorker")
	})
	return p.Status
}

// kinds are the kinds of a post's events, oldest first.
func (c *client) kinds(id string) []string {
	c.t.Helper()
	var kinds []string
	for _, e := range c.do("GET", "/posts/"+id+"/events", nil).want(c.t, 200).Events {
		kinds = append(kinds, e.Kind)
	}
	return kinds
}

// unanswered counts the calls of a name that are under way at the networks.
func (s *service) unanswered(network, call string) int { return s.answered(network, call, 0) }

// answered counts the calls of a name that the networks have answered with a status.
func (s *service) answered(network, call string, status int) int {
	s.t.Helper()
	var out struct {
		Calls []struct {
			Network, Call string
			Status        int
		}
	}
	if err := json.Unmarshal(s.control("GET", "calls", nil), &out); err != nil {
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
func TestTakeoverWithinTheLease(t *testing.T) {
	t.Parallel()
	const lease, settle, slack = 12 * time.Second, 8 * time.Second, 2 * time.Second
	s := newService(t, map[string]string{"LEASE": lease.String(), "FACEBOOK_SETTLE": settle.String(), "THREADS_SETTLE": settle.String()})
	s.role("web").alive(t)
	first := s.role("worker").up(t)
	seed := s.seed()
	c := s.client(seed.Key)

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
		s.fault(tt.fault)
		calls[[2]string{tt.network, tt.call}]++
		ids[i] = c.post(texts[i], "now", seed.Accounts[tt.network]).ID
	}
	for call, n := range calls {
		eventually(t, 5*time.Second, fmt.Sprintf("the worker is inside %v", call), func() bool { return s.unanswered(call[0], call[1]) == n })
	}
	s.role("worker").up(t)
	first.kill()
	killed := time.Now()

	took := make([]time.Duration, len(tests))
	eventually(t, time.Minute, "all posts have come to their end", func() bool {
		left := 0
		for i, tt := range tests {
			if took[i] == 0 && c.get(ids[i]).Status == tt.ends {
				took[i] = time.Since(killed)
			}
			if took[i] == 0 {
				left++
			}
		}
		return left == 0
	})
	for i, tt := range tests {
		t.Logf("%s, %s in %s: %s %.1f s after the kill; bound %s + 2 s", tt.network, tt.fault["kind"], tt.call, tt.ends, took[i].Seconds(), tt.within)
		if took[i] > tt.within+slack {
			t.Errorf("case %d: %s after %s, want within %s", i, tt.ends, took[i], tt.within+slack)
		}
	}
	if p := c.get(ids[4]); p.Error == nil || p.Error.Code != "outcome_unknown" {
		t.Errorf("a Facebook text that left no trace has the error %+v, want outcome_unknown", p.Error)
	}
	for i, tt := range tests {
		if n := s.seen(texts[i]); n != tt.visible {
			t.Errorf("case %d is visible %d times, want %d", i, n, tt.visible)
		}
	}
}

// seen counts the visible posts with a text.
func (s *service) seen(text string) int {
	s.t.Helper()
	n := 0
	for _, p := range s.visible() {
		if p.Text == text {
			n++
		}
	}
	return n
}

// A worker that is told to stop ends its call, starts no irreversible one and gives its lease back: the next
// one goes on at once, however long the lease is.
func TestAStoppedWorkerLeavesItsPostsToTheNext(t *testing.T) {
	t.Parallel()
	s := newService(t, map[string]string{"LEASE": "10m"})
	s.role("web").alive(t)
	seed := s.seed()
	c := s.client(seed.Key)
	first := s.role("worker").up(t)
	s.fault(map[string]any{"kind": "slow", "network": "threads", "call": "create", "delayMs": 1500})
	p := c.post("left to the next", "now", seed.Accounts["threads"])
	eventually(t, 10*time.Second, "the worker is in its call", func() bool { return s.unanswered("threads", "create") == 1 })
	first.stop(t)
	if code := first.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("the stopped worker ends with %d, want 0", code)
	}
	if now := c.get(p.ID); now.Status != "queued" {
		t.Errorf("after the stop the post is %s, want queued", now.Status)
	}
	s.role("worker").up(t)
	c.becomes(p.ID, "live", 15*time.Second)
	if n := s.seen("left to the next"); n != 1 {
		t.Errorf("visible %d times, want once", n)
	}
}
