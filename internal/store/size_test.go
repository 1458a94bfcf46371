package store_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"belfry/internal/core"
	"belfry/internal/queue"
	"belfry/internal/store"
	"belfry/internal/store/storetest"
)

var (
	filledPosts = flag.Int("posts", 60_000, "how many posts the filled database has")
	filledURL   = flag.String("filled", "", "the address of a database that tools/fill has filled, instead of a new one")
)

const (
	// mostRead is how many rows a statement may read that it does not return.
	mostRead = 1000
	// mostSearched is the same for a search, which looks through the first 5,000 posts of a list: where a workspace has
	// no more than twice as many, PostgreSQL may read all of them.
	mostSearched = 2*5_000 + mostRead
)

// On a database with many posts, no statement of the store reads more rows than it returns and mostRead. Each exported
// method is called, in a transaction that is rolled back, and each statement that it sends is explained. Statements
// that no call has sent are reported.
func TestStatementsReadFewRowsOfManyPosts(t *testing.T) {
	t.Parallel()
	address := *filledURL
	if address == "" {
		address = storetest.URL(t)
		_, err := storetest.Fill(t.Context(), address, *filledPosts)
		must(t, err)
	}
	e := newExplainer(t, address)
	e.callMethods(reflect.ValueOf(e.db), "Tx", "In")
	e.callMethods(reflect.ValueOf(e.db.In(e.workspace)), "Tx", "WorkspaceID")
	e.callLists()
	e.callMediaLists()
	e.callSpecial()
	for _, sql := range storeStatements(t) {
		isPart := func(s sent) bool { return strings.Contains(s.sql, sql) }
		if slices.ContainsFunc(e.explained, isPart) {
			continue
		}
		t.Errorf("this statement is not explained; add a call to callSpecial:\n%s", sql)
		if i := slices.IndexFunc(e.failed, isPart); i >= 0 {
			t.Log(e.failed[i].err)
		}
	}
	t.Logf("%d statements explained on %d posts", len(e.explained), e.posts)
}

// A post that passes its account's turn on reads none of the other accounts' waiting posts, even before the planner's
// statistics know of any.
func TestPassingTheTurnReadsTheWaitingPostsOfOneAccount(t *testing.T) {
	t.Parallel()
	address := storetest.URL(t)
	_, err := storetest.Fill(t.Context(), address, 5*mostRead)
	must(t, err)
	e := newExplainer(t, address)
	conn, err := pgx.Connect(t.Context(), address)
	must(t, err)
	defer func() { must(t, conn.Close(t.Context())) }()
	_, err = conn.Exec(t.Context(), `UPDATE publications u SET rest = 'turn', turn_of = p.account_id, due_at = now(),
		next_action_at = now() + interval '10 minutes' FROM posts p WHERE p.id = u.post_id AND p.account_id <> $1`, e.account)
	must(t, err)
	const owner = "worker 1"
	var epoch int64
	must(t, conn.QueryRow(t.Context(), `UPDATE publications SET lease_owner = $2, lease_until = now() + interval '1 hour'
		WHERE post_id = $1 RETURNING lease_epoch`, e.post, owner).Scan(&epoch))
	_, err = conn.Exec(t.Context(), `INSERT INTO account_turns (platform, external_id, post_id, until)
		SELECT platform, external_id, $2, now() + interval '1 hour' FROM accounts WHERE id = $1`, e.account, e.post)
	must(t, err)
	p := store.Publication{Post: e.post, Epoch: epoch, Owner: owner}
	p.Flow, p.Step = core.FlowHandle, core.StepIdle
	e.run("SaveStepAndEndClaim", func(_ *store.Store, ws store.Tenant) error {
		return ws.SaveStepAndEndClaim(t.Context(), p, nil, time.Minute)
	})
}

