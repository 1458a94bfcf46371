package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"belfry/internal/app"
	"belfry/internal/blob"
	"belfry/internal/config"
	"belfry/internal/postgres"
	"belfry/internal/secret"
	"belfry/migrations"
)

// Maximum connections and statement times for each kind of work. The local server allows a hundred connections. A few
// are enough, because most of the work only waits for the database, and more connections would compete for the
// processor. Two kinds of connections are in use for longer: the connection on which River learns of new jobs, and
// connections that hold the lock of an account's picture while its bytes are stored or deleted.
const (
	webConns, webStatements       = 10, 5 * time.Second
	workerConns, workerStatements = 12, 30 * time.Second
	toolConns, toolStatements     = 4, 10 * time.Minute
)

// database is the service's own database, or an external one.
type database struct {
	url  string
	own  bool          // the database is local, in the data folder
	pool *pgxpool.Pool // only for commands; the service opens several
	stop func(context.Context) error
}

// close closes the pool, and stops the local server if this command started it. It does both even if ctx has ended.
func (d *database) close(ctx context.Context) error {
	if d.pool != nil {
		d.pool.Close()
	}
	return d.stop(context.WithoutCancel(ctx))
}

// startLocalAfterLockOrReachExternal starts the local database server, or checks that the external database can be
// reached. It is for the service, which must have locked the data folder. It opens no pool. The caller closes the
// database.
func startLocalAfterLockOrReachExternal(ctx context.Context, cfg *config.Config) (*database, error) {
	if !cfg.DatabaseURL.IsZero() {
		if err := checkExternalDatabaseReachable(ctx, cfg); err != nil {
			return nil, err
		}
		return &database{url: cfg.DatabaseURL.Reveal(), stop: func(context.Context) error { return nil }}, nil
	}
	server, err := postgres.Start(ctx, postgres.Config{Dir: cfg.DataDir})
	if err != nil {
		return nil, err
	}
	return &database{url: server.URL(), own: true, stop: server.Stop}, nil
}

// installationPolicy says whether a command may create a new installation of Belfry or needs an existing one.
type installationPolicy bool

const (
	mayCreate installationPolicy = true
	mustExist installationPolicy = false
)

// connectOrStartCommandDatabase connects to the external database or to the running service's local one. If the service
// is not running, it starts the local database for the duration of the command. The caller closes it.
func connectOrStartCommandDatabase(
	ctx context.Context, cfg *config.Config, policy installationPolicy,
) (db *database, err error) {
	if !cfg.DatabaseURL.IsZero() {
		db = &database{url: cfg.DatabaseURL.Reveal(), stop: func(context.Context) error { return nil }}
		err = checkExternalDatabaseReachable(ctx, cfg)
	} else {
		if policy == mustExist {
			if err := checkLocalDatabaseExists(cfg); err != nil {
				return nil, err
			}
		}
		var local *postgres.Session
		if local, err = postgres.UseOrStartServer(ctx, cfg.DataDir); err == nil {
			db = &database{url: local.URL, own: true, stop: local.Close}
		}
	}
	if err != nil {
		return nil, err
	}
	if db.pool, err = openPool(ctx, db.url, toolConns, toolStatements); err != nil {
		return nil, errors.Join(err, db.close(ctx))
	}
	return db, nil
}

// checkLocalDatabaseExists returns an error if the data folder has no database and no process is creating one. In this
// case, the folder's name is probably mistyped, and a command must not create an empty database.
func checkLocalDatabaseExists(cfg *config.Config) error {
	made, err := postgres.HasDatabase(cfg.DataDir)
	if err != nil || made {
		return err
	}
	if held, err := postgres.LockHolderOrNil(cfg.DataDir); err != nil || held != nil {
		return err
	}
	return fmt.Errorf("there is no database in %s: set BELFRY_DATA_DIR to the service's data folder (`belfry serve` creates a new installation)", cfg.DataDir)
}

// reachTime is how long the database may take to respond before it counts as unreachable.
const reachTime = 10 * time.Second

// checkExternalDatabaseReachable returns an error if it cannot connect to the database in BELFRY_DATABASE_URL.
func checkExternalDatabaseReachable(ctx context.Context, cfg *config.Config) error {
	ctx, cancel := context.WithTimeout(ctx, reachTime)
	defer cancel()
	conn, err := pgx.Connect(ctx, cfg.DatabaseURL.Reveal())
	if err == nil {
		return conn.Close(ctx)
	}
	// The driver's message contains the connection's settings, and repeats itself for each address.
	var (
		dial    *net.OpError
		unknown *net.DNSError
		refusal *pgconn.PgError
	)
	switch {
	case errors.As(err, &dial):
		err = dial
	case errors.As(err, &unknown):
		err = unknown
	case errors.As(err, &refusal):
		err = refusal
	}
	return fmt.Errorf("cannot reach the database in BELFRY_DATABASE_URL: %w", err)
}

