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
	"belfry/internal/httpd"
	"belfry/internal/mail"
	"belfry/internal/metrics"
	"belfry/internal/network"
	"belfry/internal/network/all"
	"belfry/internal/sandbox"
	"belfry/internal/secret"
	"belfry/internal/store"
	"belfry/migrations"
)

// ownSandbox is stored as the place where accounts were connected if that was the service's own simulated networks,
// whatever their address was.
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
	return cfg.NetworksURL == "" && !cfg.Network.HasSecret()
}

func (p *program) newLogger(cfg *config.Config) *slog.Logger {
	opts := &slog.HandlerOptions{Level: cfg.LogLevel}
	if cfg.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(p.err, opts))
	}
	return slog.New(slog.NewTextHandler(p.err, opts))
}

// newQuietLogger returns a command's logger. It omits the level info unless the operator asked for info or debug.
func (p *program) newQuietLogger(cfg *config.Config) *slog.Logger {
	quieter := *cfg
	if cfg.LogLevel == slog.LevelInfo {
		quieter.LogLevel = slog.LevelWarn
	}
	return p.newLogger(&quieter)
}

// newAppConfig returns the configuration of an app except its database and file storage. calls is the address of the
// service's own simulated networks, or nil if it has none.
func newAppConfig(cfg *config.Config, ring *secret.Ring, log *slog.Logger, calls *url.URL) (c app.Config, err error) {
	plans, err := loadPlansWithOverrides(cfg)
	if err != nil {
		return c, err
	}
	figures := metrics.New()
	client, connectedAt, err := newNetworkClient(cfg, figures, calls)
	if err != nil {
		return c, err
	}
	networks, err := network.NewSet(all.Drivers(), network.Environment{
		Client: client, Get: networkValue(cfg), Now: time.Now,
	})
	var sender *mail.Sender
	if err == nil && !cfg.SMTPURL.IsZero() {
		sender, err = mail.NewSender(cfg.SMTPURL.Reveal(), cfg.MailFrom)
	}
	return app.Config{
		Mail: sender, Outbox: keepsMail(cfg),
		Networks: networks, Client: client, Fetch: fetch.New(fetch.Config{}), Ring: ring, Plans: plans, Log: log,
		Metrics: figures, Now: time.Now,
		Schedule:     scheduleOf(cfg),
		UploadTTL:    cfg.UploadTTL,
		Retention:    cfg.Retention,
		PublicURL:    cfg.PublicURL,
		MediaURL:     cfg.MediaURL,
		NetworksURL:  connectedAt,
		LimitAddress: app.Rate{Max: cfg.LimitAddress.Count, Window: cfg.LimitAddress.Per},
		LimitCreate:  app.Rate{Max: cfg.LimitCreate.Count, Window: cfg.LimitCreate.Per},
	}, err
}

// keepsMail reports whether emails are kept and shown in the sandbox. Because they contain links that give access, that
// is so only for a service that nobody can reach from another machine.
func keepsMail(cfg *config.Config) bool {
	public, err := url.Parse(cfg.PublicURL)
	return err == nil && usesOwnSandbox(cfg) && cfg.SMTPURL.IsZero() && httpd.IsLoopback(cfg.Addr) &&
		httpd.IsLoopback(public.Host)
}

// newApp returns an app that uses one connection pool. due is store.Store.Due, a channel that the whole process
// shares.
func newApp(cfg app.Config, pool *pgxpool.Pool, due chan struct{}) (*app.App, error) {
	db, err := store.New(pool)
	if err != nil {
		return nil, err
	}
	db.Due = due
	cfg.Store = db
	cfg.Schema = func(ctx context.Context) error { return checkSchema(ctx, pool) }
	return app.New(cfg)
}

// checkSchema returns an error if the database lacks a migration of this program. A newer schema is not an error,
// because this program can work with it.
func checkSchema(ctx context.Context, pool *pgxpool.Pool) error {
	state, err := migrations.ReadState(ctx, pool)
	if err == nil && state.IsBehind() {
		err = fmt.Errorf("the database has %d of this program's %d migrations", state.Have, state.Want)
	}
	return err
}

func scheduleOf(cfg *config.Config) core.Schedule {
	return core.Schedule{Retry: cfg.RetryDelays, Lease: cfg.Lease}
}

// newNetworkClient returns the client for calls to the networks, and the name of what replaces the real networks.
func newNetworkClient(cfg *config.Config, figures *metrics.Metrics, calls *url.URL) (*network.Client, string, error) {
	c := network.ClientConfig{Timeout: scheduleOf(cfg).CallTimeout(), Observe: func(call network.Call) {
		figures.CountCall(call.Host, strconv.Itoa(call.Status), string(call.Kind))
	}}
	if calls != nil {
		browse, err := url.Parse(cfg.PublicURL + sandboxPath)
		c.NetworksURL, c.BrowseURL = calls, browse
		return network.NewClient(c), ownSandbox, err
	}
	if cfg.NetworksURL != "" {
		u, err := url.Parse(cfg.NetworksURL)
		c.NetworksURL = u
		return network.NewClient(c), cfg.NetworksURL, err
	}
	return network.NewClient(c), "", nil
}

// networkValue returns a function that looks up the networks' variables. In sandbox mode every credential is the
// sandbox's.
func networkValue(cfg *config.Config) func(string) string {
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

// loopbackURL returns the address at which this machine reaches a server that listens on addr.
func loopbackURL(addr string) (*url.URL, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("read the address %s: %w", addr, err)
	}
	if at, err := netip.ParseAddr(host); host == "" || err == nil && at.IsUnspecified() {
		host = "127.0.0.1"
	}
	return &url.URL{Scheme: "http", Host: net.JoinHostPort(host, port)}, nil
}

// openPool opens a connection pool for one kind of work.
func openPool(ctx context.Context, address string, conns int32, statements time.Duration) (*pgxpool.Pool, error) {
	c, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, fmt.Errorf("read the database's address: %w", err)
	}
	c.MaxConns = conns
	c.ConnConfig.RuntimeParams["statement_timeout"] = strconv.FormatInt(statements.Milliseconds(), 10)
	c.ConnConfig.RuntimeParams["timezone"] = "UTC"
	c.ConnConfig.RuntimeParams["application_name"] = "belfry"
	pool, err := pgxpool.NewWithConfig(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	return pool, nil
}

// loadPlansWithOverrides returns the built-in plans with the changes in the operator's file. A limit that the file
// leaves out does not change; null removes a limit.
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

func overridePlans(table core.Plans, text []byte) error {
	given := map[core.PlanName]json.RawMessage{}
	if err := decodeStrict(text, &given); err != nil {
		return err
	}
	for name, figures := range given {
		plan, ok := table[name]
		if !ok {
			return fmt.Errorf("there is no plan %s; the plans are %s", name, table.Names())
		}
		if err := decodeStrict(figures, &plan); err != nil {
			return fmt.Errorf("plan %s: %w", name, err)
		}
		for _, limit := range []*int64{
			plan.Posts, plan.Accounts, plan.Members, plan.Drafts, plan.StorageBytes, plan.FileBytes, plan.HistoryDays,
		} {
			if limit != nil && *limit < 0 {
				return fmt.Errorf("plan %s: a limit is below zero", name)
			}
		}
		table[name] = plan
	}
	return nil
}

// decodeStrict decodes exactly one JSON value into what into points to, which may already have values. An unknown key
// is an error.
func decodeStrict(text []byte, into any) error {
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
