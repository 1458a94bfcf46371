package httpd

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

// JSONLimit is the maximum number of bytes in a JSON body or a form (decisions.md, Shape of the API).
const JSONLimit = 1 << 20

// drainLimit is how much of a body that is too large is still read. Otherwise, the connection of a client that sends
// its whole request before it reads would be reset, and the client would not see the response.
const drainLimit = 8 << 20

// LimitBody refuses a body of more than limit bytes with payload_too_large, after reading at most drainLimit bytes. A
// body with a larger Content-Length, or with Expect: 100-continue, is refused without reading.
func LimitBody(limit int64) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			r := c.Request()
			if r.ContentLength > drainLimit || r.ContentLength > limit && r.Header.Get("Expect") != "" {
				return tooLargeError(limit)
			}
			body := &limitedBody{ReadCloser: r.Body, limit: limit, left: limit}
			if r.ContentLength > limit {
				return body.drain()
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
		p = p[:b.left+1] // one more tells a body that is too large from one that is not
	}
	n, err := b.ReadCloser.Read(p)
	if int64(n) <= b.left {
		b.left -= int64(n)
		return n, err
	}
	return int(b.left), b.drain()
}

// drain reads the rest of a body that is too large, and returns the error for it.
func (b *limitedBody) drain() error {
	_, _ = io.CopyN(io.Discard, b.ReadCloser, drainLimit-(b.limit-b.left)) // whatever ends it, the body is too large
	b.tooLarge = &http.MaxBytesError{Limit: b.limit}
	return b.tooLarge
}

// What a request has unless its route says otherwise, so that neither a slow client nor what the handler waits
// for holds a connection for ever.
const (
	readTime  = 30 * time.Second
	writeTime = 60 * time.Second
)

type untimedContextKey struct{}

// limitTime limits the time in which a request must arrive and be handled, after which its context ends, and the time
// for writing the response.
func limitTime(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		ctx, cancel := context.WithTimeout(context.WithValue(r.Context(), untimedContextKey{}, r.Context()), readTime)
		defer cancel()
		c.SetRequest(r.WithContext(ctx))
		if err := setDeadlines(c, readTime, writeTime); err != nil {
			return err
		}
		return next(c)
	}
}

// NoTimeLimit removes the time limits from routes that transfer files, which use PacedBody and PacedSource instead.
// write limits the time for the response; 0 means no limit.
func NoTimeLimit(write time.Duration) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if endless, ok := c.Request().Context().Value(untimedContextKey{}).(context.Context); ok {
				c.SetRequest(c.Request().WithContext(endless))
			}
			if err := setDeadlines(c, 0, write); err != nil {
				return err
			}
			return next(c)
		}
	}
}

func setDeadlines(c echo.Context, read, write time.Duration) error {
	control := http.NewResponseController(c.Response())
	for _, err := range []error{control.SetReadDeadline(deadlineIn(read)), control.SetWriteDeadline(deadlineIn(write))} {
		if err != nil && !errors.Is(err, http.ErrNotSupported) {
			return err
		}
	}
	return nil
}

// A transfer of any size goes on as long as the other side keeps up with a least rate: paceBytes in every
// paceTime, which is 16 KiB a second (security.md 4.10). What our own disk or bucket takes in between is not its time.
const (
	paceTime  = 30 * time.Second
	paceBytes = 16 << 10 * int64(paceTime/time.Second)
	// paceGrain is by how much a deadline may be too early, so that not every piece that moves costs a call.
	paceGrain = time.Second
)

// paceClock measures how much of its time the other side has left.
type paceClock struct {
	deadline func(time.Time) error
	bytes    int64 // until there is new time
	time     time.Duration
	due      time.Time // the deadline that is set
}

// startWaiting starts the other side's clock.
func (p *paceClock) startWaiting(now time.Time) error {
	if p.bytes <= 0 {
		p.bytes, p.time = paceBytes, paceTime
	}
	due := now.Add(p.time)
	if due.Sub(p.due) < paceGrain {
		return nil
	}
	p.due = due
	if err := p.deadline(due); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

// addProgress counts bytes that were transferred and how long that took.
func (p *paceClock) addProgress(n int, took time.Duration) {
	p.bytes -= int64(n)
	p.time -= took
}

// PacedBody returns a request's body without a time limit for the whole. Reading fails if the client sends more
// slowly than the minimum rate.
func PacedBody(c echo.Context) io.Reader {
	return &pacedBody{
		body: c.Request().Body,
		pace: paceClock{deadline: http.NewResponseController(c.Response()).SetReadDeadline},
	}
}

type pacedBody struct {
	body  io.Reader
	pace  paceClock
	ended error
}

// Read reads from the body. After its end, the server waits for the client's next request without a deadline.
func (b *pacedBody) Read(to []byte) (n int, err error) {
	if b.ended != nil {
		return 0, b.ended
	}
	began := time.Now()
	if err = b.pace.startWaiting(began); err != nil {
		return 0, err
	}
	n, b.ended = b.body.Read(to)
	b.pace.addProgress(n, time.Since(began))
	return n, b.ended
}

// PacedSource returns content for a response without a time limit for the whole. Writing fails if the client reads
// more slowly than the minimum rate.
func PacedSource(c echo.Context, content io.ReadSeeker) io.ReadSeeker {
	return &pacedSource{
		Seeker: content, content: content,
		pace: paceClock{deadline: http.NewResponseController(c.Response()).SetWriteDeadline},
	}
}

type pacedSource struct {
	io.Seeker
	content io.Reader
	pace    paceClock
	given   int       // bytes that are being written
	since   time.Time // when they were given; zero before the first
}

// Read reads from the content. What it returned before has been written by now.
func (s *pacedSource) Read(to []byte) (_ int, err error) {
	if !s.since.IsZero() {
		s.pace.addProgress(s.given, time.Since(s.since))
	}
	s.given, err = s.content.Read(to)
	s.since = time.Now()
	if late := s.pace.startWaiting(s.since); late != nil {
		return s.given, late
	}
	return s.given, err
}

func deadlineIn(d time.Duration) time.Time {
	if d == 0 {
		return time.Time{}
	}
	return time.Now().Add(d)
}
