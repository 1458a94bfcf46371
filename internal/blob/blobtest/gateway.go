package blobtest

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Keys of every gateway.
const (
	access = "belfry"
	secret = "s3cr/t+k3y" // a slash and a plus, as real ones have
)

// Gateway is a real S3 server over a temporary folder.
type Gateway struct {
	Host   string // and port
	dir    string
	ended  chan struct{}
	cancel context.CancelFunc
}

// StartVersityGateway starts an S3 server in its own process, which ends with the test at the latest. The first call
// builds the program that tools/tools.mod pins. This takes minutes, so `make test` does it before the tests.
func StartVersityGateway(t *testing.T) *Gateway {
	t.Helper()
	programPath := buildVersityGateway(t)
	for range 5 { // another process may take the port first
		if g := startGatewayOrNil(t, programPath); g != nil {
			return g
		}
	}
	t.Fatal("the S3 server did not start")
	return nil
}

func buildVersityGateway(t *testing.T) (programPath string) {
	t.Helper()
	mod, err := exec.CommandContext(t.Context(), "go", "env", "GOMOD").Output()
	if err != nil {
		t.Fatalf("find the module: %v", err)
	}
	tool := exec.CommandContext(t.Context(), "go", "tool", "-modfile=tools/tools.mod", "-n", "versitygw")
	tool.Dir = filepath.Dir(strings.TrimSpace(string(mod)))
	path, err := tool.Output()
	if err != nil {
		t.Fatalf("build the S3 server: %v", err)
	}
	return strings.TrimSpace(string(path))
}

func startGatewayOrNil(t *testing.T, programPath string) *Gateway {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	g := &Gateway{Host: l.Addr().String(), dir: t.TempDir(), ended: make(chan struct{}), cancel: cancel}
	var said bytes.Buffer
	run := exec.CommandContext(ctx, programPath, "--quiet", "--keep-alive", "--port", g.Host, "--access", access,
		"--secret", secret, "posix", g.dir)
	run.Stdout, run.Stderr = &said, &said
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = run.Wait() // killed at the end
		close(g.ended)
	}()
	t.Cleanup(g.Stop)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(20 * time.Second); ; {
		if c, err := new(net.Dialer).DialContext(ctx, "tcp", g.Host); err == nil {
			_ = c.Close()
			return g
		}
		select {
		case <-tick.C:
		case <-g.ended:
			t.Logf("the S3 server exited: %s", said.String())
			return nil
		case <-deadline:
			t.Logf("the S3 server did not start listening")
			return nil
		}
	}
}

// Stop kills the server.
func (g *Gateway) Stop() {
	g.cancel()
	<-g.ended
}

// Bucket makes a bucket and returns the address of a store in it.
func (g *Gateway) Bucket(t *testing.T, name string) string {
	t.Helper()
	if err := os.Mkdir(filepath.Join(g.dir, name), 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		t.Fatal(err)
	}
	return "s3://" + access + ":" + strings.NewReplacer("/", "%2F", "+", "%2B").Replace(secret) + "@" + g.Host + "/" +
		name + "?tls=off"
}
