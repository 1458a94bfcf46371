package publish

import (
	"context"
	"errors"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/restore"
	"belfry/internal/store"
)

// clockDrift is how far the network's clock may be behind this server's. Searches allow for it.
const clockDrift = 5 * time.Minute

// runStepsUntilClaimEnds makes one call after another and saves their results, until the protocol ends the claim.
func (c *claim) runStepsUntilClaimEnds(ctx context.Context) error {
	if err := c.claimProbeIfThrottleEnded(ctx); err != nil {
		return err
	}
	signal := c.addCircumstances(core.Signal{Verdict: core.Claimed}, c.databaseNow())
	for {
		before := c.pub
		next, do := c.pub.Next(signal)
		switch {
		case ctx.Err() != nil && do == core.DoPublish: // stopping: another worker continues from before the arm
			next, do = next.RevertUnmadeCall(do, before.Publication), core.DoPoll
		case ctx.Err() != nil && do.IsCall() && signal.Verdict == core.Progress: // another worker sends the next bytes
			do = core.DoPoll
		}
		c.setStateAndSealHandle(next)
		if !do.IsCall() {
			err := c.endClaimWithOutcome(ctx, do)
			switch {
			case errors.Is(err, store.ErrSameID):
				c.pub = before
				signal = c.dropDuplicateID(signal)
			case errors.Is(err, errReconnected):
				c.pub = before
				if err := c.reloadAccountToBeginAgain(ctx); err != nil {
					return err
				}
				signal = c.addCircumstances(core.Signal{Verdict: core.Claimed}, c.databaseNow())
			default:
				return err
			}
			continue
		}
		if !c.convertFilesWithinTimeout(ctx, do) {
			c.setStateAndSealHandle(next.RevertUnmadeCall(do, before.Publication))
			return c.endClaimWithOutcome(ctx, store.RestConverting)
		}
		until, budget, err := c.reserveCallIfRoom(ctx, do)
		if err != nil {
			return err
		}
		if !until.IsZero() {
			return c.endClaimUntilBudgetAllows(ctx, next.RevertUnmadeCall(do, before.Publication), until, budget)
		}
		deadline, err := c.saveStepAndReceiptBeforeCall(ctx, do)
		if err != nil {
			c.tryRefundUnmadeCall(ctx, do)
		}
		if errors.Is(err, store.ErrNoTurn) {
			return c.endClaimUntilTurn(ctx, next.RevertUnmadeCall(do, before.Publication))
		}
		if errors.Is(err, store.ErrPublishingHeld) {
			return c.endClaimUntilPublishingHoldEnds(ctx, next.RevertUnmadeCall(do, before.Publication))
		}
		if err == nil {
			err = c.loadIDsOfOtherPostsIfSearching(ctx, do)
		}
		if err != nil {
			return err
		}
		asked := c.databaseNow()
		signal = c.addCircumstances(c.callNetworkAndRememberResult(ctx, do, deadline), asked)
	}
}

// reloadAccountToBeginAgain loads the account with its new token, after the account was reconnected, and lets the claim
// begin again.
func (c *claim) reloadAccountToBeginAgain(ctx context.Context) (err error) {
	ctx = context.WithoutCancel(ctx)
	c.account, c.sealedToken, err = c.tenant.AccountWithTokenIncludingDisconnected(ctx, c.account.ID)
	if err != nil {
		return err
	}
	c.forgetTokenRefusal()
	c.waited, c.begunAgain = false, true
	return c.openTokenUnlessDisconnected()
}

// dropDuplicateID removes the network's id from the claim after the ledger has refused the id because it belongs to
// another post. It returns the signal to continue with: a search has mistaken the other post for this one, but the
// status of a handle remains true without the id.
func (c *claim) dropDuplicateID(s core.Signal) (corrected core.Signal) {
	c.log.Warn("the ID that the network returned for a post already belongs to another of the account's posts in Belfry",
		"external_id", c.pub.ExternalID)
	c.setExternalID("")
	c.status.URL = ""
	if s.Call == core.DoFind || !c.pub.Flow.CanRepeatCall() {
		s.Verdict = core.Ambiguous
		c.last.Verdict = s.Verdict
	}
	return s
}

