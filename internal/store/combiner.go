package store

import (
	"context"
	"sync"
	"time"
)

// combinedTime limits each call, because all callers wait for it. It is shorter than the time of a request.
const combinedTime = 5 * time.Second

// combiner makes one call at a time. Inputs that arrive during a call wait, and the next call takes all of them. There
// is no timer: a caller waits only for the call that is running, and then for its own.
type combiner[In, Out any] struct {
	// call returns one output for each input, in the same order.
	call func(context.Context, []In) []Out

	mu      sync.Mutex
	running bool
	waiting *combinedCall[In, Out] // nil if nobody waits
}

type combinedCall[In, Out any] struct {
	inputs  []In
	outputs []Out
	done    chan struct{} // closed once outputs is set
}

// callWithOthers returns the output for an input, from a call that begins after this. It returns the error of ctx if
// ctx ends first; the call may then have been made all the same.
func (c *combiner[In, Out]) callWithOthers(ctx context.Context, in In) (out Out, err error) {
	if err := ctx.Err(); err != nil {
		return out, err
	}
	c.mu.Lock()
	if !c.running {
		c.running = true
		c.mu.Unlock()
		defer c.callForWaitingInBackground() //nolint:contextcheck // the calls that follow belong to other requests
		return c.callWithinTime(ctx, []In{in})[0], nil
	}
	if c.waiting == nil {
		c.waiting = &combinedCall[In, Out]{done: make(chan struct{})}
	}
	mine, position := c.waiting, len(c.waiting.inputs)
	mine.inputs = append(mine.inputs, in)
	c.mu.Unlock()
	select {
	case <-mine.done:
		return mine.outputs[position], nil
	case <-ctx.Done():
		return out, ctx.Err()
	}
}

// callForWaitingInBackground makes the next call, and those after it, in the background until nobody waits.
func (c *combiner[In, Out]) callForWaitingInBackground() {
	next := c.takeWaitingOrStop()
	if next == nil {
		return
	}
	go func() {
		for ; next != nil; next = c.takeWaitingOrStop() {
			next.outputs = c.callWithinTime(context.Background(), next.inputs)
			close(next.done)
		}
	}()
}

func (c *combiner[In, Out]) callWithinTime(ctx context.Context, inputs []In) []Out {
	ctx, cancel := context.WithTimeout(ctx, combinedTime)
	defer cancel()
	return c.call(ctx, inputs)
}

// takeWaitingOrStop returns the next call, which nobody can join from now on. If nobody waits, it returns nil, and the
// next caller makes its own call.
func (c *combiner[In, Out]) takeWaitingOrStop() (nextOrNil *combinedCall[In, Out]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	next := c.waiting
	c.waiting, c.running = nil, next != nil
	return next
}
