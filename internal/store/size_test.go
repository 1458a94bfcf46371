package store_test

import (
	"context"
	"encoding/json"
	"flag"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"belfry/internal/core"
	"belfry/internal/store"
	"belfry/internal/store/storetest"
)

// sent is a statement with its arguments.
type sent struct {
	sql  string
	args []any
}

// recorder keeps the statements that a pool sends.
type recorder struct {
	mu   sync.Mutex
	list []sent
}

func (r *recorder) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, sent{q.SQL, q.Args})
	return ctx
}

func (*recorder) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// planNode is the part of EXPLAIN's answer that counts rows.
type planNode struct {
	Type     string     `json:"Node Type"`
	Rows     float64    `json:"Actual Rows"`
	Loops    float64    `json:"Actual Loops"`
	Removed  float64    `json:"Rows Removed by Filter"`
	Recheck  float64    `json:"Rows Removed by Index Recheck"`
	Relation string     `json:"Relation Name"`
	Plans    []planNode `json:"Plans"`
}

// read is how many rows the scans of a plan read.
func (n planNode) read() float64 {
	total := 0.0
	if strings.HasSuffix(n.Type, "Scan") && n.Relation != "" {
		total = (n.Rows + n.Removed + n.Recheck) * max(n.Loops, 1)
	}
	for _, child := range n.Plans {
		total += child.read()
	}
	return total
}

// filledPosts is how many posts the database has; tools/prove asks for more.
var filledPosts = flag.Int("posts", 30_000, "how many posts the filled database has")

// On a database with many posts no statement of the lists, of searches, of a creation's checks and of the due posts
// reads more than 1,000 rows that it does not return.
func TestStatementsReadFewRowsOfManyPosts(t *testing.T) {
	t.Parallel()
	const most = 1000
	address := storetest.URL(t)
	filled, err := storetest.Fill(t.Context(), address, *filledPosts)
	must(t, err)
	t.Logf("%d posts", *filledPosts)
	cfg, err := pgxpool.ParseConfig(address)
	must(t, err)
	log := &recorder{}
	cfg.ConnConfig.Tracer = log
	pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
	must(t, err)
	t.Cleanup(pool.Close)
	db, err := store.New(pool)
	must(t, err)
	ws, account, now := db.In(filled.Workspace), filled.Accounts[0], time.Now()
	groups, err := ws.Groups(t.Context())
	must(t, err)
	list := func(f store.PostFilter) func() error {
		f.Limit = 51
		return func() error {
			_, err := ws.Posts(t.Context(), f)
			return err
		}
	}
	rare := []core.PostStatus{core.PostFailed, core.PostDraft}
	ignore := func(_ any, err error) error { return err }
	for name, call := range map[string]func() error{
		"all posts":                   list(store.PostFilter{}),
		"oldest first":                list(store.PostFilter{Ascending: true}),
		"a span":                      list(store.PostFilter{From: now.AddDate(-3, 0, 0), To: now.AddDate(-2, 0, 0)}),
		"of two states":               list(store.PostFilter{Statuses: rare}),
		"of an account":               list(store.PostFilter{Account: account}),
		"of an account and a state":   list(store.PostFilter{Account: account, Statuses: rare[:1]}),
		"of an account, two states":   list(store.PostFilter{Account: account, Statuses: rare, Ascending: true}),
		"of a group":                  list(store.PostFilter{Group: groups[0].ID}),
		"a word that occurs nowhere":  list(store.PostFilter{Contains: "zyzzyva"}),
		"nowhere, Cyrillic":           list(store.PostFilter{Contains: "щука"}),
		"nowhere, Chinese":            list(store.PostFilter{Contains: "龍虎豹"}),
		"a word that occurs often":    list(store.PostFilter{Contains: "harbour"}),
		"a word of every post":        list(store.PostFilter{Contains: "Number"}),
		"a rare word":                 list(store.PostFilter{Contains: "item4711"}),
		"a word, account and state":   list(store.PostFilter{Contains: "harbour", Account: account, Statuses: rare[:1]}),
		"nowhere, account and states": list(store.PostFilter{Contains: "zyzzyva", Account: account, Statuses: rare}),
		"a short word":                list(store.PostFilter{Contains: "op"}),
		"what an account published": func() error {
			return ignore(ws.PublishedAs(t.Context(), account, core.PostID{}, now.Add(-time.Hour)))
		},
		"texts that repeat": func() error {
			return ignore(ws.RepeatedTexts(t.Context(), []core.AccountID{account}, []string{"hello"}, now.Add(-24*time.Hour),
				now.Add(24*time.Hour)))
		},
		"drafts":         func() error { return ignore(ws.CountDrafts(t.Context())) },
		"the month":      func() error { return ignore(ws.MonthUsed(t.Context(), "2026-11")) },
		"queued posts":   func() error { return ignore(ws.QueuedPosts(t.Context(), account)) },
		"armed posts":    func() error { return ws.WakeArmed(t.Context(), account) },
		"leases":         func() error { return db.ReleaseLeases(t.Context(), "nobody") },
		"sources":        func() error { return ignore(ws.AccountsByID(t.Context(), filled.Accounts)) },
		"a post's queue": func() error { return ignore(ws.Events(t.Context(), core.NewID[core.PostKind]())) },
	} {
		log.list = nil
		must(t, call())
		for _, s := range log.list {
			explain(t, pool, name, s, most)
		}
	}
}

func explain(t *testing.T, pool *pgxpool.Pool, name string, s sent, most float64) {
	t.Helper()
	var raw []byte
	if err := pool.QueryRow(t.Context(), "EXPLAIN (ANALYZE, FORMAT JSON) "+s.sql, s.args...).Scan(&raw); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var plans []struct {
		Plan planNode
	}
	must(t, json.Unmarshal(raw, &plans))
	if read := plans[0].Plan.read() - plans[0].Plan.Rows; read > most {
		t.Errorf("%s reads %.0f rows that it does not return:\n%s\n%s", name, read, s.sql, raw)
	}
}
