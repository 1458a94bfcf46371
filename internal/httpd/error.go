package httpd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"belfry/internal/contract"
	"belfry/internal/core"
)

// retryUnavailable is how many seconds a client should wait while the database is unavailable.
const retryUnavailable = 5

// PublicError returns the error that the caller may see. It logs what is for the operator, once and with its chain,
// so an entry point calls it once for each error and then shows the result.
func (s *Server) PublicError(ctx context.Context, err error) *core.Error {
	var known *core.Error
	var tooBig *http.MaxBytesError
	var status *echo.HTTPError
	switch {
	case errors.As(err, &known):
		s.logCause(ctx, known)
		return known
	case errors.Is(err, errPanicLogged):
		return core.AsError(nil)
	case errors.As(err, &tooBig):
		return tooLargeError(tooBig.Limit)
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return unavailableError(err) // the client has gone: nobody reads this, and nothing is wrong
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		s.cfg.Logger.WarnContext(ctx, "request took too long", "request_id", RequestID(ctx), "error", err)
		return unavailableError(err)
	case s.cfg.Unavailable != nil && s.cfg.Unavailable(err):
		s.cfg.Logger.WarnContext(ctx, "database or storage unavailable", "request_id", RequestID(ctx), "error", err)
		return unavailableError(err)
	case errors.As(err, &status) && status.Code < http.StatusInternalServerError:
		return convertEchoError(status)
	}
	s.cfg.Logger.ErrorContext(ctx, "request failed", "request_id", RequestID(ctx), "error", err)
	return core.AsError(err)
}

// logCause logs the cause of errors that a caller cannot act on.
func (s *Server) logCause(ctx context.Context, e *core.Error) {
	if cause := e.Unwrap(); e.Code == core.CodeInternal || e.Code == core.CodeUnavailable && cause != nil {
		s.cfg.Logger.ErrorContext(ctx, "request failed", "request_id", RequestID(ctx), "error", e, "cause", cause)
	}
}

func unavailableError(cause error) *core.Error {
	e := core.Fail(core.CodeUnavailable, "The service is temporarily unavailable.").
		WithHint("Try again in a few seconds.").Because(cause)
	e.RetryAfter = retryUnavailable
	return e
}

func tooLargeError(limit int64) *core.Error {
	return core.Fail(core.CodePayloadTooLarge, "The body of this request is larger than %d bytes.", limit).
		WithHint("Send a smaller body. To upload a file, reserve an upload address with POST /media/uploads.")
}

// convertEchoError converts the router's errors.
func convertEchoError(e *echo.HTTPError) *core.Error {
	if e.Code == http.StatusNotFound {
		return noSuchAddress()
	}
	return core.Invalid("", "The request is not valid.").Because(e)
}

// writeJSON responds with the JSON error body, its status and, where waiting helps, Retry-After. It returns an error
// only if the response could not be written.
func (s *Server) writeJSON(c echo.Context, e *core.Error) error {
	setErrorHeaders(c, e)
	var body bytes.Buffer
	plain := json.NewEncoder(&body)
	plain.SetEscapeHTML(false) // a person reads it in a terminal
	if err := plain.Encode(contract.ErrorOf(e, s.cfg.UpgradeURL)); err != nil {
		return fmt.Errorf("encode an error body: %w", err)
	}
	status := Status(e.Code)
	if e.Code == core.CodeSizeMismatch && c.Request().Header.Get("Content-Length") == "" {
		status = http.StatusLengthRequired // decisions.md, Media, folders, groups
	}
	return c.Blob(status, "application/json", body.Bytes())
}

// setErrorHeaders sets the headers of an error, and removes those that the handler set for its response.
func setErrorHeaders(c echo.Context, e *core.Error) {
	h := c.Response().Header()
	for _, name := range []string{"Content-Length", "Content-Type", "Content-Encoding", "Content-Disposition", "Etag", "Last-Modified"} {
		h.Del(name)
	}
	h.Set("Cache-Control", "no-store")
	if wait := max(e.RetryAfter, secondsToReset(c, e)); wait > 0 {
		h.Set("Retry-After", strconv.Itoa(wait))
	}
	if e.Code == core.CodeUnauthenticated && isAPI(c.Request()) {
		h.Set("WWW-Authenticate", "Bearer") // RFC 9110 §11.6.1
	}
}

// handleError is echo's error handler: it writes JSON for programs, an error page for people, and plain text if the
// page fails.
func (s *Server) handleError(err error, c echo.Context) {
	ctx := c.Request().Context()
	e := s.PublicError(ctx, s.describeRoutingError(c, s.detectWrongMethod(c, err)))
	if c.Response().Committed {
		return // the answer is on its way, nothing can be taken back
	}
	if isAPI(c.Request()) || isFile(c.Request()) {
		if err := s.writeJSON(c, e); err != nil {
			s.cfg.Logger.InfoContext(ctx, "could not write the response", "request_id", RequestID(ctx), "error", err)
		}
		return
	}
	setErrorHeaders(c, e)
	if s.cfg.ErrorPage != nil {
		err := s.renderErrorPage(c, e)
		if err == nil {
			return
		}
		s.cfg.Logger.ErrorContext(ctx, "error page failed", "request_id", RequestID(ctx), "error", err)
	}
	if c.Response().Committed {
		return
	}
	setErrorHeaders(c, e) // once more: the page may have begun to say what it is
	text := fmt.Sprintf("%s\n%s\n\nRequest %s\n", e.Sentence(), e.Hint, RequestID(ctx))
	if err := c.Blob(Status(e.Code), "text/plain; charset=utf-8", []byte(text)); err != nil {
		s.cfg.Logger.InfoContext(ctx, "could not write the response", "request_id", RequestID(ctx), "error", err)
	}
}

func (s *Server) renderErrorPage(c echo.Context, e *core.Error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return s.cfg.ErrorPage(c, e)
}

// isAPI reports whether a request is for the API.
func isAPI(r *http.Request) bool { return r.URL.Path == "/v1" || strings.HasPrefix(r.URL.Path, "/v1/") }

// isFile reports whether a request uploads or downloads a file's bytes, as programs do.
func isFile(r *http.Request) bool {
	return strings.HasPrefix(r.URL.Path, contract.UploadPath) || strings.HasPrefix(r.URL.Path, contract.FilePath) &&
		strings.Count(r.URL.Path, "/") == 3
}
