package apptest

import (
	"cmp"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"belfry/internal/app"
	"belfry/internal/blob"
	"belfry/internal/network"
	"belfry/internal/store"
)

// Connections are the connections of a replica to the outside. Observe, if set, is called for every call to a network.
type Connections struct {
	Pool        *pgxpool.Pool
	NetworksURL string
	Observe     func(network.Call)
}

// Through returns an option that gives a replica its own connections, like a separate process.
func (h *Harness) Through(c Connections) func(*app.Config) {
	h.t.Helper()
	return func(cfg *app.Config) {
		db, err := store.New(c.Pool)
		must(h.t, err)
		cfg.Client = newClient(h.t, c.NetworksURL, cfg.Now, c.Observe)
		cfg.Store, cfg.Networks = db, newNetworks(h.t, cfg.Client, cfg.Now)
	}
}

// Shared contains what the processes of an installation share.
type Shared struct {
	NetworksURL, MediaURL string
	SecretKey, BlobsURL   string
}

// Shared returns what another process needs to be a replica of this App, except the address of the database.
func (h *Harness) Shared() Shared {
	return Shared{
		NetworksURL: h.NetworksURL, MediaURL: cmp.Or(h.Config.MediaURL, h.MediaURL), SecretKey: h.secretKey,
		BlobsURL: h.blobsURL,
	}
}

// Join makes a replica of an installation that another process has set up, with a clock that always shows the same
// time. Its accounts must have been connected through the same NetworksURL.
func Join(t testing.TB, s Shared, c Connections, at time.Time, options ...func(*app.Config)) *app.App {
	t.Helper()
	now := func() time.Time { return at }
	blobs, err := blob.OpenAndCheck(t.Context(), s.BlobsURL)
	must(t, err)
	db, err := store.New(c.Pool)
	must(t, err)
	cfg := newConfig(t, s, db, newClient(t, c.NetworksURL, now, c.Observe), blobs, now)
	for _, option := range options {
		option(&cfg)
	}
	a, err := app.New(cfg)
	must(t, err)
	return a
}
