package e2e

import (
	"context"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"belfry/internal/blob/blobtest"
	"belfry/internal/media/mediatest"
)

// TestJobsOfAKilledWorkerAreRescued kills a worker that is in the middle of one job of each kind. The
// clocks of leases and time limits are moved instead of waited for.
func TestJobsOfAKilledWorkerAreRescued(t *testing.T) {
	t.Parallel()
	kinds := []string{"check", "discard", "fetch", "link", "process", "refresh"}
	gateway := blobtest.StartVersityGateway(t)
	storage := gateway.Bucket(t, "killed")
	// Calls end with half a lease: none does so before the kill.
	s := newService(t, map[string]string{"STORAGE_URL": storage, "LEASE": "10m"})
	s.startRole("web").waitUntilAlive(t)
	seed := s.seedWorkspace()
	c := s.newClient(seed.Key)

	// Each kind of work is stopped inside: by a network, by the worker's own way to the bucket, or by a locked row.
	for _, fault := range []map[string]any{
		{"network": "threads", "call": "permalink"},
		{"network": "threads", "call": "create", "match": "is being created"},
		{"network": "threads", "call": "refresh"},
		{"network": "facebook", "call": "profile"},
	} {
		fault["kind"], fault["delayMs"], fault["times"] = "slow", 500_000, 0
		s.addFault(fault)
	}
	s.execSQL(`UPDATE accounts SET token_refresh_at = clock() WHERE platform = 'threads'`)
	s.execSQL(`UPDATE accounts SET check_at = clock() WHERE platform = 'facebook'`)
	bucket := startProxy(t, gateway.Host)
	s.env["STORAGE_URL"] = strings.Replace(storage, gateway.Host, bucket.addr, 1)
	killed := s.startRole("worker").waitUntilReady(t)
	discarded := c.uploadFile("discarded.png", mediatest.PNG(32, 24))
	c.waitForFile(t, discarded.MediaID)
	bucket.paused.Lock()
	c.do("DELETE", "/media/"+discarded.MediaID, nil).requireStatus(t, 204)
	processed := c.uploadFile("processed.png", mediatest.PNG(64, 48))
	s.execSQL(`CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS
			$$BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END$$;
		CREATE TRIGGER wait_for_test BEFORE UPDATE ON media FOR EACH ROW WHEN (NEW.source IS NOT NULL)
			EXECUTE FUNCTION wait_for_test()`)
	unlock := s.lockWith(`SELECT pg_advisory_lock(1)`)
	fetched := c.do("POST", "/media/from-url", fields{"url": "https://localhost/bell.png"}).requireStatus(t, 202)
	linked := c.createPost("goes live without a link", "now", seed.Accounts["threads"])
	published := c.createPost("is being created", "now", seed.Accounts["threads"])
	eventually(t, time.Minute, "one worker is inside a job of each kind and a post", func() bool {
		var running []string
		s.queryRow(
			`SELECT coalesce(array_agg(DISTINCT kind ORDER BY kind), '{}') FROM river_job WHERE state = 'running'`, &running,
		)
		return slices.Equal(running, kinds) && s.countOpenCalls("threads", "permalink") > 0 &&
			s.countOpenCalls("threads", "create") > 0 &&
			s.countOpenCalls("threads", "refresh") > 0 && s.countOpenCalls("facebook", "profile") > 0
	})
	killed.kill()

	s.callSandbox("DELETE", "faults", nil)
	s.execSQL(
		`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND ` +
			`wait_event_type = 'Lock'`,
	)
	unlock()
	s.env["STORAGE_URL"] = storage
	s.execSQL(`UPDATE river_job SET attempted_at = attempted_at - interval '1 day' WHERE state = 'running'`)
	s.execSQL(`DELETE FROM river_leader`)
	s.execSQL(`UPDATE publications SET lease_until = clock() WHERE lease_until > clock()`)
	s.execSQL(`UPDATE media SET lease_until = clock(), next_at = clock() WHERE lease_until > clock() OR next_at > clock()`)
	s.execSQL(
		`UPDATE accounts SET token_refresh_at = clock(), token_claimed_until = NULL ` +
			`WHERE platform = 'threads' AND token_refresh_at < clock() + interval '1 hour'`,
	)
	s.execSQL(
		`UPDATE accounts SET check_at = clock() WHERE platform = 'facebook' AND check_at < clock() + interval '1 hour'`,
	)
	s.startRole("worker").waitUntilReady(t)

	s.waitUntilTrue("no job of the killed worker is running", `SELECT NOT EXISTS (
		SELECT FROM river_job WHERE state = 'running' AND attempt = 1
		AND attempted_at < now() - interval '1 hour')`)
	eventually(
		t, time.Minute, "the live post has its link", func() bool { return c.getPost(linked.ID).ExternalURL != nil },
	)
	c.waitForStatus(published.ID, "live", time.Minute)
	if f := c.waitForFile(t, processed.MediaID); f.Status != "ready" {
		t.Errorf("the file that was being processed is %s", f.Status)
	}
	if f := c.waitForFile(t, fetched.ID); f.Status != "failed" {
		t.Errorf("the file that is nowhere to be fetched is %s", f.Status)
	}
	s.waitUntilTrue(
		"the account is checked", `SELECT check_at > clock() + interval '1 hour' FROM accounts WHERE platform = 'facebook'`,
	)
	// The call of the killed worker has no status, or one that came too late.
	eventually(t, time.Minute, "the network was asked again to renew a token", func() bool {
		return s.countOpenCalls("threads", "refresh")+s.countCalls("threads", "refresh", http.StatusBadRequest) > 1
	})
	s.waitUntilTrue("the bytes are deleted", `SELECT bool_and(state = 'completed') FROM river_job WHERE kind = 'discard'`)
	for _, text := range []string{"goes live without a link", "is being created"} {
		if n := s.countVisible(text); n != 1 {
			t.Errorf("%q is visible %d times", text, n)
		}
	}
}

