package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/media/mediatest"
	"belfry/internal/store"
)

// statementLog keeps the statements that a pool sends, and calls before ahead of each.
type statementLog struct {
	before func(sql string)

	mu   sync.Mutex
	sent []string
}

func (l *statementLog) add(sql string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent = append(l.sent, sql)
}

func (l *statementLog) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	l.add(q.SQL)
	if l.before != nil {
		l.before(q.SQL)
	}
	return ctx
}

func (*statementLog) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (*statementLog) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return ctx
}

func (l *statementLog) TraceBatchQuery(_ context.Context, _ *pgx.Conn, q pgx.TraceBatchQueryData) {
	l.add(q.SQL)
}

func (*statementLog) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// counted is an App on the bench's database whose statements are kept.
func (b *bench) counted() (*app.App, *statementLog) {
	b.t.Helper()
	log := &statementLog{}
	cfg, err := pgxpool.ParseConfig(b.Pool.Config().ConnString())
	must(b.t, err)
	cfg.ConnConfig.Tracer = log
	pool, err := pgxpool.NewWithConfig(b.Context(), cfg)
	must(b.t, err)
	b.t.Cleanup(pool.Close)
	db, err := store.New(pool)
	must(b.t, err)
	return b.Replica(func(c *app.Config) { c.Store = db }), log
}

// accounts makes copies of an account.
func (b *bench) copies(of contract.Account, n int) []string {
	b.t.Helper()
	rows, err := b.Pool.Query(b.Context(), `
		INSERT INTO accounts (id, workspace_id, platform, external_id, username, display_name, avatar_url, status, connected_at, token, check_at, created_at)
		SELECT gen_random_uuid(), workspace_id, platform, external_id || n, username, display_name || n, avatar_url, status, connected_at, token, check_at, created_at
		FROM accounts, generate_series(1, $2) AS n WHERE id = $1 RETURNING id`, b.ws.AccountID(of), n)
	must(b.t, err)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[core.AccountID])
	must(b.t, err)
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = id.String()
	}
	return texts
}

func TestARequestForTwoHundredAccountsTakesAtMost25Statements(t *testing.T) {
	const most = 25
	b := newBench(t)
	counted, log := b.counted()
	key := b.ws.Key(core.Write)
	in := request("To everybody", now())
	in.Targets.AccountIDs = b.copies(b.ws.Account("facebook"), 100)
	in.Targets.GroupID = new(b.ws.Group("the others", b.ws.Account("facebook")).ID)
	members := b.copies(b.ws.Account("facebook"), 99)
	_, err := b.App.EditGroup(b.Context(), b.ws.Owner, contract.EditGroup{ID: *in.Targets.GroupID, AccountIDs: &members})
	must(t, err)
	in.Targets.AccountIDs = append(in.Targets.AccountIDs, b.copies(b.ws.Account("threads"), 1)...)
	in.MediaIDs = []string{b.ws.File("bell.jpg", mediatest.JPEG(640, 480)).ID}
	for _, c := range []struct {
		name string
		when contract.When
	}{{"first", now()}, {"now", now()}, {"later", local("2026-12-24T18:00", "UTC")}, {"drafts", draft()}} {
		name, when := c.name, c.when
		log.sent = nil
		arrival, err := counted.CountRequestAndFindCaller(b.Context(), "192.0.2.1", key.Bearer)
		must(t, errors.Join(err, arrival.KeyRefused))
		in.When = &when
		create, _ := app.FindOperation("posts_create")
		answer, err := counted.RunOperation(b.Context(), create, app.Request{
			Caller: arrival.Caller, Decode: app.NewFixedInputDecoder(in),
			ReplayKey: &app.ReplayKey{Route: "POST /posts", Key: name, Body: []byte(name), Status: 201},
		})
		must(t, err)
		var made contract.Posts
		must(t, json.Unmarshal(answer.Body, &made))
		if len(made.Posts) != 200 {
			t.Errorf("%s: %d posts", name, len(made.Posts))
		}
		if n := len(log.sent); n > most && name != "first" { // which asks once what is the same ever after
			t.Errorf("%s: %d statements, at most %d:\n%s", name, n, most, strings.Join(log.sent, "\n----\n"))
		} else {
			t.Logf("%s: %d statements", name, n)
		}
		events, err := b.App.ListPostEventsAndNextRetry(b.Context(), b.ws.Owner, made.Posts[199].ID)
		must(t, err)
		kinds := []string{}
		for _, e := range events.Events {
			kinds = append(kinds, e.Kind)
		}
		if want := []string{"created", "queued"}; name != "drafts" && !slices.Equal(kinds, want) {
			t.Errorf("%s: the timeline is %v, want %v", name, kinds, want)
		}
		if got := b.ws.Post(made.Posts[150]); got.Text != in.Text || len(got.MediaIDs) != 1 ||
			got.Status != made.Posts[150].Status {
			t.Errorf("%s: a post is %+v", name, got)
		}
	}
}

