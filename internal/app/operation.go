package app

import (
	"context"
	"fmt"
	"reflect"

	"belfry/internal/contract"
	"belfry/internal/core"
)

// Operation is one thing that a client may ask for. Every entry point for clients reads the same table of them.
type Operation struct {
	// Name is the path's noun and a verb, such as posts_create.
	Name string
	Access
	// Repeatable operations keep their answer for a request that is sent again.
	Repeatable bool
	// Input and Output are records of the contract; contract.None where there is nothing to say.
	Input, Output reflect.Type

	run func(ctx context.Context, a *App, c core.Caller, decode func(into any) error) (any, error)
}

// Access is what an operation asks of its caller before the request is decoded.
type Access struct {
	Scope core.Scope
	// Session is for signed-in people only, Manages for those who manage the workspace.
	Session, Manages bool
	// Proved operations need a password that was given lately.
	Proved bool
	// Creates counts the request in the hourly limit of creations (Spec §8).
	Creates bool
}

// Request asks for an operation.
type Request struct {
	Caller core.Caller
	// Decode reads the request into a pointer to the operation's input. It runs once the caller is admitted.
	Decode func(into any) error
	// Replay is set when the request carries an Idempotency-Key; an operation that is not repeatable ignores it.
	Replay *Replay
}

// Answer is what came of a request.
type Answer struct {
	// Body is the answer as JSON; nil when the operation says nothing.
	Body []byte
	// Replayed answers come from an earlier request with the same key; Status is what that was answered with.
	Replayed bool
	Status   int
	// Creations says what is left of the hourly limit, for an operation that counts in it, also with an error.
	Creations *Counted
}

// Given returns a Request.Decode for an input that needs no decoding.
func Given[In any](in In) func(into any) error {
	return func(into any) error {
		*into.(*In) = in //nolint:errcheck,forcetypeassert // the operation decodes into its own type
		return nil
	}
}

// Do carries out an operation: admission, decoding, the operation itself, and the answer to a repeated request.
// A refusal frees the request's key for a corrected request. After an end that leaves the outcome open, such as a
// connection lost at the commit, the next request with the key finds what was committed.
func (a *App) Do(ctx context.Context, op *Operation, r Request) (Answer, error) {
	replay := r.Replay
	if !op.Repeatable {
		replay = nil
	}
	answer, err := a.admit(ctx, r.Caller, op.Access, replay)
	if err != nil || answer.Replayed {
		return answer, err
	}
	out, err := op.run(withReplay(ctx, replay), a, r.Caller, r.Decode)
	if err != nil {
		a.freeReplay(ctx, r.Caller, replay, err)
		return answer, err
	}
	if replay != nil && !replay.saved {
		return answer, fmt.Errorf("%s did not store its result", op.Name)
	}
	if op.Output != reflect.TypeFor[contract.None]() {
		answer.Body, err = contract.Encode(out)
	}
	return answer, err
}

// FindOperation finds an operation by its name.
func FindOperation(name string) (*Operation, bool) {
	for i := range operations {
		if operations[i].Name == name {
			return &operations[i], true
		}
	}
	return nil, false
}

// Operations lists all operations.
func Operations() []Operation { return operations }

// operation makes a row of the table from a method that takes a record and returns one.
func operation[In, Out any](name string, access Access,
	call func(*App, context.Context, core.Caller, In) (Out, error),
) Operation {
	return Operation{
		Name: name, Access: access, Input: reflect.TypeFor[In](), Output: reflect.TypeFor[Out](),
		run: func(ctx context.Context, a *App, c core.Caller, decode func(any) error) (any, error) {
			var in In
			if err := decode(&in); err != nil {
				return nil, err
			}
			return call(a, ctx, c, in)
		},
	}
}

// withoutInput makes a row from a method that takes nothing but its caller.
func withoutInput[Out any](name string, access Access,
	call func(*App, context.Context, core.Caller) (Out, error),
) Operation {
	return operation(name,
		access, func(a *App, ctx context.Context, c core.Caller, _ contract.None) (Out, error) { return call(a, ctx, c) })
}

// byID makes a row from a method that takes an id.
func byID[Out any](name string, access Access,
	call func(*App, context.Context, core.Caller, string) (Out, error),
) Operation {
	return operation(name, access, func(a *App, ctx context.Context, c core.Caller, in contract.ByID) (Out, error) {
		return call(a, ctx, c, in.ID)
	})
}

// removeByID makes a row from a method that takes an id and returns nothing.
func removeByID(name string, access Access, call func(*App, context.Context, core.Caller, string) error) Operation {
	return byID(name, access, func(a *App, ctx context.Context, c core.Caller, id string) (contract.None, error) {
		return contract.None{}, call(a, ctx, c, id)
	})
}

func (o Operation) asRepeatable() Operation {
	o.Repeatable = true
	return o
}
