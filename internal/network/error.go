package network

import (
	"fmt"
	"log/slog"
	"time"

	"belfry/internal/core"
)

// ErrorKind says what can be concluded from a failed call.
type ErrorKind string

// Kinds of error.
const (
	Rejected    ErrorKind = "rejected"     // a complete response that refuses the call permanently
	Transient   ErrorKind = "transient"    // a complete response that refuses the call temporarily
	RateLimited ErrorKind = "rate_limited" // a complete response that refuses the call because of too many calls
	Lapsed      ErrorKind = "lapsed"       // the access token has lapsed, and RefreshToken gets another
	Expired     ErrorKind = "expired"      // the token has expired, and a person must reconnect the account
	Revoked     ErrorKind = "revoked"      // the token or a permission was withdrawn
	NotSent     ErrorKind = "not_sent"     // no byte of the request was written
	Unknown     ErrorKind = "unknown"      // no response, an incomplete response, or an unexplained server error
)

// ResultingAccountStatus returns the account's status after an error of this kind; "" if the status does not change.
func (k ErrorKind) ResultingAccountStatus() (statusOrEmpty core.AccountStatus) {
	switch k {
	case Expired:
		return core.AccountExpired
	case Revoked:
		return core.AccountRevoked
	}
	return ""
}

// Scope says which other posts a throttle holds.
type Scope string

// Scopes of a throttle. The zero value holds only the one post.
const (
	ScopePost    Scope = ""
	ScopeAccount Scope = "account" // all posts of the account
	ScopeApp     Scope = "app"     // all posts of all accounts of this server's app
)

// Error is a failed call to a network.
type Error struct {
	Kind    ErrorKind
	Code    string // the network's code, with a subcode after a slash
	Message string // from the network, or from Belfry if the network sent none
	Hint    string // what a person can do, if known
	Actor   Actor  // who must act; "" if Kind determines it
	// Duplicate is true if the network refuses the post because it already has one like it.
	Duplicate bool
	Status    int    // HTTP status, 0 without a response
	Trace     string // the network's trace id
	// RetryAfter is how long a throttle lasts. In a Rejected error, it is how long the other posts in Scope must
	// wait.
	RetryAfter time.Duration
	Scope      Scope
	Raw        []byte // the response body, at most 64 KiB, with secrets removed
	cause      error
}

func (e *Error) Error() string {
	if e.Code == "" {
		return fmt.Sprintf("%s: %s", e.Kind, e.Message)
	}
	return fmt.Sprintf("%s (%s): %s", e.Kind, e.Code, e.Message)
}

// Unwrap returns the transport's error, or nil.
func (e *Error) Unwrap() error { return e.cause }

var verdicts = map[ErrorKind]core.Verdict{
	Rejected: core.Refused, RateLimited: core.Throttled, Expired: core.AuthLost, Revoked: core.AuthLost,
	NotSent: core.NotSent, Lapsed: core.Lost, Transient: core.Lost, Unknown: core.Lost,
}

// Verdict returns the verdict of the publishing protocol on the error. repeated reports whether the failed call is a
// publishing call for a post that had one before: if the network already has such a post, it may be this one.
func (e *Error) Verdict(repeated bool) core.Verdict {
	if repeated && e.Duplicate {
		return core.Ambiguous
	}
	return verdicts[e.Kind]
}

// Secret is a string that logs and errors never show. It is encoded as JSON only to be sealed.
type Secret string

// String hides the secret.
func (Secret) String() string { return "[redacted]" }

// GoString hides the secret from %#v.
func (Secret) GoString() string { return "[redacted]" }

// LogValue hides the secret from slog.
func (Secret) LogValue() slog.Value { return slog.StringValue("[redacted]") }

// Reveal returns the secret, for code that sends it.
func (s Secret) Reveal() string { return string(s) }
