package app

import (
	"context"
	"encoding/base32"
	"errors"
	"fmt"
	"strings"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/queue"
	"belfry/internal/store"
)

// CallbackAnswer is the response to a network's callback. Its fields are empty unless the network requested an
// erasure.
type CallbackAnswer struct {
	StatusURL string // the page with the status of the erasure, for the person
	Code      string // the code of that page
}

// VerifyCallbackAndUpdateAccounts handles a network's call to this server. It returns not_found for a call that the
// network has not signed, as for an unknown address. A signed call about a person unknown to this server changes
// nothing.
func (a *App) VerifyCallbackAndUpdateAccounts(ctx context.Context, platform string, c network.Callback,
) (CallbackAnswer, error) {
	n, ok := a.cfg.Networks.FindConnector(core.Platform(platform))
	if !ok || !n.IsConfigured() {
		return CallbackAnswer{}, core.NotFound()
	}
	reader, ok := n.(network.CallbackReader)
	if !ok {
		return CallbackAnswer{}, core.NotFound()
	}
	notice, err := reader.VerifyCallback(c)
	if errors.Is(err, network.ErrNotSigned) {
		return CallbackAnswer{}, core.NotFound().WithCause(err)
	}
	grant := hashGrantOrNil(notice.Grant)
	if err != nil || grant == nil {
		return CallbackAnswer{}, err
	}
	switch notice.Kind {
	case network.AccessRemoved:
		markRemoved := func(t store.Tenant, id core.AccountID) error {
			return a.markAccessRemovedUnlessReconnected(ctx, t, id, n.Describe().Name, notice.At)
		}
		return CallbackAnswer{}, a.forEachConnectedGrantAccount(ctx, grant, notice.At, markRemoved)
	case network.PostsChanged:
		wake := func(t store.Tenant, id core.AccountID) error { return t.WakePostsAwaitingNetwork(ctx, id) }
		return CallbackAnswer{}, a.forEachConnectedGrantAccount(ctx, grant, notice.At, wake)
	case network.DataUnwanted:
		return a.enqueueErasure(ctx, grant, notice.At)
	}
	return CallbackAnswer{}, nil
}

// forEachConnectedGrantAccount calls act for each account that the grant covered at the given time and that is still
// connected.
func (a *App) forEachConnectedGrantAccount(ctx context.Context, grantHash []byte, coveredAt time.Time,
	act func(store.Tenant, core.AccountID) error,
) error {
	accounts, err := a.cfg.Store.AccountsOfGrant(ctx, grantHash, a.cfg.NetworksURL, coveredAt)
	for _, account := range accounts {
		if err == nil && account.Connected {
			err = act(a.tenantForNetwork(account), account.ID)
		}
	}
	if err != nil {
		return fmt.Errorf("handle a network's callback: %w", err)
	}
	return nil
}

// markAccessRemovedUnlessReconnected marks an account as revoked after its person has removed the app on the network,
// unless the account was reconnected since then.
func (a *App) markAccessRemovedUnlessReconnected(ctx context.Context, t store.Tenant, id core.AccountID,
	networkName string, removedAt time.Time,
) error {
	return t.Tx(ctx, func(t store.Tenant) error {
		reason := fmt.Sprintf("Belfry's access was removed on %s. Reconnect the account.", networkName)
		changed, err := t.MarkAccountRevokedUnlessGrantedLater(ctx, id, removedAt, reason)
		if err != nil || !changed {
			return err
		}
		return t.AddAuditEntry(ctx, core.AuditEntry{
			Action: core.AuditAccessRemoved, Actor: core.NewWorkerCaller(t.WorkspaceID()), Subject: id.String(),
		})
	})
}

// purposeErasure is the purpose of the message authentication codes from which erasure codes are derived.
const purposeErasure = "erasure"

// erasureCodes is the encoding of erasure codes, before they are converted to lower case.
var erasureCodes = base32.StdEncoding.WithPadding(base32.NoPadding)

