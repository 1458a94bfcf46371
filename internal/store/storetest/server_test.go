package storetest

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"

	"belfry/internal/postgres"
)

// folder is a new one that root's server can reach, which t.TempDir is not.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "belfry-slot")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	return dir
}

func serverIn(t *testing.T, dir string) *Server {
	t.Helper()
	lock, err := postgres.TryLockForService(dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := startServerOrRecreateData(t.Context(), dir, lock)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func stop(t *testing.T, s *Server) {
	t.Helper()
	if err := s.Stop(context.WithoutCancel(t.Context())); err != nil {
		t.Error(err)
	}
}

func databases(t *testing.T, admin string) []string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), admin)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	rows, err := conn.Query(t.Context(), "SELECT datname FROM pg_database WHERE datname LIKE 'te%\\_%' ORDER BY 1")
	if err != nil {
		t.Fatal(err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestTheNextRunClearsUpAndKeepsTheTemplate(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	first := serverIn(t, dir)
	if _, _, err := Database(t.Context(), first.URL()); err != nil { // never dropped: its run was killed
		t.Fatal(err)
	}
	if err := connectAndExec(t.Context(), first.URL(), "CREATE DATABASE template_ofanoldschema"); err != nil {
		t.Fatal(err)
	}
	stop(t, first)
	second := serverIn(t, dir)
	defer stop(t, second)
	want, err := templateName()
	if err != nil {
		t.Fatal(err)
	}
	if got := databases(t, second.URL()); len(got) != 1 || got[0] != want {
		t.Errorf("databases %v, want only %s", got, want)
	}
}

// Without fsync a crash of the machine may leave anything.
func TestABrokenFolderIsMadeAnew(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	stop(t, serverIn(t, dir))
	if err := os.Truncate(filepath.Join(dir, "postgres", "global", "pg_control"), 0); err != nil {
		t.Fatal(err)
	}
	stop(t, serverIn(t, dir))
}

func TestServersSideBySideHaveFoldersOfTheirOwn(t *testing.T) {
	t.Parallel()
	one, err := Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer stop(t, one)
	two, err := Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer stop(t, two)
	if one.URL() == two.URL() {
		t.Error("they are one")
	}
}

func TestTheFolderOfTheServersMustBeOurs(t *testing.T) {
	t.Parallel()
	temp := t.TempDir()
	dir, err := makeBaseDirIfMissing(temp)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(temp, dir); err != nil {
		t.Fatal(err)
	}
	if _, err := makeBaseDirIfMissing(temp); err == nil {
		t.Error("a link was followed")
	}
}
