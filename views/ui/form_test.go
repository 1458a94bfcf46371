package ui_test

import (
	"strings"
	"testing"

	"belfry/views/ui"
)

func TestAnErrorComesBeforeTheRuleThatItIsAbout(t *testing.T) {
	t.Parallel()
	var page strings.Builder
	field := ui.Field{ID: "slug", Name: "slug", Help: "Use lowercase letters.", Error: "This name is taken."}
	if err := ui.Input(field).Render(t.Context(), &page); err != nil {
		t.Fatal(err)
	}
	drawn := page.String()
	problem, rule := strings.Index(drawn, field.Error), strings.Index(drawn, field.Help)
	if problem < 0 || rule < problem {
		t.Errorf("the error is at %d, the rule at %d: %s", problem, rule, drawn)
	}
	if !strings.Contains(drawn, `aria-describedby="slug-error slug-help"`) {
		t.Errorf("a screen reader does not announce both: %s", drawn)
	}
}
