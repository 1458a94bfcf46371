package store

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// blockedCombiner returns a combiner whose calls wait for a value from release, double their inputs, and are recorded.
func blockedCombiner() (c *combiner[int, int], calls *[][]int, release chan struct{}) {
	calls, release = &[][]int{}, make(chan struct{})
	return &combiner[int, int]{call: func(_ context.Context, inputs []int) []int {
		*calls = append(*calls, slices.Clone(inputs))
		<-release
		outputs := make([]int, len(inputs))
		for i, in := range inputs {
			outputs[i] = 2 * in
		}
		return outputs
	}}, calls, release
}

func TestInputsThatArriveDuringACallShareTheNextOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, calls, release := blockedCombiner()
		for in := 1; in <= 4; in++ {
			go func() {
				if out, err := c.callWithOthers(t.Context(), in); err != nil || out != 2*in {
					t.Errorf("the output for %d is %d, %v", in, out, err)
				}
			}()
			synctest.Wait()
		}
		for range 2 {
			release <- struct{}{}
		}
		synctest.Wait()
		if want := [][]int{{1}, {2, 3, 4}}; !slices.EqualFunc(*calls, want, slices.Equal) {
			t.Errorf("the calls were %v, want %v", *calls, want)
		}
		go func() { release <- struct{}{} }()
		if out, err := c.callWithOthers(t.Context(), 5); err != nil || out != 10 {
			t.Errorf("after all calls have ended: %d, %v", out, err)
		}
	})
}

// A call that hangs would hold back all requests of the process.
func TestEveryCallHasATimeLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &combiner[int, error]{call: func(ctx context.Context, inputs []int) []error {
			<-ctx.Done()
			return slices.Repeat([]error{ctx.Err()}, len(inputs))
		}}
		began := time.Now()
		var callers sync.WaitGroup
		for in := range 3 {
			callers.Go(func() {
				if out, err := c.callWithOthers(context.WithoutCancel(t.Context()), in); err != nil || !errors.Is(out, context.DeadlineExceeded) {
					t.Errorf("input %d got %v, %v", in, out, err)
				}
			})
			synctest.Wait()
		}
		callers.Wait()
		synctest.Wait()
		if took := time.Since(began); c.running || took != 2*combinedTime {
			t.Errorf("after %s, a call is still running: %v", took, c.running)
		}
	})
}

func TestACallerWhoseContextEndsDoesNotWaitForTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, calls, release := blockedCombiner()
		first, cancelFirst := context.WithCancel(t.Context())
		go func() { _, _ = c.callWithOthers(first, 1) }()
		synctest.Wait()
		impatient, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			_, err := c.callWithOthers(impatient, 2)
			ended <- err
		}()
		synctest.Wait()
		go func() {
			if out, err := c.callWithOthers(t.Context(), 3); err != nil || out != 6 {
				t.Errorf("beside a caller that left: %d, %v", out, err)
			}
		}()
		synctest.Wait()
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the caller that left got %v", err)
		}
		cancelFirst() // the calls that follow the first do not depend on its context
		release <- struct{}{}
		release <- struct{}{}
		synctest.Wait()
		if _, err := c.callWithOthers(impatient, 4); !errors.Is(err, context.Canceled) || len(*calls) != 2 {
			t.Errorf("with a context that has ended: %v, calls %v", err, *calls)
		}
	})
}