// The plan of a request holds when its posts are stored, or nothing is.
func TestACreationLooksAgainWhenItsPlanChanges(t *testing.T) {
	b := newBench(t)
	account, file := b.ws.Account("facebook"), b.ws.File("bell.jpg", mediatest.JPEG(640, 480))
	in := request("hello", local("2026-12-24T18:00", "UTC"), account)
	in.MediaIDs = []string{file.ID}
	// The rows are as they were when the request is read, and locked; the change commits while its posts wait for them.
	race := func(lock, change string, id any) error {
		tx, err := b.Pool.Begin(b.Context())
		must(t, err)
		defer tx.Rollback(b.Context())
		_, err = tx.Exec(b.Context(), lock, id)
		must(t, err)
		created := make(chan error, 1)
		go func() {
			_, err := b.App.CreatePosts(b.Context(), b.ws.Owner, in)
			created <- err
		}()
		b.waitsForALock()
		_, err = tx.Exec(b.Context(), change, id)
		must(t, errors.Join(err, tx.Commit(b.Context())))
		return <-created
	}
	err := race(`SELECT FROM media WHERE id = $1 FOR UPDATE`, `UPDATE media SET purged_at = now() WHERE id = $1`,
		b.ws.MediaID(file))
	if core.CodeOf(err) != core.CodeMediaPurged {
		t.Errorf("a file was removed: %v", err)
	}
	in.MediaIDs = nil
	err = race(`SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE`,
		`UPDATE accounts SET disconnected_at = now() WHERE id = $1`, b.ws.AccountID(account))
	if core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("the account was disconnected: %v", err)
	}
	if list, err := b.App.ListPosts(b.Context(), b.ws.Owner, contract.ListPosts{}); err != nil || len(list.Posts) != 0 ||
		b.used() != 0 {
		t.Errorf("%d posts and %d slots, error %v", len(list.Posts), b.used(), err)
	}
}

func (b *bench) waitsForALock() {
	b.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; {
		var waits bool
		must(b.t, b.Pool.QueryRow(b.Context(),
			`SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')`).Scan(&waits))
		if waits {
			return
		}
		if time.Now().After(deadline) {
			b.t.Fatal("nobody waits for a lock")
		}
	}
}

// draftBench is a workspace whose plan allows few drafts.
func draftBench(t *testing.T, limit int64) *bench {
	t.Helper()
	t.Parallel()
	h := apptest.New(t, func(c *app.Config) {
		plan := c.Plans[core.PlanStudio]
		plan.Drafts = &limit
		c.Plans[core.PlanStudio] = plan
	})
	return &bench{h, t, h.WorkspaceOn(core.PlanStudio, "one", "UTC")}
}

// checkDraftCount compares the count that the database keeps with the drafts that there are.
func (b *bench) checkDraftCount(want int) {
	b.t.Helper()
	var kept, there int
	must(b.t, b.Pool.QueryRow(b.Context(), `SELECT used, (SELECT count(*) FROM posts WHERE status = 'draft') FROM usage_drafts`).Scan(&kept, &there))
	if kept != there || there != want {
		b.t.Errorf("%d drafts, counted as %d, want %d", there, kept, want)
	}
}

