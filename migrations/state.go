package migrations

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/tern/v2/migrate"
)

// State compares a database's schema with this program's. Its numbers include River's migrations.
type State struct {
	Have, Want int32 // the number of migrations in the database, and in this program
	Empty      bool  // the database has no tables
	floor      int32 // the last of our migrations that a program must know to work with this schema
	known      int32 // the last of our migrations that this program knows
}

// IsBehind reports whether the database lacks a migration.
func (s State) IsBehind() bool { return s.Have < s.Want }

// CheckCompatible returns an error if a newer program has changed the database so that this program cannot work with
// it. A newer schema alone is not an error.
func (s State) CheckCompatible() error {
	if s.floor <= s.known {
		return nil
	}
	return fmt.Errorf("the database's schema was created by a newer version of Belfry: "+
		"it requires a version that includes migration %d, but this version includes only the migrations up to %d. Run the newer version, or restore a backup from before the upgrade", s.floor, s.known)
}

// ReadState returns the state of a database. It changes nothing.
func ReadState(ctx context.Context, pool *pgxpool.Pool) (s State, err error) {
	if s.known, s.Want, err = countProgramMigrations(pool); err != nil {
		return s, err
	}
	version, err := queryNumberOrZero(ctx, pool, "SELECT version FROM "+table)
	if err != nil {
		return s, err
	}
	river, err := queryNumberOrZero(ctx, pool, "SELECT count(*)::int FROM river_migration")
	if err != nil {
		return s, err
	}
	s.Have = version + river
	if s.floor, err = queryNumberOrZero(ctx, pool, "SELECT version FROM schema_floor"); err != nil {
		return s, err
	}
	tables, err := queryNumberOrZero(ctx, pool, "SELECT count(*)::int FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace")
	s.Empty = tables == 0
	return s, err
}

// queryNumberOrZero returns the number that a query selects, or zero if the table is missing or empty.
func queryNumberOrZero(ctx context.Context, pool *pgxpool.Pool, query string) (int32, error) {
	const undefinedTable = "42P01"
	var n int32
	err := pool.QueryRow(ctx, query).Scan(&n)
	if pg := new(pgconn.PgError); errors.Is(err, pgx.ErrNoRows) || errors.As(err, &pg) && pg.Code == undefinedTable {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read the schema's version: %w", err)
	}
	return n, nil
}

// countProgramMigrations counts the migrations of this program: ours alone, and ours together with River's. It does not
// use the pool to query the database.
func countProgramMigrations(pool *pgxpool.Pool) (ours, withRiver int32, err error) {
	names, err := migrate.FindMigrations(files)
	if err != nil {
		return 0, 0, fmt.Errorf("read the migrations: %w", err)
	}
	m, err := newRiverMigrator(pool)
	if err != nil {
		return 0, 0, err
	}
	ours = int32(len(names))                             //nolint:gosec // a handful of files
	return ours, ours + int32(len(m.AllVersions())), nil //nolint:gosec // see above
}

// SchemaHash returns a hash of the schema, which changes with each of our files and with River's migrations. Tests use
// it in the name of their template database.
func SchemaHash() (string, error) {
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			return "", fmt.Errorf("read migration %s: %w", name, err)
		}
		fmt.Fprintf(sum, "%s %d\n%s", name, len(text), text)
	}
	m, err := newRiverMigrator(nil)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(sum, "river %d\n", len(m.AllVersions()))
	return hex.EncodeToString(sum.Sum(nil)[:8]), nil
}
