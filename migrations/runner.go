// Package migrations contains the database's schema as numbered SQL files, and migrates a database to this schema. It
// cannot revert a migration.
package migrations

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/tern/v2/migrate"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

//go:embed *.sql
var files embed.FS

const (
	table = "schema_version"

	// turn is the advisory lock that makes replicas migrate one after the other. Tern has its own lock, but River's
	// migrations have none.
	turn = int64(0x62656c66_7279) // "belfry"

	// patience is how long to wait for a table that is in use, because all later queries wait behind ours.
	patience = "2s"

	// turnInterval is how often a waiting process tries to get the lock.
	turnInterval = 50 * time.Millisecond

	// concurrent marks a file whose statements run one by one, without a transaction.
	concurrent = "---- tern: disable-tx ----"

	undefinedFile, featureNotSupported = "58P01", "0A000"
)

// Run migrates the database to this program's schema: first with our files, and then with River's migrations, which
// cannot run in a transaction of ours. It skips migrations that were already run, and does not change a database with a
// newer schema. Several processes can call it at the same time. The pool must allow two connections.
func Run(ctx context.Context, pool *pgxpool.Pool) error {
	if pool.Config().MaxConns < 2 {
		return errors.New("migrate the database: the pool must allow at least two connections, but allows only one")
	}
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("migrate the database: %w", err)
	}
	defer conn.Release()
	if err := acquireMigrationLock(ctx, conn.Conn()); err != nil {
		return fmt.Errorf("wait to migrate: %w", err)
	}
	err = migrateIfBehind(ctx, conn.Conn(), pool)
	// The connection returns to the pool, so it must release the lock even if ctx has ended.
	_, unlockErr := conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", turn)
	return errors.Join(err, unlockErr)
}

// migrateIfBehind migrates the database if it lacks a migration. The caller must hold the lock for migrating. It
// returns an error if this program cannot work with the database's schema.
func migrateIfBehind(ctx context.Context, conn *pgx.Conn, pool *pgxpool.Pool) error {
	state, err := ReadState(ctx, pool)
	if err == nil {
		err = state.CheckCompatible()
	}
	if err != nil || !state.IsBehind() {
		return err
	}
	if err := migrateBelfrySchema(ctx, conn); err != nil {
		return err
	}
	return migrateRiver(ctx, pool)
}

// acquireMigrationLock waits for the lock for migrating, which the caller must release on conn. It polls, because a
// session that waits for the lock inside PostgreSQL has a snapshot, and CREATE INDEX CONCURRENTLY would wait for that
// session.
func acquireMigrationLock(ctx context.Context, conn *pgx.Conn) error {
	tick := time.NewTicker(turnInterval)
	defer tick.Stop()
	for {
		var locked bool
		if err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", turn).Scan(&locked); err != nil || locked {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

func migrateBelfrySchema(ctx context.Context, conn *pgx.Conn) error {
	m, err := migrate.NewMigrator(ctx, conn, table)
	if err != nil {
		return fmt.Errorf("prepare the migrations: %w", err)
	}
	if err := m.LoadMigrations(files); err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	var limits error
	m.OnStart = func(_ int32, _, _, sql string) { // tern resets the settings after each file
		_, err := conn.Exec(ctx, setTimeoutsSQL(sql))
		limits = errors.Join(limits, err)
	}
	if err := errors.Join(m.Migrate(ctx), limits); err != nil {
		return fmt.Errorf("migrate the database: %w", explainMigrationError(err))
	}
	return nil
}

// setTimeoutsSQL returns the SQL that sets how long a migration waits for locks. For a migration that builds indexes
// concurrently, it removes this limit and the limit on a statement's duration: such a migration waits for older
// transactions, but blocks nobody.
func setTimeoutsSQL(migrationSQL string) (setStatements string) {
	if strings.Contains(migrationSQL, concurrent) {
		return "SET lock_timeout = 0; SET statement_timeout = 0"
	}
	return "SET lock_timeout = '" + patience + "'"
}

// explainMigrationError tells the operator what to install if the server lacks an extension. It returns other errors
// unchanged.
func explainMigrationError(err error) error {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	if !ok || pg.Code != undefinedFile && pg.Code != featureNotSupported || !strings.Contains(pg.Message, "extension") {
		return err
	}
	return fmt.Errorf("the PostgreSQL server lacks an extension that search needs: install PostgreSQL's contrib package, which "+
		"contains pg_trgm and btree_gin (it is part of `postgresql` on Debian, and named `postgresql-contrib` elsewhere), then start Belfry again: %w", err)
}

func migrateRiver(ctx context.Context, pool *pgxpool.Pool) error {
	m, err := newRiverMigrator(pool)
	if err != nil {
		return err
	}
	if _, err := m.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("migrate the job queue: %w", err)
	}
	return nil
}

func newRiverMigrator(pool *pgxpool.Pool) (*rivermigrate.Migrator[pgx.Tx], error) {
	m, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, fmt.Errorf("prepare the job queue's migrations: %w", err)
	}
	return m, nil
}
