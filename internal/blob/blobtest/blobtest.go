// Package blobtest tests that every kind of store fulfills the contract of blob.Store.
package blobtest

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"belfry/internal/blob"
)

// partial is large enough for a bucket to be written in several parts.
const partial = 11 << 20

// Run runs the suite. open returns an empty store, which the suite closes. The test that calls Run must not be
// parallel, because one part of the suite measures the memory of the whole process.
func Run(t *testing.T, open func(t *testing.T) blob.Store) {
	t.Helper()
	t.Run("memory does not grow with the object", func(t *testing.T) {
		testMemoryOfLargeObject(t, openStoreUntilCleanup(t, open))
	})
	t.Run("memory does not grow with the number of puts", func(t *testing.T) {
		testMemoryOfManyPuts(t, openStoreUntilCleanup(t, open))
	})
	for name, test := range map[string]func(*testing.T, blob.Store){
		"a stored object is returned unchanged":                        testRoundTrip,
		"an object stored without a size is returned unchanged":        testUnknownSize,
		"an interrupted put leaves nothing":                            testInterruptedPutLeavesNothing,
		"an interrupted put leaves the old object":                     testInterruptedPutKeepsOldObject,
		"concurrent puts of one key leave one object":                  testConcurrentPutsOfOneKey,
		"an object can be read from any position":                      testReadsAtAnyPosition,
		"an open object that is deleted returns its bytes or an error": testDeletionWhileOpen,
		"an open object never returns bytes of its replacement":        testReplacementWhileOpen,
		"keys are listed in order, from any key":                       testListingOrder,
		"a listing stops when the caller stops it":                     testListingStopsOnCallbackError,
		"an invalid key is refused":                                    testInvalidKeys,
		"a missing object is not found":                                testMissingObjects,
		"every operation ends with its context":                        testEndedContext,
		"an unfinished put ends with its context":                      testCancelledPut,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, openStoreUntilCleanup(t, open))
		})
	}
}

func openStoreUntilCleanup(t *testing.T, open func(t *testing.T) blob.Store) blob.Store {
	t.Helper()
	s := open(t)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// patternBytes returns size bytes in which a misplaced range is noticeable.
func patternBytes(size int) []byte {
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(i ^ i>>8 ^ i>>16)
	}
	return b
}

func put(t *testing.T, s blob.Store, key string, b []byte) {
	t.Helper()
	if err := s.Put(t.Context(), key, bytes.NewReader(b), int64(len(b))); err != nil {
		t.Fatal(err)
	}
}

