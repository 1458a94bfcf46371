package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	throughputPosts = 3000
	goalThroughput  = 0.5
	floorTurn       = 10 // seconds
)

// measureThroughput publishes text posts as fast as the program can, to networks that respond immediately, and lets
// pgbench run as many transactions for each post in the same database.
func measureThroughput(ctx context.Context, o options, folder string, t *table) error {
	p, err := startWithNetworks(ctx, o, folder, manyAccounts)
	if err != nil {
		return err
	}
	defer p.stop()
	database, err := p.database()
	if err != nil {
		return err
	}
	db, err := pgx.Connect(ctx, database)
	if err != nil {
		return err
	}
	defer db.Close(context.WithoutCancel(ctx))
	due, err := p.schedulePosts(ctx, throughputPosts, chooseText)
	if err != nil {
		return err
	}
	before, err := countTransactions(ctx, db)
	if err != nil {
		return err
	}
	if _, _, err := sent(ctx, p.control, throughputPosts, due); err != nil {
		return err
	}
	live, err := p.waitUntilLive(ctx, throughputPosts, due)
	if err != nil {
		return err
	}
	after, err := countTransactions(ctx, db)
	if err != nil {
		return err
	}
	perPost := max(1, (after-before+throughputPosts/2)/throughputPosts)
	floor, err := runPgbench(ctx, db, database, folder, o.clients, perPost)
	if err != nil {
		return err
	}
	ours := throughputPosts / slices.Max(live).Seconds()
	met := ours/floor >= goalThroughput
	t.section(fmt.Sprintf("%d texts on two networks, due at once, with networks that answer at once", throughputPosts))
	t.row("posts a second, from due until all are live", fmt.Sprintf("%.0f /s", ours), "", nil)
	t.row("database transactions for each post", strconv.Itoa(perPost), "", nil)
	t.row(fmt.Sprintf("pgbench: as many transactions for each post, %d clients", o.clients), fmt.Sprintf("%.0f /s", floor), "", nil)
	t.row("belfry / pgbench", fmt.Sprintf("%.2f", ours/floor), fmt.Sprintf("≥ %.2f", goalThroughput), &met)
	return nil
}

// countTransactions returns how many transactions the database has committed. Sessions report theirs after a second.
func countTransactions(ctx context.Context, db *pgx.Conn) (n int, err error) {
	select {
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-time.After(2 * time.Second):
	}
	err = db.QueryRow(ctx, `SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()`).Scan(&n)
	return n, err
}

// The transactions of a post in pgbench. Each changes a row and adds one. As in the program, two of them (the arm and
// the result) wait for the disk.
const (
	floorTables = `
		CREATE TABLE IF NOT EXISTS bench_posts (id int PRIMARY KEY, step int NOT NULL, note text NOT NULL) WITH (fillfactor = 50);
		CREATE TABLE IF NOT EXISTS bench_steps (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, post int NOT NULL,
			at timestamptz NOT NULL);
		INSERT INTO bench_posts SELECT i, 0, repeat('x', 300) FROM generate_series(1, 10000) i ON CONFLICT DO NOTHING`
	floorPost    = "\\set post random(1, 10000)\n"
	floorDurable = `WITH changed AS (UPDATE bench_posts SET step = step + 1 WHERE id = :post RETURNING id) ` +
		`INSERT INTO bench_steps (post, at) SELECT id, now() FROM changed;` + "\n"
	floorRelaxed = `WITH changed AS (UPDATE bench_posts SET step = step + 1 WHERE id = :post RETURNING id, ` +
		`set_config('synchronous_commit', 'off', true)) INSERT INTO bench_steps (post, at) SELECT id, now() FROM changed;` + "\n"
	durable = 2
)

var tps = regexp.MustCompile(`tps = ([0-9.]+)`)

// runPgbench returns for how many posts pgbench can run the transactions in a second.
func runPgbench(
	ctx context.Context, db *pgx.Conn, database, folder string, clients, perPost int,
) (postsPerSecond float64, err error) {
	for statement := range strings.SplitSeq(floorTables, ";") {
		if _, err := db.Exec(ctx, statement); err != nil {
			return 0, err
		}
	}
	script := filepath.Join(folder, "post.sql")
	text := floorPost + strings.Repeat(floorRelaxed, max(perPost-durable, 0)) +
		strings.Repeat(floorDurable, min(durable, perPost))
	if err := os.WriteFile(script, []byte(text), 0o644); err != nil {
		return 0, err
	}
	program, err := findPgbench(ctx, db)
	if err != nil {
		return 0, err
	}
	out, err := exec.CommandContext(ctx, program, "-n", "-M", "prepared", "-c", strconv.Itoa(clients), "-j", "2",
		"-T", strconv.Itoa(floorTurn), "-f", script, database).CombinedOutput()
	found := tps.FindSubmatch(out)
	if err != nil || found == nil {
		return 0, errors.Join(fmt.Errorf("pgbench: %s", out), err)
	}
	return strconv.ParseFloat(string(found[1]), 64)
}

// findPgbench finds pgbench in the folder of the server's programs, or on the PATH.
func findPgbench(ctx context.Context, db *pgx.Conn) (string, error) {
	var folder string
	if err := db.QueryRow(ctx, `SELECT setting FROM pg_config WHERE name = 'BINDIR'`).Scan(&folder); err == nil {
		if program, err := exec.LookPath(filepath.Join(folder, "pgbench")); err == nil {
			return program, nil
		}
	}
	return exec.LookPath("pgbench")
}
