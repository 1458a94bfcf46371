package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
)

// ErrTooLarge means that a file has more bytes than the caller accepts.
var ErrTooLarge = errors.New("the file is too large")

var (
	errBadAnswer   = errors.New("the server sent an unexpected response")
	errUnavailable = errors.New("the server is temporarily unavailable")
	errIdle        = errors.New("no bytes arrived for too long")
	errSlow        = errors.New("the bytes arrived too slowly")
)

// Error is the reason why a download failed. All of them have the same message for people, so that nobody can use
// Belfry to explore a network; logs show the reason.
type Error struct {
	// Transient reports that the same address may work later.
	Transient bool
	err       error
}

// Error returns a message that can be shown to a person.
func (*Error) Error() string { return "the address could not be opened" }

// Unwrap returns the reason, for logs and tests.
func (e *Error) Unwrap() error { return e.err }

// LogValue returns the reason.
func (e *Error) LogValue() slog.Value { return slog.StringValue(e.err.Error()) }

// statusError returns the error for an HTTP status without a file.
func statusError(code int) error {
	switch {
	case code >= 500, code == http.StatusTooManyRequests, code == http.StatusRequestTimeout:
		return fmt.Errorf("status %d: %w", code, errUnavailable)
	}
	return fmt.Errorf("status %d: %w", code, errBadAnswer)
}

// wrapError wraps any error of a download. If the context was cancelled with a cause, the error is that cause.
func wrapError(ctx context.Context, err error) error {
	if errors.Is(err, ErrTooLarge) {
		return ErrTooLarge
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return &Error{Transient: !isFinal(err), err: err}
}

// isFinal reports whether another attempt would fail in the same way. A failed connection is not final.
func isFinal(err error) bool {
	for _, known := range []error{errRefused, errBadAnswer} {
		if errors.Is(err, known) {
			return true
		}
	}
	var name *net.DNSError
	var cert *tls.CertificateVerificationError
	return errors.As(err, &name) && name.IsNotFound || errors.As(err, &cert)
}
