package postgres

import (
	"bytes"
	"strings"
	"testing"
)

func TestADumpComesBack(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	fill(t, dir, "CREATE TABLE kept AS SELECT 7 AS n")
	var backup bytes.Buffer
	if err := Dump(t.Context(), dir, &backup); err != nil {
		t.Fatal(err)
	}
	fill(t, dir, "INSERT INTO kept VALUES (8)", "CREATE TABLE later ()")
	if err := Restore(t.Context(), dir, bytes.NewReader(backup.Bytes()[:backup.Len()/2])); err == nil {
		t.Error("half a backup was taken")
	}
	if err := Restore(t.Context(), dir, strings.NewReader("no backup")); err == nil {
		t.Error("a file that is no backup was taken")
	}
	fill(t, dir, "SELECT FROM later", "SELECT 1 / (count(*) - 1) FROM kept") // both fail if anything was lost
	if err := Restore(t.Context(), dir, &backup); err != nil {
		t.Fatal(err)
	}
	s := start(t, dir)
	if got := must(t, s.URL(), hasRow); got != "7" {
		t.Errorf("after the restore there is %q", got)
	}
	if got := must(t, s.URL(), "SELECT coalesce(to_regclass('later')::text, 'gone')"); got != "gone" {
		t.Error("a table made after the backup is still there")
	}
	if got := must(t, s.URL(), "SELECT count(*)::text FROM pg_database WHERE NOT datistemplate"); got != "2" {
		t.Errorf("%s databases are left", got)
	}
}

func TestADumpWhileTheServiceRunsAndNoRestore(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	service(t, dir)
	var backup bytes.Buffer
	if err := Dump(t.Context(), dir, &backup); err != nil || !strings.HasPrefix(backup.String(), "PGDMP") {
		t.Errorf("error %v", err)
	}
	if err := Restore(t.Context(), dir, &backup); err == nil || !strings.HasSuffix(err.Error(), "stop it first") {
		t.Errorf("error %v", err)
	}
}

func fill(t *testing.T, dir string, statements ...string) {
	t.Helper()
	session, err := UseOrStartServer(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	do(t, session.URL, statements...)
	if err := session.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}
