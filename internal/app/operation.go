package app

import (
	"context"
	"fmt"
	"reflect"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/store"
)

// Operation is an operation that clients can call. All entry points for clients use the same table of operations.
type Operation struct {
	// Name is a plural noun and a verb, such as posts_create.
	Name string
	Access
	// Replayable operations store their response for a repeated request.
	Replayable bool
	// Input and Output are records of the contract, or contract.None.
	Input, Output reflect.Type

	run func(ctx context.Context, a *App, c core.Caller, decode func(into any) error) (any, error)
}

// Access is what an operation requires of its caller. Apart from Proved, it is checked before the request is decoded.
type Access struct {
	Scope core.Scope
	// Session requires a signed-in person, and Manages one who manages the workspace.
	Session, Manages bool
	// Proved requires a recently confirmed password. The operation itself checks this.
	Proved bool
	// Creates counts the request toward the hourly limit on creating posts (Spec §8).
	Creates bool
}

// Request is a call to an operation.
type Request struct {
	Caller core.Caller
	// Decode reads the request into a pointer to the operation's input. It is called after the caller is admitted.
	Decode func(into any) error
	// ReplayKey is set if the request has an Idempotency-Key. Operations that are not replayable ignore it.
	ReplayKey *ReplayKey
}

// Answer is the response to a request.
type Answer struct {
	// Body is the response as JSON, or nil if the operation returns nothing.
	Body []byte
	// Replayed reports that Body is the stored response to an earlier request with the same key. Status is the status
	// of that response.
	Replayed bool
	Status   int
	// Creations is the state of the hourly limit after an operation that counts toward it. It is set even if the
	// request is refused.
	Creations *store.RateCount
}

// NewFixedInputDecoder returns a Request.Decode for an input that has already been decoded.
func NewFixedInputDecoder[In any](in In) func(into any) error {
	return func(into any) error {
		*into.(*In) = in //nolint:errcheck,forcetypeassert // the operation decodes into its own type
		return nil
	}
}

// RunOperation admits the caller, decodes the request, calls the operation, and handles repeated requests. If the
// request is refused, its key is released so that the client can send a corrected request. If the outcome is unknown,
// for example because the connection was lost during the commit, the next request with the key gets what was
// committed.
func (a *App) RunOperation(ctx context.Context, op *Operation, r Request) (Answer, error) {
	replayKey := r.ReplayKey
	if !op.Replayable {
		replayKey = nil
	}
	answer, err := a.authorizeAndThrottleCreationOrReplay(ctx, r.Caller, op.Access, replayKey)
	if err != nil || answer.Replayed {
		return answer, err
	}
	out, err := op.run(contextWithReplayKey(ctx, replayKey), a, r.Caller, r.Decode)
	if err != nil {
		a.releaseReplayKeyIfRefused(ctx, r.Caller, replayKey, err)
		return answer, err
	}
	if replayKey != nil && !replayKey.saved {
		return answer, fmt.Errorf("%s did not store its result", op.Name)
	}
	if op.Output != reflect.TypeFor[contract.None]() {
		answer.Body, err = contract.EncodeJSON(out)
	}
	return answer, err
}

// FindOperation looks up an operation by its name.
func FindOperation(name string) (*Operation, bool) {
	for i := range operations {
		if operations[i].Name == name {
			return &operations[i], true
		}
	}
	return nil, false
}

// Operations returns the table of all operations, which must not be changed.
func Operations() []Operation { return operations }

// newOperation returns a table row for a method that takes a record and returns one.
func newOperation[In, Out any](name string, access Access,
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

// newOperationWithoutInput returns a table row for a method that takes no input.
func newOperationWithoutInput[Out any](name string, access Access,
	call func(*App, context.Context, core.Caller) (Out, error),
) Operation {
	return newOperation(name,
		access, func(a *App, ctx context.Context, c core.Caller, _ contract.None) (Out, error) { return call(a, ctx, c) })
}

// newOperationByID returns a table row for a method that takes an id.
func newOperationByID[Out any](name string, access Access,
	call func(*App, context.Context, core.Caller, string) (Out, error),
) Operation {
	return newOperation(name, access, func(a *App, ctx context.Context, c core.Caller, in contract.ByID) (Out, error) {
		return call(a, ctx, c, in.ID)
	})
}

// newRemovalByID returns a table row for a method that takes an id and returns only an error.
func newRemovalByID(name string, access Access, call func(*App, context.Context, core.Caller, string) error) Operation {
	withoutOutput := func(a *App, ctx context.Context, c core.Caller, id string) (contract.None, error) {
		return contract.None{}, call(a, ctx, c, id)
	}
	return newOperationByID(name, access, withoutOutput)
}

// asReplayable returns the operation with Replayable set.
func (o Operation) asReplayable() Operation {
	o.Replayable = true
	return o
}
