package httpd

import (
	"errors"
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

func after(d time.Duration) time.Time {
	if d == 0 {
		return time.Time{}
	}
	return time.Now().Add(d)
}
