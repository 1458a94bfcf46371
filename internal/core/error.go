package core

import (
	"errors"
	"fmt"
	"strings"
)

// Code is one of the closed set of error codes a caller can act on (Spec §7, decisions.md).
type Code string

// Codes of errors. Each has its HTTP status in httpd and its chapter in docs/api/errors.md.
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

// Error is an error that a caller can act on: what happened and what to do, in words for a person.
// Every other error is for the operator and is shown as internal.
type Error struct {
	Code Code
	// Subject is the name of the field that Message is about, where Message is the rest of a sentence that begins
	// with it. An entry point may show its label instead.
	Subject string
	Message string
	// Hint says what to do. It does not repeat Path.
	Hint string
	// Path is the JSON path of the value that is refused; empty for the whole request.
	Path string
	// Quota is set on quota_exceeded only.
	Quota *QuotaFacts
	// RetryAfter is the number of whole seconds to wait; 0 when waiting does not help.
	RetryAfter int
	// Rows is set on plan_has_issues (and media_purged): the plan's rows.
	Rows  []PlanRow
	cause error
}

// QuotaFacts are the figures that a 402 carries. A plan without the feature has 0 and 0.
type QuotaFacts struct{ Limit, Used int64 }

func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Code, e.Sentence()) }

// Sentence returns the whole message, with its subject.
func (e *Error) Sentence() string { return strings.TrimSpace(e.Subject + " " + e.Message) }

// Unwrap gives the cause, which only logs ever show.
func (e *Error) Unwrap() error { return e.cause }

// WithHint returns a copy that says what to do.
func (e *Error) WithHint(format string, args ...any) *Error {
	c := *e
	c.Hint = fmt.Sprintf(format, args...)
	return &c
}

// Because returns a copy that remembers its cause for the log.
func (e *Error) Because(cause error) *Error {
	c := *e
	c.cause = cause
	return &c
}

// Fail makes an Error.
func Fail(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// NotFound is the one answer for an unknown id, a malformed one and one of another workspace.
func NotFound() *Error {
	return &Error{
		Code: CodeNotFound, Message: "Nothing in this workspace has this id.",
		Hint: "Use ids from this workspace's lists.",
	}
}

// NotFoundAt is NotFound for the id at path in the request.
func NotFoundAt(path string) *Error {
	e := NotFound()
	e.Path = path
	return e
}

// At returns a not_found error with the path of the id in the request, and any other error unchanged.
func At(path string, err error) error {
	if CodeOf(err) != CodeNotFound {
		return err
	}
	return NotFoundAt(path).Because(err)
}

// Invalid is a refused request; path is the JSON path of the refused value ("" for the whole).
func Invalid(path, format string, args ...any) *Error {
	e := Fail(CodeInvalidRequest, format, args...)
	e.Path = path
	return e
}

// InvalidField is Invalid with a message about the field named subject, such as "must be a string.".
func InvalidField(path, subject, format string, args ...any) *Error {
	e := Invalid(path, format, args...)
	e.Subject = subject
	return e
}

// Under puts the paths of all Errors that err joins, which are relative to a block of the request, below the block's
// own path. It returns any other error unchanged.
func Under(block string, err error) error {
	var moved []error
	for _, e := range Errors(err) {
		below := *e
		below.Path = strings.TrimSuffix(block+"."+e.Path, ".")
		moved = append(moved, &below)
	}
	if moved == nil {
		return err
	}
	return errors.Join(moved...)
}

// Errors lists all Errors that err joins, in their order.
func Errors(err error) []*Error {
	switch err := err.(type) { //nolint:errorlint // each layer is looked at by itself
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

// CodeOf tells the code of an error; internal for anything that is not an Error.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return CodeInternal
}

// AsError finds the Error in a chain; anything else becomes an internal error without details.
func AsError(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return Fail(CodeInternal, "Something went wrong on the server.").
		WithHint("Try again. If it happens again, give the operator the X-Request-Id of this response.").Because(err)
}
