package publish

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/restore"
	"belfry/internal/store"
)

// Waits of the protocol that do not depend on the network.
const (
	reconnectWait = time.Hour       // before an armed post is checked again while its account must be reconnected
	unknownWait   = time.Hour       // before the network is asked once more about an unknown outcome
	firstBackoff  = 5 * time.Second // after the first failure to ask the network; grows to a minute
	settleMargin  = 50 * time.Millisecond
	manySteps     = 10 // a claim with more calls than this is sending a file in parts
)

// endClaimWithOutcome stores an action that is not a call as the outcome of the claim and, in the same transaction,
// releases the lease. It then writes the receipt of a live post, and logs and counts the outcome.
//
// The network's response must not be lost. Therefore, endClaimWithOutcome ignores the cancellation of ctx, and tries
// again after a database error, for at most the duration of a lease. It does not try again if another worker has taken
// over, if the network's id belongs to another post (store.ErrSameID), or if the post would fail for want of access
// that the account has regained (errReconnected). In the latter two cases, nothing is stored, and the claim is still
// open.
func (c *claim) endClaimWithOutcome(ctx context.Context, action core.Action) error {
	lease := c.engine.cfg.Schedule.Lease
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lease)
	defer cancel()
	for {
		err := c.tenant.Tx(ctx, func(t store.Tenant) error { return c.storeOutcomeInTx(ctx, t, action) })
		switch {
		case err == nil:
			if action == core.DoLive {
				c.tryWriteReceipt(ctx, restore.Receipt{StepID: c.stepID, Live: true, ExternalID: c.pub.ExternalID})
			}
			c.logAndCountOutcome(action)
			return nil
		case errors.Is(err, store.ErrFenced), errors.Is(err, store.ErrSameID), errors.Is(err, errReconnected),
			core.CodeOf(err) != core.CodeInternal, ctx.Err() != nil:
			return fmt.Errorf("store the outcome %s of post %s: %w", action, c.post.ID, err)
		}
		c.log.Warn("could not store the outcome of a post; trying again", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(lease / 60):
		}
	}
}

// nextPollCount returns how many claims in a row have ended by waiting for the same thing: the network, or the
// conversion of images.
func (c *claim) nextPollCount(action core.Action) int {
	switch {
	case action != core.DoPoll && action != core.DoBackoff && action != store.RestConverting:
		return 0
	case (action == store.RestConverting) != (c.pub.Rest == store.RestConverting): // it begins to wait for the other
		return 1
	}
	return c.pub.Polls + 1
}

// storeOutcomeInTx stores the outcome of a claim: the post with its timeline, the ledger row, and the jobs that follow.
func (c *claim) storeOutcomeInTx(ctx context.Context, t store.Tenant, action core.Action) error {
	now := c.databaseNow()
	pub := c.pub
	pub.Rest = action
	if pub.NextAt = c.nextActionAtOrZero(action, now); pub.Preparing && pub.NextAt.After(pub.DueAt) &&
		action != core.DoHold && action != core.DoOutcomeUnknown {
		pub.NextAt = pub.DueAt // whatever the post waits for, an attempt is made when it is due
	}
	pub.Polls = c.nextPollCount(action)
	change, changed, err := c.buildPostChange(action, now)
	if err != nil {
		return err
	}
	// If the fence refuses this, the transaction also rolls back the change to the post.
	rest := func(t store.Tenant) error {
		if err := t.SaveStepAndEndClaim(ctx, pub, c.last, c.nextTurnLease()); err != nil {
			return err
		}
		return c.endThrottleIfProbeSucceeded(ctx, t) // locks the account before SavePostChange locks files (ADR 0010)
	}
	if changed {
		err = t.SavePostChange(ctx, change, rest)
	} else {
		err = rest(t)
	}
	if err != nil {
		return err
	}
	if pub.Polls > 1 || action == core.DoHold || c.seq > manySteps {
		if err := t.DeleteRepeatedSteps(ctx, pub.Post); err != nil {
			return err
		}
	}
	if c.mayContradictFacts(action) {
		if err := t.EnqueueStaleAccountChecks(ctx, []core.AccountID{c.account.ID}, 0); err != nil {
			return err
		}
	}
	switch action {
	case core.DoAccount, core.DoBackoff, core.DoAwait:
		return c.markRefusedTokenOrWakePost(ctx, t, action)
	case core.DoFail:
		if c.wasAcceptedThenRefused() && c.status.Lost != "" {
			return t.SetAccountStatusIfTokenUnchanged(ctx, c.account.ID, c.isOwnToken, c.status.Lost, c.status.Message)
		}
	case core.DoLive:
		return c.engine.enqueueFollowUpsIfIDKnown(ctx, t, change.Post, c.files)
	}
	return nil
}

