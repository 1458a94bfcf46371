package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// stopLeftoverServer clears the way for a new server on cluster: one that a killed run left behind is stopped,
// and a pid file whose number now belongs to a stranger is made harmless. The caller holds the data
// folder's lock, so no run that is still alive loses its server.
func stopLeftoverServer(ctx context.Context, cluster string) error {
	file := filepath.Join(cluster, "postmaster.pid")
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the local database's pid file: %w", err)
	}
	first, rest, _ := strings.Cut(string(text), "\n")
	pid, _ := strconv.Atoi(strings.TrimSpace(first))
	if pid <= 1 || !isAlive(pid) {
		return nil // the server itself clears such a file, and one without a number
	}
	if !isServerOf(ctx, pid, cluster) {
		// The server takes any living process of that number for its twin, except its own parent.
		// The other lines stay, since by them it finds sessions that are still at its files.
		return rewritePidFile(file, rest)
	}
	return terminateServer(ctx, pid)
}

// rewritePidFile rewrites the pid file to name us, keeping owner and mode. A link that the server's user put in its
// place leads nowhere else.
func rewritePidFile(file, rest string) error {
	cluster, err := os.OpenRoot(filepath.Dir(file))
	if err != nil {
		return fmt.Errorf("clear the local database's pid file: %w", err)
	}
	defer cluster.Close()
	f, err := cluster.OpenFile(filepath.Base(file), os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return fmt.Errorf("clear the local database's pid file: %w", err)
	}
	_, err = fmt.Fprintf(f, "%d\n%s", os.Getpid(), rest)
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("clear the local database's pid file: %w", err)
	}
	return nil
}

// terminateServer stops a server that is not our child: politely, then for certain.
func terminateServer(ctx context.Context, pid int) error {
	for _, step := range []struct {
		signal syscall.Signal
		wait   time.Duration
	}{{syscall.SIGINT, 15 * time.Second}, {syscall.SIGQUIT, 10 * time.Second}} {
		if err := syscall.Kill(pid, step.signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("stop the PostgreSQL left by an earlier run (pid %d): %w", pid, err)
		}
		for deadline := time.Now().Add(step.wait); time.Now().Before(deadline); {
			if !isAlive(pid) {
				return nil
			}
			if err := waitFor(ctx, 5*time.Millisecond); err != nil {
				return err
			}
		}
	}
	return fmt.Errorf("the PostgreSQL left by an earlier run (pid %d) does not stop: end it by hand and start again", pid)
}

func isAlive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
