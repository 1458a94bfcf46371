package app_test

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/sim"
)

// refreshAll does what the worker does: it renews what is due.
func refreshAll(t *testing.T, a *app.App) int {
	t.Helper()
	due, err := a.MarkExpiredAccountsAndListDueRefreshes(t.Context())
	must(t, err)
	for _, job := range due {
		must(t, a.RefreshDueTokenAndSaveResult(t.Context(), job.Workspace, job.Account))
	}
	return len(due)
}

func refreshCalls(h *apptest.Harness) (n int) {
	for _, call := range h.Sim.Calls.ListLast(0) {
		if call.Call == "refresh" {
			n++
		}
	}
	return n
}

func TestATokenIsRenewedAheadOfItsEnd(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	a := ws.Account("threads")
	ws.Account("facebook") // its tokens need no renewal
	if n := refreshAll(t, h.App); n != 0 {
		t.Errorf("%d are due at once", n)
	}
	h.Clock.Advance(31 * 24 * time.Hour)
	before := stored[[]byte](t, h, a, "token")
	if n := refreshAll(t, h.App); n != 1 {
		t.Errorf("%d are due after half of the life", n)
	}
	if bytes.Equal(before, stored[[]byte](t, h, a, "token")) {
		t.Error("the token is the old one")
	}
	list, err := h.App.ListAccounts(t.Context(), ws.Owner)
	if err != nil || list.Accounts[0].Status != "ok" ||
		!list.Accounts[0].ExpiresAt.Equal(h.Clock.Now().Add(60*24*time.Hour)) {
		t.Errorf("the account is %+v, %v", list.Accounts[0], err)
	}
	if n := refreshAll(t, h.App); n != 0 {
		t.Errorf("%d are due right after", n)
	}
}

func TestARenewalIsOneWorkersAlone(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	id := ws.AccountID(ws.Account("threads"))
	h.Clock.Advance(31 * 24 * time.Hour)
	replicas := []*app.App{h.App, h.Replica()}
	together(t, 10, func(i int) error { return replicas[i%2].RefreshDueTokenAndSaveResult(t.Context(), ws.ID, id) })
	if n := refreshCalls(h); n != 1 {
		t.Errorf("the network was asked %d times", n)
	}
}

func TestOnlyTheNetworksWordChangesTheStatus(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind   string
		status string
	}{
		"expired":   {sim.TokenExpired, "expired"},
		"revoked":   {sim.TokenRevoked, "revoked"},
		"down":      {sim.ServerError, "ok"},
		"half":      {sim.TruncatedJSON, "ok"},
		"throttled": {sim.RateLimited, "ok"},
		"refused":   {sim.Reject, "ok"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := apptest.New(t)
			ws := h.Workspace("one")
			a := ws.Account("threads")
			h.Clock.Advance(31 * 24 * time.Hour)
			h.Fault(sim.Fault{Network: "threads", Call: "refresh", Kind: c.kind})
			before := stored[[]byte](t, h, a, "token")
			refreshAll(t, h.App)
			if got := stored[string](t, h, a, "status"); got != c.status {
				t.Errorf("the status is %s", got)
			}
			if !bytes.Equal(before, stored[[]byte](t, h, a, "token")) {
				t.Error("the token changed")
			}
			reason := stored[string](t, h, a, "status_reason")
			if c.status != "ok" {
				if reason == "" || refreshAll(t, h.App) != 0 {
					t.Errorf("the reason is %q", reason)
				}
				return
			}
			if n := refreshAll(t, h.App); n != 0 || reason != "" {
				t.Errorf("tried again at once; reason %q", reason)
			}
			h.Clock.Advance(time.Hour) // the latest that it is tried again
			if n := refreshAll(t, h.App); n != 1 || bytes.Equal(before, stored[[]byte](t, h, a, "token")) {
				t.Errorf("%d were tried again", n)
			}
		})
	}
}

// renewing is a network whose answer to a renewal is scripted.
type renewing struct {
	network.Network
	mu    sync.Mutex
	calls int
	give  func(ctx context.Context, old network.Token) (network.Token, error)
}

func (r *renewing) RefreshToken(ctx context.Context, old network.Token) (network.Token, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls++
	return r.give(ctx, old)
}

// renewal is a harness with an account whose renewal is scripted and due.
func renewal(t *testing.T,
	give func(context.Context, network.Token) (network.Token, error),
) (*apptest.Harness, *apptest.Workspace, contract.Account, *renewing) {
	t.Helper()
	r := &renewing{give: give}
	h := apptest.New(t, replace(t, func(n network.Network) network.Network {
		r.Network = n
		return r
	}))
	ws := h.Workspace("one")
	a := ws.Account("threads")
	h.Clock.Advance(31 * 24 * time.Hour)
	return h, ws, a, r
}

