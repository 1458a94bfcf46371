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

// errNotLocal says that backup and restore work only with the local database.
var errNotLocal = errors.New("this command works only with the local database; for a database set in BELFRY_DATABASE_URL, " +
	"use pg_dump and pg_restore")

func defineBackup(o *options) action {
	force := o.flags.Bool("force", false, "replace FILE if it exists")
	return func(ctx context.Context, p *program, cfg *config.Config) error {
		return p.backUp(ctx, cfg, o.flags.Arg(0), *force)
	}
}

// backUp writes the backup to a temporary file and renames it at the end, so that an incomplete backup never has the
// final name.
func (p *program) backUp(ctx context.Context, cfg *config.Config, name string, force bool) error {
	if !cfg.DatabaseURL.IsZero() {
		return errNotLocal
	}
	if err := checkInstalled(cfg); err != nil {
		return err
	}
	if _, err := os.Stat(name); err == nil && !force {
		return fmt.Errorf("%s already exists: choose another file, or replace it with `belfry backup --force %s`", name, name)
	}
	file, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.part")
	if err != nil {
		return fmt.Errorf("create the backup file: %w", err)
	}
	defer func() { _ = os.Remove(file.Name()) }() // gone already when it was renamed
	if err := errors.Join(postgres.Dump(ctx, cfg.DataDir, file), file.Sync(), file.Close()); err != nil {
		return fmt.Errorf("back up the database: %w", err)
	}
	if err := os.Rename(file.Name(), name); err != nil {
		return fmt.Errorf("rename the backup file: %w", err)
	}
	return p.printf("The database was saved to %s. This file does not contain:\n"+
		"- the media files (BELFRY_STORAGE_URL; by default the folder media in BELFRY_DATA_DIR): back them up afterwards;\n"+
		"- the keys in %s: store them in another place. Without them, the networks' tokens cannot be decrypted.",
		name, config.DescribeKeysLocation(cfg))
}

func defineRestore(o *options) action {
	return func(ctx context.Context, p *program, cfg *config.Config) error {
		return p.restore(ctx, cfg, o.flags.Arg(0))
	}
}

func (p *program) restore(ctx context.Context, cfg *config.Config, name string) error {
	if !cfg.DatabaseURL.IsZero() {
		return errNotLocal
	}
	file, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("open the backup: %w", err)
	}
	defer file.Close()
	if err := postgres.Restore(ctx, cfg.DataDir, file); err != nil {
		return fmt.Errorf("restore the database: %w", err)
	}
	return p.printf("The database was restored.\n"+
		"1. Put the service's secret keys and file storage in place, then start the service. If posts were published after the backup, it publishes nothing until you confirm.\n"+
		"2. Check the queue at %s, or list the affected posts with `belfry doctor`.\n"+
		"3. Run `belfry restore confirm`: posts that are known to be published become live, Belfry asks the networks about those\n"+
		"   that may be published, and publishes the rest.",
		cfg.PublicURL+link.Workspace("").Posts(link.Filter{Status: string(core.PostQueued)}))
}

func defineRestoreConfirm(o *options) action {
	unproved := ""
	o.flags.Func("unproved", "what to do with posts that may be published already: publish or draft (default: stop and list them)",
		func(choice string) error {
			if unproved = choice; choice != "publish" && choice != "draft" {
				return errors.New("use publish or draft")
			}
			return nil
		})
	return inSession(mustExist, func(ctx context.Context, p *program, s *session) error {
		return confirmRestore(ctx, p, s, unproved)
	})
}

// confirmRestore ends the publishing hold after a restore.
func confirmRestore(ctx context.Context, p *program, s *session, unproved string) (err error) {
	if err := s.openStorage(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.appConfig.Blobs.Close()) }()
	if unproved == "draft" {
		drafts, err := s.app.CancelUnprovedPosts(ctx)
		if err != nil {
			return err
		}
		if err := p.printf("Posts turned into drafts: %d.", drafts); err != nil {
			return err
		}
	}
	done, err := s.app.Guard().EndHold(ctx, unproved == "publish")
	if e, ok := errors.AsType[*hold.UnprovedError](err); ok {
		return fmt.Errorf("%w. They were due after the last record in the file storage, so no receipt shows whether they were published:%s\n"+
			"Check the accounts, and cancel the posts that are published, in the dashboard or through the API. Then run\n"+
			"`belfry restore confirm --unproved=publish` to publish the others, or\n"+
			"`belfry restore confirm --unproved=draft` to turn them into drafts", e, listHeldPosts(e.Posts, s.appConfig.Networks))
	}
	if errors.Is(err, hold.ErrNoHold) {
		return p.printf("Publishing is not on hold, so there is nothing to confirm.")
	}
	if err != nil {
		return err
	}
	return p.printf("Publishing continues. Posts now marked as live: %d. Posts that Belfry is looking up on the networks: %d.",
		done.Live, done.LookedFor)
}
