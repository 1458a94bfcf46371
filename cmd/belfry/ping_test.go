package main

import (
	"crypto/tls"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"belfry/internal/store/storetest"
)

// A message from the database, such as that it is shutting down, and the end of the connection make a pool ping.
func TestASocketIsQuietUntilSomethingArrives(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		happen func(net.Conn) error
		want   bool
	}{
		"nothing":   {func(net.Conn) error { return nil }, true},
		"a message": {func(c net.Conn) error { _, err := c.Write([]byte("E")); return err }, false},
		"the end":   {net.Conn.Close, false},
	} {
		client, server := connectPair(t)
		if err := c.happen(server); err != nil {
			t.Fatal(err)
		}
		if got := isSocketQuiet(client); got != c.want {
			t.Errorf("after %s: quiet is %v", name, got)
		}
		if isSocketQuiet(tls.Client(client, nil)) {
			t.Errorf("after %s: a connection with TLS is quiet", name)
		}
	}
}

// The pool finds a connection that the database has ended without a ping before each statement.
func TestAPoolPingsConnectionsThatMayHaveEnded(t *testing.T) {
	t.Parallel()
	pool, err := openPool(t.Context(), storetest.URL(t), 2, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	var conns [2]*pgxpool.Conn
	for i := range conns {
		if conns[i], err = pool.Acquire(t.Context()); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(conns[i].Release)
	}
	ended := conns[0].Conn()
	pingsAfter := func(idle time.Duration) bool {
		return shouldPing(t.Context(), pgxpool.ShouldPingParams{Conn: ended, IdleDuration: idle})
	}
	if pingsAfter(2*time.Second) || !pingsAfter(time.Minute) {
		t.Error("a connection that works is pinged after two seconds, or not after a minute")
	}
	if _, err := conns[1].Exec(t.Context(), `SELECT pg_terminate_backend($1, 10000)`, ended.PgConn().PID()); err != nil {
		t.Fatal(err)
	}
	if !pingsAfter(2 * time.Second) {
		t.Error("a connection that the database has ended is not pinged")
	}
}

// connectPair returns both ends of a connection that is closed after the test.
func connectPair(t *testing.T) (client, server net.Conn) {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if client, err = new(net.Dialer).DialContext(t.Context(), "unix", listener.Addr().String()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	if server, err = listener.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return client, server
}
