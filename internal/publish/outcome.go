package publish

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/queue"
	"belfry/internal/restore"
	"belfry/internal/store"
)

// Waits of the protocol that the network does not set itself.
const (
	reconnect    = time.Hour       // an armed post whose account must be reconnected
	askAgain     = time.Hour       // an unknown outcome, asked about once more
	firstBackoff = 5 * time.Second // a network that cannot be asked; grows to a minute
	settleMargin = 50 * time.Millisecond
	manySteps    = 10 // as many calls in a claim send a file in parts
)

// endClaim stores what became of the post and gives the lease back. What the network said must not be lost, so
// any error but the loss of the lease is tried again until the lease ends.
func (c *claim) endClaim(ctx context.Context, do core.Do) error {
	lease := c.engine.cfg.Schedule.Lease
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lease)
	defer cancel()
	for {
		err := c.tenant.Tx(ctx, func(t store.Tenant) error { return c.storeOutcome(ctx, t, do) })
		switch {
		case err == nil:
			if do == core.DoLive {
				c.writeReceipt(ctx, restore.Receipt{Live: true, ExternalID: c.pub.ExternalID})
			}
			c.reportOutcome(do)
			return nil
		case errors.Is(err, store.ErrFenced), errors.Is(err, store.ErrSameID), core.CodeOf(err) != core.CodeInternal,
			ctx.Err() != nil:
			return fmt.Errorf("store %s of post %s: %w", do, c.post.ID, err)
		}
		c.log.Warn("could not store the outcome; trying again", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(lease / 60):
		}
	}
}

// storeOutcome stores how a claim ended: the post with its timeline, the ledger row and what follows.
func (c *claim) storeOutcome(ctx context.Context, t store.Tenant, do core.Do) error {
	now := c.now()
	pub := c.pub
	pub.Rest = do
	if pub.NextAt = c.nextActionAt(do, now); pub.Preparing && pub.NextAt.After(pub.DueAt) &&
		do != core.DoHold && do != core.DoOutcomeUnknown {
		pub.NextAt = pub.DueAt // whatever it waits for, it is tried at its time
	}
	pub.Polls = 0
	if do == core.DoPoll || do == core.DoBackoff {
		pub.Polls = c.pub.Polls + 1
	}
	change, changed, err := c.postChange(do, now)
	if err != nil {
		return err
	}
	// The fence takes the post back as well.
	rest := func(t store.Tenant) error { return t.SaveRest(ctx, pub, c.last, c.turnToPass()) }
	if changed {
		err = t.SaveChange(ctx, change, rest)
	} else {
		err = rest(t)
	}
	if err != nil {
		return err
	}
	if pub.Polls > 1 || do == core.DoHold || c.seq > manySteps {
		if err := t.DeleteRepeatedSteps(ctx, pub.Post); err != nil {
			return err
		}
	}
	if err := c.endProbe(ctx, t); err != nil {
		return err
	}
	if c.mayContradictFacts(do) {
		if err := t.CheckSoon(ctx, []core.AccountID{c.account.ID}, 0); err != nil {
			return err
		}
	}
	switch do {
	case core.DoAccount, core.DoBackoff, core.DoAwait:
		return c.markAccountLost(ctx, t, do)
	case core.DoFail:
		if c.isDoomed() && c.status.Lost != "" {
			return t.MarkTokenRefused(ctx, c.account.ID, c.sealedToken, c.status.Lost, c.status.Message)
		}
	case core.DoLive:
		if change.Post.ExternalID == "" {
			return nil
		}
		if err := c.enqueueFinalSteps(ctx, t); err != nil || change.Post.ExternalURL != "" {
			return err
		}
		return t.Enqueue(ctx, queue.Link{Workspace: c.post.Workspace, Post: c.post.ID}, time.Time{})
	}
	return nil
}

// nextActionAt is when a worker must act again; zero when none need.
func (c *claim) nextActionAt(do core.Do, now time.Time) time.Time {
	switch do {
	case core.DoRetry:
		return c.engine.cfg.Schedule.RetryAt(c.pub.Publication, now)
	case core.DoHold:
		return c.checkThrottledAt(now)
	case core.DoPoll:
		if c.last != nil && c.last.Verdict != core.Pending { // this worker stops before the next call
			return now
		}
		return now.Add(core.Backoff(c.desc.FirstPoll, c.pub.Polls))
	case core.DoAwait:
		return c.pub.DueAt
	case core.DoSettle:
		return c.pub.QuietAt.Add(settleMargin)
	case core.DoBackoff:
		if c.account.Status != core.AccountOK || c.lostToken(do) {
			return now.Add(reconnect)
		}
		return now.Add(max(c.retryAfter, core.Backoff(firstBackoff, c.pub.Polls)))
	case core.DoOutcomeUnknown:
		return now.Add(askAgain)
	}
	return time.Time{}
}

// lostToken tells whether the network refuses the account's token. A refusal in an earlier claim counts only
// where it is what the post fails for: a person may have brought another token since.
func (c *claim) lostToken(do core.Do) bool {
	if c.failure == nil || c.failure.Kind.AccountStatus() == "" {
		return false
	}
	return do == core.DoAccount || c.last != nil && c.last.Verdict == core.AuthLost
}

