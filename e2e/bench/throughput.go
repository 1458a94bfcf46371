package main

import (
	"context"
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
// pgbench run as many transactions for each post in the same database: its own, and the smallest possible ones. Only the
// former have a goal: like those of a post, they change several tables. The latter show what is possible at most.
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
	perPost := max(durable, (after-before+throughputPosts/2)/throughputPosts)
	ours := throughputPosts / slices.Max(live).Seconds()
	peer := pgbench{db: db, database: database, folder: folder, clients: o.clients}
	standard, err := peer.runStandard(ctx, perPost)
	if err != nil {
		return err
	}
	smallest, err := peer.runSmallest(ctx, perPost)
	if err != nil {
		return err
	}
	met := ours/standard >= goalThroughput
	t.section(fmt.Sprintf("%d texts on two networks, due at once, with networks that answer at once", throughputPosts))
	t.row("posts per second, from the due time until all are live", fmt.Sprintf("%.0f /s", ours), "", nil)
	t.row("database transactions for each post", strconv.Itoa(perPost), "", nil)
	t.row(fmt.Sprintf("pgbench: as many of its own transactions (TPC-B) for each post, %d clients", o.clients),
		fmt.Sprintf("%.0f /s", standard), "", nil)
	t.row("belfry / pgbench with its own transactions",
		fmt.Sprintf("%.2f", ours/standard), fmt.Sprintf("≥ %.2f", goalThroughput), &met)
	t.row("pgbench: as many transactions of one small statement", fmt.Sprintf("%.0f /s", smallest), "", nil)
	t.row("belfry / pgbench with one small statement", fmt.Sprintf("%.2f", ours/smallest), "", nil)
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

// Of the transactions of a post, two wait for the disk: the arm and the result.
const durable = 2

// pgbench runs PostgreSQL's own benchmark in the program's database.
type pgbench struct {
	db       *pgx.Conn
	database string
	folder   string
	clients  int
}

// runStandard returns for how many posts pgbench can run its standard transactions in a second: perPost for each post.
// One transaction changes three rows, reads one and adds one (TPC-B).
func (p pgbench) runStandard(ctx context.Context, perPost int) (postsPerSecond float64, err error) {
	if _, err := p.runProgram(ctx, "", "-i", "-q", "-s", strconv.Itoa(2*p.clients)); err != nil {
		return 0, err
	}
	waiting, err := p.measureRate(ctx, "", "-b", "tpcb-like")
	if err != nil {
		return 0, err
	}
	relaxed, err := p.measureRate(ctx, "-c synchronous_commit=off", "-b", "tpcb-like")
	return 1 / (durable/waiting + float64(perPost-durable)/relaxed), err
}

// The smallest transactions that keep a record: each is one statement, which changes a row and adds one.
const (
	smallTables = `
		CREATE TABLE IF NOT EXISTS bench_posts (id int PRIMARY KEY, step int NOT NULL, note text NOT NULL) WITH (fillfactor = 50);
		CREATE TABLE IF NOT EXISTS bench_steps (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, post int NOT NULL,
			at timestamptz NOT NULL);
		INSERT INTO bench_posts SELECT i, 0, repeat('x', 300) FROM generate_series(1, 10000) i ON CONFLICT DO NOTHING`
	smallPost    = "\\set post random(1, 10000)\n"
	smallDurable = `WITH changed AS (UPDATE bench_posts SET step = step + 1 WHERE id = :post RETURNING id) ` +
		`INSERT INTO bench_steps (post, at) SELECT id, now() FROM changed;` + "\n"
	smallRelaxed = `WITH changed AS (UPDATE bench_posts SET step = step + 1 WHERE id = :post RETURNING id, ` +
		`set_config('synchronous_commit', 'off', true)) INSERT INTO bench_steps (post, at) SELECT id, now() FROM changed;` + "\n"
)

// runSmallest is runStandard with transactions of one small statement.
func (p pgbench) runSmallest(ctx context.Context, perPost int) (postsPerSecond float64, err error) {
	for statement := range strings.SplitSeq(smallTables, ";") {
		if _, err := p.db.Exec(ctx, statement); err != nil {
			return 0, err
		}
	}
	script := filepath.Join(p.folder, "post.sql")
	text := smallPost + strings.Repeat(smallRelaxed, perPost-durable) + strings.Repeat(smallDurable, durable)
	if err := os.WriteFile(script, []byte(text), 0o644); err != nil {
		return 0, err
	}
	return p.measureRate(ctx, "", "-f", script)
}

var tps = regexp.MustCompile(`tps = ([0-9.]+)`)

// measureRate returns how often pgbench can run a script in a second.
func (p pgbench) measureRate(ctx context.Context, serverOptions string, script ...string) (perSecond float64, err error) {
	out, err := p.runProgram(ctx, serverOptions, append(script, "-n", "-M", "prepared", "-c", strconv.Itoa(p.clients), "-j", "2",
		"-T", strconv.Itoa(floorTurn))...)
	if err != nil {
		return 0, err
	}
	found := tps.FindSubmatch(out)
	if found == nil {
		return 0, fmt.Errorf("pgbench printed no rate: %s", out)
	}
	return strconv.ParseFloat(string(found[1]), 64)
}

// runProgram runs pgbench and returns what it prints.
func (p pgbench) runProgram(ctx context.Context, serverOptions string, arguments ...string) (out []byte, err error) {
	program, err := findPgbench(ctx, p.db)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, program, append(arguments, p.database)...)
	cmd.Env = append(os.Environ(), "PGOPTIONS="+serverOptions)
	if out, err = cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("pgbench: %w: %s", err, out)
	}
	return out, nil
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
