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
	"belfry/internal/httpd"
	"belfry/internal/postgres"
	"belfry/internal/secret"
	"belfry/migrations"
)

// Connections and statement times of the kinds of work. The local server allows a hundred connections. Few
// are enough, since none is held while something else than the database is waited for, but for the one of the
// worker's on which River hears of new jobs; more would only compete for the processor.
const (
	webConns, webStatements       = 10, 5 * time.Second
	workerConns, workerStatements = 12, 30 * time.Second
	toolConns, toolStatements     = 4, 10 * time.Minute
)

// database is a connection to the service's own database or to an external one.
type database struct {
	url  string
	own  bool          // a local one, below the data folder
	pool *pgxpool.Pool // of a command; the service opens several
	stop func(context.Context) error
}

// close closes the pool, and stops the local server if this command started it.
func (d *database) close(ctx context.Context) error {
	if d.pool != nil {
		d.pool.Close()
	}
	return d.stop(context.WithoutCancel(ctx))
}

// openForServe locks the data folder and starts the local server, or uses DATABASE_URL.
func openForServe(ctx context.Context, cfg *config.Config) (*database, error) {
	lock, err := postgres.LockForService(ctx, cfg.DataDir)
	if err != nil {
		return nil, err
	}
	// Before anything is made: a server that cannot listen would leave an empty database behind.
	if err := httpd.CheckPortFree(ctx, cfg.Addr, config.Prefix+"ADDR"); err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	if !cfg.DatabaseURL.IsZero() {
		if err := checkReachable(ctx, cfg); err != nil {
			return nil, errors.Join(err, lock.Release())
		}
		return &database{url: cfg.DatabaseURL.Reveal(), stop: func(context.Context) error { return lock.Release() }}, nil
	}
	server, err := postgres.Start(ctx, postgres.Config{Dir: cfg.DataDir})
	if err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	return &database{url: server.URL(), own: true, stop: func(ctx context.Context) error {
		return errors.Join(server.Stop(ctx), lock.Release())
	}}, nil
}

// sessionPurpose says whether a command may create an installation or needs an existing one.
type sessionPurpose bool

const (
	mayInstall sessionPurpose = true
	mustExist  sessionPurpose = false
)

