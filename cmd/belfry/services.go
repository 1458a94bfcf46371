package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"belfry/internal/app"
	"belfry/internal/config"
	"belfry/internal/core"
	"belfry/internal/fetch"
	"belfry/internal/intake"
	"belfry/internal/mail"
	"belfry/internal/metrics"
	"belfry/internal/network"
	"belfry/internal/network/all"
	"belfry/internal/sandbox"
	"belfry/internal/secret"
	"belfry/internal/store"
	"belfry/migrations"
)

// ownSandbox identifies the service's own simulated networks. It is stored with each account that is connected
// to them, and does not depend on their address.
const ownSandbox = "sandbox"

// networkVariables returns the variables that the networks declare.
func networkVariables() []config.Variable {
	var list []config.Variable
	for _, d := range all.Drivers() {
		for _, v := range d.Variables {
			list = append(list, config.Variable(v))
		}
	}
	return list
}

// usesOwnSandbox reports whether the service uses its own simulated networks: no network has credentials, and
// NETWORKS_URL is not set.
func usesOwnSandbox(cfg *config.Config) bool {
	return cfg.NetworksURL == "" && !cfg.Network.HasAnySecret()
}

// newLogger returns a logger with the configured format and level.
func (p *program) newLogger(cfg *config.Config) *slog.Logger {
	opts := &slog.HandlerOptions{Level: cfg.LogLevel}
	if cfg.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(p.err, opts))
	}
	return slog.New(slog.NewTextHandler(p.err, opts))
}

// newQuietLogger returns a logger for commands. At the level info, which is the default, it logs only warnings and
// errors.
func (p *program) newQuietLogger(cfg *config.Config) *slog.Logger {
	quieter := *cfg
	if cfg.LogLevel == slog.LevelInfo {
		quieter.LogLevel = slog.LevelWarn
	}
	return p.newLogger(&quieter)
}

// newAppConfigWithoutStorage returns the configuration of an app, without its database and file storage. sandboxURL is
// the address of the service's own simulated networks, or nil if it has none.
func newAppConfigWithoutStorage(
	cfg *config.Config, ring *secret.Ring, log *slog.Logger, sandboxURL *url.URL,
) (c app.Config, err error) {
	plans, err := loadPlansWithOverrides(cfg)
	if err != nil {
		return c, err
	}
	figures := metrics.New()
	client, connectedAt, err := newNetworkClient(cfg, figures, sandboxURL)
	if err != nil {
		return c, err
	}
	networks, err := network.NewSet(all.Drivers(), network.Environment{
		Client: client, Get: newNetworkVariableLookup(cfg), Now: time.Now,
	})
	var sender *mail.Sender
	if err == nil && !cfg.SMTPURL.IsZero() {
		if sender, err = mail.NewSender(cfg.SMTPURL.Reveal(), cfg.MailFrom); err != nil {
			err = fmt.Errorf("read BELFRY_SMTP_URL: %w", err)
		}
	}
	return app.Config{
		Mail: sender, Outbox: showsMailInSandbox(cfg),
		Networks: networks, Client: client, Fetch: fetch.New(fetch.Config{}), Decoder: intake.NewDecoder(),
		Ring: ring, Plans: plans, Log: log, Metrics: figures, Now: time.Now,
		Schedule:     newRetrySchedule(cfg),
		UploadTTL:    cfg.UploadTTL,
		Retention:    cfg.Retention,
		PublicURL:    cfg.PublicURL,
		MediaURL:     cfg.MediaURL,
		NetworksURL:  connectedAt,
		LimitAddress: app.Rate{Max: cfg.LimitAddress.Count, Window: cfg.LimitAddress.Per},
		LimitCreate:  app.Rate{Max: cfg.LimitCreate.Count, Window: cfg.LimitCreate.Per},
	}, err
}

// showsMailInSandbox reports whether emails are stored and shown in the sandbox. They contain links that grant access,
// so this is only done if the service cannot be reached from other machines.
func showsMailInSandbox(cfg *config.Config) bool {
	public, err := url.Parse(cfg.PublicURL)
	return err == nil && usesOwnSandbox(cfg) && cfg.SMTPURL.IsZero() && core.IsLoopback(cfg.Addr) &&
		core.IsLoopback(public.Host)
}

// newApp returns an app that uses one connection pool. dueSignal is the channel for store.Store.Due, which all apps of
// the process share, or nil.
func newApp(cfg app.Config, pool *pgxpool.Pool, dueSignal chan struct{}) (*app.App, error) {
	db, err := store.New(pool)
	if err != nil {
		return nil, err
	}
	db.Due = dueSignal
	cfg.Store = db
	cfg.Schema = func(ctx context.Context) error { return checkSchemaNotBehind(ctx, pool) }
	return app.New(cfg)
}

// checkSchemaNotBehind returns an error if the database lacks a migration of this program. A newer schema is not an
// error, because this program can work with it.
func checkSchemaNotBehind(ctx context.Context, pool *pgxpool.Pool) error {
	state, err := migrations.ReadState(ctx, pool)
	if err == nil && state.IsBehind() {
		err = fmt.Errorf("the database has only %d of this program's %d migrations: run `belfry migrate`", state.Have, state.Want)
	}
	return err
}

