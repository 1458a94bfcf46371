package network

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// ErrorMeaning is what an error code of a network means.
type ErrorMeaning struct {
	Kind ErrorKind
	Hint string // what a person can do
	// Wait is how long a throttle lasts if the response does not say. After a refusal, it is how long the other posts
	// in Scope wait.
	Wait  time.Duration
	Scope Scope
	// Duplicate is true if the network refuses the post because it already has one like it. If an earlier publishing call
	// was made for the post, that may be this post.
	Duplicate bool
	// Daily is true if the throttle lasts until the end of the network's day.
	Daily bool
	// UntilQuotaHasRoom is true if the throttle lasts until the account's quota has room again. Wait is how long it lasts
	// if the connector cannot calculate that.
	UntilQuotaHasRoom bool
	// AfterLive is true if the error comes only after the post is live: a final step fails, and the post stays live.
	AfterLive bool
	// Connecting is true if the error comes only while a person connects an account or Belfry renews a token.
	Connecting bool
	// Actor is who must act; "" if Kind determines it, see WhoActs.
	Actor Actor
}

// Actor is who must act after an error.
type Actor string

// Actors.
const (
	ActorService  Actor = "Belfry"              // waits or retries automatically
	ActorAuthor   Actor = "the author"          // changes the post
	ActorOwner    Actor = "the account's owner" // signs in, or responds to the network
	ActorOperator Actor = "the operator"        // corrects this server's registration with the network
)

// WhoActs returns who must act after an error with this meaning.
func (m ErrorMeaning) WhoActs() Actor {
	switch {
	case m.Actor != "":
		return m.Actor
	case m.Kind == Rejected:
		return ActorAuthor
	case m.Kind.ResultingAccountStatus() != "":
		return ActorOwner
	}
	return ActorService
}

// NewError returns an error with this meaning. The caller sets how long a throttle lasts, and its scope.
func (m ErrorMeaning) NewError(code, message string) Error {
	return Error{Kind: m.Kind, Code: code, Message: message, Hint: m.Hint, Actor: m.Actor, Duplicate: m.Duplicate}
}

// DocumentedError is an error code of a network with its meaning, as Driver.Errors lists it.
type DocumentedError struct {
	Code string // as in Error.Code
	ErrorMeaning
}

// SortDocumentedErrors sorts by code, in place. Numeric codes are sorted by value.
func SortDocumentedErrors(all []DocumentedError) {
	slices.SortFunc(all, func(a, b DocumentedError) int {
		m, isNumber := numberBeforeSeparator(a.Code)
		n, isToo := numberBeforeSeparator(b.Code)
		if isNumber && isToo && m != n {
			return m - n
		}
		return strings.Compare(a.Code, b.Code)
	})
}

// numberBeforeSeparator returns the first part of a code such as 9004/x or 200–299 as a number; ok is false if it is
// not a number.
func numberBeforeSeparator(code string) (n int, ok bool) {
	first := strings.FieldsFunc(code, func(r rune) bool { return r == '/' || r == '–' })
	n, err := strconv.Atoi(first[0])
	return n, err == nil
}
