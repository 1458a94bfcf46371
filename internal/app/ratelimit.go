package app

import (
	"context"
	"math"
	"sync"
	"time"

	"belfry/internal/core"
	"belfry/internal/secret"
	"belfry/internal/store"
)

// Counted is what is left of a limit, as the RateLimit headers show it.
type Counted struct {
	Limit     int
	Window    time.Duration
	Remaining int
	// Reset is how long until some of what was used is free again.
	Reset time.Duration
	// RetryAfter is how long until one request will really pass; 0 when this one did.
	RetryAfter time.Duration
}

func (r Rate) toCounted(c store.Count) Counted {
	return Counted{Limit: r.Max, Window: r.Window, Remaining: c.Remaining, Reset: c.Reset, RetryAfter: c.RetryAfter}
}

// rateLimited is the 429 of a limit. Whole seconds, never fewer than it takes.
func rateLimited(wait time.Duration, message, hint string) *core.Error {
	e := core.Fail(core.CodeRateLimited, "%s", message).WithHint("%s", hint)
	e.RetryAfter = max(int(math.Ceil(wait.Seconds())), 1)
	return e
}

// Names of the limits, as the RateLimit headers and the metrics have them.
const (
	LimitNameAddress = "address"
	policyPage       = "page"
	LimitNameCreate  = "post-create"
	policySignIn     = "sign-in"
)

func (a *App) overLimitError(policy string, c Counted, what string) error {
	a.cfg.Metrics.CountRateLimited(policy)
	return rateLimited(c.RetryAfter, "Too many "+what+".", "Wait the number of seconds in Retry-After, then send fewer requests.")
}

// Arrival is a request that was let in by its address's limit. Caller is who brought the key, or Refused
// why nobody did.
type Arrival struct {
	Counted Counted
	Caller  core.Caller
	Refused error
}

// Arrive counts a request of a client address, whoever sends it (Spec §8), and on the same way recognises
// the API key it brings. Over the limit it answers rate_limited, with figures all the same.
func (a *App) Arrive(ctx context.Context, addressKey, bearer string) (Arrival, error) {
	limit := a.cfg.LimitAddress
	if wait := a.refused.waitFor(addressKey, a.cfg.Now()); wait > 0 {
		c := limit.toCounted(store.Count{Reset: wait, RetryAfter: wait})
		return Arrival{Counted: c}, a.overLimitError(LimitNameAddress, c, "requests from this address")
	}
	hash, wellFormed := secret.CheckKey(bearer)
	var (
		n       store.Count
		holder  store.KeyHolder
		err     error
		unknown error
	)
	if wellFormed {
		n, holder, err, unknown = a.cfg.Store.CountAndFind(ctx, addressKey, limit.Max, limit.Window, hash[:])
	} else {
		n, err = a.cfg.Store.CountAddress(ctx, addressKey, limit.Max, limit.Window)
		unknown = core.Unauthenticated()
	}
	if err != nil {
		return Arrival{}, err
	}
	arrival := Arrival{Counted: limit.toCounted(n)}
	if !n.Granted {
		a.refused.blockUntil(addressKey, a.cfg.Now(), arrival.Counted.RetryAfter)
		return arrival, a.overLimitError(LimitNameAddress, arrival.Counted, "requests from this address")
	}
	arrival.Caller, arrival.Refused = a.keyCaller(ctx, holder, unknown)
	return arrival, nil
}

// pagesPerRequest is how many requests for pages an address may make for each request to the API: a person's browser
// asks for many by itself, and an office may have one address.
const pagesPerRequest = 5

// CountPage counts a request for a page of the dashboard. Over the limit of its address it returns rate_limited.
func (a *App) CountPage(ctx context.Context, addressKey string) error {
	key, limit := "page/"+addressKey, Rate{a.cfg.LimitAddress.Max * pagesPerRequest, a.cfg.LimitAddress.Window}
	wait := a.refused.waitFor(key, a.cfg.Now())
	if wait == 0 {
		n, err := a.cfg.Store.CountAddress(ctx, key, limit.Max, limit.Window)
		if err != nil || n.Granted {
			return err
		}
		wait = n.RetryAfter
		a.refused.blockUntil(key, a.cfg.Now(), wait)
	}
	return a.overLimitError(policyPage, Counted{RetryAfter: wait}, "requests from this address")
}

// countCreate counts a creation of posts in the hourly limit.
func (a *App) countCreate(ctx context.Context, t store.Tenant) (Counted, error) {
	n, err := t.CountCreate(ctx, a.cfg.LimitCreate.Max, a.cfg.LimitCreate.Window)
	if err != nil {
		return Counted{}, err
	}
	c := a.cfg.LimitCreate.toCounted(n)
	if n.Granted {
		return c, nil
	}
	return c, a.overLimitError(LimitNameCreate, c, "requests to create posts in this workspace")
}

// withCreations adds the figures of the hourly limit to a replayed answer, which costs nothing of it.
func (a *App) withCreations(ctx context.Context, t store.Tenant, access Access, kept Answer) (Answer, error) {
	if !access.Creates {
		return kept, nil
	}
	n, err := t.PeekCreate(ctx, a.cfg.LimitCreate.Max, a.cfg.LimitCreate.Window)
	if err != nil {
		return Answer{}, err
	}
	c := a.cfg.LimitCreate.toCounted(n)
	c.RetryAfter = 0
	kept.Creations = &c
	return kept, nil
}

// refusedAddresses remembers until when addresses are over their limit, so that a flood does not reach the
// database. It forgets an address no later than the database would let it in.
type refusedAddresses struct {
	mu    sync.Mutex
	until map[string]time.Time
}

// refusedMax bounds the memory that a flood from many addresses takes.
const refusedMax = 10_000

func (r *refusedAddresses) waitFor(key string, now time.Time) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	until, ok := r.until[key]
	if !ok {
		return 0
	}
	if wait := until.Sub(now); wait > 0 {
		return wait
	}
	delete(r.until, key)
	return 0
}

func (r *refusedAddresses) blockUntil(key string, now time.Time, wait time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.until == nil {
		r.until = map[string]time.Time{}
	}
	if len(r.until) >= refusedMax {
		clear(r.until) // the database knows them all still
	}
	r.until[key] = now.Add(wait)
}
