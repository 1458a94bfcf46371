package blobtest

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"belfry/internal/blob"
)

func openObjectUntilCleanup(t *testing.T, s blob.Store, key string) blob.Object {
	t.Helper()
	o, err := s.Open(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.Close() })
	return o
}

// testReadsAtAnyPosition reads at random positions, from several goroutines, and in the ranges that a browser requests
// for a video.
func testReadsAtAnyPosition(t *testing.T, s blob.Store) {
	small, large := patternBytes(300), patternBytes(partial)
	put(t, s, "small", small)
	put(t, s, "large", large)
	if err := iotest.TestReader(openObjectUntilCleanup(t, s, "small"), small); err != nil {
		t.Error(err)
	}
	o := openObjectUntilCleanup(t, s, "large")
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			got, off := make([]byte, 70_000), i*(partial-70_000)/7
			if n, err := o.ReadAt(got, int64(off)); n != len(got) || err != nil && !errors.Is(err, io.EOF) ||
				!bytes.Equal(got, large[off:off+len(got)]) {
				t.Errorf("read at %d: %d bytes, %v, or wrong bytes", off, n, err)
			}
		})
	}
	group.Wait()
	for _, c := range []struct {
		header string
		want   []byte
	}{
		{"bytes=0-0", large[:1]},
		{"bytes=-5", large[partial-5:]},
		{"bytes=1048575-1048578", large[1048575:1048579]},
		{"bytes=11000000-", large[11_000_000:]},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.Header.Set("Range", c.header)
		w := httptest.NewRecorder()
		http.ServeContent(w, r, "x.mp4", time.Time{}, o)
		if w.Code != http.StatusPartialContent || !bytes.Equal(w.Body.Bytes(), c.want) {
			t.Errorf("%s: %d and %d bytes, want %d", c.header, w.Code, w.Body.Len(), len(c.want))
		}
	}
}

func testDeletionWhileOpen(t *testing.T, s blob.Store) {
	b := patternBytes(partial)
	put(t, s, "a/b", b)
	o := openObjectUntilCleanup(t, s, "a/b")
	start := make([]byte, 10)
	if _, err := io.ReadFull(o, start); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(t.Context(), "a/b"); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(o)
	if got := append(start, rest...); err == nil && !bytes.Equal(got, b) || err != nil && !bytes.HasPrefix(b, got) {
		t.Errorf("read %d bytes, %v: neither its own bytes nor an error", len(got), err)
	}
	if _, err := o.ReadAt(start, 100); err == nil && !bytes.Equal(start, b[100:110]) {
		t.Error("read wrong bytes after the deletion")
	}
}

func testReplacementWhileOpen(t *testing.T, s blob.Store) {
	before, after := bytes.Repeat([]byte("a"), partial), bytes.Repeat([]byte("b"), partial)
	put(t, s, "a/b", before)
	o := openObjectUntilCleanup(t, s, "a/b")
	put(t, s, "a/b", after)
	for _, off := range []int64{0, partial - 10} {
		got := make([]byte, 10)
		if _, err := o.ReadAt(got, off); err == nil && string(got) != "aaaaaaaaaa" {
			t.Errorf("read %q from the replacement", got)
		}
	}
	got, err := io.ReadAll(o)
	if bytes.Contains(got, []byte("b")) || err == nil && len(got) != partial {
		t.Errorf("read %d bytes, some of them from the replacement, %v", len(got), err)
	}
	checkContent(t, s, "a/b", after)
}
