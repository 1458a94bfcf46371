package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// startLimit is the maximum duration of one start, which is long only after a crash, when the log is replayed.
	startLimit = 2 * time.Minute
	// orphanLimit is how long to wait for sessions of a killed server to end.
	orphanLimit = 15 * time.Second

	logLimit  = 8 << 20
	tailLimit = 2000 // how much of the log an error shows
)

// stopLeftoverServerOrTakePIDFile stops a server that a killed run has left behind. If only the server's pid file is
// left, it writes our process id into the file, so that a new server can start. The caller has locked the data folder,
// so the server belongs to no running process. pg_ctl runs as the server's user, who could have written any process id
// into the pid file.
func (s *Server) stopLeftoverServerOrTakePIDFile(ctx context.Context) error {
	const pidFile = "postmaster.pid"
	cluster, err := os.OpenRoot(s.layout.cluster) // follows no link that leads out of the folder
	if err != nil {
		return err
	}
	defer cluster.Close()
	text, err := cluster.ReadFile(pidFile)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the local database's pid file: %w", err)
	}
	if conn, err := new(net.Dialer).DialContext(ctx, "unix", s.layout.socketPath()); err == nil {
		_ = conn.Close()
		out, err := newCommand(ctx, s.account, filepath.Join(s.bin.Dir, "pg_ctl"),
			"stop", "--pgdata="+s.layout.cluster, "--mode=fast", "--wait", "--timeout=30").CombinedOutput()
		if _, left := cluster.Stat(pidFile); err != nil && left == nil {
			return fmt.Errorf("stop the PostgreSQL server that an earlier run left behind: %w\n%s", err, out)
		}
		return nil
	}
	// A new server takes a process or thread with the id in the first line for another server, unless this process is its
	// parent, as ours is. The other lines show the server which sessions still use its files, so these lines stay.
	_, rest, _ := strings.Cut(string(text), "\n")
	if err := cluster.WriteFile(pidFile, fmt.Appendf(nil, "%d\n%s", os.Getpid(), rest), 0o600); err != nil {
		return fmt.Errorf("replace the process ID in the local database's pid file: %w", err)
	}
	return nil
}

// launchServerAndAwaitReady starts one server process, and returns when the database responds. While sessions of a
// killed server prevent the start, it tries again.
func (s *Server) launchServerAndAwaitReady(ctx context.Context) (*process, error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	for deadline := time.Now().Add(orphanLimit); ; {
		p, said, err := s.tryLaunchServerOnce(ctx)
		if err == nil {
			return p, nil
		}
		// A server killed with -9 leaves sessions, which end within a moment. Until then, a new server must not touch their
		// files.
		if !strings.Contains(said, "pre-existing shared memory block") || time.Now().After(deadline) {
			return nil, fmt.Errorf("start the local PostgreSQL %d: %w; its log %s contains:\n%s", s.bin.Major, err, s.layout.log, said)
		}
		if err := sleepContext(ctx, 100*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

// tryLaunchServerOnce starts the server once, and returns when the database responds. If it does not start, logTail is
// what it wrote to the log.
func (s *Server) tryLaunchServerOnce(ctx context.Context) (_ *process, logTail string, err error) {
	log, start, err := rotateLogIfLargeAndOpen(s.layout.log)
	if err != nil {
		return nil, "", fmt.Errorf("open the local database's log: %w", err)
	}
	defer log.Close()
	args := append([]string{"-D", s.layout.cluster}, settingArguments(s.layout.sockets, s.ephemeral)...)
	// The process outlives this call's context.
	cmd := newCommand(context.WithoutCancel(ctx), s.account, filepath.Join(s.bin.Dir, "postgres"), args...)
	cmd.Stdout, cmd.Stderr = log, log
	p, err := startProcess(cmd)
	if err != nil {
		return nil, "", err
	}
	if err := s.waitForServerAndEnsureDatabase(ctx, p); err != nil {
		return nil, readLogTail(log, start), errors.Join(err, p.shutDown(ctx))
	}
	return p, "", nil
}

// waitForServerAndEnsureDatabase waits until the server responds, and creates the database at the first start.
func (s *Server) waitForServerAndEnsureDatabase(ctx context.Context, p *process) error {
	for wait := 2 * time.Millisecond; ; wait = min(2*wait, 100*time.Millisecond) {
		err := runSQL(ctx, s.URL())
		if hasSQLState(err, "3D000") { // the database does not exist
			err = runSQL(ctx, s.layout.databaseURL("postgres"), "CREATE DATABASE "+database)
		}
		if err == nil {
			return nil
		}
		select {
		case <-p.exited:
			return fmt.Errorf("it exited before it was ready (%w)", p.err)
		default:
		}
		// Waiting helps only while the server does not listen yet or is starting up.
		if pg := new(pgconn.PgError); errors.As(err, &pg) && pg.Code != "57P03" {
			return err
		}
		if pauseErr := sleepContext(ctx, wait); pauseErr != nil {
			return errors.Join(err, pauseErr)
		}
	}
}

func hasSQLState(err error, code string) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.Code == code
}

// runSQL connects and runs statements one after the other. Without statements, it only checks the connection.
func runSQL(ctx context.Context, address string, statements ...string) error {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	for _, sql := range statements {
		if _, err := conn.PgConn().Exec(ctx, sql).ReadAll(); err != nil {
			return errors.Join(fmt.Errorf("%s: %w", sql, err), conn.Close(ctx))
		}
	}
	return conn.Close(ctx)
}

// rotateLogIfLargeAndOpen opens the log for appending, after rotating it if it is large. It also returns the log's
// length.
func rotateLogIfLargeAndOpen(path string) (log *os.File, length int64, err error) {
	if err := rotateLogIfLarge(path); err != nil {
		return nil, 0, err
	}
	if log, err = openNoFollow(path, os.O_CREATE|os.O_APPEND|os.O_RDWR); err != nil {
		return nil, 0, err
	}
	length, err = log.Seek(0, io.SeekEnd)
	return log, length, err
}

// rotateLogIfLarge moves the end of a large log to a second file, which it overwrites. The log stays the same file,
// because the server has it open and would continue writing to a renamed file.
func rotateLogIfLarge(path string) error {
	log, err := openNoFollow(path, os.O_RDWR)
	if err != nil {
		return nil // the next attempt to open the log reports the error
	}
	defer log.Close()
	info, err := log.Stat()
	if err != nil || info.Size() <= logLimit {
		return err
	}
	end, err := io.ReadAll(io.NewSectionReader(log, info.Size()-logLimit, logLimit))
	if err != nil {
		return err
	}
	return errors.Join(writePrivateFileAtomically(path+".old", string(end)), log.Truncate(0))
}

// readLogTail returns the end of the log, but nothing written before start, or "" if it cannot read the log.
func readLogTail(log io.ReaderAt, start int64) (textOrEmpty string) {
	text, err := io.ReadAll(io.NewSectionReader(log, start, logLimit))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text[max(0, len(text)-tailLimit):]))
}

// sleepContext waits for d, or until ctx ends, which is an error.
func sleepContext(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