// saveStepAndReceiptBeforeCall stores the publication and the next call, and returns the call's deadline. After an
// error, even if the commit may have succeeded, the call must not be made: the next claim reads what was stored.
func (c *claim) saveStepAndReceiptBeforeCall(ctx context.Context, do core.Action) (deadline time.Time, err error) {
	schedule := c.engine.cfg.Schedule
	started := c.engine.cfg.Now() // with the monotonic clock's reading, by which the lease is measured
	c.seq++
	first := c.pub.FirstCallAt.IsZero() && !c.pub.Preparing
	call := store.Call{Seq: c.seq, Do: do, Deadline: schedule.CallTimeout()}
	c.setTurnFlags(&call)
	quiet := schedule.QuietAfterArm(c.desc.Settle)
	// The state is saved even if the worker is stopping, because the previous call has happened.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), schedule.CallTimeout())
	defer cancel()
	stepID, err := c.tenant.SaveStepBeforeCall(ctx, c.pub, c.last, call, schedule.Lease, quiet)
	if err != nil {
		return time.Time{}, err
	}
	c.last, c.called, c.stepID = nil, do, stepID
	c.pub.LeaseUntil = started.Add(c.skew).Add(schedule.Lease)
	c.hasTurn = call.TakesTurn || c.hasTurn && !call.PassesTurn
	now := c.databaseNow()
	if first {
		c.pub.FirstCallAt = now
		c.engine.cfg.Metrics.ObserveFirstCallLateness(string(c.post.Platform), now.Sub(c.pub.DueAt))
	}
	c.repeats = do == core.DoPublish && !c.pub.QuietAt.IsZero()
	if do == core.DoPublish {
		c.pub.QuietAt, c.item.RearmedAt = now.Add(quiet), now
		if c.pub.ArmedAt.IsZero() {
			c.pub.ArmedAt = now
			c.item.ArmedAt = now
		}
		c.tryWriteReceipt(ctx, restore.Receipt{StepID: stepID, Handle: c.pub.Sealed})
	}
	// The lease began no earlier than started, so the call ends within the lease.
	return started.Add(min(schedule.CallTimeout(), schedule.Lease-schedule.LeaseMargin())), nil
}

// tryWriteReceipt stores a receipt of the post outside the database. If that fails, the post is published without one.
func (c *claim) tryWriteReceipt(ctx context.Context, r restore.Receipt) {
	if c.engine.cfg.Receipts == nil {
		return
	}
	r.Workspace, r.Post, r.ArmedAt = c.post.Workspace.String(), c.post.ID.String(), c.pub.ArmedAt
	if !c.post.CopyOf.IsZero() {
		r.CopyOf = c.post.CopyOf.String()
	}
	if err := c.engine.cfg.Receipts.Write(ctx, r); err != nil {
		c.log.WarnContext(ctx, "could not write a receipt: after a restore of the database, this post may look unpublished", "error",
			err)
	}
}

// loadIDsOfOtherPostsIfSearching loads the network's ids of the account's other posts before a call that may search for
// this post. A search must not mistake one of those posts for this one. The ids are loaded once the call has the turn,
// because then no other post is being published.
func (c *claim) loadIDsOfOtherPostsIfSearching(ctx context.Context, do core.Action) (err error) {
	if !c.mightSearchDuring(do) {
		return nil
	}
	since := c.pub.ArmedAt.Add(-clockDrift)
	c.item.Known, err = c.tenant.OtherExternalIDsSince(context.WithoutCancel(ctx), c.account.ID, c.post.ID, since)
	return err
}