// enqueueErasure stores a person's request to delete their data, and enqueues the deletion. A repeated call gets the
// same answer.
func (a *App) enqueueErasure(ctx context.Context, grantHash []byte, askedAt time.Time) (CallbackAnswer, error) {
	sum := a.cfg.Ring.ComputeMAC(purposeErasure, string(grantHash)+askedAt.UTC().Format(time.RFC3339))
	code := strings.ToLower(erasureCodes.EncodeToString(sum[:15]))
	err := a.cfg.Store.Tx(ctx, func(s *store.Store) error {
		e := store.Erasure{Code: code, Grant: grantHash, ConnectedVia: a.cfg.NetworksURL, AskedAt: askedAt}
		added, err := s.AddErasure(ctx, e)
		if err != nil || !added {
			return err
		}
		return s.EnqueueMany(ctx, []queue.Job{queue.Erase{Code: code}})
	})
	if err != nil {
		return CallbackAnswer{}, fmt.Errorf("store an erasure: %w", err)
	}
	return CallbackAnswer{StatusURL: a.cfg.PublicURL + "/erasures/" + code, Code: code}, nil
}

const (
	// erasedName replaces the name of an account whose data was deleted.
	erasedName   = "Deleted account"
	reasonErased = "The account was disconnected because its owner asked the network to delete their data."
)

// EraseGrantData disconnects all accounts that an erasure covers, and deletes what their network has reported about
// them. The data of an account cannot be erased while one of its posts is being published. EraseGrantData returns how
// long to wait before trying again, or 0 if there is nothing left to do.
func (a *App) EraseGrantData(ctx context.Context, erasureCode string) (retryAfter time.Duration, err error) {
	e, err := a.cfg.Store.Erasure(ctx, erasureCode)
	if errors.Is(err, store.ErrNotFound) || err == nil && !e.DoneAt.IsZero() {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read an erasure: %w", err)
	}
	accounts, err := a.cfg.Store.AccountsOfGrant(ctx, e.Grant, e.ConnectedVia, e.AskedAt)
	if err != nil {
		return 0, fmt.Errorf("find the accounts to erase: %w", err)
	}
	for _, account := range accounts {
		switch err := a.disconnectAndEraseUnlessReconnected(ctx, account, e); {
		case core.CodeOf(err) == core.CodeConflict:
			retryAfter = core.FollowUpRetryDelay(a.cfg.Now().Sub(e.AskedAt), 0)
		case err != nil:
			return 0, fmt.Errorf("erase account %s: %w", account.ID, err)
		}
	}
	if retryAfter == 0 {
		err = a.cfg.Store.MarkErasureDone(ctx, erasureCode)
	}
	return retryAfter, err
}

// disconnectAndEraseUnlessReconnected disconnects an account, adds an alert, and deletes the account's data, unless the
// account was connected again after the erasure was requested. It returns conflict while one of the account's posts is
// being published.
func (a *App) disconnectAndEraseUnlessReconnected(
	ctx context.Context, account store.GrantAccount, e store.Erasure,
) error {
	return a.tenantForNetwork(account).Tx(ctx, func(t store.Tenant) error {
		account, err := t.LockGrantOfAccount(ctx, account.ID, e.Grant, e.AskedAt)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if account.Connected {
			if err := a.disconnectAccountInTx(ctx, t, account.ID, reasonErased); err != nil {
				return err
			}
			if err := t.AddAlertAboutAccount(ctx, account.ID); err != nil {
				return err
			}
		}
		avatar, err := t.EraseDisconnectedAccount(ctx, account.ID, erasedName)
		if err != nil {
			return err
		}
		if avatar != "" {
			if err := t.Enqueue(ctx, queue.DeleteBlobs{Keys: []string{avatar}}, time.Time{}); err != nil {
				return err
			}
		}
		return t.AddAuditEntry(ctx, core.AuditEntry{
			Action: core.AuditAccountErased, Actor: core.NewWorkerCaller(t.WorkspaceID()), Subject: account.ID.String(),
		})
	})
}

// ErasureStatus is the status of an erasure.
type ErasureStatus struct {
	AskedAt time.Time
	DoneAt  time.Time // zero until the erasure is done
}

// GetErasureStatus returns the status of the erasure with a code, or not_found. Anybody with the code can call it.
func (a *App) GetErasureStatus(ctx context.Context, erasureCode string) (ErasureStatus, error) {
	if _, err := erasureCodes.DecodeString(strings.ToUpper(erasureCode)); err != nil {
		return ErasureStatus{}, core.NotFound().WithCause(err)
	}
	e, err := a.cfg.Store.Erasure(ctx, erasureCode)
	return ErasureStatus{AskedAt: e.AskedAt, DoneAt: e.DoneAt}, err
}
