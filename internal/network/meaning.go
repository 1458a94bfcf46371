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
	// Wait is how long a throttle lasts that does not say so itself. After a refusal, it is how long the rest of
	// Scope is left alone.
	Wait  time.Duration
	Scope Scope
	// Daily says that the throttle lasts until the network's day is over.
	Daily bool
	// Actor is who must act; "" where Kind tells, see WhoActs.
	Actor Actor
}

// Actor is who must act after an error.
type Actor string

// Actors.
const (
	ActorService  Actor = "Belfry"              // waits or tries again by itself
	ActorAuthor   Actor = "the author"          // changes the post
	ActorOwner    Actor = "the account's owner" // signs in, or answers the network
	ActorOperator Actor = "the operator"        // corrects this server's registration with the network
)

// WhoActs is who must act after an error with this meaning.
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

// SortDocumented sorts by code, numbers by their size.
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

// leadingNumber is the number with which a code begins.
func leadingNumber(code string) (int, bool) {
	first := strings.FieldsFunc(code, func(r rune) bool { return r == '/' || r == '–' })
	n, err := strconv.Atoi(first[0])
	return n, err == nil
}
