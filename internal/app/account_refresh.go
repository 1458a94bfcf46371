package app

import (
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
	// refreshLease is how long only one worker may renew a token. refreshCall is how long the call may take; it ends
	// before the lease.
	refreshLease = 5 * time.Minute
	refreshCall  = 4 * time.Minute
	// finishAgain is how long a worker waits before it tries again to store a renewed token.
	finishAgain = time.Second
	// refreshSoonest is the minimum time before a new token is renewed, whatever the network says.
	refreshSoonest = time.Minute

	// renewalWait is how long a call whose token has lapsed waits while another worker renews the token.
	renewalWait = 5 * time.Second
	renewalPoll = 100 * time.Millisecond

	refreshBatch = 500

	reasonTokenExpired = "The access token has expired. Reconnect the account."
)

// MarkExpiredAccountsAndListDueRefreshes marks accounts as expired if their tokens have expired and cannot be renewed.
// It lists the accounts whose tokens are due for renewal.
func (a *App) MarkExpiredAccountsAndListDueRefreshes(ctx context.Context) ([]queue.Refresh, error) {
	if err := a.cfg.Store.MarkExpiredAccounts(ctx, reasonTokenExpired); err != nil {
		return nil, fmt.Errorf("mark accounts as expired: %w", err)
	}
	due, err := a.cfg.Store.DueTokenRefreshes(ctx, refreshBatch)
	if err != nil {
		return nil, fmt.Errorf("list tokens to renew: %w", err)
	}
	return due, nil
}

// RefreshDueTokenAndSaveResult renews an account's token if the token is due for renewal. A token is due some time
// before it expires. One statement claims the renewal by moving its due time past the lease, so no transaction is open
// during the call. If the worker dies, the claim ends with the lease. The result is stored only if the account still
// has the token that was claimed. A temporary failure changes only the time of the next attempt.
func (a *App) RefreshDueTokenAndSaveResult(ctx context.Context, ws core.WorkspaceID, id core.AccountID) error {
	t, err := a.authorize(core.NewWorkerCaller(ws), core.Write)
	if err != nil {
		return err
	}
	_, err = a.claimRefreshAndSaveResult(ctx, t, id, nil)
	return err
}

// refreshLapsedTokenOrWait renews a token that has lapsed, and returns the account's current token, also in its
// encrypted form, and the account's GrantedAt. Another worker may have renewed the token, or a person may have
// reconnected the account. If there is no new token, the error is a *network.Error that says what happened to the
// account.
func (a *App) refreshLapsedTokenOrWait(ctx context.Context, ws core.WorkspaceID, id core.AccountID,
	sealedLapsed []byte,
) (token network.Token, sealed []byte, grantedAt time.Time, err error) {
	t, err := a.authorize(core.NewWorkerCaller(ws), core.Write)
	if err != nil {
		return network.Token{}, nil, time.Time{}, err
	}
	isLapsed := func(sealed []byte) bool { return a.isSameToken(id, ws, sealed, sealedLapsed) }
	claimed := false
	account, sealed, err := t.AccountWithTokenIncludingDisconnected(ctx, id)
	if err == nil && isLapsed(sealed) {
		claimed, err = a.claimRefreshAndSaveResult(ctx, t, id, sealed)
	}
	if err != nil {
		return network.Token{}, nil, time.Time{}, err
	}
	var backoff time.Duration
	for waited := time.Duration(0); ; waited += renewalPoll {
		account, sealed, err = t.AccountWithTokenIncludingDisconnected(context.WithoutCancel(ctx), id)
		if err == nil {
			backoff, err = t.TokenRefreshBackoff(context.WithoutCancel(ctx), id)
		}
		settled := account.Status != core.AccountOK || !isLapsed(sealed) || backoff > 0
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
		return network.Token{}, nil, time.Time{}, err
	case account.Status != core.AccountOK:
		kind := network.Revoked
		if account.Status == core.AccountExpired {
			kind = network.Expired
		}
		return network.Token{}, nil, time.Time{}, &network.Error{Kind: kind, Message: account.StatusReason}
	case isLapsed(sealed) && backoff > 0:
		return network.Token{}, nil, time.Time{}, &network.Error{
			Kind: network.RateLimited, Message: "Belfry could not renew the access token.", RetryAfter: backoff,
		}
	case isLapsed(sealed):
		return network.Token{}, nil, time.Time{}, &network.Error{
			Kind: network.NotSent, Message: "Belfry could not renew the access token.",
		}
	}
	token, err = a.openToken(account, ws, sealed)
	return token, sealed, account.GrantedAt, err
}

