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

// retryUnavailable is how many seconds a client should wait if the database or the storage is unavailable.
const retryUnavailable = 5

// logAndConvertError logs an error that the operator should know about, with its causes, and returns the error that the
// client may see. It must be called exactly once for each error.
func (s *Server) logAndConvertError(ctx context.Context, err error) *core.Error {
	var known *core.Error
	var tooBig *http.MaxBytesError
	var status *echo.HTTPError
	switch {
	case errors.As(err, &known):
		s.logCauseIfServerError(ctx, known)
		return known
	case errors.Is(err, errPanicLogged):
		return core.ErrorOrInternal(nil)
	case errors.As(err, &tooBig):
		return bodyTooLargeError(tooBig.Limit)
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return unavailableError(err) // the client has disconnected
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		s.cfg.Logger.WarnContext(ctx, "request took too long", "request_id", RequestID(ctx), "error", err)
		return unavailableError(err)
	case s.cfg.Unavailable != nil && s.cfg.Unavailable(err):
		s.cfg.Logger.WarnContext(ctx, "database or storage unavailable", "request_id", RequestID(ctx), "error", err)
		return unavailableError(err)
	case errors.As(err, &status) && status.Code < http.StatusInternalServerError:
		return convertToNotFoundOrInvalid(status)
	}
	s.cfg.Logger.ErrorContext(ctx, "request failed", "request_id", RequestID(ctx), "error", err)
	return core.ErrorOrInternal(err)
}

// logCauseIfServerError logs an error that the client cannot act on, with its cause. It does not log other errors.
func (s *Server) logCauseIfServerError(ctx context.Context, e *core.Error) {
	if cause := e.Unwrap(); e.Code == core.CodeInternal || e.Code == core.CodeUnavailable && cause != nil {
		s.cfg.Logger.ErrorContext(ctx, "request failed", "request_id", RequestID(ctx), "error", e, "cause", cause)
	}
}

func unavailableError(cause error) *core.Error {
	e := core.Fail(core.CodeUnavailable, "The service is temporarily unavailable.").
		WithHint("Try again in a few seconds.").WithCause(cause)
	e.RetryAfter = retryUnavailable
	return e
}

func bodyTooLargeError(maxBytes int64) *core.Error {
	return core.Fail(core.CodePayloadTooLarge, "The body of this request is larger than %d bytes.", maxBytes).
		WithHint("Send a smaller body. To upload a file, reserve an upload address with POST /media/uploads.")
}

// convertToNotFoundOrInvalid converts a client error of echo: 404 to not_found, and any other to invalid_request.
func convertToNotFoundOrInvalid(e *echo.HTTPError) *core.Error {
	if e.Code == http.StatusNotFound {
		return unknownAddressError()
	}
	return core.Invalid("", "The request is not valid.").WithCause(e)
}

// writeErrorJSON writes an error as a JSON response with its status and headers. It returns an error only if the
// response could not be written.
func (s *Server) writeErrorJSON(c echo.Context, e *core.Error) error {
	replaceHeadersForError(c, e)
	var body bytes.Buffer
	plain := json.NewEncoder(&body)
	plain.SetEscapeHTML(false) // keeps it readable in a terminal
	if err := plain.Encode(contract.ErrorOf(e, s.cfg.UpgradeURL)); err != nil {
		return fmt.Errorf("encode an error body: %w", err)
	}
	status := Status(e.Code)
	if e.Code == core.CodeSizeMismatch && c.Request().Header.Get("Content-Length") == "" {
		status = http.StatusLengthRequired // decisions.md, Media, folders, groups
	}
	return c.Blob(status, "application/json", body.Bytes())
}

// replaceHeadersForError removes the headers that the handler set for its own response, and sets those of an error
// response.
func replaceHeadersForError(c echo.Context, e *core.Error) {
	h := c.Response().Header()
	for _, name := range []string{"Content-Length", "Content-Type", "Content-Encoding", "Content-Disposition", "Etag", "Last-Modified"} {
		h.Del(name)
	}
	h.Set("Cache-Control", "no-store")
	if wait := max(e.RetryAfter, secondsToResetIfRefused(c, e)); wait > 0 {
		h.Set("Retry-After", strconv.Itoa(wait))
	}
	if e.Code == core.CodeUnauthenticated && isAPIRequest(c.Request()) {
		h.Set("WWW-Authenticate", "Bearer") // RFC 9110 §11.6.1
	}
}

// logAndWriteErrorResponse is echo's error handler. It logs the error and writes a response: JSON for programs, an
// error page for people, or plain text if the page cannot be rendered.
func (s *Server) logAndWriteErrorResponse(err error, c echo.Context) {
	ctx := c.Request().Context()
	e := s.logAndConvertError(ctx, s.addHintToRoutingError(c, s.replaceNotFoundByMethodNotAllowed(c, err)))
	if c.Response().Committed {
		return // the response has begun
	}
	if isAPIRequest(c.Request()) || isFileTransfer(c.Request()) {
		if err := s.writeErrorJSON(c, e); err != nil {
			s.cfg.Logger.InfoContext(ctx, "could not write the response", "request_id", RequestID(ctx), "error", err)
		}
		return
	}
	replaceHeadersForError(c, e)
	if s.cfg.ErrorPage != nil && ctx.Err() == nil { // somebody still waits for the page
		err := s.renderErrorPage(c, e)
		if err == nil {
			return
		}
		s.cfg.Logger.ErrorContext(ctx, "error page failed", "request_id", RequestID(ctx), "error", err)
	}
	if c.Response().Committed {
		return
	}
	replaceHeadersForError(c, e) // again, because the page may have set headers
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

// isAPIRequest reports whether a request is for the API, that is, for /v1.
func isAPIRequest(r *http.Request) bool {
	return r.URL.Path == "/v1" || strings.HasPrefix(r.URL.Path, "/v1/")
}

// isFileTransfer reports whether a request uploads or downloads a file's bytes. Programs send these requests.
func isFileTransfer(r *http.Request) bool {
	return strings.HasPrefix(r.URL.Path, contract.UploadPath) || strings.HasPrefix(r.URL.Path, contract.FilePath) &&
		strings.Count(r.URL.Path, "/") == 3
}
