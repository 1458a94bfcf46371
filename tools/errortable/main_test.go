package main

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTheCommittedTableIsUpToDate(t *testing.T) {
	t.Parallel()
	committed, err := os.ReadFile("../../docs/networks/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	want, err := write()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(committed)); diff != "" {
		t.Errorf("docs/networks/errors.md is old; run `make generate` (-want +got):\n%s", diff)
	}
}