// claimRefreshAndSaveResult renews the account's token if it is due for renewal, or if it is still the lapsed token
// sealedLapsedOrNil, and stores the result. claimed is false if another worker is renewing the token or has renewed it.
func (a *App) claimRefreshAndSaveResult(ctx context.Context, t store.Tenant, id core.AccountID,
	sealedLapsedOrNil []byte,
) (claimed bool, err error) {
	account, sealed, err := t.ClaimTokenRefresh(ctx, id, sealedLapsedOrNil, refreshLease)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("claim the token renewal of account %s: %w", id, err)
	}
	// The network may end the old token when it issues a new one, so the renewal is completed and stored even if the
	// caller is gone.
	ctx = context.WithoutCancel(ctx)
	ctx, cancel := network.WithMonotonicAndWallDeadline(ctx, a.cfg.Now(), a.cfg.Now().Add(refreshLease))
	defer cancel()
	result, err := a.requestNewTokenOrFailureResult(ctx, t, account, sealed)
	if err != nil {
		return true, err
	}
	for {
		if err = t.SaveTokenRefreshIfUnchanged(ctx, id, sealed, result); err == nil {
			return true, nil
		}
		select {
		case <-ctx.Done():
			return true, fmt.Errorf("store the result of renewing the token of account %s: %w", id, err)
		case <-time.After(finishAgain):
			a.cfg.Log.WarnContext(ctx, "could not store the result of a token renewal; trying again", "account", id,
				"error", err)
		}
	}
}

// requestNewTokenOrFailureResult asks the network for a new token and returns the result to store. If the call to the
// network fails, the result describes the failure.
func (a *App) requestNewTokenOrFailureResult(ctx context.Context, t store.Tenant, account core.Account,
	sealed []byte,
) (store.RefreshResult, error) {
	old, err := a.openToken(account, t.WorkspaceID(), sealed)
	if err != nil {
		return store.RefreshResult{}, err
	}
	n, _ := a.cfg.Networks.FindConnector(account.Platform)
	r, ok := n.(network.Refresher)
	if !ok {
		return store.RefreshResult{NeverAuto: true}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, refreshCall)
	defer cancel()
	log := a.cfg.Log.With("workspace", t.WorkspaceID(), "account", account.ID, "network", account.Platform)
	fresh, err := r.RefreshToken(ctx, old)
	if err == nil && fresh.Access == "" {
		err = errors.New("the network did not return a token")
	}
	if err != nil {
		log.WarnContext(ctx, "could not renew an account's token", "error", err)
		result := refreshResultFromError(err)
		a.cfg.Metrics.CountTokenRefresh(string(account.Platform), refreshOutcomes[result.Status])
		return result, nil
	}
	token, err := a.sealToken(account.ID, t.WorkspaceID(), a.withMinRefreshDelay(fresh))
	if err != nil {
		return store.RefreshResult{}, err
	}
	log.InfoContext(ctx, "renewed an account's token")
	a.cfg.Metrics.CountTokenRefresh(string(account.Platform), "renewed")
	return store.RefreshResult{Token: &token, Status: core.AccountOK}, nil
}

// withMinRefreshDelay returns the token, with its next renewal no earlier than refreshSoonest from now, whatever the
// network says.
func (a *App) withMinRefreshDelay(t network.Token) network.Token {
	if soonest := a.cfg.Now().Add(refreshSoonest); !t.RefreshAt.IsZero() && t.RefreshAt.Before(soonest) {
		t.RefreshAt = soonest
	}
	return t
}

