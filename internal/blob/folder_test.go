package blob_test

import (
	"testing"

	"belfry/internal/blob"
	"belfry/internal/blob/blobtest"
)

func TestFolder(t *testing.T) {
	t.Parallel()
	blobtest.Run(t, func(t *testing.T) blob.Store {
		t.Helper()
		s, err := blob.Open(t.Context(), "file:"+t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}
