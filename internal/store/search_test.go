package store_test

import (
	"context"
	"encoding/json"
	"slices"
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

// The index leaves out no text that contains what is searched for: any part of it, in any script and case.
func TestSearchGramsHoldEachPartOfAText(t *testing.T) {
	t.Parallel()
	pool := storetest.Pool(t)
	for _, text := range []string{
		`It's 100 % "quoted": \back\slash\ & a|b !(c) <-> d:* _under_ ''`, "Щука И ОКУНЬ ёЁ", "龍虎豹の店 焼きたて",
		"ŞIŞ İi ß Straße ΣΑΣ", "🦉🦉 owl\nnext line\ttab  two", "zq", "q\u0301", "x", "",
		strings.Repeat("😀a😁b", 200_000/10), // the longest text
	} {
		var parts []string
		runes := []rune(text)
		for from := range min(len(runes), 80) {
			for to := from + 1; to <= min(len(runes), from+12); to++ {
				parts = append(parts, string(runes[from:to]), strings.ToUpper(string(runes[from:to])))
			}
		}
		parts = append(parts, text, "no part", "zz", "🦉🦉🦉")
		rows, err := pool.Query(t.Context(), `
			WITH indexed AS MATERIALIZED (SELECT lower($2) AS text, search_grams($2 || E'\nTïtle') AS grams)
			SELECT part FROM unnest($1::text[]) AS part, indexed
			WHERE part <> '' AND strpos(text, lower(part)) > 0 AND NOT grams @@ search_query(part)`,
			parts, text)
		must(t, err)
		missed, err := pgx.CollectRows(rows, pgx.RowTo[string])
		must(t, err)
		if len(missed) > 0 {
			t.Errorf("%.60q is not found by %q", text, missed)
		}
	}
}

// manyPosts gives the large workspace more posts than a search examines before it uses the index.
const manyPosts = 3*5_000 + 300

func TestSearchFindsRareWordsInOldPosts(t *testing.T) {
	t.Parallel()
	address := storetest.URL(t)
	filled, err := storetest.Fill(t.Context(), address, manyPosts)
	must(t, err)
	pool, err := pgxpool.New(t.Context(), address)
	must(t, err)
	t.Cleanup(pool.Close)
	db, err := store.New(pool)
	must(t, err)
	ws := db.In(filled.Workspace)
	zone, err := core.ParseZone("UTC")
	must(t, err)
	var old []core.PostID // from the newest to the oldest
	for i, account := range []core.AccountID{filled.Accounts[0], filled.Accounts[1], filled.Accounts[0]} {
		post := core.Post{
			ID: core.NewID[core.PostKind](), Account: account, Platform: "threads", Text: "A QUOKKA, an owl 🦉", Title: "wombat",
			Tags: []string{}, Settings: json.RawMessage(`{}`), Zone: zone, Status: core.PostDraft, Via: core.ViaAPI,
			CreatedAt: start.AddDate(-20-i, 0, 0),
		}
		must(t, ws.CreatePosts(t.Context(), store.NewPosts{Posts: []core.Post{post}, Unchecked: true}))
		old = append(old, post.ID)
	}
	groups, err := ws.Groups(t.Context())
	must(t, err)
	ofFirst := []core.PostID{old[0], old[2]}
	drafts := []core.PostStatus{core.PostDraft, core.PostFailed}
	for name, c := range map[string]struct {
		filter store.PostFilter
		want   []core.PostID
	}{
		"a word":             {store.PostFilter{Contains: "quokka"}, old},
		"words":              {store.PostFilter{Contains: "quokka, an"}, old},
		"a sign":             {store.PostFilter{Contains: "🦉"}, old},
		"the title":          {store.PostFilter{Contains: "WOMB"}, old},
		"a page":             {store.PostFilter{Contains: "quokka", Limit: 2}, old[:2]},
		"the next page":      {store.PostFilter{Contains: "quokka", After: after(start.AddDate(-21, 0, 0), old[1])}, old[2:]},
		"oldest first":       {store.PostFilter{Contains: "quokka", Ascending: true, Limit: 1}, old[2:]},
		"a span":             {store.PostFilter{Contains: "quokka", To: start.AddDate(-20, 0, -1)}, old[1:]},
		"an account":         {store.PostFilter{Contains: "quokka", Account: filled.Accounts[0]}, ofFirst},
		"a group":            {store.PostFilter{Contains: "quokka", Group: groups[0].ID}, ofFirst},
		"states":             {store.PostFilter{Contains: "quokka", Statuses: drafts}, old},
		"a state of others":  {store.PostFilter{Contains: "quokka", Statuses: drafts[1:]}, nil},
		"account and states": {store.PostFilter{Contains: "quokka", Account: filled.Accounts[1], Statuses: drafts}, old[1:2]},
		"text, title apart":  {store.PostFilter{Contains: "🦉\nwombat"}, nil},
		"nothing":            {store.PostFilter{Contains: "quokkas"}, nil},
	} {
		c.filter.Limit = max(c.filter.Limit, 1)
		if c.filter.Limit == 1 && !c.filter.Ascending {
			c.filter.Limit = 51
		}
		found, err := ws.ListPosts(t.Context(), c.filter)
		must(t, err)
		if ids := postIDs(found); !slices.Equal(ids, c.want) {
			t.Errorf("%s: found %v, want %v", name, ids, c.want)
		}
	}

	edited, err := ws.LockPost(t.Context(), old[2])
	must(t, err)
	edited.Title = "numbat"
	must(t, ws.UpdatePostExceptMedia(t.Context(), edited))
	for word, want := range map[string][]core.PostID{"numbat": old[2:], "wombat": old[:2]} {
		found, err := ws.ListPosts(t.Context(), store.PostFilter{Contains: word, Limit: 51})
		must(t, err)
		if ids := postIDs(found); !slices.Equal(ids, want) {
			t.Errorf("after an edit, %s: found %v, want %v", word, ids, want)
		}
	}
}

func postIDs(posts []core.Post) (ids []core.PostID) {
	for _, p := range posts {
		ids = append(ids, p.ID)
	}
	return ids
}

// Two searches of a workspace read the index at once. A third waits for one of them; another workspace's does not.
func TestTwoSearchesOfAWorkspaceReadTheIndexAtOnce(t *testing.T) {
	t.Parallel()
	cfg, err := pgxpool.ParseConfig(storetest.URL(t))
	must(t, err)
	gate := make(searchGate, 10)
	cfg.ConnConfig.Tracer, cfg.MaxConns = gate, 10
	pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
	must(t, err)
	t.Cleanup(pool.Close)
	db, err := store.New(pool)
	must(t, err)
	one, two := newSide(t, db, "one"), newSide(t, db, "two")
	var searches sync.WaitGroup
	search := func(of side) {
		searches.Go(func() {
			ctx := context.WithValue(t.Context(), searchOf{}, of.id)
			if _, err := of.ListPosts(ctx, store.PostFilter{Contains: "quokka", Limit: 51}); err != nil {
				t.Error(err)
			}
		})
	}
	for range 4 {
		search(one)
	}
	reading := []indexRead{<-gate, <-gate}
	search(two)
	other := <-gate
	if other.workspace != two.id {
		t.Error("a third search of the workspace reads the index")
	}
	close(other.leave)
	for range 2 {
		close(reading[0].leave)
		reading = append(reading[1:], <-gate)
	}
	for _, r := range reading {
		close(r.leave)
	}
	searches.Wait()
}

// searchGate is a tracer that stops each search before it reads the index.
type searchGate chan indexRead

type indexRead struct {
	workspace any
	leave     chan struct{}
}

type searchOf struct{} // the key of a search's workspace in its context

func (g searchGate) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	if strings.Contains(q.SQL, "search_query") {
		r := indexRead{ctx.Value(searchOf{}), make(chan struct{})}
		g <- r
		<-r.leave
	}
	return ctx
}

func (searchGate) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func after(at time.Time, id core.PostID) *core.Cursor[core.PostKind] {
	return &core.Cursor[core.PostKind]{At: at, ID: id}
}
