package api

import (
	"context"
	"reflect"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
)

// action is a verb as a route calls it, with the types that its request and answer are described by.
type action struct {
	body   reflect.Type // nil when the route takes none
	query  reflect.Type // of the parameters; nil when the route takes none
	answer reflect.Type // nil when there is nothing to say
	byID   bool
	// bare lets the body be left out.
	bare bool
	run  func(context.Context, *app.App, request) (any, error)
}

// request is what has been decoded of one.
type request struct {
	caller core.Caller
	id     string
	// claim is set when the request may be repeated.
	claim *contract.Replay
	// session is the dashboard session that a consent page's way back must belong to.
	session string
	// decode reads the body or else the query strictly into a pointer to the action's type. Every action calls
	// it, for a request that says what nobody hears is refused.
	decode func(into any) error
}

// none is what a route takes that takes nothing.
type none = struct{}

// heard calls the verb when the request could be decoded into in.
func heard[Out any](r request, in any, call func() (Out, error)) (any, error) {
	if err := r.decode(in); err != nil {
		return nil, err
	}
	return call()
}

// plain calls a verb that needs nothing but its caller.
func plain[Out any](verb func(*app.App, context.Context, core.Caller) (Out, error)) action {
	return action{answer: reflect.TypeFor[Out](), run: func(ctx context.Context, a *app.App, r request) (any, error) {
		return heard(r, &none{}, func() (Out, error) { return verb(a, ctx, r.caller) })
	}}
}

// filtered calls a verb with the query parameters.
func filtered[In, Out any](verb func(*app.App, context.Context, core.Caller, In) (Out, error)) action {
	return action{answer: reflect.TypeFor[Out](), query: reflect.TypeFor[In](), run: func(ctx context.Context, a *app.App, r request) (any, error) {
		var in In
		return heard(r, &in, func() (Out, error) { return verb(a, ctx, r.caller, in) })
	}}
}

// withBody calls a verb with the decoded body.
func withBody[In, Out any](verb func(*app.App, context.Context, core.Caller, In) (Out, error)) action {
	return action{answer: reflect.TypeFor[Out](), body: reflect.TypeFor[In](), run: func(ctx context.Context, a *app.App, r request) (any, error) {
		var in In
		return heard(r, &in, func() (Out, error) {
			if repeatable, ok := any(&in).(contract.Repeatable); ok {
				repeatable.RepeatAs(r.claim)
			}
			return verb(a, ctx, r.caller, in)
		})
	}}
}

// byID calls a verb with the id of the path.
func byID[Out any](verb func(*app.App, context.Context, core.Caller, string) (Out, error)) action {
	return action{answer: reflect.TypeFor[Out](), byID: true, run: func(ctx context.Context, a *app.App, r request) (any, error) {
		return heard(r, &none{}, func() (Out, error) { return verb(a, ctx, r.caller, r.id) })
	}}
}

// byIDWithBody calls a verb with the id of the path and the decoded body.
func byIDWithBody[In, Out any](verb func(*app.App, context.Context, core.Caller, string, In) (Out, error)) action {
	return action{answer: reflect.TypeFor[Out](), body: reflect.TypeFor[In](), byID: true, run: func(ctx context.Context, a *app.App, r request) (any, error) {
		var in In
		return heard(r, &in, func() (Out, error) { return verb(a, ctx, r.caller, r.id, in) })
	}}
}

// removal calls a verb that leaves nothing to answer.
func removal(verb func(*app.App, context.Context, core.Caller, string) error) action {
	return action{byID: true, run: func(ctx context.Context, a *app.App, r request) (any, error) {
		if err := r.decode(&none{}); err != nil {
			return nil, err
		}
		return nil, verb(a, ctx, r.caller, r.id)
	}}
}

// consent is a verb that sends the person of a dashboard session to a network's consent page: for a new
// account of the platform named, or for the account named.
type consent func(a *app.App, ctx context.Context, c core.Caller, subject, session string) (contract.Authorize, error)

// connecting calls the verb with the platform of the body.
func connecting(verb consent) action {
	return action{
		answer: reflect.TypeFor[contract.Authorize](), body: reflect.TypeFor[contract.Connect](),
		run: func(ctx context.Context, a *app.App, r request) (any, error) {
			var in contract.Connect
			return heard(r, &in, func() (contract.Authorize, error) { return verb(a, ctx, r.caller, in.Platform, r.session) })
		},
	}
}

// reconnecting calls the verb with the account of the path.
func reconnecting(verb consent) action {
	return action{
		answer: reflect.TypeFor[contract.Authorize](), byID: true,
		run: func(ctx context.Context, a *app.App, r request) (any, error) {
			return heard(r, &none{}, func() (contract.Authorize, error) { return verb(a, ctx, r.caller, r.id, r.session) })
		},
	}
}

// optional lets the body be left out.
func (a action) optional() action {
	a.bare = true
	return a
}
