package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

const fewStops = 3

var stops = flag.Int("stops", fewStops, "at how many random moments the service is told to stop")

// The goal: "SIGTERM at 200 random moments: exit within 30 s, no answer of the API cut, leases released." A process
// serves and publishes; another takes over what it leaves, although a lease lasts ten minutes. Every post that was
// answered with 201 is live once, and no other is.
func TestStopsAtRandomMoments(t *testing.T) {
	t.Parallel()
	const programs, exitWithin, takeover = 4, 30 * time.Second, time.Second
	const many = 10 // accounts of each network: the posts of one go out one after another
	s := newService(t, map[string]string{"LEASE": "10m", "LOG_LEVEL": "info"})
	s.serveUntilReady()
	running := s
	seed := s.seedWorkspace(fmt.Sprint("--accounts=", many))
	s.addFault(fields{"kind": "slow", "call": "any", "delayMs": 40, "times": 0})
	db, err := pgx.Connect(t.Context(), s.env["DATABASE_URL"])
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(context.WithoutCancel(t.Context()))

	created := map[string]bool{} // by text; false for a request without an answer
	var answered, closed int
	var exits, takeovers []time.Duration
	for stop := range *stops {
		next := running.startReplica()
		var all sync.WaitGroup
		calls := make([]*caller, programs)
		for i := range calls {
			calls[i] = &caller{url: running.url, seed: seed, name: fmt.Sprintf("stop %03d program %d", stop, i)}
			all.Go(func() { calls[i].callUntilRefused(t) })
		}
		<-time.After(time.Duration(200+rand.IntN(800)) * time.Millisecond)
		told := time.Now()
		running.process.requireStop(t)
		if code := running.process.cmd.ProcessState.ExitCode(); code != 0 {
			t.Errorf("the service ends with %d", code)
		}
		for line := range strings.Lines(running.process.log.String()) {
			if strings.Contains(line, "level=ERROR") {
				t.Errorf("a stop is no error: %s", line)
			}
		}
		exits = append(exits, time.Since(told))
		takeovers = append(takeovers, running.process.timeUntilTakenOver(t, db))
		all.Wait()
		for _, c := range calls {
			answered, closed = answered+c.answered, closed+c.closed
			maps.Copy(created, c.made)
			for _, text := range c.unanswered { // what was not answered must not have been done
				created[text] = false
			}
		}
		running = next
	}

	wanted := 0
	for _, yes := range created {
		if yes {
			wanted++
		}
	}
	visible := map[string]int{}
	eventually(t, 2*time.Minute, "every post that was created is visible", func() bool {
		clear(visible)
		n := 0
		for _, p := range s.visiblePosts() {
			if _, ours := created[p.Text]; ours {
				visible[p.Text]++
				n++
			}
		}
		return n >= wanted
	})
	for text, yes := range created {
		if n := visible[text]; yes != (n == 1) || n > 1 {
			t.Errorf("%q: created %v, visible %d times", text, yes, n)
		}
	}
	exit, over := slices.Max(exits), slices.Max(takeovers)
	t.Logf("%d stops, %d answers, none cut; %d requests were refused while it stopped and had no effect",
		*stops, answered, closed)
	t.Logf("%d posts created, each live once; exit after %.2f s at most, takeover after %.2f s at most", wanted,
		exit.Seconds(), over.Seconds())
	if exit > exitWithin || *stops > fewStops && over > takeover { // a few stops beside other tests prove no times
		t.Errorf("exit after %s, takeover after %s at most", exit, over)
	}
}

// timeUntilTakenOver returns how long after the process's exit other workers have claimed what it left to do.
func (p *process) timeUntilTakenOver(t testing.TB, db *pgx.Conn) time.Duration {
	t.Helper()
	var exit time.Time
	if err := db.QueryRow(t.Context(), `SELECT clock()`).Scan(&exit); err != nil {
		t.Fatal(err)
	}
	began, own := time.Now(), fmt.Sprintf("%%/%d/%%", p.cmd.Process.Pid)
	eventually(t, time.Minute, "what the stopped process left is taken over", func() (done bool) {
		if err := db.QueryRow(t.Context(), `
			SELECT NOT EXISTS (SELECT FROM publications WHERE next_action_at <= $1
				AND (lease_until IS NULL OR lease_until <= clock() OR lease_owner LIKE $2))`, exit, own).Scan(&done); err != nil {
			t.Fatal(err)
		}
		return done
	})
	return time.Since(began)
}

// caller is a program that calls the API of a process until it stops.
type caller struct {
	url, name  string
	seed       seedResult
	made       map[string]bool // the texts of the posts that the API says it has created
	unanswered []string        // those of the requests without an answer
	answered   int
	closed     int // requests that were refused while it stopped
}

// callUntilRefused creates and reads posts, each request on a connection of its own, until no connection is accepted.
func (c *caller) callUntilRefused(t testing.TB) {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Minute}
	c.made = map[string]bool{}
	for n := 0; ; n++ {
		text := fmt.Sprintf("%s post %03d", c.name, n)
		method, path, body, want := http.MethodGet, "/v1/posts?limit=20", []byte(nil), http.StatusOK
		if n%3 == 0 {
			platform := []string{"threads", "facebook"}[n/3%2]
			method, path, want = http.MethodPost, "/v1/posts", http.StatusCreated
			body, _ = json.Marshal(newPostBody(text, "now", c.seed.account(platform, rand.IntN(len(c.seed.MoreAccounts[platform])+1))))
		}
		r, err := http.NewRequestWithContext(t.Context(), method, c.url+path, bytes.NewReader(body))
		if err != nil {
			t.Error(err)
			return
		}
		r.Header.Set("Authorization", "Bearer "+c.seed.Key)
		r.Header.Set("Content-Type", "application/json")
		answer, err := client.Do(r)
		if errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s %s: the answer is cut: %v", method, path, err)
			return
		}
		if err != nil {
			if c.closed++; method == http.MethodPost {
				c.unanswered = append(c.unanswered, text)
			}
			return
		}
		raw, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err != nil || !json.Valid(raw) || answer.StatusCode != want {
			t.Errorf("%s %s answers %d, %v: %s", method, path, answer.StatusCode, err, raw)
			return
		}
		c.answered++
		if method == http.MethodPost {
			c.made[text] = true
		}
	}
}
