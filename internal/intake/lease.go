package intake

import (
	"context"
	"errors"
	"sync"
	"time"

	"belfry/internal/core"
	"belfry/internal/store"
)

const (
	// leaseTime is how long a file stays reserved for an upload or a worker that has died.
	leaseTime = 30 * time.Second
	// saveTime is the time limit for storing a result, even if the request or the worker has been stopped.
	saveTime = 10 * time.Second
	// startPatience is how long a job may take to start before RequeueOrFailStalledFiles adds another. An extra job is
	// harmless, because only one can claim the file.
	startPatience = time.Minute
)

// errLeaseLost means that another worker has taken over the file, or the file was deleted.
var errLeaseLost = errors.New("the lease on the file was lost")

// renewLeaseWhile calls work, and renews the lease of the claim until work returns. If the lease is lost, it ends the
// context of work and returns errLeaseLost.
func (s *Service) renewLeaseWhile(
	ctx context.Context, t store.Tenant, claim store.MediaClaim, work func(context.Context) error,
) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil) // also after a panic: the lease of dead work must not be renewed
	var renewing sync.WaitGroup
	renewing.Go(func() { s.keepRenewingLease(ctx, t, claim, cancel) })
	err := work(ctx)
	cancel(nil)
	renewing.Wait()
	if err != nil && errors.Is(context.Cause(ctx), errLeaseLost) {
		return errors.Join(errLeaseLost, err)
	}
	return err
}

// keepRenewingLease renews the lease until ctx ends. If the lease is lost, it calls cancel with errLeaseLost.
func (s *Service) keepRenewingLease(
	ctx context.Context, t store.Tenant, claim store.MediaClaim, cancel context.CancelCauseFunc,
) {
	ticker := time.NewTicker(leaseTime / 3)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		held, err := t.RenewMediaClaim(ctx, claim, leaseTime)
		if err == nil && !held {
			cancel(errLeaseLost)
			return
		}
		if err != nil && ctx.Err() == nil { // the next tick comes before the lease ends
			s.cfg.Log.Warn("could not renew the lease on a file", "media", claim.ID, "error", err)
		}
	}
}

// lockAndUpdateMediaIfExists calls update in a transaction that has locked the file's row. It does nothing if the file
// was deleted.
func lockAndUpdateMediaIfExists(
	ctx context.Context, t store.Tenant, id core.MediaID, update func(store.Tenant, store.Media) error,
) error {
	return t.Tx(ctx, func(t store.Tenant) error {
		m, err := t.LockMedia(ctx, id)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		return update(t, m)
	})
}
