package store

import (
	"context"
	"errors"
	"time"

	"belfry/internal/core"
)

// Revocation is a request to a network to end a grant.
type Revocation struct {
	Grant        []byte // its hash
	Platform     core.Platform
	ConnectedVia string // as in core.Account
	Token        []byte // encrypted
	AskedAt      time.Time
}

// grantTurn is the class of the advisory locks of grants.
const grantTurn = int32(0x67726e74) // "grnt"

// lockGrantsInTx locks grants until the transaction ends. Other transactions that lock one of them wait.
func (s *Store) lockGrantsInTx(ctx context.Context, grantHashes ...[]byte) error {
	return s.exec(ctx, `
		SELECT pg_advisory_xact_lock(@class, key) FROM (
			SELECT DISTINCT hashtext(encode(g, 'hex')) AS key FROM unnest(@grants::bytea[]) AS g ORDER BY key) AS keys`,
		args{"class": grantTurn, "grants": grantHashes})
}

// AddRevocation stores that a grant must be ended. The caller enqueues the job that does it, in the same transaction.
func (t Tenant) AddRevocation(ctx context.Context, r Revocation) error {
	return t.store.exec(ctx, `
		INSERT INTO revocations (grant_hash, platform, connected_at, token, asked_at)
		VALUES (@grant, @platform, @connected, @token, clock())
		ON CONFLICT (grant_hash) DO UPDATE SET platform = @platform, connected_at = @connected, token = @token,
			asked_at = clock()`,
		args{"grant": r.Grant, "platform": r.Platform, "connected": r.ConnectedVia, "token": r.Token})
}

// LockGrantsAndCheckRevoked prevents the grants from being revoked until the transaction ends. It reports whether one
// of them was, or may have been, revoked since consentBegun, the time at which the consent was requested.
func (t Tenant) LockGrantsAndCheckRevoked(ctx context.Context, grantHashes [][]byte, consentBegun time.Time,
) (anyRevoked bool, err error) {
	if err := t.store.lockGrantsInTx(ctx, grantHashes...); err != nil {
		return false, err
	}
	return queryValue[bool](t.store.query(ctx,
		`SELECT EXISTS (SELECT FROM revocations WHERE grant_hash = ANY(@grants) AND quiet_at >= @begun)`,
		args{"grants": grantHashes, "begun": consentBegun}))
}

// ClaimRevocation returns the revocation of a grant that must be ended now, and keeps other workers from calling the
// network about it during the lease. It returns ErrNotFound if an account needs the grant, if the grant was ended, or
// if another worker is ending it. An account of the network with an unknown grant may need this grant too.
// If an account needs the grant, ClaimRevocation also deletes the revocation's token: the grant stays.
func (s *Store) ClaimRevocation(ctx context.Context, grantHash []byte, lease time.Duration) (r Revocation, err error) {
	err = s.Tx(ctx, func(s *Store) error {
		if err := s.lockGrantsInTx(ctx, grantHash); err != nil {
			return err
		}
		const needed = `EXISTS (SELECT FROM accounts a WHERE a.disconnected_at IS NULL AND (a.grant_hash = @grant
			OR a.grant_hash IS NULL AND a.platform = r.platform AND length(a.token) > 0))`
		a := args{"grant": grantHash, "meanwhile": lease}
		r, err = queryOne[Revocation](s.query(ctx, `
			UPDATE revocations r SET quiet_at = clock() + @meanwhile::interval
			WHERE grant_hash = @grant AND length(token) > 0 AND (quiet_at IS NULL OR quiet_at <= clock()) AND NOT `+needed+`
			RETURNING grant_hash AS "grant", platform, connected_at AS connected_via, token, asked_at`, a))
		if !errors.Is(err, ErrNotFound) {
			return err
		}
		// A token that was replaced since this statement began belongs to a later request, which has its own job.
		return s.exec(ctx, `
			UPDATE revocations r SET token = '' FROM revocations seen
			WHERE r.grant_hash = @grant AND seen.grant_hash = @grant AND r.token = seen.token AND `+needed,
			args{"grant": grantHash})
	})
	if err == nil && r.Grant == nil {
		err = ErrNotFound
	}
	return r, err
}

// ReplaceRevocationTokenIfUnchanged stores the renewed token of a claimed revocation. It does nothing if the token has
// changed since it was claimed.
func (s *Store) ReplaceRevocationTokenIfUnchanged(ctx context.Context, r Revocation, sealed []byte) error {
	return s.exec(ctx, `UPDATE revocations SET token = @sealed WHERE grant_hash = @grant AND token = @old`,
		args{"grant": r.Grant, "old": r.Token, "sealed": sealed})
}

// FinishRevocationAndDeleteToken deletes the token of a claimed revocation, because nothing is left to do.
// noCallPending says whether it is certain that no call can still take effect.
func (s *Store) FinishRevocationAndDeleteToken(ctx context.Context, r Revocation, noCallPending bool) error {
	return s.exec(ctx, `
		UPDATE revocations SET token = CASE WHEN token = @token THEN '' ELSE token END,
			quiet_at = CASE WHEN @ended THEN clock() ELSE quiet_at END
		WHERE grant_hash = @grant`, args{"grant": r.Grant, "token": r.Token, "ended": noCallPending})
}

// DeleteOldRevocations deletes revocations that were requested longer than keepFor ago. It also deletes finished
// revocations whose last call took effect longer than consentLifetime ago, because no consent in progress is older.
func (s *Store) DeleteOldRevocations(ctx context.Context, keepFor, consentLifetime time.Duration) error {
	return s.exec(ctx, `
		DELETE FROM revocations WHERE asked_at < clock() - @lifetime::interval
			OR length(token) = 0 AND (quiet_at IS NULL OR quiet_at < clock() - @consent::interval)`,
		args{"lifetime": keepFor, "consent": consentLifetime})
}
