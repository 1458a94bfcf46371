// Package intake brings files into the service and takes them out again: it receives uploads, fetches files from
// addresses, looks at their bytes, serves them at signed addresses, and deletes them when their time is over.
package intake

import (
	"context"
	"log/slog"
	"time"

	"belfry/internal/blob"
	"belfry/internal/core"
	"belfry/internal/fetch"
	"belfry/internal/secret"
	"belfry/internal/store"
)

// Config is the configuration of a Service. Every field is required unless it says otherwise.
type Config struct {
	Store *store.Store
	// Blobs stores the bytes of files. It is optional for commands that do not use files.
	Blobs blob.Store
	// Fetch downloads files from addresses that people name.
	Fetch *fetch.Client
	Ring  *secret.Ring
	Plans core.Plans
	Log   *slog.Logger
	Now   func() time.Time
	// PublicURL is the address to which browsers upload files, and MediaURL the one from which networks and browsers
	// read them; neither ends with a slash.
	PublicURL string
	MediaURL  string
	// UploadTTL is how long an upload address is valid, and Retention how long bytes are kept after the last post with
	// them went live (Spec §8).
	UploadTTL time.Duration
	Retention time.Duration
}

// Service processes files. It is safe for concurrent use.
type Service struct {
	cfg Config
	// decoding holds a token while a picture is decoded: a large one takes much memory.
	decoding chan struct{}
}

// New returns a Service.
func New(cfg Config) *Service { return &Service{cfg: cfg, decoding: make(chan struct{}, 1)} }

// tenant returns a workspace's data for work on its files without a caller: jobs, sweeps and signed addresses.
func (s *Service) tenant(ws core.WorkspaceID) store.Tenant { return s.cfg.Store.In(ws) }

// workspacePlan returns the plan of the tenant's workspace.
func (s *Service) workspacePlan(ctx context.Context, t store.Tenant) (core.Plan, error) {
	ws, err := t.Workspace(ctx)
	return s.cfg.Plans[ws.Plan], err
}
