package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"

	"belfry/internal/config"
	"belfry/internal/network/all"
	"belfry/internal/postgres"
)

// check is one question of the doctor's: what was found, and an error that says what to do.
type check struct {
	name string
	ask  func(context.Context, *config.Config) (string, error)
}

func checks() []check {
	return []check{
		{"data folder", checkDataDir},
		{"PostgreSQL", checkPostgres},
		{"secret keys", checkKeys},
		{"address", checkAddress},
		{"networks", checkNetworks},
	}
}

func doctor(p *program, ctx context.Context, args []string) error {
	if err := p.noArguments("doctor", args); err != nil {
		return err
	}
	cfg, err := p.config()
	if err != nil {
		return err
	}
	failed := 0
	for _, c := range checks() {
		found, err := c.ask(ctx, cfg)
		if err != nil {
			failed++
			found = err.Error()
		}
		mark := map[bool]string{true: "ok", false: "x "}[err == nil]
		if err := p.say("%s %-12s %s", mark, c.name, found); err != nil {
			return err
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d checks need your attention", failed, len(checks()))
	}
	return nil
}

func checkDataDir(_ context.Context, cfg *config.Config) (string, error) {
	lock, err := postgres.TryLockDir(cfg.DataDir)
	if held, ok := errors.AsType[*postgres.HeldError](err); ok {
		return fmt.Sprintf("%s, in use by belfry %s (pid %s)", cfg.DataDir, held.Kind, held.Pid), nil
	}
	if err != nil {
		return "", err
	}
	return cfg.DataDir, lock.Release()
}

func checkPostgres(ctx context.Context, cfg *config.Config) (string, error) {
	db, err := openForCommand(ctx, cfg)
	if err != nil {
		return "", err
	}
	pool, err := openPool(ctx, db.url, toolConns, toolStatements)
	if err != nil {
		return "", errors.Join(err, db.stop(ctx))
	}
	var found string
	err = pool.QueryRow(ctx, `SELECT 'version ' || current_setting('server_version') || ', fsync ' || current_setting('fsync')
		|| ', synchronous_commit ' || current_setting('synchronous_commit')`).Scan(&found)
	pool.Close()
	return found, errors.Join(err, db.stop(context.WithoutCancel(ctx)))
}

func checkKeys(_ context.Context, cfg *config.Config) (string, error) {
	keys, err := config.Keys(cfg)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d; %s seals", len(keys), keys[0].ID), nil
}

func checkAddress(ctx context.Context, cfg *config.Config) (string, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", cfg.Addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return cfg.Addr + ", in use: by the running service, it is to be hoped", nil
	}
	if err != nil {
		return "", fmt.Errorf("nothing can listen on %s: %w", cfg.Addr, err)
	}
	return cfg.Addr + ", shown to people as " + cfg.PublicURL, listener.Close()
}

func checkNetworks(_ context.Context, cfg *config.Config) (string, error) {
	switch {
	case usesOwnSandbox(cfg):
		return "simulated, since no network has credentials", nil
	case cfg.NetworksURL != "":
		return "simulated at " + cfg.NetworksURL, nil
	}
	var ready []string
	for _, d := range all.Drivers() {
		for _, v := range d.Variables {
			if v.Secret && cfg.Network.Get(v.Name) != "" {
				ready = append(ready, string(d.ID))
			}
		}
	}
	return fmt.Sprintf("credentials for %v", ready), nil
}
