package httpd

import (
	"slices"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"belfry/internal/core"
)

const limitsKey = "httpd.limits"

// rateLimit is a rate limit that applies to a request. remaining and reset are set only if it counted the request.
type rateLimit struct {
	name      string
	quota     int
	window    time.Duration
	remaining int // requests
	reset     int // seconds
	counted   bool
}

// AddRateLimitPolicyHeader adds a limit that did not count this request to the response's RateLimit-Policy header.
func AddRateLimitPolicyHeader(c echo.Context, name string, quota int, window time.Duration) {
	addOrReplaceRateLimit(c, rateLimit{name: name, quota: quota, window: window})
}

// AddRateLimitHeaders adds a limit to the response's RateLimit-Policy header, and the number of remaining requests to
// RateLimit (draft-ietf-httpapi-ratelimit-headers). Limits appear in the order in which they were first added. Adding
// one again replaces its values. reset is rounded up to whole seconds.
func AddRateLimitHeaders(
	c echo.Context, name string, quota int, window time.Duration, remaining int, reset time.Duration,
) {
	addOrReplaceRateLimit(c, rateLimit{
		name: name, quota: quota, window: window,
		remaining: max(remaining, 0), reset: int((max(reset, 0) + time.Second - 1) / time.Second), counted: true,
	})
}

// addOrReplaceRateLimit stores a limit for the headers of the response, or replaces the one with the same name. The
// headers are written with the response.
func addOrReplaceRateLimit(c echo.Context, l rateLimit) {
	limits := storedRateLimits(c)
	if i := slices.IndexFunc(limits, func(known rateLimit) bool { return known.name == l.name }); i >= 0 {
		limits[i] = l
		return
	}
	if limits == nil {
		c.Response().Before(func() { writeRateLimitHeaders(c) })
	}
	c.Set(limitsKey, append(limits, l))
}

func writeRateLimitHeaders(c echo.Context) {
	var policies, counts []byte
	for _, l := range storedRateLimits(c) {
		policies = appendRateLimitItem(policies, l.name, "q", l.quota, "w", int(l.window/time.Second))
		if l.counted {
			counts = appendRateLimitItem(counts, l.name, "r", l.remaining, "t", l.reset)
		}
	}
	h := c.Response().Header()
	h.Set("RateLimit-Policy", string(policies))
	if len(counts) > 0 {
		h.Set("RateLimit", string(counts))
	}
}

// appendRateLimitItem appends an item such as "name";q=60;w=3600 to the list. It avoids fmt because every response of
// the API has such items.
func appendRateLimitItem(list []byte, name, key1 string, value1 int, key2 string, value2 int) []byte {
	if len(list) > 0 {
		list = append(list, ", "...)
	}
	list = strconv.AppendQuote(list, name)
	list = append(append(append(list, ';'), key1...), '=')
	list = strconv.AppendInt(list, int64(value1), 10)
	list = append(append(append(list, ';'), key2...), '=')
	return strconv.AppendInt(list, int64(value2), 10)
}

func storedRateLimits(c echo.Context) []rateLimit {
	limits, _ := c.Get(limitsKey).([]rateLimit)
	return limits
}

// secondsToResetIfRefused returns the seconds until the limit that refused this request resets, or 0 if no limit
// refused it. Retry-After must not be shorter.
func secondsToResetIfRefused(c echo.Context, e *core.Error) int {
	wait := 0
	if e.Code == core.CodeRateLimited {
		for _, l := range storedRateLimits(c) {
			if l.counted && l.remaining == 0 {
				wait = max(wait, l.reset)
			}
		}
	}
	return wait
}
