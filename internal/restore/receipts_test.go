package restore_test

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

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
	if err := receipts.WriteMark(t.Context(), restore.Mark{System: "7", StepID: 1}); err != nil {
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
	if mark, err := receipts.ReadMarkOrZero(t.Context()); err != nil || mark.System != "7" {
		t.Errorf("the mark is %+v, %v", mark, err)
	}
}

func TestAMissingMarkIsTheZeroMark(t *testing.T) {
	t.Parallel()
	mark, err := restore.NewReceipts(openStore(t), time.Now).ReadMarkOrZero(t.Context())
	if err != nil || mark != (restore.Mark{}) {
		t.Errorf("the mark is %+v, %v", mark, err)
	}
}

// slowStore lets each object wait until it may be stored, or refused.
type slowStore struct {
	blob.Store
	puts   int
	answer chan error
}

func (s *slowStore) Put(ctx context.Context, key string, r io.Reader, size int64) error {
	s.puts++
	if err := <-s.answer; err != nil {
		return err
	}
	return s.Store.Put(ctx, key, r, size)
}

// writeAtOnce writes receipts at the same time, and returns a function that waits for the results.
func writeAtOnce(t *testing.T, receipts *restore.Receipts, count int) (wait func() (failed int)) {
	t.Helper()
	results := make(chan error, count)
	for i := range count {
		go func() { results <- receipts.Write(t.Context(), restore.Receipt{Post: fmt.Sprint("post_", i)}) }()
	}
	return func() (failed int) {
		for range count {
			if <-results != nil {
				failed++
			}
		}
		return failed
	}
}

func TestReceiptsThatAreWrittenTogetherShareAnObject(t *testing.T) {
	t.Parallel()
	files := openStore(t)
	synctest.Test(t, func(t *testing.T) {
		const more = 100
		store := &slowStore{Store: files, answer: make(chan error)}
		receipts := restore.NewReceipts(store, time.Now)
		started := time.Now()
		waitForFirst := writeAtOnce(t, receipts, 1)
		synctest.Wait()
		waitForOthers := writeAtOnce(t, receipts, more) // while the first is being stored
		synctest.Wait()
		store.answer <- nil
		if failed := waitForFirst(); failed > 0 || time.Since(started) > 0 {
			t.Errorf("the first receipt waited %s; %d failed", time.Since(started), failed)
		}
		store.answer <- nil
		if failed := waitForOthers(); failed > 0 || time.Since(started) > 20*time.Millisecond {
			t.Errorf("the others waited %s; %d failed", time.Since(started), failed)
		}
		if got := readPosts(t, receipts, time.Time{}); len(got) != more+1 || store.puts != 2 {
			t.Errorf("%d of %d receipts were kept, in %d objects", len(got), more+1, store.puts)
		}
		waitForRefused := writeAtOnce(t, receipts, more)
		store.answer <- io.ErrShortWrite
		if failed := waitForRefused(); failed != more {
			t.Errorf("%d of %d writers learned that their receipts were not stored", failed, more)
		}
	})
}

func TestReceiptsAndMarksOfOlderVersionsAreRead(t *testing.T) {
	t.Parallel()
	store := openStore(t)
	for key, text := range map[string]string{
		restore.Prefix + "mark": `{"system":"7","timeline":2,"step":41,"at":"2026-11-22T12:00:00Z"}`,
		restore.Prefix + "20261122/120000.000000-abcdefgh": `{"workspace":"ws_1","post":"post_1","step":42,"handle":"aGk=",` +
			`"armedAt":"2026-11-22T12:00:00Z","live":true,"externalId":"17841","externalUrl":"https://example.org/17841"}`,
	} {
		if err := store.Put(t.Context(), key, strings.NewReader(text), int64(len(text))); err != nil {
			t.Fatal(err)
		}
	}
	receipts := restore.NewReceipts(store, time.Now)
	mark, err := receipts.ReadMarkOrZero(t.Context())
	if want := (restore.Mark{System: "7", Timeline: 2, StepID: 41, At: noon}); err != nil || mark != want {
		t.Errorf("the mark is %+v, %v; want %+v", mark, err, want)
	}
	want := restore.Receipt{
		Workspace: "ws_1", Post: "post_1", StepID: 42, Handle: []byte("hi"), ArmedAt: noon, Live: true,
		ExternalID: "17841", ExternalURL: "https://example.org/17841",
	}
	if err := receipts.EachSince(t.Context(), time.Time{}, func(r restore.Receipt) error {
		if !reflect.DeepEqual(r, want) {
			t.Errorf("the receipt is %+v; want %+v", r, want)
		}
		want = restore.Receipt{}
		return nil
	}); err != nil || want.Post != "" {
		t.Errorf("the receipt was not read: %v", err)
	}
}
