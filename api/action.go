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
	query  reflect.Type // nil when any parameter is let by
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
	// session is the dashboard session that a consent page's way back must belong to.
	session string
	in      any // pointer to a value of the action's body or query
}

// plain calls a verb that needs nothing but its caller.
func plain[Out any](verb func(*app.App, context.Context, core.Caller) (Out, error)) action {
	return action{answer: reflect.TypeFor[Out](), query: reflect.TypeFor[struct{}](), run: func(ctx context.Context, a *app.App, r request) (any, error) {
		return verb(a, ctx, r.caller)
	}}
}

// filtered calls a verb with the query parameters.
func filtered[In, Out any](verb func(*app.App, context.Context, core.Caller, In) (Out, error)) action {
	return action{answer: reflect.TypeFor[Out](), query: reflect.TypeFor[In](), run: func(ctx context.Context, a *app.App, r request) (any, error) {
		return verb(a, ctx, r.caller, *r.in.(*In))
	}}
}

// withBody calls a verb with the decoded body.
func withBody[In, Out any](verb func(*app.App, context.Context, core.Caller, In) (Out, error)) action {
	return action{answer: reflect.TypeFor[Out](), body: reflect.TypeFor[In](), run: func(ctx context.Context, a *app.App, r request) (any, error) {
		return verb(a, ctx, r.caller, *r.in.(*In))
	}}
}

// byID calls a verb with the id of the path.
func byID[Out any](verb func(*app.App, context.Context, core.Caller, string) (Out, error)) action {
	return action{answer: reflect.TypeFor[Out](), byID: true, run: func(ctx context.Context, a *app.App, r request) (any, error) {
		return verb(a, ctx, r.caller, r.id)
	}}
}

// byIDWithBody calls a verb with the id of the path and the decoded body.
func byIDWithBody[In, Out any](verb func(*app.App, context.Context, core.Caller, string, In) (Out, error)) action {
	return action{answer: reflect.TypeFor[Out](), body: reflect.TypeFor[In](), byID: true, run: func(ctx context.Context, a *app.App, r request) (any, error) {
		return verb(a, ctx, r.caller, r.id, *r.in.(*In))
	}}
}

// removal calls a verb that leaves nothing to answer.
func removal(verb func(*app.App, context.Context, core.Caller, string) error) action {
	return action{byID: true, run: func(ctx context.Context, a *app.App, r request) (any, error) {
		return nil, verb(a, ctx, r.caller, r.id)
	}}
}

// connecting calls a verb that sends a signed-in person to a network's consent page.
func connecting(verb func(v *app.App, ctx context.Context, c core.Caller, platform, session string) (contract.Authorize, error)) action {
	return action{
		answer: reflect.TypeFor[contract.Authorize](), body: reflect.TypeFor[contract.Connect](),
		run: func(ctx context.Context, a *app.App, r request) (any, error) {
			return verb(a, ctx, r.caller, r.in.(*contract.Connect).Platform, r.session)
		},
	}
}

// reconnecting does the same for the account of the path.
func reconnecting(verb func(v *app.App, ctx context.Context, c core.Caller, account, session string) (contract.Authorize, error)) action {
	return action{
		answer: reflect.TypeFor[contract.Authorize](), byID: true,
		run: func(ctx context.Context, a *app.App, r request) (any, error) {
			return verb(a, ctx, r.caller, r.id, r.session)
		},
	}
}

// optional lets the body be left out.
func (a action) optional() action {
	a.bare = true
	return a
}
