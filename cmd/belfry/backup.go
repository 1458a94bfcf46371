package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"belfry/internal/blob"
	"belfry/internal/config"
	"belfry/internal/core"
	"belfry/internal/postgres"
	hold "belfry/internal/restore"
	"belfry/views/link"
)

// errNotLocal means that a backup or restore was requested for an external database.
var errNotLocal = errors.New("this command works only with the local database; for the database in BELFRY_DATABASE_URL, " +
	"use pg_dump and pg_restore")

func defineBackup(o *options) action {
	force := o.flags.Bool("force", false, "replace FILE if it exists")
	return func(ctx context.Context, p *program, cfg *config.Config) error {
		return p.backUpLocalDatabase(ctx, cfg, o.flags.Arg(0), *force)
	}
}

// backUpLocalDatabase writes a backup of the local database to the file at path. It replaces an existing file only if
// overwrite is true. It writes a temporary file and renames it at the end, so an incomplete backup never has the final
// name.
func (p *program) backUpLocalDatabase(ctx context.Context, cfg *config.Config, path string, overwrite bool) error {
	if !cfg.DatabaseURL.IsZero() {
		return errNotLocal
	}
	if err := checkLocalDatabaseExists(cfg); err != nil {
		return err
	}
	if _, err := os.Stat(path); err == nil && !overwrite {
		return fmt.Errorf("%s already exists: choose another name, or run `belfry backup --force %s` to replace it", path, path)
	}
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.part")
	if err != nil {
		return fmt.Errorf("create the backup file: %w", err)
	}
	defer func() { _ = os.Remove(file.Name()) }() // fails if it has been renamed
	if err := errors.Join(postgres.Dump(ctx, cfg.DataDir, file), file.Sync(), file.Close()); err != nil {
		return fmt.Errorf("back up the database: %w", err)
	}
	if err := os.Rename(file.Name(), path); err != nil {
		return fmt.Errorf("rename the backup file: %w", err)
	}
	return p.printLinef("The database was saved to %s. This file does not contain:\n"+
		"- the media files, in %s: back them up as well;\n"+
		"- the secret keys, in %s: keep a copy elsewhere. Without the keys, the networks' tokens cannot be decrypted.",
		path, blob.DescribeLocation(cfg.StorageURL.Reveal()), config.DescribeKeysLocation(cfg))
}

func defineRestore(o *options) action {
	return func(ctx context.Context, p *program, cfg *config.Config) error {
		return p.restoreLocalDatabase(ctx, cfg, o.flags.Arg(0))
	}
}

// restoreLocalDatabase replaces the local database with the backup in the file at path.
func (p *program) restoreLocalDatabase(ctx context.Context, cfg *config.Config, path string) error {
	if !cfg.DatabaseURL.IsZero() {
		return errNotLocal
	}
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("open the backup: %w", err)
	}
	defer file.Close()
	if err := postgres.Restore(ctx, cfg.DataDir, file); err != nil {
		return fmt.Errorf("restore the database: %w", err)
	}
	return p.printLinef("The database was restored.\n"+
		"1. Put the service's secret keys and file storage in place, then start the service. If posts were published after\n"+
		"   the backup, publishing is then on hold.\n"+
		"2. To see which posts the hold affects, open %s or run `belfry doctor`.\n"+
		"3. To end the hold, run `belfry restore confirm`. Belfry then marks the published posts as live, asks the networks\n"+
		"   about posts that may have been published, and publishes all other posts that are due, unless another copy was,\n"+
		"   or may have been, published instead.",
		cfg.PublicURL+link.Workspace("").Posts(link.Filter{Status: string(core.PostQueued)}))
}

func defineConfirmRestore(o *options) action {
	unproved := listUnproved
	o.flags.Func("unproved", `what to do with posts that may already be published: "publish" publishes them, perhaps a second time; "draft" turns them into drafts, or cancels their retries if they have failed (default: list them and stop)`,
		func(choice string) error {
			unproved = unprovedAction(choice)
			if unproved != publishUnproved && unproved != draftUnproved {
				return errors.New("must be publish or draft")
			}
			return nil
		})
	return withMigratedSession(mustExist, func(ctx context.Context, p *program, s *commandSession) error {
		return confirmRestore(ctx, p, s, unproved)
	})
}

// unprovedAction says what happens to posts that may already be published when a restore is confirmed.
type unprovedAction string

const (
	listUnproved    unprovedAction = "" // list them, and do not end the hold
	publishUnproved unprovedAction = "publish"
	draftUnproved   unprovedAction = "draft"
)

// confirmRestore ends the hold of publishing after a restore.
func confirmRestore(ctx context.Context, p *program, s *commandSession, unproved unprovedAction) (err error) {
	if err := s.openStorageAndRecreateApp(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.appConfig.Blobs.Close()) }()
	if unproved == draftUnproved {
		drafts, err := s.app.CancelUnprovedPosts(ctx)
		if err != nil {
			return err
		}
		if err := p.printLinef("Posts that were turned into drafts, or whose retry was cancelled: %d.", drafts); err != nil {
			return err
		}
	}
	endHold := s.app.GuardOrNil().EndHoldUnlessUnproved
	if unproved == publishUnproved {
		endHold = s.app.GuardOrNil().EndHoldAndPublishUnproved
	}
	done, err := endHold(ctx)
	if e, ok := errors.AsType[*hold.UnprovedError](err); ok {
		return fmt.Errorf("%w. They were due after the last record in the file storage, or less than an hour before it, and no receipt\n"+
			"shows whether they were published:%s\n"+
			"On the networks, check which of these posts have been published, and cancel those posts in Belfry. Then run\n"+
			"`belfry restore confirm --unproved=publish` to publish the others, or\n"+
			"`belfry restore confirm --unproved=draft` to cancel them", e, formatFirstHeldPosts(e.Posts, s.appConfig.Networks))
	}
	if errors.Is(err, hold.ErrNoHold) {
		return p.printLinef("Publishing is not on hold, so there is nothing to confirm.")
	}
	if err != nil {
		return err
	}
	return p.printLinef("Publishing resumes. Posts marked as live: %d. Posts that Belfry will look up on the networks: %d. "+
		"Posts that Belfry will not publish because another copy was, or may have been, published: %d.", done.Live, done.LookedFor, done.Stopped)
}
