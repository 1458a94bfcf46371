package blob_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"belfry/internal/blob"
	"belfry/internal/blob/blobtest"
)

func TestFolder(t *testing.T) {
	blobtest.Run(t, func(t *testing.T) blob.Store {
		t.Helper()
		s, err := blob.OpenAndCheck(t.Context(), "file:"+t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}

// drip is a slow sender: it gives a KiB a second, for ever.
type drip struct{}

func (drip) Read(p []byte) (int, error) {
	<-time.After(time.Second)
	return copy(p, make([]byte, 1<<10)), nil
}

type full struct{}

var errFull = errors.New("no space left on device")

func (full) Write([]byte) (int, error) { return 0, errFull }

// A slow sender would wait long for the news otherwise, and send what nobody wants.
func TestACopyEndsWhenWritingFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		t.Helper()
		started := time.Now()
		if err := blob.Pass(t.Context(), dir, full{}, drip{}); !errors.Is(err, errFull) {
			t.Error(err)
		}
		if took := time.Since(started); took > 258*time.Second { // in 256 comes what is written first
			t.Errorf("it took %s", took)
		}
	})
}

// What a crash in the middle of a put leaves stays while it may still be one under way.
func TestFolderIsTidied(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, "file:"+dir)
	old := filepath.Join(dir, ".unfinished", "OLD")
	if err := os.WriteFile(old, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		before time.Time
		want   int
	}{{time.Now().Add(-time.Hour), 0}, {time.Now().Add(time.Hour), 1}, {time.Now().Add(time.Hour), 0}} {
		if n, err := s.RemoveUnfinishedPuts(t.Context(), c.before); n != c.want || err != nil {
			t.Errorf("tidied %d, %v; want %d", n, err, c.want)
		}
	}
	if _, err := os.Stat(old); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
