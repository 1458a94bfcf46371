package httpd

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

// JSONLimit is the most bytes that a JSON body or a form may have (decisions.md, Shape of the API).
const JSONLimit = 1 << 20

// LimitBody refuses a body of more than so many bytes with payload_too_large: at once when its length is
// announced, else when that many have been read.
func LimitBody(limit int64) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			r := c.Request()
			if r.ContentLength > limit {
				return tooLarge(limit)
			}
			// The writer below echo's tells net/http to close the connection of a body that is too long.
			r.Body = http.MaxBytesReader(c.Response().Writer, r.Body, limit)
			return next(c)
		}
	}
}

// What a request has unless its route says otherwise, so that neither a slow client nor what the handler waits
// for holds a connection for ever.
const (
	readTime  = 30 * time.Second
	writeTime = 60 * time.Second
)

type endlessKey struct{}

// bound gives a request its time: to arrive whole and be worked on, after which its context ends, and to be
// answered whole.
func bound(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		ctx, cancel := context.WithTimeout(context.WithValue(r.Context(), endlessKey{}, r.Context()), readTime)
		defer cancel()
		c.SetRequest(r.WithContext(ctx))
		if err := setDeadlines(c, readTime, writeTime); err != nil {
			return err
		}
		return next(c)
	}
}

// Paced is for routes that transfer files: they have no end but that of PacedBody and PacedSource, and the given
// time to answer, 0 without end.
func Paced(write time.Duration) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if endless, ok := c.Request().Context().Value(endlessKey{}).(context.Context); ok {
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
	for _, err := range []error{control.SetReadDeadline(after(read)), control.SetWriteDeadline(after(write))} {
		if err != nil && !errors.Is(err, http.ErrNotSupported) {
			return err
		}
	}
	return nil
}

// A transfer of any size goes on as long as the other side keeps up with a least rate: paceBytes in every
// paceTime, which is 16 KiB a second (security.md 4.10).
const (
	paceTime  = 30 * time.Second
	paceBytes = 16 << 10 * int64(paceTime/time.Second)
)

// PacedBody is a request's body without a bound on the whole, for as long as it comes at the least rate;
// then reading fails.
func PacedBody(c echo.Context) io.Reader {
	return &paced{reader: c.Request().Body, deadline: http.NewResponseController(c.Response()).SetReadDeadline}
}

// PacedSource is content for an answer without a bound on the whole, for as long as the client takes it at
// the least rate; then writing fails.
func PacedSource(c echo.Context, content io.ReadSeeker) io.ReadSeeker {
	return struct {
		io.Reader
		io.Seeker
	}{&paced{reader: content, deadline: http.NewResponseController(c.Response()).SetWriteDeadline}, content}
}

type paced struct {
	reader   io.Reader
	deadline func(time.Time) error
	left     int64 // bytes until the deadline moves on
}

// Read reads on.
func (p *paced) Read(b []byte) (int, error) {
	if p.left <= 0 {
		if err := p.deadline(after(paceTime)); err != nil && !errors.Is(err, http.ErrNotSupported) {
			return 0, err
		}
		p.left = paceBytes
	}
	n, err := p.reader.Read(b)
	p.left -= int64(n)
	return n, err
}

func after(d time.Duration) time.Time {
	if d == 0 {
		return time.Time{}
	}
	return time.Now().Add(d)
}
