package api

import (
	"os"
	"os/exec"
	"testing"
)

// The description is sound OpenAPI 3.1 by the specification's own schema, and clean by the rules that its
// readers' tools bring.
func TestTheDescriptionLintsClean(t *testing.T) {
	t.Parallel()
	const npm = "../tools/npm/"
	linter := npm + "node_modules/.bin/spectral"
	if _, err := os.Stat(linter); err != nil {
		t.Fatalf("spectral is not installed; run tools/need-npm, as `make test` does: %v", err)
	}
	lint := exec.CommandContext(t.Context(), linter, "lint", "--ruleset", npm+"spectral.yaml", "--fail-severity", "hint",
		golden)
	if out, err := lint.CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
}