// nextActionAtOrZero returns when a worker must act on the post again, or zero if none must.
func (c *claim) nextActionAtOrZero(action core.Action, now time.Time) time.Time {
	switch action {
	case core.DoRetry:
		return c.engine.cfg.Schedule.NextRetryAt(c.pub.Tries, now)
	case core.DoHold:
		return c.chooseNextClaimTime(now)
	case core.DoPoll:
		if c.last != nil && c.last.Verdict != core.Pending { // this worker is stopping: another makes the next call
			return now
		}
		return now.Add(core.PollBackoff(c.desc.FirstPoll, c.pub.Polls))
	case core.DoAwait:
		return c.pub.DueAt
	case store.RestConverting:
		return now
	case core.DoSettle:
		return c.pub.QuietAt.Add(settleMargin)
	case core.DoBackoff:
		if c.account.Status != core.AccountOK || c.isTokenRefused(action) {
			return now.Add(reconnectWait)
		}
		return now.Add(max(c.retryAfter, core.PollBackoff(firstBackoff, c.pub.Polls)))
	case core.DoOutcomeUnknown:
		return now.Add(unknownWait)
	}
	return time.Time{}
}

// isTokenRefused reports whether the network refuses the account's token. A refusal in an earlier claim counts only if
// the post fails because of it, since the account may have been reconnected in the meantime.
func (c *claim) isTokenRefused(action core.Action) bool {
	if !c.failure.isTokenRefusal() {
		return false
	}
	return action == core.DoAccount || c.last != nil && c.last.Verdict == core.AuthLost
}

// buildPostChange returns the change to the post that follows from the outcome, and whether there is one. It does not
// store the change. If a person has changed the post since it was claimed, the fence will refuse to store the change.
func (c *claim) buildPostChange(action core.Action, now time.Time) (change core.Change, changed bool, err error) {
	switch action {
	case core.DoLive:
		change, err := c.post.MakeLiveChange(now, c.pub.ArmedAt, "")
		change.Post.ExternalID, change.Post.ExternalURL = c.pub.ExternalID, c.status.URL
		return change, true, err
	case core.DoHold:
		if c.pub.Rest == core.DoHold && !c.throttled { // the timeline already says so
			return core.Change{}, false, nil
		}
		until := c.post.Zone.FormatTime(c.whenThrottledPostContinues(now))
		message := fmt.Sprintf("Held until %s: %s", until, c.throttleReason())
		return core.Change{Post: c.post, Event: core.Event{Kind: core.EventQueued, At: now, Message: message}}, true, nil
	case core.DoFail, core.DoAccount, core.DoRetry, core.DoOutcomeUnknown:
		if c.post.Status != core.PostQueued { // asking again about an unknown outcome brought nothing new
			return core.Change{}, false, nil
		}
		failed := c.buildPostError(action)
		change, err := c.post.MakeChange(core.MoveFail, now, failed.Message)
		change.Post.Error = failed
		return change, true, err
	}
	return core.Change{}, false, nil
}

// isOwnToken reports whether an encrypted token of the account is the one that this claim uses.
func (c *claim) isOwnToken(sealed []byte) bool {
	return c.engine.cfg.IsSameToken(c.account.ID, c.post.Workspace, sealed, c.sealedToken)
}

// errReconnected means that a person reconnected the account during the claim.
var errReconnected = errors.New("the account was reconnected during the claim")

// markRefusedTokenOrWakePost marks an account whose token the network has just refused, if the account still has that
// token. If the account was reconnected during the claim, a worker immediately tries the post with the new token. If
// the post would fail, the error is errReconnected, at most once in a claim.
func (c *claim) markRefusedTokenOrWakePost(ctx context.Context, t store.Tenant, action core.Action) error {
	refused := c.isTokenRefused(action)
	if refused && c.account.Status == core.AccountOK {
		status := c.failure.Kind.ResultingAccountStatus()
		err := t.SetAccountStatusIfTokenUnchanged(ctx, c.account.ID, c.isOwnToken, status, c.failure.Message)
		if err != nil {
			return err
		}
	}
	switch {
	case !refused && c.account.Status == core.AccountOK:
		return nil
	case action == core.DoAccount && !c.begunAgain:
		return c.checkNotReconnected(ctx, t)
	}
	return t.WakePostIfAccountStatusOK(ctx, c.post.ID)
}

// checkNotReconnected returns errReconnected if the account's status is ok, although this claim has lost access to it.
// Otherwise, the account cannot be reconnected before the transaction ends, and the reconnection will find the failed
// post.
func (c *claim) checkNotReconnected(ctx context.Context, t store.Tenant) error {
	err := t.LockConnectedAccountsShared(ctx, []core.AccountID{c.account.ID})
	if errors.Is(err, store.ErrNotFound) { // disconnected
		return nil
	}
	if err != nil {
		return err
	}
	account, err := t.ConnectedAccount(ctx, c.account.ID)
	if err == nil && account.Status == core.AccountOK {
		return errReconnected
	}
	return err
}

