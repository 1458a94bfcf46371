package app_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/store"
)

func usedPosts(t *testing.T, h *apptest.Harness, ws *apptest.Workspace) int64 {
	t.Helper()
	who, err := h.App.Whoami(t.Context(), ws.Owner)
	must(t, err)
	return who.Usage.Posts.Used
}

// ledger changes a post's row in the publishing ledger, as a worker would have left it.
func ledger(t *testing.T, h *apptest.Harness, post contract.Post, set string) {
	t.Helper()
	id, err := core.ParseID[core.PostKind](post.ID)
	must(t, err)
	tag, err := h.Pool.Exec(t.Context(), `UPDATE publications SET `+set+` WHERE post_id = $1`, id)
	must(t, err)
	if tag.RowsAffected() != 1 {
		t.Fatalf("post %s is not in the ledger", post.ID)
	}
}

func TestDisconnectingMakesDraftsAndForgetsTheToken(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	a, other := ws.Account("threads", "maren.writes"), ws.Account("threads", "harbour.bakery")
	at := h.Clock.Now().Add(time.Hour)
	first, second, kept := ws.Queued("first", a, at), ws.Queued("second", a, at), ws.Queued("kept", other, at)
	group := ws.Group("both", a, other)
	h.Clock.Advance(time.Minute)
	must(t, h.App.DisconnectAccount(t.Context(), ws.Owner, a.ID))

	for _, id := range []string{first.ID, second.ID} {
		post, err := h.App.GetPost(t.Context(), ws.Owner, id)
		must(t, err)
		if post.Status != "draft" || post.PublishAt != nil || !post.UpdatedAt.Equal(h.Clock.Now()) {
			t.Errorf("a queued post is %+v", post)
		}
		events, err := h.App.ListPostEventsAndNextRetry(t.Context(), ws.Owner, id)
		must(t, err)
		if last := events.Events[len(events.Events)-1]; last.Kind != "cancelled" {
			t.Errorf("its timeline ends with %+v", last)
		}
	}
	if post, err := h.App.GetPost(t.Context(), ws.Owner, kept.ID); err != nil || post.Status != "queued" {
		t.Errorf("another account's post is %+v, %v", post, err)
	}
	if n := usedPosts(t, h, ws); n != 1 {
		t.Errorf("%d slots are used", n)
	}
	list, err := h.App.ListAccounts(t.Context(), ws.Owner)
	if err != nil || len(list.Accounts) != 1 || list.Accounts[0].ID != other.ID {
		t.Errorf("the list is %+v, %v", list, err)
	}
	if token := stored[[]byte](t, h, a, "token"); len(token) != 0 {
		t.Error("the token is still there")
	}
	if g, err := h.App.GetGroup(t.Context(), ws.Owner, group.ID); err != nil || len(g.AccountIDs) != 1 {
		t.Errorf("the group is %+v, %v", g, err)
	}
	want(t, core.CodeNotFound, h.App.DisconnectAccount(t.Context(), ws.Owner, a.ID))
	_, err = h.App.StartReconnect(t.Context(), ws.Owner, a.ID)
	want(t, core.CodeNotFound, err)
	_, err = h.App.CreatePosts(t.Context(), ws.Owner, contract.CreatePosts{
		PlanPosts: contract.PlanPosts{Targets: contract.Targets{AccountIDs: []string{a.ID}}, Text: "x"}, Confirm: true,
	})
	want(t, core.CodeNotFound, err)

	_, err = h.App.EditPost(t.Context(), ws.Owner, contract.EditPost{ID: first.ID, When: &contract.When{Word: "now"}, Status: "queued"})
	if e := want(t, core.CodePlanHasIssues, err); e.Rows[0].Issues[0].Code != core.IssueAccountRevoked.Code {
		t.Errorf("a draft of the account is queued: %+v", e.Rows)
	}

	again := ws.Account("threads", "maren.writes")
	if again.ID != a.ID || again.Status != "ok" || !again.CreatedAt.Equal(a.CreatedAt.Time) {
		t.Errorf("connected again it is %+v", again)
	}
	if g, err := h.App.GetGroup(t.Context(), ws.Owner, group.ID); err != nil || len(g.AccountIDs) != 2 {
		t.Errorf("the group is %+v, %v", g, err)
	}
}

