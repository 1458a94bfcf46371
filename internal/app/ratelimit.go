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

// errRateLimited returns rate_limited. It rounds the wait up to whole seconds.
func errRateLimited(wait time.Duration, message, hint string) *core.Error {
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
	policyInvite     = "invite"
)

func (a *App) overLimitError(policy string, wait time.Duration, what string) error {
	a.cfg.Metrics.CountRateLimited(policy)
	return errRateLimited(wait, "Too many "+what+".", "Wait the number of seconds in Retry-After, then send fewer requests.")
}

// Arrival is a request that its address's limit allows. Caller is the owner of the key; if there is none, Refused is
// the reason.
type Arrival struct {
	Counted store.RateCount
	Caller  core.Caller
	Refused error
}

// Arrive counts a request toward the limit of its client address, whoever sends it (Spec §8), and looks up its API
// key in the same round trip. Over the limit, it returns rate_limited, also with the counts.
func (a *App) Arrive(ctx context.Context, addressKey, bearer string) (Arrival, error) {
	limit := a.cfg.LimitAddress
	if wait := a.refused.waitFor(addressKey, a.cfg.Now()); wait > 0 {
		c := store.RateCount{Reset: wait, RetryAfter: wait}
		return Arrival{Counted: c}, a.overLimitError(LimitNameAddress, wait, "requests from this address")
	}
	hash, wellFormed := secret.HashAPIKey(bearer)
	var (
		n       store.RateCount
		holder  store.KeyHolder
		err     error
		unknown error
	)
	if wellFormed {
		n, holder, err, unknown = a.cfg.Store.CountRequestAndFindKey(ctx, addressKey, limit.Max, limit.Window, hash[:])
	} else {
		n, err = a.cfg.Store.CountAddressRequest(ctx, addressKey, limit.Max, limit.Window)
		unknown = core.Unauthenticated()
	}
	if err != nil {
		return Arrival{}, err
	}
	arrival := Arrival{Counted: n}
	if !n.Granted {
		a.refused.blockUntil(addressKey, a.cfg.Now(), n.RetryAfter)
		return arrival, a.overLimitError(LimitNameAddress, n.RetryAfter, "requests from this address")
	}
	arrival.Caller, arrival.Refused = a.keyCaller(ctx, holder, unknown)
	return arrival, nil
}

// pagesPerRequest is how many page requests an address may make for each API request. A browser makes many requests
// by itself, and all people in an office may share one address.
const pagesPerRequest = 5

// CountPage counts a request for a page of the dashboard. It returns rate_limited over the limit of its address.
func (a *App) CountPage(ctx context.Context, addressKey string) error {
	key, limit := "page/"+addressKey, Rate{a.cfg.LimitAddress.Max * pagesPerRequest, a.cfg.LimitAddress.Window}
	wait := a.refused.waitFor(key, a.cfg.Now())
	if wait == 0 {
		n, err := a.cfg.Store.CountAddressRequest(ctx, key, limit.Max, limit.Window)
		if err != nil || n.Granted {
			return err
		}
		wait = n.RetryAfter
		a.refused.blockUntil(key, a.cfg.Now(), wait)
	}
	return a.overLimitError(policyPage, wait, "requests from this address")
}

// countCreate counts a request to create posts toward the hourly limit.
func (a *App) countCreate(ctx context.Context, t store.Tenant) (store.RateCount, error) {
	n, err := t.CountCreation(ctx, a.cfg.LimitCreate.Max, a.cfg.LimitCreate.Window)
	if err == nil && !n.Granted {
		err = a.overLimitError(LimitNameCreate, n.RetryAfter, "requests to create posts in this workspace")
	}
	return n, err
}

// addCreateLimit adds the hourly limit to a replayed response, which does not count toward it.
func (a *App) addCreateLimit(ctx context.Context, t store.Tenant, access Access, kept Answer) (Answer, error) {
	if !access.Creates {
		return kept, nil
	}
	n, err := t.PeekCreation(ctx, a.cfg.LimitCreate.Max, a.cfg.LimitCreate.Window)
	if err != nil {
		return Answer{}, err
	}
	n.RetryAfter = 0
	kept.Creations = &n
	return kept, nil
}

// refusedAddresses remembers until when addresses are over their limit, so that a flood of requests does not reach
// the database. It never refuses an address for longer than the database would.
type refusedAddresses struct {
	mu    sync.Mutex
	until map[string]time.Time
}

// refusedMax limits the memory that a flood from many addresses can use.
const refusedMax = 10_000

func (r *refusedAddresses) waitFor(key string, now time.Time) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if wait := r.until[key].Sub(now); wait > 0 {
		return wait
	}
	delete(r.until, key)
	return 0
}

func (r *refusedAddresses) blockUntil(key string, now time.Time, wait time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.until == nil || len(r.until) >= refusedMax {
		r.until = map[string]time.Time{} // the database still knows those that this forgets
	}
	r.until[key] = now.Add(wait)
}
