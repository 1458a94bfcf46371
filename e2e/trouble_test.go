package e2e

import (
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

// fails starts the service, which must end with an error that says all of the words.
func (s *service) fails(words ...string) {
	s.t.Helper()
	p := start(s.t, s.env, "serve")
	if !poll(30*time.Second, p.exited) {
		s.t.Fatalf("the service starts all the same:\n%s", p.log.told())
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
func TestAStartThatCannotSucceedSaysWhy(t *testing.T) {
	t.Parallel()
	s := newService(t)
	listener, err := net.Listen("tcp", s.env["ADDR"])
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(s.env["ADDR"])
	s.fails(port, "in use", "BELFRY_ADDR")
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}

	// A file is in the way; unlike a folder's mode that stops root too.
	own := newOwn(t)
	own.env["DATA_DIR"] = filepath.Join(writeFile(t, "I was here first."), "data")
	own.fails(own.env["DATA_DIR"])
	own.env["DATA_DIR"] = filepath.Dir(own.env["DATA_DIR"])
	own.fails(own.env["DATA_DIR"])

	unknown := newOwn(t, map[string]string{"ADRR": "127.0.0.1:1"})
	unknown.fails("BELFRY_ADRR", "BELFRY_ADDR")
	wrong := newOwn(t, map[string]string{"LEASE": "1s"})
	wrong.fails("BELFRY_LEASE", "6s")
}

// postmaster is the process id of the service's own PostgreSQL.
func (s *service) postmaster() int {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(s.env["DATA_DIR"], "postgres", "postmaster.pid"))
	if err != nil {
		found, globErr := filepath.Glob(filepath.Join(s.env["DATA_DIR"], "*", "*", "postmaster.pid"))
		if globErr != nil || len(found) == 0 {
			s.t.Fatal(err)
		}
		if text, err = os.ReadFile(found[0]); err != nil {
			s.t.Fatal(err)
		}
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil {
		s.t.Fatal(err)
	}
	return pid
}

// Two starts on one data folder, a killed parent, and a restart that forgets nothing; "PostgreSQL down (503 with
// `Retry-After`, and recovery without a restart)"; and a switch to other networks, after which accounts are revoked
// with the reason.
func TestItsOwnServersTroubles(t *testing.T) {
	t.Parallel()
	s := newOwn(t, map[string]string{"LIMIT_ADDRESS": "1000000/10m"})
	s.serve()
	seed := s.seed()
	c := s.client(seed.Key)
	c.becomes(c.post("Before the trouble", "now", seed.Accounts["threads"]).ID, "live", 20*time.Second)
	accounts, visible := c.do("GET", "/accounts", nil).want(t, 200).Raw, len(s.visible())

	second := newOwn(t, map[string]string{"DATA_DIR": s.env["DATA_DIR"]})
	second.fails("another belfry serve", s.env["DATA_DIR"])

	s.process.kill()
	s.serve()
	if now := c.do("GET", "/accounts", nil).want(t, 200).Raw; now != accounts {
		t.Errorf("after kill -9 and a start the accounts are %s, were %s", now, accounts)
	}
	if now := len(s.visible()); now != visible {
		t.Errorf("after kill -9 and a start the networks show %d posts, had %d", now, visible)
	}
	c.becomes(c.post("After the kill", "now", seed.Accounts["facebook"]).ID, "live", 20*time.Second)

	p := newPerson(t, s.url).open("/sign-in").want(http.StatusOK)
	if err := syscall.Kill(s.postmaster(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	down := c.do("GET", "/accounts", nil)
	for range 20 { // it may be up again before the first question
		if down.Status != 200 {
			break
		}
		down = c.do("GET", "/accounts", nil)
	}
	if down.Status != 503 || down.Code != "unavailable" || down.Header["Retry-After"] == "" {
		t.Errorf("with PostgreSQL killed: %d %s, Retry-After %q", down.Status, down.Raw, down.Header["Retry-After"])
	}
	if !reachable(s.url + "/livez") {
		t.Error("with PostgreSQL killed the process is not alive")
	}
	eventually(t, 40*time.Second, "the service is back", func() bool { return c.do("GET", "/accounts", nil).Status == 200 })
	if s.process.exited() {
		t.Fatal("it came back by a restart")
	}
	s.ready()
	c.becomes(c.post("After the outage", "now", seed.Accounts["threads"]).ID, "live", 40*time.Second)
	p.submit(testid("sign-in"), fill{"email": {seed.Email}, "password": {seed.Password}}).want(http.StatusOK)
	s.process.stop(t)

	networks := freeAddr(t)
	start(t, nil, "sandbox", "--addr", networks)
	maps.Copy(s.env, map[string]string{
		"NETWORKS_URL": "http://" + networks, "THREADS_CLIENT_ID": "sandbox", "THREADS_CLIENT_SECRET": "sandbox",
		"FACEBOOK_CLIENT_ID": "sandbox", "FACEBOOK_CLIENT_SECRET": "sandbox",
	})
	s.serve()
	defer s.process.stop(t)
	if now := c.do("GET", "/accounts", nil).want(t, 200).Raw; strings.Count(now, `"status":"revoked"`) != 2 {
		t.Errorf("at other networks the accounts are %s, want both revoked", now)
	}
	_, p = s.session(seed)
	p.open("/accounts").want(http.StatusOK)
	if page := p.words(testid("account")); !strings.Contains(page, "other networks") {
		t.Errorf("the page of accounts does not give the reason: %s", page)
	}
	failed := c.do("POST", "/posts", create("Nowhere to go", "now", seed.Accounts["threads"]))
	if failed.Status != 409 || !strings.Contains(failed.Raw, "account_revoked") {
		t.Errorf("a post to a revoked account answers %s", failed.Raw)
	}
}
