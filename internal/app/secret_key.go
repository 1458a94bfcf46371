package app

import (
	"context"
	"errors"
	"fmt"

	"belfry/internal/core"
	"belfry/internal/intake"
	"belfry/internal/publish"
	"belfry/internal/secret"
	"belfry/internal/store"
)

// RevokeUnreadableCommand is the command for an operator who has lost a secret key.
const RevokeUnreadableCommand = "belfry accounts revoke-unreadable"

// unreadable is the reason for revoking an account whose token cannot be decrypted.
const unreadable = "The key that encrypted this account's token is lost. Reconnect the account."

// CheckSecretKeys returns an error if the secret keys do not decrypt the tokens in the database. Without them, a worker
// would claim every post and publish none.
func (a *App) CheckSecretKeys(ctx context.Context) error {
	samples, err := a.cfg.Store.SampleTokenPerKey(ctx)
	if err != nil {
		return fmt.Errorf("read the encrypted values: %w", err)
	}
	for _, s := range samples {
		if a.checkTokenKey(s) == nil {
			continue
		}
		id, unsound := secret.SealingKeyID(s.Token)
		if unsound != nil {
			id = "unknown"
		}
		return fmt.Errorf("accounts' tokens were encrypted with the key %q, which is not among the secret keys or has changed: "+
			"restore it, or, if it is lost, run `%s` and reconnect those accounts", id, RevokeUnreadableCommand)
	}
	return nil
}

// checkTokenKey returns an error if an account's token cannot be decrypted.
func (a *App) checkTokenKey(t store.AccountToken) error {
	_, err := a.cfg.Ring.Open(purposeToken, tokenPlace(t.ID, t.WorkspaceID), t.Token)
	return err
}

// RevokeUnreadableAccounts finds the connected accounts whose tokens cannot be decrypted and, if confirmed, revokes them and
// deletes those tokens. People can then reconnect the accounts. Queued posts fail as for any revoked account.
func (a *App) RevokeUnreadableAccounts(ctx context.Context, confirm bool) ([]core.Account, error) {
	tokens, err := a.cfg.Store.AllAccountTokens(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the accounts' tokens: %w", err)
	}
	var lost []store.AccountToken
	var out []core.Account
	for _, t := range tokens {
		if a.checkTokenKey(t) != nil {
			lost = append(lost, t)
			out = append(out, core.Account{ID: t.ID, Platform: t.Platform, DisplayName: t.DisplayName})
		}
	}
	if !confirm || len(lost) == 0 {
		return out, nil
	}
	err = a.cfg.Store.Tx(ctx, func(s *store.Store) error {
		if err := s.RevokeAccountTokens(ctx, lost, unreadable); err != nil {
			return err
		}
		for _, t := range lost {
			revoked := core.AuditEntry{Action: core.AuditAccountsRevoked, Workspace: t.WorkspaceID, Subject: t.ID.String()}
			if err := s.AddAuditEntry(ctx, revoked); err != nil {
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

// Rotation is the result of one pass of RotateSecrets.
type Rotation struct {
	Resealed   int // values that the newest key seals now
	Busy       int // values that somebody was using; another pass seals them
	Unreadable int // values that no key opens
}

// rotateBatch is how many values are read at a time.
const rotateBatch = 500

// RotateSecrets re-encrypts with the newest key all values that were encrypted with another. It can run beside the
// service and can be interrupted at any time. Every process must have the newest key before.
func (a *App) RotateSecrets(ctx context.Context) (Rotation, error) {
	var r Rotation
	err := errors.Join(
		resealColumn[core.AccountKind](ctx, a, store.SealedTokens, purposeToken, &r),
		resealColumn[core.MediaKind](ctx, a, store.SealedSources, intake.PurposeSource, &r),
		resealColumn[core.PostKind](ctx, a, store.SealedHandles, publish.PurposeHandle, &r),
		resealColumn[core.MailKind](ctx, a, store.SealedMails, purposeMail, &r),
	)
	if err != nil {
		return r, fmt.Errorf("rotate the secret keys: %w", err)
	}
	return r, a.cfg.Store.AddAuditEntry(ctx, core.AuditEntry{Action: core.AuditSecretsRotated, After: r})
}

func resealColumn[K core.Kind](ctx context.Context, a *App, column store.SealedColumn, purpose string,
	total *Rotation,
) error {
	var after core.ID[K]
	for {
		batch, err := store.ValuesSealedOtherwise(ctx, a.cfg.Store, column, a.cfg.Ring.CurrentSealPrefix(), after,
			rotateBatch)
		if err != nil || len(batch) == 0 {
			return err
		}
		for _, v := range batch {
			after = v.ID
			place := secret.SealPlace(column.Table, column.Column, v.ID.String(), v.Workspace.String())
			sealed, err := a.cfg.Ring.Reseal(purpose, place, v.Sealed)
			if err != nil {
				total.Unreadable++
				continue
			}
			replaced, err := store.ReplaceSealed(ctx, a.cfg.Store, column, v, sealed, refreshLease)
			switch {
			case err != nil:
				return err
			case replaced:
				total.Resealed++
			default:
				total.Busy++
			}
		}
	}
}

// CountSealedByKey updates the metric of encrypted values by key. A key that encrypts none can be removed.
func (a *App) CountSealedByKey(ctx context.Context) (map[string]int64, error) {
	counts, err := a.cfg.Store.CountSealedByKey(ctx)
	if err != nil {
		return nil, fmt.Errorf("count sealed values: %w", err)
	}
	for _, id := range a.cfg.Ring.IDs() {
		counts[id] += 0 // a key that seals nothing is shown as 0
	}
	a.cfg.Metrics.SetSealedValues(counts)
	return counts, nil
}
