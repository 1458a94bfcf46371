package postgres

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// startLimit bounds one start; replaying the log after a crash is the long case.
	startLimit = 2 * time.Minute
	// orphanLimit bounds the wait for sessions of a killed server, which end by themselves.
	orphanLimit = 15 * time.Second
)

// launchServer starts one server process and returns when its database answers.
func (s *Server) launchServer(ctx context.Context) (*process, error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	deadline := time.Now().Add(orphanLimit)
	for {
		p, said, err := s.launchOnce(ctx)
		if err == nil {
			return p, nil
		}
		// A server killed with -9 leaves sessions that notice within a moment; until then a new
		// one must not touch their files.
		if !strings.Contains(said, "pre-existing shared memory block") || time.Now().After(deadline) {
			return nil, err
		}
		if err := waitFor(ctx, 100*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

// launchOnce also returns what the server wrote to its log when it did not come up.
func (s *Server) launchOnce(ctx context.Context) (*process, string, error) {
	log, start, err := openLog(s.layout.log)
	if err != nil {
		return nil, "", fmt.Errorf("open the local database's log: %w", err)
	}
	defer log.Close()
	args := append([]string{"-D", s.layout.cluster}, serverArguments(s.layout, s.ephemeral)...)
	// The process outlives this call's context, so it gets none.
	cmd := newCommand(context.WithoutCancel(ctx), s.account, filepath.Join(s.bin.Dir, "postgres"), args...)
	cmd.Stdout, cmd.Stderr = log, log
	p, err := startProcess(cmd)
	if err != nil {
		return nil, "", fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	if err := s.waitUntilReady(ctx, p); err != nil {
		stopErr := p.shutDown(ctx)
		said := readLogTail(s.layout.log, start)
		return nil, said, errors.Join(fmt.Errorf("start the local PostgreSQL %d: %w; it wrote to %s:\n%s", s.bin.Major, err, s.layout.log, said), stopErr)
	}
	return p, "", nil
}

// waitUntilReady waits until our database can be used, and makes it at the first start.
func (s *Server) waitUntilReady(ctx context.Context, p *process) error {
	for wait := 2 * time.Millisecond; ; wait = min(2*wait, 100*time.Millisecond) {
		err := s.connectOrCreateDatabase(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-p.exited:
			return fmt.Errorf("it ended at once (%w)", p.err)
		default:
		}
		// Anything but "not there yet" and "starting up" will not mend by waiting.
		if pg := new(pgconn.PgError); errors.As(err, &pg) && pg.Code != "57P03" {
			return err
		}
		if pauseErr := waitFor(ctx, wait); pauseErr != nil {
			return errors.Join(err, pauseErr)
		}
	}
}

func (s *Server) connectOrCreateDatabase(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, s.url)
	if err == nil {
		return conn.Close(ctx)
	}
	if pg := new(pgconn.PgError); !errors.As(err, &pg) || pg.Code != "3D000" {
		return err
	}
	cfg, err := pgx.ParseConfig(s.url)
	if err != nil {
		return err
	}
	cfg.Database = "postgres"
	conn, err = pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "CREATE DATABASE "+database)
	return errors.Join(err, conn.Close(ctx))
}

func waitFor(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