func TestPostWithoutTextIsNamedByItsID(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	a := ws.Account("threads")
	image := apptest.Kind{Name: "image", Network: "threads", Files: []string{"photo"}}
	busy := ws.PostOf(image, "", a, contract.When{Word: "now"})
	ledger(t, h, busy, `lease_until = clock() + '1 minute'::interval, lease_owner = 'w', lease_epoch = 1, due_at = clock()`)
	e := want(t, core.CodeConflict, h.App.DisconnectAccount(t.Context(), ws.Owner, a.ID))
	if said := "A post without text (" + busy.ID + ") to " + a.DisplayName + " is being published."; e.Message != said {
		t.Errorf("it says %q, not %q", e.Message, said)
	}
}

func TestWhatIsBeingSentKeepsItsAccount(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		set  string
		says []string // none: it is disconnected
	}{
		"held by a worker": {
			`lease_until = clock() + '1 minute'::interval, lease_owner = 'w', lease_epoch = 1, due_at = clock()`,
			[]string{"is being published", "by Mon 5 Oct 2026, 09:01 UTC"},
		},
		"armed": {
			`step = 'armed', armed = true, step_since = clock() - '1 day'::interval, next_action_at = clock() + '1 hour'::interval`,
			[]string{
				"may already be published", "ask the network again at Mon 5 Oct 2026, 10:00 UTC",
				"will give up by Sun 11 Oct 2026, 09:00 UTC",
			},
		},
		"left by a dead worker":    {`lease_until = clock() - '1 second'::interval, lease_owner = 'w', lease_epoch = 1, step = 'creating'`, nil},
		"prepared by a worker":     {`lease_until = clock() + '1 minute'::interval, lease_owner = 'w', lease_epoch = 1`, nil},
		"with a handle made ahead": {`step = 'waiting', handle = 'sealed'`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := apptest.New(t)
			ws := h.Workspace("one")
			a := ws.Account("threads")
			at := h.Clock.Now().Add(time.Hour)
			free, busy := ws.Queued("free", a, at), ws.Queued("busy", a, at)
			ledger(t, h, busy, c.set)
			err := h.App.DisconnectAccount(t.Context(), ws.Owner, a.ID)
			if c.says == nil {
				must(t, err)
				if n := usedPosts(t, h, ws); n != 0 {
					t.Errorf("%d slots are used", n)
				}
				return
			}
			e := want(t, core.CodeConflict, err)
			for _, part := range append(c.says, a.DisplayName, `"busy"`, busy.ID) {
				if said := e.Message + " " + e.Hint; !strings.Contains(said, part) {
					t.Errorf("it does not say %s: %s", part, said)
				}
			}
			if post, err := h.App.GetPost(t.Context(), ws.Owner, free.ID); err != nil || post.Status != "queued" {
				t.Errorf("the free post is %+v, %v", post, err)
			}
			if n := usedPosts(t, h, ws); n != 2 || stored[string](t, h, a, "status") != "ok" ||
				len(stored[[]byte](t, h, a, "token")) == 0 {
				t.Errorf("something changed: %d slots", n)
			}
		})
	}
}

func TestCardsCountWhatIsQueued(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	a := ws.Account("threads")
	ws.Account("facebook")
	ws.Queued("one", a, h.Clock.Now().Add(time.Hour))
	ws.Queued("two", a, h.Clock.Now().Add(time.Hour))
	ws.Draft("three", a)
	cards, err := h.App.ListAccountCards(t.Context(), ws.Owner, app.AccountFilter{})
	if err != nil || len(cards) != 2 || cards[0].Posts.Queued != 2 || cards[1].Posts.Queued != 0 {
		t.Errorf("the cards are %+v, %v", cards, err)
	}
}

// waiting tells whether somebody waits for a row that another transaction holds.
func waiting(t *testing.T, h *apptest.Harness) bool {
	t.Helper()
	var waits bool
	must(t, h.Pool.QueryRow(t.Context(),
		`SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')`).Scan(&waits))
	return waits
}

// crossing runs act while a transaction holds a post and its publication, and then lets the transaction go
// on with last: neither may end in a deadlock.
func crossing(t *testing.T, h *apptest.Harness, ws *apptest.Workspace, post contract.Post, act func() error,
	last func(store.Tenant, core.PostID) error,
) {
	t.Helper()
	id, err := core.ParseID[core.PostKind](post.ID)
	must(t, err)
	acted := make(chan error, 1)
	must(t, h.Store.In(ws.ID).Tx(t.Context(), func(tx store.Tenant) error {
		if _, err := tx.LockPost(t.Context(), id); err != nil {
			return err
		}
		if _, err := tx.LockPublication(t.Context(), id); err != nil {
			return err
		}
		go func() { acted <- act() }()
		h.Eventually("the other waits", func() bool { return waiting(t, h) })
		return last(tx, id)
	}))
	must(t, <-acted)
}

