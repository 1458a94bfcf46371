package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"belfry/internal/app"
	"belfry/internal/config"
	"belfry/internal/core"
	"belfry/internal/mail"
	"belfry/internal/network"
	"belfry/internal/network/all"
	"belfry/internal/postgres"
	"belfry/internal/secret"
	"belfry/internal/store"
	"belfry/migrations"
)

// check is one of the doctor's checks. run returns what it found, or an error that says what to do.
type check struct {
	name string
	run  func(*installation, context.Context) (string, error)
}

func allChecks() []check {
	return []check{
		{"data folder", (*installation).checkDataDir},
		{"PostgreSQL", (*installation).checkPostgresAndOpenIfExists},
		{"secret keys", (*installation).checkKeysAndCreateApp},
		{"address", (*installation).checkListenAddress},
		{"networks", (*installation).describeNetworks},
		{"media files", (*installation).checkMediaURLReachable},
		{"email", (*installation).checkMailServer},
		{"publishing", (*installation).checkPublishingNotHeld},
		{"workers", (*installation).checkWorkers},
	}
}

// installation is what the doctor examines without changing it.
type installation struct {
	cfg  *config.Config
	log  *slog.Logger
	db   *database     // nil if there is none yet
	pool *pgxpool.Pool // nil unless there is a database with this program's schema
	app  *app.App      // nil without a pool or readable secret keys; the keys can be temporary, or the wrong ones
}

func runDoctor(ctx context.Context, p *program, cfg *config.Config) (err error) {
	inst := &installation{cfg: cfg, log: p.newQuietLogger(cfg)}
	defer func() {
		if inst.db != nil {
			err = errors.Join(err, inst.db.close(ctx))
		}
	}()
	failed := 0
	for _, c := range allChecks() {
		found, err := c.run(inst, ctx)
		mark := "ok"
		switch _, isNotice := errors.AsType[notice](err); {
		case isNotice:
			mark, found = "! ", err.Error()
		case err != nil:
			mark, found = "x ", err.Error()
			failed++
		}
		if err := p.printLinef("%s %-12s %s", mark, c.name, found); err != nil {
			return err
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d checks failed", failed, len(allChecks()))
	}
	return nil
}

const firstStart = "; the service creates it when it first starts"

func (inst *installation) checkDataDir(context.Context) (found string, err error) {
	dir := inst.cfg.DataDir
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		return dir + " does not exist yet" + firstStart, checkWritable(nearestExistingFolder(dir))
	}
	holder, err := postgres.LockHolderOrNil(dir)
	if err != nil {
		return "", err
	}
	if holder != nil {
		return fmt.Sprintf("%s, in use (belfry %s, pid %s)", dir, holder.Kind, holder.Pid), nil //nolint:nilerr // the holder is no failure
	}
	return dir, checkWritable(dir)
}

// nearestExistingFolder returns the path itself, or the nearest parent folder that exists.
func nearestExistingFolder(path string) string {
	for {
		if _, err := os.Stat(path); err == nil || filepath.Dir(path) == path {
			return path
		}
		path = filepath.Dir(path)
	}
}

func checkWritable(dir string) error {
	const writeAndPass = 0o3
	var disk syscall.Statfs_t
	err := errors.Join(syscall.Access(dir, writeAndPass), syscall.Statfs(dir, &disk))
	if err == nil && disk.Bavail == 0 {
		err = syscall.ENOSPC // also for file systems without a disk, such as /proc
	}
	if err != nil {
		return fmt.Errorf("cannot write to the folder %s: %w. Fix the problem, or set BELFRY_DATA_DIR to another folder", dir, err)
	}
	return nil
}

