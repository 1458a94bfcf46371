package storetest_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"belfry/internal/store/storetest"
	"belfry/migrations"
)

func TestEachTestGetsAMigratedDatabaseOfItsOwn(t *testing.T) {
	t.Parallel()
	one, two := storetest.Pool(t), storetest.Pool(t)
	for _, pool := range []*pgxpool.Pool{one, two} {
		state, err := migrations.ReadState(t.Context(), pool)
		if err != nil || state.IsBehind() || state.Empty {
			t.Fatalf("ReadState = %+v, %v; want a migrated database", state, err)
		}
	}
	if _, err := one.Exec(t.Context(), "CREATE TABLE mine ()"); err != nil {
		t.Fatal(err)
	}
	if _, err := two.Exec(t.Context(), "SELECT FROM mine"); err == nil {
		t.Error("a table made in one database is seen in the other")
	}
}

func TestManyTestsAtOnce(t *testing.T) {
	t.Parallel()
	for range 12 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			if _, err := storetest.Pool(t).Exec(t.Context(), "SELECT FROM river_job"); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestADatabaseIsDroppedWhenItsTestEnds(t *testing.T) {
	t.Parallel()
	var address string
	t.Run("inner", func(t *testing.T) { address = storetest.URL(t) })
	if pool, err := pgxpool.New(t.Context(), address); err == nil {
		defer pool.Close()
		if err := pool.Ping(context.WithoutCancel(t.Context())); err == nil {
			t.Error("the database is still there")
		}
	}
}
