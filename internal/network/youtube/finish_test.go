package youtube_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	nt "belfry/internal/network/networktest"
	"belfry/internal/network/sim"
	"belfry/internal/network/youtube/youtubesim"
)

// finishing publishes a video whose settings have final steps.
func finishing(t *testing.T, block string, consent ...string) (*nt.World, network.Finisher, network.Item, string) {
	t.Helper()
	h := harness()
	if len(consent) > 0 {
		h.Consent = map[string][]string{"channel": consent}
	}
	w := nt.NewWorld(t, h)
	it := w.NewItem("A film")
	playlist := "PL" + strings.TrimPrefix(it.Profile, "UC")
	it.Settings = json.RawMessage(strings.ReplaceAll(block, "<playlist>", playlist))
	if strings.Contains(block, "Thumbnail") {
		it.Files = append(it.Files, w.NewFile(nt.Image()))
	}
	k := w.NewWorker(it)
	if do := k.Run(); do != core.DoLive {
		t.Fatalf("ended with %s", do)
	}
	f, ok := w.Net.(network.Finisher)
	if !ok {
		t.Fatal("nothing follows")
	}
	return w, f, it, k.ID
}

func TestTheCoverBecomesTheThumbnail(t *testing.T) {
	t.Parallel()
	w, f, it, id := finishing(t, `{"useCoverAsThumbnail":true}`)
	if steps := f.ListFinalSteps(it.DraftWithoutAccount()); !slices.Equal(steps, []string{"visibility", "thumbnail"}) {
		t.Errorf("steps %v", steps)
	}
	for range 2 {
		if err := f.RunFinalStep(t.Context(), it, id, "thumbnail"); err != nil {
			t.Fatal(err)
		}
	}
	if sum := w.VisiblePosts()[0].Extra["thumbnail"]; sum == "" || sum == w.VisiblePosts()[0].Media[0].SHA256 {
		t.Errorf("the thumbnail is %q", sum)
	}
	it.Files[1].PurgedAt = w.Now()
	w.CheckError(f.RunFinalStep(t.Context(), it, id, "thumbnail"), network.Rejected)
}

func TestAVideoThatIsNotFoundYetGetsItsThumbnailLater(t *testing.T) {
	t.Parallel()
	w, f, it, id := finishing(t, `{"useCoverAsThumbnail":true}`)
	w.AddFault(sim.Fault{Call: "thumbnail", Kind: sim.Error, Reason: "videoNotFound", Status: 404})
	w.CheckError(f.RunFinalStep(t.Context(), it, id, "thumbnail"), network.Transient)
	w.CheckError(f.RunFinalStep(t.Context(), it, "unlisted", "thumbnail"), network.Transient)
}

// A Short that is not processed yet would not keep its thumbnail.
func TestAThumbnailWaitsForProcessing(t *testing.T) {
	t.Parallel()
	w, f, it, id := finishing(t, `{"useCoverAsThumbnail":true}`)
	if err := w.Kit.SetOption(youtubesim.OptProcess, "7200"); err != nil {
		t.Fatal(err)
	}
	w.CheckError(f.RunFinalStep(t.Context(), it, id, "thumbnail"), network.Transient)
	if err := w.Kit.SetOption(youtubesim.OptProcess, "0"); err != nil {
		t.Fatal(err)
	}
	if err := f.RunFinalStep(t.Context(), it, id, "thumbnail"); err != nil {
		t.Error(err)
	}
}

func TestAChannelThatIsNotVerifiedHasNoThumbnails(t *testing.T) {
	t.Parallel()
	w, f, it, id := finishing(t, `{"useCoverAsThumbnail":true}`, "UCk3J9sBxQwZ1a2260417798")
	if e := w.RequireError(f.RunFinalStep(t.Context(), it, id, "thumbnail"), network.Rejected); !strings.Contains(e.Message, "permissions") {
		t.Errorf("got %+v", e)
	}
}

// entries returns how often the video is in its playlist.
func entries(t *testing.T, w *nt.World) (n int) {
	t.Helper()
	for _, call := range w.Kit.Calls.ListLast(0) {
		if call.Call == "playlist" && call.Status == 200 {
			n++
		}
	}
	return n
}

// Finishing twice leaves one entry, also when the answer to the first was lost.
func TestAVideoIsInItsPlaylistOnce(t *testing.T) {
	t.Parallel()
	w, f, it, id := finishing(t, `{"playlistId":"<playlist>"}`)
	w.AddFault(sim.Fault{Call: "playlist", Kind: sim.DropAfterAccept})
	w.CheckError(f.RunFinalStep(t.Context(), it, id, "playlist"), network.Unknown)
	for range 2 {
		if err := f.RunFinalStep(t.Context(), it, id, "playlist"); err != nil {
			t.Fatal(err)
		}
	}
	if n := entries(t, w); n != 0 {
		t.Errorf("%d more entries", n)
	}
}

func TestWhatAPlaylistRefuses(t *testing.T) {
	t.Parallel()
	w, f, it, id := finishing(t, `{"playlistId":"<playlist>"}`)
	w.AddFault(sim.Fault{Call: "playlist", Kind: sim.Error, Reason: "videoNotFound", Status: 404})
	w.CheckError(f.RunFinalStep(t.Context(), it, id, "playlist"), network.Transient)
	w.AddFault(sim.Fault{Call: "playlist", Kind: sim.Error, Reason: "playlistContainsMaximumNumberOfVideos", Status: 403})
	w.CheckError(f.RunFinalStep(t.Context(), it, id, "playlist"), network.Rejected)
	w.AddFault(sim.Fault{Call: "playlist", Kind: sim.Error, Reason: "videoAlreadyInPlaylist", Status: 409})
	if err := f.RunFinalStep(t.Context(), it, id, "playlist"); err != nil {
		t.Error(err)
	}
	it.Settings = json.RawMessage(`{"playlistId":"PLnobodys"}`)
	w.CheckError(f.RunFinalStep(t.Context(), it, id, "playlist"), network.Rejected)
}

func TestAnotherVisibilityThanAskedForIsSaid(t *testing.T) {
	t.Parallel()
	w, f, it, id := finishing(t, `{"visibility":"unlisted"}`)
	if err := f.RunFinalStep(t.Context(), it, id, "visibility"); err != nil {
		t.Error(err)
	}
	it.Settings = json.RawMessage(`{}`)
	if e := w.RequireError(f.RunFinalStep(t.Context(), it, id, "visibility"), network.Rejected); e.Message != "The video is unlisted." {
		t.Errorf("got %+v", e)
	}
	w.Advance(2 * time.Hour)
	w.CheckError(f.RunFinalStep(t.Context(), it, id, "visibility"), network.Lapsed, it.Token.Access)
}

// A job of another version of Belfry can have a step that this version does not know. The step counted as done.
func TestAnUnknownFinalStepIsNotDone(t *testing.T) {
	t.Parallel()
	w, f, it, id := finishing(t, `{}`)
	w.CheckError(f.RunFinalStep(t.Context(), it, id, "chapters"), network.Transient)
	for step, want := range map[string]string{
		"visibility": "set the visibility", "thumbnail": "set the thumbnail", "playlist": "add the video to the playlist",
		"chapters": "complete the step chapters",
	} {
		if got := f.FinalStepInWords(step); got != want {
			t.Errorf("%s in words is %q, want %q", step, got, want)
		}
	}
}
