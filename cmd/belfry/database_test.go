package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
		if code != exitError || out != "" || !strings.Contains(errs, "no database in "+folder) || !strings.Contains(errs, "BELFRY_DATA_DIR") {
			t.Errorf("belfry %v exits with %d and prints %q and %q", args, code, out, errs)
		}
	}
	for _, path := range []string{folder, file} {
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s was made", path)
		}
	}
}
