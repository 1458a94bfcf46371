// Package migrations holds the database's schema as numbered SQL files and brings a database up to
// it. It only goes forward.
package migrations

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/tern/v2/migrate"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

//go:embed *.sql
var files embed.FS

const (
	table = "schema_version"

	// turn is the advisory lock that makes two starting replicas migrate one after the other. Tern
	// holds one of its own, but River's step has none.
	turn = int64(0x62656c66_7279) // "belfry"

	// patience bounds the wait for a table in use: every later query would wait behind ours.
	patience = "2s"
)

// Run brings the database up to this program's schema: our files first, each in a transaction, then
// River's own, which cannot share one. Steps already done are left alone. Several processes may call
// it at once. The pool must allow two connections.
func Run(ctx context.Context, pool *pgxpool.Pool) error {
	if pool.Config().MaxConns < 2 {
		return errors.New("migrate the database: two connections are needed, and the pool allows one")
	}
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("migrate the database: %w", err)
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", turn); err != nil {
		return fmt.Errorf("wait for the turn to migrate: %w", err)
	}
	err = ours(ctx, conn.Conn())
	if err == nil {
		err = rivers(ctx, pool)
	}
	// The connection goes back to the pool, so it must not keep the lock even when ctx has ended.
	_, unlockErr := conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", turn)
	return errors.Join(err, unlockErr)
}

func ours(ctx context.Context, conn *pgx.Conn) error {
	if _, err := conn.Exec(ctx, "SET lock_timeout = '"+patience+"'"); err != nil {
		return fmt.Errorf("bound the wait for locks: %w", err)
	}
	defer conn.Exec(context.WithoutCancel(ctx), "RESET lock_timeout") //nolint:errcheck // a connection that fails here is broken and leaves the pool
	m, err := migrate.NewMigrator(ctx, conn, table)
	if err != nil {
		return fmt.Errorf("prepare the migrations: %w", err)
	}
	if err := m.LoadMigrations(files); err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	have, err := m.GetCurrentVersion(ctx)
	if err != nil {
		return fmt.Errorf("read the schema's version: %w", err)
	}
	if want := int32(len(m.Migrations)); have > want { //nolint:gosec // a handful of files
		return fmt.Errorf("the database's schema is version %d, made by a newer belfry; this one knows versions up to %d: run the newer program", have, want)
	}
	if err := m.Migrate(ctx); err != nil {
		return fmt.Errorf("migrate the database: %w", err)
	}
	return nil
}

func rivers(ctx context.Context, pool *pgxpool.Pool) error {
	m, err := riverMigrator(pool)
	if err != nil {
		return err
	}
	if _, err := m.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("migrate the job queue: %w", err)
	}
	return nil
}

func riverMigrator(pool *pgxpool.Pool) (*rivermigrate.Migrator[pgx.Tx], error) {
	m, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, fmt.Errorf("prepare the job queue's migrations: %w", err)
	}
	return m, nil
}
