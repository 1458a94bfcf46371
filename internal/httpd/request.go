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

// RequestID is the id that the answer carries in X-Request-Id and each of its log lines in request_id.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

// assignRequestID names the request. A name given from outside would let anyone write into our log, so only a
// trusted proxy's is taken.
func (s *Server) assignRequestID(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		id := r.Header.Get("X-Request-Id")
		if !s.proxies.isTrusted(r) || !isValidID(id) {
			id = rand.Text()
		}
		ctx := context.WithValue(r.Context(), requestIDKey{}, id)
		c.SetRequest(r.WithContext(core.WithOrigin(ctx, core.Origin{Address: c.RealIP(), RequestID: id})))
		c.Response().Header().Set("X-Request-Id", id)
		return next(c)
	}
}

func isValidID(id string) bool {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
	return len(id) >= 8 && len(id) <= 128 && strings.Trim(id, letters) == ""
}

const logAttrsKey = "httpd.notes"

// AddLogAttrs adds attributes to the request's line in the access log: whose workspace, which key.
func AddLogAttrs(c echo.Context, attrs ...slog.Attr) {
	notes, _ := c.Get(logAttrsKey).([]slog.Attr)
	c.Set(logAttrsKey, append(notes, attrs...))
}

const logAtDebugKey = "httpd.quiet"

// LogAtDebug is for routes that programs of our own call all the time: the access log has them at the level debug.
func LogAtDebug(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		c.Set(logAtDebugKey, true)
		return next(c)
	}
}

// logAccess writes one line for each request, without its query, which may hold a secret. A route whose
// parameter is named token is logged by its pattern for the same reason. What was only read, and answered, is for
// debugging: pages that look for news and programs that poll would bury the rest.
func (s *Server) logAccess(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		start, r := time.Now(), c.Request()
		defer func() {
			level := accessLevel(c, r)
			if !s.cfg.Logger.Enabled(r.Context(), level) {
				return
			}
			notes, _ := c.Get(logAttrsKey).([]slog.Attr)
			s.cfg.Logger.LogAttrs(r.Context(), level, "request", append([]slog.Attr{
				slog.String("request_id", RequestID(r.Context())), slog.String("method", MethodOf(r)),
				slog.String("path", s.loggedPath(c, r)),
				slog.Int("status", c.Response().Status), slog.Int64("bytes", c.Response().Size),
				slog.Duration("took", time.Since(start)), slog.String("address", c.RealIP()),
			}, notes...)...)
		}()
		return next(c)
	}
}

func accessLevel(c echo.Context, r *http.Request) slog.Level {
	quiet, _ := c.Get(logAtDebugKey).(bool)
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	if quiet || reads && c.Response().Status < http.StatusBadRequest {
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// secretPart is the name of a route's parameter that the log must not repeat.
const secretParam = ":token"

// loggedPath also hides what stands in the place of a token at an address that no route answers, such as one
// that was cut short.
func (s *Server) loggedPath(c echo.Context, r *http.Request) string {
	if strings.Contains(c.Path(), secretParam) {
		return c.Path()
	}
	for _, before := range s.beforeSecrets() {
		if strings.HasPrefix(r.URL.Path, before) {
			return before + secretParam
		}
	}
	return truncate(r.URL.Path, 256)
}

// pathsBeforeSecrets are the paths behind which a route has a token.
func (s *Server) pathsBeforeSecrets() (list []string) {
	for _, route := range s.Echo.Routes() {
		if before, _, ok := strings.Cut(route.Path, secretParam); ok {
			list = append(list, before)
		}
	}
	return list
}

func truncate(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// answerErrors turns errors into answers here and not at the very end, so that the access log knows the
// status and the headers are there.
func (s *Server) answerErrors(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if err := next(c); err != nil {
			s.handleError(err, c)
		}
		return nil
	}
}

// recoverPanics makes an internal error of a panic. When the answer had begun, the connection is cut
// instead: a half page must not look whole.
func (s *Server) recoverPanics(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		defer func() {
			v := recover()
			if v == nil {
				return
			}
			if cause, ok := v.(error); ok && errors.Is(cause, http.ErrAbortHandler) {
				panic(http.ErrAbortHandler) //nolint:forbidigo // net/http's own way to cut a connection
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

// errPanicked stands for an error that has been logged already.
var errPanicLogged = errors.New("panic in a handler")

type headKey struct{}

// ServeHTTP answers a request. HEAD goes to GET's handler, which need not know: net/http leaves the body
// out, for it keeps the request as it came.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodHead {
		r = r.WithContext(context.WithValue(r.Context(), headKey{}, true))
		r.Method = http.MethodGet
	}
	s.Echo.ServeHTTP(w, r)
}

// MethodOf is the method that the client used.
func MethodOf(r *http.Request) string {
	if head, _ := r.Context().Value(headKey{}).(bool); head {
		return http.MethodHead
	}
	return truncate(r.Method, 16)
}

// allowHead adds HEAD to what the router says of its methods.
func allowHead(next echo.HandlerFunc) echo.HandlerFunc {
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
