package httpd

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"belfry/internal/core"
)

type requestIDKey struct{}

// RequestID returns the request's id, which is in the response's X-Request-Id and in log lines as request_id.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

// assignRequestIDAndSource is middleware that gives the request an id, and stores it and the client's address for the
// audit log (core.Origin). It uses the id in X-Request-Id only if a trusted proxy sent it, because clients could
// otherwise write into the log.
func (s *Server) assignRequestIDAndSource(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		id := r.Header.Get("X-Request-Id")
		if !s.proxies.isTrustedPeer(r) || !isValidRequestID(id) {
			id = rand.Text()
		}
		ctx := context.WithValue(r.Context(), requestIDKey{}, id)
		c.SetRequest(r.WithContext(core.WithOrigin(ctx, core.Origin{Address: c.RealIP(), RequestID: id})))
		c.Response().Header().Set("X-Request-Id", id)
		return next(c)
	}
}

func isValidRequestID(id string) bool {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
	return len(id) >= 8 && len(id) <= 128 && strings.Trim(id, letters) == ""
}

const logAttrsKey = "httpd.notes"

// AddLogAttrs adds attributes, such as the workspace, to the request's line in the access log.
func AddLogAttrs(c echo.Context, attrs ...slog.Attr) {
	notes, _ := c.Get(logAttrsKey).([]slog.Attr)
	c.Set(logAttrsKey, append(notes, attrs...))
}

const logAtDebugKey = "httpd.quiet"

// LogAtDebug is middleware that logs requests at the debug level. It is for routes that our own programs call often.
func LogAtDebug(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		c.Set(logAtDebugKey, true)
		return next(c)
	}
}

// logAccess is middleware that logs each request after it was handled. It omits the query, which may contain a secret,
// and logs the pattern of a path that contains a token. Successful reads are logged at the debug level, because polling
// pages and programs would otherwise hide other lines.
func (s *Server) logAccess(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		start, r := time.Now(), c.Request()
		defer func() {
			level := accessLogLevel(c, r)
			if !s.cfg.Logger.Enabled(r.Context(), level) {
				return
			}
			notes, _ := c.Get(logAttrsKey).([]slog.Attr)
			s.cfg.Logger.LogAttrs(r.Context(), level, "request", append([]slog.Attr{
				slog.String("request_id", RequestID(r.Context())),
				slog.String("method", truncateWithEllipsis(OriginalMethod(r), 16)),
				slog.String("path", s.loggedPath(c, r)),
				slog.Int("status", c.Response().Status), slog.Int64("bytes", c.Response().Size),
				slog.Duration("took", time.Since(start)), slog.String("address", c.RealIP()),
			}, notes...)...)
		}()
		return next(c)
	}
}

// accessLogLevel returns the level at which a request is logged: debug for successful reads and for routes with
// LogAtDebug, and otherwise info.
func accessLogLevel(c echo.Context, r *http.Request) slog.Level {
	quiet, _ := c.Get(logAtDebugKey).(bool)
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	if quiet || reads && c.Response().Status < http.StatusBadRequest {
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// secretParam is the name of a route's parameter that must not be logged.
const secretParam = ":token"

// loggedPath returns the path to log, without a token. In a request that matches no route, such as one with a truncated
// address, it also hides what follows the prefix of a route with a token.
func (s *Server) loggedPath(c echo.Context, r *http.Request) string {
	if strings.Contains(c.Path(), secretParam) {
		return c.Path()
	}
	for _, before := range s.tokenPrefixes() {
		if strings.HasPrefix(r.URL.Path, before) {
			return before + secretParam
		}
	}
	return truncateWithEllipsis(r.URL.Path, 256)
}

// tokenPathPrefixes returns the prefixes of paths that are followed by a token.
func (s *Server) tokenPathPrefixes() (list []string) {
	for _, route := range s.Echo.Routes() {
		if before, _, ok := strings.Cut(route.Path, secretParam); ok {
			list = append(list, before)
		}
	}
	return list
}

// truncateWithEllipsis returns at most maxBytes of a text, with an ellipsis if something is missing.
func truncateWithEllipsis(s string, maxBytes int) string {
	if len(s) <= maxBytes {
		return s
	}
	return strings.ToValidUTF8(s[:maxBytes], "") + "…"
}

// logErrorsAndRespond is middleware that logs errors and turns them into responses. It runs inside logAccess, which
// logs the status.
func (s *Server) logErrorsAndRespond(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if err := next(c); err != nil {
			s.logAndWriteErrorResponse(err, c)
		}
		return nil
	}
}

// recoverAndLogPanics is middleware that logs a panic and converts it to an internal error. If part of the response
// has been sent, it closes the connection instead, so that the response does not look complete.
func (s *Server) recoverAndLogPanics(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		defer func() {
			v := recover()
			if v == nil {
				return
			}
			if cause, ok := v.(error); ok && errors.Is(cause, http.ErrAbortHandler) {
				panic(http.ErrAbortHandler) //nolint:forbidigo // closes the connection
			}
			ctx := c.Request().Context()
			s.cfg.Logger.ErrorContext(ctx, "request panicked",
				"request_id", RequestID(ctx), "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
			if c.Response().Committed {
				panic(http.ErrAbortHandler) //nolint:forbidigo // as above
			}
			err = errPanicLogged
		}()
		return next(c)
	}
}

// errPanicLogged is the error after a panic that has already been logged.
var errPanicLogged = errors.New("panic in a handler")

type headKey struct{}

// ServeHTTP serves a request. The handler for GET also serves HEAD; net/http omits the body.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodHead {
		r = r.WithContext(context.WithValue(r.Context(), headKey{}, true))
		r.Method = http.MethodGet
	}
	s.Echo.ServeHTTP(w, r)
}

// OriginalMethod returns the method that the client sent. For HEAD, the request's own method is GET.
func OriginalMethod(r *http.Request) string {
	if head, _ := r.Context().Value(headKey{}).(bool); head {
		return http.MethodHead
	}
	return r.Method
}

// addHeadToAllowHeader is middleware that adds HEAD to an Allow header with GET.
func addHeadToAllowHeader(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		c.Response().Before(func() {
			h := c.Response().Header()
			if allow := h.Get("Allow"); strings.Contains(allow, http.MethodGet) && !strings.Contains(allow, http.MethodHead) {
				h.Set("Allow", allow+", "+http.MethodHead)
			}
		})
		return next(c)
	}
}
