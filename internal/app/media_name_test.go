package app_test

import (
	"net/http"
	"testing"

	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/fetch/fetchtest"
)

// A name with U+202E shows "gpj.exe" as "exe.jpg". Characters that turn or hide parts of a name are left out, however
// the name comes; those that join letters and emoji stay.
func TestFileNamesAreKeptWithoutInvisibleCharacters(t *testing.T) {
	t.Parallel()
	h := apptest.New(t, onWorld(fetchtest.New(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", "attachment; filename*=UTF-8''bell%E2%80%AEgpj.exe")
	})))
	ws := h.Workspace("one")
	for sent, want := range map[string]string{
		"bell\u202egpj.exe": "bellgpj.exe", "\u2066a\u2069\u200f.jpg": "a.jpg", "a\ufeff\u200b\u00ad.jpg": "a.jpg",
		"a\u2028b\u2029.jpg": "ab.jpg", "\u06a9\u200c\u06cc.jpg": "\u06a9\u200c\u06cc.jpg",
		"\U0001f469\u200d\U0001f680.png": "\U0001f469\u200d\U0001f680.png",
	} {
		made, err := h.App.ReserveUpload(t.Context(), ws.Owner, contract.CreateUpload{Filename: sent, Mime: "image/jpeg", Size: 1})
		must(t, err)
		if got := ws.Media(made.MediaID).OriginalName; got != want {
			t.Errorf("an upload called %q is kept as %q", sent, got)
		}
		m, err := h.App.AddMediaForDownload(t.Context(), ws.Owner, contract.MediaFromURL{URL: "https://example.com/", Filename: sent})
		if err != nil || m.OriginalName != want {
			t.Errorf("a fetched file called %q is kept as %q, %v", sent, m.OriginalName, err)
		}
	}
	m := fromURL(t, h, ws, "https://example.com/bell%E2%80%AEgpj.jpg")
	if after := fetched(t, h, ws, m); m.OriginalName != "bellgpj.jpg" || after.OriginalName != "bellgpj.exe" {
		t.Errorf("by its address %q, by its server %q", m.OriginalName, after.OriginalName)
	}
	_, err := h.App.ReserveUpload(t.Context(), ws.Owner, contract.CreateUpload{Filename: "\u202e\u200b", Mime: "image/jpeg", Size: 1})
	if e := want(t, core.CodeInvalidRequest, err); e.Path != "filename" {
		t.Errorf("a name of nothing else is refused at %q", e.Path)
	}
}
