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

	// revokeCall is how long a call that revokes a grant may take. revokeLease is how long no other worker makes that
	// call; when the lease ends, the call can no longer take effect.
	revokeCall  = 30 * time.Second
	revokeLease = 2 * time.Minute
)

// hashGrantOrNil returns the hash of a token's grant, or nil if the grant is not known. The database stores only the
// hash.
func hashGrantOrNil(grant string) []byte {
	if grant == "" {
		return nil
	}
	sum := secret.HashToken(purposeGrant, grant)
	return sum[:]
}

// revocationEncryptionContext returns the context to which the encryption of a revocation's token is bound.
func revocationEncryptionContext(grantHash []byte) string {
	return secret.EncryptionContext("revocations", "token", hex.EncodeToString(grantHash), "")
}

// enqueueUnusedGrantRevocation enqueues a job for RevokeUnusedGrant, which asks the network to revoke an account's
// grant if no other account needs it. It does nothing if the network cannot revoke grants. The caller disconnects the
// account in the same transaction.
func (a *App) enqueueUnusedGrantRevocation(ctx context.Context, t store.Tenant, id core.AccountID) error {
	account, sealed, err := t.AccountWithTokenIncludingDisconnected(ctx, id)
	if err != nil {
		return err
	}
	n, _ := a.cfg.Networks.FindConnector(account.Platform)
	if _, can := n.(network.Revoker); !can || len(sealed) == 0 || account.ConnectedVia != a.cfg.NetworksURL {
		return nil
	}
	token, err := a.openToken(account, t.WorkspaceID(), sealed)
	if err != nil { // the key is lost, which must not prevent disconnecting
		a.cfg.Log.WarnContext(ctx, "cannot revoke an account's grant on its network, because the account's token cannot be decrypted",
			"account", id, "error", err)
		return nil
	}
	grant := hashGrantOrNil(token.Grant)
	if grant == nil {
		return nil
	}
	r := store.Revocation{Grant: grant, Platform: account.Platform, ConnectedVia: account.ConnectedVia}
	if r.Token, err = a.sealTokenInContext(revocationEncryptionContext(grant), token); err != nil {
		return err
	}
	if err := t.AddRevocation(ctx, r); err != nil {
		return fmt.Errorf("store a revocation: %w", err)
	}
	return t.Enqueue(ctx, queue.Revoke{Grant: grant}, time.Time{})
}

// lockGrantsAndCheckNotRevoked prevents the grants of the profiles' tokens from being revoked until the transaction
// ends. By then, connected accounts use the grants. It returns conflict if one of them was revoked after the consent
// began.
func lockGrantsAndCheckNotRevoked(ctx context.Context, t store.Tenant, consent store.PendingConsent,
	profiles []network.Profile,
) error {
	var grants [][]byte
	for _, p := range profiles {
		if grant := hashGrantOrNil(p.Token.Grant); grant != nil {
			grants = append(grants, grant)
		}
	}
	revoked, err := t.LockGrantsAndCheckRevoked(ctx, grants, consent.BegunAt)
	if err == nil && revoked {
		return core.Fail(core.CodeConflict,
			"An account that shared this access was disconnected a moment ago, which may have ended the new access too.").
			WithHint(hintConnectAgain)
	}
	return err
}

// RevokeUnusedGrant asks a network to revoke a grant that no account on this server needs. It returns how long to wait
// before trying again, or 0 if there is nothing left to do.
func (a *App) RevokeUnusedGrant(ctx context.Context, grantHash []byte) (retryAfter time.Duration, err error) {
	r, err := a.cfg.Store.ClaimRevocation(ctx, grantHash, revokeLease)
	if errors.Is(err, store.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("claim a revocation: %w", err)
	}
	log := a.cfg.Log.With("network", r.Platform)
	err = a.refreshLapsedTokenAndRevokeGrant(ctx, &r)
	failed, called := errors.AsType[*network.Error](err)
	ended := true // no call can still take effect
	switch age := a.cfg.Now().Sub(r.AskedAt); {
	case err == nil:
		log.InfoContext(ctx, "revoked a grant that is no longer needed")
	case !called:
		log.ErrorContext(ctx, "cannot ask the network to revoke a grant that is no longer needed", "error", err)
	case failed.Kind == network.Rejected || failed.Kind == network.Expired || failed.Kind == network.Revoked:
		log.InfoContext(ctx, "the network does not recognize a grant that is no longer needed, or refuses to revoke it", "error", err)
	case age < core.FollowUpLifetime:
		log.InfoContext(ctx, "could not revoke a grant that is no longer needed; will try again later", "error", err)
		return max(core.FollowUpRetryDelay(age, failed.RetryAfter), revokeLease), nil
	default:
		log.WarnContext(ctx, "could not revoke a grant that is no longer needed; giving up", "error", err)
		ended = false
	}
	return 0, a.cfg.Store.FinishRevocationAndDeleteToken(context.WithoutCancel(ctx), r, ended)
}

// refreshLapsedTokenAndRevokeGrant asks the network to revoke the grant. If the token has lapsed, it first renews the
// token and stores the new one in the database and in r. The error is a *network.Error if the call to the network
// failed.
func (a *App) refreshLapsedTokenAndRevokeGrant(ctx context.Context, r *store.Revocation) error {
	n, _ := a.cfg.Networks.FindConnector(r.Platform)
	revoker, ok := n.(network.Revoker)
	if !ok || !n.IsConfigured() || r.ConnectedVia != a.cfg.NetworksURL {
		return errors.New("this server does not use the network that issued the grant")
	}
	token, err := a.openTokenInContext(revocationEncryptionContext(r.Grant), r.Token)
	if err != nil {
		return err
	}
	ctx, cancel := network.WithMonotonicAndWallDeadline(ctx, a.cfg.Now(), a.cfg.Now().Add(revokeCall))
	defer cancel()
	if refresher, can := n.(network.Refresher); can && token.HasLapsed(a.cfg.Now()) {
		fresh, err := refresher.RefreshToken(ctx, token)
		if err != nil {
			return err
		}
		token = fresh
		sealed, err := a.sealTokenInContext(revocationEncryptionContext(r.Grant), token)
		if err == nil {
			err = a.cfg.Store.ReplaceRevocationTokenIfUnchanged(context.WithoutCancel(ctx), *r, sealed)
		}
		if err != nil {
			return err
		}
		r.Token = sealed
	}
	return revoker.RevokeGrant(ctx, token)
}
