package main

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTheCommittedExampleIsUpToDate(t *testing.T) {
	t.Parallel()
	committed, err := os.ReadFile("../../.env.example")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(text(), string(committed)); diff != "" {
		t.Errorf(".env.example is old; run `make generate` (-want +got):\n%s", diff)
	}
}
