package app

import (
	"context"
	"encoding/json"
	"fmt"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/secret"
	"belfry/internal/store"
)

// ListAccounts lists the connected accounts, oldest first.
func (a *App) ListAccounts(ctx context.Context, c core.Caller) (contract.Accounts, error) {
	t, err := a.enter(c, core.Read)
	if err != nil {
		return contract.Accounts{}, err
	}
	list, err := t.Accounts(ctx)
	return contract.Accounts{Accounts: convertAll(list, a.accountOf)}, err
}

func (a *App) accountOf(account core.Account) contract.Account {
	out := contract.AccountOf(account)
	out.AvatarURL = a.browserURL(account.AvatarURL)
	return out
}

// convertAll converts the elements of a list. The result is never nil, which JSON would show as null.
func convertAll[From, To any](list []From, convert func(From) To) []To {
	out := make([]To, len(list))
	for i, v := range list {
		out[i] = convert(v)
	}
	return out
}

// AccountCard is an account as the page of accounts shows it.
type AccountCard struct {
	core.Account
	Queued int // posts that wait for their time
}

// AccountCards lists the connected accounts with what a person wants to know before they disconnect one.
func (a *App) AccountCards(ctx context.Context, c core.Caller) ([]AccountCard, error) {
	t, err := a.enter(c, core.Read)
	if err != nil {
		return nil, err
	}
	list, err := t.Accounts(ctx)
	if err != nil {
		return nil, err
	}
	queued, err := t.QueuedByAccount(ctx)
	return convertAll(list, func(a core.Account) AccountCard { return AccountCard{a, queued[a.ID]} }), err
}

// Limits tells what each network takes: the numbers that the plan's check uses.
func (a *App) Limits(_ context.Context, c core.Caller) (contract.Limits, error) {
	if err := c.Need(core.Read); err != nil {
		return contract.Limits{}, err
	}
	out := contract.Limits{Limits: map[string]any{}}
	for _, r := range a.cfg.Networks.Rules() {
		d := r.Describe()
		out.Limits[string(d.ID)] = contract.LimitsOf(d.Limits)
	}
	return out, nil
}

// NetworkCard is a network as the page of accounts offers it.
type NetworkCard struct {
	network.Description
	// Configured tells whether this server has the credentials that connecting needs.
	Configured bool
}

// Networks lists the networks that accounts can be connected to.
func (a *App) Networks() []NetworkCard {
	var cards []NetworkCard
	for _, n := range a.cfg.Networks.List() {
		cards = append(cards, NetworkCard{n.Describe(), n.Configured()})
	}
	return cards
}

const purposeToken = "token"

func tokenPlace(account core.AccountID, ws core.WorkspaceID) string {
	return secret.Place("accounts", "token", account.String(), ws.String())
}

func (a *App) sealToken(account core.AccountID, ws core.WorkspaceID, token network.Token) (store.SealedToken, error) {
	plain, err := json.Marshal(token)
	if err != nil {
		return store.SealedToken{}, fmt.Errorf("write the token of account %s: %w", account, err)
	}
	return store.SealedToken{
		Sealed:    a.cfg.Ring.Seal(purposeToken, tokenPlace(account, ws), plain),
		ExpiresAt: token.ExpiresAt, RefreshAt: token.RefreshAt,
	}, nil
}

// openToken opens the sealed token of an account.
func (a *App) openToken(account core.Account, ws core.WorkspaceID, sealed []byte) (network.Token, error) {
	plain, err := a.cfg.Ring.Open(purposeToken, tokenPlace(account.ID, ws), sealed)
	if err != nil {
		return network.Token{}, fmt.Errorf("open the token of account %s: %w", account.ID, err)
	}
	var token network.Token
	if err := json.Unmarshal(plain, &token); err != nil {
		return network.Token{}, fmt.Errorf("read the token of account %s: %w", account.ID, err)
	}
	return token, nil
}

// otherNetworks is why an account is revoked that was connected while something else stood in for the networks.
const otherNetworks = "The account was connected when this server used other networks. Reconnect the account."

// ReviewAccounts revokes the accounts that belong to other networks than the ones in use (a simulator's
// when the real ones are, or the other way round), so that no token is ever shown to a stranger. It is
// called once when the service starts; accounts that belong here again are taken back into use.
func (a *App) ReviewAccounts(ctx context.Context) error {
	if err := a.cfg.Store.ReviewAccounts(ctx, a.cfg.NetworksURL, otherNetworks); err != nil {
		return fmt.Errorf("review accounts: %w", err)
	}
	return nil
}
