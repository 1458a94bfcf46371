package publish

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/store"
)

// claim is one worker's hold on a publication, for as long as its lease lasts and is renewed.
type claim struct {
	engine       *Engine
	tenant       store.Tenant
	log          *slog.Logger
	net          network.Network
	desc         network.Description
	pub          store.Publication
	post         core.Post
	account      core.Account
	sealedToken  []byte // as it was read; empty when the account was disconnected
	item         network.Item
	files        []store.Media
	fileIssue    *core.Issue // why a file cannot be sent
	seq          int
	last         *store.Outcome // of the call just made, not yet saved
	failure      *failure       // of the last call that failed
	status       network.Status // of the last call that did not
	retryAfter   time.Duration  // how long the network asked to wait, in the last call
	throttled    bool           // by a call of this claim
	delivery     network.Delivery
	probeUntil   time.Time     // until when this claim alone tries an account whose hold has ended; zero when it does not
	pushes       bool          // the connector may send the files' bytes after it has made the handle
	unreachable  bool          // the network would fetch the files from this server, and cannot
	filesChecked bool          // the files can be sent, as far as this claim has seen
	aged         bool          // the handle was left alone before this claim, and may have expired
	waited       bool          // the last claim ended because another post of the account had the turn
	hasTurn      bool          // the post may have its account's turn
	called       core.Do       // the last call of this claim
	skew         time.Duration // how far the database's clock is ahead of ours
}

// now is the database's clock, by which due times and leases live.
func (c *claim) now() time.Time { return c.engine.cfg.Now().Add(c.skew) }

// failure is a failed call as the ledger keeps it.
type failure struct {
	Code    string       `json:"code"`
	Message string       `json:"message"`
	Hint    string       `json:"hint,omitempty"`
	Kind    network.Kind `json:"kind"`
	// Until is when a throttle ends; zero for any other failure.
	Until time.Time `json:"until,omitzero"`
}

// readClaims reads what a worker needs to know about publications of one workspace that it has claimed. A person
// may change a post meanwhile that is not due yet: that ends its claim. A post that was deleted since is missing.
func (e *Engine) readClaims(ctx context.Context, ws core.WorkspaceID, claims []store.Claim) ([]*claim, error) {
	t := e.tenant(ws)
	read, err := t.ReadClaimed(ctx, claims)
	if err != nil {
		return nil, fmt.Errorf("read %d claimed posts of workspace %s: %w", len(claims), ws, err)
	}
	out := make([]*claim, len(read))
	for i, r := range read {
		waited := r.Rest == store.RestTurn
		out[i] = &claim{
			engine: e, tenant: t, pub: r.Publication, post: r.Post, account: r.Account, sealedToken: r.Token, files: r.Media,
			skew: r.ReadAt.Sub(e.cfg.Now()), aged: waited || r.Rest == core.DoHold || r.Rest == core.DoAwait,
			waited: waited, hasTurn: waited,
		}
		if r.Rest == "" {
			e.cfg.Metrics.CountTakeover()
			if r.Step == core.StepCreating {
				e.cfg.Metrics.CountOrphan(string(r.Platform))
			}
		}
	}
	return out, nil
}

// publish carries the post as far as it will go under this claim.
func (c *claim) publish(ctx context.Context) error {
	err := c.loadConnector()
	if err != nil {
		err = c.deferClaim(ctx, err)
	} else {
		c.renewIfLapsed(ctx)
		err = c.runProtocol(ctx)
	}
	switch {
	case errors.Is(err, store.ErrFenced):
		c.engine.cfg.Metrics.CountFenced()
		c.log.Warn("another worker has taken over this post")
		return nil
	case errors.Is(err, store.ErrNotFound), store.IsMissing(err, "post"):
		// A failed post may be deleted while the network is asked about it.
		c.log.Info("the post was deleted while it was being claimed")
		return nil
	}
	return err
}

// deferClaim ends a claim for which this server lacks something: a key, or a network. Only its operator can
// help, so the post waits longer each time, counts as overdue and is logged.
func (c *claim) deferClaim(ctx context.Context, why error) error {
	c.log.ErrorContext(ctx, "this server cannot publish a post", "error", why)
	c.pub.Rest, c.pub.NextAt = store.RestStuck, c.now().Add(core.Backoff(firstBackoff, c.pub.Polls))
	c.pub.Polls++
	return c.tenant.SaveRest(context.WithoutCancel(ctx), c.pub, nil, c.turnToPass())
}

// loadConnector finds the post's network and decrypts the handle and the token. Its errors are lasting ones,
// which only the operator can correct.
func (c *claim) loadConnector() error {
	cfg := c.engine.cfg
	c.log = cfg.Log.With("workspace", c.post.Workspace, "post", c.post.ID, "network", c.post.Platform, "epoch",
		c.pub.Epoch)
	net, ok := cfg.Networks.Get(c.post.Platform)
	if !ok {
		return fmt.Errorf("post %s is for %q, a network that this server does not support", c.post.ID, c.post.Platform)
	}
	c.net, c.desc = net, net.Describe()
	if err := c.loadFailure(); err != nil {
		return err
	}
	c.openHandle()
	draft := network.Draft{
		Text: c.post.Text, Title: c.post.Title, Tags: c.post.Tags, Settings: c.post.Settings, Account: c.account,
	}
	c.item = network.Item{
		Post: c.post.ID, Text: c.post.Text, Title: c.post.Title, Tags: c.post.Tags, Settings: c.post.Settings,
		Profile: c.account.ExternalID, Username: c.account.Username, ArmedAt: c.pub.ArmedAt, HandleAt: c.pub.StepSince,
		ExternalID: c.pub.ExternalID,
	}
	for _, m := range c.files {
		draft.Media = append(draft.Media, m.Media)
		c.item.Files = append(c.item.Files, network.File{
			Media: m.Media, URL: cfg.FileURL(c.post.Workspace, m, ""),
			Open: func(ctx context.Context) (io.ReadSeekCloser, error) { return c.openFile(ctx, m) },
		})
	}
	delivery := net.Delivery(draft)
	c.delivery = delivery
	hidden := len(c.item.Files) > 0 && c.item.Files[0].URL == ""
	c.pushes = delivery.Files == network.Pushed || delivery.Files == network.Either && hidden
	c.unreachable = delivery.Files == network.Pulled && hidden
	c.pub.Publication = c.pub.WithFlow(delivery.Flow)
	if c.account.Status != core.AccountOK && len(c.sealedToken) == 0 {
		return nil
	}
	var err error
	c.item.Token, err = cfg.OpenToken(c.account, c.post.Workspace, c.sealedToken)
	return err
}

// loadFailure reads the failure of an earlier claim of the same try. A new try fails in words of its own.
func (c *claim) loadFailure() error {
	if c.pub.Rest == store.RestQueued || c.pub.Rest == core.DoRetry {
		c.pub.Failure = nil
	}
	if c.pub.Failure == nil {
		return nil
	}
	c.failure = &failure{}
	if err := json.Unmarshal(c.pub.Failure, c.failure); err != nil {
		return fmt.Errorf("read the failure of post %s: %w", c.post.ID, err)
	}
	return nil
}
