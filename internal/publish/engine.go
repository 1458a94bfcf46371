// Package publish carries queued posts to their networks: it claims a post's row of the publishing ledger,
// makes the calls that core.Publication.Next asks for, and stores what came of them. See docs/publishing.md.
package publish

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"belfry/internal/blob"
	"belfry/internal/core"
	"belfry/internal/metrics"
	"belfry/internal/network"
	"belfry/internal/queue"
	"belfry/internal/restore"
	"belfry/internal/secret"
	"belfry/internal/store"
)

// Config is what an Engine needs. Every field is required, but Blobs where no post has files.
type Config struct {
	Store    *store.Store
	Networks *network.Set
	Blobs    blob.Store
	Ring     *secret.Ring // seals handles
	Schedule core.Schedule
	Log      *slog.Logger
	Metrics  *metrics.Metrics
	// Now is the clock, read as time.Now reads it: leases are measured by its monotonic reading.
	Now func() time.Time
	// OpenToken decrypts an account's token.
	OpenToken func(core.Account, core.WorkspaceID, []byte) (network.Token, error)
	// RenewToken renews an account's lapsed token and returns the account's token, also sealed; see app.renewLapsed.
	RenewToken func(context.Context, core.WorkspaceID, core.AccountID, []byte) (network.Token, []byte, error)
	// Receipts keeps, outside the database, which posts were about to be published; nil keeps nothing.
	Receipts *restore.Receipts
	// FileURL is the address where a network fetches a file, once the gate is open; the gate "" always is. The address is
	// "" if no network can reach this server.
	FileURL func(ws core.WorkspaceID, m store.Media, gate string) string
}

// Engine publishes posts. It is safe for concurrent use.
type Engine struct{ cfg Config }

// New makes an Engine.
func New(cfg Config) *Engine { return &Engine{cfg: cfg} }

// tenant is the only way from the engine to a workspace's data.
func (e *Engine) tenant(ws core.WorkspaceID) store.Tenant { return e.cfg.Store.In(ws) }

// Publish carries one post as far as it will go right now: one claim under one lease, by the protocol of
// core.Publication. Before the post is due, it only prepares it. owner names the worker. It does nothing when the post
// can neither be published nor prepared yet, is held by another worker, or is done.
func (e *Engine) Publish(ctx context.Context, owner string, ws core.WorkspaceID, id core.PostID) error {
	if err := e.cfg.Store.PassTurns(ctx); err != nil { // as Run does all the time
		return fmt.Errorf("give waiting posts their turn: %w", err)
	}
	claim, err := e.tenant(ws).Claim(ctx, id, owner, e.cfg.Schedule.Lease, e.cfg.Now())
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("claim post %s: %w", id, err)
	}
	claims, err := e.readClaims(ctx, ws, []store.Claim{claim})
	if err != nil || len(claims) == 0 {
		return err
	}
	return claims[0].publish(ctx)
}

// Bounds of the search for live posts without a link: their own jobs come first, and a network that has given no
// link for a week gives none.
const (
	linkOverdue  = 10 * time.Minute
	linkGivenUp  = 7 * 24 * time.Hour
	linksAtATime = 500
)

// MissingLinks lists the live posts whose link is still to be fetched although the post's own job is long over.
func (e *Engine) MissingLinks(ctx context.Context) ([]queue.Link, error) {
	now := e.cfg.Now()
	links, err := e.cfg.Store.PostsWithoutLink(ctx, now.Add(-linkGivenUp), now.Add(-linkOverdue), linksAtATime)
	if err != nil {
		return nil, fmt.Errorf("find live posts without a link: %w", err)
	}
	return links, nil
}

// FetchLink stores the address of a live post's page at its network. It never leads back to publishing.
func (e *Engine) FetchLink(ctx context.Context, ws core.WorkspaceID, id core.PostID) error {
	t := e.tenant(ws)
	post, err := t.Post(ctx, id)
	if errors.Is(err, store.ErrNotFound) || err == nil && (post.Status != core.PostLive || post.ExternalURL != "") {
		return nil
	}
	if err != nil {
		return err
	}
	account, sealed, err := t.AccountWithToken(ctx, post.Account)
	if err != nil {
		return err
	}
	c := &claim{engine: e, tenant: t, post: post, account: account, sealedToken: sealed}
	if err := c.loadConnector(); err != nil {
		return err
	}
	c.renewIfLapsed(ctx)
	url, err := c.net.Link(ctx, c.item, post.ExternalID)
	if err != nil {
		return fmt.Errorf("fetch the link of post %s: %w", id, err)
	}
	if !core.IsLink(url) {
		e.cfg.Log.Warn("the link that the network returned for a post is not a web address", "post", id, "network", post.Platform)
		return nil
	}
	return t.SetPostURL(ctx, id, url)
}

// ReleaseLeases gives back the leases that a worker that stops has on due posts, so that another can go on at once.
// owner names the worker, as for Publish.
func (e *Engine) ReleaseLeases(ctx context.Context, owner string) error {
	return e.cfg.Store.ReleasePublicationLeases(ctx, owner)
}
