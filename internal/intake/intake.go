// Package intake receives, examines, serves and deletes files: uploads, files downloaded from an address, and copies of
// profile pictures.
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

// Config is the configuration of a Service. Every field is required unless its comment says otherwise.
type Config struct {
	Store *store.Store
	// Blobs stores the bytes of files. It is optional for commands that do not use files.
	Blobs blob.Store
	// Fetch downloads files from addresses that people enter.
	Fetch *fetch.Client
	// Decoder is shared by all Services of a process.
	Decoder *Decoder
	Ring    *secret.Ring
	Plans   core.Plans
	Log     *slog.Logger
	Now     func() time.Time
	// PublicURL is the address to which browsers upload files. MediaURL is the address from which networks and browsers
	// download them. Neither ends with a slash.
	PublicURL string
	MediaURL  string
	// UploadTTL is how long an upload address is valid. Retention is how long a file's bytes are kept after the last post
	// with it went live (Spec §8).
	UploadTTL time.Duration
	Retention time.Duration
}

// Service processes files. It is safe for concurrent use.
type Service struct{ cfg Config }

// New returns a Service.
func New(cfg Config) *Service { return &Service{cfg} }

// tenant returns access to a workspace's data for jobs, periodic tasks and signed addresses, which have no caller.
func (s *Service) tenant(ws core.WorkspaceID) store.Tenant { return s.cfg.Store.In(ws) }

// loadPlan loads the subscription plan of the tenant's workspace.
func (s *Service) loadPlan(ctx context.Context, t store.Tenant) (core.Plan, error) {
	ws, err := t.Workspace(ctx)
	return s.cfg.Plans[ws.Plan], err
}
