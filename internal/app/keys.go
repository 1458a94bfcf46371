package app

import (
	"context"
	"fmt"

	"belfry/internal/secret"
)

// ReviewKeys returns an error when the secret keys do not open the tokens that the database holds. A worker
// that went on without them would claim every post and send none.
func (a *App) ReviewKeys(ctx context.Context) error {
	samples, err := a.cfg.Store.KeySamples(ctx)
	if err != nil {
		return fmt.Errorf("read what the secret keys seal: %w", err)
	}
	for _, s := range samples {
		_, err := a.cfg.Ring.Open(purposeToken, tokenPlace(s.Account, s.Workspace), s.Sealed)
		if err == nil {
			continue
		}
		id, unsound := secret.SealedWith(s.Sealed)
		if unsound != nil {
			id = "unknown"
		}
		return fmt.Errorf("accounts' tokens were sealed with the key %q, which is not among the secret keys or has changed: "+
			"put it back into BELFRY_SECRET_KEYS or secret.keys of the data folder (%w)", id, err)
	}
	return nil
}
