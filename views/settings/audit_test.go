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

func TestChangesNameRolesAndPermissionsAsTheirPagesDo(t *testing.T) {
	for values, want := range map[[2]string][]string{
		{`{"role":"viewer"}`, `{"role":"admin"}`}:      {"Role: Viewer → Admin"},
		{``, `{"name":"nightly","scope":"write"}`}:     {"Name: nightly", "Permissions: Read and write"},
		{`{"email":"a@b.example","role":"owner"}`, ``}: {"Email: a@b.example", "Role: Owner"},
	} {
		got := AuditModel{}.subjectAndChangeLines(AuditEntry{
			Before: json.RawMessage(values[0]), After: json.RawMessage(values[1]),
		})
		if !slices.Equal(got, want) {
			t.Errorf("changes are %q, want %q", got, want)
		}
	}
}

func TestChangesNameTheNetworkAsPeopleDo(t *testing.T) {
	m := AuditModel{NetworkName: func(p core.Platform) string { return map[core.Platform]string{"threads": "Threads"}[p] }}
	got := m.subjectAndChangeLines(AuditEntry{After: json.RawMessage(`{"name":"Harbour Bakery","platform":"threads"}`)})
	if want := []string{"Name: Harbour Bakery", "Network: Threads"}; !slices.Equal(got, want) {
		t.Errorf("changes are %q, want %q", got, want)
	}
}
