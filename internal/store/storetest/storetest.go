// Package storetest gives each test a database of its own, migrated and empty, on a real PostgreSQL
// that the test run starts and stops by itself.
package storetest

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Variable names the environment variable with the address of a server to use. Without it each test
// process starts one of its own.
const Variable = "BELFRY_TEST_POSTGRES"

// prefix begins the name of each test's database; databases left by a killed run are known by it.
const prefix = "test_"

// server is the process's one server, started by the first test that asks. Tests of a package have
// nothing else in common that could own it.
var server = sync.OnceValues(func() (string, error) {
	ctx := context.Background()
	admin, ok := os.LookupEnv(Variable)
	if !ok {
		s, err := Start(ctx)
		if err != nil {
			return "", err
		}
		admin = s.URL() // it is stopped by the end of the process
	}
	return admin, makeTemplate(ctx, admin)
})

// URL returns the address of a new database, a copy of the migrated template, dropped when t ends.
func URL(t testing.TB) string {
	t.Helper()
	admin, err := server()
	if err != nil {
		t.Fatalf("no PostgreSQL for the tests: %v", err)
	}
	template, err := templateName()
	if err != nil {
		t.Fatal(err)
	}
	return database(t, admin, template)
}

// EmptyURL returns the address of a new database without a table in it, dropped when t ends.
func EmptyURL(t testing.TB) string {
	t.Helper()
	admin, err := server()
	if err != nil {
		t.Fatalf("no PostgreSQL for the tests: %v", err)
	}
	return database(t, admin, "template0")
}

func database(t testing.TB, admin, template string) string {
	t.Helper()
	address, drop, err := copyOf(context.WithoutCancel(t.Context()), admin, template)
	if err != nil {
		t.Fatalf("make a database for the test: %v", err)
	}
	t.Cleanup(func() {
		if err := drop(); err != nil {
			t.Errorf("drop the test's database: %v", err)
		}
	})
	return address
}

// Database makes a migrated database on a server that Start started, for programs that are no tests.
// The caller drops it.
func Database(ctx context.Context, admin string) (address string, drop func() error, err error) {
	if err := makeTemplate(ctx, admin); err != nil {
		return "", nil, err
	}
	template, err := templateName()
	if err != nil {
		return "", nil, err
	}
	return copyOf(ctx, admin, template)
}

func copyOf(ctx context.Context, admin, template string) (address string, drop func() error, err error) {
	name := prefix + strings.ToLower(rand.Text()[:16])
	if err := clone(ctx, admin, name, template); err != nil {
		return "", nil, err
	}
	drop = func() error { return execute(ctx, admin, "DROP DATABASE "+name+" WITH (FORCE)") }
	return within(admin, name), drop, nil
}

// Pool returns a pool on a new database as URL makes it; it is closed when t ends.
func Pool(t testing.TB) *pgxpool.Pool {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), URL(t))
	if err != nil {
		t.Fatalf("open the test's database: %v", err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// within is the address of another database on the same server.
func within(admin, name string) string {
	u, err := url.Parse(admin)
	if err != nil {
		return admin // the caller's first connection says what is wrong with it
	}
	u.Path = "/" + name
	return u.String()
}

func execute(ctx context.Context, address, sql string) error {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, sql); err != nil {
		return fmt.Errorf("%s: %w", sql, err)
	}
	return nil
}
