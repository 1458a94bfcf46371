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

// turn is the advisory lock under which one process makes the template for all.
const turn = int64(0x746d706c) // "tmpl"

// makeTemplate makes the database that all tests copy, unless one of this very schema is there. It
// is filled under another name and closed to connections before it gets its own, so that a copy
// never meets a session in it.
func makeTemplate(ctx context.Context, admin string) error {
	name, err := templateName()
	if err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, admin)
	if err != nil {
		return fmt.Errorf("connect to the tests' server: %w", err)
	}
	defer conn.Close(ctx) // and with it goes the lock
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", turn); err != nil {
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
	if err := migrateAt(ctx, within(admin, draft)); err != nil {
		return err
	}
	return finish(ctx, conn, draft, name)
}

func migrateAt(ctx context.Context, address string) error {
	pool, err := pgxpool.New(ctx, address)
	if err != nil {
		return fmt.Errorf("open the template: %w", err)
	}
	defer pool.Close()
	return migrations.Run(ctx, pool)
}

// finish closes the filled template and gives it its name.
func finish(ctx context.Context, conn *pgx.Conn, draft, name string) error {
	for _, sql := range []string{
		"ALTER DATABASE " + draft + " ALLOW_CONNECTIONS false",
		"ALTER DATABASE " + draft + " RENAME TO " + name,
	} {
		if err := whenFree(ctx, conn, sql); err != nil {
			return err
		}
	}
	return nil
}

func templateName() (string, error) {
	hash, err := migrations.SchemaHash()
	return "template_" + hash, err
}

// clone makes a database as a copy of another.
func clone(ctx context.Context, admin, name, template string) error {
	conn, err := pgx.Connect(ctx, admin)
	if err != nil {
		return fmt.Errorf("connect to the tests' server: %w", err)
	}
	defer conn.Close(ctx)
	return whenFree(ctx, conn, "CREATE DATABASE "+name+" TEMPLATE "+template)
}

// whenFree runs a statement that needs a database without sessions. One that has just been closed
// on our side may linger on the server's for a moment.
func whenFree(ctx context.Context, conn *pgx.Conn, sql string) error {
	const inUse = "55006"
	for deadline := time.Now().Add(20 * time.Second); ; {
		_, err := conn.Exec(ctx, sql)
		if pg := new(pgconn.PgError); errors.As(err, &pg) && pg.Code == inUse && time.Now().Before(deadline) {
			continue // the server itself waits up to five seconds before it says so
		}
		if err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
		return nil
	}
}
