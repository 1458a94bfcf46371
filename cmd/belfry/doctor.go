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
	"belfry/internal/mail"
	"belfry/internal/network"
	"belfry/internal/network/all"
	"belfry/internal/postgres"
	"belfry/internal/secret"
	"belfry/internal/store"
	"belfry/migrations"
)

// check is one check of the doctor: it returns what it found, or an error that says what to do.
type check struct {
	name string
	ask  func(*installation, context.Context) (string, error)
}

func allChecks() []check {
	return []check{
		{"data folder", (*installation).checkDataDir},
		{"PostgreSQL", (*installation).checkPostgres},
		{"secret keys", (*installation).checkKeys},
		{"address", (*installation).checkAddress},
		{"networks", (*installation).checkNetworks},
		{"media files", (*installation).checkFiles},
		{"email", (*installation).checkMail},
		{"publishing", (*installation).checkPublishing},
	}
}

// installation is what the doctor examines without changing it.
type installation struct {
	cfg  *config.Config
	log  *slog.Logger
	db   *database     // nil when there is none yet
	pool *pgxpool.Pool // nil unless there is a database with this program's schema
}

func runDoctor(ctx context.Context, p *program, cfg *config.Config) (err error) {
	of := &installation{cfg: cfg, log: p.newQuietLogger(cfg)}
	defer func() {
		if of.db != nil {
			err = errors.Join(err, of.db.close(ctx))
		}
	}()
	failed := 0
	for _, c := range allChecks() {
		found, err := c.ask(of, ctx)
		mark := "ok"
		switch _, isNotice := errors.AsType[notice](err); {
		case isNotice:
			mark, found = "! ", err.Error()
		case err != nil:
			mark, found = "x ", err.Error()
			failed++
		}
		if err := p.printf("%s %-12s %s", mark, c.name, found); err != nil {
			return err
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d checks failed", failed, len(allChecks()))
	}
	return nil
}

const firstStart = "; the first start creates it"

func (of *installation) checkDataDir(context.Context) (string, error) {
	dir := of.cfg.DataDir
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		return dir + firstStart, checkWritable(nearestExisting(dir))
	}
	holder, err := postgres.LockHolder(dir)
	if err != nil {
		return "", err
	}
	if holder != nil {
		return fmt.Sprintf("%s, in use by belfry %s (pid %s)", dir, holder.Kind, holder.Pid), nil //nolint:nilerr // the holder is no failure
	}
	return dir, checkWritable(dir)
}

// nearestExisting returns the path itself, or the nearest parent folder that exists.
func nearestExisting(path string) string {
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
		err = syscall.ENOSPC // or no disk at all, such as /proc
	}
	if err != nil {
		return fmt.Errorf("write to the folder %s: %w: set BELFRY_DATA_DIR to another folder", dir, err)
	}
	return nil
}

func (of *installation) checkPostgres(ctx context.Context) (found string, err error) {
	if of.cfg.DatabaseURL.IsZero() {
		if made, err := postgres.HasDatabase(of.cfg.DataDir); err != nil || !made {
			return "no local database yet" + firstStart, err
		}
	}
	if of.db, err = openForCommand(ctx, of.cfg, mustExist); err != nil {
		return "", err
	}
	pool := of.db.pool
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
		return found + ", empty" + firstStart, nil
	case state.CheckFloor() != nil:
		return "", state.CheckFloor()
	case state.IsBehind():
		return "", fmt.Errorf("%s, but its schema has %d of this program's %d migrations: run `belfry migrate`", found, state.Have, state.Want)
	}
	of.pool = pool
	return found, nil
}

// checkKeys checks that the secret keys decrypt what the database contains. If there are no keys yet, it uses a
// temporary key, which shows whether keys are missing.
func (of *installation) checkKeys(ctx context.Context) (string, error) {
	from := config.DescribeKeysLocation(of.cfg)
	keyring, err := config.LoadKeys(of.cfg)
	none := errors.Is(err, os.ErrNotExist)
	if err != nil && !none {
		return "", err
	}
	var found string
	if !none {
		found = fmt.Sprintf("%d in %s", len(keyring.IDs()), from)
	} else {
		found = "none in " + from + firstStart
		keyring, err = secret.ParseRing(secret.NewSecretKey())
	}
	if err != nil || of.pool == nil {
		return found, err
	}
	appConfig, err := newAppConfig(of.cfg, keyring, of.log, nil)
	if err != nil {
		return "", err
	}
	verbs, err := newApp(appConfig, of.pool, nil)
	if err != nil {
		return "", err
	}
	if err := verbs.CheckSecretKeys(ctx); err != nil && none {
		return "", fmt.Errorf("there are no secret keys in %s, but the database needs them: %w", from, err)
	}
	return found, reviewKeys(ctx, of.cfg, verbs)
}

