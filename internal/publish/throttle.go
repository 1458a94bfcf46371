package publish

import (
	"cmp"
	"context"
	"errors"
	"time"

	"belfry/internal/network"
	"belfry/internal/store"
)

// defaultThrottle is how long a throttle lasts when the network does not say.
const defaultThrottle = 5 * time.Minute

// throttleEnd returns when the throttle of a refused call (HTTP 429, or a network's own error code) ends: after its
// Retry-After, or after defaultThrottle.
func throttleEnd(now time.Time, e *network.Error) time.Time {
	return now.Add(cmp.Or(e.RetryAfter, defaultThrottle))
}

// pausedUntil is when the latest throttle of the post or of its account ends; zero when there is none.
func (c *claim) pausedUntil() time.Time {
	until := c.account.HeldUntil
	if c.failure != nil && c.failure.Until.After(until) {
		until = c.failure.Until
	}
	return until
}

// resumeAt returns when a throttled post continues. A call that cannot safely be repeated is not made again until the
// settle time of the refused one is over.
func (c *claim) resumeAt(now time.Time) time.Time {
	until := c.pausedUntil()
	if until.IsZero() {
		until = throttleEnd(now, &network.Error{})
	}
	if settled := c.pub.QuietAt.Add(settleMargin); !c.pub.Flow.Repeatable() && c.pub.Armed && settled.After(until) {
		return settled
	}
	return until
}

// checkThrottledAt returns when a worker looks at a throttled post again: if its handle is still armed, when the settle
// time is over, to disarm it; otherwise when the post continues.
func (c *claim) checkThrottledAt(now time.Time) time.Time {
	until, settled := c.resumeAt(now), c.pub.QuietAt.Add(settleMargin)
	if c.pub.Armed && c.pub.Flow.Repeatable() && settled.After(now) && settled.Before(until) {
		return settled
	}
	return until
}

// shareThrottle also holds the other posts of the account, or those of all accounts of the network if the throttle is
// on this server's app. A refusal for good that says how long to wait holds only the others. A failure to store that is
// only logged: it costs no more than another throttled call.
func (c *claim) shareThrottle(ctx context.Context, e *network.Error) {
	switch {
	case e.Kind == network.RateLimited:
		c.throttled = true
	case e.Kind != network.Rejected || e.RetryAfter == 0:
		return
	}
	until := throttleEnd(c.now(), e)
	var err error
	switch e.Scope {
	case network.ScopeAccount:
		err = c.tenant.HoldAccount(ctx, c.account.ID, until)
	case network.ScopeApp:
		err = c.engine.cfg.Store.HoldPlatform(ctx, c.post.Platform, until)
	}
	if err != nil {
		c.log.WarnContext(ctx, "could not hold the account's other posts during a throttle", "error", err)
	}
}

// probeThrottledAccount lets one post try an account whose throttle has ended. The account's other posts stay held
// until that one has its result, so that they do not all run into the same throttle again.
func (c *claim) probeThrottledAccount(ctx context.Context) error {
	if c.account.HeldUntil.IsZero() || c.now().Before(c.account.HeldUntil) {
		return nil
	}
	meanwhile := c.engine.cfg.Schedule.CallTimeout()
	until, err := c.tenant.ProbeAccount(ctx, c.account.ID, meanwhile)
	switch {
	case errors.Is(err, store.ErrNotFound):
		c.account.HeldUntil = c.now().Add(meanwhile)
	case err != nil:
		return err
	default:
		c.probeUntil, c.account.HeldUntil = until, time.Time{}
	}
	return nil
}

// endProbe ends the hold of a throttled account that this claim alone has tried, if a call was not throttled.
func (c *claim) endProbe(ctx context.Context, t store.Tenant) error {
	if c.probeUntil.IsZero() || c.last == nil || c.throttled {
		return nil
	}
	return t.EndProbe(ctx, c.account.ID, c.probeUntil)
}