// execSQL runs a statement on the service's database.
func (s *service) execSQL(sql string) {
	s.t.Helper()
	db, err := pgx.Connect(s.t.Context(), s.env["DATABASE_URL"])
	if err != nil {
		s.t.Fatal(err)
	}
	defer db.Close(s.t.Context())
	if _, err := db.Exec(s.t.Context(), sql); err != nil {
		s.t.Fatal(err)
	}
}

// waitUntilTrue waits until a query, which returns one boolean, returns true.
func (s *service) waitUntilTrue(what, sql string) {
	s.t.Helper()
	eventually(s.t, time.Minute, what, func() (yes bool) {
		s.queryRow(sql, &yes)
		return yes
	})
}

// lockWith runs a statement that takes a lock and holds it until the returned function is called.
func (s *service) lockWith(sql string) (unlock func()) {
	s.t.Helper()
	ctx := context.WithoutCancel(s.t.Context())
	db, err := pgx.Connect(ctx, s.env["DATABASE_URL"])
	if err != nil {
		s.t.Fatal(err)
	}
	unlock = sync.OnceFunc(func() { _ = db.Close(ctx) })
	s.t.Cleanup(unlock)
	if _, err := db.Exec(ctx, sql); err != nil {
		s.t.Fatal(err)
	}
	return unlock
}

// proxy forwards TCP connections to one server. Locking paused makes it hold everything back.
type proxy struct {
	addr   string
	server string
	paused sync.RWMutex
}

func startProxy(t testing.TB, server string) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	p := &proxy{addr: listener.Addr().String(), server: server}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go p.forward(client)
		}
	}()
	return p
}

func (p *proxy) forward(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", p.server)
	if err != nil {
		return
	}
	defer server.Close()
	go func() {
		_, _ = io.Copy(client, server)
		_ = client.Close()
	}()
	_, _ = io.Copy(gatedWriter{server, &p.paused}, client)
}

// gatedWriter waits before each write while the proxy is paused.
type gatedWriter struct {
	to     io.Writer
	paused *sync.RWMutex
}

func (w gatedWriter) Write(b []byte) (int, error) {
	w.paused.RLock()
	defer w.paused.RUnlock()
	return w.to.Write(b)
}
