// Package e2e drives the built binary from outside: over HTTP, through its commands and by killing it.
package e2e

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"belfry/internal/store/storetest"
)

// binary is the program under test: the one that E2E_BINARY names, or one built for this run, which
// looks for data races in all that it does.
var binary = os.Getenv("E2E_BINARY")

// testsAtOnce is more than there are processors, since the tests mostly wait: for leases, retries and settle times.
const testsAtOnce = "8"

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if err := flag.Set("test.parallel", testsAtOnce); err != nil { // -parallel on the command line overrides it
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if binary != "" {
		return m.Run()
	}
	folder, err := os.MkdirTemp("", "belfry-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	binary = filepath.Join(folder, "belfry")
	build := exec.Command("go", "build", "-race", "-o", binary, "belfry/cmd/belfry")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build the program under test:", err)
		return 1
	}
	return m.Run()
}

// ports are handed out one by one, from below those that the system gives to outgoing connections: a
// port that was free a moment ago could be taken by one of them before the service listens on it.
var ports atomic.Int32

const firstPort, lastPort = 20000, 32000

// freeAddr returns a loopback address that nobody listens on.
func freeAddr(t testing.TB) string {
	t.Helper()
	start := os.Getpid() % (lastPort - firstPort)
	for range lastPort - firstPort {
		addr := fmt.Sprintf("127.0.0.1:%d", firstPort+(start+int(ports.Add(1)))%(lastPort-firstPort))
		listener, err := net.Listen("tcp", addr)
		if err != nil {
			continue
		}
		if err := listener.Close(); err != nil {
			t.Fatal(err)
		}
		return addr
	}
	t.Fatal("no port is free")
	return ""
}

// process is a running belfry.
type process struct {
	cmd  *exec.Cmd
	url  string
	log  *lockedBuffer
	done chan struct{}
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// withoutServedRequests returns the log without its many successful requests.
func (l *lockedBuffer) withoutServedRequests() string {
	var told strings.Builder
	for line := range strings.Lines(l.String()) {
		if !strings.Contains(line, "msg=request ") || strings.Contains(line, " status=5") {
			told.WriteString(line)
		}
	}
	return told.String()
}

// startBelfry starts the program under test with a minimal environment.
func startBelfry(t testing.TB, env map[string]string, args ...string) *process {
	t.Helper()
	return startBinary(t, binary, env, args...)
}

// startBinary starts another build of the program likewise.
func startBinary(t testing.TB, path string, env map[string]string, args ...string) *process {
	t.Helper()
	p := &process{cmd: exec.Command(path, args...), log: &lockedBuffer{}, done: make(chan struct{})}
	p.cmd.Env = belfryEnvironment(env)
	p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.done)
		_ = p.cmd.Wait()
	}()
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			t.Logf("log of belfry %s:\n%s", strings.Join(args, " "), p.log.withoutServedRequests())
		}
		if strings.Contains(p.log.String(), "DATA RACE") {
			t.Errorf("belfry %s has a data race:\n%s", strings.Join(args, " "), p.log)
		}
	})
	return p
}

func belfryEnvironment(env map[string]string) []string {
	list := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "PG_BIN=" + os.Getenv("PG_BIN")}
	for name, value := range env {
		list = append(list, "BELFRY_"+name+"="+value)
	}
	return list
}

// kill ends the process with SIGKILL.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.done
}

// requireStop stops the process with SIGTERM and fails the test if it does not exit.
func (p *process) requireStop(t testing.TB) {
	t.Helper()
	if !p.terminate() {
		t.Fatalf("belfry does not stop:\n%s", p.log)
	}
}

// terminate sends SIGTERM and reports whether the process exited.
func (p *process) terminate() bool {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
		return true
	case <-time.After(40 * time.Second):
		return false
	}
}

// runCommand runs a command of belfry and returns its output.
func runCommand(t testing.TB, env map[string]string, stdin string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	return runBinary(t, binary, env, stdin, args...)
}

