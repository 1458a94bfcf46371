package app

import (
	"context"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/store"
)

// CreateUpload reserves storage for a file and returns the address for its bytes (Spec §4, Media). Its errors are those
// of intake.Service.ReserveUpload.
func (a *App) CreateUpload(ctx context.Context, c core.Caller, in contract.CreateUpload) (contract.Upload, error) {
	t, err := a.enter(c, core.Write)
	if err != nil {
		return contract.Upload{}, err
	}
	return a.intake.ReserveUpload(ctx, t, in, func(t store.Tenant, out contract.Upload) error {
		return saveReplay(ctx, t, out)
	})
}

// MediaFromURL adds a file that a worker downloads, and returns its record (Spec §4, Media). Its errors are those of
// intake.Service.AddFromURL.
func (a *App) MediaFromURL(ctx context.Context, c core.Caller, in contract.MediaFromURL) (contract.Media, error) {
	t, err := a.enter(c, core.Write)
	if err != nil {
		return contract.Media{}, err
	}
	m, err := a.intake.AddFromURL(ctx, t, in, func(t store.Tenant, m store.Media) error {
		return saveReplay(ctx, t, a.mediaOf(t, m))
	})
	return a.mediaOf(t, m), err
}
