package app

import (
	"context"
	"fmt"

	"belfry/internal/core"
	"belfry/internal/secret"
	"belfry/internal/store"
)

// RevokeUnreadableCommand is what an operator runs when a secret key is lost for good.
const RevokeUnreadableCommand = "belfry accounts revoke-unreadable"

// unreadable is why an account is revoked whose token nobody can open any more.
const unreadable = "The secret key of its token is lost. Connect it again."

// ReviewKeys returns an error when the secret keys do not open the tokens that the database holds. A worker
// that went on without them would claim every post and send none.
func (a *App) ReviewKeys(ctx context.Context) error {
	samples, err := a.cfg.Store.KeySamples(ctx)
	if err != nil {
		return fmt.Errorf("read what the secret keys seal: %w", err)
	}
	for _, s := range samples {
		err := a.opens(s)
		if err == nil {
			continue
		}
		id, unsound := secret.SealedWith(s.Token)
		if unsound != nil {
			id = "unknown"
		}
		return fmt.Errorf("accounts' tokens were sealed with the key %q, which is not among the secret keys or has changed: "+
			"put it back, or, if it is lost for good, run `%s` and connect those accounts again (%w)", id, RevokeUnreadableCommand, err)
	}
	return nil
}

func (a *App) opens(t store.AccountToken) error {
	_, err := a.cfg.Ring.Open(purposeToken, tokenPlace(t.ID, t.WorkspaceID), t.Token)
	return err
}

// RevokeUnreadable finds the connected accounts whose tokens the secret keys do not open and, when confirmed,
// revokes them and forgets those tokens: people can connect them again. Their queued posts fail as those of any
// revoked account do.
func (a *App) RevokeUnreadable(ctx context.Context, confirm bool) ([]core.Account, error) {
	tokens, err := a.cfg.Store.AccountTokens(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the accounts' tokens: %w", err)
	}
	var lost []store.AccountToken
	var out []core.Account
	for _, t := range tokens {
		if a.opens(t) != nil {
			lost = append(lost, t)
			out = append(out, core.Account{ID: t.ID, Platform: t.Platform, DisplayName: t.DisplayName})
		}
	}
	if !confirm || len(lost) == 0 {
		return out, nil
	}
	err = a.cfg.Store.Tx(ctx, func(s *store.Store) error {
		if err := s.RevokeTokens(ctx, lost, unreadable); err != nil {
			return err
		}
		for _, t := range lost {
			revoked := core.AuditEntry{Action: core.AuditAccountsRevoked, Workspace: t.WorkspaceID, Subject: t.ID.String()}
			if err := s.AddAudit(ctx, revoked); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("revoke accounts: %w", err)
	}
	return out, nil
}
