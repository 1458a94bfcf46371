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

// claim is one worker's exclusive right to publish a post, for as long as the worker renews the lease.
type claim struct {
	engine       *Engine
	tenant       store.Tenant
	log          *slog.Logger
	net          network.Network
	desc         network.Description
	pub          store.Publication
	post         core.Post
	account      core.Account
	sealedToken  []byte // as stored; empty if the account was disconnected
	item         network.Item
	files        []store.Media
	conversions  []*core.Conversion // of the files
	fileIssue    *core.Issue        // why a file cannot be sent
	seq          int
	last         *store.Outcome // of the latest call; not saved yet
	failure      *failure       // of the latest call that failed
	status       network.Status // of the latest call that succeeded
	retryAfter   time.Duration  // how long the network asked to wait, in the latest call
	throttled    bool           // a call of this claim was throttled
	delivery     network.Delivery
	probeUntil   time.Time     // until when only this claim may try an account whose throttle has ended; zero if none
	pushes       bool          // the connector may send the files' bytes after it has created the handle
	unreachable  bool          // the network must download the files from this server, but cannot reach it
	filesChecked bool          // this claim has found that the files can be sent
	aged         bool          // the handle was unused before this claim, and may have expired
	waited       bool          // the previous claim ended because another post of the account had the turn
	hasTurn      bool          // the post may have its account's turn
	begunAgain   bool          // the account was reconnected during this claim, which uses the new token
	called       core.Action   // the latest call of this claim
	repeats      bool          // the latest call is a publishing call after an earlier one for the post
	stepID       int64         // that of the latest call
	skew         time.Duration // how far the database's clock is ahead of this server's
}

// databaseNow returns the time by the database's clock, which due times and leases use.
func (c *claim) databaseNow() time.Time { return c.engine.cfg.Now().Add(c.skew) }

// failure is a failed call, as stored in the ledger.
type failure struct {
	Code    string            `json:"code"`
	Message string            `json:"message"`
	Hint    string            `json:"hint,omitempty"`
	Kind    network.ErrorKind `json:"kind"`
	// Until is when a throttle ends; zero for any other failure.
	Until time.Time `json:"until,omitzero"`
	// GrantedAt is the GrantedAt of the account at the time of the call. It shows whether the call was made with a token
	// of an earlier connection. It is zero if an older version stored the failure.
	GrantedAt time.Time `json:"grantedAt,omitzero"`
	// OfCall is the failure of the publishing call if a later query has found that the network refuses the token. It
	// counts again once the refusal is forgotten. It is nil if the call was refused because of its token, too.
	OfCall *failure `json:"ofCall,omitempty"`
}

// isTokenRefusal reports whether the network refused the account's token. A nil failure is none.
func (f *failure) isTokenRefusal() bool { return f != nil && f.Kind.ResultingAccountStatus() != "" }

// exceptTokenRefusal returns the failure, or OfCall if the failure is the refusal of a token.
func (f *failure) exceptTokenRefusal() (failureOrNil *failure) {
	if f.isTokenRefusal() {
		return f.OfCall
	}
	return f
}

// loadClaimsAndCountTakeovers reads the posts, accounts and files of claimed publications of one workspace, and counts
// takeovers in the metrics. The result omits posts that were deleted in the meantime. After an error, all claims
// remain.
func (e *Engine) loadClaimsAndCountTakeovers(ctx context.Context, ws core.WorkspaceID, claims []store.Claim,
) ([]*claim, error) {
	t := e.tenant(ws)
	read, err := t.ReadClaimedPosts(ctx, claims)
	if err != nil {
		return nil, fmt.Errorf("read %d claimed posts of workspace %s: %w", len(claims), ws, err)
	}
	out := make([]*claim, len(read))
	for i, r := range read {
		out[i] = e.newClaimAndCountTakeover(ws, r.Publication)
		out[i].post, out[i].account, out[i].sealedToken, out[i].files = r.Post, r.Account, r.Token, r.Media
	}
	return out, nil
}

