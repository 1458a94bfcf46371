package blob_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"belfry/internal/blob"
	"belfry/internal/blob/blobtest"
)

func TestFolder(t *testing.T) {
	blobtest.Run(t, func(t *testing.T) blob.Store {
		t.Helper()
		s, err := blob.Open(t.Context(), "file:"+t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		return s
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
		if n, err := s.Tidy(t.Context(), c.before); n != c.want || err != nil {
			t.Errorf("tidied %d, %v; want %d", n, err, c.want)
		}
	}
	if _, err := os.Stat(old); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
