// Package apptest runs a whole App for tests: on its own PostgreSQL database, against the simulated networks, with a
// clock that a test sets. Fixtures are made by the operations themselves.
package apptest

import (
	"context"
	"log/slog"
	"net"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"belfry/internal/app"
	"belfry/internal/blob"
	"belfry/internal/core"
	"belfry/internal/fetch"
	"belfry/internal/intake"
	"belfry/internal/metrics"
	"belfry/internal/network"
	"belfry/internal/network/all"
	"belfry/internal/network/sim"
	"belfry/internal/sandbox"
	"belfry/internal/secret"
	"belfry/internal/store"
	"belfry/internal/store/storetest"
)

// PublicURL is the address at which browsers would reach the service.
const PublicURL = "http://localhost:8080"

// Harness is an App with everything around it.
type Harness struct {
	t testing.TB
	// App is the App under test; Config is its configuration.
	App    *app.App
	Config app.Config
	Store  *store.Store
	Pool   *pgxpool.Pool
	Clock  *Clock
	// Sim is the simulated networks' record of posts, calls and faults.
	Sim *sim.Kit
	// NetworksURL is the address of the simulated networks.
	NetworksURL string
	// MediaURL is the address from which they download files.
	MediaURL string

	secretKey, blobsURL string
}

// New makes an App. The options first change its configuration.
func New(t testing.TB, options ...func(*app.Config)) *Harness {
	t.Helper()
	return NewOn(t, storetest.Pool(t), options...)
}

// NewOn is like New, but uses a migrated database that belongs to the test.
func NewOn(t testing.TB, pool *pgxpool.Pool, options ...func(*app.Config)) *Harness {
	t.Helper()
	clock := newClockSetToStart(t, pool)
	db, err := store.New(pool)
	must(t, err)
	h := &Harness{
		t: t, Store: db, Pool: pool, Clock: clock, secretKey: secret.NewSecretKey(), blobsURL: "file:" + t.TempDir(),
	}
	h.startSandbox()
	h.startMediaServer()
	h.Config = h.openBlobsAndBuildConfig()
	for _, option := range options {
		option(&h.Config)
	}
	h.App = h.Replica()
	return h
}

// Replica makes another App on the same database, like a second process.
func (h *Harness) Replica(options ...func(*app.Config)) *app.App {
	h.t.Helper()
	cfg := h.Config
	for _, option := range options {
		option(&cfg)
	}
	a, err := app.New(cfg)
	must(h.t, err)
	return a
}

// openBlobsAndBuildConfig opens the storage of the harness's files, which it closes when the test ends, and returns the
// configuration of an App.
func (h *Harness) openBlobsAndBuildConfig() app.Config {
	blobs, err := blob.OpenAndCheck(h.Context(), h.blobsURL)
	must(h.t, err)
	h.t.Cleanup(func() { must(h.t, blobs.Close()) })
	client := newClient(h.t, h.NetworksURL, h.Clock.Now, nil)
	h.t.Cleanup(client.CloseIdleConnections)
	return newConfig(h.t, h.Shared(), h.Store, client, blobs, h.Clock.Now)
}

// newClient makes a client for the networks at an address.
func newClient(t testing.TB, networksURL string, now func() time.Time,
	observeOrNil func(network.Call),
) *network.Client {
	t.Helper()
	base, err := url.Parse(networksURL)
	must(t, err)
	return network.NewClient(network.ClientConfig{NetworksURL: base, Now: now, Observe: observeOrNil})
}

func newNetworks(t testing.TB, client *network.Client, now func() time.Time) *network.Set {
	t.Helper()
	drivers := all.Drivers()
	get := newSandboxVariableGetter(drivers)
	set, err := network.NewSet(drivers, network.Environment{Client: client, Get: get, Now: now})
	must(t, err)
	return set
}

func newConfig(
	t testing.TB, s Shared, db *store.Store, client *network.Client, blobs blob.Store, now func() time.Time,
) app.Config {
	t.Helper()
	ring, err := secret.ParseRing(s.SecretKey)
	must(t, err)
	return app.Config{
		Store: db, Networks: newNetworks(t, client, now), Client: client,
		Fetch: fetch.New(fetch.Config{Lookup: failLookup}), Decoder: intake.NewDecoder(), Ring: ring,
		Plans:    core.DefaultPlans(),
		Schedule: core.Schedule{Retry: []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute}, Lease: time.Minute},
		Log:      slog.New(slog.NewTextHandler(testLog{t}, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Metrics:  metrics.New(), Now: now, PublicURL: PublicURL, MediaURL: s.MediaURL, NetworksURL: s.NetworksURL,
		Blobs: blobs, UploadTTL: time.Hour, Retention: 72 * time.Hour,
		LimitAddress: app.Rate{Max: 600, Window: 10 * time.Minute},
		LimitCreate:  app.Rate{Max: 60, Window: time.Hour},
	}
}

// failLookup is a lookup that finds no names. Tests that download files use their own lookup.
func failLookup(_ context.Context, name string) ([]netip.Addr, error) {
	return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
}

// newSandboxVariableGetter returns a function that returns the value of a variable: the simulators' credentials for
// every network, and the defaults of all other variables.
func newSandboxVariableGetter(drivers []network.Driver) (get func(name string) string) {
	values := map[string]string{}
	for _, d := range drivers {
		for _, v := range d.Variables {
			values[v.Name] = v.Default
			if strings.HasSuffix(v.Name, "_PER_DAY") {
				values[v.Name] = "0" // the tests of one installation publish more than a project may in a day
			}
			if strings.HasSuffix(v.Name, "_CLIENT_ID") || strings.HasSuffix(v.Name, "_CLIENT_SECRET") {
				values[v.Name] = sandbox.Credentials
			}
		}
	}
	return func(name string) string { return values[name] }
}

// startSandbox serves the simulated networks until the test ends. They use the harness's clock.
func (h *Harness) startSandbox() {
	h.t.Helper()
	box, err := sandbox.New(sandbox.Config{Now: h.Clock.Now})
	must(h.t, err)
	server := httptest.NewServer(box)
	h.t.Cleanup(func() {
		server.Close()
		must(h.t, box.Close())
	})
	h.Sim, h.NetworksURL = box.Kit(), server.URL
}

// Fault adds faults to the simulated networks.
func (h *Harness) Fault(faults ...sim.Fault) {
	h.t.Helper()
	_, err := h.Sim.Faults.Add(faults...)
	must(h.t, err)
}

// Context returns a context that ends with the test.
func (h *Harness) Context() context.Context { return h.t.Context() }

// Eventually waits until other goroutines have made a condition true.
func (h *Harness) Eventually(what string, holds func() bool) {
	h.t.Helper()
	ticks := time.NewTicker(5 * time.Millisecond)
	defer ticks.Stop()
	for deadline := time.Now().Add(time.Minute); !holds(); <-ticks.C {
		if time.Now().After(deadline) {
			h.t.Fatalf("timed out waiting until %s", what)
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// testLog writes log lines to the log of their test.
type testLog struct{ t testing.TB }

func (l testLog) Write(line []byte) (int, error) {
	l.t.Log(strings.TrimSuffix(string(line), "\n"))
	return len(line), nil
}
