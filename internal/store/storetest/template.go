package storetest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"belfry/migrations"
)

// templateLock is the advisory lock for creating the template.
const templateLock = int64(0x746d706c) // "tmpl"

// makeTemplateIfMissing creates the database that all tests copy, unless there is one with this schema. It migrates the
// database under a temporary name and forbids connections before it renames it, because PostgreSQL cannot copy a
// database that has sessions.
func makeTemplateIfMissing(ctx context.Context, admin string) error {
	name, err := templateName()
	if err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, admin)
	if err != nil {
		return fmt.Errorf("connect to the tests' server: %w", err)
	}
	defer conn.Close(ctx) // which also releases the lock
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", templateLock); err != nil {
		return fmt.Errorf("wait for the template: %w", err)
	}
	var there bool
	if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name).Scan(&there); err != nil || there {
		return err
	}
	draft := name + "_draft"
	for _, sql := range []string{"DROP DATABASE IF EXISTS " + draft + " WITH (FORCE)", "CREATE DATABASE " + draft + " TEMPLATE template0"} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	if err := migrateAt(ctx, databaseURL(admin, draft)); err != nil {
		return err
	}
	return forbidConnectionsAndRename(ctx, conn, draft, name)
}

func migrateAt(ctx context.Context, address string) error {
	pool, err := pgxpool.New(ctx, address)
	if err != nil {
		return fmt.Errorf("open the template: %w", err)
	}
	defer pool.Close()
	return migrations.Run(ctx, pool)
}

// forbidConnectionsAndRename forbids connections to the new template and renames it from draft to name.
func forbidConnectionsAndRename(ctx context.Context, conn *pgx.Conn, draft, name string) error {
	for _, sql := range []string{
		"ALTER DATABASE " + draft + " ALLOW_CONNECTIONS false",
		"ALTER DATABASE " + draft + " RENAME TO " + name,
	} {
		if err := execRetryWhileInUse(ctx, conn, sql); err != nil {
			return err
		}
	}
	return nil
}

func templateName() (string, error) {
	hash, err := migrations.SchemaHash()
	return "template_" + hash, err
}

// copyDatabase creates a database as a copy of another.
func copyDatabase(ctx context.Context, admin, name, template string) error {
	conn, err := pgx.Connect(ctx, admin)
	if err != nil {
		return fmt.Errorf("connect to the tests' server: %w", err)
	}
	defer conn.Close(ctx)
	return execRetryWhileInUse(ctx, conn, "CREATE DATABASE "+name+" TEMPLATE "+template)
}

// execRetryWhileInUse runs a statement that needs a database without sessions. It repeats the statement while the
// database is in use, because the server may need a moment to end a session that the client has closed.
func execRetryWhileInUse(ctx context.Context, conn *pgx.Conn, sql string) error {
	const inUse = "55006"
	for deadline := time.Now().Add(20 * time.Second); ; {
		_, err := conn.Exec(ctx, sql)
		if pg := new(pgconn.PgError); errors.As(err, &pg) && pg.Code == inUse && time.Now().Before(deadline) {
			continue // the server itself has waited for up to five seconds
		}
		if err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
		return nil
	}
}