// New texts are first in a list that each search of the index reads as a whole, until autovacuum sorts them into the
// index. Because of a long list, the planner rather read the texts of all workspaces, which took fifty times as long.
// Only the search of posts needs a setting against this (preferTextIndexSQL); for files, the test is only a guard.
func TestSearchesUseTheTextIndexWhileManyTextsAreNew(t *testing.T) {
	t.Parallel()
	address := storetest.URL(t)
	_, err := storetest.Fill(t.Context(), address, 8*mostRead)
	must(t, err)
	e := newExplainer(t, address)
	conn, err := pgx.Connect(t.Context(), address)
	must(t, err)
	defer func() { must(t, conn.Close(t.Context())) }()
	_, err = conn.Exec(t.Context(), `
		UPDATE post_texts SET text = text || '!' WHERE post_id IN (SELECT post_id FROM post_texts LIMIT 1000);
		UPDATE media SET title = title || '!' WHERE id IN (SELECT id FROM media LIMIT 5000)`)
	must(t, err)
	e.run("posts", func(_ *store.Store, ws store.Tenant) error {
		_, err := ws.ListPosts(t.Context(), store.PostFilter{Contains: "zyzzyva", Limit: 51})
		return err
	})
	e.run("files", func(_ *store.Store, ws store.Tenant) error {
		_, err := ws.ListMedia(t.Context(), store.MediaFilter{Contains: "zyzzyva", Limit: 61})
		return err
	})
	for _, table := range []string{"post_texts", "media"} {
		if scan := "Bitmap Heap Scan on " + table + " : 0 rows"; !slices.Contains(e.scans, scan) {
			t.Errorf("there is no %s, only:\n%s", scan, strings.Join(e.scans, "\n"))
		}
	}
}

// explainer traces a pool: it explains each statement on its connection before the statement runs.
type explainer struct {
	t         *testing.T
	db        *store.Store
	posts     int
	workspace core.WorkspaceID
	account   core.AccountID
	group     core.GroupID
	post      core.PostID
	user      core.UserID
	file      store.Media
	values    map[reflect.Type]any // the arguments of calls by type
	call      string               // what is being called
	explained []sent
	failed    []sent
	scans     []string // of all explained statements
}

// sent is a statement that was sent, and why it could not be explained.
type sent struct {
	sql string
	err error
}

func newExplainer(t *testing.T, address string) *explainer {
	t.Helper()
	cfg, err := pgxpool.ParseConfig(address)
	must(t, err)
	cfg.ConnConfig.RuntimeParams["lock_timeout"] = "5s"
	e := &explainer{t: t}
	cfg.ConnConfig.Tracer = e
	pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
	must(t, err)
	t.Cleanup(pool.Close)
	e.db, err = store.New(pool)
	must(t, err)
	e.addValues(pool)
	return e
}

// addValues chooses the arguments: a queued post of the large workspace, its account, a member, a file and so on.
func (e *explainer) addValues(pool *pgxpool.Pool) {
	ctx, now, limit := e.t.Context(), time.Now(), int64(1_000_000_000)
	must(e.t, pool.QueryRow(context.WithValue(ctx, explaining{}, true), `
		SELECT p.workspace_id, p.account_id, p.id, g.group_id, (SELECT count(*) FROM posts)
		FROM group_accounts g JOIN posts p USING (workspace_id, account_id) WHERE p.status = 'queued' LIMIT 1`).
		Scan(&e.workspace, &e.account, &e.post, &e.group, &e.posts))
	zone, err := core.ParseZone("UTC")
	must(e.t, err)
	ws := e.db.In(e.workspace)
	folder := core.Folder{ID: core.NewID[core.FolderKind](), Name: "Explained", CreatedAt: now, UpdatedAt: now}
	must(e.t, ws.AddFolder(ctx, folder, folder.ID.String()))
	_, _, err = ws.ReserveStorage(ctx, 100, nil)
	must(e.t, err)
	e.file = store.Media{
		Media:   core.Media{ID: core.NewID[core.MediaKind](), FileFacts: core.FileFacts{Kind: core.FileImage, Bytes: 100}},
		Charged: 100, Folder: folder.ID, Tags: []string{}, CreatedAt: now,
	}
	must(e.t, ws.AddMediaWithReservedStorage(ctx, e.file, now.AddDate(1, 0, 0)))
	e.user = core.NewID[core.UserKind]()
	must(e.t, e.db.AddUser(ctx, core.User{ID: e.user, Email: e.user.String() + "@example.org"}, "hash", now))
	must(e.t, e.db.AddMember(ctx, e.workspace, e.user, core.RoleEditor, now))
	e.values = map[reflect.Type]any{}
	for _, v := range []any{
		e.workspace, e.account, e.post, e.group, e.user, core.NewID[core.KeyKind](), core.NewID[core.MailKind](),
		core.NewID[core.SessionKind](), folder.ID, e.file, e.file.ID, now, &now, &limit, zone, "x", 50,
		time.Hour, []byte("sealed"), core.Platform("threads"), core.PostQueued, core.StepIdle, core.RoleEditor,
		core.PlanOwner, json.RawMessage(`{}`), core.DoPublish, (*core.PostError)(nil),
		func(store.Tenant) error { return nil }, func([]byte) bool { return true },
	} {
		e.values[reflect.TypeOf(v)] = v
	}
	e.values[reflect.TypeFor[queue.Job]()] = queue.Link{Workspace: e.workspace, Post: e.post}
}

