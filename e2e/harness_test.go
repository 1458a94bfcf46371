// Package e2e drives the built binary from outside: over HTTP, through its commands and by killing it.
package e2e

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
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

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
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

// freeAddr is an address of this machine that nobody listens on.
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

// told is the log without the requests that went well, which are many.
func (l *lockedBuffer) told() string {
	var told strings.Builder
	for line := range strings.Lines(l.String()) {
		if !strings.Contains(line, "msg=request ") || strings.Contains(line, " status=5") {
			told.WriteString(line)
		}
	}
	return told.String()
}

// start runs belfry with nothing of this environment but what it needs to run at all.
func start(t testing.TB, env map[string]string, args ...string) *process {
	t.Helper()
	return startProgram(t, binary, env, args...)
}

// startProgram runs another build of belfry likewise.
func startProgram(t testing.TB, path string, env map[string]string, args ...string) *process {
	t.Helper()
	p := &process{cmd: exec.Command(path, args...), log: &lockedBuffer{}, done: make(chan struct{})}
	p.cmd.Env = environment(env)
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
			t.Logf("log of belfry %s:\n%s", strings.Join(args, " "), p.log.told())
		}
		if strings.Contains(p.log.String(), "DATA RACE") {
			t.Errorf("belfry %s has a data race:\n%s", strings.Join(args, " "), p.log)
		}
	})
	return p
}

func environment(env map[string]string) []string {
	list := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "PG_BIN=" + os.Getenv("PG_BIN")}
	for name, value := range env {
		list = append(list, "BELFRY_"+name+"="+value)
	}
	return list
}

// kill ends the process as a crash would.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.done
}

// stop ends the process as an operator would.
func (p *process) stop(t testing.TB) {
	t.Helper()
	if !p.terminate() {
		t.Fatalf("belfry does not stop:\n%s", p.log)
	}
}

// terminate asks the process to end and tells whether it did.
func (p *process) terminate() bool {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
		return true
	case <-time.After(40 * time.Second):
		return false
	}
}

