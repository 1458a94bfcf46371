package app_test

import (
	"io"
	"slices"
	"strings"
	"testing"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/intake"
	"belfry/internal/media/mediatest"
)

// A post with many images was sent while others were converted, and the first had to be converted again.
func TestAnImageIsConvertedOnceForAllReplicas(t *testing.T) {
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
	replica := h.Replica(func(c *app.Config) { c.Decoder = intake.NewDecoder() })
	again, err := replica.Intake().OpenBytes(t.Context(), m, jpeg)
	must(t, err)
	want, err := io.ReadAll(first)
	must(t, err)
	got, err := io.ReadAll(again)
	must(t, err)
	if len(want) == 0 || string(got) != string(want) {
		t.Errorf("%d bytes and then %d", len(want), len(got))
	}
}

func TestDeletingAnImageDeletesTheJPEGsMadeOfIt(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	other := ws.File("other.png", mediatest.PNG(64, 48))
	file := ws.File("wide.png", mediatest.PNG(64, 48))
	for _, f := range []string{file.ID, other.ID} {
		id, err := core.ParseID[core.MediaKind](f)
		must(t, err)
		m, err := h.Store.In(ws.Owner.Workspace()).Media(t.Context(), id)
		must(t, err)
		for _, width := range []int{32, 16} {
			object, err := h.App.Intake().OpenBytes(t.Context(), m, &core.Conversion{Width: width, Height: 24, MaxBytes: 100_000})
			must(t, err)
			must(t, object.Close())
		}
	}
	if n := len(storedKeys(t, h.Config.Blobs)); n != 8 {
		t.Fatalf("%d objects are stored; want two files, each with a thumbnail and two JPEGs", n)
	}
	must(t, h.App.DeleteMedia(t.Context(), ws.Owner, file.ID))
	h.WorkDiscards()
	if n := len(storedKeys(t, h.Config.Blobs)); n != 4 {
		t.Errorf("%d objects are left; want 4", n)
	}
}

// What is sent matters to nobody as long as nothing can be sent.
func TestAPlanNamesConvertedImagesOnlyInRowsWithoutIssues(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	in := contract.PlanPosts{
		Targets:  contract.Targets{AccountIDs: []string{ws.Account("instagram").ID}},
		MediaIDs: []string{ws.File("a.png", mediatest.PNG(640, 640)).ID}, When: &contract.When{Word: "now"},
	}
	for text, want := range map[string]string{"short": "warning images_converted", strings.Repeat("x", 2201): "caption_too_long"} {
		in.Text = text
		plan, err := h.App.PlanPosts(t.Context(), ws.Owner, in)
		must(t, err)
		if got := codes(plan.Rows[0]); !slices.Equal(got, []string{want}) {
			t.Errorf("%q, want %s", got, want)
		}
	}
}
