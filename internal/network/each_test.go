package network_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"belfry/internal/network"
)

func TestCallEachKeepsTheOrderAndMakesFewCallsAtOnce(t *testing.T) {
	t.Parallel()
	inputs := make([]int, 20)
	for i := range inputs {
		inputs[i] = i
	}
	var running, most atomic.Int64
	got, err := network.CallEachConcurrently(t.Context(), inputs, func(_ context.Context, i int) (int, error) {
		now := running.Add(1)
		defer running.Add(-1)
		for high := most.Load(); now > high && !most.CompareAndSwap(high, now); high = most.Load() {
		}
		return i, nil
	})
	if err != nil || !slices.Equal(got, inputs) || most.Load() > 4 {
		t.Errorf("got %v, %v with %d calls at once", got, err, most.Load())
	}
}

func TestCallEachEndsTheOtherCallsAtTheFirstError(t *testing.T) {
	t.Parallel()
	refused := errors.New("refused")
	began := make(chan struct{})
	_, err := network.CallEachConcurrently(t.Context(), []int{0, 1}, func(ctx context.Context, i int) (int, error) {
		if i == 0 {
			close(began)
			<-ctx.Done()
			return 0, ctx.Err()
		}
		<-began
		return 0, refused
	})
	if !errors.Is(err, refused) {
		t.Errorf("got %v", err)
	}
}
