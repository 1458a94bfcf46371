package tiktok_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"belfry/internal/media/mediatest"
	"belfry/internal/network"
	nt "belfry/internal/network/networktest"
)

// newItem returns an item with a video of about the given size and with settings.
func newItem(t *testing.T, w *nt.World, size int64, settings string) network.Item {
	t.Helper()
	it := w.NewItem("A quiet morning")
	it.Files[0] = padFile(t, it.Files[0], size)
	if settings != "" {
		it.Settings = json.RawMessage(settings)
	}
	return it
}

// padFile makes a file at least the given size, with bytes that do not change what it shows.
func padFile(t *testing.T, f network.File, size int64) network.File {
	t.Helper()
	file, err := f.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	if missing := size - int64(len(content)) - 8; missing >= 0 {
		content = append(content, mediatest.Box("free", make([]byte, missing))...)
	}
	f.Bytes = int64(len(content))
	f.Open = func(context.Context) (io.ReadSeekCloser, error) { return openFile{bytes.NewReader(content)}, nil }
	return f
}

// openFile is a file in memory.
type openFile struct{ *bytes.Reader }

func (openFile) Close() error { return nil }

func setOption(t *testing.T, w *nt.World, name, value string) {
	t.Helper()
	if err := w.Kit.SetOption(name, value); err != nil {
		t.Fatal(err)
	}
}

// countCalls returns how often the simulator received a call.
func countCalls(w *nt.World, name string) int {
	n := 0
	for _, c := range w.Kit.Calls.ListLast(0) {
		if c.Call == name {
			n++
		}
	}
	return n
}

// wantRefusal checks that CreateHandle returns a permanent refusal whose message or hint contains the words, and that
// nothing is visible.
func wantRefusal(t *testing.T, w *nt.World, it network.Item, words string) {
	t.Helper()
	_, err := w.Net.CreateHandle(t.Context(), it)
	if e := w.RequireError(err, network.Rejected, it.Token.Access); !strings.Contains(e.Message+e.Hint, words) || e.Hint == "" {
		t.Errorf("want %q, got %q %q", words, e.Message, e.Hint)
	}
}
