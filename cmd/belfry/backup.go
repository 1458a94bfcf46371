package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"belfry/internal/config"
	"belfry/internal/postgres"
)

// fileArgument reads the one argument of backup and restore.
func (p *program) fileArgument(name string, args []string) (*config.Config, string, error) {
	set := p.options(name)
	if err := p.parse(set, args); err != nil {
		return nil, "", err
	}
	cfg, err := p.config()
	if err != nil {
		return nil, "", err
	}
	if !cfg.DatabaseURL.IsZero() {
		return nil, "", fmt.Errorf("belfry %s is for the local database; for BELFRY_DATABASE_URL use pg_dump and pg_restore", name)
	}
	return cfg, set.Arg(0), nil
}

// backup writes the file beside its final name first, so that a broken backup never stands there.
func backup(p *program, ctx context.Context, args []string) (err error) {
	cfg, name, err := p.fileArgument("backup", args)
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.part")
	if err != nil {
		return fmt.Errorf("make the backup's file: %w", err)
	}
	defer func() { _ = os.Remove(file.Name()) }() // gone already when it was renamed
	if err := errors.Join(postgres.Dump(ctx, cfg.DataDir, file), file.Sync(), file.Close()); err != nil {
		return fmt.Errorf("back up the database: %w", err)
	}
	if err := os.Rename(file.Name(), name); err != nil {
		return fmt.Errorf("name the backup: %w", err)
	}
	return p.say("The database is in %s. Keep the keys of %s apart from it: without them the networks' tokens cannot be read.",
		name, config.KeysFrom(cfg))
}

func restore(p *program, ctx context.Context, args []string) (err error) {
	cfg, name, err := p.fileArgument("restore", args)
	if err != nil {
		return err
	}
	file, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("open the backup: %w", err)
	}
	defer file.Close()
	if err := postgres.Restore(ctx, cfg.DataDir, file); err != nil {
		return fmt.Errorf("restore the database: %w", err)
	}
	return p.say("The database is as it was when the backup was made. Posts that went out since then are on the queue again: look at them before you start the service.")
}
