package store_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"belfry/internal/core"
	"belfry/internal/store"
)

// account stores a connected account whose token is its name.
func (s side) account(t *testing.T, name string) core.AccountID {
	t.Helper()
	a := core.Account{
		ID: core.NewID[core.AccountKind](), Platform: "threads", ExternalID: name, Username: name, DisplayName: "Profile " +
			name,
		ConnectedVia: "http://here", CreatedAt: start,
	}
	must(t, s.SaveConnectedAccount(t.Context(), a, store.SealedToken{Sealed: []byte(name), ExpiresAt: start.Add(time.Hour), RefreshAt: start}))
	return a.ID
}

func TestOnlyADisconnectedAccountIsErased(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.one.account(t, "p")
	if _, err := w.one.EraseDisconnectedAccount(t.Context(), id, "Deleted account"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a connected account: %v", err)
	}
	a, err := w.one.ConnectedAccount(t.Context(), id)
	must(t, err)
	_, err = w.one.UpdateAccountProfile(t.Context(), a, new("avatars/p"))
	must(t, err)
	must(t, w.one.DisconnectAccount(t.Context(), id, "no", start))
	avatar, err := w.one.EraseDisconnectedAccount(t.Context(), id, "Deleted account")
	if avatar != "avatars/p" || err != nil {
		t.Errorf("a disconnected account: %s, %v", avatar, err)
	}
}

func TestAccountsBelongToOneWorkspace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	mine, theirs := w.one.account(t, "p"), w.two.account(t, "p")
	if mine == theirs {
		t.Fatal("one account for two workspaces")
	}
	a, token, err := w.one.AccountWithTokenIncludingDisconnected(t.Context(), mine)
	if err != nil || string(token) != "p" || a.Status != core.AccountOK || a.ExternalID != "p" ||
		!a.ExpiresAt.Equal(start.Add(time.Hour)) || a.ConnectedVia != "http://here" {
		t.Errorf("the account: %+v, %s, %v", a, token, err)
	}
	for what, call := range map[string]func() error{
		"reading": func() error { _, err := w.one.ConnectedAccount(t.Context(), theirs); return err },
		"its token": func() error {
			_, _, err := w.one.AccountWithTokenIncludingDisconnected(t.Context(), theirs)
			return err
		},
		"a renewal":  func() error { _, _, err := w.one.ClaimTokenRefresh(t.Context(), theirs, nil, time.Minute); return err },
		"no profile": func() error { _, _, err := w.one.AccountIDByExternalID(t.Context(), "threads", "q"); return err },
	} {
		missing(t, what, call())
	}
	found, err := w.one.ConnectedAccountsByID(t.Context(), []core.AccountID{mine, theirs})
	if err != nil || len(found) != 1 || found[mine].ID != mine {
		t.Errorf("by id: %+v, %v", found, err)
	}
	// What changes an account changes none of another workspace.
	isAny := func([]byte) bool { return true }
	must(t, w.one.SetAccountStatusIfTokenUnchanged(t.Context(), theirs, isAny, core.AccountRevoked, "no"))
	missing(t, "another's account", w.one.DisconnectAccount(t.Context(), theirs, "no", start))
	must(t, w.one.WakePostsAwaitingToken(t.Context(), theirs))
	must(t, w.one.SaveTokenRefreshIfUnchanged(t.Context(), theirs, []byte("p"), store.RefreshResult{Status: core.AccountRevoked}))
	same, token, err := w.two.AccountWithTokenIncludingDisconnected(t.Context(), theirs)
	if err != nil || same.Status != core.AccountOK || string(token) != "p" {
		t.Errorf("theirs: %+v, %s, %v", same, token, err)
	}
	if n, err := w.two.CountConnectedAccounts(t.Context()); err != nil || n != 1 {
		t.Errorf("they have %d, %v", n, err)
	}
	if list, err := w.one.ConnectedAccounts(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("the list: %+v, %v", list, err)
	}
	if posts, err := w.one.QueuedPostIDs(t.Context(), mine); err != nil || len(posts) != 0 {
		t.Errorf("queued: %v, %v", posts, err)
	}
	if counts, err := w.one.PostStatsByAccount(t.Context(), nil, time.Time{}); err != nil || len(counts) != 1 || counts[0].Queued != 0 {
		t.Errorf("queued: %v, %v", counts, err)
	}
}