// refreshOutcomes maps an account's new status after a failed renewal to its label in the metrics.
var refreshOutcomes = map[core.AccountStatus]string{
	"": "later", core.AccountExpired: "expired", core.AccountRevoked: "revoked",
}

// accountStatusFromError returns the new status of an account after an error of its network, and the network's
// message. The status is "" if the error does not change it.
func accountStatusFromError(err error) (newStatusOrEmpty core.AccountStatus, message string) {
	if e, ok := errors.AsType[*network.Error](err); ok {
		return e.Kind.ResultingAccountStatus(), e.Message
	}
	return "", ""
}

// refreshResultFromError returns the result to store after a failed renewal.
func refreshResultFromError(err error) store.RefreshResult {
	if status, reason := accountStatusFromError(err); status != "" {
		return store.RefreshResult{Status: status, Reason: reason, NeverAuto: true}
	}
	var result store.RefreshResult
	if e, ok := errors.AsType[*network.Error](err); ok {
		result.Wait = e.RetryAfter
	}
	return result
}

// ListDueAccountChecks lists the accounts whose tokens are due for a check by their networks.
func (a *App) ListDueAccountChecks(ctx context.Context) ([]queue.Check, error) {
	due, err := a.cfg.Store.DueAccountChecks(ctx, refreshBatch)
	if err != nil {
		return nil, fmt.Errorf("list accounts to check: %w", err)
	}
	return due, nil
}

// CheckAndUpdateDueAccount asks the network whether an account's token still works, so that people learn about an
// invalid token before a post fails. It also updates the account's facts and profile. It does nothing if the check is
// not due or another worker has claimed it. Only a definite answer about the token changes the account's status.
func (a *App) CheckAndUpdateDueAccount(ctx context.Context, ws core.WorkspaceID, id core.AccountID) error {
	t, err := a.authorize(core.NewWorkerCaller(ws), core.Write)
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
	err = a.verifyTokenAndUpdateAccount(ctx, t, account, sealed)
	if ctx.Err() != nil { // interrupted: the claim expires, and another worker checks
		return err
	}
	if e, ok := errors.AsType[*network.Error](err); ok { // the lapsed token could not be renewed: check again later
		return t.ScheduleAccountCheck(ctx, id, cmp.Or(e.RetryAfter, store.CheckLease))
	}
	return errors.Join(err, t.ScheduleAccountCheck(ctx, id, store.CheckEvery))
}

// verifyTokenAndUpdateAccount asks the network about an account's token. If the token works, it updates the account's
// facts and profile; if it does not, it changes the account's status. It returns a *network.Error if the token has
// lapsed and could not be renewed.
func (a *App) verifyTokenAndUpdateAccount(ctx context.Context, t store.Tenant, account core.Account,
	sealed []byte,
) error {
	token, err := a.openToken(account, t.WorkspaceID(), sealed)
	if err != nil {
		return err
	}
	n, ok := a.cfg.Networks.FindConnector(account.Platform)
	if !ok {
		return nil
	}
	if token.HasLapsed(a.cfg.Now()) { // a check would report that as lost access
		token, sealed, _, err = a.refreshLapsedTokenOrWait(ctx, t.WorkspaceID(), account.ID, sealed)
		if err != nil {
			return err
		}
	}
	asking, cancel := context.WithTimeout(ctx, refreshCall)
	defer cancel()
	err = n.VerifyToken(asking, token)
	if err == nil {
		a.tryUpdateFacts(asking, t, n, account, token)
		a.tryUpdateProfile(asking, t, n, account, token)
	}
	status, reason := accountStatusFromError(err)
	if status == "" {
		return nil
	}
	a.cfg.Log.WarnContext(ctx, "an account's token no longer works", "workspace", t.WorkspaceID(),
		"account", account.ID, "network", account.Platform, "error", err)
	isRefused := func(current []byte) bool { return a.isSameToken(account.ID, t.WorkspaceID(), current, sealed) }
	err = t.SetAccountStatusIfTokenUnchanged(context.WithoutCancel(ctx), account.ID, isRefused, status, reason)
	if err != nil {
		return fmt.Errorf("store the result of checking account %s: %w", account.ID, err)
	}
	return nil
}
