package app_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network/sim"
)

// loseAccess lets the network refuse the account's token at the first of the posts. All of them fail for that reason
// when their time has come.
func loseAccess(t *testing.T, h *apptest.Harness, ws *apptest.Workspace, account contract.Account,
	posts ...contract.Post,
) {
	t.Helper()
	h.Fault(sim.Fault{Network: account.Platform, Kind: sim.TokenRevoked})
	for _, p := range posts {
		h.Clock.Set(p.PublishAt.Add(time.Second))
		p = ws.Work(p)
		if p.Status != "failed" || p.Error == nil || p.Error.Code != "account_revoked" {
			t.Fatalf("%q is %s: %+v", p.Text, p.Status, p.Error)
		}
	}
	if status := ws.StatusOf(account); status != "revoked" {
		t.Fatalf("the account is %s", status)
	}
}

// loseAccessTo is loseAccess for an account with one post, which it returns.
func loseAccessTo(t *testing.T, h *apptest.Harness, ws *apptest.Workspace, account contract.Account) contract.Post {
	t.Helper()
	p := ws.Queued("lost", account, h.Clock.Now().Add(time.Minute))
	loseAccess(t, h, ws, account, p)
	return p
}

func reconnectForPost(t *testing.T, h *apptest.Harness, ws *apptest.Workspace, p contract.Post, profile string,
) (app.Connected, error) {
	t.Helper()
	start, err := h.App.StartReconnectToRetryPost(t.Context(), ws.Owner, p.ID)
	must(t, err)
	return finish(t, h, ws, p.Platform, h.Consent(start.AuthorizeURL, profile))
}

func TestReconnectingForAPostRetriesItAndFindsTheOthers(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	account, healthy := ws.Account("threads", "maren.writes"), ws.Account("threads", "harbour.bakery")
	h.Fault(sim.Fault{Network: "threads", Kind: sim.Reject})
	refused := ws.Work(ws.Now("refused for its words", account))
	in := func(d time.Duration, text string) contract.Post {
		return ws.Queued(text, account, h.Clock.Now().Add(d))
	}
	old, second, third := in(time.Minute, "old"), in(8*24*time.Hour, "second"), in(9*24*time.Hour, "third")
	loseAccess(t, h, ws, account, old, second, third)

	done, err := reconnectForPost(t, h, ws, second, "maren.writes")
	must(t, err)
	after := done.Reconnected
	if after == nil || after.Post != second.ID || !after.Retried || !slices.Equal(after.Lost, []string{third.ID}) {
		t.Fatalf("after the consent: %+v", after)
	}
	if done.Accounts[0].ID != account.ID || ws.StatusOf(account) != "ok" {
		t.Errorf("the account is %+v", done.Accounts)
	}
	if p := ws.Work(ws.Post(second)); p.Status != "live" {
		t.Errorf("the post is %s: %+v", p.Status, p.Error)
	}
	for _, p := range []contract.Post{refused, old, third} {
		if now := ws.Post(p); now.Status != "failed" {
			t.Errorf("%q is %s", p.Text, now.Status)
		}
	}
	if ws.StatusOf(healthy) != "ok" {
		t.Error("another account lost its access")
	}
}

func TestReconnectingAnAccountFindsItsLostPosts(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	account := ws.Account("threads", "maren.writes")
	first := loseAccessTo(t, h, ws, account)
	start, err := h.App.StartReconnect(t.Context(), ws.Owner, account.ID)
	must(t, err)
	done, err := finish(t, h, ws, "threads", h.Consent(start.AuthorizeURL, "maren.writes"))
	must(t, err)
	if r := done.Reconnected; r == nil || r.Post != "" || r.Retried || !slices.Equal(r.Lost, []string{first.ID}) {
		t.Errorf("after the consent: %+v", r)
	}
	if p := ws.Post(first); p.Status != "failed" {
		t.Errorf("nobody asked, and the post is %s", p.Status)
	}
}

func TestAPostIsRetriedOnlyIfItsAccountIsReconnectedAndItStillFails(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	account := ws.Account("threads", "maren.writes")
	p := loseAccessTo(t, h, ws, account)

	done, err := reconnectForPost(t, h, ws, p, "harbour.bakery")
	if want(t, core.CodeConflict, err); done.Reconnected == nil || done.Reconnected.Post != p.ID || done.Reconnected.Retried {
		t.Errorf("with another profile: %+v", done.Reconnected)
	}
	start, err := h.App.StartReconnectToRetryPost(t.Context(), ws.Owner, p.ID)
	must(t, err)
	done, err = finish(t, h, ws, "threads", h.Deny(start.AuthorizeURL))
	if want(t, core.CodeConflict, err); done.Reconnected == nil || done.Reconnected.Post != p.ID {
		t.Errorf("denied: %+v", done.Reconnected)
	}
	if now := ws.Post(p); now.Status != "failed" {
		t.Errorf("the post is %s without a consent", now.Status)
	}

	start, err = h.App.StartReconnectToRetryPost(t.Context(), ws.Owner, p.ID)
	must(t, err)
	_, err = h.App.DuplicatePost(t.Context(), ws.Owner, p.ID)
	must(t, err)
	must(t, h.App.DeletePost(t.Context(), ws.Owner, p.ID))
	done, err = finish(t, h, ws, "threads", h.Consent(start.AuthorizeURL, "maren.writes"))
	if must(t, err); done.Reconnected.Post != "" || done.Reconnected.Retried || len(done.Reconnected.Lost) != 0 {
		t.Errorf("with the post deleted: %+v", done.Reconnected)
	}
}

func TestThePostsOfALostAccountAreNotRetriedWithOthers(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	account := ws.Account("threads")
	p := loseAccessTo(t, h, ws, account)
	retry := app.BulkAction{Act: core.ActRetry, IDs: []string{p.ID}}
	got, err := h.App.ApplyBulkAction(t.Context(), ws.Owner, retry)
	must(t, err)
	if got.Done != 0 || len(got.Refused) != 1 || !strings.HasPrefix(got.Refused[0].Cause.Hint, "Connect the account again") {
		t.Errorf("while the account is lost: %+v", got)
	}
	ws.Reconnect(account)
	if got, err = h.App.ApplyBulkAction(t.Context(), ws.Owner, retry); err != nil || got.Done != 1 {
		t.Errorf("once it is reconnected: %+v, %v", got, err)
	}
}

func TestOnlyManagersReconnectForAPostOfTheirWorkspace(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws, other := h.Workspace("one"), h.Workspace("two")
	account := ws.Account("threads", "maren.writes")
	p := loseAccessTo(t, h, ws, account)
	_, err := h.App.StartReconnectToRetryPost(t.Context(), other.Owner, p.ID)
	want(t, core.CodeNotFound, err)
	_, err = h.App.StartReconnectToRetryPost(t.Context(), ws.Member(core.RoleEditor), p.ID)
	want(t, core.CodeInsufficientScope, err)
	must(t, h.App.DisconnectAccount(t.Context(), ws.Owner, account.ID))
	_, err = h.App.StartReconnectToRetryPost(t.Context(), ws.Owner, p.ID)
	if e := want(t, core.CodeConflict, err); e.Hint != "Connect the account again, then retry the post." {
		t.Errorf("it says %s %s", e.Message, e.Hint)
	}
}
