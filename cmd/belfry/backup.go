package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"belfry/internal/config"
	"belfry/internal/core"
	"belfry/internal/postgres"
	hold "belfry/internal/restore"
	"belfry/views/link"
)

// fileArgument reads the options and the one argument of backup and restore.
func (p *program) fileArgument(set *options, args []string) (*config.Config, string, error) {
	if err := p.parseOptions(set, args); err != nil {
		return nil, "", err
	}
	cfg, err := p.loadConfig()
	if err != nil {
		return nil, "", err
	}
	if !cfg.DatabaseURL.IsZero() {
		return nil, "", fmt.Errorf("belfry %s is for the local database; for BELFRY_DATABASE_URL use pg_dump and pg_restore", set.Name())
	}
	return cfg, set.Arg(0), nil
}

// runBackup writes the file beside its final name first, so that a broken backup never stands there.
func runBackup(p *program, ctx context.Context, args []string) (err error) {
	set := p.newOptions("backup")
	force := set.Bool("force", false, "replace FILE when it is there already")
	cfg, name, err := p.fileArgument(set, args)
	if err != nil {
		return err
	}
	if err := checkInstalled(cfg); err != nil {
		return err
	}
	if _, err := os.Stat(name); err == nil && !*force {
		return fmt.Errorf("%s is there already: name another file, or replace it with `belfry backup --force %s`", name, name)
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
	return p.printf("The database is in %s. What is not in it:\n"+
		"- the media files (BELFRY_STORAGE_URL; by default the folder media in BELFRY_DATA_DIR): back them up after it;\n"+
		"- the keys of %s: keep them apart from it, for without them the networks' tokens cannot be read.",
		name, config.KeysFrom(cfg))
}

func runRestore(p *program, ctx context.Context, args []string) (err error) {
	cfg, name, err := p.fileArgument(p.newOptions("restore"), args)
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
	return p.printf("The database is as it was when the backup was made.\n"+
		"1. Start the service. If posts went out after the backup, it publishes nothing yet.\n"+
		"2. Check the queue at %s, or list the posts concerned with `belfry doctor`.\n"+
		"3. Run `belfry restore confirm`: published posts become live, and the others go out.",
		cfg.PublicURL+link.Posts(link.Filter{Status: string(core.PostQueued)}))
}

// confirmRestore ends the hold that a restore began.
func confirmRestore(p *program, ctx context.Context, args []string) error {
	if err := p.parseNoArguments("restore confirm", args); err != nil {
		return err
	}
	cfg, err := p.loadConfig()
	if err != nil {
		return err
	}
	return p.withSession(ctx, mustExist, func(s *session) error {
		if err := s.openStorage(ctx, cfg); err != nil {
			return err
		}
		defer func() { _ = s.cfg.Blobs.Close() }() // nothing was written that a close would lose
		verbs, err := s.newApp(s.pool)
		if err != nil {
			return err
		}
		done, err := verbs.Guard().Confirm(ctx)
		if errors.Is(err, hold.ErrNoHold) {
			return p.printf("Publishing is not on hold: there is nothing to confirm.")
		}
		if err != nil {
			return err
		}
		return p.printf("Publishing continues. %d published posts are live. Belfry is asking the networks about %d posts.",
			done.Live, done.LookedFor)
	})
}