func TestAPlanBoundsDrafts(t *testing.T) {
	b := draftBench(t, 3)
	account := b.ws.Account("threads")
	full := func(what string, err error) {
		t.Helper()
		e, ok := errors.AsType[*core.Error](err)
		if !ok || e.Code != core.CodeQuotaExceeded || *e.Quota != (core.QuotaFacts{Limit: 3, Used: 3}) {
			t.Errorf("%s: %v", what, err)
		}
	}
	first := b.ws.Draft("one", account)
	b.ws.Draft("two", account)
	queued := b.ws.Queued("three", account, b.Clock.Now().Add(time.Hour))
	b.ws.Draft("four", account)
	create := request("five", draft(), account)
	_, err := b.App.CreatePosts(b.Context(), b.ws.Owner, create)
	full("create", err)
	plan, err := b.App.PlanPosts(b.Context(), b.ws.Owner, create.PlanPosts)
	if err != nil || plan.OK || !slices.Equal(codes(plan.Rows[0]), []string{"quota_exceeded"}) {
		t.Errorf("the plan is %+v, error %v", plan, err)
	}
	_, err = b.App.DuplicatePost(b.Context(), b.ws.Owner, first.ID)
	full("duplicate", err)
	_, err = b.App.CancelPost(b.Context(), b.ws.Owner, queued.ID)
	full("cancel", err)
	_, err = b.App.EditPost(b.Context(), b.ws.Owner, contract.EditPost{ID: queued.ID, When: new(draft())})
	full("when: draft", err)
	if b.ws.Post(queued).Status != "queued" || b.used() != 1 {
		t.Errorf("the post is %s, %d slots are used", b.ws.Post(queued).Status, b.used())
	}
	b.checkDraftCount(3)

	must(t, b.App.DeletePost(b.Context(), b.ws.Owner, first.ID))
	_, err = b.App.CancelPost(b.Context(), b.ws.Owner, queued.ID)
	must(t, err)
	b.checkDraftCount(3)
	// Whoever disconnects an account is not held up: its queued posts become drafts all the same.
	must(t, b.App.DeletePost(b.Context(), b.ws.Owner, queued.ID))
	b.ws.Queued("six", account, b.Clock.Now().Add(time.Hour))
	b.ws.Queued("seven", account, b.Clock.Now().Add(time.Hour))
	must(t, b.App.DisconnectAccount(b.Context(), b.ws.Owner, account.ID))
	b.checkDraftCount(4)
}

func TestTheLimitOfDraftsIsExactUnderConcurrency(t *testing.T) {
	const limit, callers = 20, 12
	b := draftBench(t, limit)
	account := b.ws.Account("threads")
	var queued []string
	for range callers {
		queued = append(queued, b.ws.Queued("a text", account, b.Clock.Now().Add(time.Hour)).ID)
	}
	first := b.ws.Draft("first", account)
	errs := make(chan error, 3*callers)
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() {
			_, err := b.App.CreatePosts(b.Context(), b.ws.Owner, request(fmt.Sprint("draft ", i), draft(), account))
			errs <- err
		})
		all.Go(func() {
			_, err := b.App.DuplicatePost(b.Context(), b.ws.Owner, first.ID)
			errs <- err
		})
		all.Go(func() {
			_, err := b.App.CancelPost(b.Context(), b.ws.Owner, queued[i])
			errs <- err
		})
	}
	all.Wait()
	close(errs)
	made := 1
	for err := range errs {
		switch core.CodeOf(err) {
		case core.CodeQuotaExceeded:
		default:
			must(t, err)
			made++
		}
	}
	if made != limit {
		t.Errorf("%d were let through, want %d", made, limit)
	}
	b.checkDraftCount(limit)
}