// checkPublishing returns an error that lists the affected posts if publishing is on hold.
func (of *installation) checkPublishing(ctx context.Context) (string, error) {
	if of.pool == nil {
		return "not checked, because there is no database yet", nil
	}
	db, err := store.New(of.pool)
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
	posts, err := db.HeldPosts(ctx, heldPostsShown)
	if err != nil {
		return "", err
	}
	appConfig, err := newAppConfig(of.cfg, nil, of.log, nil)
	if err != nil {
		return "", err
	}
	return "", fmt.Errorf("on hold since %s because %s. Check these posts, then run `belfry restore confirm`:%s",
		hold.Since.UTC().Format(time.RFC3339), hold.Reason, listHeldPosts(posts, appConfig.Networks))
}

// heldPostsShown is how many posts on hold a command lists.
const heldPostsShown = 500

// listHeldPosts returns a line for each post.
func listHeldPosts(posts []store.HeldPost, networks *network.Set) string {
	var list strings.Builder
	for _, p := range posts[:min(len(posts), heldPostsShown)] {
		fmt.Fprintf(&list, "\n   %s %s to %s, %s: %s", p.Slug, p.Post, networks.Name(p.Platform), p.AccountName, p.FateInWords())
		if p.ExternalURL != "" {
			fmt.Fprintf(&list, " (%s)", p.ExternalURL)
		}
	}
	return list.String()
}

// reviewKeys returns an error that names the variable if the secret keys do not match the database.
func reviewKeys(ctx context.Context, cfg *config.Config, verbs *app.App) error {
	if err := verbs.CheckSecretKeys(ctx); err != nil {
		return fmt.Errorf("%s does not match the database: %w", config.DescribeKeysLocation(cfg), err)
	}
	return nil
}

func (of *installation) checkAddress(ctx context.Context) (string, error) {
	cfg := of.cfg
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", cfg.Addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return of.checkAddressInUse(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("cannot listen on %s: %w", cfg.Addr, err)
	}
	return cfg.Addr + ", public address " + cfg.PublicURL, listener.Close()
}

// checkAddressInUse returns an error unless the service of this data folder is what listens on the address.
func (of *installation) checkAddressInUse(ctx context.Context) (string, error) {
	holder, err := postgres.LockHolder(of.cfg.DataDir)
	if err != nil {
		return "", err
	}
	at, err := loopbackURL(of.cfg.Addr)
	if err != nil {
		return "", err
	}
	who := "another program"
	if isBelfryAt(ctx, at) {
		if holder != nil && holder.IsService() {
			return fmt.Sprintf("%s, in use by the running service (pid %s)", of.cfg.Addr, holder.Pid), nil
		}
		who = "another Belfry service with a different data folder"
	}
	return "", fmt.Errorf("%s is in use by %s: stop it, or set BELFRY_ADDR", of.cfg.Addr, who)
}

// isBelfryAt reports whether Belfry listens at an address, by a header that other programs do not send.
func isBelfryAt(ctx context.Context, at *url.URL) bool {
	_, header, err := getFrom(ctx, at, "/livez", 2*time.Second)
	return err == nil && header.Get("Belfry-Version") != ""
}

func (of *installation) checkNetworks(context.Context) (string, error) {
	cfg := of.cfg
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
	return fmt.Sprintf("credentials for %v", ready), nil
}

// checkMail connects to the mail server and signs in.
func (of *installation) checkMail(ctx context.Context) (string, error) {
	cfg := of.cfg
	if cfg.SMTPURL.IsZero() {
		if keepsMail(cfg) {
			return "shown in the sandbox, because BELFRY_SMTP_URL is not set", nil
		}
		return "none, because BELFRY_SMTP_URL is not set: people hand over links to invitations themselves", nil
	}
	sender, err := mail.NewSender(cfg.SMTPURL.Reveal(), cfg.MailFrom)
	if err == nil {
		err = sender.Check(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("cannot send email by the server in BELFRY_SMTP_URL: %w", err)
	}
	return "sent from " + sender.From(), nil
}
