package publish

import (
	"cmp"
	"context"
	"errors"
	"time"

	"belfry/internal/network"
	"belfry/internal/store"
)

// defaultThrottle is how long a throttle lasts if the network does not say when it ends.
const defaultThrottle = 5 * time.Minute

// throttleEnd returns when the throttle that refused a call ends: after the error's RetryAfter, or after
// defaultThrottle.
func throttleEnd(now time.Time, e *network.Error) time.Time {
	return now.Add(cmp.Or(e.RetryAfter, defaultThrottle))
}

// throttledUntilOrZero returns when the throttle of the post or of its account ends, whichever is later, or zero if
// there is none.
func (c *claim) throttledUntilOrZero() time.Time {
	until := c.account.HeldUntil
	if c.failure != nil && c.failure.Until.After(until) {
		until = c.failure.Until
	}
	return until
}

// whenThrottledPostContinues returns when publishing a throttled post continues. A call that is not safe to repeat is
// not made again until the settle time of the refused call is over.
func (c *claim) whenThrottledPostContinues(now time.Time) time.Time {
	until := c.throttledUntilOrZero()
	if until.IsZero() {
		until = throttleEnd(now, &network.Error{})
	}
	if settled := c.pub.QuietAt.Add(settleMargin); !c.pub.Flow.CanRepeatCall() && c.pub.Armed && settled.After(until) {
		return settled
	}
	return until
}

// chooseNextClaimTime returns when a worker must claim a throttled post again: at the end of the settle time if
// its handle must be disarmed, otherwise when the post continues.
func (c *claim) chooseNextClaimTime(now time.Time) time.Time {
	until, settled := c.whenThrottledPostContinues(now), c.pub.QuietAt.Add(settleMargin)
	if c.pub.Armed && c.pub.Flow.CanRepeatCall() && settled.After(now) && settled.Before(until) {
		return settled
	}
	return until
}

// holdOtherPostsIfToldToWait stores the throttle that a failed call reports, so that it also holds the account's other
// posts. A throttle of this server's app holds the posts of all accounts of the network. A permanent refusal with a
// RetryAfter holds only the other posts. Other errors hold nothing. A database error is only logged: it costs at most
// another throttled call.
func (c *claim) holdOtherPostsIfToldToWait(ctx context.Context, e *network.Error) {
	switch {
	case e.Kind == network.RateLimited:
		c.throttled = true
	case e.Kind != network.Rejected || e.RetryAfter == 0:
		return
	}
	until := throttleEnd(c.databaseNow(), e)
	var err error
	switch e.Scope {
	case network.ScopeAccount:
		err = c.tenant.HoldAccountPosts(ctx, c.account.ID, until)
	case network.ScopeApp:
		err = c.engine.cfg.Store.HoldPlatformPosts(ctx, c.post.Platform, until)
	}
	if err != nil {
		c.log.WarnContext(ctx, "could not hold other posts during a throttle", "error", err)
	}
}

// claimProbeIfThrottleEnded lets only this claim use an account whose throttle has ended. The account's other posts
// stay held until this post has its result, so that they do not all run into the same throttle. If another claim was
// faster, this post also stays held.
func (c *claim) claimProbeIfThrottleEnded(ctx context.Context) error {
	if c.account.HeldUntil.IsZero() || c.databaseNow().Before(c.account.HeldUntil) {
		return nil
	}
	meanwhile := c.engine.cfg.Schedule.CallTimeout()
	until, err := c.tenant.ClaimThrottleProbe(ctx, c.account.ID, meanwhile)
	switch {
	case errors.Is(err, store.ErrNotFound):
		c.account.HeldUntil = c.databaseNow().Add(meanwhile)
	case err != nil:
		return err
	default:
		c.probeUntil, c.account.HeldUntil = until, time.Time{}
	}
	return nil
}

// endThrottleIfProbeSucceeded releases the other posts of an account that this claim has probed, unless a call was
// throttled again.
func (c *claim) endThrottleIfProbeSucceeded(ctx context.Context, t store.Tenant) error {
	if c.probeUntil.IsZero() || c.last == nil || c.throttled {
		return nil
	}
	return t.EndThrottleAndWakePosts(ctx, c.account.ID, c.probeUntil)
}
