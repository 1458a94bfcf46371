package app

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/queue"
	"belfry/internal/store"
)

const (
	// refreshLease is how long a renewal is one worker's alone, refreshCall how long it may take: it ends
	// before the lease does.
	refreshLease = 5 * time.Minute
	refreshCall  = 4 * time.Minute
	// finishAgain is how long a worker waits before it stores a renewed token once more.
	finishAgain = time.Second
	// refreshSoonest is how long a new token is used before it is renewed, whatever the network says.
	refreshSoonest = time.Minute

	// renewalWait is how long a call whose token has lapsed waits for another worker that is renewing it.
	renewalWait = 5 * time.Second
	renewalPoll = 100 * time.Millisecond

	refreshBatch = 500

	pastItsDate = "The access token has expired. Reconnect the account."
)

// ExpireTokensAndListRefreshes lists the tokens to renew now. It also marks tokens as expired that have passed their date and cannot
// be renewed.
func (a *App) ExpireTokensAndListRefreshes(ctx context.Context) ([]queue.Refresh, error) {
	if err := a.cfg.Store.MarkExpiredAccounts(ctx, pastItsDate); err != nil {
		return nil, fmt.Errorf("mark expired accounts: %w", err)
	}
	due, err := a.cfg.Store.DueRefreshes(ctx, refreshBatch)
	if err != nil {
		return nil, fmt.Errorf("list tokens to renew: %w", err)
	}
	return due, nil
}

// RefreshDueToken renews an account's token before it expires. One statement claims the renewal by moving its due time
// past the lease, so no transaction is open during the call; if the worker dies, the claim ends with the lease. The
// result is stored only if the account still has the token that was claimed. A temporary failure changes only the
// time of the next attempt.
func (a *App) RefreshDueToken(ctx context.Context, ws core.WorkspaceID, id core.AccountID) error {
	t, err := a.enter(core.NewWorkerCaller(ws), core.Write)
	if err != nil {
		return err
	}
	_, err = a.claimAndRefresh(ctx, t, id, nil)
	return err
}

// renewLapsedToken renews a token that has lapsed, and returns the account's token as it is then, also sealed: another
// worker may have renewed it. If there is no new token, the error is a *network.Error with what that says of the
// account.
func (a *App) renewLapsedToken(ctx context.Context, ws core.WorkspaceID, id core.AccountID,
	sealedLapsed []byte,
) (network.Token, []byte, error) {
	t, err := a.enter(core.NewWorkerCaller(ws), core.Write)
	if err != nil {
		return network.Token{}, nil, err
	}
	claimed, err := a.claimAndRefresh(ctx, t, id, sealedLapsed)
	if err != nil {
		return network.Token{}, nil, err
	}
	var account core.Account
	var sealed []byte
	var backoff time.Duration
	for waited := time.Duration(0); ; waited += renewalPoll {
		account, sealed, err = t.AccountWithToken(context.WithoutCancel(ctx), id)
		if err == nil {
			backoff, err = t.TokenRefreshBackoff(context.WithoutCancel(ctx), id)
		}
		settled := account.Status != core.AccountOK || !bytes.Equal(sealed, sealedLapsed) || backoff > 0
		if err != nil || claimed || settled || waited >= renewalWait || ctx.Err() != nil {
			break
		}
		select {
		case <-ctx.Done():
		case <-time.After(renewalPoll):
		}
	}
	switch {
	case err != nil:
		return network.Token{}, nil, err
	case account.Status != core.AccountOK:
		kind := network.Revoked
		if account.Status == core.AccountExpired {
			kind = network.Expired
		}
		return network.Token{}, nil, &network.Error{Kind: kind, Message: account.StatusReason}
	case bytes.Equal(sealed, sealedLapsed) && backoff > 0:
		return network.Token{}, nil, &network.Error{
			Kind: network.RateLimited, Message: "The access token could not be renewed.", RetryAfter: backoff,
		}
	case bytes.Equal(sealed, sealedLapsed):
		return network.Token{}, nil, &network.Error{Kind: network.NotSent, Message: "The access token could not be renewed."}
	}
	token, err := a.openToken(account, ws, sealed)
	return token, sealed, err
}

// claimAndRefresh renews a token that is due for it or is the lapsed one. It returns false if another worker is
// renewing the token, or has renewed it.
func (a *App) claimAndRefresh(ctx context.Context, t store.Tenant, id core.AccountID, sealedLapsed []byte) (bool, error) {
	account, sealed, err := t.ClaimTokenRefresh(ctx, id, sealedLapsed, refreshLease)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("claim the renewal of account %s: %w", id, err)
	}
	// The network may end the old token when it gives a new one, so the renewal is finished and stored even if the
	// caller has gone.
	ctx, cancel := network.WithDeadline(context.WithoutCancel(ctx), a.cfg.Now(), a.cfg.Now().Add(refreshLease))
	defer cancel()
	result, err := a.callRefresh(ctx, t, account, sealed)
	if err != nil {
		return true, err
	}
	for {
		if err = t.SaveTokenRefresh(ctx, id, sealed, result); err == nil {
			return true, nil
		}
		select {
		case <-ctx.Done():
			return true, fmt.Errorf("store the renewed token of account %s: %w", id, err)
		case <-time.After(finishAgain):
			a.cfg.Log.WarnContext(ctx, "could not store a renewed token; trying again", "account", id, "error", err)
		}
	}
}

