package network_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"belfry/internal/network"
)

func TestEachDoesAFewAtATime(t *testing.T) {
	t.Parallel()
	var now, most, done atomic.Int32
	err := network.Each(20, func(int) error {
		n := now.Add(1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		done.Add(1)
		now.Add(-1)
		return nil
	})
	if err != nil || done.Load() != 20 || most.Load() > 4 {
		t.Errorf("%d done, %d at once, %v", done.Load(), most.Load(), err)
	}
	if err := network.Each(0, nil); err != nil {
		t.Error(err)
	}
}

func TestEachBeginsNothingAfterAFailure(t *testing.T) {
	t.Parallel()
	var done atomic.Int32
	err := network.Each(100, func(i int) error {
		done.Add(1)
		return fmt.Errorf("broken %d", i)
	})
	if done.Load() != 4 || err == nil || err.Error() != "broken 0" {
		t.Errorf("%d done, %v", done.Load(), err)
	}
}
