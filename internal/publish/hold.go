package publish

import (
	"context"
	"time"

	"belfry/internal/network"
)

// defaultHold is how long a throttle lasts when the network does not say.
const defaultHold = 5 * time.Minute

// holdEnds is when the latest throttle of the post or of its account ends; zero when there is none.
func (c *claim) holdEnds() time.Time {
	until := c.account.HeldUntil
	if c.failure != nil && c.failure.Until.After(until) {
		until = c.failure.Until
	}
	return until
}

// heldUntil is when a held post goes on. A call that cannot safely be repeated is not made again before what was
// refused would show.
func (c *claim) heldUntil(now time.Time) time.Time {
	until := c.holdEnds()
	if until.IsZero() {
		until = now.Add(defaultHold)
	}
	if settled := c.pub.QuietAt.Add(settleMargin); !c.pub.Flow.Repeatable() && c.pub.Armed && settled.After(until) {
		return settled
	}
	return until
}

// holdCheckedAt is when a worker looks at a held post again: where its handle is still armed, once the settle
// time is over, to disarm it.
func (c *claim) holdCheckedAt(now time.Time) time.Time {
	until, settled := c.heldUntil(now), c.pub.QuietAt.Add(settleMargin)
	if c.pub.Armed && c.pub.Flow.Repeatable() && settled.After(now) && settled.Before(until) {
		return settled
	}
	return until
}

// shareThrottle holds the account's other posts back as well, or those of all accounts of the network where the
// throttle is on this server's app. An error costs no more than another throttled call.
func (c *claim) shareThrottle(ctx context.Context, e *network.Error) {
	if e.Kind != network.RateLimited {
		return
	}
	c.throttled = true
	until := c.now().Add(defaultHold)
	if e.RetryAfter > 0 {
		until = c.now().Add(e.RetryAfter)
	}
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

// probeHold lets one post try an account whose hold has ended. The account's other posts stay held until that
// one has had an answer, so that they do not all meet the same throttle again.
func (c *claim) probeHold(ctx context.Context) error {
	if c.account.HeldUntil.IsZero() || c.now().Before(c.account.HeldUntil) {
		return nil
	}
	meanwhile := c.engine.cfg.Schedule.CallTimeout()
	may, err := c.tenant.ProbeAccount(ctx, c.account.ID, meanwhile)
	switch {
	case err != nil:
		return err
	case may:
		c.probing, c.account.HeldUntil = true, time.Time{}
	default:
		c.account.HeldUntil = c.now().Add(meanwhile)
	}
	return nil
}
