package app_test

import (
	"strings"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/secret"
)

func ring(t *testing.T, pairs ...string) *secret.Ring {
	t.Helper()
	r, err := secret.ParseRing(pairs...)
	must(t, err)
	return r
}

// A worker with the wrong keys would claim every post and send none.
func TestKeysThatDoNotOpenTheTokensAreFoundBeforeAnythingIsSent(t *testing.T) {
	t.Parallel()
	own, other := secret.NewSecretKey(), secret.NewSecretKey()
	id, _, _ := strings.Cut(own, ":")
	_, bytes, _ := strings.Cut(other, ":")
	h := apptest.New(t, func(c *app.Config) { c.Ring = ring(t, own) })
	must(t, h.App.CheckSecretKeys(t.Context()))
	h.Workspace("one").Account("threads", "maren.writes")
	for name, c := range map[string]struct {
		ring *secret.Ring
		says string
	}{
		"the same":                 {ring(t, own), ""},
		"a new one first":          {ring(t, other, own), ""},
		"another":                  {ring(t, other), `"` + id + `"`},
		"another of the same name": {ring(t, id+":"+bytes), `"` + id + `"`},
	} {
		err := h.Replica(func(cfg *app.Config) { cfg.Ring = c.ring }).CheckSecretKeys(t.Context())
		switch {
		case c.says == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.says != "" &&
			(err == nil || !strings.Contains(err.Error(), c.says) ||
				!strings.Contains(err.Error(), app.RevokeUnreadableCommand)):
			t.Errorf("%s: got %v, want it to name %s and the command", name, err, c.says)
		}
	}
}

// A key that is lost for good must not keep the service from starting, nor the posts from being decided.
func TestAccountsWhoseKeyIsLostAreRevokedWhenThatIsConfirmed(t *testing.T) {
	b := newBench(t)
	lost, same := b.ws.Account("threads", "one"), b.ws.Account("facebook")
	b.Fault(fault("status", "never_ready"))
	begun, waits := b.ws.Now("begun", lost), b.ws.Queued("waits", lost, b.Clock.Now().Add(time.Hour))
	b.ws.Work(begun)
	must(t, b.App.DisconnectAccount(t.Context(), b.ws.Owner, same.ID))
	b.Config.Ring = ring(t, secret.NewSecretKey())
	b.App = b.Replica()
	same = b.ws.Account("facebook")

	for _, confirm := range []bool{false, true, true} {
		found, err := b.App.ListUnreadableAccountsAndRevokeIf(t.Context(), confirm)
		must(t, err)
		if err := b.App.CheckSecretKeys(t.Context()); (err == nil) != confirm {
			t.Errorf("confirmed %v: %v", confirm, err)
		}
		if status := b.ws.StatusOf(lost); status != map[bool]string{false: "ok", true: "revoked"}[confirm] ||
			b.ws.StatusOf(same) != "ok" {
			t.Errorf("confirmed %v: %d found, the accounts are %s and %s", confirm, len(found), status, b.ws.StatusOf(same))
		}
	}
	must(t, b.App.RevokeOrRestoreAccountsOnNetworkSwitch(t.Context())) // as the next start does
	if status := b.ws.StatusOf(lost); status != "revoked" {
		t.Errorf("after a start the account is %s", status)
	}
	b.Clock.Advance(time.Hour)
	for _, p := range []contract.Post{begun, waits} {
		if p = b.ws.Work(p); p.Status != "failed" || p.Error == nil || p.Error.Code != "account_revoked" {
			t.Errorf("%s is %s (%+v), want it to fail as account_revoked", p.Text, p.Status, p.Error)
		}
	}
	b.ws.Reconnect(lost)
	for _, p := range []contract.Post{begun, waits} {
		if p = b.ws.Work(b.ws.Retry(p)); p.Status != "live" || b.Visible(p.Text) != 1 {
			t.Errorf("%s, connected and sent again, is %s (%+v), visible %d times", p.Text, p.Status, p.Error, b.Visible(p.Text))
		}
	}
}

// Whether it went out can no longer be asked: a person looks, and it is never sent a second time by itself.
func TestAnArmedPostWhoseKeyIsLostIsLeftToAPerson(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads", "one")
	accepts := fault("publish", "token_revoked")
	accepts.Accept = true
	b.Fault(accepts)
	post := b.ws.Work(b.ws.Now("armed", account))
	b.Config.Ring = ring(t, secret.NewSecretKey())
	b.App = b.Replica()
	_, err := b.App.ListUnreadableAccountsAndRevokeIf(t.Context(), true)
	must(t, err)
	b.ws.Reconnect(account)
	post = b.ws.Work(b.ws.Retry(post))
	if post.Status != "failed" || post.Error.Code != "outcome_unknown" || b.Visible("armed") != 1 {
		t.Errorf("the post is %s (%+v), visible %d times", post.Status, post.Error, b.Visible("armed"))
	}
}

func TestADisconnectedAccountNeedsNoKey(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	must(t, h.App.DisconnectAccount(t.Context(), ws.Owner, ws.Account("threads", "maren.writes").ID))
	other := h.Replica(func(c *app.Config) { c.Ring = ring(t, secret.NewSecretKey()) })
	must(t, other.CheckSecretKeys(t.Context()))
}
