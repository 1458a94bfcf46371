package app_test

import (
	"fmt"
	"testing"
	"time"

	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network/sim"
	"belfry/internal/queue"
	"belfry/internal/secret"
)

// revokeCalls counts the calls that ended grants, or tried to.
func revokeCalls(h *apptest.Harness) (n int) {
	for _, call := range h.Sim.Calls.ListLast(0) {
		if call.Call == "revoke" {
			n++
		}
	}
	return n
}

// tokensToRevoke counts the tokens that are still stored for ending a grant.
func tokensToRevoke(t *testing.T, h *apptest.Harness) (n int) {
	t.Helper()
	must(t, h.Pool.QueryRow(t.Context(), `SELECT count(*) FROM revocations WHERE length(token) > 0`).Scan(&n))
	return n
}

func accountWorks(t *testing.T, h *apptest.Harness, ws *apptest.Workspace, a contract.Account) bool {
	t.Helper()
	_, err := h.Pool.Exec(t.Context(), `UPDATE accounts SET check_at = clock()`)
	must(t, err)
	must(t, h.App.CheckAndUpdateDueAccount(t.Context(), ws.ID, ws.AccountID(a)))
	return stored[string](t, h, a, "status") == "ok"
}

// Google and Meta revoke everything that a person has granted, whichever workspace uses it.
func TestTheLastAccountOfAGrantEndsIt(t *testing.T) {
	t.Parallel()
	for platform, profiles := range map[string][2]string{
		"facebook": {"Harbour Bakery", "Corner Shop"},
		"youtube":  {"harbour.bakery", "nightowl.cycles"},
		"tiktok":   {"harbour.bakery", "harbour.bakery"},
	} {
		t.Run(platform, func(t *testing.T) {
			t.Parallel()
			h := apptest.New(t)
			one, two := h.Workspace("one"), h.Workspace("two")
			first, last := one.Account(platform, profiles[0]), two.Account(platform, profiles[1])
			must(t, h.App.DisconnectAccount(t.Context(), one.Owner, first.ID))
			if again := h.WorkRevocations(); again != 0 || revokeCalls(h) != 0 || tokensToRevoke(t, h) != 0 {
				t.Errorf("again %s: %d calls, %d tokens kept", again, revokeCalls(h), tokensToRevoke(t, h))
			}
			if !accountWorks(t, h, two, last) {
				t.Error("the account of another workspace lost its access")
			}
			must(t, h.App.DisconnectAccount(t.Context(), two.Owner, last.ID))
			if tokensToRevoke(t, h) != 1 {
				t.Error("the token is not kept until the network knows")
			}
			for range 2 { // the job of the first account runs once more, and so may the last one's
				if again := h.WorkRevocations(); again != 0 {
					t.Errorf("again in %s", again)
				}
			}
			if revokeCalls(h) != 1 || tokensToRevoke(t, h) != 0 {
				t.Errorf("%d calls, %d tokens kept", revokeCalls(h), tokensToRevoke(t, h))
			}
			must(t, h.App.DeleteExpiredRowsAndUpdateSecretKeyMetric(t.Context()))
			h.Clock.Advance(21 * time.Minute)
			must(t, h.App.DeleteExpiredRowsAndUpdateSecretKeyMetric(t.Context()))
			var left int
			must(t, h.Pool.QueryRow(t.Context(), `SELECT count(*) FROM revocations`).Scan(&left))
			if left != 0 {
				t.Errorf("%d revocations are kept for ever", left)
			}
		})
	}
}

// The job of the first account sees the second as connected while the second asks for the same.
func TestAccountsOfAGrantThatEndAtOnceEndIt(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	first, last := ws.Account("facebook", "Harbour Bakery"), ws.Account("facebook", "Corner Shop")
	must(t, h.App.DisconnectAccount(t.Context(), ws.Owner, first.ID))
	var job queue.Revoke
	must(t, h.Pool.QueryRow(t.Context(), `SELECT args FROM river_job WHERE kind = 'revoke'`).Scan(&job))

	row, err := h.Pool.Begin(t.Context())
	must(t, err)
	defer row.Rollback(t.Context())
	_, err = row.Exec(t.Context(), `SELECT FROM accounts WHERE id = $1 FOR UPDATE`, ws.AccountID(last))
	must(t, err)
	ended := make(chan error, 2)
	waitForLocks := func(want int) {
		h.Eventually(fmt.Sprintf("%d wait for a lock", want), func() bool {
			var n int
			must(t, h.Pool.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity
				WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&n))
			return n == want
		})
	}
	go func() { ended <- h.App.DisconnectAccount(t.Context(), ws.Owner, last.ID) }()
	waitForLocks(1)
	go func() {
		_, err := h.App.RevokeUnusedGrant(t.Context(), job.Grant)
		ended <- err
	}()
	waitForLocks(2)
	must(t, row.Rollback(t.Context()))
	must(t, <-ended)
	must(t, <-ended)

	h.WorkRevocations()
	if revokeCalls(h) != 1 || tokensToRevoke(t, h) != 0 {
		t.Errorf("%d calls, %d tokens kept", revokeCalls(h), tokensToRevoke(t, h))
	}
}

