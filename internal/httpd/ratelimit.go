package httpd

import (
	"slices"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"belfry/internal/core"
)

const limitsKey = "httpd.limits"

// limit is a rate limit of a request, and how many requests are left if that is known.
type limit struct {
	name      string
	quota     int
	window    time.Duration
	remaining int
	reset     int
	counted   bool
}

// SetPolicy adds a limit to RateLimit-Policy that this request does not count toward.
func SetPolicy(c echo.Context, name string, quota int, window time.Duration) {
	setLimit(c, limit{name: name, quota: quota, window: window})
}

// SetLimit adds the number of requests left to RateLimit, and the limit to RateLimit-Policy
// (draft-ietf-httpapi-ratelimit-headers). Limits appear in the order in which they were first set; setting one again
// replaces its values. reset is rounded up to whole seconds.
func SetLimit(c echo.Context, name string, quota int, window time.Duration, remaining int, reset time.Duration) {
	setLimit(c, limit{
		name: name, quota: quota, window: window,
		remaining: max(remaining, 0), reset: int((max(reset, 0) + time.Second - 1) / time.Second), counted: true,
	})
}

func setLimit(c echo.Context, l limit) {
	limits := requestLimits(c)
	if i := slices.IndexFunc(limits, func(known limit) bool { return known.name == l.name }); i >= 0 {
		limits[i] = l
		return
	}
	if limits == nil {
		c.Response().Before(func() { writeLimitHeaders(c) })
	}
	c.Set(limitsKey, append(limits, l))
}

func writeLimitHeaders(c echo.Context) {
	var policies, counts []byte
	for _, l := range requestLimits(c) {
		policies = appendItem(policies, l.name, ";q=", l.quota, ";w=", int(l.window/time.Second))
		if l.counted {
			counts = appendItem(counts, l.name, ";r=", l.remaining, ";t=", l.reset)
		}
	}
	h := c.Response().Header()
	h.Set("RateLimit-Policy", string(policies))
	if len(counts) > 0 {
		h.Set("RateLimit", string(counts))
	}
}

// appendItem appends an item with two parameters to a list. Every response of the API has some.
func appendItem(list []byte, name, one string, first int, two string, second int) []byte {
	if len(list) > 0 {
		list = append(list, ", "...)
	}
	list = strconv.AppendQuote(list, name)
	list = strconv.AppendInt(append(list, one...), int64(first), 10)
	return strconv.AppendInt(append(list, two...), int64(second), 10)
}

func requestLimits(c echo.Context) []limit {
	limits, _ := c.Get(limitsKey).([]limit)
	return limits
}

// secondsToReset returns when the limit that refused this request resets. Retry-After must never be earlier
// (publishing.md, Quotas and rate limits).
func secondsToReset(c echo.Context, e *core.Error) int {
	wait := 0
	if e.Code == core.CodeRateLimited {
		for _, l := range requestLimits(c) {
			if l.counted && l.remaining == 0 {
				wait = max(wait, l.reset)
			}
		}
	}
	return wait
}