func getAndCheckSize(t *testing.T, s blob.Store, key string) []byte {
	t.Helper()
	o, err := s.Open(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	b, err := io.ReadAll(o)
	if err != nil {
		t.Fatal(err)
	}
	if o.Size() != int64(len(b)) {
		t.Errorf("%s reports a size of %d bytes but contains %d", key, o.Size(), len(b))
	}
	return b
}

// listKeys lists all keys that begin with prefix and are greater than after.
func listKeys(t *testing.T, s blob.Store, prefix, after string) (all []string) {
	t.Helper()
	if err := s.Each(t.Context(), prefix, after, func(key string, _ int64, _ time.Time) error {
		all = append(all, key)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

func checkContent(t *testing.T, s blob.Store, key string, want []byte) {
	t.Helper()
	if got := getAndCheckSize(t, s, key); !bytes.Equal(got, want) {
		t.Errorf("%s was changed: %d bytes, want %d", key, len(got), len(want))
	}
}

func testUnknownSize(t *testing.T, s blob.Store) {
	for _, size := range []int{0, 1, 5<<20 - 1, 5 << 20, 5<<20 + 1, 10 << 20, partial} {
		if err := s.Put(t.Context(), "a/b", bytes.NewReader(patternBytes(size)), blob.Unknown); err != nil {
			t.Fatal(err)
		}
		checkContent(t, s, "a/b", patternBytes(size))
	}
	for name, err := range map[string]error{"fails": errors.New("gone"), "breaks off": io.ErrUnexpectedEOF} {
		r := io.MultiReader(bytes.NewReader(patternBytes(partial-1)), iotest.ErrReader(err))
		if got := s.Put(t.Context(), "a/b", r, blob.Unknown); !errors.Is(got, err) {
			t.Errorf("%s: %v", name, got)
		}
		checkContent(t, s, "a/b", patternBytes(partial))
	}
	checkNoUnfinishedPuts(t, s)
}

func testRoundTrip(t *testing.T, s blob.Store) {
	for _, size := range []int{0, 1, 5 << 20, 5<<20 + 1, partial} {
		key := blob.ShardedKey("media", "med_01abc9z")
		put(t, s, key, patternBytes(size))
		checkContent(t, s, key, patternBytes(size))
	}
	if got := listKeys(t, s, "", ""); !slices.Equal(got, []string{"media/9z/med_01abc9z"}) {
		t.Errorf("listed %v", got)
	}
}

// newBrokenReaders returns readers that do not return size bytes, each for one use, with the error that Put must
// return; nil stands for any error.
func newBrokenReaders(size int) map[string]struct {
	r    io.Reader
	want error
} {
	gone := errors.New("the client disconnected")
	return map[string]struct {
		r    io.Reader
		want error
	}{
		"one byte short":  {bytes.NewReader(patternBytes(size - 1)), io.ErrUnexpectedEOF},
		"empty":           {strings.NewReader(""), io.ErrUnexpectedEOF},
		"fails":           {io.MultiReader(bytes.NewReader(patternBytes(size/2)), iotest.ErrReader(gone)), gone},
		"fails at once":   {iotest.ErrReader(gone), gone},
		"fails at end":    {io.MultiReader(bytes.NewReader(patternBytes(size)), iotest.ErrReader(gone)), gone},
		"one byte longer": {bytes.NewReader(patternBytes(size + 1)), nil},
	}
}

func testInterruptedPutLeavesNothing(t *testing.T, s blob.Store) {
	for _, size := range []int{1 << 10, partial} {
		for name, c := range newBrokenReaders(size) {
			err := s.Put(t.Context(), "a/b", c.r, int64(size))
			if err == nil || c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("%s of %d: %v, want %v", name, size, err, c.want)
			}
		}
	}
	if got := listKeys(t, s, "", ""); len(got) > 0 {
		t.Errorf("left %v", got)
	}
	checkNoUnfinishedPuts(t, s)
}

func checkNoUnfinishedPuts(t *testing.T, s blob.Store) {
	t.Helper()
	if n, err := s.RemoveUnfinishedPuts(t.Context(), time.Now().Add(time.Hour)); n != 0 || err != nil {
		t.Errorf("%d unfinished puts left, %v", n, err)
	}
}

func testInterruptedPutKeepsOldObject(t *testing.T, s blob.Store) {
	old := []byte("old")
	put(t, s, "a/b", old)
	for name, c := range newBrokenReaders(partial) {
		if err := s.Put(t.Context(), "a/b", c.r, partial); err == nil {
			t.Errorf("%s: no error", name)
		}
		checkContent(t, s, "a/b", old)
	}
}

func testInvalidKeys(t *testing.T, s blob.Store) {
	for _, key := range []string{
		"", "/", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a/./b", ".a", "a/.b", "-a", "A", "ä", "a b", "a\\b",
		"a\x00", "a\n",
		"a%2fb", "a?b", "a#b", "a:b", "a*", "~a", ".unfinished/a", strings.Repeat("a", 201),
	} {
		_, err := s.Open(t.Context(), key)
		errs := map[string]error{
			"put":    s.Put(t.Context(), key, strings.NewReader("x"), 1),
			"open":   err,
			"delete": s.Delete(t.Context(), key),
		}
		for act, err := range errs {
			if err == nil || errors.Is(err, blob.ErrNotFound) {
				t.Errorf("%s %q: %v", act, key, err)
			}
		}
	}
	if got := listKeys(t, s, "", ""); len(got) > 0 {
		t.Errorf("made %v", got)
	}
}

func testMissingObjects(t *testing.T, s blob.Store) {
	put(t, s, "a/b", []byte("x"))
	for _, key := range []string{"b", "a/c", "a", "c/d/e"} {
		if _, err := s.Open(t.Context(), key); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("open %s: %v", key, err)
		}
	}
	for _, key := range []string{"b", "a/c", "a/b", "a/b", "c/d/e"} {
		if err := s.Delete(t.Context(), key); err != nil {
			t.Errorf("delete %s: %v", key, err)
		}
	}
	if got := listKeys(t, s, "", ""); len(got) > 0 {
		t.Errorf("left %v", got)
	}
}