var errRollBack = errors.New("roll back")

// run calls f in a transaction that is rolled back.
func (e *explainer) run(call string, f func(*store.Store, store.Tenant) error) {
	e.call = call
	var failed error
	err := e.db.Tx(e.t.Context(), func(db *store.Store) error {
		failed = f(db, db.In(e.workspace))
		return errRollBack
	})
	if failed != nil || !errors.Is(err, errRollBack) {
		e.t.Errorf("%s: %v; %v", call, failed, err)
	}
}

// callMethods calls each exported method of a store or tenant with values of the right types. What it returns does not
// matter: only its statements do.
func (e *explainer) callMethods(of reflect.Value, but ...string) {
	for method := range of.Type().Methods() {
		if slices.Contains(but, method.Name) {
			continue
		}
		e.run(method.Name, func(db *store.Store, ws store.Tenant) error {
			defer func() {
				if problem := recover(); problem != nil {
					e.t.Errorf("%s panics with values of the right types: %v", method.Name, problem)
				}
			}()
			receiver := reflect.ValueOf(ws)
			if of.Type() == reflect.TypeFor[*store.Store]() {
				receiver = reflect.ValueOf(db)
			}
			in := []reflect.Value{receiver, reflect.ValueOf(e.t.Context())}
			for i := 2; i < method.Type.NumIn(); i++ {
				in = append(in, e.value(method.Type.In(i)))
			}
			method.Func.Call(in)
			return nil
		})
	}
}

// value makes a value of a type from the chosen ones.
func (e *explainer) value(of reflect.Type) reflect.Value {
	if chosen, ok := e.values[of]; ok {
		return reflect.ValueOf(chosen)
	}
	v := reflect.New(of).Elem()
	switch of.Kind() {
	case reflect.Struct:
		for i := range of.NumField() {
			if of.Field(i).IsExported() {
				v.Field(i).Set(e.value(of.Field(i).Type))
			}
		}
	case reflect.Slice:
		v.Set(reflect.Append(v, e.value(of.Elem())))
	case reflect.Pointer:
		v.Set(reflect.New(of.Elem()))
		v.Elem().Set(e.value(of.Elem()))
	case reflect.String:
		v.SetString("x")
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(1)
	case reflect.Bool:
		v.SetBool(true)
	default:
	}
	return v
}

// lists are a list with each filter, and searches.
func (e *explainer) lists() map[string]store.PostFilter {
	account, group := e.account, e.group
	rare, now := []core.PostStatus{core.PostFailed, core.PostDraft}, time.Now()
	return map[string]store.PostFilter{
		"all posts":                   {},
		"oldest first":                {Ascending: true},
		"a later page":                {After: &core.Cursor[core.PostKind]{At: now.AddDate(-3, 0, 0)}},
		"a span":                      {From: now.AddDate(-3, 0, 0), To: now.AddDate(-2, 0, 0)},
		"two states":                  {Statuses: rare},
		"an account":                  {Account: account},
		"an account and a state":      {Account: account, Statuses: rare[:1]},
		"an account, two states":      {Account: account, Statuses: rare, Ascending: true},
		"a group":                     {Group: group},
		"a network":                   {Platform: "threads"},
		"a network, queued":           {Platform: "threads", Statuses: []core.PostStatus{core.PostQueued}, Ascending: true},
		"a word that occurs nowhere":  {Contains: "zyzzyva"},
		"nowhere, Cyrillic":           {Contains: "щука"},
		"nowhere, Chinese":            {Contains: "龍虎豹"},
		"nowhere, two letters":        {Contains: "qx"},
		"nowhere, one letter":         {Contains: "é"},
		"nowhere, two signs":          {Contains: "!!"},
		"nowhere, an emoji":           {Contains: "🦉"},
		"often":                       {Contains: "harbour"},
		"in each post":                {Contains: "Number"},
		"a rare word":                 {Contains: "item4711"},
		"two words, rarely together":  {Contains: "lemon harbour"},
		"a word, account and state":   {Contains: "harbour", Account: account, Statuses: rare[:1]},
		"nowhere, account and states": {Contains: "zyzzyva", Account: account, Statuses: rare},
		"nowhere, group":              {Contains: "zyzzyva", Group: group},
		"a short word":                {Contains: "op"},
		"failed":                      {Statuses: rare[:1], Unreplaced: true},
		"failed, an account":          {Statuses: rare[:1], Unreplaced: true, Account: account},
		"failed, a network":           {Statuses: rare[:1], Unreplaced: true, Platform: "threads"},
		"failed, a word":              {Statuses: rare[:1], Unreplaced: true, Contains: "harbour"},
	}
}

