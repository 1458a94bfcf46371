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
	errIdle        = errors.New("the server stopped sending data")
	errSlow        = errors.New("the server sent data too slowly")
)

// Error is the error of a failed download. Its message is always the same, so Belfry cannot be used to explore a
// network. Logs show the reason.
type Error struct {
	// Transient reports whether another attempt may succeed.
	Transient bool
	err       error
}

// Error returns a message that can be shown to a person.
func (*Error) Error() string { return "the address could not be opened" }

// Unwrap returns the reason, for logs and tests.
func (e *Error) Unwrap() error { return e.err }

// LogValue returns the reason, for logs.
func (e *Error) LogValue() slog.Value { return slog.StringValue(e.err.Error()) }

// newStatusError returns the error for a response with an HTTP status other than success.
func newStatusError(code int) error {
	switch {
	case code >= 500, code == http.StatusTooManyRequests, code == http.StatusRequestTimeout:
		return fmt.Errorf("status %d: %w", code, errUnavailable)
	}
	return fmt.Errorf("status %d: %w", code, errBadAnswer)
}

// wrapCauseOrError converts an error of a download to ErrTooLarge or an *Error. If ctx has ended, its cause replaces
// err.
func wrapCauseOrError(ctx context.Context, err error) error {
	if errors.Is(err, ErrTooLarge) {
		return ErrTooLarge
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return &Error{Transient: !isPermanentFailure(err), err: err}
}

// isPermanentFailure reports whether another attempt would fail in the same way. A failed connection might not.
func isPermanentFailure(err error) bool {
	for _, known := range []error{errRefused, errBadAnswer} {
		if errors.Is(err, known) {
			return true
		}
	}
	var name *net.DNSError
	var cert *tls.CertificateVerificationError
	return errors.As(err, &name) && name.IsNotFound || errors.As(err, &cert)
}
