package app

import (
	"bytes"
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
	t, err := a.authorize(c, core.Read)
	if err != nil {
		return contract.Accounts{}, err
	}
	list, err := t.ConnectedAccounts(ctx)
	return contract.Accounts{Accounts: convertAll(list, a.accountOf)}, err
}

// accountOf converts an account to its record, with the address of its picture.
func (a *App) accountOf(account core.Account) contract.Account {
	return contract.AccountOf(account, a.cfg.PublicURL)
}

// convertAll converts the elements of a list. The result is never nil, because nil would become null in JSON.
func convertAll[From, To any](list []From, convert func(From) To) []To {
	out := make([]To, len(list))
	for i, v := range list {
		out[i] = convert(v)
	}
	return out
}

// GetNetworkLimits returns the limits of every network. The checks of a plan use the same limits.
func (a *App) GetNetworkLimits(_ context.Context, c core.Caller) (contract.Limits, error) {
	if err := c.RequireScope(core.Read); err != nil {
		return contract.Limits{}, err
	}
	out := contract.Limits{Limits: map[string]any{}}
	for _, r := range a.cfg.Networks.Rules() {
		d := r.Describe()
		out.Limits[string(d.ID)] = contract.LimitsOf(d.Limits)
	}
	return out, nil
}

// NetworkCard is a network as the accounts page shows it.
type NetworkCard struct {
	network.Description
	// Configured reports whether this server has the credentials to connect accounts.
	Configured bool
}

// ListSupportedNetworks lists the networks to which this version can publish, configured or not.
func (a *App) ListSupportedNetworks() []NetworkCard {
	var cards []NetworkCard
	for _, n := range a.cfg.Networks.Connectors() {
		cards = append(cards, NetworkCard{n.Describe(), n.IsConfigured()})
	}
	return cards
}

const purposeToken = "token"

// tokenEncryptionContext returns the context to which the encryption of an account's token is bound.
func tokenEncryptionContext(account core.AccountID, ws core.WorkspaceID) string {
	return secret.EncryptionContext("accounts", "token", account.String(), ws.String())
}

// sealToken encrypts an account's token.
func (a *App) sealToken(account core.AccountID, ws core.WorkspaceID, token network.Token) (store.SealedToken, error) {
	sealed, err := a.sealTokenInContext(tokenEncryptionContext(account, ws), token)
	return store.SealedToken{
		Sealed:    sealed,
		ExpiresAt: token.ExpiresAt, RefreshAt: token.RefreshAt, Grant: hashGrantOrNil(token.Grant),
	}, err
}

// openToken decrypts an account's token.
func (a *App) openToken(account core.Account, ws core.WorkspaceID, sealed []byte) (network.Token, error) {
	token, err := a.openTokenInContext(tokenEncryptionContext(account.ID, ws), sealed)
	if err != nil {
		return token, fmt.Errorf("decrypt the token of account %s: %w", account.ID, err)
	}
	return token, nil
}

// isSameToken reports whether two encrypted tokens of an account are the same token, even if they were encrypted with
// different keys. It returns false if one of them cannot be decrypted.
func (a *App) isSameToken(account core.AccountID, ws core.WorkspaceID, sealed, otherSealed []byte) bool {
	if bytes.Equal(sealed, otherSealed) {
		return true
	}
	bound := tokenEncryptionContext(account, ws)
	first, err := a.cfg.Ring.Open(purposeToken, bound, sealed)
	second, errOther := a.cfg.Ring.Open(purposeToken, bound, otherSealed)
	return err == nil && errOther == nil && bytes.Equal(first, second)
}

func (a *App) openTokenInContext(encryptionContext string, sealed []byte) (token network.Token, err error) {
	plain, err := a.cfg.Ring.Open(purposeToken, encryptionContext, sealed)
	if err != nil {
		return token, err
	}
	err = json.Unmarshal(plain, &token)
	return token, err
}

func (a *App) sealTokenInContext(encryptionContext string, token network.Token) ([]byte, error) {
	plain, err := json.Marshal(token)
	if err != nil {
		return nil, fmt.Errorf("encode a token: %w", err)
	}
	return a.cfg.Ring.Seal(purposeToken, encryptionContext, plain), nil
}

// reasonOtherNetworks is the reason for revoking an account that was connected while this server used other networks.
const reasonOtherNetworks = "This server has switched networks since the account was connected, " +
	"for example, from simulated to real ones. Reconnect the account. If it does not exist on the network that this " +
	"server now uses, disconnect it and connect another one."

// RevokeOrRestoreAccountsOnNetworkSwitch revokes the accounts that were not connected through the networks now in use:
// accounts of simulated networks if the real ones are in use, or vice versa. So a token is never sent to the wrong
// host. It also restores accounts that it revoked earlier, if their networks are in use again. It is called once when
// the service starts.
func (a *App) RevokeOrRestoreAccountsOnNetworkSwitch(ctx context.Context) error {
	err := a.cfg.Store.RestoreAccountsConnectedViaAndRevokeOthers(ctx, a.cfg.NetworksURL, reasonOtherNetworks)
	if err != nil {
		return fmt.Errorf("revoke or restore accounts after a switch of networks: %w", err)
	}
	return nil
}