// callLists reads the lists. Where there are many posts, it logs how long that takes.
func (e *explainer) callLists() {
	const calls, worthMeasuring = 20, 1_000_000
	for name, f := range e.lists() {
		f.Limit = 51
		e.run(name, func(_ *store.Store, ws store.Tenant) error {
			_, err := ws.ListPosts(e.t.Context(), f)
			return err
		})
		if e.posts < worthMeasuring {
			continue
		}
		took := make([]time.Duration, calls)
		for i := range took {
			began := time.Now()
			_, err := e.db.In(e.workspace).ListPosts(context.WithValue(e.t.Context(), explaining{}, true), f)
			must(e.t, err)
			took[i] = time.Since(began)
		}
		slices.Sort(took)
		e.t.Logf("%s: p50 %s, p95 %s", name, took[calls/2].Round(time.Millisecond/10),
			took[calls*95/100].Round(time.Millisecond/10))
	}
}

// callMediaLists reads the lists of the media library.
func (e *explainer) callMediaLists() {
	last := e.file
	for name, f := range map[string]store.MediaFilter{
		"all files":                 {},
		"kept files, oldest first":  {Kept: true, Sort: store.SortOldest},
		"files by name":             {Kept: true, Sort: store.SortName},
		"files by size":             {Kept: true, Sort: store.SortLargest},
		"a later page of files":     {After: &last},
		"a later page, by name":     {Kept: true, After: &last, Sort: store.SortName},
		"a later page, by size":     {Kept: true, After: &last, Sort: store.SortLargest},
		"a later page, from oldest": {Kept: true, After: &last, Sort: store.SortOldest},
		"the file before, by name":  {Kept: true, After: &last, Sort: store.SortName, Reversed: true},
		"the file before, by size":  {Kept: true, After: &last, Sort: store.SortLargest, Reversed: true},
		"a folder":                  {Folder: e.file.Folder},
		"files in no folder":        {Root: true},
		"videos":                    {Kind: core.FileVideo},
		"purged files":              {Purged: true},
		"purged files, by name":     {Purged: true, Sort: store.SortName},
		"a rare tag":                {Tags: []string{"tag4711"}},
		"a frequent tag":            {Tags: []string{"autumn"}},
		"unused files":              {Unused: true},
		"files, nowhere":            {Contains: "zyzzyva"},
		"files, often":              {Contains: "bakery"},
		"files, rarely":             {Contains: "IMG_4711"},
		"files, a tag":              {Contains: "tag4711"},
		"files, two letters":        {Contains: "qx"},
		"videos, nowhere":           {Contains: "zyzzyva", Kind: core.FileVideo},
	} {
		f.Limit = 61
		e.run(name, func(_ *store.Store, ws store.Tenant) error {
			_, err := ws.ListMedia(e.t.Context(), f)
			return err
		})
	}
}

