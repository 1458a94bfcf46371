package core

import (
	"errors"
	"fmt"
	"strings"
)

// Code is one of the error codes that a caller can act on (Spec §7, decisions.md).
type Code string

// Error codes. Each has its HTTP status in httpd and its row in docs/api/errors.md.
const (
	CodeInvalidRequest        Code = "invalid_request"
	CodeUnauthenticated       Code = "unauthenticated"
	CodeQuotaExceeded         Code = "quota_exceeded"
	CodeInsufficientScope     Code = "insufficient_scope"
	CodeNotFound              Code = "not_found"
	CodeMethodNotAllowed      Code = "method_not_allowed"
	CodeConflict              Code = "conflict"
	CodeConfirmRequired       Code = "confirm_required"
	CodePlanHasIssues         Code = "plan_has_issues"
	CodeMediaPurged           Code = "media_purged"
	CodeSizeMismatch          Code = "size_mismatch"
	CodeAlreadyUploaded       Code = "already_uploaded"
	CodeUploadInProgress      Code = "upload_in_progress"
	CodeUploadExpired         Code = "upload_expired"
	CodeOutcomeUnknown        Code = "outcome_unknown"
	CodeIdempotencyMismatch   Code = "idempotency_mismatch"
	CodeIdempotencyInProgress Code = "idempotency_in_progress"
	CodePayloadTooLarge       Code = "payload_too_large"
	CodeUnsupportedMediaType  Code = "unsupported_media_type"
	CodeRateLimited           Code = "rate_limited"
	CodeUnavailable           Code = "unavailable"
	CodeInternal              Code = "internal"
)

// Codes lists every code, in the order of docs/api/errors.md.
var Codes = []Code{
	CodeInvalidRequest, CodeUnauthenticated, CodeQuotaExceeded, CodeInsufficientScope, CodeNotFound,
	CodeMethodNotAllowed, CodeConflict, CodeConfirmRequired, CodePlanHasIssues, CodeMediaPurged, CodeSizeMismatch,
	CodeAlreadyUploaded,
	CodeUploadInProgress, CodeUploadExpired, CodeOutcomeUnknown,
	CodeIdempotencyMismatch, CodeIdempotencyInProgress, CodePayloadTooLarge, CodeUnsupportedMediaType,
	CodeRateLimited, CodeUnavailable, CodeInternal,
}

// Error is an error that a caller can act on: it says what happened and what to do. Any other error is for the
// operator; callers get the code internal instead.
type Error struct {
	Code Code
	// Subject is the name of a field if Message only continues a sentence that begins with that name. An entry point can
	// show the field's label instead.
	Subject string
	Message string
	// Hint says what to do. It does not repeat Path.
	Hint string
	// Path is the JSON path of the refused value; empty for the whole request.
	Path string
	// Quota is set only for quota_exceeded.
	Quota *QuotaFacts
	// RetryAfter is the number of seconds to wait; 0 if waiting does not help.
	RetryAfter int
	// Rows are the plan's rows, for plan_has_issues and media_purged.
	Rows  []PlanRow
	cause error
}

// QuotaFacts are the numbers in a response with the status 402. Both are 0 if the plan lacks the feature.
type QuotaFacts struct{ Limit, Used int64 }

func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Code, e.Sentence()) }

// Sentence returns the whole message, with its subject.
func (e *Error) Sentence() string { return strings.TrimSpace(e.Subject + " " + e.Message) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// WithHint returns a copy with a hint.
func (e *Error) WithHint(format string, args ...any) *Error {
	c := *e
	c.Hint = fmt.Sprintf(format, args...)
	return &c
}

// WithCause returns a copy with a cause, which only logs show.
func (e *Error) WithCause(cause error) *Error {
	c := *e
	c.cause = cause
	return &c
}

// Fail returns an Error with a code and a message.
func Fail(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// NotFound returns the error for any id that is unknown, is malformed or belongs to another workspace.
func NotFound() *Error {
	return &Error{
		Code: CodeNotFound, Message: "Nothing in this workspace has this ID.",
		Hint: "Use an ID from one of this workspace's lists.",
	}
}

// NotFoundAt returns NotFound for the id at path in the request.
func NotFoundAt(path string) *Error {
	e := NotFound()
	e.Path = path
	return e
}

// WithNotFoundPath adds the path of the id in the request to a not_found error. It returns any other error unchanged.
func WithNotFoundPath(path string, err error) error {
	if CodeOf(err) != CodeNotFound {
		return err
	}
	return NotFoundAt(path).WithCause(err)
}

// Invalid returns invalid_request; path is the JSON path of the refused value ("" for the whole request).
func Invalid(path, format string, args ...any) *Error {
	e := Fail(CodeInvalidRequest, format, args...)
	e.Path = path
	return e
}

// NotEntered returns Invalid for a text, a number or a time that is missing, such as "a tag".
func NotEntered(path, missing string) *Error { return Invalid(path, "Enter %s.", missing) }

// NotSelected returns Invalid for a choice that is missing, such as "a post".
func NotSelected(path, missing string) *Error { return Invalid(path, "Select %s.", missing) }

// InvalidField returns Invalid with a message that continues the field's name, such as "must be a string.".
func InvalidField(path, subject, format string, args ...any) *Error {
	e := Invalid(path, format, args...)
	e.Subject = subject
	return e
}

// PrefixPaths puts prefix and a dot before the path of every Error that err joins, and drops other errors. If err joins
// no Error, PrefixPaths returns err unchanged.
func PrefixPaths(prefix string, err error) error {
	var moved []error
	for _, e := range Errors(err) {
		below := *e
		below.Path = strings.TrimSuffix(prefix+"."+e.Path, ".")
		moved = append(moved, &below)
	}
	if moved == nil {
		return err
	}
	return errors.Join(moved...)
}

// Errors returns all Errors that err joins, in order.
func Errors(err error) []*Error {
	switch err := err.(type) { //nolint:errorlint // each layer is examined by itself
	case *Error:
		return []*Error{err}
	case interface{ Unwrap() []error }:
		var all []*Error
		for _, part := range err.Unwrap() {
			all = append(all, Errors(part)...)
		}
		return all
	case interface{ Unwrap() error }:
		return Errors(err.Unwrap())
	}
	return nil
}

// CodeOf returns the code of the Error in err's chain, or internal if there is none.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return CodeInternal
}

// ErrorOrInternal returns the Error in err's chain or, if there is none, an internal error that reveals no details.
func ErrorOrInternal(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return Fail(CodeInternal, "Something went wrong on the server.").
		WithHint("Try again. If it happens again, give the operator the X-Request-Id of this response.").WithCause(err)
}
