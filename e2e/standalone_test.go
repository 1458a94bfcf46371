package e2e

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// newStandaloneService prepares the service as a newcomer has it: nothing is set but where it listens and keeps its
// data, so that it runs its own PostgreSQL and its own simulated networks.
func newStandaloneService(t testing.TB, settings ...map[string]string) *service {
	t.Helper()
	addr := freeAddr(t)
	s := &service{t: t, binary: binary, env: map[string]string{
		"ADDR": addr, "DATA_DIR": filepath.Join(newFolderForPostgres(t), "data"),
	}}
	s.url = "http://" + strings.Replace(addr, "127.0.0.1", "localhost", 1)
	s.networks = s.url + "/sandbox"
	for _, more := range settings {
		maps.Copy(s.env, more)
	}
	// The end of a test kills the program. Its database then stops by itself, and writes to the folder until it has.
	t.Cleanup(func() {
		eventually(t, 30*time.Second, "the local database has stopped", func() bool { return !s.hasRunningDatabase() })
	})
	return s
}

// hasRunningDatabase reports whether a PostgreSQL server of the service runs, even if the program does not.
func (s *service) hasRunningDatabase() bool {
	for _, pid := range s.postmasterPIDs() {
		if !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return true
		}
	}
	return false
}

// newFolderForPostgres is a new folder that root's PostgreSQL, which runs as another user, can reach; t.TempDir is not.
func newFolderForPostgres(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "belfry-e2e-data-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	return dir
}
