package layout_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/a-h/templ"

	"belfry/internal/core"
)

// go test ./views/layout -run Preview -args -preview FOLDER writes every screen as a file, to be looked
// at in a browser beside a server of /static/.
var preview = flag.String("preview", "", "folder to write every screen to")

func newFixture(t *testing.T) fixture {
	t.Helper()
	zone, err := core.ParseZone("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	return fixture{zone: zone, now: time.Date(2026, 11, 21, 9, 5, 0, 0, time.UTC)}
}

func render(t *testing.T, c templ.Component) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := c.Render(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestPreview(t *testing.T) {
	t.Parallel()
	folder := *preview
	if folder == "" {
		folder = t.TempDir()
	}
	for name, screen := range newFixture(t).screens() {
		if err := os.WriteFile(filepath.Join(folder, name+".html"), render(t, screen), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
