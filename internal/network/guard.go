package network

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// Reasons why the client itself refuses to send a request. Nothing has been sent then.
var (
	errDeadlinePassed = errors.New("the time limit for this call has passed")
	errReplayable     = errors.New("a header that lets Go send a request twice is not allowed")
)

// If a POST has one of the replayable headers, net/http sends it again automatically after a keep-alive connection
// breaks.
var replayable = []string{"Idempotency-Key", "X-Idempotency-Key"}

type wallKey struct{}

// WithMonotonicAndWallDeadline limits a call by the monotonic clock and the wall clock. The context ends by the
// monotonic clock. The client also refuses to send after the deadline by the wall clock, which covers a machine that
// was asleep. now is the current time of the clock that set the deadline.
func WithMonotonicAndWallDeadline(ctx context.Context, now, deadline time.Time) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithValue(ctx, wallKey{}, deadline.Round(0)), deadline.Sub(now))
}

// replayAndDeadlineGuard checks each request immediately before it is sent.
type replayAndDeadlineGuard struct {
	next http.RoundTripper
	now  func() time.Time
}

func (g replayAndDeadlineGuard) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := g.checkNotReplayableOrLate(r); err != nil {
		if r.Body != nil { // a RoundTripper must close it even if it does not send
			_ = r.Body.Close()
		}
		return nil, err
	}
	return g.next.RoundTrip(r)
}

// checkNotReplayableOrLate returns an error if net/http might send the request twice, if its deadline has passed, or if
// its context has ended.
func (g replayAndDeadlineGuard) checkNotReplayableOrLate(r *http.Request) error {
	for _, name := range replayable {
		if r.Header.Get(name) != "" {
			return errReplayable
		}
	}
	// Round strips the monotonic reading, so two wall clock times are compared.
	wall, bounded := r.Context().Value(wallKey{}).(time.Time)
	if bounded && !g.now().Round(0).Before(wall) {
		return errDeadlinePassed
	}
	return r.Context().Err()
}

// CloseIdleConnections closes the idle connections of the wrapped transport.
func (g replayAndDeadlineGuard) CloseIdleConnections() {
	if pool, ok := g.next.(interface{ CloseIdleConnections() }); ok {
		pool.CloseIdleConnections()
	}
}
