package network

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Meaning is what an error code of a network means.
type Meaning struct {
	Kind ErrorKind
	Hint string // what a person can do
	// Wait is how long a throttle lasts if the response does not say. After a refusal, it is how long the other posts
	// in Scope wait.
	Wait  time.Duration
	Scope Scope
	// Daily is true if the throttle lasts until the end of the network's day.
	Daily bool
	// AfterLive is true if the error comes only after the post is live: a final step fails, and the post stays live.
	AfterLive bool
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
func (m Meaning) WhoActs() Actor {
	switch {
	case m.Actor != "":
		return m.Actor
	case m.Kind == Rejected:
		return ActorAuthor
	case m.Kind.AccountStatus() != "":
		return ActorOwner
	}
	return ActorService
}

// Documented is an error code of a network with its meaning, as Driver.Errors lists it.
type Documented struct {
	Code string // as in Error.Code
	Meaning
}

// SortDocumented sorts by code, in place. Numeric codes are sorted by value.
func SortDocumented(all []Documented) {
	slices.SortFunc(all, func(a, b Documented) int {
		m, isNumber := leadingNumber(a.Code)
		n, isToo := leadingNumber(b.Code)
		if isNumber && isToo && m != n {
			return m - n
		}
		return strings.Compare(a.Code, b.Code)
	})
}

// leadingNumber returns the number that a code starts with, or false if it starts with none.
func leadingNumber(code string) (int, bool) {
	first := strings.FieldsFunc(code, func(r rune) bool { return r == '/' || r == '–' })
	n, err := strconv.Atoi(first[0])
	return n, err == nil
}