// newClaimAndCountTakeover returns the claim of a publication, without its post. It counts a takeover in the metrics.
// If a new attempt begins, it drops the failure of the earlier one.
func (e *Engine) newClaimAndCountTakeover(ws core.WorkspaceID, pub store.Publication) *claim {
	waited := pub.Rest == store.RestTurn
	if pub.Rest == store.RestQueued || pub.Rest == core.DoRetry {
		pub.Failure = nil
	}
	if pub.Rest == "" {
		e.cfg.Metrics.CountPublicationTakeover()
		if pub.Step == core.StepCreating {
			e.cfg.Metrics.CountInterruptedHandleCreation(string(pub.Platform))
		}
	}
	return &claim{
		engine: e, tenant: e.tenant(ws), log: e.loggerAbout(ws, pub.Post, pub.Platform, pub.Epoch), pub: pub,
		skew: pub.ReadAt.Sub(e.cfg.Now()), aged: waited || pub.Rest == core.DoHold || pub.Rest == core.DoAwait,
		waited: waited, hasTurn: waited,
	}
}

func (e *Engine) loggerAbout(ws core.WorkspaceID, post core.PostID, platform core.Platform, epoch int64) *slog.Logger {
	return e.cfg.Log.With("workspace", ws, "post", post, "network", platform, "epoch", epoch)
}

// publishUntilClaimEnds publishes the post as far as is possible under this claim. Losing the claim or the post is not
// an error.
func (c *claim) publishUntilClaimEnds(ctx context.Context) error {
	if err := c.setUpConnectorAndItem(); err != nil {
		return c.logAndPostponeStuckPost(ctx, err)
	}
	c.tryRenewLapsedToken(ctx)
	return c.logInsteadIfClaimLost(c.runStepsUntilClaimEnds(ctx))
}

// logInsteadIfClaimLost logs an error that means that the claim or the post is lost, and returns any other error.
// Before the end of the lease, another worker can have taken over the post only if this worker is stopping and has
// released its leases; otherwise, a person has changed the post.
func (c *claim) logInsteadIfClaimLost(err error) error {
	switch {
	case errors.Is(err, store.ErrFenced) && c.databaseNow().Before(c.pub.LeaseUntil):
		c.log.Info("the post was changed while a worker held a claim on it")
		return nil
	case errors.Is(err, store.ErrFenced):
		c.engine.cfg.Metrics.CountWriteRefusedAfterTakeover()
		c.log.Warn("the lease has expired, and another worker has taken over the post")
		return nil
	case errors.Is(err, store.ErrNotFound), store.IsMissingReference(err, "post"):
		// A failed post may be deleted while the network is asked about it.
		c.log.Info("the post was deleted while a worker held a claim on it")
		return nil
	}
	return err
}

// logAndPostponeStuckPost ends a claim whose post could not be read, or for which this server lacks a key or a network.
// Often, only the operator can help: the post is logged, counts as overdue, and waits longer each time. If the ledger
// cannot be written, the claim ends with its lease.
func (c *claim) logAndPostponeStuckPost(ctx context.Context, cause error) error {
	c.log.ErrorContext(ctx, "this server cannot publish a post", "error", cause)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), claimTimeout)
	defer cancel()
	c.pub.Rest, c.pub.NextAt = store.RestStuck, c.databaseNow().Add(core.PollBackoff(firstBackoff, c.pub.Polls))
	c.pub.Polls++
	return c.logInsteadIfClaimLost(c.tenant.SaveStepAndEndClaim(ctx, c.pub, nil, c.nextTurnLease()))
}

