package restore_test

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sync/errgroup"

	"belfry/internal/blob"
	"belfry/internal/restore"
)

var noon = time.Date(2026, time.November, 22, 12, 0, 0, 0, time.UTC)

func openStore(t *testing.T) blob.Store {
	t.Helper()
	store, err := blob.OpenAndCheck(t.Context(), "file:"+t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

func readPosts(t *testing.T, receipts *restore.Receipts, since time.Time) []string {
	t.Helper()
	var posts []string
	if err := receipts.EachSince(t.Context(), since, func(r restore.Receipt) error {
		posts = append(posts, r.Post)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return posts
}

func TestReceiptsAreReadInTheOrderInWhichTheyWereWritten(t *testing.T) {
	t.Parallel()
	store, now := openStore(t), noon
	receipts := restore.NewReceipts(store, func() time.Time { return now })
	if err := store.Put(t.Context(), "thumbnails/aa/other", strings.NewReader("x"), 1); err != nil {
		t.Fatal(err)
	}
	if err := receipts.WriteMark(t.Context(), restore.Mark{System: "7", Step: 1}); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		now = noon.Add(time.Duration(i) * 24 * time.Hour)
		if err := receipts.Write(t.Context(), restore.Receipt{Post: fmt.Sprint("post_", i)}); err != nil {
			t.Fatal(err)
		}
	}
	if got := readPosts(t, receipts, time.Time{}); !slices.Equal(got, []string{"post_0", "post_1", "post_2"}) {
		t.Errorf("all receipts are those of %v", got)
	}
	if got := readPosts(t, receipts, noon.Add(time.Hour)); !slices.Equal(got, []string{"post_1", "post_2"}) {
		t.Errorf("the receipts since an hour later are those of %v", got)
	}
	if err := receipts.DeleteBefore(t.Context(), noon.Add(30*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if got := readPosts(t, receipts, time.Time{}); !slices.Equal(got, []string{"post_2"}) {
		t.Errorf("after the drop the receipts are those of %v", got)
	}
	if mark, err := receipts.ReadMark(t.Context()); err != nil || mark.System != "7" {
		t.Errorf("the mark is %+v, %v", mark, err)
	}
}

func TestAMissingMarkIsTheZeroMark(t *testing.T) {
	t.Parallel()
	mark, err := restore.NewReceipts(openStore(t), time.Now).ReadMark(t.Context())
	if err != nil || mark != (restore.Mark{}) {
		t.Errorf("the mark is %+v, %v", mark, err)
	}
}

// countingStore counts the objects that are stored.
type countingStore struct {
	blob.Store
	puts atomic.Int32
}

func (s *countingStore) Put(ctx context.Context, key string, r io.Reader, size int64) error {
	s.puts.Add(1)
	return s.Store.Put(ctx, key, r, size)
}

func TestReceiptsThatAreWrittenTogetherShareAnObject(t *testing.T) {
	t.Parallel()
	store := &countingStore{Store: openStore(t)}
	synctest.Test(t, func(t *testing.T) {
		receipts := restore.NewReceipts(store, time.Now)
		started := time.Now()
		if err := receipts.Write(t.Context(), restore.Receipt{Post: "first"}); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(started); waited > 0 {
			t.Errorf("the only receipt waited %s", waited)
		}
		const more = 100
		var writers errgroup.Group
		for i := range more {
			writers.Go(func() error {
				return receipts.Write(t.Context(), restore.Receipt{Post: fmt.Sprint("post_", i)})
			})
		}
		if err := writers.Wait(); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(started); waited > 20*time.Millisecond {
			t.Errorf("the receipts waited %s", waited)
		}
		if got := readPosts(t, receipts, time.Time{}); len(got) != more+1 {
			t.Errorf("%d receipts were kept, want %d", len(got), more+1)
		}
		if puts := store.puts.Load(); puts != 2 {
			t.Errorf("%d receipts took %d objects, want 2", more+1, puts)
		}
	})
}
