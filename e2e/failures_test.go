package e2e

import (
	"errors"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// requireStartError starts the service, which must exit with 1 and print all of the words.
func (s *service) requireStartError(words ...string) {
	s.t.Helper()
	p := startBelfry(s.t, s.env, "serve")
	if !waitUntil(30*time.Second, p.hasExited) {
		s.t.Fatalf("the service starts all the same:\n%s", p.log.withoutServedRequests())
	}
	if code := p.cmd.ProcessState.ExitCode(); code != 1 {
		s.t.Errorf("it ends with %d, want 1", code)
	}
	for _, word := range words {
		if !strings.Contains(p.log.String(), word) {
			s.t.Errorf("it does not say %q: %s", word, p.log)
		}
	}
}

// The goal: "port taken, data folder not writable" – and unknown variables, which are refused.
func TestFailedStartSaysWhy(t *testing.T) {
	t.Parallel()
	s := newService(t)
	listener, err := net.Listen("tcp", s.env["ADDR"])
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(s.env["ADDR"])
	s.requireStartError(port, "in use", "BELFRY_ADDR")
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}

	// A file is in the way; unlike a folder's mode that stops root too.
	own := newStandaloneService(t)
	own.env["DATA_DIR"] = filepath.Join(writeFile(t, "I was here first."), "data")
	own.requireStartError(own.env["DATA_DIR"])
	own.env["DATA_DIR"] = filepath.Dir(own.env["DATA_DIR"])
	own.requireStartError(own.env["DATA_DIR"])

	unknown := newStandaloneService(t, map[string]string{"ADRR": "127.0.0.1:1"})
	unknown.requireStartError("BELFRY_ADRR", "BELFRY_ADDR")
	wrong := newStandaloneService(t, map[string]string{"LEASE": "1s"})
	wrong.requireStartError("BELFRY_LEASE", "6s")
}

// postmasterPID returns the process id of the service's own PostgreSQL.
func (s *service) postmasterPID() int {
	s.t.Helper()
	pids := s.postmasterPIDs()
	if len(pids) != 1 {
		s.t.Fatalf("the service has %d local databases", len(pids))
	}
	return pids[0]
}

// postmasterPIDs returns the process ids that stand in the service's data folder, those of crashed servers included.
func (s *service) postmasterPIDs() (pids []int) {
	for _, pattern := range []string{"postgres", "*/*"} {
		found, err := filepath.Glob(filepath.Join(s.env["DATA_DIR"], pattern, "postmaster.pid"))
		if err != nil {
			s.t.Fatal(err)
		}
		for _, file := range found {
			text, err := os.ReadFile(file)
			if errors.Is(err, os.ErrNotExist) {
				continue // the server has just stopped
			}
			first, _, _ := strings.Cut(string(text), "\n")
			pid, parseErr := strconv.Atoi(first)
			if err := errors.Join(err, parseErr); err != nil {
				s.t.Fatal(err)
			}
			pids = append(pids, pid)
		}
	}
	return pids
}

// Two starts on one data folder, a killed parent, and a restart that forgets nothing; "PostgreSQL down (503 with
// `Retry-After`, and recovery without a restart)"; and a switch to other networks, after which accounts are revoked
// with the reason.
func TestServiceSurvivesDatabaseFailures(t *testing.T) {
	t.Parallel()
	s := newStandaloneService(t, map[string]string{"LIMIT_ADDRESS": "1000000/10m"})
	s.serveUntilReady()
	seed := s.seedWorkspace()
	c := s.newClient(seed.Key)
	c.waitForStatus(c.createPost("Before the trouble", "now", seed.Accounts["threads"]).ID, "live", 20*time.Second)
	accounts, visible := c.do("GET", "/accounts", nil).requireStatus(t, 200).Raw, len(s.visiblePosts())

	second := newStandaloneService(t, map[string]string{"DATA_DIR": s.env["DATA_DIR"]})
	second.requireStartError("another belfry serve", s.env["DATA_DIR"])

	s.process.kill()
	s.serveUntilReady()
	if now := c.do("GET", "/accounts", nil).requireStatus(t, 200).Raw; now != accounts {
		t.Errorf("after kill -9 and a start the accounts are %s, were %s", now, accounts)
	}
	if now := len(s.visiblePosts()); now != visible {
		t.Errorf("after kill -9 and a start the networks show %d posts, had %d", now, visible)
	}
	c.waitForStatus(c.createPost("After the kill", "now", seed.Accounts["facebook"]).ID, "live", 20*time.Second)

	p := newPerson(t, s.url).openLink("/sign-in").requireStatus(http.StatusOK)
	if err := syscall.Kill(s.postmasterPID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	down := c.do("GET", "/accounts", nil)
	// PostgreSQL's processes notice only after a moment that the first of them was killed.
	for deadline := time.Now().Add(5 * time.Second); down.Status == 200 && time.Now().Before(deadline); {
		down = c.do("GET", "/accounts", nil)
	}
	if down.Status != 503 || down.Code != "unavailable" || down.Header["Retry-After"] == "" {
		t.Errorf("with PostgreSQL killed: %d %s, Retry-After %q", down.Status, down.Raw, down.Header["Retry-After"])
	}
	if !respondsOK(s.url + "/livez") {
		t.Error("with PostgreSQL killed the process is not alive")
	}
	eventually(
		t, 40*time.Second, "the service is back", func() bool { return c.do("GET", "/accounts", nil).Status == 200 },
	)
	if s.process.hasExited() {
		t.Fatal("it came back by a restart")
	}
	s.waitUntilReady()
	c.waitForStatus(c.createPost("After the outage", "now", seed.Accounts["threads"]).ID, "live", 40*time.Second)
	p.submitForm(
		testid("sign-in"), formInput{"email": {seed.Email}, "password": {seed.Password}},
	).requireStatus(http.StatusOK)
	s.process.requireStop(t)

	networks := freeAddr(t)
	startBelfry(t, nil, "sandbox", "--addr", networks)
	maps.Copy(s.env, map[string]string{
		"NETWORKS_URL": "http://" + networks, "THREADS_CLIENT_ID": "sandbox", "THREADS_CLIENT_SECRET": "sandbox",
		"FACEBOOK_CLIENT_ID": "sandbox", "FACEBOOK_CLIENT_SECRET": "sandbox",
	})
	s.serveUntilReady()
	defer s.process.requireStop(t)
	if now := c.do("GET", "/accounts", nil).requireStatus(t, 200).Raw; strings.Count(now, `"status":"revoked"`) != len(seed.Accounts) {
		t.Errorf("at other networks the accounts are %s, want all revoked", now)
	}
	_, p = s.signIn(seed)
	p.openLink("/accounts").requireStatus(http.StatusOK)
	if page := p.visibleText(testid("account-notes")); !strings.Contains(page, "has switched networks") {
		t.Errorf("the page of accounts does not give the reason: %s", page)
	}
	failed := c.do("POST", "/posts", newPostBody("Nowhere to go", "now", seed.Accounts["threads"]))
	if failed.Status != 409 || !strings.Contains(failed.Raw, "account_revoked") {
		t.Errorf("a post to a revoked account answers %s", failed.Raw)
	}
}