// runBinary runs a command of another build of the program likewise.
func runBinary(
	t testing.TB, path string, env map[string]string, stdin string, args ...string,
) (stdout, stderr string, err error) {
	t.Helper()
	cmd := exec.Command(path, args...)
	cmd.Env = belfryEnvironment(env)
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

func (p *process) hasExited() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// requireCommand runs a command of belfry, which must succeed, and returns its output.
func requireCommand(t testing.TB, env map[string]string, stdin string, args ...string) string {
	t.Helper()
	out, errs, err := runCommand(t, env, stdin, args...)
	if err != nil {
		t.Fatalf("belfry %s: %v\n%s", strings.Join(args, " "), err, errs)
	}
	return out
}

// writeFile writes text to a new file and returns its path.
func writeFile(t testing.TB, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// eventually waits until a condition holds, and fails the test if that takes too long.
func eventually(t testing.TB, within time.Duration, what string, holds func() bool) {
	t.Helper()
	if !waitUntil(within, holds) {
		t.Fatalf("waited %s in vain until %s", within, what)
	}
}

// waitUntil waits until a condition holds and reports whether it did in time.
func waitUntil(within time.Duration, holds func() bool) bool {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(within); !holds(); <-tick.C {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}

// service is belfry with its own database and its own simulated networks.
type service struct {
	t        testing.TB
	binary   string // the program under test, or another build of it
	env      map[string]string
	url      string
	networks string
	process  *process
}

// fastSettings are settings that make waits short; every protocol rule stays as it is.
func fastSettings() map[string]string {
	return map[string]string{
		"LEASE": "6s", "SWEEP": "200ms", "RETRY_DELAYS": "1s,1s,1s", "THREADS_SETTLE": "2s", "FACEBOOK_SETTLE": "2s",
		"LIMIT_ADDRESS": "1000000/10m", "LIMIT_CREATE": "1000000/1h", "LOG_LEVEL": "debug",
	}
}

// newService prepares a service with a database from the test run's server and networks of their own.
func newService(t testing.TB, settings ...map[string]string) *service {
	t.Helper()
	return newServiceOf(t, binary, settings...)
}

// newServiceOf prepares a service of another build of the program likewise.
func newServiceOf(t testing.TB, path string, settings ...map[string]string) *service {
	t.Helper()
	addr, networks := freeAddr(t), freeAddr(t)
	s := &service{t: t, binary: path, url: "http://" + addr, networks: "http://" + networks, env: map[string]string{
		"ADDR": addr, "PUBLIC_URL": "http://" + strings.Replace(addr, "127.0.0.1", "localhost", 1),
		"DATABASE_URL": storetest.URL(t), "DATA_DIR": t.TempDir(), "NETWORKS_URL": "http://" + networks,
		"THREADS_CLIENT_ID": "sandbox", "THREADS_CLIENT_SECRET": "sandbox",
		"FACEBOOK_CLIENT_ID": "sandbox", "FACEBOOK_CLIENT_SECRET": "sandbox",
		"SECRET_KEYS": "test:" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("k"), 32)),
	}}
	s.url = s.env["PUBLIC_URL"]
	for _, more := range append([]map[string]string{fastSettings()}, settings...) {
		maps.Copy(s.env, more)
	}
	startBinary(t, path, nil, "sandbox", "--addr", networks)
	eventually(
		t, 20*time.Second, "the simulated networks answer", func() bool { return respondsOK(s.networks + "/_/posts") },
	)
	s.callSandbox(
		"POST", "options", map[string]string{"facebook.refuse_duplicates": "off", "threads.quota_total": "100000"},
	)
	return s
}

// serveUntilReady starts the service and waits until it is ready.
func (s *service) serveUntilReady() {
	s.t.Helper()
	s.process = startBinary(s.t, s.binary, s.env, "serve")
	s.waitUntilReady()
}

var setUpLine = regexp.MustCompile(`msg="open this link to set up Belfry" link="?([^\s"]+)`)

// setUpLink returns the setup link that a new service prints.
func (s *service) setUpLink() (link string) {
	s.t.Helper()
	eventually(s.t, 10*time.Second, "the service prints the link for setting it up", func() bool {
		found := setUpLine.FindStringSubmatch(s.process.log.String())
		if len(found) == 2 {
			link = found[1]
		}
		return link != ""
	})
	return link
}

func (s *service) waitUntilReady() {
	s.t.Helper()
	eventually(s.t, 60*time.Second, "the service is ready", func() bool { return respondsOK(s.url + "/readyz") })
}

func respondsOK(url string) bool {
	answer, err := http.Get(url)
	if err != nil {
		return false
	}
	defer answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}

// callSandbox calls the control interface of the simulated networks and returns the answer's body.
func (s *service) callSandbox(method, path string, body any) []byte {
	s.t.Helper()
	status, _, raw := sendRequest(s.t, method, s.networks+"/_/"+path, nil, body)
	if status/100 != 2 {
		s.t.Fatalf("%s %s answers %d: %s", method, path, status, raw)
	}
	return raw
}

func (s *service) addFault(f map[string]any) { s.callSandbox("POST", "faults", f) }

// visiblePosts returns the posts that are public at the simulated networks.
func (s *service) visiblePosts() []visiblePost {
	s.t.Helper()
	var out struct{ Posts []visiblePost }
	if err := json.Unmarshal(s.callSandbox("GET", "posts", nil), &out); err != nil {
		s.t.Fatal(err)
	}
	return out.Posts
}

type visiblePost struct {
	Network, Account, ID, URL, Text, Link string
	CreatedAt, FirstCallAt, ArrivedAt     time.Time
	PublishCalls                          int
	Media                                 []struct{ SHA256 string }
	Extra                                 map[string]string // what else the network keeps of it
}

// seedResult is what `belfry seed --json` prints.
type seedResult struct {
	Workspace, Email, Password, Key string
	Accounts                        map[string]string
	MoreAccounts                    map[string][]string
}

// account returns the nth account of a network, from 0 on.
func (r seedResult) account(network string, n int) string {
	return append([]string{r.Accounts[network]}, r.MoreAccounts[network]...)[n]
}

// seedWorkspace creates a demo workspace with `belfry seed`. Options such as --accounts=3 change it.
func (s *service) seedWorkspace(options ...string) seedResult {
	s.t.Helper()
	out, errs, err := runBinary(s.t, s.binary, s.env, "", append([]string{"seed", "--json"}, options...)...)
	if err != nil {
		s.t.Fatalf("seed: %v\n%s", err, errs)
	}
	var made seedResult
	if err := json.Unmarshal([]byte(out), &made); err != nil {
		s.t.Fatalf("seed printed %q: %v", out, err)
	}
	return made
}

// encodeBody encodes a body. A nil body is none; a string is sent as it is.
func encodeBody(body any) (io.Reader, error) {
	switch b := body.(type) {
	case nil:
		return nil, nil
	case string:
		return strings.NewReader(b), nil
	}
	encoded, err := json.Marshal(body)
	return bytes.NewReader(encoded), err
}

// sendRequest makes one HTTP request.
func sendRequest(t testing.TB, method, url string, header map[string]string, body any) (int, http.Header, []byte) {
	t.Helper()
	reader, err := encodeBody(body)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), method, url, reader)
	if err != nil {
		t.Fatal(err)
	}
	if reader != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for name, value := range header {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, answer.Header, raw
}
