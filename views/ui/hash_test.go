package ui_test

import (
	"testing"

	"belfry/views/ui"
)

func TestAHashDependsOnWhatIsPointedTo(t *testing.T) {
	t.Parallel()
	type day struct{ posts int }
	if ui.HashValues("May", &day{1}) != ui.HashValues("May", &day{1}) {
		t.Error("equal values have different hashes")
	}
	if ui.HashValues("May", &day{1}) == ui.HashValues("May", &day{2}) {
		t.Error("different values have the same hash")
	}
}
