// Package publish publishes queued posts: it claims a post's row in the publishing ledger, makes the calls that
// core.Publication.Next asks for, and stores their results. See docs/publishing.md.
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

// Config is what an Engine needs. All fields are required, except Receipts.
type Config struct {
	Store    *store.Store
	Networks *network.Set
	Ring     *secret.Ring // seals handles
	Schedule core.Schedule
	Log      *slog.Logger
	Metrics  *metrics.Metrics
	// Now returns the current time with a monotonic clock reading, by which leases are measured.
	Now func() time.Time
	// OpenToken decrypts an account's token.
	OpenToken func(core.Account, core.WorkspaceID, []byte) (network.Token, error)
	// IsSameToken reports whether two encrypted tokens of an account are the same token.
	IsSameToken func(core.AccountID, core.WorkspaceID, []byte, []byte) bool
	// RenewToken renews an account's lapsed token, and returns the new token, its sealed form, and the GrantedAt of the
	// account with this token; see app.refreshLapsedTokenOrWait.
	RenewToken func(context.Context, core.WorkspaceID, core.AccountID, []byte) (network.Token, []byte, time.Time, error)
	// Receipts records, outside the database, which posts were about to be published. If it is nil, nothing is recorded.
	Receipts *restore.Receipts
	// FileURL returns the address from which a network downloads a file, or the JPEG that is sent in its place, once
	// the gate is open. The gate "" is always open. The address is "" if networks cannot reach this server.
	FileURL func(ws core.WorkspaceID, m store.Media, jpeg *core.Conversion, heldUntilGate string) string
	// OpenFile opens the bytes of a file, or the JPEG that is sent in its place. It returns blob.ErrNotFound if the file
	// cannot be sent.
	OpenFile func(context.Context, store.Media, *core.Conversion) (blob.Object, error)
}

// Engine publishes posts. It is safe for concurrent use.
type Engine struct{ cfg Config }

// New returns an Engine. Its methods publish posts; Run does so continuously.
func New(cfg Config) *Engine { return &Engine{cfg: cfg} }

// tenant returns access to the data of one workspace.
func (e *Engine) tenant(ws core.WorkspaceID) store.Tenant { return e.cfg.Store.In(ws) }

// PublishOrPrepare publishes one post as far as is possible now, with one claim under one lease. Before the post is
// due, it only prepares the post. owner identifies the worker. PublishOrPrepare does nothing if there is nothing to do
// yet, if another worker has claimed the post, or if the post is done.
func (e *Engine) PublishOrPrepare(ctx context.Context, owner string, ws core.WorkspaceID, id core.PostID) error {
	if err := e.cfg.Store.WakeNextPostsAwaitingTurn(ctx); err != nil { // Run does this periodically
		return fmt.Errorf("give waiting posts their turn: %w", err)
	}
	claim, err := e.tenant(ws).ClaimDueOrPreparablePublication(ctx, id, owner, e.cfg.Schedule.Lease, e.cfg.Now())
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("claim post %s: %w", id, err)
	}
	claims, err := e.loadClaimsAndCountTakeovers(ctx, ws, []store.Claim{claim})
	if err != nil {
		return e.postponeUnreadPost(ctx, ws, claim, err)
	}
	if len(claims) == 0 {
		return nil
	}
	return claims[0].publishUntilClaimEnds(ctx)
}

// Bounds of the search for live posts without a link. The job of each post comes first, and a network that has not
// returned a link for a week never will.
const (
	linkOverdue  = 10 * time.Minute
	linkGivenUp  = 7 * 24 * time.Hour
	linksAtATime = 500
)

// ListLinksToFetch lists live posts that still have no link, although the job that fetches the link should have
// finished long ago.
func (e *Engine) ListLinksToFetch(ctx context.Context) ([]queue.Link, error) {
	now := e.cfg.Now()
	links, err := e.cfg.Store.LivePostsWithoutLink(ctx, now.Add(-linkGivenUp), now.Add(-linkOverdue), linksAtATime)
	if err != nil {
		return nil, fmt.Errorf("find live posts without a link: %w", err)
	}
	return links, nil
}

// FetchAndStoreLinkIfMissing asks the network for the address of a live post's page and stores it. It never publishes
// anything, and does nothing for posts that are not live or already have a link.
func (e *Engine) FetchAndStoreLinkIfMissing(ctx context.Context, ws core.WorkspaceID, id core.PostID) error {
	t := e.tenant(ws)
	post, err := t.Post(ctx, id)
	if errors.Is(err, store.ErrNotFound) || err == nil && (post.Status != core.PostLive || post.ExternalURL != "") {
		return nil
	}
	if err != nil {
		return err
	}
	account, sealed, err := t.AccountWithTokenIncludingDisconnected(ctx, post.Account)
	if err != nil {
		return err
	}
	c := &claim{engine: e, tenant: t, post: post, account: account, sealedToken: sealed}
	if err := c.setUpConnectorAndItem(); err != nil {
		return err
	}
	c.tryRenewLapsedToken(ctx)
	url, err := c.net.FetchLink(ctx, c.item, post.ExternalID)
	if err != nil {
		return fmt.Errorf("fetch the link of post %s: %w", id, err)
	}
	if !core.IsLink(url) {
		e.cfg.Log.Warn("the link that the network returned for a post is not a web address", "post", id, "network", post.Platform)
		return nil
	}
	return t.SetPostURLIfLive(ctx, id, url)
}

// ReleaseLeases releases the leases of a worker that stops, so that others can continue at once. owner identifies the
// worker, as in PublishOrPrepare.
func (e *Engine) ReleaseLeases(ctx context.Context, owner string) error {
	return e.cfg.Store.ReleaseLeasesOfDuePublications(ctx, owner)
}