// A worker that arms a post holds its publication and waits for the turn, which disconnecting ends for another post.
func TestDisconnectingDoesNotDeadlockWithAnArm(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	a := ws.Account("threads")
	at := h.Clock.Now().Add(time.Hour)
	ws.Queued("first", a, at)
	ws.Queued("second", a, at)
	const takeTurn = `INSERT INTO account_turns AS t (platform, external_id, post_id, until)
		SELECT a.platform, a.external_id, p.id, clock() FROM posts p JOIN accounts a ON a.id = p.account_id WHERE text = $1
		ON CONFLICT (platform, external_id) DO UPDATE SET post_id = excluded.post_id WHERE t.until <= clock()`
	_, err := h.Pool.Exec(t.Context(), takeTurn, "first")
	must(t, err)
	worker, err := h.Pool.Begin(t.Context())
	must(t, err)
	_, err = worker.Exec(t.Context(),
		`SELECT FROM publications u JOIN posts p ON p.id = u.post_id WHERE p.text = 'second' FOR NO KEY UPDATE OF u`)
	must(t, err)
	disconnected := make(chan error, 1)
	go func() { disconnected <- h.App.DisconnectAccount(t.Context(), ws.Owner, a.ID) }()
	h.Eventually("disconnecting waits", func() bool { return waiting(t, h) })
	_, err = worker.Exec(t.Context(), takeTurn, "second")
	must(t, err)
	must(t, worker.Commit(t.Context()))
	must(t, <-disconnected)
}

func TestDisconnectingDoesNotDeadlockWithACancel(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	a := ws.Account("threads")
	at := h.Clock.Now().Add(time.Hour)
	ws.Queued("first", a, at)
	second := ws.Queued("second", a, at)
	crossing(t, h, ws, second, func() error { return h.App.DisconnectAccount(t.Context(), ws.Owner, a.ID) },
		func(tx store.Tenant, id core.PostID) error { return tx.ReturnSlotIfReserved(t.Context(), id) })
	if n := usedPosts(t, h, ws); n != 0 {
		t.Errorf("%d slots are used", n)
	}
}

// Disconnecting gives slots back and hides the account then; a creation waits for the slots without the account.
func TestDisconnectingDoesNotDeadlockWithACreation(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	a := ws.Account("threads")
	id, err := core.ParseID[core.PostKind](ws.Queued("first", a, h.Clock.Now().Add(time.Hour)).ID)
	must(t, err)
	created := make(chan error, 1)
	must(t, h.Store.In(ws.ID).Tx(t.Context(), func(tx store.Tenant) error {
		if err := tx.ReturnSlotIfReserved(t.Context(), id); err != nil {
			return err
		}
		go func() {
			_, err := h.App.CreatePosts(t.Context(), ws.Owner, request("second", now(), a))
			created <- err
		}()
		h.Eventually("the creation waits", func() bool { return waiting(t, h) })
		return tx.DisconnectAccount(t.Context(), ws.AccountID(a), "disconnected", h.Clock.Now())
	}))
	want(t, core.CodeNotFound, <-created)
	if n := usedPosts(t, h, ws); n != 0 {
		t.Errorf("%d slots are used", n)
	}
}

func TestReconnectingDoesNotDeadlockWithAWorkerThatLosesTheToken(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	a := ws.Account("threads", "one")
	post := ws.Queued("armed", a, h.Clock.Now().Add(time.Hour))
	ledger(t, h, post, "step = 'armed', armed = true")
	reconnect := func() error {
		start, err := h.App.StartReconnect(t.Context(), ws.Owner, a.ID)
		if err != nil {
			return err
		}
		back := h.Consent(start.AuthorizeURL, "one")
		_, err = h.App.FinishConnectOrReconnect(t.Context(), ws.Owner, a.Platform, back)
		return err
	}
	crossing(t, h, ws, post, reconnect, func(tx store.Tenant, _ core.PostID) error {
		isRefused := func([]byte) bool { return true }
		return tx.SetAccountStatusIfTokenUnchanged(t.Context(), ws.AccountID(a), isRefused, core.AccountRevoked, "withdrawn")
	})
	list, err := h.App.ListAccounts(t.Context(), ws.Owner)
	if err != nil || list.Accounts[0].Status != "ok" {
		t.Errorf("accounts %+v, error %v: the person's consent came last", list, err)
	}
}

