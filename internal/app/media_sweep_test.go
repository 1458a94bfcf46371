package app_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/blob"
	"belfry/internal/media/mediatest"
)

// listing counts the keys that are listed, and fails after so many.
type listing struct {
	blob.Store
	listed *atomic.Int64
	most   int64
}

func (l listing) Each(ctx context.Context, prefix, after string, visit blob.VisitFunc) error {
	return l.Store.Each(ctx, prefix, after, func(key string, size int64, modified time.Time) error {
		if l.listed.Add(1) > l.most {
			return fmt.Errorf("more than %d keys are listed", l.most)
		}
		return visit(key, size, modified)
	})
}

// oldOrphans stores files of the day before yesterday that no row names.
func oldOrphans(t *testing.T, folder string, count int) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Join(folder, "media", "xx"), 0o700))
	for i := range count {
		path := filepath.Join(folder, "media", "xx", fmt.Sprintf("orphan%05d", i))
		must(t, os.WriteFile(path, []byte("x"), 0o600))
		must(t, os.Chtimes(path, time.Time{}, apptest.Start().Add(-48*time.Hour)))
	}
}

// Every replica listed all that is stored, every hour and at every start.
func TestStoredBytesAreListedOnceADayByOneReplica(t *testing.T) {
	t.Parallel()
	var listed atomic.Int64
	h := apptest.New(t, func(c *app.Config) { c.Blobs = listing{c.Blobs, &listed, 1 << 60} })
	h.Workspace("one").File("photo.png", mediatest.PNG(64, 64)) // two keys
	replicas := []*app.App{h.App, h.Replica(), h.Replica()}
	for hour := range 48 {
		var all sync.WaitGroup
		for _, a := range replicas {
			all.Go(func() {
				if err := a.Intake().DeleteUnreferencedBlobsIfDue(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if want := 2 * int64(1+hour/24); listed.Load() != want {
			t.Fatalf("after %d hours %d keys are listed; want %d", hour, listed.Load(), want)
		}
		h.Clock.Advance(time.Hour)
	}
}

// A sweep that ends half way, as when its replica dies, is continued where it was and not begun again.
func TestASweepOfStoredBytesIsContinued(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	oldOrphans(t, folder, 2500)
	blobs, err := blob.OpenAndCheck(t.Context(), "file:"+folder)
	must(t, err)
	t.Cleanup(func() { must(t, blobs.Close()) })
	var listed atomic.Int64
	h := apptest.New(t, func(c *app.Config) { c.Blobs = blobs })
	dies := h.Replica(func(c *app.Config) { c.Blobs = listing{c.Blobs, &listed, 2200} })
	if err := dies.Intake().DeleteUnreferencedBlobsIfDue(t.Context()); err == nil {
		t.Fatal("the first sweep ends well")
	}
	must(t, h.App.Intake().DeleteUnreferencedBlobsIfDue(t.Context())) // the first one's lease is not over
	if n := len(storedKeys(t, blobs)); n != 500 {
		t.Errorf("%d of 2,500 are left after the first sweep; want 500", n)
	}
	h.Clock.Advance(time.Hour)
	listed.Store(0)
	rest := h.Replica(func(c *app.Config) { c.Blobs = listing{c.Blobs, &listed, 600} })
	must(t, rest.Intake().DeleteUnreferencedBlobsIfDue(t.Context()))
	if n := len(storedKeys(t, blobs)); n != 0 {
		t.Errorf("%d are left", n)
	}
}

func storedKeys(t *testing.T, blobs blob.Store) (keys []string) {
	t.Helper()
	must(t, blobs.Each(t.Context(), "", "", func(key string, _ int64, _ time.Time) error {
		keys = append(keys, key)
		return nil
	}))
	return keys
}

// Files that are newer than a restored backup have no row in it. The operator may still restore a newer backup, which
// needs them.
func TestNoStoredBytesAreDeletedWhilePublishingIsOnHold(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	oldOrphans(t, folder, 1)
	blobs, err := blob.OpenAndCheck(t.Context(), "file:"+folder)
	must(t, err)
	t.Cleanup(func() { must(t, blobs.Close()) })
	h := apptest.New(t, func(c *app.Config) { c.Blobs = blobs })
	must(t, h.Store.HoldPublishingAndDeleteSessionsAndEmails(t.Context(), "a test", time.Time{}, nil))
	must(t, h.App.Intake().DeleteUnreferencedBlobsIfDue(t.Context()))
	if n := len(storedKeys(t, blobs)); n != 1 {
		t.Errorf("during the hold %d files are left; want 1", n)
	}
	must(t, h.Store.EndPublishingHold(t.Context(), 0))
	must(t, h.App.Intake().DeleteUnreferencedBlobsIfDue(t.Context()))
	if n := len(storedKeys(t, blobs)); n != 0 {
		t.Errorf("after the hold %d files are left", n)
	}
}