// callNetworkAndRememberResult makes one call and returns its result as a signal of the protocol. If the token has
// lapsed, callNetworkAndRememberResult renews the token and repeats the call, unless the call is irreversible. It
// stores throttles, and remembers the result in the claim until the next write to the ledger.
func (c *claim) callNetworkAndRememberResult(ctx context.Context, do core.Action, deadline time.Time) core.Signal {
	platform, now := string(c.post.Platform), c.engine.cfg.Now
	// A call that has begun is finished even if the worker is stopping.
	ctx, cancel := network.WithMonotonicAndWallDeadline(context.WithoutCancel(ctx), now(), deadline)
	defer cancel()
	asked := now()
	status, err := c.checkFilesAndCallConnector(ctx, do)
	if e, ok := errors.AsType[*network.Error](err); ok && e.Kind == network.Lapsed {
		// The irreversible call is not repeated: like any call without a success response, it may have had an effect.
		if renewErr := c.renewToken(ctx); do != core.DoPublish {
			if err = renewErr; err == nil {
				status, err = c.checkFilesAndCallConnector(ctx, do)
				err = convertLapsedToRevoked(err)
			}
		}
	}
	c.engine.cfg.Metrics.ObserveCallDuration(platform, string(do), now().Sub(asked))
	signal := core.Signal{Call: do, Verdict: status.Verdict}
	c.last = &store.Outcome{Seq: c.seq, Verdict: status.Verdict, Code: status.Code}
	c.retryAfter = 0
	if err == nil {
		if !c.isOutcomeQuery(do) { // earlier failures no longer matter
			c.setFailure(nil)
		}
		signal.Handle = status.Handle
		if status.ExternalID != "" {
			c.setExternalID(status.ExternalID)
		}
		if c.status = status; status.Verdict == core.Progress {
			c.pub.Polls = 0
		}
		c.log.Debug("the network responded", "call", do, "verdict", status.Verdict)
		return signal
	}
	var e *network.Error
	if !errors.As(err, &e) {
		e = &network.Error{Kind: network.Unknown, Message: err.Error()}
	}
	signal.Verdict = e.Verdict(c.repeats)
	c.last.Verdict, c.last.HTTPStatus, c.last.Code = signal.Verdict, e.Status, e.Code
	c.last.Trace, c.last.Response = e.Trace, e.Raw
	c.retryAfter = e.RetryAfter
	if do == core.DoCreate && signal.Verdict == core.Lost {
		c.engine.cfg.Metrics.CountInterruptedHandleCreation(platform)
	}
	c.rememberFailure(do, e)
	c.holdOtherPostsIfToldToWait(ctx, e)
	c.log.Info("the network refused the call or did not respond", "call", do, "kind", e.Kind, "code", e.Code, "status", e.Status)
	return signal
}

// tryRenewLapsedToken renews the token if it has lapsed. A failure is only logged: the call that needs the token will
// fail.
func (c *claim) tryRenewLapsedToken(ctx context.Context) {
	if c.account.Status != core.AccountOK || !c.item.Token.HasLapsed(c.databaseNow()) {
		return
	}
	if err := c.renewToken(ctx); err != nil {
		c.log.WarnContext(ctx, "could not renew a lapsed token", "account", c.account.ID, "error", err)
	}
}

// renewToken renews the account's token, stores it, and uses it in this claim. If a person has reconnected the account
// in the meantime, the claim uses the token of the new connection.
func (c *claim) renewToken(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, c.engine.cfg.Schedule.CallTimeout())
	defer cancel()
	token, sealed, grantedAt, err := c.engine.cfg.RenewToken(ctx, c.post.Workspace, c.account.ID, c.sealedToken)
	if err == nil {
		c.item.Token, c.sealedToken, c.account.GrantedAt = token, sealed, grantedAt
		c.forgetTokenRefusalIfReconnected()
	}
	return err
}

