package network

import (
	"fmt"
	"log/slog"
	"time"

	"belfry/internal/core"
)

// ErrorKind is what may be concluded from a failed call.
type ErrorKind string

// Kinds of error.
const (
	Rejected    ErrorKind = "rejected"     // a well-formed refusal for good
	Transient   ErrorKind = "transient"    // a well-formed answer that says to try again later
	RateLimited ErrorKind = "rate_limited" // a well-formed refusal because of too many calls
	Lapsed      ErrorKind = "lapsed"       // the access token is past its time, and Refresh gives another
	Expired     ErrorKind = "expired"      // the token is past its date, and a person must connect the account again
	Revoked     ErrorKind = "revoked"      // the token or a permission was withdrawn
	NotSent     ErrorKind = "not_sent"     // no byte of the request was written
	Unknown     ErrorKind = "unknown"      // no answer, half an answer, a server's error
)

// AccountStatus is the account's status after an error of this kind; "" when the error does not change it.
func (k ErrorKind) AccountStatus() core.AccountStatus {
	switch k {
	case Expired:
		return core.AccountExpired
	case Revoked:
		return core.AccountRevoked
	}
	return ""
}

// Scope is what a throttle holds back besides the call that met it.
type Scope string

// Scopes of a throttle. The zero value concerns the one post.
const (
	ScopePost    Scope = ""
	ScopeAccount Scope = "account" // everything that goes out with the account's token
	ScopeApp     Scope = "app"     // everything that goes to the network from this server
)

// Error is a failed call to a network, with the network's own words.
type Error struct {
	Kind    ErrorKind
	Code    string // the network's, subcode after a slash
	Message string // the network's own words
	Hint    string // what a person can do, when we know
	Status  int    // HTTP status, 0 without an answer
	Trace   string // the network's trace id
	// RetryAfter is how long a throttle lasts. Of a Rejected error, it is how long the others in Scope must wait.
	RetryAfter time.Duration
	Scope      Scope
	Raw        []byte // the answer verbatim, at most 64 KiB, secrets cut
	cause      error
}

func (e *Error) Error() string {
	if e.Code == "" {
		return fmt.Sprintf("%s: %s", e.Kind, e.Message)
	}
	return fmt.Sprintf("%s (%s): %s", e.Kind, e.Code, e.Message)
}

// Unwrap gives the transport's error, where there is one.
func (e *Error) Unwrap() error { return e.cause }

var verdicts = map[ErrorKind]core.Verdict{
	Rejected: core.Refused, RateLimited: core.Throttled, Expired: core.AuthLost, Revoked: core.AuthLost,
	NotSent: core.NotSent, Lapsed: core.Lost, Transient: core.Lost, Unknown: core.Lost,
}

// Verdict is what the publishing protocol makes of the error.
func (e *Error) Verdict() core.Verdict { return verdicts[e.Kind] }

// Secret is a string that never shows in logs or errors. JSON carries it, for sealing.
type Secret string

// String hides the secret.
func (Secret) String() string { return "[redacted]" }

// GoString hides the secret from %#v.
func (Secret) GoString() string { return "[redacted]" }

// LogValue hides the secret from slog.
func (Secret) LogValue() slog.Value { return slog.StringValue("[redacted]") }

// Reveal gives the secret to code that sends it.
func (s Secret) Reveal() string { return string(s) }