// migrateLocalOrEmptyElseCheck migrates a database with an old schema if the database is local or empty. It returns an
// error for any other external database with an old schema, and for a schema with which this program cannot work.
func (d *database) migrateLocalOrEmptyElseCheck(ctx context.Context, pool *pgxpool.Pool) error {
	state, err := migrations.ReadState(ctx, pool)
	switch {
	case err != nil:
		return fmt.Errorf("read the database's schema: %w", err)
	case state.CheckCompatible() != nil || !state.IsBehind():
		return state.CheckCompatible()
	case !d.own && !state.Empty:
		return fmt.Errorf("the database's schema is out of date (%d of %d migrations have been run): make a backup, then run `belfry migrate`",
			state.Have, state.Want)
	}
	return migrations.Run(ctx, pool)
}

// commandSession is an open database and the app that uses it, for a command.
type commandSession struct {
	cfg       *config.Config
	db        *database
	appConfig app.Config
	app       *app.App
}

// openSessionAndMigrate opens the database, migrates it if that is allowed, and creates the app for a command. The
// caller closes the database.
func (p *program) openSessionAndMigrate(
	ctx context.Context, cfg *config.Config, policy installationPolicy,
) (*commandSession, error) {
	db, err := connectOrStartCommandDatabase(ctx, cfg, policy)
	if err != nil {
		return nil, err
	}
	s := &commandSession{cfg: cfg, db: db}
	if err := s.migrateOrCheckAndCreateApp(ctx, p.newQuietLogger(cfg), policy); err != nil {
		return nil, errors.Join(err, db.close(ctx))
	}
	return s, nil
}

// migrateOrCheckAndCreateApp migrates the database if that is allowed, and otherwise checks its schema. It then loads
// the keys and creates the app.
func (s *commandSession) migrateOrCheckAndCreateApp(
	ctx context.Context, log *slog.Logger, policy installationPolicy,
) error {
	state, err := migrations.ReadState(ctx, s.db.pool)
	if err != nil {
		return fmt.Errorf("read the database's schema: %w", err)
	}
	if state.Empty && policy == mustExist {
		return errors.New("the database is empty: use the service's BELFRY_DATABASE_URL or BELFRY_DATA_DIR (`belfry serve` creates a new installation)")
	}
	if err := s.db.migrateLocalOrEmptyElseCheck(ctx, s.db.pool); err != nil {
		return err
	}
	calls, err := ownSandboxURLOrNil(s.cfg)
	if err != nil {
		return err
	}
	ring, err := s.loadKeyRing(policy == mayCreate)
	if err != nil {
		return err
	}
	if s.appConfig, err = newAppConfigWithoutStorage(s.cfg, ring, log, calls); err != nil {
		return err
	}
	s.app, err = newApp(s.appConfig, s.db.pool, nil)
	return err
}

// openStorageAndRecreateApp opens the file storage and replaces the app with one that uses it. The caller closes
// s.appConfig.Blobs.
func (s *commandSession) openStorageAndRecreateApp(ctx context.Context) (err error) {
	if s.appConfig.Blobs, err = blob.OpenAndCheck(ctx, s.cfg.StorageURL.Reveal()); err != nil {
		return err
	}
	s.app, err = newApp(s.appConfig, s.db.pool, nil)
	return err
}

// loadKeyRing loads the secret keys. If mayCreate is true, it creates missing keys. Only commands that may create an
// installation may do so, because new keys cannot decrypt existing tokens.
func (s *commandSession) loadKeyRing(mayCreate bool) (*secret.Ring, error) {
	load := config.LoadKeys
	if mayCreate {
		load = config.LoadOrCreateKeys
	}
	ring, err := load(s.cfg)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("there are no secret keys in %s: use the service's BELFRY_SECRET_KEYS or BELFRY_DATA_DIR (if all keys are lost, `belfry serve` creates a new key)", config.DescribeKeysLocation(s.cfg))
	}
	return ring, err
}

// ownSandboxURLOrNil returns the address at which the service serves its own simulated networks, or nil if it has none.
func ownSandboxURLOrNil(cfg *config.Config) (*url.URL, error) {
	if !usesOwnSandbox(cfg) {
		return nil, nil
	}
	at, err := localURL(cfg.Addr)
	if err != nil {
		return nil, err
	}
	return at.JoinPath(sandboxPath), nil
}
