package app

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/queue"
	"belfry/internal/secret"
	"belfry/internal/store"
)

const (
	purposeGrant = "grant"

	// revokeCall is how long telling a network to end a grant may take, and revokeLease how long no other worker does:
	// after it, the call can no longer take effect.
	revokeCall  = 30 * time.Second
	revokeLease = 2 * time.Minute
)

// hashGrant is what is stored of a token's grant; nil of one that is not known.
func hashGrant(grant string) []byte {
	if grant == "" {
		return nil
	}
	sum := secret.HashToken(purposeGrant, grant)
	return sum[:]
}

func revocationPlace(grant []byte) string {
	return secret.SealPlace("revocations", "token", hex.EncodeToString(grant), "")
}

// enqueueRevocation enqueues the revocation of an account's grant, if its network has a call for it. The caller disconnects
// the account in the same transaction.
func (a *App) enqueueRevocation(ctx context.Context, t store.Tenant, id core.AccountID) error {
	account, sealed, err := t.AccountWithToken(ctx, id)
	if err != nil {
		return err
	}
	n, _ := a.cfg.Networks.Get(account.Platform)
	if _, can := n.(network.Revoker); !can || len(sealed) == 0 || account.ConnectedVia != a.cfg.NetworksURL {
		return nil
	}
	token, err := a.openToken(account, t.WorkspaceID(), sealed)
	if err != nil { // the key is lost: an account can be disconnected nevertheless
		a.cfg.Log.WarnContext(ctx, "the grant of an account is not revoked at its network", "account", id, "error", err)
		return nil
	}
	grant := hashGrant(token.Grant)
	if grant == nil {
		return nil
	}
	r := store.Revocation{Grant: grant, Platform: account.Platform, ConnectedVia: account.ConnectedVia}
	if r.Token, err = a.sealTokenAt(revocationPlace(grant), token); err != nil {
		return err
	}
	if err := t.AddRevocation(ctx, r); err != nil {
		return fmt.Errorf("store that a grant must be revoked: %w", err)
	}
	return t.Enqueue(ctx, queue.Revoke{Grant: grant}, time.Time{})
}

// lockUnrevokedGrants prevents the grants of new tokens from being revoked until the transaction ends, when accounts need them.
// It returns conflict if one was revoked since the person was asked for consent.
func lockUnrevokedGrants(ctx context.Context, t store.Tenant, consent store.Connection, profiles []network.Profile) error {
	var grants [][]byte
	for _, p := range profiles {
		if grant := hashGrant(p.Token.Grant); grant != nil {
			grants = append(grants, grant)
		}
	}
	revoked, err := t.LockGrants(ctx, grants, consent.BegunAt)
	if err == nil && revoked {
		return core.Fail(core.CodeConflict, "Belfry has just ended its earlier access at the network, which also ended the new one.").
			WithHint("Start again.")
	}
	return err
}

// RevokeGrant asks a network to revoke a grant that no account of this server needs any more. It returns after how long
// to try again, 0 for never.
func (a *App) RevokeGrant(ctx context.Context, grantHash []byte) (retryAfter time.Duration, err error) {
	r, err := a.cfg.Store.ClaimRevocation(ctx, grantHash, revokeLease)
	if errors.Is(err, store.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("claim a revocation: %w", err)
	}
	log := a.cfg.Log.With("network", r.Platform)
	err = a.refreshAndRevoke(ctx, &r)
	failed, called := errors.AsType[*network.Error](err)
	ended := true // no call can take effect any more
	switch age := a.cfg.Now().Sub(r.AskedAt); {
	case err == nil:
		log.InfoContext(ctx, "the network has revoked the grant of disconnected accounts")
	case !called:
		log.ErrorContext(ctx, "cannot ask the network to revoke the grant of disconnected accounts", "error", err)
	case failed.Kind == network.Rejected || failed.Kind == network.Expired || failed.Kind == network.Revoked:
		log.InfoContext(ctx, "the grant of disconnected accounts is revoked already, or the network does not revoke it", "error", err)
	case age < core.FollowUpLifetime:
		log.InfoContext(ctx, "the network did not revoke the grant of disconnected accounts; trying again", "error", err)
		return max(core.FollowUpDelay(age, failed.RetryAfter), revokeLease), nil
	default:
		log.WarnContext(ctx, "the network did not revoke the grant of disconnected accounts; giving up", "error", err)
		ended = false
	}
	return 0, a.cfg.Store.FinishRevocation(context.WithoutCancel(ctx), r, ended)
}

// refreshAndRevoke makes the call, and renews the token before if it has lapsed. Its error is a *network.Error if a network
// gave it.
func (a *App) refreshAndRevoke(ctx context.Context, r *store.Revocation) error {
	n, _ := a.cfg.Networks.Get(r.Platform)
	revoker, ok := n.(network.Revoker)
	if !ok || !n.Configured() || r.ConnectedVia != a.cfg.NetworksURL {
		return errors.New("this server does not use the network")
	}
	token, err := a.openTokenAt(revocationPlace(r.Grant), r.Token)
	if err != nil {
		return err
	}
	ctx, cancel := network.WithDeadline(ctx, a.cfg.Now(), a.cfg.Now().Add(revokeCall))
	defer cancel()
	if refresher, can := n.(network.Refresher); can && token.HasLapsed(a.cfg.Now()) {
		fresh, err := refresher.Refresh(ctx, token)
		if err != nil {
			return err
		}
		token = fresh
		sealed, err := a.sealTokenAt(revocationPlace(r.Grant), token)
		if err == nil {
			err = a.cfg.Store.ReplaceRevocationToken(context.WithoutCancel(ctx), *r, sealed)
		}
		if err != nil {
			return err
		}
		r.Token = sealed
	}
	return revoker.Revoke(ctx, token)
}