func (a *App) callRefresh(ctx context.Context, t store.Tenant, account core.Account,
	sealed []byte,
) (store.RefreshResult, error) {
	same := store.RefreshResult{Status: core.AccountOK}
	old, err := a.openToken(account, t.WorkspaceID(), sealed)
	if err != nil {
		return same, err
	}
	n, _ := a.cfg.Networks.Get(account.Platform)
	r, ok := n.(network.Refresher)
	if !ok {
		same.NeverAuto = true
		return same, nil
	}
	ctx, cancel := context.WithTimeout(ctx, refreshCall)
	defer cancel()
	log := a.cfg.Log.With("workspace", t.WorkspaceID(), "account", account.ID, "network", account.Platform)
	fresh, err := r.Refresh(ctx, old)
	if err == nil && fresh.Access == "" {
		err = errors.New("the network did not return a token")
	}
	if err != nil {
		log.WarnContext(ctx, "an account's token could not be renewed", "error", err)
		result := refreshResultFromError(err)
		a.cfg.Metrics.CountRefresh(string(account.Platform), refreshOutcomes[result.Status])
		return result, nil
	}
	token, err := a.sealToken(account.ID, t.WorkspaceID(), a.delayNextRenewal(fresh))
	if err != nil {
		return same, err
	}
	log.InfoContext(ctx, "an account's token was renewed")
	a.cfg.Metrics.CountRefresh(string(account.Platform), "renewed")
	same.Token = &token
	return same, nil
}

// delayNextRenewal makes sure that the next renewal is not due immediately, whatever the network says.
func (a *App) delayNextRenewal(t network.Token) network.Token {
	if soonest := a.cfg.Now().Add(refreshSoonest); !t.RefreshAt.IsZero() && t.RefreshAt.Before(soonest) {
		t.RefreshAt = soonest
	}
	return t
}

// refreshOutcomes maps the status of an account after a failed renewal to its label in the metrics.
var refreshOutcomes = map[core.AccountStatus]string{
	core.AccountOK: "later", core.AccountExpired: "expired", core.AccountRevoked: "revoked",
}

// accountStatusFromError returns the status that an account has after an error of the network, and the network's message.
// The status is "" if the account keeps its status.
func accountStatusFromError(err error) (core.AccountStatus, string) {
	if e, ok := errors.AsType[*network.Error](err); ok {
		return e.Kind.AccountStatus(), e.Message
	}
	return "", ""
}

func refreshResultFromError(err error) store.RefreshResult {
	if status, reason := accountStatusFromError(err); status != "" {
		return store.RefreshResult{Status: status, Reason: reason, NeverAuto: true}
	}
	result := store.RefreshResult{Status: core.AccountOK}
	if e, ok := errors.AsType[*network.Error](err); ok {
		result.Wait = e.RetryAfter
	}
	return result
}

// ListDueChecks lists the accounts whose token must be checked with the network now.
func (a *App) ListDueChecks(ctx context.Context) ([]queue.Check, error) {
	due, err := a.cfg.Store.DueChecks(ctx, refreshBatch)
	if err != nil {
		return nil, fmt.Errorf("list accounts to check: %w", err)
	}
	return due, nil
}

// CheckDueAccount asks the network whether an account's token still works, so that people learn about an invalid token
// before a post fails, and what the account may do. Only a definite answer about the token changes the account.
func (a *App) CheckDueAccount(ctx context.Context, ws core.WorkspaceID, id core.AccountID) error {
	t, err := a.enter(core.NewWorkerCaller(ws), core.Write)
	if err != nil {
		return err
	}
	account, sealed, err := t.ClaimAccountCheck(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("claim the check of account %s: %w", id, err)
	}
	err = a.checkAndUpdateAccount(ctx, t, account, sealed)
	if ctx.Err() != nil { // stopped, not checked: the claim runs out and another worker checks
		return err
	}
	if e, ok := errors.AsType[*network.Error](err); ok { // not checked: the check follows the next renewal
		return t.ScheduleAccountCheck(ctx, id, cmp.Or(e.RetryAfter, store.CheckLease))
	}
	return errors.Join(err, t.ScheduleAccountCheck(ctx, id, store.CheckEvery))
}

// checkAndUpdateAccount asks the network about an account's token and marks the account if the token does not work. It returns a
// *network.Error if the token has lapsed and could not be renewed.
func (a *App) checkAndUpdateAccount(ctx context.Context, t store.Tenant, account core.Account, sealed []byte) error {
	token, err := a.openToken(account, t.WorkspaceID(), sealed)
	if err != nil {
		return err
	}
	n, ok := a.cfg.Networks.Get(account.Platform)
	if !ok {
		return nil
	}
	if token.HasLapsed(a.cfg.Now()) { // which a check would take for a lost account
		token, sealed, err = a.renewLapsedToken(ctx, t.WorkspaceID(), account.ID, sealed)
		if err != nil {
			return err
		}
	}
	asking, cancel := context.WithTimeout(ctx, refreshCall)
	defer cancel()
	err = n.Verify(asking, token)
	if err == nil {
		a.tryUpdateFacts(asking, t, n, account, token)
		a.tryUpdateProfile(asking, t, n, account, token)
	}
	status, reason := accountStatusFromError(err)
	if status == "" {
		return nil
	}
	a.cfg.Log.WarnContext(ctx, "an account's token no longer works", "workspace", t.WorkspaceID(), "account", account.ID, "network",
		account.Platform, "error", err)
	if err := t.MarkTokenRefused(context.WithoutCancel(ctx), account.ID, sealed, status, reason); err != nil {
		return fmt.Errorf("store the result of checking account %s: %w", account.ID, err)
	}
	return nil
}
