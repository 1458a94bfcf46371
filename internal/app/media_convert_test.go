package app_test

import (
	"io"
	"testing"

	"belfry/internal/app/apptest"
	"belfry/internal/core"
	"belfry/internal/media/mediatest"
)

// A process has an App for people and one for workers. Each with a limit of its own took twice the memory.
func TestAppsOfAProcessShareConvertedPictures(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	id, err := core.ParseID[core.MediaKind](ws.File("wide.png", mediatest.PNG(64, 48)).ID)
	must(t, err)
	m, err := h.Store.In(ws.Owner.Workspace()).Media(t.Context(), id)
	must(t, err)
	jpeg := &core.Conversion{Width: 32, Height: 24, MaxBytes: 100_000}
	first, err := h.App.Intake().OpenBytes(t.Context(), m, jpeg)
	must(t, err)
	must(t, h.Config.Blobs.Delete(t.Context(), m.Blob))
	again, err := h.Replica().Intake().OpenBytes(t.Context(), m, jpeg)
	must(t, err)
	want, err := io.ReadAll(first)
	must(t, err)
	got, err := io.ReadAll(again)
	must(t, err)
	if len(want) == 0 || string(got) != string(want) {
		t.Errorf("%d bytes and then %d", len(want), len(got))
	}
}
