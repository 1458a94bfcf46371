package postgres

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const hasRow = "SELECT string_agg(n::text, ',') FROM kept"

func TestDataOutlivesAStopAndAStart(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	s := start(t, dir)
	do(t, s.URL(), "CREATE TABLE kept AS SELECT 7 AS n")
	info, err := os.Stat(filepath.Join(dir, "postgres.url"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("postgres.url: mode %v, error %v", info.Mode(), err)
	}
	stop(t, s)
	began := time.Now()
	again := start(t, dir)
	t.Logf("warm start: %v", time.Since(began))
	if got := must(t, again.URL(), hasRow); got != "7" {
		t.Errorf("got %q", got)
	}
	if again.URL() != s.URL() {
		t.Error("the address changed")
	}
}

func TestTheServerListensOnItsSocketOnlyAndTrustsNobody(t *testing.T) {
	t.Parallel()
	s := start(t, dataDir(t))
	for setting, want := range map[string]string{"listen_addresses": "", "lc_ctype": "C.UTF-8", "lc_collate": "C", "timezone": "UTC", "server_encoding": "UTF8"} {
		if characterLocale() != "C.UTF-8" && setting == "lc_ctype" {
			want = characterLocale()
		}
		if got := must(t, s.URL(), "SELECT current_setting('"+setting+"')"); got != want {
			t.Errorf("%s is %q, want %q", setting, got, want)
		}
	}
	if got := must(t, s.URL(), "SELECT coalesce(string_agg(DISTINCT auth_method, ','), '') FROM pg_hba_file_rules"); got != "scram-sha-256" {
		t.Errorf("ways in: %s", got)
	}
	if got := must(t, s.URL(), "SELECT lower('ÄÉ')"); got != "äé" {
		t.Errorf("lower knows ASCII only: %q", got)
	}
	wrong := strings.Replace(s.URL(), s.layout.password, "wrong", 1)
	_, err := one(t, wrong, "SELECT 'in'")
	if pg := new(pgconn.PgError); !errors.As(err, &pg) || pg.Code != "28P01" {
		t.Errorf("a wrong password gives %v", err)
	}
}

func TestADurableServerSyncs(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	began := time.Now()
	s, err := Start(t.Context(), Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, s) })
	t.Logf("cold start: %v", time.Since(began))
	for _, setting := range []string{"fsync", "synchronous_commit", "full_page_writes", "autovacuum"} {
		if got := must(t, s.URL(), "SELECT current_setting('"+setting+"')"); got != "on" {
			t.Errorf("%s is %s", setting, got)
		}
	}
}

func TestTheServerStopsWhenItsParentIsKilled(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	parent, pid := service(t, dir)
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the server ended", func() bool { return !isAlive(pid) })
	log, err := os.ReadFile(filepath.Join(dir, "postgres.log"))
	if err != nil || !strings.Contains(string(log), "database system is shut down") {
		t.Errorf("it did not shut down in order (%v):\n%s", err, log)
	}
}

func TestAStartRightAfterAKill(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	parent, _ := service(t, dir)
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait()
	lock, err := LockForService(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	s := start(t, dir)
	must(t, s.URL(), "SELECT 'up'")
}

func TestAServerLeftRunningIsTakenOver(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	// The process that loses its lock without ending stands for one whose death did not reach the server.
	left := start(t, dir)
	must(t, left.URL(), "SELECT 'up'")
	// Its keeper must not start it again under the new one's feet.
	left.stopSupervising()
	left.stopOnce.Do(func() {})
	<-left.ended
	pid := left.pid()
	s := start(t, dir)
	eventually(t, "the old server ended", func() bool { return !isAlive(pid) })
	must(t, s.URL(), "SELECT 'up'")
}

func TestAServerThatDiesIsStartedAgain(t *testing.T) {
	t.Parallel()
	s, err := Start(t.Context(), Config{Dir: dataDir(t)}) // a durable one: what is committed must be there afterwards
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, s) })
	do(t, s.URL(), "CREATE TABLE kept AS SELECT 7 AS n")
	if err := syscall.Kill(s.pid(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it answers again", func() bool {
		got, err := one(t, s.URL(), hasRow)
		return err == nil && got == "7"
	})
}

func TestAPidFileThatNamesAStrangerIsNoHindrance(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	s := start(t, dir)
	pidFile := filepath.Join(dir, "postgres", "postmaster.pid")
	text, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	stop(t, s)
	_, rest, _ := strings.Cut(string(text), "\n")
	if err := os.WriteFile(pidFile, []byte("1\n"+rest), 0o600); err != nil {
		t.Fatal(err)
	}
	stranger, strangerPid := service(t, dataDir(t))
	defer stranger.Process.Kill()
	if err := os.WriteFile(pidFile, []byte(itoa(strangerPid)+"\n"+rest), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Lchown(pidFile, s.account.uid, s.account.gid); err != nil {
		t.Fatal(err)
	}
	again := start(t, dir)
	must(t, again.URL(), "SELECT 'up'")
	if !isAlive(strangerPid) {
		t.Error("the stranger was stopped")
	}
}

func TestAnUnfinishedClusterIsMadeAnew(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	half := filepath.Join(dir, "postgres.making", "base")
	if err := os.MkdirAll(half, 0o700); err != nil {
		t.Fatal(err)
	}
	must(t, start(t, dir).URL(), "SELECT 'up'")
}

func TestAFailedStartShowsTheServersOwnWords(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	stop(t, start(t, dir))
	conf := filepath.Join(dir, "postgres", "postgresql.conf")
	if err := os.WriteFile(conf, []byte("no such setting\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Start(t.Context(), Config{Dir: dir, Ephemeral: true})
	if err == nil || !strings.Contains(err.Error(), "syntax error") || !strings.Contains(err.Error(), "postgres.log") {
		t.Errorf("error %v", err)
	}
}

func TestALostPasswordIsNotReplaced(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	stop(t, start(t, dir))
	if err := os.Remove(filepath.Join(dir, "postgres.password")); err != nil {
		t.Fatal(err)
	}
	_, err := Start(t.Context(), Config{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "restore the file from a backup") {
		t.Errorf("error %v", err)
	}
}

func TestStopTwiceIsOnce(t *testing.T) {
	t.Parallel()
	s := start(t, dataDir(t))
	stop(t, s)
	if err := s.Stop(context.WithoutCancel(t.Context())); err != nil {
		t.Error(err)
	}
}

// A shutdown waits for nobody: a client in the midst of a transaction is sent away.
func TestStopDoesNotWaitForClients(t *testing.T) {
	t.Parallel()
	s := start(t, dataDir(t))
	conn, err := pgx.Connect(t.Context(), s.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	if _, err := conn.Exec(t.Context(), "BEGIN"); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	stop(t, s)
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}
