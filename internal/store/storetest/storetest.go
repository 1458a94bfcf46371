// Package storetest gives each test its own database, migrated and empty, on a PostgreSQL server that the test run
// starts and stops.
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

// Variable is the environment variable with the address of the server to use. If it is not set, each test process
// starts its own server.
const Variable = "BELFRY_TEST_POSTGRES"

// prefix begins the name of each test's database. It also identifies databases that a killed run left behind.
const prefix = "test_"

// server returns the address of the process's only server, which the first test that needs it starts. It is a global
// variable because the tests of a package share nothing else.
var server = sync.OnceValues(func() (string, error) {
	ctx := context.Background()
	admin, ok := os.LookupEnv(Variable)
	if !ok {
		s, err := Start(ctx)
		if err != nil {
			return "", err
		}
		admin = s.URL() // the server stops when the process ends
	}
	return admin, makeTemplateIfMissing(ctx, admin)
})

// URL returns the address of a new migrated database, which is dropped when t ends.
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
	return createCopyUntilTestEnds(t, admin, template)
}

// EmptyURL returns the address of a new database without tables, which is dropped when t ends.
func EmptyURL(t testing.TB) string {
	t.Helper()
	admin, err := server()
	if err != nil {
		t.Fatalf("no PostgreSQL for the tests: %v", err)
	}
	return createCopyUntilTestEnds(t, admin, "template0")
}

func createCopyUntilTestEnds(t testing.TB, admin, template string) string {
	t.Helper()
	address, drop, err := createCopy(context.WithoutCancel(t.Context()), admin, template)
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

// Database creates a migrated database on a server that Start started, for programs other than tests. The caller drops
// it.
func Database(ctx context.Context, admin string) (address string, drop func() error, err error) {
	if err := makeTemplateIfMissing(ctx, admin); err != nil {
		return "", nil, err
	}
	template, err := templateName()
	if err != nil {
		return "", nil, err
	}
	return createCopy(ctx, admin, template)
}

func createCopy(ctx context.Context, admin, template string) (address string, drop func() error, err error) {
	name := prefix + strings.ToLower(rand.Text()[:16])
	if err := copyDatabase(ctx, admin, name, template); err != nil {
		return "", nil, err
	}
	drop = func() error { return connectAndExec(ctx, admin, "DROP DATABASE "+name+" WITH (FORCE)") }
	return databaseURL(admin, name), drop, nil
}

// Pool returns a connection pool for a new database from URL. The pool is closed when t ends.
func Pool(t testing.TB) *pgxpool.Pool {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), URL(t))
	if err != nil {
		t.Fatalf("open the test's database: %v", err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// databaseURL returns the address of another database on the same server.
func databaseURL(admin, name string) string {
	u, err := url.Parse(admin)
	if err != nil {
		return admin // the caller's first connection returns the error
	}
	u.Path = "/" + name
	return u.String()
}

func connectAndExec(ctx context.Context, address, sql string) error {
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