// command runs belfry to its end and answers what it printed.
func command(t testing.TB, env map[string]string, stdin string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Env = environment(env)
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

func (p *process) exited() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// mustCommand runs belfry to its end, which must be a good one, and answers what it printed.
func mustCommand(t testing.TB, env map[string]string, stdin string, args ...string) string {
	t.Helper()
	out, errs, err := command(t, env, stdin, args...)
	if err != nil {
		t.Fatalf("belfry %s: %v\n%s", strings.Join(args, " "), err, errs)
	}
	return out
}

// writeFile keeps a text in a file of its own and answers its name.
func writeFile(t testing.TB, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// eventually waits until a condition holds, and fails the test when it does not in time.
func eventually(t testing.TB, within time.Duration, what string, holds func() bool) {
	t.Helper()
	if !poll(within, holds) {
		t.Fatalf("waited %s in vain until %s", within, what)
	}
}

// poll waits until a condition holds and tells whether it came to that in time.
func poll(within time.Duration, holds func() bool) bool {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(within); !holds(); <-tick.C {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}

// service is belfry on a database of its own and simulated networks of its own.
type service struct {
	t        testing.TB
	env      map[string]string
	url      string
	networks string
	process  *process
}

// fast are settings that make waits short; every protocol rule stays as it is.
func fast() map[string]string {
	return map[string]string{
		"LEASE": "6s", "SWEEP": "200ms", "RETRY_DELAYS": "1s,1s,1s", "THREADS_SETTLE": "2s", "FACEBOOK_SETTLE": "2s",
		"LIMIT_ADDRESS": "1000000/10m", "LIMIT_CREATE": "1000000/1h", "LOG_LEVEL": "debug",
	}
}

// newService prepares a service with a database from the test run's server and networks of their own.
func newService(t testing.TB, settings ...map[string]string) *service {
	t.Helper()
	addr, networks := freeAddr(t), freeAddr(t)
	s := &service{t: t, url: "http://" + addr, networks: "http://" + networks, env: map[string]string{
		"ADDR": addr, "PUBLIC_URL": "http://" + strings.Replace(addr, "127.0.0.1", "localhost", 1),
		"DATABASE_URL": storetest.URL(t), "DATA_DIR": t.TempDir(), "NETWORKS_URL": "http://" + networks,
		"THREADS_CLIENT_ID": "sandbox", "THREADS_CLIENT_SECRET": "sandbox",
		"FACEBOOK_CLIENT_ID": "sandbox", "FACEBOOK_CLIENT_SECRET": "sandbox",
		"SECRET_KEYS": "test:" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("k"), 32)),
	}}
	s.url = s.env["PUBLIC_URL"]
	for _, more := range append([]map[string]string{fast()}, settings...) {
		maps.Copy(s.env, more)
	}
	start(t, nil, "sandbox", "--addr", networks)
	eventually(t, 20*time.Second, "the simulated networks answer", func() bool { return reachable(s.networks + "/_/posts") })
	s.control("POST", "options", map[string]string{"facebook.refuse_duplicates": "off", "threads.quota_total": "100000"})
	return s
}

// serve starts the service and waits until it is ready.
func (s *service) serve() {
	s.t.Helper()
	s.process = start(s.t, s.env, "serve")
	s.ready()
}

var setUpLine = regexp.MustCompile(`msg="open this link to set up Belfry" link="?([^\s"]+)`)

// setUpLink is the link that the service prints while nobody has set it up.
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

func (s *service) ready() {
	s.t.Helper()
	eventually(s.t, 60*time.Second, "the service is ready", func() bool { return reachable(s.url + "/readyz") })
}

func reachable(url string) bool {
	answer, err := http.Get(url)
	if err != nil {
		return false
	}
	defer answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}

// control calls the control surface of the simulated networks.
func (s *service) control(method, path string, body any) []byte {
	s.t.Helper()
	status, _, raw := send(s.t, method, s.networks+"/_/"+path, nil, body)
	if status/100 != 2 {
		s.t.Fatalf("%s %s answers %d: %s", method, path, status, raw)
	}
	return raw
}

func (s *service) fault(f map[string]any) { s.control("POST", "faults", f) }

// visible are the posts that the public can see.
func (s *service) visible() []visiblePost {
	s.t.Helper()
	var out struct{ Posts []visiblePost }
	if err := json.Unmarshal(s.control("GET", "posts", nil), &out); err != nil {
		s.t.Fatal(err)
	}
	return out.Posts
}

type visiblePost struct {
	Network, ID, URL, Text string
	FirstCallAt, ArrivedAt time.Time
	PublishCalls           int
	Media                  []struct{ SHA256 string }
}

// seeded is what `belfry seed --json` prints.
type seeded struct {
	Workspace, Email, Password, Key string
	Accounts                        map[string]string
}

// seed makes a demo workspace with the command.
func (s *service) seed() seeded {
	s.t.Helper()
	out, errs, err := command(s.t, s.env, "", "seed", "--json")
	if err != nil {
		s.t.Fatalf("seed: %v\n%s", err, errs)
	}
	var made seeded
	if err := json.Unmarshal([]byte(out), &made); err != nil {
		s.t.Fatalf("seed printed %q: %v", out, err)
	}
	return made
}

// reading encodes a body. A nil body is none; a string is sent as it is.
func reading(body any) (io.Reader, error) {
	switch b := body.(type) {
	case nil:
		return nil, nil
	case string:
		return strings.NewReader(b), nil
	}
	encoded, err := json.Marshal(body)
	return bytes.NewReader(encoded), err
}

// send makes one HTTP request.
func send(t testing.TB, method, url string, header map[string]string, body any) (int, http.Header, []byte) {
	t.Helper()
	reader, err := reading(body)
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