func TestAHiddenAccountIsRevivedWithItsID(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.one.account(t, "p")
	must(t, w.one.DisconnectAccount(t.Context(), id, "disconnected", start))
	_, err := w.one.ConnectedAccount(t.Context(), id)
	missing(t, "a hidden account", err)
	a, token, err := w.one.AccountWithTokenIncludingDisconnected(t.Context(), id)
	if err != nil || a.Status != core.AccountRevoked || len(token) != 0 || !a.ExpiresAt.IsZero() {
		t.Errorf("hidden: %+v, %q, %v", a, token, err)
	}
	found, connected, err := w.one.AccountIDByExternalID(t.Context(), "threads", "p")
	if err != nil || found != id || connected {
		t.Errorf("found %s, %v, %v", found, connected, err)
	}
	isAny := func([]byte) bool { return true } // in a worker that was late
	must(t, w.one.SetAccountStatusIfTokenUnchanged(t.Context(), id, isAny, core.AccountExpired, ""))
	a.Username = "renamed"
	a.CreatedAt = start.Add(time.Hour)
	must(t, w.one.SaveConnectedAccount(t.Context(), a, store.SealedToken{Sealed: []byte("new")}))
	back, err := w.one.ConnectedAccount(t.Context(), id)
	if err != nil || back.Username != "renamed" || back.Status != core.AccountOK || back.StatusReason != "" ||
		!back.CreatedAt.Equal(start) {
		t.Errorf("revived: %+v, %v", back, err)
	}
}

func TestARenewalIsClaimedOnceAndKeepsANewerToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.one.account(t, "p")
	due, err := w.DueTokenRefreshes(t.Context(), 10)
	if err != nil || len(due) != 1 || due[0].Account != id || due[0].Workspace != w.one.id {
		t.Fatalf("due: %+v, %v", due, err)
	}
	_, claimed, err := w.one.ClaimTokenRefresh(t.Context(), id, nil, time.Hour)
	must(t, err)
	_, _, err = w.one.ClaimTokenRefresh(t.Context(), id, nil, time.Hour)
	missing(t, "a second claim", err)
	a, err := w.one.ConnectedAccount(t.Context(), id)
	must(t, err)
	must(t, w.one.SaveConnectedAccount(t.Context(), a, store.SealedToken{Sealed: []byte("by a person"), ExpiresAt: start.Add(48 * time.Hour)}))
	late := store.RefreshResult{Status: core.AccountRevoked, Reason: "old news", NeverAuto: true}
	must(t, w.one.SaveTokenRefreshIfUnchanged(t.Context(), id, claimed, late))
	a, token, err := w.one.AccountWithTokenIncludingDisconnected(t.Context(), id)
	if err != nil || a.Status != core.AccountOK || !bytes.Equal(token, []byte("by a person")) {
		t.Errorf("the newer token: %+v, %s, %v", a, token, err)
	}
	must(t, w.one.SaveTokenRefreshIfUnchanged(t.Context(), id, token, late))
	if a, err := w.one.ConnectedAccount(t.Context(), id); err != nil || a.Status != core.AccountRevoked ||
		a.StatusReason != "old news" || !a.ExpiresAt.Equal(start.Add(48*time.Hour)) {
		t.Errorf("the result: %+v, %v", a, err)
	}
}

func TestConsentsAreTakenOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	account := core.NewID[core.AccountKind]()
	c := store.PendingConsent{
		StateHash: []byte("state"), User: w.one.owner, Platform: "threads", Account: &account, SessionHash: []byte("session"),
		Verifier: []byte("v"),
	}
	must(t, w.one.AddPendingConsent(t.Context(), c, start.Add(time.Minute)))
	without := c
	without.StateHash, without.Account = []byte("other"), nil
	must(t, w.one.AddPendingConsent(t.Context(), without, start.Add(time.Minute)))
	_, err := w.two.ConsumeConsentAwaitingCallback(t.Context(), c, start)
	missing(t, "another workspace's", err)
	_, err = w.one.ConsumeConsentAwaitingChoice(t.Context(), c, start)
	missing(t, "a choice", err)
	_, err = w.one.ConsumeConsentAwaitingCallback(t.Context(), c, start.Add(time.Minute))
	missing(t, "an expired one", err)
	got, err := w.one.ConsumeConsentAwaitingCallback(t.Context(), c, start)
	if err != nil || got.Account == nil || *got.Account != account || string(got.Verifier) != "v" ||
		got.Platform != "threads" {
		t.Errorf("taken: %+v, %v", got, err)
	}
	_, err = w.one.ConsumeConsentAwaitingCallback(t.Context(), c, start)
	missing(t, "a second time", err)
	if got, err := w.one.ConsumeConsentAwaitingCallback(t.Context(), without, start); err != nil || got.Account != nil {
		t.Errorf("without an account: %+v, %v", got, err)
	}
}
