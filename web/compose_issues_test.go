package web

import (
	"testing"

	"belfry/internal/core"
)

func TestEveryIssueHasItsPlaceInTheForm(t *testing.T) {
	t.Parallel()
	for _, issue := range core.AllIssueTexts() {
		if _, ok := issueInputs[issue.Code]; !ok {
			t.Errorf("%s is not in issueInputs", issue.Code)
		}
	}
}
