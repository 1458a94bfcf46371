package sim

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
)

// API is what the calls of a simulated network share: faults, permissions, strict parameters and one lock. The lock is
// held for changes in memory and a line of the journal, never while waiting.
type API struct {
	Kit     *Kit
	Network string
	OAuth   *OAuth
	Lock    sync.Locker
	// Containers says that the network publishes in two steps.
	Containers bool
	// Error puts an error into the network's words. Errors are *ParamError, *ScopeError and what the routes return.
	Error func(error) Answer
	// Fault puts a scripted fault into the network's words.
	Fault func(Fault, *Request) Answer
	// Finish adds headers to an answer; nil for none.
	Finish func(*Request, *Answer)
}

// Request is one call, with its parameters merged and checked for duplicates.
type Request struct {
	W      http.ResponseWriter
	R      *http.Request
	Params url.Values
	Bearer string
	Token  Token // the zero value for a call without one
	// Account is what a fault aims at; the token's subject unless a route says otherwise.
	Account string
	// Unready asks that what is made or read now looks unready.
	Unready bool
	// Media is the file that the route's Fetch parameter named, MediaError why there is none.
	Media      Media
	MediaError error
}

// Route is one call of a network.
type Route struct {
	// Names are what a fault may call it: the first is its own name.
	Names []string
	// Scopes are all needed. Params are all that the call takes; one that ends with * stands for all that begin so.
	Scopes, Params []string
	// Text returns what a fault's match is looked for in; nil for nothing.
	Text func(*Request) string
	// Arrive is called when the call arrives, before any fault; nil for nothing. It holds the lock.
	Arrive func(*Request)
	// Fetch names the parameter with the address of a file that is downloaded before Serve, without the lock.
	Fetch string
	// Serve performs the call and returns the body of its answer, or an Answer. It holds the lock.
	Serve func(*Request) (any, error)
	// Unlocked says that Serve takes the lock itself, because it reads bytes of an upload in between.
	Unlocked bool
}

// ParamError is a parameter that a call does not take.
type ParamError struct{ Name string }

func (e *ParamError) Error() string { return "Param " + e.Name + " is not allowed" }

// ScopeError is a permission that was not granted.
type ScopeError struct{ Scope string }

func (e *ScopeError) Error() string { return "permission " + e.Scope + " was not granted" }

// Serve performs a call under the script of faults.
func (a *API) Serve(ctx context.Context, q *Request, route Route) {
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
			return a.OAuth.End(why, number, func(t Token) bool {
				return t.Text == killed || t.Kind == RefreshToken && t.Text == parent
			})
		}
	}
	a.Kit.Run(q.W, q.R, c, func(unready bool) Answer {
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
		if !q.Token.Has(scope) {
			return a.Error(&ScopeError{scope})
		}
	}
	if address := q.Params.Get(route.Fetch); route.Fetch != "" && address != "" {
		q.Media, q.MediaError = a.Kit.Fetch(context.WithoutCancel(ctx), a.Network, q.Account, address)
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

// ReadCall merges and checks the parameters of a call and takes its token out of them. A request with an idempotency
// key is refused: no network knows such keys, and Go's transport resends requests that carry one.
func ReadCall(w http.ResponseWriter, r *http.Request, takeJSON bool) (*Request, error) {
	if hasIdempotencyKey(r) {
		return nil, errors.New("the network knows no idempotency keys, and Go's transport resends requests that carry one")
	}
	params, err := Params(w, r, takeJSON)
	if err != nil {
		return nil, err
	}
	bearer, err := TakeToken(r, params)
	if err != nil {
		return nil, err
	}
	return &Request{W: w, R: r, Params: params, Bearer: bearer}, nil
}

// Param is the text of a route whose faults are matched with a parameter's value.
func Param(names ...string) func(*Request) string {
	return func(q *Request) string {
		var texts []string
		for _, name := range names {
			texts = append(texts, q.Params.Get(name))
		}
		return strings.Join(texts, " ")
	}
}
