package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"belfry/internal/postgres"
)

// The idle floor has as many queues as the program and looks for jobs as often. A test in arch_test.go compares both.
const (
	queues    = 5
	fetchPoll = 10 * time.Second
)

// noJob is a job that is never inserted.
type noJob struct{}

// Kind implements river.JobArgs.
func (noJob) Kind() string { return "none" }

// noWorker does nothing.
type noWorker struct{ river.WorkerDefaults[noJob] }

// Work implements river.Worker.
func (noWorker) Work(context.Context, *river.Job[noJob]) error { return nil }

// serveIdleFloor runs, until ctx ends, only what the program runs on: its own PostgreSQL and a River client with as many
// queues, which looks for jobs as often. It runs in a separate process.
func serveIdleFloor(ctx context.Context, addr, dataDir string) (err error) {
	if err := os.Mkdir(dataDir, 0o711); err != nil { // as root, PostgreSQL runs as another user
		return err
	}
	database, err := postgres.Start(ctx, postgres.Config{Dir: dataDir})
	if err != nil {
		return err
	}
	stopping := context.WithoutCancel(ctx)
	defer func() { err = errors.Join(err, database.Stop(stopping)) }()
	pool, err := pgxpool.New(ctx, database.URL())
	if err != nil {
		return err
	}
	defer pool.Close()
	driver := riverpgxv5.New(pool)
	migrator, err := rivermigrate.New(driver, &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return err
	}
	cfg := &river.Config{Queues: map[string]river.QueueConfig{}, FetchPollInterval: fetchPoll, Workers: river.NewWorkers()}
	river.AddWorker(cfg.Workers, noWorker{})
	for i := range queues {
		cfg.Queues[fmt.Sprintf("queue%d", i)] = river.QueueConfig{MaxWorkers: 32}
	}
	client, err := river.NewClient(driver, cfg)
	if err != nil {
		return err
	}
	if err := client.Start(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Stop(stopping)) }()
	server := &http.Server{Addr: addr, ReadHeaderTimeout: time.Hour}
	server.Handler = http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	go func() {
		<-ctx.Done()
		_ = server.Close()
	}()
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// measureIdleFloor returns the share of a core that the idle floor uses.
func measureIdleFloor(ctx context.Context, o options, folder string) (share float64, err error) {
	s, err := newService(o, folder)
	if err != nil {
		return 0, err
	}
	p, err := startSelf(folder, "idle-floor", s.addr, filepath.Join(folder, "data"))
	if err != nil {
		return 0, err
	}
	defer p.stop()
	s.process = p
	if err := s.await(ctx, "http://"+s.addr+"/"); err != nil {
		return 0, errors.Join(err, s.lastWords())
	}
	return measureIdleShare(ctx, p.cmd.Process.Pid)
}
