package main

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"belfry/internal/store/storetest"
)

// seedDatabase fills a database with `belfry seed`, and returns the environment of commands that use it.
func seedDatabase(t *testing.T) (env []string, pool *pgxpool.Pool) {
	t.Helper()
	database := storetest.URL(t)
	env = []string{"BELFRY_DATABASE_URL=" + database, "BELFRY_DATA_DIR=" + t.TempDir(), "BELFRY_ADDR=127.0.0.1:0"}
	if code, _, errs := belfry(t, env, "seed"); code != exitOK {
		t.Fatalf("seed exits with %d and prints %s", code, errs)
	}
	pool, err := pgxpool.New(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return env, pool
}

func TestRestoreConfirmStopsAtPostsThatMayBePublished(t *testing.T) {
	t.Parallel()
	env, pool := seedDatabase(t)
	tag, err := pool.Exec(t.Context(), `
		UPDATE publications SET due_at = clock() - '1 hour'::interval, next_action_at = clock() - '1 hour'::interval
		WHERE rest = 'queued' AND next_action_at IS NOT NULL`)
	if err != nil || tag.RowsAffected() < 2 {
		t.Fatalf("%d posts are due, error %v", tag.RowsAffected(), err)
	}
	if _, err := pool.Exec(t.Context(), `
		INSERT INTO publishing_hold (reason, since, unproved_since) VALUES ('a test', clock(), clock() - '2 hours'::interval)`); err != nil {
		t.Fatal(err)
	}
	const fate = "may already be published; check the account"
	for _, args := range [][]string{{"doctor"}, {"restore", "confirm"}} {
		code, out, errs := belfry(t, env, args...)
		if said := out + errs; code != exitError || strings.Count(said, fate) != int(tag.RowsAffected()) ||
			!strings.Contains(said, " to Threads, ") {
			t.Errorf("belfry %v exits with %d and prints %s", args, code, said)
		}
	}
	_, _, errs := belfry(t, env, "restore", "confirm")
	for _, want := range []string{"--unproved=publish", "--unproved=draft", "cancel"} {
		if !strings.Contains(errs, want) {
			t.Errorf("the refusal does not say %q: %s", want, errs)
		}
	}
	if code, _, errs := belfry(t, env, "restore", "confirm", "--unproved=all"); code != exitUsage || !strings.Contains(errs, "publish or draft") {
		t.Errorf("another choice exits with %d and prints %s", code, errs)
	}
	if code, out, errs := belfry(t, env, "restore", "confirm", "--unproved=draft"); code != exitOK || !strings.Contains(out, "Publishing resumes") {
		t.Errorf("--unproved=draft exits with %d and prints %s%s", code, out, errs)
	}
	var queued int
	if err := pool.QueryRow(t.Context(), `SELECT count(*) FROM posts WHERE status = 'queued'`).Scan(&queued); err != nil || queued != 0 {
		t.Errorf("%d posts are queued, error %v", queued, err)
	}
}
