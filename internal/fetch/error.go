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

// ErrTooLarge says that a file has more bytes than the caller wants.
var ErrTooLarge = errors.New("the file is too large")

var (
	errBadAnswer   = errors.New("the server sent an unexpected response")
	errUnavailable = errors.New("the server is temporarily unavailable")
	errIdle        = errors.New("no bytes arrived for too long")
	errSlow        = errors.New("the bytes arrived too slowly")
)

// Error is why an address did not give its file. To a person all of them read the same, so that nobody
// can sound out with our help what there is at an address; a log tells them apart.
type Error struct {
	// Transient means that the same address may work later.
	Transient bool
	err       error
}

// Error is fit for a person.
func (*Error) Error() string { return "the address could not be opened" }

// Unwrap returns the reason, which is for logs and tests.
func (e *Error) Unwrap() error { return e.err }

// LogValue is the reason.
func (e *Error) LogValue() slog.Value { return slog.StringValue(e.err.Error()) }

// statusError returns the error for an HTTP status without a file.
func statusError(code int) error {
	switch {
	case code >= 500, code == http.StatusTooManyRequests, code == http.StatusRequestTimeout:
		return fmt.Errorf("status %d: %w", code, errUnavailable)
	}
	return fmt.Errorf("status %d: %w", code, errBadAnswer)
}

// wrapError wraps any error of a download. What ended the context says more than that it ended.
func wrapError(ctx context.Context, err error) error {
	if errors.Is(err, ErrTooLarge) {
		return ErrTooLarge
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return &Error{Transient: !isFinal(err), err: err}
}

// isFinal reports whether another attempt would fail the same way. It would not after a failed connection.
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
