package postgres

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// TestMain lets the test program play a service: with the variable set it takes the folder's lock,
// starts its database, tells the server's pid and waits to be killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv("SERVE_POSTGRES_FOR_A_TEST"); dir != "" {
		os.Exit(serveForATest(dir))
	}
	os.Exit(m.Run())
}

func serveForATest(dir string) int {
	ctx := context.Background()
	if _, err := LockForService(ctx, dir); err != nil {
		fmt.Println("error:", err)
		return 1
	}
	s, err := Start(ctx, Config{Dir: dir, Ephemeral: true})
	if err != nil {
		fmt.Println("error:", err)
		return 1
	}
	fmt.Println("pid", s.pid())
	_, _ = bufio.NewReader(os.Stdin).ReadByte() // until killed, or our parent is gone
	return 0
}

// pid is the id of the server's first process.
func (s *Server) pid() int { return s.process.Load().cmd.Process.Pid }

func isAlive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

// service starts the test program as a service on dir and returns it with its server's pid.
func service(t *testing.T, dir string) (*exec.Cmd, int) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "SERVE_POSTGRES_FOR_A_TEST="+dir)
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(line, "pid ")))
	if err != nil {
		t.Fatalf("the service said %q", line)
	}
	return cmd, pid
}

// dataDir is a new data folder that root's server can reach, which t.TempDir is not.
func dataDir(t *testing.T) string {
	t.Helper()
	base, err := os.MkdirTemp("", "belfry-pg")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(base, 0o711); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	dir := filepath.Join(base, "data")
	if err := createDataDirIfMissing(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// start starts a server on dir and stops it when t ends.
func start(t *testing.T, dir string) *Server {
	t.Helper()
	s, err := Start(t.Context(), Config{Dir: dir, Ephemeral: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, s) })
	return s
}

func stop(t *testing.T, s *Server) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 20*time.Second)
	defer cancel()
	if err := s.Stop(ctx); err != nil {
		t.Error(err)
	}
}

// one runs a statement and returns its single value as text.
func one(t *testing.T, address, sql string) (string, error) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		return "", err
	}
	defer conn.Close(t.Context())
	var text string
	err = conn.QueryRow(t.Context(), sql).Scan(&text)
	return text, err
}

func must(t *testing.T, address, sql string) string {
	t.Helper()
	text, err := one(t, address, sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return text
}

// do runs statements.
func do(t *testing.T, address string, statements ...string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for _, sql := range statements {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}

// eventually polls until ok holds.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-deadline:
			t.Fatalf("it never came true that %s", what)
		case <-tick.C:
		}
	}
}