func TestARenewalThatIsDueAtOnceDoesNotRunInCircles(t *testing.T) {
	t.Parallel()
	var seen []network.Token
	var h *apptest.Harness
	h, _, a, _ := renewal(t, func(_ context.Context, old network.Token) (network.Token, error) {
		seen = append(seen, old)
		old.Access, old.RefreshAt = "a2", h.Clock.Now()
		return old, nil
	})
	refreshAll(t, h.App)
	if n := refreshAll(t, h.App); n != 0 {
		t.Errorf("%d renewals are due at once", n)
	}
	h.Clock.Advance(time.Minute)
	refreshAll(t, h.App)
	if len(seen) != 2 || seen[1].Access != "a2" || len(seen[1].Scopes) == 0 {
		t.Errorf("%d renewals, the last of %q %v", len(seen), seen[len(seen)-1].Access.Reveal(), seen[len(seen)-1].Scopes)
	}
	if got := stored[string](t, h, a, "status"); got != "ok" {
		t.Errorf("the status is %s", got)
	}
}

// The network ends the old token when it gives a new one, so a renewal that has begun is finished and stored.
func TestARenewalThatHasBegunIsStored(t *testing.T) {
	t.Parallel()
	fresh := network.Token{Access: "a2", Refresh: "r2"}
	t.Run("also when its caller stops", func(t *testing.T) {
		t.Parallel()
		caller, stop := context.WithCancel(t.Context())
		h, ws, a, _ := renewal(t, func(ctx context.Context, _ network.Token) (network.Token, error) {
			stop()
			return fresh, ctx.Err()
		})
		before := stored[[]byte](t, h, a, "token")
		must(t, h.App.RefreshDueTokenAndSaveResult(caller, ws.ID, ws.AccountID(a)))
		if bytes.Equal(before, stored[[]byte](t, h, a, "token")) {
			t.Error("the new token is lost")
		}
	})
	t.Run("also when the database fails once", func(t *testing.T) {
		t.Parallel()
		var h *apptest.Harness
		h, _, a, r := renewal(t, func(ctx context.Context, _ network.Token) (network.Token, error) {
			_, err := h.Pool.Exec(ctx, `
				CREATE SEQUENCE writes;
				CREATE FUNCTION fail_first() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
					IF nextval('writes') = 1 THEN RAISE EXCEPTION 'the first write fails'; END IF;
					RETURN NEW;
				END $$;
				CREATE TRIGGER fail_first BEFORE UPDATE ON accounts FOR EACH ROW EXECUTE FUNCTION fail_first()`)
			return fresh, err
		})
		before := stored[[]byte](t, h, a, "token")
		refreshAll(t, h.App)
		if r.calls != 1 || bytes.Equal(before, stored[[]byte](t, h, a, "token")) {
			t.Errorf("after %d calls the new token is lost", r.calls)
		}
	})
}

func TestAnEmptyTokenNeverReplacesOne(t *testing.T) {
	t.Parallel()
	h, _, a, r := renewal(t, func(context.Context, network.Token) (network.Token, error) { return network.Token{Refresh: "r2"}, nil })
	before := stored[[]byte](t, h, a, "token")
	refreshAll(t, h.App)
	if r.calls != 1 || !bytes.Equal(before, stored[[]byte](t, h, a, "token")) ||
		stored[string](t, h, a, "status") != "ok" {
		t.Errorf("after %d calls the token changed", r.calls)
	}
}

func TestFailedRenewalsBackOff(t *testing.T) {
	t.Parallel()
	h, _, a, r := renewal(t, func(context.Context, network.Token) (network.Token, error) {
		return network.Token{}, &network.Error{Kind: network.Unknown, Message: "no answer"}
	})
	due := stored[time.Time](t, h, a, "token_refresh_at")
	h.Clock.Set(due)
	var tries []time.Duration
	for h.Clock.Now().Sub(due) < 8*time.Hour {
		refreshAll(t, h.App)
		next := stored[time.Time](t, h, a, "token_refresh_at")
		tries = append(tries, next.Sub(h.Clock.Now()))
		h.Clock.Set(next)
	}
	if tries[0] != time.Minute || tries[1] != time.Minute || tries[2] != 2*time.Minute || tries[3] != 4*time.Minute ||
		tries[len(tries)-1] != time.Hour {
		t.Errorf("the waits are %v", tries)
	}
	if r.calls != len(tries) || stored[string](t, h, a, "status") != "ok" {
		t.Errorf("%d calls in %d tries", r.calls, len(tries))
	}
}

