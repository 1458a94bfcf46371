package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Dump writes the local database to w in PostgreSQL's custom format, while a service runs or not.
func Dump(ctx context.Context, dir string, w io.Writer) (err error) {
	session, err := Connect(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close(ctx)) }()
	return runClient(ctx, dir, session.URL, nil, w, "pg_dump", "--format=custom", "--no-owner", "--no-privileges")
}

// Restore replaces the local database by one that Dump wrote. The new one is filled beside the old
// one and takes its place at the end, so a restore that fails changes nothing. No service may run.
func Restore(ctx context.Context, dir string, r io.Reader) (err error) {
	lock, err := lockDir(ctx, dir, byCommand)
	if held := new(HeldError); errors.As(err, &held) && held.Serves() {
		return fmt.Errorf("belfry serve uses %s (pid %s): stop it first", held.Dir, held.Pid)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	server, err := Start(ctx, Config{Dir: dir})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop(ctx)) }()
	conn, err := pgx.Connect(ctx, server.layout.databaseURL(server.password, "postgres"))
	if err != nil {
		return fmt.Errorf("connect to the local database: %w", err)
	}
	defer conn.Close(ctx)
	const fresh, old = database + "_restored", database + "_replaced"
	create := "CREATE DATABASE " + fresh + " TEMPLATE template0"
	if err := execInOrder(ctx, conn, dropDatabaseIfExists(fresh), dropDatabaseIfExists(old), create); err != nil {
		return err
	}
	into := server.layout.databaseURL(server.password, fresh)
	if err := runClient(ctx, dir, into, r, nil, "pg_restore", "--dbname="+fresh, "--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges"); err != nil {
		return errors.Join(err, execInOrder(ctx, conn, dropDatabaseIfExists(fresh)))
	}
	return execInOrder(ctx, conn,
		// Both renames or none: a crash between them would leave no database of that name.
		"BEGIN; ALTER DATABASE "+database+" RENAME TO "+old+"; ALTER DATABASE "+fresh+" RENAME TO "+database+"; COMMIT",
		dropDatabaseIfExists(old))
}

func dropDatabaseIfExists(name string) string {
	return "DROP DATABASE IF EXISTS " + name + " WITH (FORCE)"
}

func execInOrder(ctx context.Context, conn *pgx.Conn, statements ...string) error {
	for _, sql := range statements {
		if _, err := conn.PgConn().Exec(ctx, sql).ReadAll(); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}

// runClient starts one of PostgreSQL's client programs of the cluster's own version against address. The
// password goes by the environment, since everybody can read arguments.
func runClient(ctx context.Context, dir, address string, in io.Reader, out io.Writer, program string,
	args ...string,
) error {
	l, err := newLayout(dir)
	if err != nil {
		return err
	}
	major, err := clusterMajor(l.cluster)
	if err != nil {
		return err
	}
	bin, err := FindBinaries(ctx, major)
	if err != nil {
		return err
	}
	cfg, err := pgx.ParseConfig(address)
	if err != nil {
		return fmt.Errorf("read the local database's address: %w", err)
	}
	cmd := exec.CommandContext(ctx, filepath.Join(bin.Dir, program), args...)
	cmd.Env = []string{
		"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C",
		"PGHOST=" + cfg.Host, "PGPORT=" + port, "PGUSER=" + cfg.User, "PGPASSWORD=" + cfg.Password, "PGDATABASE=" +
			cfg.Database,
	}
	var said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("run %s: %w: %s", program, err, strings.TrimSpace(said.String()))
	}
	return nil
}
