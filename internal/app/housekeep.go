package app

import (
	"context"
	"fmt"
	"time"

	"belfry/internal/store"
)

// workerMemory is how long a worker that no longer reports is remembered.
const workerMemory = 24 * time.Hour

// Housekeep deletes expired sessions, devices, consents, stored responses and rate limit counters.
func (a *App) Housekeep(ctx context.Context) error {
	err := a.cfg.Store.Housekeep(ctx, a.cfg.Now(), store.Uses{
		Replays: replayKeep, Creations: a.cfg.LimitCreate.Window, Addresses: a.cfg.LimitAddress.Window, Workers: workerMemory,
		Devices: DeviceLifetime,
	})
	if err != nil {
		return fmt.Errorf("housekeep: %w", err)
	}
	_, err = a.CountSealed(ctx)
	return err
}
