package sim

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
)

// API is what all calls of a simulated network share: faults, permissions, strict parameters and one lock. The lock
// protects changes in memory and lines of the journal, and is never held during a wait.
type API struct {
	Kit     *Kit
	Network string
	OAuth   *OAuth
	Lock    sync.Locker
	// Containers is true if the network publishes in two steps.
	Containers bool
	// Error formats an error as the network does. Errors are *ParamError, *ScopeError and the errors that routes
	// return.
	Error func(error) Answer
	// Fault formats a scripted fault as the network does.
	Fault func(Fault, *Request) Answer
	// Finish adds headers to a response; nil for none.
	Finish func(*Request, *Answer)
}

// Request is one call, with its parameters merged and checked for duplicates.
type Request struct {
	W      http.ResponseWriter
	R      *http.Request
	Params url.Values
	Bearer string
	Token  Token // the zero value for a call without one
	// Account is the account that a fault can target: the token's subject, unless a route sets another.
	Account string
	// Unready makes the container that this call creates or reads look unready.
	Unready bool
	// Media is the file at the address in the route's Fetch parameter. MediaError says why there is none.
	Media      Media
	MediaError error
}

// Route is one call of a network.
type Route struct {
	// Names are the names that a fault can use for the call. The first is its own.
	Names []string
	// Scopes are all required. Params are all parameters that the call accepts. One that ends with * is a prefix.
	Scopes, Params []string
	// Text returns the text that a fault's match is compared with; nil for none.
	Text func(*Request) string
	// Arrive is called under the lock when the call arrives, before any fault; nil for none.
	Arrive func(*Request)
	// Fetch is the name of the parameter with the address of a file that is downloaded before Serve, without the
	// lock.
	Fetch string
	// Serve performs the call, under the lock, and returns the body of its response, or an Answer.
	Serve func(*Request) (any, error)
	// Unlocked is true if Serve locks by itself, because it reads bytes of an upload in between.
	Unlocked bool
}

// ParamError is a parameter that a call does not accept.
type ParamError struct{ Name string }

func (e *ParamError) Error() string { return "Param " + e.Name + " is not allowed" }

// ScopeError is a permission that was not granted.
type ScopeError struct{ Scope string }

func (e *ScopeError) Error() string { return "permission " + e.Scope + " was not granted" }

// ServeCall performs a call, subject to the scripted faults, and writes the response.
func (a *API) ServeCall(ctx context.Context, q *Request, route Route) {
	q.Account = q.Token.Subject
	c := Call{Network: a.Network, Names: route.Names, Containers: a.Containers}
	a.Lock.Lock()
	if route.Arrive != nil {
		route.Arrive(q)
	}
	if route.Text != nil {
		c.Text = route.Text(q)
	}
	a.Lock.Unlock()
	c.Account = q.Account
	c.Fault = func(f Fault) Answer { return a.Fault(f, q) }
	if killed := q.Token.Text; killed != "" {
		c.Kill = func(revoked bool, number int) error {
			why := Expired
			if revoked {
				why = Revoked
			}
			parent := ""
			if revoked && q.Token.Kind == AccessToken {
				parent = q.Token.Parent // a refresh token ends with its consent
			}
			return a.OAuth.EndTokens(why, number, func(t Token) bool {
				return t.Text == killed || t.Kind == RefreshToken && t.Text == parent
			})
		}
	}
	a.Kit.RunCall(q.W, q.R, c, func(unready bool) Answer {
		q.Unready = unready
		answer := a.performRoute(ctx, q, route)
		if a.Finish != nil {
			a.Finish(q, &answer)
		}
		return answer
	})
}

func (a *API) performRoute(ctx context.Context, q *Request, route Route) Answer {
	if name, unknown := UnknownParam(q.Params, route.Params...); unknown {
		return a.Error(&ParamError{name})
	}
	for _, scope := range route.Scopes {
		if !q.Token.HasScopes(scope) {
			return a.Error(&ScopeError{scope})
		}
	}
	if address := q.Params.Get(route.Fetch); route.Fetch != "" && address != "" {
		q.Media, q.MediaError = a.Kit.FetchFile(context.WithoutCancel(ctx), a.Network, q.Account, address)
	}
	if !route.Unlocked {
		a.Lock.Lock()
		defer a.Lock.Unlock()
	}
	body, err := route.Serve(q)
	if err != nil {
		return a.Error(err)
	}
	if answer, ok := body.(Answer); ok {
		return answer
	}
	return OK(body)
}

// ReadCall merges and checks the parameters of a call, and removes the token from them. It refuses a request with an
// idempotency key: no network supports such keys, and Go's transport resends requests that have one.
func ReadCall(w http.ResponseWriter, r *http.Request, takeJSON bool) (*Request, error) {
	if hasIdempotencyKey(r) {
		return nil, errors.New("the network does not support idempotency keys, and Go's transport resends requests that have one")
	}
	params, err := ReadParams(w, r, takeJSON)
	if err != nil {
		return nil, err
	}
	bearer, err := TakeToken(r, params)
	if err != nil {
		return nil, err
	}
	return &Request{W: w, R: r, Params: params, Bearer: bearer}, nil
}

// JoinParams returns a Route.Text that joins the values of these parameters with spaces.
func JoinParams(names ...string) func(*Request) string {
	return func(q *Request) string {
		var texts []string
		for _, name := range names {
			texts = append(texts, q.Params.Get(name))
		}
		return strings.Join(texts, " ")
	}
}
