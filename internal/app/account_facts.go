package app

import (
	"context"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/store"
)

// factsAge is how old facts may be when somebody opens the composer.
const factsAge = 10 * time.Minute

// GetStoredAccountFacts returns the stored facts of all connected accounts, by account id. It calls no network.
func (a *App) GetStoredAccountFacts(ctx context.Context, c core.Caller,
) (factsByAccountID map[string]core.Facts, err error) {
	t, err := a.authorize(c, core.Read)
	if err != nil {
		return nil, err
	}
	told, err := t.AccountFacts(ctx, nil)
	factsByAccountID = make(map[string]core.Facts, len(told))
	for id, f := range told {
		factsByAccountID[id.String()] = f.OnlyValidFor(time.Time{}, a.cfg.Now())
	}
	return factsByAccountID, err
}

// EnqueueRefreshOfStaleFacts makes workers ask the networks for new facts of all accounts whose facts are older than
// ten minutes. It does not wait for the answers.
func (a *App) EnqueueRefreshOfStaleFacts(ctx context.Context, c core.Caller) error {
	t, err := a.authorize(c, core.Write)
	if err != nil {
		return err
	}
	accounts, err := t.ConnectedAccounts(ctx)
	if err != nil {
		return err
	}
	return t.Tx(ctx, func(t store.Tenant) error { return a.enqueueStaleFactsChecks(ctx, t, accounts, factsAge) })
}

// enqueueStaleFactsChecks makes workers check the accounts whose networks report facts, except accounts that were
// checked within maxAge.
func (a *App) enqueueStaleFactsChecks(ctx context.Context, t store.Tenant, accounts []core.Account,
	maxAge time.Duration,
) error {
	var ids []core.AccountID
	for _, account := range accounts {
		n, _ := a.cfg.Networks.FindConnector(account.Platform)
		if _, ok := n.(network.Informer); ok {
			ids = append(ids, account.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return t.EnqueueStaleAccountChecks(ctx, ids, maxAge)
}

// tryUpdateFacts asks the network for an account's facts, if the network reports any. It only logs an error; plans then
// use the earlier facts.
func (a *App) tryUpdateFacts(ctx context.Context, t store.Tenant, n network.Network, account core.Account,
	token network.Token,
) {
	informer, ok := n.(network.Informer)
	if !ok {
		return
	}
	err := a.fetchAndSaveFacts(ctx, t, informer, account, token)
	if err != nil {
		a.cfg.Log.WarnContext(ctx, "could not update an account's options and limits", "workspace", t.WorkspaceID(),
			"account", account.ID, "network", account.Platform, "error", err)
	}
}

// fetchAndSaveFacts asks the network for the facts of an account and stores them.
func (a *App) fetchAndSaveFacts(ctx context.Context, t store.Tenant, informer network.Informer, account core.Account,
	token network.Token,
) error {
	facts, err := informer.ReadAccountFacts(ctx, account.ExternalID, token)
	if err != nil {
		return err
	}
	earlier, err := t.AccountFacts(ctx, []core.AccountID{account.ID})
	if err != nil {
		return err
	}
	return t.SaveFactsIfConnected(ctx, account.ID, facts.WithEarlierChoicesIfBlocked(earlier[account.ID]))
}
