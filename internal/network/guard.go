package network

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// Reasons for which the client itself refuses to send. Nothing has left the machine then.
var (
	errDeadlinePassed = errors.New("the time limit for this call has passed")
	errReplayable     = errors.New("a header that makes Go send a request twice is not allowed")
)

// replayable headers make net/http resend a POST by itself on a broken keep-alive connection.
var replayable = []string{"Idempotency-Key", "X-Idempotency-Key"}

type wallKey struct{}

// WithDeadline bounds a call by both clocks: the context ends by the monotonic one, and the client
// refuses to send when the wall clock has passed t, as it has after a machine slept or was frozen. now is
// what the clock shows by which t was reckoned.
func WithDeadline(ctx context.Context, now, deadline time.Time) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithValue(ctx, wallKey{}, deadline.Round(0)), deadline.Sub(now))
}

// guard is the last thing a request passes before it is sent.
type guard struct {
	next http.RoundTripper
	now  func() time.Time
}

func (g guard) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := g.checkRequest(r); err != nil {
		if r.Body != nil { // which a RoundTripper closes, also when it does not send
			_ = r.Body.Close()
		}
		return nil, err
	}
	return g.next.RoundTrip(r)
}

// checkRequest returns why a request may not be sent.
func (g guard) checkRequest(r *http.Request) error {
	for _, name := range replayable {
		if r.Header.Get(name) != "" {
			return errReplayable
		}
	}
	// Round strips the monotonic reading, so that wall clock is compared with wall clock.
	wall, bounded := r.Context().Value(wallKey{}).(time.Time)
	if bounded && !g.now().Round(0).Before(wall) {
		return errDeadlinePassed
	}
	return r.Context().Err()
}

// CloseIdleConnections passes the wish on to the pool.
func (g guard) CloseIdleConnections() {
	if pool, ok := g.next.(interface{ CloseIdleConnections() }); ok {
		pool.CloseIdleConnections()
	}
}
