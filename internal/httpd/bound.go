package httpd

import (
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

// What a request has unless its route says otherwise, so that no slow client holds a connection for ever.
const (
	readTime  = 30 * time.Second
	writeTime = 60 * time.Second
)

// Within gives the requests of a route their own time: to arrive whole, and to be answered whole; both
// count from here, and 0 is without end. When the first runs out while the handler works, its context
// ends.
func Within(read, write time.Duration) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			control := http.NewResponseController(c.Response())
			if err := control.SetReadDeadline(after(read)); err != nil && !errors.Is(err, http.ErrNotSupported) {
				return err
			}
			if err := control.SetWriteDeadline(after(write)); err != nil && !errors.Is(err, http.ErrNotSupported) {
				return err
			}
			return next(c)
		}
	}
}

// A transfer of any size goes on as long as the other side keeps up with a least rate: paceBytes in every
// paceTime, which is 16 KiB a second (security.md 4.10).
const (
	paceTime  = 30 * time.Second
	paceBytes = 16 << 10 * int64(paceTime/time.Second)
)

// PacedBody is a request's body without the bounds of Within, for as long as it comes at the least rate;
// then reading fails.
func PacedBody(c echo.Context) io.Reader {
	return &paced{reader: c.Request().Body, deadline: http.NewResponseController(c.Response()).SetReadDeadline}
}

// PacedSource is content for an answer without the bounds of Within, for as long as the client takes it at
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