// mayContradictFacts reports whether the network's refusal may contradict its facts about the account: it may have
// refused a setting, or one more post, that the facts allow.
func (c *claim) mayContradictFacts(action core.Action) bool {
	_, tells := c.net.(network.Informer)
	return tells && (action == core.DoFail || action == core.DoHold && c.throttled)
}

// throttleReason returns the network's message about the throttle that holds the post, or a general one.
func (c *claim) throttleReason() string {
	if c.failure != nil && c.failure.Message != "" {
		return c.failure.Message
	}
	return c.desc.Name + " is not accepting more posts from this account right now."
}

// temporaryKinds are the kinds of errors that prove nothing about the post itself.
var temporaryKinds = []network.ErrorKind{network.NotSent, network.Unknown, network.Transient, network.Lapsed}

// buildPostError returns the error of a post that the action makes fail, for people and programs: why it failed, and
// what to do. It stores nothing.
func (c *claim) buildPostError(action core.Action) *core.PostError {
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
	case action == core.DoFail && c.fileIssue != nil:
		e.Code, e.FromNetwork = string(c.fileIssue.Code), false
	case action == core.DoFail && c.failure != nil && c.failure.Code == string(core.IssueMediaUnreachable.Code):
		e.Code, e.FromNetwork = c.failure.Code, false // by this worker or by the connector, before any call
	case action == core.DoOutcomeUnknown:
		e.Code, e.Hint = core.ErrorOutcomeUnknown, fmt.Sprintf(core.UnknownOutcomeHint, c.account.DisplayName)
	case action == core.DoAccount:
		issue := c.accountWithStatusAfterFailure().Issue()
		e.Code, e.Hint = string(issue.Code), issue.Hint
		if !c.failure.isTokenRefusal() {
			e.Message, e.FromNetwork = issue.Message, false
		}
	case c.wasAcceptedThenRefused():
		if account := c.account; c.status.Lost != "" {
			account.Status = c.status.Lost
			e.Code = string(account.Issue().Code)
		}
		e.Message, e.Hint, e.FromNetwork = cmp.Or(c.status.Message, e.Message), c.status.Hint, c.status.Message != ""
	case c.last != nil && c.last.Verdict == core.Broken:
		e.Message, e.FromNetwork = cmp.Or(c.status.Message, e.Message), false
		e.Hint = fmt.Sprintf("%s did not publish anything. Retry the post. If it fails again, change the files or text in a copy of the post.", c.desc.Name)
	case c.failure == nil && c.last != nil && c.last.Verdict == core.Ready:
		e.Code, e.Message = core.ErrorUnreachable, c.desc.Name+" accepted the post, but did not publish it."
		e.Hint = "You can retry the post unchanged."
	case c.failure != nil && slices.Contains(temporaryKinds, c.failure.Kind):
		e.Code, e.FromNetwork = core.ErrorUnreachable, false
		e.Hint = cmp.Or(e.Hint, "The post was not published. You can retry it unchanged.")
	}
	if action != core.DoOutcomeUnknown && c.pub.MayHavePublished() {
		mayBeLive := fmt.Sprintf("The post may already be live. Belfry asks %s before it sends the post again.", c.desc.Name)
		if action == core.DoAccount { // its hint says how to reconnect; any other says that nothing was published
			mayBeLive = e.Hint + " " + mayBeLive
		}
		e.Hint = mayBeLive
	}
	return e
}

// wasAcceptedThenRefused reports whether the network has just reported that it accepted the post and then refused it
// permanently.
func (c *claim) wasAcceptedThenRefused() bool { return c.last != nil && c.last.Verdict == core.Doomed }

// accountWithStatusAfterFailure returns the account with the status that it has after the failure. It stores nothing.
func (c *claim) accountWithStatusAfterFailure() core.Account {
	a := c.account
	if a.Status == core.AccountOK {
		a.Status = core.AccountRevoked
		if c.failure != nil {
			a.Status = cmp.Or(c.failure.Kind.ResultingAccountStatus(), a.Status)
		}
	}
	return a
}

// logAndCountOutcome counts and logs the stored outcome.
func (c *claim) logAndCountOutcome(action core.Action) {
	kind := ""
	if c.failure != nil {
		kind = string(c.failure.Kind)
	}
	platform := string(c.post.Platform)
	c.engine.cfg.Metrics.CountClaimOutcome(platform, string(action), kind)
	switch action {
	case core.DoLive:
		c.engine.cfg.Metrics.ObserveLiveLateness(platform, c.databaseNow().Sub(c.pub.DueAt))
		c.log.Info("post is live", "external_id", c.pub.ExternalID)
	case core.DoFail, core.DoAccount, core.DoRetry, core.DoOutcomeUnknown:
		c.log.Info("post failed", "outcome", action, "kind", kind)
	}
}