func TestAnAccountOfAnUnknownGrantKeepsThoseOfItsNetwork(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	old, a := ws.Account("youtube", "harbour.bakery"), ws.Account("youtube", "nightowl.cycles")
	_, err := h.Pool.Exec(t.Context(), `UPDATE accounts SET grant_hash = NULL WHERE id = $1`, ws.AccountID(old))
	must(t, err)
	must(t, h.App.DisconnectAccount(t.Context(), ws.Owner, a.ID))
	h.WorkRevocations()
	if revokeCalls(h) != 0 || !accountWorks(t, h, ws, old) {
		t.Error("an account that an older version connected lost its access")
	}
}

func TestReconnectingInTimeKeepsTheGrant(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	a := ws.Account("facebook", "Harbour Bakery")
	must(t, h.App.DisconnectAccount(t.Context(), ws.Owner, a.ID))
	again := ws.Account("facebook", "Harbour Bakery")
	h.WorkRevocations()
	if revokeCalls(h) != 0 || tokensToRevoke(t, h) != 0 || !accountWorks(t, h, ws, again) {
		t.Errorf("%d calls, %d tokens kept", revokeCalls(h), tokensToRevoke(t, h))
	}
}

// The person agrees, then the old grant is ended and the new one with it, and then the way back arrives.
func TestAConsentThatARevocationHasMetConnectsNothing(t *testing.T) {
	t.Parallel()
	for name, all := range map[string]bool{"one profile": false, "a choice": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := apptest.New(t)
			ws := h.Workspace("one")
			a := ws.Account("facebook", "Harbour Bakery")
			must(t, h.App.DisconnectAccount(t.Context(), ws.Owner, a.ID))
			h.Clock.Advance(time.Second)
			start, err := h.App.StartConnect(t.Context(), ws.Owner, contract.Connect{Platform: "facebook"})
			must(t, err)
			h.Clock.Advance(time.Second)
			if all {
				offered, err := finish(t, h, ws, "facebook", h.ConsentAll(start.AuthorizeURL))
				must(t, err)
				h.WorkRevocations()
				_, err = h.App.ConnectChosenProfiles(t.Context(), ws.Owner, offered.Choice, []string{offered.Profiles[0].ExternalID})
				want(t, core.CodeConflict, err)
			} else {
				back := h.Consent(start.AuthorizeURL, "Harbour Bakery")
				h.WorkRevocations()
				_, err = h.App.FinishConnectOrReconnect(t.Context(), ws.Owner, "facebook", back)
				want(t, core.CodeConflict, err)
			}
			if n, err := h.App.ListAccounts(t.Context(), ws.Owner); err != nil || len(n.Accounts) != 0 {
				t.Errorf("accounts %+v, %v", n, err)
			}
			h.Clock.Advance(time.Second)
			if again := ws.Account("facebook", "Harbour Bakery"); !accountWorks(t, h, ws, again) {
				t.Error("starting again does not help")
			}
		})
	}
}

func TestARevocationIsTriedForADay(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	a := ws.Account("youtube")
	h.Fault(sim.Fault{Call: "revoke", Kind: sim.ServerError, Times: new(0)})
	must(t, h.App.DisconnectAccount(t.Context(), ws.Owner, a.ID))
	tries := 0
	for begun := h.Clock.Now(); ; tries++ {
		again := h.WorkRevocations()
		if again == 0 {
			break
		}
		if h.WorkRevocations(); tokensToRevoke(t, h) != 1 || revokeCalls(h) != tries+1 {
			t.Fatalf("after try %d: %d calls, %d tokens", tries, revokeCalls(h), tokensToRevoke(t, h))
		}
		if h.Clock.Advance(again); h.Clock.Now().Sub(begun) > 48*time.Hour {
			t.Fatal("it never ends")
		}
	}
	if tries < 5 || tokensToRevoke(t, h) != 0 {
		t.Errorf("given up after %d tries, with %d tokens kept", tries, tokensToRevoke(t, h))
	}
}

func TestARevocationRenewsALapsedToken(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	a := ws.Account("tiktok")
	h.Clock.Advance(3 * time.Hour)
	must(t, h.App.DisconnectAccount(t.Context(), ws.Owner, a.ID))
	h.Fault(sim.Fault{Call: "revoke", Kind: sim.ServerError})
	again := h.WorkRevocations() // the renewed token replaces the one that it used up
	h.Clock.Advance(again)
	if again == 0 || h.WorkRevocations() != 0 || revokeCalls(h) != 2 || tokensToRevoke(t, h) != 0 {
		t.Errorf("again in %s: %d calls, %d tokens", again, revokeCalls(h), tokensToRevoke(t, h))
	}
	if last := h.Sim.Calls.ListLast(1)[0]; last.Call != "revoke" || last.Status != 200 {
		t.Errorf("the last call was %+v", last)
	}
}

// Disconnecting must work whatever the network or the keys do.
func TestDisconnectingNeverWaitsForTheNetwork(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	a, b, c := ws.Account("facebook"), ws.Account("youtube"), ws.Account("threads")
	_, err := h.Pool.Exec(t.Context(), `UPDATE accounts SET connected_at = 'elsewhere' WHERE id = $1`, ws.AccountID(a))
	must(t, err)
	h.Config.Ring = ring(t, secret.NewSecretKey())
	h.App = h.Replica()
	for _, account := range []contract.Account{a, b, c} {
		must(t, h.App.DisconnectAccount(t.Context(), ws.Owner, account.ID))
	}
	if h.Jobs("revoke") != 0 || tokensToRevoke(t, h) != 0 {
		t.Errorf("%d jobs, %d tokens", h.Jobs("revoke"), tokensToRevoke(t, h))
	}
}
