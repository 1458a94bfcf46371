package app

import (
	"context"
	"fmt"
	"time"

	"belfry/internal/store"
)

// workerMemory is how long a worker that reports no more is remembered.
const workerMemory = 24 * time.Hour

// Housekeep drops what is past its use: sessions, devices, consents, kept answers, counters of limits.
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
