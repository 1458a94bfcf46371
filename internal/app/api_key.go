package app

import (
	"context"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/secret"
	"belfry/internal/store"
)

// ListKeys lists the workspace's API keys, newest first. Only a person who manages the workspace may list them.
func (a *App) ListKeys(ctx context.Context, c core.Caller) (contract.Keys, error) {
	t, err := a.authorizeManager(c)
	if err != nil {
		return contract.Keys{}, err
	}
	list, err := t.Keys(ctx)
	return contract.Keys{Keys: convertAll(list, contract.KeyOf)}, err
}

// CreateKey creates an API key that acts for the caller. Only this response contains the key itself.
func (a *App) CreateKey(ctx context.Context, c core.Caller, in contract.CreateKey) (contract.Key, error) {
	t, err := a.authorizeReauthenticatedManager(c)
	if err != nil {
		return contract.Key{}, err
	}
	if err := checkName("name", "The key's name", in.Name); err != nil {
		return contract.Key{}, err
	}
	scope := core.Scope(in.Scope)
	if scope != core.Read && scope != core.Write {
		return contract.Key{}, core.Invalid("scope", "The scope must be %q or %q.", core.Read, core.Write)
	}
	key, hash, hint := secret.NewAPIKey()
	k := core.Key{
		ID: core.NewID[core.KeyKind](), Name: in.Name, Scope: scope, Hint: hint, CreatedBy: c.AttributedUser(),
		CreatedAt: a.cfg.Now().UTC(),
	}
	err = t.Tx(ctx, func(t store.Tenant) error {
		if err := t.AddKey(ctx, k, hash[:]); err != nil {
			return err
		}
		return t.AddAuditEntry(ctx, core.AuditEntry{
			Action: core.AuditKeyCreated, Actor: c, Subject: k.ID.String(),
			After: map[string]string{"name": k.Name, "scope": string(k.Scope)},
		})
	})
	if err != nil {
		return contract.Key{}, err
	}
	out := contract.KeyOf(k)
	out.Key = key
	return out, nil
}

// RevokeKey deletes an API key. Later requests with the key get unauthenticated.
func (a *App) RevokeKey(ctx context.Context, c core.Caller, id string) error {
	t, err := a.authorizeReauthenticatedManager(c)
	t, keyID, err := parseIDUnlessFailed[core.KeyKind](t, id, err)
	if err != nil {
		return err
	}
	return t.Tx(ctx, func(t store.Tenant) error {
		if err := t.DeleteKey(ctx, keyID); err != nil {
			return err
		}
		return t.AddAuditEntry(ctx, core.AuditEntry{Action: core.AuditKeyRevoked, Actor: c, Subject: id})
	})
}
