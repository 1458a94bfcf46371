package blobtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"belfry/internal/blob"
)

// testMemoryOfLargeObject writes and reads 64 MiB, each with at most 16 MiB of memory.
func testMemoryOfLargeObject(t *testing.T, s blob.Store) {
	const size, allowed = 64 << 20, 16 << 20
	if n := countAllocatedBytes(func() {
		if err := s.Put(t.Context(), "large", io.LimitReader(zeros{}, size), size); err != nil {
			t.Fatal(err)
		}
	}); n > allowed {
		t.Errorf("writing %d MiB took %d KiB of memory", size>>20, n>>10)
	}
	if n := countAllocatedBytes(func() {
		o := openObjectUntilCleanup(t, s, "large")
		if n, err := io.Copy(io.Discard, o); n != size || err != nil {
			t.Fatalf("read %d bytes, %v", n, err)
		}
	}); n > allowed {
		t.Errorf("reading %d MiB took %d KiB of memory", size>>20, n>>10)
	}
}

// countAllocatedBytes returns how many bytes act allocates on the heap, including freed ones.
func countAllocatedBytes(act func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	act()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// testMemoryOfManyPuts stores many objects at once. None of them is complete before all are nearly complete.
func testMemoryOfManyPuts(t *testing.T, s blob.Store) {
	const puts, size, allowed = 100, 6 << 20, 64 << 20
	if n := countAllocatedBytes(func() {
		var all, group sync.WaitGroup
		all.Add(puts)
		for i := range puts {
			group.Go(func() {
				r := &reader{io.LimitReader(zeros{}, size), size - 1, func() {
					all.Done()
					all.Wait()
				}}
				if err := s.Put(t.Context(), fmt.Sprintf("many/%d", i), r, size); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
	}); n > allowed {
		t.Errorf("%d concurrent puts took %d MiB of memory", puts, n>>20)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func testConcurrentPutsOfOneKey(t *testing.T, s blob.Store) {
	for _, size := range []int{10_000, partial} {
		var group sync.WaitGroup
		for i := range 4 {
			group.Go(func() {
				b := bytes.Repeat([]byte{'a' + byte(i)}, size)
				if err := s.Put(t.Context(), "a/b", bytes.NewReader(b), int64(size)); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		got := getAndCheckSize(t, s, "a/b")
		if len(got) != size || len(bytes.Trim(got, string(got[:1]))) > 0 {
			t.Errorf("%d bytes, mixed from more than one put", len(got))
		}
	}
	checkNoUnfinishedPuts(t, s)
}

// testListingOrder lists more than the thousand keys that a bucket returns at a time.
func testListingOrder(t *testing.T, s blob.Store) {
	all := []string{"a-b", "a.b", "a/b", "a/b-c/d", "a/b.c", "a/b0/c", "a0", "a_", "aa/b", "b/a/c", "b/a0", "z"}
	for i := range 1_100 {
		id := strings.Repeat(string(rune('a'+i%26)), 1+i/26)
		all = append(all, blob.ShardedKey("media", id))
	}
	slices.Sort(all)
	todo := make(chan string)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for key := range todo {
				if err := s.Put(t.Context(), key, strings.NewReader(key), int64(len(key))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for _, key := range all {
		todo <- key
	}
	close(todo)
	group.Wait()
	for _, after := range []string{"", "a", "a/", "a/b", "a/b-c", "a/bb", "a/b0/c", "m", "media/mm", all[1_050], "z", "zz"} {
		at, found := slices.BinarySearch(all, after)
		if found {
			at++
		}
		for _, prefix := range []string{"", "a", "a/b", "a/b/", "a/b0", "m", "media/", "media/m", all[1_050], "nothing"} {
			var want []string
			for _, key := range all[at:] {
				if strings.HasPrefix(key, prefix) {
					want = append(want, key)
				}
			}
			if got := listKeys(t, s, prefix, after); !slices.Equal(got, want) {
				t.Errorf("%q after %q: %d keys, or in the wrong order, want %d: %.5q", prefix, after, len(got), len(want), got)
			}
		}
	}
	err := s.Each(t.Context(), "", "", func(key string, size int64, modified time.Time) error {
		if size != int64(len(key)) || time.Since(modified).Abs() > time.Hour {
			t.Errorf("%s is listed with the size %d and the time %v", key, size, modified)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func testListingStopsOnCallbackError(t *testing.T, s blob.Store) {
	for _, key := range []string{"a", "b", "c/d", "e"} {
		put(t, s, key, nil)
	}
	enough, seen := errors.New("enough"), []string{}
	err := s.Each(t.Context(), "", "a", func(key string, _ int64, _ time.Time) error {
		seen = append(seen, key)
		if key == "c/d" {
			return enough
		}
		return nil
	})
	if err != enough || !slices.Equal(seen, []string{"b", "c/d"}) { //nolint:errorlint // as it is
		t.Errorf("saw %v, %v", seen, err)
	}
}

func testEndedContext(t *testing.T, s blob.Store) {
	put(t, s, "a/b", []byte("x"))
	ctx, cancel := context.WithCancel(t.Context())
	o, err := s.Open(ctx, "a/b")
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := o.Close(); err != nil {
		t.Error(err)
	}
	_, opening := s.Open(ctx, "a/b")
	_, tidying := s.RemoveUnfinishedPuts(ctx, time.Now())
	for act, err := range map[string]error{
		"put":    s.Put(ctx, "a/b", strings.NewReader("y"), 1),
		"open":   opening,
		"delete": s.Delete(ctx, "a/b"),
		"each":   s.Each(ctx, "", "", func(string, int64, time.Time) error { return nil }),
		"tidy":   tidying,
		"check":  s.CheckReadWrite(ctx),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", act, err)
		}
	}
	checkContent(t, s, "a/b", []byte("x"))
}

// reader calls act once, when left bytes have been read.
type reader struct {
	io.Reader
	left int
	act  func()
}

func (r *reader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if r.left -= n; r.left <= 0 && r.act != nil {
		r.act()
		r.act = nil
	}
	return n, err
}

func testCancelledPut(t *testing.T, s blob.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := s.Put(ctx, "a/b", &reader{bytes.NewReader(patternBytes(2 * partial)), partial, cancel}, 2*partial)
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if got := listKeys(t, s, "", ""); len(got) > 0 {
		t.Errorf("left %v", got)
	}
	checkNoUnfinishedPuts(t, s)
}

// HalfWay returns a reader of size bytes that calls act when half of them have been read.
func HalfWay(size int, act func()) io.Reader {
	return &reader{bytes.NewReader(patternBytes(size)), size / 2, act}
}
