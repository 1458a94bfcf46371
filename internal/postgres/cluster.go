package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// makeCluster runs initdb in a temporary folder, and renames the folder at the end. An interrupted start therefore
// leaves nothing that looks like a database.
func makeCluster(ctx context.Context, bin serverPrograms, a systemUser, l layout, ephemeral bool) error {
	if err := os.RemoveAll(l.making); err != nil {
		return fmt.Errorf("remove an unfinished database: %w", err)
	}
	if err := a.ensureOwnedDir(l.making); err != nil {
		return fmt.Errorf("create the database's folder: %w", err)
	}
	// initdb reads the password as the server's user, who cannot read our file.
	pwfile, err := os.CreateTemp(l.sockets, "initial-password-")
	if err != nil {
		return fmt.Errorf("pass the password to initdb: %w", err)
	}
	defer func() { _ = os.Remove(pwfile.Name()) }()
	_, err = pwfile.WriteString(l.password + "\n")
	if err := errors.Join(err, a.changeOwner(pwfile), pwfile.Close()); err != nil {
		return fmt.Errorf("pass the password to initdb: %w", err)
	}
	args := []string{
		"--pgdata=" + l.making, "--username=" + role, "--pwfile=" + pwfile.Name(), "--auth=scram-sha-256",
		// Byte order is the same on every machine, and does not change with the system's C library, which would break
		// indexes. The character type makes lower() work for all letters.
		"--encoding=UTF8", "--locale=C", "--lc-ctype=" + characterLocale(), "--no-instructions",
	}
	if ephemeral {
		args = append(args, "--no-sync")
	}
	out, err := newCommand(ctx, a, filepath.Join(bin.Dir, "initdb"), args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("create the local database with PostgreSQL %d: %w\n%s", bin.Major, err, out)
	}
	if err := os.Rename(l.making, l.cluster); err != nil {
		return fmt.Errorf("put the new database in place: %w", err)
	}
	return nil
}

func characterLocale() string {
	if runtime.GOOS == "darwin" {
		return "en_US.UTF-8" // macOS before 15 has no C.UTF-8
	}
	return "C.UTF-8"
}

// settingArguments returns the server's settings as arguments, without the data directory. postgresql.conf therefore
// stays as initdb wrote it, and a new version of Belfry can change the settings at the next start.
func settingArguments(socketDir string, ephemeral bool) []string {
	set := []string{
		"listen_addresses=", "unix_socket_directories=" + socketDir, "unix_socket_permissions=0700", "port=" + port,
		"max_connections=100", "timezone=UTC", "log_timezone=UTC",
		"autovacuum_naptime=30s", // the planner's statistics of new tables are soon outdated
		"log_checkpoints=off", "log_line_prefix=%m [%p] ",
	}
	if ephemeral {
		set = append(
			set,
			"fsync=off", "synchronous_commit=off", "full_page_writes=off", "autovacuum=off",
			"wal_level=minimal", "max_wal_senders=0", "max_connections=400",
		)
	}
	var args []string
	for _, s := range set {
		args = append(args, "-c", s)
	}
	return args
}
