package storetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/jackc/pgx/v5"

	"belfry/internal/postgres"
)

// Server is a PostgreSQL server for tests. Its data is in one of several folders below the system's temporary folder.
// The next run uses the same data, which saves half a second.
type Server struct {
	*postgres.Server
	lock *postgres.DataDirLock
}

// slots is the maximum number of servers that run at the same time, one for each test process of `go test ./...`.
const slots = 64

// Start starts a server in the first free folder. The server runs until Stop is called or the process ends.
func Start(ctx context.Context) (*Server, error) {
	base, err := makeBaseDirIfMissing(os.TempDir())
	if err != nil {
		return nil, err
	}
	for slot := range slots {
		dir := filepath.Join(base, strconv.Itoa(slot))
		lock, err := postgres.TryLockForService(dir)
		if held := new(postgres.HeldError); errors.As(err, &held) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return startServerOrRecreateData(ctx, dir, lock)
	}
	return nil, fmt.Errorf("all %d test servers below %s are in use", slots, base)
}

// startServerOrRecreateData starts the server in dir. Existing data may be broken after a crash of the machine, because
// it is never synced to disk. If the server does not start, startServerOrRecreateData therefore deletes the data and
// tries once more.
func startServerOrRecreateData(ctx context.Context, dir string, lock *postgres.DataDirLock) (*Server, error) {
	cfg := postgres.Config{Dir: dir, Ephemeral: true}
	s, err := postgres.Start(ctx, cfg)
	if err != nil {
		for _, part := range []string{"postgres", "postgres.password"} {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, part)))
		}
		var again error
		if s, again = postgres.Start(ctx, cfg); again != nil {
			return nil, errors.Join(again, lock.Release())
		}
	}
	if err := dropOldDatabases(ctx, s.URL()); err != nil {
		return nil, errors.Join(err, s.Stop(ctx), lock.Release())
	}
	return &Server{Server: s, lock: lock}, nil
}

// Stop ends the server and frees its folder.
func (s *Server) Stop(ctx context.Context) error {
	return errors.Join(s.Server.Stop(ctx), s.lock.Release())
}

// dropOldDatabases drops the databases that killed runs left behind, and templates with other schemas.
func dropOldDatabases(ctx context.Context, admin string) error {
	conn, err := pgx.Connect(ctx, admin)
	if err != nil {
		return fmt.Errorf("connect to the tests' server: %w", err)
	}
	defer conn.Close(ctx)
	template, err := templateName()
	if err != nil {
		return err
	}
	rows, err := conn.Query(ctx, "SELECT datname FROM pg_database WHERE datname LIKE 'test\\_%' OR datname LIKE 'template\\_%' AND datname <> $1", template)
	if err != nil {
		return fmt.Errorf("list old test databases: %w", err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("list old test databases: %w", err)
	}
	for _, name := range names {
		if _, err := conn.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			return fmt.Errorf("drop the old test database %s: %w", name, err)
		}
	}
	return nil
}

// makeBaseDirIfMissing creates the folder of the test servers if it does not exist, and returns it. Other users of the
// machine can predict its name, so it returns an error if the folder belongs to one of them.
func makeBaseDirIfMissing(temp string) (string, error) {
	dir := filepath.Join(temp, fmt.Sprintf("belfry-test-%d", os.Geteuid()))
	if err := os.Mkdir(dir, 0o711); err != nil && !os.IsExist(err) {
		return "", fmt.Errorf("create the folder of the test servers: %w", err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return "", fmt.Errorf("inspect the folder of the test servers: %w", err)
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || !info.IsDir() || int(stat.Uid) != os.Geteuid() {
		return "", fmt.Errorf("%s already exists and is not a folder that Belfry created: move it elsewhere", dir)
	}
	return dir, nil
}
