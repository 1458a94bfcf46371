package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"belfry/internal/store/storetest"
)

// A mistyped BELFRY_DATA_DIR must not look like an empty installation, least of all to a backup.
func TestOnlyWhatBeginsAnInstallationMakesADatabase(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "mistyped")
	file := filepath.Join(t.TempDir(), "belfry.backup")
	for _, args := range [][]string{
		{"backup", file},
		{"key", "create", "--workspace", "a", "--name", "b", "--scope", "read"},
		{"user", "password", "--email", "a@example.org", "--password-stdin"},
		{"workspace", "plan", "--workspace", "a", "--plan", "free"},
		{"accounts", "revoke-unreadable"},
	} {
		code, out, errs := belfry(t, []string{"BELFRY_DATA_DIR=" + folder}, args...)
		if code != exitError || out != "" || !strings.Contains(errs, "no database in "+folder) ||
			!strings.Contains(errs, "BELFRY_DATA_DIR") {
			t.Errorf("belfry %v exits with %d and prints %q and %q", args, code, out, errs)
		}
	}
	for _, path := range []string{folder, file} {
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s was made", path)
		}
	}
}

// Another database, or other keys, would be as misleading as another folder.
func TestCommandsWantTheServicesDatabaseAndKeys(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	env := []string{"BELFRY_DATABASE_URL=" + storetest.EmptyURL(t), "BELFRY_DATA_DIR=" + folder, "BELFRY_ADDR=127.0.0.1:0"}
	for _, says := range []string{"the database is empty", "there are no secret keys in " + folder} {
		code, out, errs := belfry(t, env, "accounts", "revoke-unreadable", "--confirm")
		if code != exitError || out != "" || !strings.Contains(errs, says) || !strings.Contains(errs, "BELFRY_DATA_DIR") {
			t.Errorf("it exits with %d and prints %q and %q, want %q", code, out, errs, says)
		}
		if code, _, errs := belfry(t, env, "migrate"); code != exitOK {
			t.Fatalf("migrate exits with %d: %s", code, errs)
		}
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 0 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
}