func TestAReconnectionDuringARenewalWins(t *testing.T) {
	t.Parallel()
	asked, answer := make(chan struct{}), make(chan struct{})
	h, ws, a, _ := renewal(t, func(context.Context, network.Token) (network.Token, error) {
		close(asked)
		<-answer
		return network.Token{}, &network.Error{Kind: network.Revoked, Message: "withdrawn"}
	})
	done := make(chan error, 1)
	go func() { done <- h.App.RefreshDueTokenAndSaveResult(t.Context(), ws.ID, ws.AccountID(a)) }()
	<-asked
	ws.Account("threads", *a.Username)
	fresh := stored[[]byte](t, h, a, "token")
	close(answer)
	must(t, <-done)
	if stored[string](t, h, a, "status") != "ok" || !bytes.Equal(fresh, stored[[]byte](t, h, a, "token")) {
		t.Error("the old token's end was taken for the new one's")
	}
}

// The person removes the app while the token is being renewed.
func TestARenewalThatFailsForNowDoesNotUndoARevocation(t *testing.T) {
	t.Parallel()
	var revoke func()
	h, ws, a, _ := renewal(t, func(context.Context, network.Token) (network.Token, error) {
		revoke()
		return network.Token{}, &network.Error{Kind: network.Unknown, Message: "no answer"}
	})
	revoke = func() {
		_, err := h.Store.In(ws.ID).MarkAccountRevokedUnlessGrantedLater(t.Context(), ws.AccountID(a), h.Clock.Now(), "removed")
		must(t, err)
	}
	must(t, h.App.RefreshDueTokenAndSaveResult(t.Context(), ws.ID, ws.AccountID(a)))
	status, reason := stored[string](t, h, a, "status"), stored[string](t, h, a, "status_reason")
	if status != "revoked" || reason != "removed" {
		t.Errorf("the account is %s: %q", status, reason)
	}
}

func TestAWorkerThatDiesGivesTheRenewalBack(t *testing.T) {
	t.Parallel()
	var h *apptest.Harness
	dying := true
	h, ws, a, r := renewal(t, func(_ context.Context, old network.Token) (network.Token, error) {
		if dying {
			dying = false
			panic("killed")
		}
		return old, nil
	})
	func() {
		defer func() { _ = recover() }()
		_ = h.App.RefreshDueTokenAndSaveResult(t.Context(), ws.ID, ws.AccountID(a))
	}()
	if n := refreshAll(t, h.App); n != 0 {
		t.Errorf("%d are due while it is claimed", n)
	}
	h.Clock.Advance(5 * time.Minute)
	if n := refreshAll(t, h.App); n != 1 || r.calls != 2 {
		t.Errorf("%d are due after the lease, %d calls", n, r.calls)
	}
}

func TestATokenThatNobodyCanRenewExpiresAtItsDate(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	a := ws.Account("facebook")
	_, err := h.Pool.Exec(t.Context(), `UPDATE accounts SET token_expires_at = $1`, h.Clock.Now().Add(time.Hour))
	must(t, err)
	h.Clock.Advance(time.Hour - time.Second)
	refreshAll(t, h.App)
	if got := stored[string](t, h, a, "status"); got != "ok" {
		t.Errorf("before its date it is %s", got)
	}
	h.Clock.Advance(time.Second)
	refreshAll(t, h.App)
	if got := stored[string](t, h, a, "status"); got != "expired" || stored[string](t, h, a, "status_reason") == "" {
		t.Errorf("at its date it is %s", got)
	}
}

func TestADisconnectedAccountIsNotRenewed(t *testing.T) {
	t.Parallel()
	h, ws, a, r := renewal(t, func(context.Context, network.Token) (network.Token, error) {
		return network.Token{}, errors.New("asked")
	})
	must(t, h.App.DisconnectAccount(t.Context(), ws.Owner, a.ID))
	refreshAll(t, h.App)
	must(t, h.App.RefreshDueTokenAndSaveResult(t.Context(), ws.ID, ws.AccountID(a)))
	if r.calls != 0 {
		t.Errorf("the network was asked %d times", r.calls)
	}
	must(t, h.App.RefreshDueTokenAndSaveResult(t.Context(), ws.ID, core.NewID[core.AccountKind]()))
}