// convertLapsedToRevoked converts the error of a call with a fresh token. If the network reports that even this token
// has lapsed, another renewal would not help, and a person must reconnect the account. Other errors are returned
// unchanged.
func convertLapsedToRevoked(err error) error {
	e, ok := errors.AsType[*network.Error](err)
	if !ok || e.Kind != network.Lapsed {
		return err
	}
	revoked := *e
	revoked.Kind = network.Revoked
	return &revoked
}

// checkFilesAndCallConnector checks that the files are available and calls the connector's method for do.
func (c *claim) checkFilesAndCallConnector(ctx context.Context, do core.Action) (network.Status, error) {
	if err := c.checkOrConvertFilesIfNeeded(ctx, do); err != nil {
		return network.Status{}, err
	}
	switch do {
	case core.DoCreate:
		c.aged = false
		for i, m := range c.files {
			if c.delivery.Gated {
				c.item.Files[i].URL = c.engine.cfg.FileURL(c.post.Workspace, m, c.conversions[i], c.pub.GateName(c.seq))
			}
		}
		handle, err := c.net.CreateHandle(ctx, c.item)
		return network.Status{Verdict: core.Done, Handle: handle}, err
	case core.DoPublish:
		return c.net.Publish(ctx, c.item, c.pub.Handle)
	case core.DoFind:
		it := c.item
		if c.pub.Handle != lostHandle {
			it.Handle = c.pub.Handle
		}
		return c.net.FindPost(ctx, it)
	}
	if c.pub.Handle == lostHandle {
		return c.statusOfUndecryptableHandle(), nil
	}
	return c.net.AdvanceStatus(ctx, c.item, c.pub.Handle)
}

// rememberFailure keeps the error of a call for the ledger. While the worker asks the network what happened to the
// irreversible call, it keeps the error of that call, even in later claims, and ignores the errors of its queries. Only
// an error that says that the network refuses the account's token replaces the kept one, which remains as its OfCall.
func (c *claim) rememberFailure(do core.Action, e *network.Error) {
	if c.isOutcomeQuery(do) && c.failure != nil && e.Kind.ResultingAccountStatus() == "" {
		return
	}
	f := &failure{
		Code: e.Code, Message: e.Message, Hint: e.Hint, Kind: e.Kind, GrantedAt: c.account.GrantedAt,
	}
	if e.Kind == network.RateLimited {
		f.Until = throttleEnd(c.databaseNow(), e)
	}
	if c.isOutcomeQuery(do) {
		f.OfCall = c.failure.exceptTokenRefusal()
	}
	c.setFailure(f)
}

// isOutcomeQuery reports whether a call asks the network what happened to the call that publishes the post.
func (c *claim) isOutcomeQuery(do core.Action) bool {
	return c.pub.Step == core.StepArmed && do != core.DoPublish
}

// addCircumstances adds to a signal what the call itself does not tell: Due, Quiet, Stale, Aged, AccountOK, MayRetry,
// Held, Waited and ErrorsMayPublish. callMadeAt is when the call was made.
func (c *claim) addCircumstances(s core.Signal, callMadeAt time.Time) core.Signal {
	now := c.databaseNow()
	// A claim that began before the post was due only prepares it: the next claim begins the attempt.
	s.Due = !c.pub.Preparing && !now.Before(c.pub.DueAt)
	s.Quiet = !callMadeAt.Before(c.pub.QuietAt)
	s.Stale = now.After(core.StaleAt(c.pub.Publication, c.pub.AskingNetworkSince()))
	s.Aged = c.aged
	s.AccountOK = c.account.Status == core.AccountOK
	s.MayRetry = c.engine.cfg.Schedule.HasRetriesLeft(c.pub.Publication)
	s.Held = now.Before(c.throttledUntilOrZero())
	s.Waited = c.waited && c.pub.Handle != lostHandle
	s.ErrorsMayPublish = c.desc.ErrorsMayPublish
	return s
}
