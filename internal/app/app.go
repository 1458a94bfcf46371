// Package app implements every operation of the service. Entry points decode a request, call an operation and encode
// its result; scope, plan, quota and state are checked here and nowhere else.
package app

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"belfry/internal/blob"
	"belfry/internal/core"
	"belfry/internal/fetch"
	"belfry/internal/intake"
	"belfry/internal/mail"
	"belfry/internal/metrics"
	"belfry/internal/network"
	"belfry/internal/publish"
	"belfry/internal/restore"
	"belfry/internal/secret"
	"belfry/internal/store"
)

// Config is the configuration of an App. Every field is required unless its comment says otherwise.
type Config struct {
	Store    *store.Store
	Networks *network.Set
	Client   *network.Client
	Ring     *secret.Ring
	Plans    core.Plans
	Schedule core.Schedule
	Log      *slog.Logger
	Metrics  *metrics.Metrics
	// Now returns the current time with a monotonic clock reading, like time.Now. Leases are measured by this clock.
	Now func() time.Time
	// Fetch downloads files from addresses that people enter.
	Fetch *fetch.Client
	// Decoder is shared by all Apps of a process.
	Decoder *intake.Decoder
	// Blobs stores the bytes of files. It is optional for commands that do not use files.
	Blobs blob.Store
	// PublicURL is the address at which browsers reach the service, and MediaURL the one from which networks download
	// files. Neither ends with a slash.
	PublicURL string
	MediaURL  string
	// UploadTTL is how long an upload address is valid, and Retention how long a file's bytes are kept after the last post
	// with the file went live (Spec §8).
	UploadTTL time.Duration
	Retention time.Duration
	// NetworksURL is the address of the simulated networks, or empty if the service uses the real ones.
	NetworksURL string
	// Mail sends email. If Outbox is set instead, emails are kept in the database and shown only to the operator. If
	// neither is set, Belfry sends no email.
	Mail   *mail.Sender
	Outbox bool
	// Schema returns an error unless the database's schema matches this program. It is optional.
	Schema func(context.Context) error
	// LimitAddress limits the requests from one client address, and LimitCreate the requests to create posts in one
	// workspace (Spec §8).
	LimitAddress Rate
	LimitCreate  Rate
}

// Rate allows Max requests in any period of the length Window. The period slides: it need not begin at a full hour.
type Rate struct {
	Max    int
	Window time.Duration
}

// missingFields returns the names of the required fields that are not set, except those that intake.New checks.
func (c Config) missingFields() (names []string) {
	for _, field := range []struct {
		name string
		set  bool
	}{
		{"Store", c.Store != nil},
		{"Networks", c.Networks != nil},
		{"Client", c.Client != nil},
		{"Ring", c.Ring != nil},
		{"Plans", c.Plans != nil},
		{"Schedule.Lease", c.Schedule.Lease > 0},
		{"Log", c.Log != nil},
		{"Metrics", c.Metrics != nil},
		{"Now", c.Now != nil},
		{"Fetch", c.Fetch != nil},
		{"Decoder", c.Decoder != nil},
		{"PublicURL", c.PublicURL != ""},
		{"MediaURL", c.MediaURL != ""},
		{"UploadTTL", c.UploadTTL > 0},
		{"Retention", c.Retention > 0},
		{"LimitAddress", c.LimitAddress.Max > 0 && c.LimitAddress.Window > 0},
		{"LimitCreate", c.LimitCreate.Max > 0 && c.LimitCreate.Window > 0},
	} {
		if !field.set {
			names = append(names, field.name)
		}
	}
	return names
}

// App performs the operations. It is safe for concurrent use.
type App struct {
	cfg       Config
	passwords *secret.PasswordHasher
	refused   refusedAddresses
	intake    *intake.Service
	engine    *publish.Engine
	guard     *restore.Guard
	watchers  watchers
}

// New checks the configuration and returns an App that uses it.
func New(cfg Config) (*App, error) {
	if missing := cfg.missingFields(); missing != nil {
		return nil, fmt.Errorf("app: the configuration lacks %s", strings.Join(missing, ", "))
	}
	a := &App{cfg: cfg, passwords: secret.NewPasswordHasher(), intake: intake.New(cfg.intakeConfig())}
	var receipts *restore.Receipts
	if cfg.Blobs != nil {
		receipts = restore.NewReceipts(cfg.Blobs, cfg.Now)
	}
	a.engine = publish.New(publish.Config{
		Store: cfg.Store, Networks: cfg.Networks, Ring: cfg.Ring, Schedule: cfg.Schedule, Log: cfg.Log,
		Metrics: cfg.Metrics, Now: cfg.Now, OpenToken: a.openToken, IsSameToken: a.isSameToken,
		RenewToken: a.refreshLapsedTokenOrWait, FileURL: a.fileURLIfReachable, OpenFile: a.intake.OpenOriginalOrMakeJPEG,
		Receipts: receipts,
	})
	if receipts != nil {
		a.guard = &restore.Guard{
			Store: cfg.Store, Receipts: receipts, Log: cfg.Log, Now: cfg.Now, StopOvertakenPost: a.stopOvertakenPost,
			EnqueueFollowUps: a.engine.EnqueueFollowUps,
		}
	}
	return a, nil
}

// intakeConfig returns the part of the configuration that intake.New needs.
func (c Config) intakeConfig() intake.Config {
	return intake.Config{
		Store: c.Store, Blobs: c.Blobs, Fetch: c.Fetch, Decoder: c.Decoder, Ring: c.Ring, Plans: c.Plans, Log: c.Log,
		Now: c.Now, PublicURL: c.PublicURL, MediaURL: c.MediaURL, UploadTTL: c.UploadTTL, Retention: c.Retention,
	}
}

// Engine returns the engine that publishes posts.
func (a *App) Engine() *publish.Engine { return a.engine }

// GuardOrNil returns the guard that prevents a restored database from publishing posts again if they were published
// after the backup. It is nil if Config.Blobs is nil.
func (a *App) GuardOrNil() *restore.Guard { return a.guard }

// Intake returns the service that handles files where there is no caller: uploads to signed addresses, jobs and
// periodic tasks.
func (a *App) Intake() *intake.Service { return a.intake }