// callSpecial makes the calls that need more than values of the right types.
func (e *explainer) callSpecial() {
	ctx, now := e.t.Context(), time.Now()
	zone, _ := e.values[reflect.TypeFor[core.Zone]()].(core.Zone)
	e.run("DeleteOrMarkMediaAndFreeStorage", func(_ *store.Store, ws store.Tenant) error {
		return errors.Join(ws.SetPostMedia(ctx, e.post, []core.MediaID{e.file.ID}), ws.DeleteOrMarkMediaAndFreeStorage(ctx, []store.Media{e.file}, now))
	})
	e.run("new rows", func(db *store.Store, ws store.Tenant) error {
		_, err := db.AddWorkspace(ctx, core.Workspace{ID: core.NewID[core.WorkspaceKind](), Plan: core.PlanOwner}, now)
		return errors.Join(
			err,
			ws.AddEmptyGroup(ctx, store.Group{ID: core.NewID[core.GroupKind](), Name: "New", CreatedAt: now, UpdatedAt: now}),
			ws.SaveConnectedAccount(ctx, core.Account{ID: core.NewID[core.AccountKind](), Platform: "threads", CreatedAt: now},
				store.SealedToken{Sealed: []byte("x")}),
		)
	})
	e.run("a member", func(_ *store.Store, ws store.Tenant) error {
		m := core.Member{ID: e.user, Role: core.RoleViewer}
		return errors.Join(ws.SaveMemberOrInvitationRole(ctx, m), ws.RemoveMemberOrInvitation(ctx, m))
	})
	e.run("sessions", func(db *store.Store, _ store.Tenant) error {
		s := store.NewSessions(db, time.Now)
		_, _, err := s.FindCtx(ctx, "x")
		return errors.Join(err, s.CommitCtx(ctx, "x", []byte("x"), now), s.DeleteCtx(ctx, "x"))
	})
	e.run("a hold", func(db *store.Store, _ store.Tenant) error {
		err := db.HoldPublishingAndDeleteSessionsAndEmails(ctx, "x", time.Time{}, nil)
		_, _, listed := db.LockHoldAndListReceipts(ctx)
		return errors.Join(err, listed, db.KeepHoldUntilReceiptsAreAdded(ctx), db.AddReceiptsAndLetHoldEnd(ctx, nil))
	})
	e.run("Throttle", func(db *store.Store, _ store.Tenant) error {
		_, first := db.CountActionUnlessThrottled(ctx, "x", 1, time.Hour)
		_, second := db.CountActionUnlessThrottled(ctx, "x", 1, time.Hour)
		return errors.Join(first, second)
	})
	post := core.Post{
		ID: core.NewID[core.PostKind](), Account: e.account, Platform: "threads", Settings: json.RawMessage(`{}`), Tags: []string{},
		MediaIDs: []core.MediaID{e.file.ID}, Zone: zone, Status: core.PostDraft, Via: core.ViaAPI, CreatedAt: now,
	}
	e.run("CreatePosts, draft", func(_ *store.Store, ws store.Tenant) error {
		limit := int64(1_000_000_000)
		return ws.CreatePosts(ctx, store.NewPosts{Posts: []core.Post{post}, By: e.user, Drafts: &limit})
	})
	e.run("CreatePosts, queued", func(_ *store.Store, ws store.Tenant) error {
		queued, replay := post, store.ReplayKey{Route: "x", Key: "x", Fingerprint: []byte("x")}
		queued.Status, queued.PublishAt = core.PostQueued, now
		_, _, err := ws.ReserveReplayKey(ctx, replay, time.Hour, time.Hour)
		return errors.Join(err, ws.CreatePosts(ctx, store.NewPosts{
			Posts: []core.Post{queued}, By: e.user,
			Queued: &store.NewQueued{Flows: []core.Flow{core.FlowHandle}, Ahead: []time.Duration{0}, Period: "2026-11"},
			Answer: &store.Answer{ReplayKey: replay, Status: 201, Body: []byte("{}")},
		}))
	})
	e.run("SaveRest", func(_ *store.Store, ws store.Tenant) error {
		if err := ws.SaveStepAndEndClaim(ctx, store.Publication{Post: e.post}, nil, 0); !errors.Is(err, store.ErrFenced) {
			return err
		}
		return nil
	})
	for _, call := range []store.Call{{Do: core.DoStatus, PassesTurn: true}, {Do: core.DoStatus}} {
		e.run("SaveStep", func(_ *store.Store, ws store.Tenant) error {
			_, err := ws.SaveStepBeforeCall(ctx, store.Publication{Post: e.post}, nil, call, time.Minute, time.Minute)
			if !errors.Is(err, store.ErrFenced) {
				return err
			}
			return nil
		})
	}
	e.run("GateIsOpen", func(_ *store.Store, ws store.Tenant) error {
		_, err := ws.IsGateOpen(ctx, store.Publication{Post: e.post}.GateName(1))
		return err
	})
	e.run("sealed values", func(db *store.Store, _ store.Tenant) error {
		return errors.Join(
			explainSealed[core.AccountKind](ctx, db, store.SealedTokens),
			explainSealed[core.MediaKind](ctx, db, store.SealedSources),
			explainSealed[core.PostKind](ctx, db, store.SealedHandles),
			explainSealed[core.MailKind](ctx, db, store.SealedMails),
		)
	})
}

func explainSealed[K core.Kind](ctx context.Context, db *store.Store, c store.SealedColumn) error {
	_, listed := store.SealedValuesWithoutPrefix(ctx, db, c, []byte("x"), core.ID[K]{}, 50)
	_, replaced := store.ReplaceSealedIfUnchanged(ctx, db, c, store.SealedValue[K]{ID: core.NewID[K]()}, []byte("x"), time.Hour)
	return errors.Join(listed, replaced)
}

