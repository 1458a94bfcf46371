package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"

	"github.com/jackc/pgx/v5"
)

// Dump writes the local database to w in PostgreSQL's custom format. The service can be running or stopped.
func Dump(ctx context.Context, dataDir string, w io.Writer) (err error) {
	session, err := UseOrStartServer(ctx, dataDir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close(ctx)) }()
	return runDumpOrRestore(ctx, dataDir, database, nil, w, "pg_dump", "--format=custom")
}

// Restore replaces the local database with one that Dump wrote. It fills a new database and swaps the two at the end,
// so a failed restore changes nothing. The service must be stopped.
func Restore(ctx context.Context, dataDir string, r io.Reader) (err error) {
	lock, err := ensureDirAndAwaitLock(ctx, dataDir, byCommand)
	if held, ok := errors.AsType[*HeldError](err); ok && held.IsService() {
		return fmt.Errorf("belfry serve is using %s (pid %s): stop it first", held.Dir, held.Pid)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	server, err := Start(ctx, Config{Dir: dataDir})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop(ctx)) }()
	const fresh, old = database + "_restored", database + "_replaced"
	admin := server.layout.databaseURL("postgres")
	err = runSQL(ctx, admin, dropDatabaseSQL(fresh), dropDatabaseSQL(old), "CREATE DATABASE "+fresh+" TEMPLATE template0")
	if err != nil {
		return err
	}
	err = runDumpOrRestore(ctx, dataDir, fresh, r, nil, "pg_restore", "--dbname="+fresh, "--single-transaction",
		"--exit-on-error")
	if err != nil {
		return errors.Join(err, runSQL(ctx, admin, dropDatabaseSQL(fresh)))
	}
	return runSQL(ctx, admin,
		// In one transaction, because a crash between the renames would leave no database with this name.
		"BEGIN; ALTER DATABASE "+database+" RENAME TO "+old+"; ALTER DATABASE "+fresh+" RENAME TO "+database+"; COMMIT",
		dropDatabaseSQL(old))
}

func dropDatabaseSQL(name string) string {
	return "DROP DATABASE IF EXISTS " + pgx.Identifier{name}.Sanitize() + " WITH (FORCE)"
}

// runDumpOrRestore runs a client program of the cluster's PostgreSQL version on one of the cluster's databases. It
// passes the password in the environment, because other users can read arguments.
func runDumpOrRestore(
	ctx context.Context, dataDir, databaseName string, in io.Reader, out io.Writer, program string, args ...string,
) error {
	l, err := loadLayout(dataDir)
	if err != nil {
		return err
	}
	major, err := readClusterMajor(l.cluster)
	if err != nil {
		return err
	}
	bin, err := locateServerPrograms(ctx, major)
	if err != nil {
		return err
	}
	args = append(args, "--no-owner", "--no-privileges")
	cmd := exec.CommandContext(ctx, filepath.Join(bin.Dir, program), args...)
	cmd.Env = append(childEnvironment(),
		"PGHOST="+l.sockets, "PGPORT="+port, "PGUSER="+role, "PGPASSWORD="+l.password, "PGDATABASE="+databaseName)
	var said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("run %s: %w: %s", program, err, bytes.TrimSpace(said.Bytes()))
	}
	return nil
}
