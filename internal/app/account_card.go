package app

import (
	"context"
	"slices"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/store"
)

// AccountCard is an account as the accounts page shows it.
type AccountCard struct {
	core.Account
	Posts store.AccountPostStats
	// Quotas are the limits on what the account may publish on its network, and how much of each is used.
	Quotas []AccountQuota
	// Blocked is why the network did not accept posts when Belfry last asked; "" if it accepted them.
	Blocked string
	// Unreachable lists the kinds of files that the network cannot download from this server.
	Unreachable []core.FileKind
	// KeepsGrant reports that an older version of Belfry connected the account. While the account is connected, Belfry
	// cannot revoke the access of other accounts on the same network.
	KeepsGrant bool
}

// AccountQuota is how much of a network's limit an account has used.
type AccountQuota struct {
	Used, Limit int
	Name        string // what is counted, such as posts, Reels or uploads
	Window      time.Duration
	Day         bool // the limit applies to a day in the network's time zone, not to Window
	Server      bool // all accounts of this server share the limit
	// ToldAt is when the network reported Used, if Belfry has published a post since then; zero otherwise.
	ToldAt time.Time
}

// IsNearLimit reports whether at least 90 percent of the quota is used.
func (q AccountQuota) IsNearLimit() bool {
	return core.PostQuota{Used: q.Used, Limit: q.Limit}.IsNearlyUsed()
}

// AccountFilter selects connected accounts. Fields with the zero value do not filter.
type AccountFilter struct {
	Query    string // words to find in the name or the handle
	Platform core.Platform
	Status   core.AccountStatus // core.AccountBroken selects all accounts that are not ok
}

// selects reports whether the filter selects the account.
func (f AccountFilter) selects(account core.Account) bool {
	return core.MatchesSearch(account.DisplayName+" @"+account.Username, f.Query) &&
		(f.Platform == "" || f.Platform == account.Platform) &&
		(f.Status == "" || f.Status == account.Status || f.Status == core.AccountBroken && account.Status != core.AccountOK)
}

// ListAccountCards lists the connected accounts that the filter selects, with all data for the accounts page.
func (a *App) ListAccountCards(ctx context.Context, c core.Caller, f AccountFilter) ([]AccountCard, error) {
	t, err := a.authorize(c, core.Read)
	if err != nil {
		return nil, err
	}
	list, err := t.ConnectedAccounts(ctx)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(account core.Account) bool { return !f.selects(account) })
	now := a.cfg.Now()
	counts, err := t.PostStatsByAccount(ctx, core.LostAccessCodes(), now.Add(-lostFor))
	if err != nil {
		return nil, err
	}
	facts, err := t.AccountFacts(ctx, nil)
	if err != nil {
		return nil, err
	}
	counted, err := a.loadCallQuotas(ctx, list)
	if err != nil {
		return nil, err
	}
	posts := map[core.AccountID]store.AccountPostStats{}
	for _, p := range counts {
		posts[p.Account] = p
	}
	return convertAll(list, func(account core.Account) AccountCard {
		told := facts[account.ID].OnlyValidFor(time.Time{}, now)
		n, _ := a.cfg.Networks.FindConnector(account.Platform)
		_, revokes := n.(network.Revoker)
		return AccountCard{
			Account: account, Posts: posts[account.ID], Blocked: told.Blocked, Unreachable: a.unreachableFileKinds(account),
			Quotas:     append(quotasFromFacts(told, posts[account.ID].LastAt), counted[account.ID]...),
			KeepsGrant: account.GrantUnknown && revokes,
		}
	}), nil
}

// quotasFromFacts returns the quotas that the network has reported for an account. lastPostLiveAt is when the account's
// last post went live: it sets ToldAt if the network reported the quotas before that.
func quotasFromFacts(facts core.Facts, lastPostLiveAt time.Time) []AccountQuota {
	if facts.Quota == nil {
		return nil
	}
	q := AccountQuota{Used: facts.Quota.Used, Limit: facts.Quota.Limit, Name: "posts", Window: facts.Quota.Window}
	if lastPostLiveAt.After(facts.ToldAt) {
		q.ToldAt = facts.ToldAt
	}
	return []AccountQuota{q}
}

// loadCallQuotas returns, for each account, the quotas on network calls that this server counts itself.
func (a *App) loadCallQuotas(ctx context.Context, accounts []core.Account) (map[core.AccountID][]AccountQuota, error) {
	type counter struct {
		platform    core.Platform
		scope, name string
	}
	scopeOf := func(b network.Budget, account core.Account) string {
		if b.Scope == network.ScopeApp {
			return ""
		}
		return account.ID.String()
	}
	budgets := map[core.Platform][]network.Budget{}
	var platforms []core.Platform
	for _, n := range a.cfg.Networks.Connectors() {
		if d := n.Describe(); len(d.Quotas) > 0 {
			budgets[d.ID] = d.Quotas
			platforms = append(platforms, d.ID)
		}
	}
	scopes := []string{""}
	for _, account := range accounts {
		scopes = append(scopes, account.ID.String())
	}
	rows, err := a.cfg.Store.CountedCalls(ctx, platforms, scopes)
	if err != nil {
		return nil, err
	}
	calls := map[counter][]time.Time{}
	for _, r := range rows {
		calls[counter{r.Platform, r.Scope, r.Name}] = r.Calls
	}
	quotas := map[core.AccountID][]AccountQuota{}
	for _, account := range accounts {
		for _, b := range budgets[account.Platform] {
			if b.Count == 0 { // the operator has switched the limit off
				continue
			}
			q := AccountQuota{
				Limit: b.Count, Name: b.Name, Window: b.Window, Day: b.Day != nil, Server: b.Scope == network.ScopeApp,
			}
			since, _ := b.PeriodAt(a.cfg.Now())
			for _, at := range calls[counter{account.Platform, scopeOf(b, account), b.Name}] {
				if at.After(since) {
					q.Used++
				}
			}
			quotas[account.ID] = append(quotas[account.ID], q)
		}
	}
	return quotas, nil
}