func (e *explainer) TraceQueryStart(ctx context.Context, conn *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	if ctx.Value(explaining{}) == nil {
		e.explain(ctx, conn, []*pgx.QueuedQuery{{SQL: q.SQL, Arguments: q.Args}})
	}
	return ctx
}

func (*explainer) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (e *explainer) TraceBatchStart(ctx context.Context, conn *pgx.Conn, b pgx.TraceBatchStartData) context.Context {
	e.explain(ctx, conn, b.Batch.QueuedQueries)
	return ctx
}

func (*explainer) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}
func (*explainer) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData)     {}

type explaining struct{} // the key of a context whose statements are not explained

var explainable = regexp.MustCompile(`(?i)^\s*(select|insert|update|delete|with)\b`)

// explain runs statements under EXPLAIN ANALYZE and takes back what they did.
func (e *explainer) explain(ctx context.Context, conn *pgx.Conn, statements []*pgx.QueuedQuery) {
	ctx = context.WithValue(ctx, explaining{}, true)
	begin, end := "BEGIN", "ROLLBACK"
	switch conn.PgConn().TxStatus() {
	case 'E':
		return
	case 'T':
		begin, end = "SAVEPOINT explained", "ROLLBACK TO explained"
	}
	_, err := conn.Exec(ctx, begin)
	must(e.t, err)
	for _, s := range statements {
		if !explainable.MatchString(s.SQL) {
			continue
		}
		var raw []byte
		err := conn.QueryRow(ctx, "EXPLAIN (ANALYZE, FORMAT JSON) "+s.SQL, s.Arguments...).Scan(&raw)
		if err != nil {
			e.failed = append(e.failed, sent{s.SQL, fmt.Errorf("%s: %w", e.call, err)})
			break // the statement itself will fail too
		}
		e.explained = append(e.explained, sent{sql: s.SQL})
		e.check(s.SQL, raw)
	}
	_, err = conn.Exec(ctx, end)
	must(e.t, err)
}

// planNode is the part of EXPLAIN's answer that counts rows.
type planNode struct {
	Type     string     `json:"Node Type"`
	Rows     float64    `json:"Actual Rows"`
	Loops    float64    `json:"Actual Loops"`
	Removed  float64    `json:"Rows Removed by Filter"`
	Recheck  float64    `json:"Rows Removed by Index Recheck"`
	Relation string     `json:"Relation Name"`
	Index    string     `json:"Index Name"`
	Plans    []planNode `json:"Plans"`
}

// read returns how many rows the scans of a plan read, and notes each scan.
func (n planNode) read(scans *[]string) float64 {
	total := 0.0
	if strings.HasSuffix(n.Type, "Scan") && n.Relation != "" {
		total = (n.Rows + n.Removed + n.Recheck) * n.Loops
		*scans = append(*scans, fmt.Sprintf("%s on %s %s: %.0f rows", n.Type, n.Relation, n.Index, total))
	}
	for _, child := range n.Plans {
		total += child.read(scans)
	}
	return total
}

func (e *explainer) check(sql string, plan []byte) {
	var plans []struct{ Plan planNode }
	must(e.t, json.Unmarshal(plan, &plans))
	most := float64(mostRead)
	if strings.Contains(sql, "p.text ILIKE") || strings.Contains(sql, "m.original_name ILIKE") {
		most = mostSearched
	}
	var scans []string
	if read := plans[0].Plan.read(&scans) - plans[0].Plan.Rows; read > most {
		e.t.Errorf("%s reads %.0f rows that it does not return:\n%s\n%s", e.call, read, sql, strings.Join(scans, "\n"))
	}
	e.scans = append(e.scans, scans...)
}

// storeStatements returns the beginnings of the SQL statements in the package's source.
func storeStatements(t *testing.T) (statements []string) {
	t.Helper()
	files, err := os.ReadDir(".")
	must(t, err)
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		source, err := os.ReadFile(file.Name())
		must(t, err)
		parsed, err := parser.ParseFile(token.NewFileSet(), file.Name(), bytes.NewReader(source), 0)
		must(t, err)
		ast.Inspect(parsed, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(literal.Value)
			must(t, err)
			if explainable.MatchString(text) {
				statements = append(statements, text)
			}
			return true
		})
	}
	return statements
}
