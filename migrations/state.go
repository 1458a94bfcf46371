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

// State counts the steps, ours and River's together, that the database has and that this program
// wants. Fewer than wanted: Run is due. More: the database belongs to a newer program. A database
// without any table is empty.
func State(ctx context.Context, pool *pgxpool.Pool) (have, want int32, empty bool, err error) {
	if want, err = wanted(pool); err != nil {
		return 0, 0, false, err
	}
	version, err := number(ctx, pool, "SELECT version FROM "+table)
	if err != nil {
		return 0, 0, false, err
	}
	queue, err := number(ctx, pool, "SELECT count(*)::int FROM river_migration")
	if err != nil {
		return 0, 0, false, err
	}
	tables, err := number(ctx, pool, "SELECT count(*)::int FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace")
	if err != nil {
		return 0, 0, false, err
	}
	return version + queue, want, tables == 0, nil
}

// number runs a query for one number; a missing table or an empty one counts as zero.
func number(ctx context.Context, pool *pgxpool.Pool, query string) (int32, error) {
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

func wanted(pool *pgxpool.Pool) (int32, error) {
	names, err := migrate.FindMigrations(files)
	if err != nil {
		return 0, fmt.Errorf("read the migrations: %w", err)
	}
	m, err := riverMigrator(pool)
	if err != nil {
		return 0, err
	}
	return int32(len(names) + len(m.AllVersions())), nil //nolint:gosec // a handful of files
}

// Hash names the schema: it changes with any of our files and with River's steps. Tests name their
// template database with it.
func Hash() (string, error) {
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
	m, err := riverMigrator(nil)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(sum, "river %d\n", len(m.AllVersions()))
	return hex.EncodeToString(sum.Sum(nil)[:8]), nil
}
