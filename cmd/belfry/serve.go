package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"belfry/internal/blob"
	"belfry/internal/config"
	"belfry/internal/httpd"
	"belfry/internal/postgres"
	"belfry/jobs"
)

// sandboxPath is the path of the service's own simulated networks.
const sandboxPath = "/sandbox"

// runServe runs the service until ctx ends: the local database, the parts for this process's roles, and the simulated
// networks if no network has credentials.
func runServe(ctx context.Context, p *program, cfg *config.Config) (err error) {
	if usesOwnSandbox(cfg) && !cfg.Roles.Web {
		return errors.New("no network has credentials, and a process with only the role worker has no simulated networks: set the credentials of a network, or run `belfry sandbox --addr HOST:PORT` and set BELFRY_NETWORKS_URL and the credentials in every process to the values that this command prints")
	}
	log, started := p.newLogger(cfg), time.Now()

	lock, err := postgres.LockForService(ctx, cfg.DataDir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	// Checked before anything is created: a service that cannot listen must not leave an empty database behind.
	if err := httpd.CheckPortFree(ctx, cfg.Addr, config.Prefix+"ADDR"); err != nil {
		return err
	}
	db, err := startLocalAfterLockOrReachExternal(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.close(ctx)) }()
	people, err := openPool(ctx, db.url, webConns, webStatements)
	if err != nil {
		return err
	}
	defer people.Close()
	worker, err := openPool(ctx, db.url, workerConns, workerStatements)
	if err != nil {
		return err
	}
	defer worker.Close()
	if err := db.migrateLocalOrEmptyElseCheck(ctx, worker); err != nil {
		return err
	}

	calls, err := ownSandboxURLOrNil(cfg)
	if err != nil {
		return err
	}
	ring, err := config.LoadOrCreateKeys(cfg)
	if err != nil {
		return err
	}
	shared, err := newAppConfigWithoutStorage(cfg, ring, log, calls)
	if err != nil {
		return err
	}
	if shared.Blobs, err = blob.OpenAndCheck(ctx, cfg.StorageURL.Reveal()); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, shared.Blobs.Close()) }()
	due := make(chan struct{}, 1)
	webApp, err := newApp(shared, people, due)
	if err != nil {
		return err
	}
	if err := checkKeysMatchDatabase(ctx, cfg, webApp); err != nil {
		return err
	}
	if err := webApp.RevokeOrRestoreAccountsOnNetworkSwitch(ctx); err != nil {
		return err
	}
	guard := webApp.GuardOrNil()
	if err := errors.Join(guard.HoldPublishingIfRewoundElseUpdateMark(ctx), guard.LogHoldIfAny(ctx)); err != nil {
		return fmt.Errorf("compare the database with the receipts and the mark in the file storage: %w", err)
	}

	service := &httpService{cfg: cfg, shared: shared, app: webApp}
	server, err := service.newServerAndStartSandbox(people)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, service.closeSandbox()) }()
	if err := server.Listen(ctx); err != nil {
		return err
	}
	workerApp, err := newApp(shared, worker, due)
	if err != nil {
		return err
	}
	queue, err := jobs.New(jobs.Config{App: workerApp, Pool: worker, Log: log, Owner: newWorkerName(), Poll: cfg.Sweep})
	if err != nil {
		return err
	}
	figures := httpd.NewMetricsServer(cfg.MetricsAddr, shared.Metrics.Registry, log)
	if cfg.MetricsAddr != "" {
		if err := figures.Listen(ctx); err != nil {
			return err
		}
	}
	setUp, err := service.findSetUpURL(ctx)
	if err != nil {
		return err
	}

	// Nothing can fail between here and group.Wait, which waits for everything that is started.
	group, running := errgroup.WithContext(ctx)
	worked := make(chan struct{}) // closed when the worker has stopped
	serving, stopServing := context.WithCancel(context.WithoutCancel(ctx))
	defer stopServing()
	group.Go(func() error { return server.Run(serving) })
	group.Go(func() error {
		defer stopServing()
		<-running.Done()
		return service.awaitWorkerAndCloseSandbox(worked, maxWorkerWait)
	})
	group.Go(func() error {
		defer close(worked)
		if !cfg.Roles.Worker {
			return nil
		}
		return queue.Run(running)
	})
	if cfg.MetricsAddr != "" {
		group.Go(func() error { return figures.Run(running) })
	}
	log.Info("belfry is running", "url", cfg.PublicURL, "version", versionText(), "simulated_networks", calls != nil,
		"took", time.Since(started).Round(time.Millisecond))
	group.Go(func() error {
		if err := checkMediaURLPublicIfNeeded(ctx, shared); err != nil {
			log.WarnContext(ctx, "networks cannot download files from this server; run `belfry doctor` for details", "error", err)
		}
		return nil
	})
	if setUp != "" {
		log.Info("open this link to set up Belfry", "link", setUp)
	}
	return group.Wait()
}