// openForCommand connects to BELFRY_DATABASE_URL or to the running service's database, or starts the local one for the
// command's duration. The caller closes it.
func openForCommand(ctx context.Context, cfg *config.Config, why sessionPurpose) (db *database, err error) {
	if !cfg.DatabaseURL.IsZero() {
		db = &database{url: cfg.DatabaseURL.Reveal(), stop: func(context.Context) error { return nil }}
		err = checkReachable(ctx, cfg)
	} else {
		if why == mustExist {
			if err := checkInstalled(cfg); err != nil {
				return nil, err
			}
		}
		var local *postgres.Session
		if local, err = postgres.OpenSession(ctx, cfg.DataDir); err == nil {
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

// checkInstalled returns an error if the data folder has no database and no process is creating one. Most likely the
// folder's name is mistyped, and an empty database would hide that.
func checkInstalled(cfg *config.Config) error {
	made, err := postgres.HasDatabase(cfg.DataDir)
	if err != nil || made {
		return err
	}
	if held, err := postgres.LockHolder(cfg.DataDir); err != nil || held != nil {
		return err
	}
	return fmt.Errorf("there is no database in %s: set BELFRY_DATA_DIR to the service's data folder (`belfry serve` creates a new installation)", cfg.DataDir)
}

// reachTime is how long the database may take to respond before it counts as unreachable.
const reachTime = 10 * time.Second

// checkReachable returns an error that names the variable if the database of BELFRY_DATABASE_URL cannot be reached.
func checkReachable(ctx context.Context, cfg *config.Config) error {
	ctx, cancel := context.WithTimeout(ctx, reachTime)
	defer cancel()
	conn, err := pgx.Connect(ctx, cfg.DatabaseURL.Reveal())
	if err == nil {
		return conn.Close(ctx)
	}
	// The driver's own text begins with what it was told, and repeats itself for each address.
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

// migrateIfAllowed migrates the service's own database or an empty one. It returns an error if another database has
// an old schema.
func (d *database) migrateIfAllowed(ctx context.Context, pool *pgxpool.Pool) error {
	state, err := migrations.ReadState(ctx, pool)
	switch {
	case err != nil:
		return fmt.Errorf("read the database's schema: %w", err)
	case state.CheckFloor() != nil || !state.IsBehind():
		return state.CheckFloor()
	case !d.own && !state.Empty:
		return fmt.Errorf("the database's schema is out of date (%d of %d migrations): make a backup, then run `belfry migrate`",
			state.Have, state.Want)
	}
	return migrations.Run(ctx, pool)
}

// session is an open database and the app that uses it, for a command.
type session struct {
	cfg       *config.Config
	db        *database
	appConfig app.Config
	app       *app.App
}

// openSession opens the database and creates the app for a command. The caller closes the database.
func (p *program) openSession(ctx context.Context, cfg *config.Config, why sessionPurpose) (*session, error) {
	db, err := openForCommand(ctx, cfg, why)
	if err != nil {
		return nil, err
	}
	s := &session{cfg: cfg, db: db}
	if err := s.prepare(ctx, p.newQuietLogger(cfg), why); err != nil {
		return nil, errors.Join(err, db.close(ctx))
	}
	return s, nil
}

// prepare checks the database and the keys, and creates the app.
func (s *session) prepare(ctx context.Context, log *slog.Logger, why sessionPurpose) error {
	state, err := migrations.ReadState(ctx, s.db.pool)
	if err != nil {
		return fmt.Errorf("read the database's schema: %w", err)
	}
	if state.Empty && why == mustExist {
		return errors.New("the database is empty: use the service's BELFRY_DATABASE_URL or BELFRY_DATA_DIR (`belfry serve` creates a new installation)")
	}
	if err := s.db.migrateIfAllowed(ctx, s.db.pool); err != nil {
		return err
	}
	calls, err := sandboxAt(s.cfg)
	if err != nil {
		return err
	}
	ring, err := s.loadKeyRing(why == mayInstall)
	if err != nil {
		return err
	}
	if s.appConfig, err = newAppConfig(s.cfg, ring, log, calls); err != nil {
		return err
	}
	s.app, err = newApp(s.appConfig, s.db.pool, nil)
	return err
}

// openStorage opens the file storage and creates the app again with it. The caller closes s.appConfig.Blobs.
func (s *session) openStorage(ctx context.Context) (err error) {
	if s.appConfig.Blobs, err = blob.Open(ctx, s.cfg.StorageURL.Reveal()); err != nil {
		return err
	}
	s.app, err = newApp(s.appConfig, s.db.pool, nil)
	return err
}

// loadKeyRing loads the secret keys. Only a command that may create an installation may create keys: with new ones,
// every account would look unreadable.
func (s *session) loadKeyRing(mayCreate bool) (*secret.Ring, error) {
	load := config.LoadKeys
	if mayCreate {
		load = config.LoadOrCreateKeys
	}
	ring, err := load(s.cfg)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("there are no keys in %s: use the service's BELFRY_SECRET_KEYS or BELFRY_DATA_DIR", config.DescribeKeysLocation(s.cfg))
	}
	return ring, err
}

// sandboxAt returns the address at which the service serves its own simulated networks, or nil if it serves none.
func sandboxAt(cfg *config.Config) (*url.URL, error) {
	if !usesOwnSandbox(cfg) {
		return nil, nil
	}
	at, err := loopbackURL(cfg.Addr)
	if err != nil {
		return nil, err
	}
	return at.JoinPath(sandboxPath), nil
}
