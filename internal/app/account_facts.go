package app

import (
	"context"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/store"
)

// factsAge is how old facts may be when somebody begins to write a post.
const factsAge = 10 * time.Minute

// GetAccountFacts returns what the networks have told about the connected accounts, by id, for the composer. It calls no
// network.
func (a *App) GetAccountFacts(ctx context.Context, c core.Caller) (map[string]core.Facts, error) {
	t, err := a.enter(c, core.Read)
	if err != nil {
		return nil, err
	}
	told, err := t.AccountFacts(ctx, nil)
	facts := make(map[string]core.Facts, len(told))
	for id, f := range told {
		facts[id.String()] = f.ValidFor(time.Time{}, a.cfg.Now())
	}
	return facts, err
}

// RequestFactsRefresh lets workers ask the networks again what the accounts may do, if the last answers are older than ten
// minutes. It does not wait for the answers.
func (a *App) RequestFactsRefresh(ctx context.Context, c core.Caller) error {
	t, err := a.enter(c, core.Write)
	if err != nil {
		return err
	}
	accounts, err := t.ConnectedAccounts(ctx)
	if err != nil {
		return err
	}
	return t.Tx(ctx, func(t store.Tenant) error { return a.scheduleChecks(ctx, t, accounts, factsAge) })
}

// scheduleChecks has those of the accounts checked whose networks tell facts, except those that were checked within the
// given age.
func (a *App) scheduleChecks(ctx context.Context, t store.Tenant, accounts []core.Account, maxAge time.Duration) error {
	var ids []core.AccountID
	for _, account := range accounts {
		n, _ := a.cfg.Networks.Get(account.Platform)
		if _, ok := n.(network.Informer); ok {
			ids = append(ids, account.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return t.EnqueueChecks(ctx, ids, maxAge)
}

// tryUpdateFacts asks the network what an account may do, if it tells. An error is only logged: plans then use what was
// told before.
func (a *App) tryUpdateFacts(ctx context.Context, t store.Tenant, n network.Network, account core.Account,
	token network.Token,
) {
	informer, ok := n.(network.Informer)
	if !ok {
		return
	}
	err := a.fetchAndSaveFacts(ctx, t, informer, account, token)
	if err != nil {
		a.cfg.Log.WarnContext(ctx, "the network did not tell what an account may do", "workspace", t.WorkspaceID(),
			"account", account.ID, "network", account.Platform, "error", err)
	}
}

func (a *App) fetchAndSaveFacts(ctx context.Context, t store.Tenant, informer network.Informer, account core.Account,
	token network.Token,
) error {
	facts, err := informer.AccountFacts(ctx, account.ExternalID, token)
	if err != nil {
		return err
	}
	earlier, err := t.AccountFacts(ctx, []core.AccountID{account.ID})
	if err != nil {
		return err
	}
	return t.SaveFacts(ctx, account.ID, facts.CompletedFrom(earlier[account.ID]))
}
