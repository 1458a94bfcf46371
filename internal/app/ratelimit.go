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

// errRateLimited returns rate_limited with the wait, rounded up to whole seconds.
func errRateLimited(wait time.Duration, message, hint string) *core.Error {
	e := core.Fail(core.CodeRateLimited, "%s", message).WithHint("%s", hint)
	e.RetryAfter = max(int(math.Ceil(wait.Seconds())), 1)
	return e
}

// Names of the limits in the RateLimit headers and the metrics.
const (
	LimitNameAddress = "address"
	limitNamePage    = "page"
	LimitNameCreate  = "post-create"
	limitNameSignIn  = "sign-in"
	limitNameInvite  = "invite"
)

// countRefusalAndBuildError counts a refused request in the metrics and returns rate_limited. tooManyWhat completes the
// sentence "Too many …".
func (a *App) countRefusalAndBuildError(limitName string, wait time.Duration, tooManyWhat string) error {
	a.cfg.Metrics.CountRateLimited(limitName)
	return errRateLimited(wait, "Too many "+tooManyWhat+".",
		"Wait for the number of seconds in Retry-After, then send fewer requests.")
}

// CountedRequest is a request that was counted toward the limit of its client address. Caller is the caller to whom its
// API key belongs; if there is none, KeyRefused is the reason.
type CountedRequest struct {
	Counted    store.RateCount
	Caller     core.Caller
	KeyRefused error
}

// CountRequestAndFindCaller counts a request toward the limit of its client address, whoever sends it (Spec §8), and
// authenticates its API key in the same round trip. If the address is over its limit, it returns rate_limited together
// with the counts. If the key is invalid, the error is nil, and CountedRequest.KeyRefused is set.
func (a *App) CountRequestAndFindCaller(ctx context.Context, addressKey, bearerKeyOrEmpty string,
) (CountedRequest, error) {
	limit := a.cfg.LimitAddress
	if wait := a.refused.remainingWait(addressKey, a.cfg.Now()); wait > 0 {
		c := store.RateCount{Reset: wait, RetryAfter: wait}
		return CountedRequest{Counted: c}, a.countRefusalAndBuildError(LimitNameAddress, wait, "requests from this address")
	}
	hash, wellFormed := secret.HashAPIKey(bearerKeyOrEmpty)
	var (
		n       store.RateCount
		holder  store.KeyHolder
		err     error
		unknown error
	)
	if wellFormed {
		n, holder, err, unknown = a.cfg.Store.CountRequestAndFindKey(ctx, addressKey, limit.Max, limit.Window, hash[:])
	} else {
		n, err = a.cfg.Store.CountAddressRequestIfAllowed(ctx, addressKey, limit.Max, limit.Window)
		unknown = core.Unauthenticated()
	}
	if err != nil {
		return CountedRequest{}, err
	}
	arrival := CountedRequest{Counted: n}
	if !n.Granted {
		a.refused.rememberRefusal(addressKey, a.cfg.Now(), n.RetryAfter)
		return arrival, a.countRefusalAndBuildError(LimitNameAddress, n.RetryAfter, "requests from this address")
	}
	arrival.Caller, arrival.KeyRefused = a.authenticateAndRecordKeyUse(ctx, holder, unknown)
	return arrival, nil
}

// pagesPerRequest is how many page requests an address may make for each API request that its limit allows. A browser
// makes many requests by itself, and all people in an office may share one address.
const pagesPerRequest = 5

// ThrottlePageRequest counts a request for a page of the dashboard toward the limit of its client address. It returns
// rate_limited if the address is over that limit.
func (a *App) ThrottlePageRequest(ctx context.Context, addressKey string) error {
	key, limit := "page/"+addressKey, Rate{a.cfg.LimitAddress.Max * pagesPerRequest, a.cfg.LimitAddress.Window}
	wait := a.refused.remainingWait(key, a.cfg.Now())
	if wait == 0 {
		n, err := a.cfg.Store.CountAddressRequestIfAllowed(ctx, key, limit.Max, limit.Window)
		if err != nil || n.Granted {
			return err
		}
		wait = n.RetryAfter
		a.refused.rememberRefusal(key, a.cfg.Now(), wait)
	}
	return a.countRefusalAndBuildError(limitNamePage, wait, "requests from this address")
}

// throttlePostCreationRequest counts a request to create posts toward the hourly limit, and returns rate_limited if it
// is over that limit.
func (a *App) throttlePostCreationRequest(ctx context.Context, t store.Tenant,
) (countEvenIfRefused store.RateCount, err error) {
	n, err := t.CountPostCreationRequestIfAllowed(ctx, a.cfg.LimitCreate.Max, a.cfg.LimitCreate.Window)
	if err == nil && !n.Granted {
		err = a.countRefusalAndBuildError(LimitNameCreate, n.RetryAfter, "requests to create posts in this workspace")
	}
	return n, err
}

// attachPostCreationCountIfCreates returns a stored response with the state of the hourly limit, if the operation
// counts toward that limit. It does not count the request.
func (a *App) attachPostCreationCountIfCreates(ctx context.Context, t store.Tenant, access Access,
	stored Answer,
) (Answer, error) {
	if !access.Creates {
		return stored, nil
	}
	n, err := t.PostCreationCount(ctx, a.cfg.LimitCreate.Max, a.cfg.LimitCreate.Window)
	if err != nil {
		return Answer{}, err
	}
	n.RetryAfter = 0
	stored.Creations = &n
	return stored, nil
}

// refusedAddresses remembers until when addresses are over their limit, so that a flood of requests does not reach the
// database. It never refuses an address for longer than the database would.
type refusedAddresses struct {
	mu    sync.Mutex
	until map[string]time.Time
}

// refusedMax limits the memory that a flood from many addresses can use.
const refusedMax = 10_000

// remainingWait returns how long the address is still refused, or 0.
func (r *refusedAddresses) remainingWait(key string, now time.Time) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if wait := r.until[key].Sub(now); wait > 0 {
		return wait
	}
	delete(r.until, key)
	return 0
}

// rememberRefusal records that the address is refused until wait has passed.
func (r *refusedAddresses) rememberRefusal(key string, now time.Time, wait time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.until == nil || len(r.until) >= refusedMax {
		r.until = map[string]time.Time{} // the database still knows the forgotten addresses
	}
	r.until[key] = now.Add(wait)
}