// checkPostgresAndOpenIfExists opens the database, if there is one, and checks its schema version. For the checks that
// follow, it sets inst.db and, unless the database is empty or its schema is not current, inst.pool.
func (inst *installation) checkPostgresAndOpenIfExists(ctx context.Context) (found string, err error) {
	if inst.cfg.DatabaseURL.IsZero() {
		if made, err := postgres.HasDatabase(inst.cfg.DataDir); err != nil || !made {
			return "no local database yet" + firstStart, err
		}
	}
	if inst.db, err = connectOrStartCommandDatabase(ctx, inst.cfg, mustExist); err != nil {
		return "", err
	}
	pool := inst.db.pool
	err = pool.QueryRow(ctx,
		`SELECT 'version ' || current_setting('server_version') || ', fsync ' || current_setting('fsync')
		|| ', synchronous_commit ' || current_setting('synchronous_commit')`).Scan(&found)
	if err != nil {
		return "", err
	}
	state, err := migrations.ReadState(ctx, pool)
	switch {
	case err != nil:
		return "", fmt.Errorf("read the database's schema: %w", err)
	case state.Empty:
		return found + "; the database is empty, and the service creates the schema when it first starts", nil
	case state.CheckCompatible() != nil:
		return "", state.CheckCompatible()
	case state.IsBehind() && inst.db.own:
		return "", fmt.Errorf("%s, but the database's schema is out of date (%d of %d migrations have been run): make a backup, then start this version of the service, which migrates the database", found, state.Have, state.Want)
	case state.IsBehind():
		return "", fmt.Errorf("%s, but the database's schema is out of date (%d of %d migrations have been run): make a backup, then run `belfry migrate`", found, state.Have, state.Want)
	}
	inst.pool = pool
	return found, nil
}

// checkKeysAndCreateApp checks that the secret keys can decrypt what the database contains. If there are no keys, it
// uses a temporary key to find out whether the database needs any. It sets inst.app for the checks that follow.
func (inst *installation) checkKeysAndCreateApp(ctx context.Context) (found string, err error) {
	from := config.DescribeKeysLocation(inst.cfg)
	keyring, err := config.LoadKeys(inst.cfg)
	none := errors.Is(err, os.ErrNotExist)
	if err != nil && !none {
		return "", err
	}
	if !none {
		found = fmt.Sprintf("%d in %s", len(keyring.KeyIDs()), from)
	} else {
		found = "none in " + from + "; the service creates one when it starts"
		keyring, err = secret.ParseRing(secret.NewSecretKey())
	}
	if err != nil || inst.pool == nil {
		return found, err
	}
	appConfig, err := newAppConfigWithoutStorage(inst.cfg, keyring, inst.log, nil)
	if err != nil {
		return "", err
	}
	if inst.app, err = newApp(appConfig, inst.pool, nil); err != nil {
		return "", err
	}
	if err := inst.app.CheckSecretKeys(ctx); err != nil && none {
		return "", fmt.Errorf("there are no secret keys in %s, but the database contains encrypted values: %w; if all keys are lost, first run `belfry serve`, which creates a new key", from, err)
	}
	return found, checkKeysMatchDatabase(ctx, inst.cfg, inst.app)
}

// checkWorkers returns a notice if no worker is running, or if none claims the posts that are due.
func (inst *installation) checkWorkers(ctx context.Context) (found string, err error) {
	if inst.app == nil {
		return "not checked, because the database or the secret keys are not ready", nil
	}
	err = inst.app.CheckWorkers(ctx)
	if e, ok := errors.AsType[*core.Error](err); ok {
		return "", notice{errors.New(strings.TrimSpace(e.Sentence() + " " + e.Hint))}
	}
	return "running", err
}

// checkPublishingNotHeld returns an error with the affected posts if publishing is on hold.
func (inst *installation) checkPublishingNotHeld(ctx context.Context) (found string, err error) {
	if inst.pool == nil {
		return "not checked, because the database is not ready", nil
	}
	db, err := store.New(inst.pool)
	if err != nil {
		return "", err
	}
	hold, err := db.PublishingHold(ctx)
	if errors.Is(err, store.ErrNotFound) {
		return "not on hold", nil
	}
	if err != nil {
		return "", err
	}
	posts, err := db.PostsUnderPublishingHold(ctx, heldPostsShown)
	if err != nil {
		return "", err
	}
	appConfig, err := newAppConfigWithoutStorage(inst.cfg, nil, inst.log, nil)
	if err != nil {
		return "", err
	}
	advice := "Check the posts below, then run `belfry restore confirm`."
	if len(posts) == 0 {
		advice = "No posts are affected. Run `belfry restore confirm`."
	}
	return "", fmt.Errorf("on hold since %s because %s. %s%s", hold.Since.UTC().Format(time.RFC3339), hold.Reason, advice,
		formatFirstHeldPosts(posts, appConfig.Networks))
}

