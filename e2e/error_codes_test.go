package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// elsewhere names the tests that show a code which no step of a scenario can be answered with: they break a service,
// or an upload, in ways of their own.
var elsewhere = map[string]string{
	"upload_in_progress": "upload_test.go",
	"upload_expired":     "upload_test.go",
	"unavailable":        "failures_test.go",
	"internal":           "../internal/httpd/request_test.go",
}

// Every error code of the description has a row in a table of rules.
func TestEveryErrorCodeIsDocumented(t *testing.T) {
	t.Parallel()
	tables, err := filepath.Glob("*_rules_test.go")
	if err != nil || len(tables) == 0 {
		t.Fatalf("no tables: %v", err)
	}
	rows := readFiles(t, tables...)
	var described struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]struct{ Enum []string }
			}
		}
	}
	if err := json.Unmarshal([]byte(readFiles(t, "../api/testdata/openapi.json")), &described); err != nil {
		t.Fatal(err)
	}
	codes := described.Components.Schemas["Error"].Properties["code"].Enum
	if len(codes) < 20 {
		t.Fatalf("the description has the codes %v", codes)
	}
	for _, code := range codes {
		where := rows
		if file, ok := elsewhere[code]; ok {
			where = readFiles(t, file)
		}
		if !strings.Contains(where, `"`+code+`"`) {
			t.Errorf("no row is answered %s", code)
		}
	}
}

func readFiles(t *testing.T, names ...string) string {
	t.Helper()
	var all strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}