// postChange is what becomes of the post itself; false when nothing does. If a person has changed it since
// the claim, the fence refuses to store what is made here.
func (c *claim) postChange(do core.Do, now time.Time) (core.Change, bool, error) {
	switch do {
	case core.DoLive:
		move := core.MovePublish
		if c.post.Status == core.PostFailed {
			move = core.MoveSettle
		}
		change, err := c.post.Change(move, now, "")
		change.Post.ExternalID, change.Post.ExternalURL = c.pub.ExternalID, c.status.URL
		return change, true, err
	case core.DoHold:
		if c.pub.Rest == core.DoHold && !c.throttled { // the timeline says so already
			return core.Change{}, false, nil
		}
		message := fmt.Sprintf("Held until %s: %s", c.post.Zone.Label(c.resumeAt(now)), c.throttleReason())
		return core.Change{Post: c.post, Event: core.Event{Kind: core.EventQueued, At: now, Message: message}}, true, nil
	case core.DoFail, core.DoAccount, core.DoRetry, core.DoOutcomeUnknown:
		if c.post.Status != core.PostQueued { // a late question about an unknown outcome brought nothing new
			return core.Change{}, false, nil
		}
		failed := c.describeFailure(do)
		change, err := c.post.Change(core.MoveFail, now, failed.Message)
		change.Post.Error = failed
		return change, true, err
	}
	return core.Change{}, false, nil
}

// markAccountLost marks an account whose token the network has just refused, if it still has that token. If it
// was given another during the claim, the network is asked with that one at once.
func (c *claim) markAccountLost(ctx context.Context, t store.Tenant, do core.Do) error {
	refused := c.lostToken(do)
	if refused && c.account.Status == core.AccountOK {
		status := c.failure.Kind.AccountStatus()
		if err := t.MarkTokenRefused(ctx, c.account.ID, c.sealedToken, status, c.failure.Message); err != nil {
			return err
		}
	}
	if refused || c.account.Status != core.AccountOK {
		return t.WakeIfAccountOK(ctx, c.post.ID)
	}
	return nil
}

// mayContradictFacts tells whether the network has refused something that it may tell about the account, such as a
// setting or one more post.
func (c *claim) mayContradictFacts(do core.Do) bool {
	_, tells := c.net.(network.Informer)
	return tells && (do == core.DoFail || do == core.DoHold && c.throttled)
}

// throttleReason is what the network said of the throttle that holds the post.
func (c *claim) throttleReason() string {
	if c.failure != nil && c.failure.Message != "" {
		return c.failure.Message
	}
	return c.desc.Name + " temporarily accepts no more posts from this account."
}

// describeFailure says for people and programs why the post failed.
func (c *claim) describeFailure(do core.Do) *core.PostError {
	e := &core.PostError{Code: core.ErrorRejected}
	switch {
	case c.failure != nil && c.failure.Message != "":
		e.Message, e.Hint = c.failure.Message, c.failure.Hint
		e.FromNetwork = c.failure.Code != ""
	case c.status.Message != "":
		e.Message = c.status.Message
	default:
		e.Message = c.desc.Name + " did not respond."
	}
	switch {
	case do == core.DoFail && c.fileIssue != nil:
		e.Code, e.FromNetwork = string(c.fileIssue.Code), false
	case do == core.DoFail && c.failure != nil && c.failure.Code == string(core.IssueMediaUnreachable.Code):
		e.Code, e.FromNetwork = c.failure.Code, false // by this worker or by the connector, before any call
	case do == core.DoOutcomeUnknown:
		e.Code = core.ErrorOutcomeUnknown
		e.Hint = fmt.Sprintf("The post may be on %s. Check the account before you send it again.", c.account.DisplayName)
	case do == core.DoAccount:
		issue := c.accountAfterFailure().Issue()
		e.Code, e.Hint = string(issue.Code), issue.Hint
		if c.failure == nil || c.failure.Kind.AccountStatus() == "" {
			e.Message, e.FromNetwork = issue.Message, false
		}
	case c.isDoomed():
		if account := c.account; c.status.Lost != "" {
			account.Status = c.status.Lost
			e.Code = string(account.Issue().Code)
		}
		e.Message, e.Hint, e.FromNetwork = cmp.Or(c.status.Message, e.Message), c.status.Hint, c.status.Message != ""
	case c.last != nil && c.last.Verdict == core.Broken:
		e.Message, e.FromNetwork = cmp.Or(c.status.Message, e.Message), false
		e.Hint = fmt.Sprintf("%s did not publish anything. If this happens again, replace the files or change the post.", c.desc.Name)
	case c.failure != nil &&
		(c.failure.Kind == network.NotSent || c.failure.Kind == network.Unknown || c.failure.Kind == network.Transient):
		e.Code, e.FromNetwork = core.ErrorUnreachable, false
		e.Hint = cmp.Or(e.Hint, "The post was not published. You can retry it unchanged.")
	}
	return e
}

// isDoomed tells whether the network has just said that it took the post and then refused it for good.
func (c *claim) isDoomed() bool { return c.last != nil && c.last.Verdict == core.Doomed }

// accountAfterFailure is the account with the status that the failure leaves it in.
func (c *claim) accountAfterFailure() core.Account {
	a := c.account
	if a.Status == core.AccountOK {
		a.Status = core.AccountRevoked
		if c.failure != nil {
			a.Status = cmp.Or(c.failure.Kind.AccountStatus(), a.Status)
		}
	}
	return a
}

// reportOutcome counts and logs what the transaction has stored.
func (c *claim) reportOutcome(do core.Do) {
	kind := ""
	if c.failure != nil {
		kind = string(c.failure.Kind)
	}
	platform := string(c.post.Platform)
	c.engine.cfg.Metrics.CountOutcome(platform, string(do), kind)
	switch do {
	case core.DoLive:
		c.engine.cfg.Metrics.ObserveLive(platform, c.now().Sub(c.pub.DueAt))
		c.log.Info("post is live", "external_id", c.pub.ExternalID)
	case core.DoFail, core.DoAccount, core.DoRetry, core.DoOutcomeUnknown:
		c.log.Info("post failed", "outcome", do, "kind", kind)
	}
}
