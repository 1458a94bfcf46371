package settings

import (
	"encoding/json"
	"slices"
	"testing"

	"belfry/internal/core"
)

func TestAChangeNamesThePlanAsItsPageDoes(t *testing.T) {
	got := AuditModel{}.subjectAndChangeLines(AuditEntry{
		Before: json.RawMessage(`{"plan":"free"}`), After: json.RawMessage(`{"plan":"owner"}`),
	})
	if want := []string{"Plan: Free → Unlimited"}; !slices.Equal(got, want) {
		t.Errorf("changes are %q, want %q", got, want)
	}
}

func TestChangesNameTheNetworkAsPeopleDo(t *testing.T) {
	m := AuditModel{NetworkName: func(p core.Platform) string { return map[core.Platform]string{"threads": "Threads"}[p] }}
	got := m.subjectAndChangeLines(AuditEntry{After: json.RawMessage(`{"name":"Harbour Bakery","platform":"threads"}`)})
	if want := []string{"Name: Harbour Bakery", "Network: Threads"}; !slices.Equal(got, want) {
		t.Errorf("changes are %q, want %q", got, want)
	}
}
