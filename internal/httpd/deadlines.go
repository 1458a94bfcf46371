package httpd

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

// MaxJSONBytes is the maximum number of bytes in a JSON body or a form (decisions.md, Shape of the API).
const MaxJSONBytes = 1 << 20

// maxDrainedBytes is how many bytes of a body that is too large the server reads and discards. Otherwise, a client that
// sends its whole request first would lose the connection before it sees the response.
const maxDrainedBytes = 8 << 20

// LimitBody returns middleware that refuses a body of more than maxBytes with payload_too_large. It reads at most
// maxDrainedBytes of such a body, and nothing if Content-Length exceeds even that or the client sent Expect:
// 100-continue.
func LimitBody(maxBytes int64) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			r := c.Request()
			if r.ContentLength > maxDrainedBytes || r.ContentLength > maxBytes && r.Header.Get("Expect") != "" {
				return bodyTooLargeError(maxBytes)
			}
			body := &limitedBody{ReadCloser: r.Body, limit: maxBytes, left: maxBytes}
			if r.ContentLength > maxBytes {
				return body.discardRestAsTooLarge()
			}
			r.Body = body
			return next(c)
		}
	}
}

// limitedBody is a body with a maximum size.
type limitedBody struct {
	io.ReadCloser
	limit, left int64
	tooLarge    error
}

// Read reads the body, or returns an *http.MaxBytesError after it has exceeded the limit.
func (b *limitedBody) Read(p []byte) (int, error) {
	if b.tooLarge != nil {
		return 0, b.tooLarge
	}
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1] // the extra byte shows whether the body is too large
	}
	n, err := b.ReadCloser.Read(p)
	if int64(n) <= b.left {
		b.left -= int64(n)
		return n, err
	}
	return int(b.left), b.discardRestAsTooLarge()
}

// discardRestAsTooLarge discards the rest of a body that is too large, and returns an *http.MaxBytesError. Later reads
// return this error too.
func (b *limitedBody) discardRestAsTooLarge() (tooLarge error) {
	_, _ = io.CopyN(io.Discard, b.ReadCloser, maxDrainedBytes-(b.limit-b.left)) // the body is too large in any case
	b.tooLarge = &http.MaxBytesError{Limit: b.limit}
	return b.tooLarge
}

// Time limits of a request whose route does not lift them. They prevent a slow client or a slow handler from holding a
// connection forever.
const (
	readTime  = 30 * time.Second
	writeTime = 60 * time.Second
)

type untimedContextKey struct{}

// limitRequestTime is middleware that ends a request's context after readTime, and stops reading the request after
// readTime and writing the response after writeTime.
func limitRequestTime(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		ctx, cancel := context.WithTimeout(context.WithValue(r.Context(), untimedContextKey{}, r.Context()), readTime)
		defer cancel()
		c.SetRequest(r.WithContext(ctx))
		if err := setOrClearDeadlines(c, readTime, writeTime); err != nil {
			return err
		}
		return next(c)
	}
}

// LiftTimeLimits returns middleware that removes the time limits from routes that transfer files. Their handlers use
// MinRateBody and MinRateContent instead. newWriteTimeout limits writing the response; 0 means no limit.
func LiftTimeLimits(newWriteTimeout time.Duration) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if endless, ok := c.Request().Context().Value(untimedContextKey{}).(context.Context); ok {
				c.SetRequest(c.Request().WithContext(endless))
			}
			if err := setOrClearDeadlines(c, 0, newWriteTimeout); err != nil {
				return err
			}
			return next(c)
		}
	}
}

// setOrClearDeadlines sets the connection's deadlines to the durations from now; 0 means no deadline.
func setOrClearDeadlines(c echo.Context, readOrZero, writeOrZero time.Duration) error {
	control := http.NewResponseController(c.Response())
	for _, err := range []error{
		control.SetReadDeadline(deadlineOrNone(readOrZero)), control.SetWriteDeadline(deadlineOrNone(writeOrZero)),
	} {
		if err != nil && !errors.Is(err, http.ErrNotSupported) {
			return err
		}
	}
	return nil
}

// A transfer may take any time if the client keeps up with the minimum rate: minRateBytes in each minRatePeriod, which
// is 16 KiB per second (security.md 4.10). The time that our own disk or bucket needs does not count.
const (
	minRatePeriod = 30 * time.Second
	minRateBytes  = 16 << 10 * int64(minRatePeriod/time.Second)
	// deadlineGrain is how much earlier than necessary a deadline may be, so that most pieces do not need a new deadline.
	deadlineGrain = time.Second
)

// rateDeadline moves the deadline of a connection forward while the client keeps up with the minimum rate.
type rateDeadline struct {
	set   func(time.Time) error
	bytes int64         // to transfer before the next period begins
	time  time.Duration // left in this period
	due   time.Time     // the deadline that is set
}

// extendDeadline sets the deadline to the end of the present period. It starts a new period if enough was transferred.
func (p *rateDeadline) extendDeadline(now time.Time) error {
	if p.bytes <= 0 {
		p.bytes, p.time = minRateBytes, minRatePeriod
	}
	due := now.Add(p.time)
	if due.Sub(p.due) < deadlineGrain {
		return nil
	}
	p.due = due
	if err := p.set(due); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

// addProgress counts n bytes that were transferred, and the time that this took.
func (p *rateDeadline) addProgress(n int, took time.Duration) {
	p.bytes -= int64(n)
	p.time -= took
}

// MinRateBody returns a reader of the request's body that fails if the client sends more slowly than the minimum rate.
// There is no limit on the total time.
func MinRateBody(c echo.Context) io.Reader {
	return &minRateBody{
		body: c.Request().Body,
		pace: rateDeadline{set: http.NewResponseController(c.Response()).SetReadDeadline},
	}
}

type minRateBody struct {
	body  io.Reader
	pace  rateDeadline
	ended error
}

// Read reads from the body. It sets no deadline after the body's end, when the server waits for the next request.
func (b *minRateBody) Read(to []byte) (n int, err error) {
	if b.ended != nil {
		return 0, b.ended
	}
	began := time.Now()
	if err = b.pace.extendDeadline(began); err != nil {
		return 0, err
	}
	n, b.ended = b.body.Read(to)
	b.pace.addProgress(n, time.Since(began))
	return n, b.ended
}

// MinRateContent wraps the content of a response, so that writing fails if the client reads more slowly than the
// minimum rate. There is no limit on the total time.
func MinRateContent(c echo.Context, content io.ReadSeeker) io.ReadSeeker {
	return &minRateContent{
		Seeker: content, content: content,
		pace: rateDeadline{set: http.NewResponseController(c.Response()).SetWriteDeadline},
	}
}

type minRateContent struct {
	io.Seeker
	content io.Reader
	pace    rateDeadline
	given   int       // bytes that the last Read returned
	since   time.Time // when it returned them; zero before the first
}

// Read reads from the content. A call means that the bytes of the previous Read have been written to the client.
func (s *minRateContent) Read(to []byte) (_ int, err error) {
	if !s.since.IsZero() {
		s.pace.addProgress(s.given, time.Since(s.since))
	}
	s.given, err = s.content.Read(to)
	s.since = time.Now()
	if late := s.pace.extendDeadline(s.since); late != nil {
		return s.given, late
	}
	return s.given, err
}

func deadlineOrNone(d time.Duration) time.Time {
	if d == 0 {
		return time.Time{}
	}
	return time.Now().Add(d)
}