// heldPostsShown is how many of the posts affected by a publishing hold are listed.
const heldPostsShown = 500

// formatFirstHeldPosts returns a text with a line for each post, up to heldPostsShown.
func formatFirstHeldPosts(posts []store.HeldPost, networks *network.Set) string {
	var list strings.Builder
	for _, p := range posts[:min(len(posts), heldPostsShown)] {
		fmt.Fprintf(&list, "\n   %s %s to %s, %s: %s", p.Slug, p.Post, networks.DisplayName(p.Platform), p.AccountName,
			p.FateInWords())
		if p.ExternalURL != "" {
			fmt.Fprintf(&list, " (%s)", p.ExternalURL)
		}
	}
	return list.String()
}

// checkKeysMatchDatabase returns an error that says where the secret keys are if they do not match the database.
func checkKeysMatchDatabase(ctx context.Context, cfg *config.Config, a *app.App) error {
	if err := a.CheckSecretKeys(ctx); err != nil {
		return fmt.Errorf("the keys in %s do not match the database: %w", config.DescribeKeysLocation(cfg), err)
	}
	return nil
}

// checkListenAddress returns an error unless the service can listen on its address, or already listens there.
func (inst *installation) checkListenAddress(ctx context.Context) (found string, err error) {
	cfg := inst.cfg
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", cfg.Addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return inst.checkAddressUsedByOwnService(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("cannot listen on %s: %w. Set BELFRY_ADDR to another address", cfg.Addr, err)
	}
	return cfg.Addr + ", public address " + cfg.PublicURL, listener.Close()
}

// checkAddressUsedByOwnService returns an error unless this data folder's service is the program that listens on the
// address.
func (inst *installation) checkAddressUsedByOwnService(ctx context.Context) (found string, err error) {
	holder, err := postgres.LockHolderOrNil(inst.cfg.DataDir)
	if err != nil {
		return "", err
	}
	at, err := localURL(inst.cfg.Addr)
	if err != nil {
		return "", err
	}
	who := "another program"
	if isBelfryAt(ctx, at) {
		if holder != nil && holder.IsService() {
			return fmt.Sprintf("%s, in use by the running service (pid %s)", inst.cfg.Addr, holder.Pid), nil
		}
		who = "a Belfry service with another data folder"
	}
	return "", fmt.Errorf("%s is in use by %s: stop that program, or set BELFRY_ADDR to another address", inst.cfg.Addr, who)
}

// isBelfryAt reports whether Belfry listens at an address. It recognizes Belfry by a header of the response.
func isBelfryAt(ctx context.Context, at *url.URL) bool {
	_, header, err := getStatusAndHeader(ctx, at, "/livez", 2*time.Second)
	return err == nil && header.Get("Belfry-Version") != ""
}

// describeNetworks says whether the networks are simulated or which ones have credentials. It contacts no network.
func (inst *installation) describeNetworks(context.Context) (found string, err error) {
	cfg := inst.cfg
	switch {
	case usesOwnSandbox(cfg):
		return "simulated, because no network has credentials", nil
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
	return "credentials for " + strings.Join(ready, ", "), nil
}

// checkMailServer connects to the mail server, if one is set, and signs in.
func (inst *installation) checkMailServer(ctx context.Context) (found string, err error) {
	cfg := inst.cfg
	if cfg.SMTPURL.IsZero() {
		if showsMailInSandbox(cfg) {
			return "kept in the sandbox's outbox, because BELFRY_SMTP_URL is not set", nil
		}
		return "not sent, because BELFRY_SMTP_URL is not set: people must share invitation links themselves", nil
	}
	sender, err := mail.NewSender(cfg.SMTPURL.Reveal(), cfg.MailFrom)
	if err == nil {
		err = sender.CheckConnection(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("cannot send email through the server in BELFRY_SMTP_URL: %w", err)
	}
	return "sent from " + sender.SenderAddress(), nil
}