// setUpConnectorAndItem prepares everything that calls to the network need: the connector, the decrypted handle and
// token, and the post's content. Only the operator can resolve the errors that it returns.
func (c *claim) setUpConnectorAndItem() error {
	cfg := c.engine.cfg
	c.log = c.engine.loggerAbout(c.post.Workspace, c.post.ID, c.post.Platform, c.pub.Epoch)
	net, ok := cfg.Networks.FindConnector(c.post.Platform)
	if !ok {
		return fmt.Errorf("post %s is for the network %q, which this server does not support", c.post.ID, c.post.Platform)
	}
	c.net, c.desc = net, net.Describe()
	if err := c.decodeFailureAndForgetOldRefusal(); err != nil {
		return err
	}
	c.decryptHandleOrMarkLost()
	draft := network.Draft{
		Text: c.post.Text, Title: c.post.Title, Tags: c.post.Tags, Settings: c.post.Settings, Account: c.account,
	}
	c.item = network.Item{
		Post: c.post.ID, Text: c.post.Text, Title: c.post.Title, Tags: c.post.Tags, Settings: c.post.Settings,
		Profile: c.account.ExternalID, Username: c.account.Username, ArmedAt: c.pub.ArmedAt, HandleAt: c.pub.StepSince,
		ExternalID: c.pub.ExternalID,
	}
	if !c.pub.ArmedAt.IsZero() {
		c.item.RearmedAt = c.pub.QuietAt.Add(-cfg.Schedule.QuietAfterArm(c.desc.Settle))
	}
	for _, m := range c.files {
		draft.Media = append(draft.Media, m.Media)
	}
	c.conversions = network.ConversionForEachFile(net, draft)
	for i, m := range c.files {
		jpeg := c.conversions[i]
		file := network.File{
			Media: m.Media, Description: m.Description, URL: cfg.FileURL(c.post.Workspace, m, jpeg, ""),
			Open: func(ctx context.Context) (io.ReadSeekCloser, error) { return cfg.OpenFile(ctx, m, jpeg) },
		}
		if jpeg != nil {
			file.FileFacts = jpeg.ExpectedFacts()
		}
		c.item.Files = append(c.item.Files, file)
	}
	delivery := net.DeliveryFor(draft)
	c.delivery = delivery
	hidden := len(c.item.Files) > 0 && c.item.Files[0].URL == ""
	c.pushes = delivery.Files == network.Pushed || delivery.Files == network.Either && hidden
	c.unreachable = delivery.Files == network.Pulled && hidden
	c.pub.Publication = c.pub.WithFlowUnlessStarted(delivery.Flow)
	return c.openTokenUnlessDisconnected()
}

// openTokenUnlessDisconnected decrypts the account's token for the calls of this claim. A disconnected account has
// none.
func (c *claim) openTokenUnlessDisconnected() (err error) {
	if c.account.Status != core.AccountOK && len(c.sealedToken) == 0 {
		return nil
	}
	c.item.Token, err = c.engine.cfg.OpenToken(c.account, c.post.Workspace, c.sealedToken)
	return err
}

// decodeFailureAndForgetOldRefusal decodes the failure that an earlier claim of the same attempt stored. It forgets the
// refusal of a token if the account has been reconnected since then.
func (c *claim) decodeFailureAndForgetOldRefusal() error {
	if c.pub.Failure == nil {
		return nil
	}
	c.failure = &failure{}
	if err := json.Unmarshal(c.pub.Failure, c.failure); err != nil {
		return fmt.Errorf("decode the stored failure of post %s: %w", c.post.ID, err)
	}
	c.forgetTokenRefusalIfReconnected()
	return nil
}

// forgetTokenRefusalIfReconnected is forgetTokenRefusal if the refused token is of an earlier connection than the token
// of this claim. A refusal that an older version stored counts as one of an earlier connection if the account has a
// GrantedAt: at worst, the network refuses the token once more. Otherwise, the post could fail because of an old token,
// and the new token would count as refused.
func (c *claim) forgetTokenRefusalIfReconnected() {
	if c.failure.isTokenRefusal() && !c.failure.GrantedAt.Equal(c.account.GrantedAt) {
		c.forgetTokenRefusal()
	}
}

// forgetTokenRefusal forgets that the network refused a token of the account, because the account has a new token. Any
// other failure remains.
func (c *claim) forgetTokenRefusal() {
	c.pub.Publication = c.pub.ForgetTokenRefusal()
	c.setFailure(c.failure.exceptTokenRefusal())
}

// setFailure sets the latest failure, also in the row that is stored next. nil removes it.
func (c *claim) setFailure(failureOrNil *failure) {
	c.failure, c.pub.Failure = failureOrNil, nil
	if failureOrNil == nil {
		return
	}
	if encoded, err := json.Marshal(failureOrNil); err == nil {
		c.pub.Failure = encoded
	}
}