// Whoever changes several publications at once takes them in the order of their ids, whatever order they lie
// in on disk.
func TestManyPublicationsAreLockedInOneOrder(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		set string
		act func(*apptest.Harness, *apptest.Workspace, contract.Account) error
	}{
		"a worker gives its leases back": {
			`lease_owner = 'w 1', next_action_at = clock(), lease_until = clock() + '1 minute'::interval`,
			func(h *apptest.Harness, _ *apptest.Workspace, _ contract.Account) error {
				return h.App.Engine().ReleaseLeases(h.Context(), "w")
			},
		},
		"an account is connected again": {
			`step = 'armed', armed = true`,
			func(h *apptest.Harness, ws *apptest.Workspace, a contract.Account) error {
				return h.Store.In(ws.ID).WakePostsAwaitingToken(h.Context(), ws.AccountID(a))
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := apptest.New(t)
			ws := h.Workspace("one")
			a := ws.Account("threads", "one")
			at := h.Clock.Now().Add(time.Hour)
			first, second := ws.Queued("first", a, at), ws.Queued("second", a, at)
			_, err := h.Pool.Exec(t.Context(), `UPDATE posts SET title = 'moved'`)
			must(t, err)
			ledger(t, h, second, c.set)
			ledger(t, h, first, c.set)
			other, err := core.ParseID[core.PostKind](second.ID)
			must(t, err)
			crossing(t, h, ws, first, func() error { return c.act(h, ws, a) }, func(tx store.Tenant, _ core.PostID) error {
				_, err := tx.LockPublication(t.Context(), other)
				return err
			})
		})
	}
}

// A worker that notes its next question holds the ledger's row and asks for the post's; a person who deleted the
// post at that moment held the post and asked for the ledger's.
func TestDeletingDoesNotDeadlockWithAQuestion(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	post := ws.Queued("unknown", ws.Account("facebook"), h.Clock.Now().Add(time.Hour))
	id, err := core.ParseID[core.PostKind](post.ID)
	must(t, err)
	ledger(t, h, post, `step = 'unknown', lease_owner = 'w', lease_until = clock() + '1 minute'::interval`)
	_, err = h.Pool.Exec(t.Context(), `UPDATE posts SET status = 'failed'`)
	must(t, err)
	deleted := make(chan error, 1)
	must(t, h.Store.In(ws.ID).Tx(t.Context(), func(tx store.Tenant) error {
		pub, err := tx.LockPublication(t.Context(), id)
		if err != nil {
			return err
		}
		go func() { deleted <- h.App.DeletePost(t.Context(), ws.Owner, post.ID) }()
		h.Eventually("the deletion waits", func() bool { return waiting(t, h) })
		_, err = tx.SaveStepBeforeCall(t.Context(), pub, nil, store.Call{Seq: 1, Do: core.DoFind, Deadline: time.Second}, time.Minute, 0)
		return err
	}))
	must(t, <-deleted)
}

// withdrawn is a network that takes a token no more, and whose account a person connects again at that moment.
type withdrawn struct {
	network.Network
	meanwhile func()
}

func (w *withdrawn) CreateHandle(context.Context, network.Item) (string, error) {
	w.meanwhile()
	return "", &network.Error{Kind: network.Revoked, Message: "The token was withdrawn."}
}

// The worker's news of the old token came after the person's consent and revoked the account anew.
func TestNewsOfAnOldTokenDoesNotRevokeANewOne(t *testing.T) {
	t.Parallel()
	gone := &withdrawn{}
	h := apptest.New(t, replace(t, func(n network.Network) network.Network {
		gone.Network = n
		return gone
	}))
	ws := h.Workspace("one")
	a := ws.Account("threads", "one")
	gone.meanwhile = func() { ws.Account("threads", "one") }
	id, err := core.ParseID[core.PostKind](ws.Now("late news", a).ID)
	must(t, err)
	must(t, h.App.Engine().PublishOrPrepare(t.Context(), "a worker", ws.ID, id))
	if got := stored[string](t, h, a, "status"); got != "ok" {
		t.Errorf("the account is %s", got)
	}
	if p, err := h.App.GetPost(t.Context(), ws.Owner, id.String()); err != nil || p.Status != "failed" {
		t.Errorf("the post is %s, %v", p.Status, err)
	}
}
