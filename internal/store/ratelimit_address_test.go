package store

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// parts returns counts whose newest part has the number 1000 and whose counts stand that many parts before it.
func parts(before map[int]int) partCounts {
	t := partCounts{newest: 1000, parts: make([]int, subWindows+1)}
	for ago, n := range before {
		t.parts[subWindows-ago] = n
	}
	return t
}

func TestATallyMovesWithTheClock(t *testing.T) {
	t.Parallel()
	was := map[int]int{0: 3, 1: 2, 60: 7}
	for _, c := range []struct {
		name    string
		running int64
		want    map[int]int
	}{
		{"the same part", 1000, was},
		{"a clock set back a little", 940, was},
		{"the next part forgets the oldest", 1001, map[int]int{1: 3, 2: 2}},
		{"as far as the newest lasts", 1060, map[int]int{60: 3}},
		{"too far", 1061, nil},
		{"a clock set back far, or another step", 939, nil},
	} {
		got := parts(was).advanceTo(c.running)
		want := parts(c.want)
		if want.newest = c.running; c.running == 940 {
			want.newest = 1000
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(partCounts{})); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", c.name, diff)
		}
	}
}

func TestATallySaysWhatDropsOutWhen(t *testing.T) {
	t.Parallel()
	counts := parts(map[int]int{0: 3, 10: 2, 60: 7})
	if n := counts.countRequests(); n != 12 {
		t.Errorf("%d requests", n)
	}
	for n, part := range map[int]int64{1: 940, 7: 940, 8: 990, 9: 990, 10: 1000, 12: 1000} {
		if got, want := counts.expiryOfFirstRequests(n, time.Second), time.Unix(part+61, 0); !got.Equal(want) {
			t.Errorf("the first %d requests count until %v, want %v", n, got, want)
		}
	}
}
