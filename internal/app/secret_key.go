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

// reasonKeyLost is the reason for revoking an account whose token cannot be decrypted.
const reasonKeyLost = "The key that encrypted this account's token is lost. Reconnect the account."

// CheckSecretKeys returns an error if the secret keys cannot decrypt the tokens in the database. Without the right
// keys, a worker would claim every post and publish none.
func (a *App) CheckSecretKeys(ctx context.Context) error {
	samples, err := a.cfg.Store.SampleTokenPerSecretKey(ctx)
	if err != nil {
		return fmt.Errorf("read one encrypted token for each secret key: %w", err)
	}
	for _, s := range samples {
		if a.checkTokenDecrypts(s) == nil {
			continue
		}
		id, unsound := secret.SealingKeyID(s.Token)
		if unsound != nil {
			id = "unknown"
		}
		return fmt.Errorf("some accounts' tokens are encrypted with the key %q, which is missing from the secret keys or has changed: "+
			"restore the key, or, if it is lost, run `%s` and reconnect those accounts", id, RevokeUnreadableCommand)
	}
	return nil
}

// checkTokenDecrypts returns an error if an account's token cannot be decrypted.
func (a *App) checkTokenDecrypts(t store.AccountToken) error {
	_, err := a.cfg.Ring.Open(purposeToken, tokenEncryptionContext(t.ID, t.WorkspaceID), t.Token)
	return err
}

// ListUnreadableAccountsAndRevokeIf returns the connected accounts whose tokens cannot be decrypted. If confirmed is
// set, it also revokes them and deletes their tokens, so that people can reconnect them. Queued posts then fail as for
// any revoked account.
func (a *App) ListUnreadableAccountsAndRevokeIf(ctx context.Context, confirmed bool) ([]core.Account, error) {
	tokens, err := a.cfg.Store.AllAccountTokens(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the accounts' tokens: %w", err)
	}
	var lost []store.AccountToken
	var out []core.Account
	for _, t := range tokens {
		if a.checkTokenDecrypts(t) != nil {
			lost = append(lost, t)
			out = append(out, core.Account{ID: t.ID, Platform: t.Platform, DisplayName: t.DisplayName})
		}
	}
	if !confirmed || len(lost) == 0 {
		return out, nil
	}
	err = a.cfg.Store.Tx(ctx, func(s *store.Store) error {
		if err := s.DeleteTokensAndMarkAccountsRevoked(ctx, lost, reasonKeyLost); err != nil {
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

// Rotation is the result of one pass of ReencryptSecretsWithNewestKey.
type Rotation struct {
	Resealed   int // values that are now encrypted with the newest key
	Busy       int // values that were in use; another pass encrypts them
	Unreadable int // values that no key can decrypt
}

// rotateBatch is how many values are read at a time.
const rotateBatch = 500

// ReencryptSecretsWithNewestKey re-encrypts all values that were not encrypted with the newest key. It can run beside
// the service, and can be interrupted at any time. Every process must have the newest key before
// ReencryptSecretsWithNewestKey runs.
func (a *App) ReencryptSecretsWithNewestKey(ctx context.Context) (Rotation, error) {
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

// resealColumn re-encrypts the values of one column with the newest key, and adds the results to the counts in total.
func resealColumn[K core.Kind](ctx context.Context, a *App, column store.SealedColumn, purpose string,
	total *Rotation,
) error {
	var after core.ID[K]
	for {
		batch, err := store.SealedValuesWithoutPrefix(ctx, a.cfg.Store, column, a.cfg.Ring.CurrentSealPrefix(), after,
			rotateBatch)
		if err != nil || len(batch) == 0 {
			return err
		}
		for _, v := range batch {
			after = v.ID
			bound := secret.EncryptionContext(column.Table, column.Column, v.ID.String(), v.Workspace.String())
			sealed, err := a.cfg.Ring.Reseal(purpose, bound, v.Sealed)
			if err != nil {
				total.Unreadable++
				continue
			}
			replaced, err := store.ReplaceSealedIfUnchanged(ctx, a.cfg.Store, column, v, sealed, refreshLease)
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

// CountSealedBySecretKeyAndUpdateMetric counts the encrypted values by the id of their secret key, and updates the
// metric that shows these counts. A key whose count has been 0 for two days can be removed.
func (a *App) CountSealedBySecretKeyAndUpdateMetric(ctx context.Context) (countByKeyID map[string]int64, err error) {
	counts, err := a.cfg.Store.CountSealedBySecretKey(ctx)
	if err != nil {
		return nil, fmt.Errorf("count encrypted values: %w", err)
	}
	for _, id := range a.cfg.Ring.KeyIDs() {
		counts[id] += 0 // show a key without values as 0
	}
	a.cfg.Metrics.SetSealedValues(counts)
	return counts, nil
}
