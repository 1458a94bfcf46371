package app

import (
	"context"
	"errors"
	"fmt"

	"belfry/internal/core"
	"belfry/internal/queue"
	"belfry/internal/store"
)

// DueChecks lists the accounts whose token must be checked with the network now.
func (a *App) DueChecks(ctx context.Context) ([]queue.Check, error) {
	due, err := a.cfg.Store.DueChecks(ctx, refreshBatch)
	if err != nil {
		return nil, fmt.Errorf("list accounts to check: %w", err)
	}
	return due, nil
}

// CheckAccount asks the network whether an account's token still works, so that people learn about an invalid token
// before a post fails. Only a definite answer of the network changes the account.
func (a *App) CheckAccount(ctx context.Context, ws core.WorkspaceID, id core.AccountID) error {
	t, err := a.enter(core.Worker(ws), core.Write)
	if err != nil {
		return err
	}
	account, sealed, err := t.ClaimCheck(ctx, id, refreshLease)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("claim the check of account %s: %w", id, err)
	}
	err = a.checkToken(ctx, t, account, sealed)
	if ctx.Err() != nil { // stopped, not checked: the claim runs out and another worker checks
		return err
	}
	return errors.Join(err, t.FinishCheck(ctx, id))
}

// checkToken asks the network about an account's token and marks the account if the token does not work.
func (a *App) checkToken(ctx context.Context, t store.Tenant, account core.Account, sealed []byte) error {
	token, err := a.openToken(account, t.WorkspaceID(), sealed)
	if err != nil {
		return err
	}
	n, ok := a.cfg.Networks.Get(account.Platform)
	if !ok {
		return nil
	}
	asking, cancel := context.WithTimeout(ctx, refreshCall)
	defer cancel()
	err = n.Verify(asking, token)
	status, reason := lostAccountStatus(err)
	if status == "" {
		return nil
	}
	a.cfg.Log.WarnContext(ctx, "an account's token no longer works", "workspace", t.WorkspaceID(), "account", account.ID, "network",
		account.Platform, "error", err)
	if err := t.LoseToken(context.WithoutCancel(ctx), account.ID, sealed, status, reason); err != nil {
		return fmt.Errorf("store the result of checking account %s: %w", account.ID, err)
	}
	return nil
}