func newRetrySchedule(cfg *config.Config) core.Schedule {
	return core.Schedule{Retry: cfg.RetryDelays, Lease: cfg.Lease}
}

// newNetworkClient returns the client for calls to the networks. sandboxIDOrEmpty identifies the simulated networks
// that replace the real ones; it is "" for the real ones.
func newNetworkClient(
	cfg *config.Config, figures *metrics.Metrics, sandboxURL *url.URL,
) (client *network.Client, sandboxIDOrEmpty string, err error) {
	c := network.ClientConfig{Timeout: newRetrySchedule(cfg).CallTimeout(), Observe: func(call network.Call) {
		figures.CountNetworkCall(call.Host, strconv.Itoa(call.Status), string(call.Kind))
	}}
	if sandboxURL != nil {
		browse, err := url.Parse(cfg.PublicURL + sandboxPath)
		c.NetworksURL, c.BrowseURL = sandboxURL, browse
		return network.NewClient(c), ownSandbox, err
	}
	if cfg.NetworksURL != "" {
		u, err := url.Parse(cfg.NetworksURL)
		c.NetworksURL = u
		return network.NewClient(c), cfg.NetworksURL, err
	}
	return network.NewClient(c), "", nil
}

// newNetworkVariableLookup returns a function that looks up the networks' variables. With the service's own simulated
// networks, it returns the sandbox's credentials.
func newNetworkVariableLookup(cfg *config.Config) func(string) string {
	if !usesOwnSandbox(cfg) {
		return cfg.Network.Get
	}
	return func(name string) string {
		if strings.HasSuffix(name, "_CLIENT_ID") || strings.HasSuffix(name, "_CLIENT_SECRET") {
			return sandbox.Credentials
		}
		return cfg.Network.Get(name)
	}
}

// localURL returns the address at which this machine reaches a server that listens on listenAddr.
func localURL(listenAddr string) (*url.URL, error) {
	host, port, err := net.SplitHostPort(listenAddr)
	if err != nil {
		return nil, fmt.Errorf("parse the address %s: %w", listenAddr, err)
	}
	if at, err := netip.ParseAddr(host); host == "" || err == nil && at.IsUnspecified() {
		host = "127.0.0.1"
	}
	return &url.URL{Scheme: "http", Host: net.JoinHostPort(host, port)}, nil
}

// openPool opens a connection pool with at most maxConns connections.
func openPool(
	ctx context.Context, databaseURL string, maxConns int32, statementTimeout time.Duration,
) (*pgxpool.Pool, error) {
	c, err := pgxpool.ParseConfig(databaseURL)
	if err != nil {
		return nil, fmt.Errorf("parse the database's address: %w", err)
	}
	c.MaxConns, c.ShouldPing = maxConns, shouldPing
	c.ConnConfig.RuntimeParams["statement_timeout"] = strconv.FormatInt(statementTimeout.Milliseconds(), 10)
	c.ConnConfig.RuntimeParams["timezone"] = "UTC"
	c.ConnConfig.RuntimeParams["application_name"] = "belfry"
	pool, err := pgxpool.NewWithConfig(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	return pool, nil
}

// loadPlansWithOverrides returns the built-in plans with the changes in the operator's file. Fields that are not in the
// file do not change, and null removes a limit.
func loadPlansWithOverrides(cfg *config.Config) (core.Plans, error) {
	table := core.DefaultPlans()
	if cfg.PlansFile == "" {
		return table, nil
	}
	text, err := os.ReadFile(cfg.PlansFile)
	if err == nil {
		err = overridePlans(table, text)
	}
	if err != nil {
		return nil, fmt.Errorf("read BELFRY_PLANS_FILE %s: %w", cfg.PlansFile, err)
	}
	return table, nil
}

// overridePlans applies the changes in the JSON text to the plans.
func overridePlans(plans core.Plans, jsonText []byte) error {
	given := map[core.PlanName]json.RawMessage{}
	if err := decodeStrictJSON(jsonText, &given); err != nil {
		return err
	}
	for name, figures := range given {
		plan, ok := plans[name]
		if !ok {
			return fmt.Errorf("there is no subscription plan %s; use one of: %s", name, plans.JoinNames())
		}
		if err := decodeStrictJSON(figures, &plan); err != nil {
			return fmt.Errorf("subscription plan %s: %w", name, err)
		}
		for _, limit := range []*int64{
			plan.Posts, plan.Accounts, plan.Members, plan.Drafts, plan.StorageBytes, plan.FileBytes, plan.HistoryDays,
		} {
			if limit != nil && *limit < 0 {
				return fmt.Errorf("subscription plan %s: a limit is below zero; use null for no limit", name)
			}
		}
		plans[name] = plan
	}
	return nil
}

// decodeStrictJSON decodes one JSON value into the value that into points to, and keeps fields that are not in the
// text. It returns an error for unknown keys and for text after the value.
func decodeStrictJSON(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more text after the JSON value")
	}
	return nil
}
