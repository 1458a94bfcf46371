package networktest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/sim"
)

// shape is a kind of post with files, as small as its network accepts, or at one of its limits.
type shape struct {
	name, kind string
	plain      bool // at no limit
	media      []core.Media
}

// listShapes returns the kinds of posts with files that a network's limits describe. For every content type, there are
// the fewest and the most files, of one kind and mixed, and files at every limit. The network's check may refuse some
// of them.
func listShapes(d network.Description) []shape {
	var all []shape
	for kind, c := range d.Limits.ContentTypes {
		add := func(name string, media ...core.Media) {
			all = append(all, shape{kind + ", " + name, kind, false, media})
		}
		plain := func(name string, media ...core.Media) {
			all = append(all, shape{kind + ", " + name, kind, true, media})
		}
		var kinds []core.Media
		if c.Image != nil {
			small := Image(Size(320, 320)) // quick to encode
			kinds = append(kinds, small)
			for name, m := range listFilesAtLimits(small, *c.Image) {
				add(name, slices.Repeat([]core.Media{m}, c.Min)...)
			}
			for name, m := range listFilesToConvert(*c.Image) {
				add(name, slices.Repeat([]core.Media{m}, c.Min)...)
			}
		}
		if c.Video != nil {
			kinds = append(kinds, Video())
			for name, m := range listFilesAtLimits(Video(), *c.Video) {
				add(name, slices.Repeat([]core.Media{m}, c.Min)...)
			}
		}
		for _, m := range kinds {
			plain(fmt.Sprintf("%d of %s", c.Min, m.Mime), RepeatFile(c.Min, m)...)
			add(fmt.Sprintf("%d of %s", c.Max, m.Mime), RepeatFile(c.Max, m)...)
		}
		if len(kinds) == 2 {
			plain("image and video", kinds...)
			plain("video and image", kinds[1], kinds[0])
		}
	}
	return all
}

// listFilesAtLimits returns the file m changed to be at each of the limits.
func listFilesAtLimits(m core.Media, l core.FileLimits) map[string]core.Media {
	all := map[string]core.Media{}
	add := func(name string, on bool, c Change) {
		if on {
			all[name] = applyChanges(m, []Change{c})
		}
	}
	for _, format := range l.Formats {
		add(format, true, Mime(format))
	}
	for _, codec := range l.VideoCodecs {
		add(string(codec), true, Codecs(codec, core.CodecAAC))
	}
	add("without sound", m.Kind == core.FileVideo, Codecs(core.CodecH264, ""))
	add("loudest", l.AudioRate > 0, Sound(l.AudioRate, l.AudioChannels))
	add("heaviest", m.Kind == core.FileImage && l.Bytes > 0, Bytes(l.Bytes))
	add("narrowest", l.MinRatio > 0, withRatio(l, l.MinRatio*1.001))
	add("widest", l.MaxRatio > 0, withRatio(l, l.MaxRatio*0.999))
	add("smallest", l.MinWidth > 0, Size(l.MinWidth, l.MinHeight))
	add("largest", l.MaxWidth > 0, Size(l.MaxWidth, l.MaxWidth*9/16))
	add("shortest", m.Kind == core.FileVideo, Duration(max(l.MinDurationMs, 100)))
	add("longest", l.MaxDurationMs > 0, Duration(l.MaxDurationMs))
	add("slowest", l.MinFPS > 0, FPS(l.MinFPS))
	add("fastest", l.MaxFPS > 0, FPS(l.MaxFPS))
	return all
}

// listFilesToConvert returns images that must be sent as JPEG, because the network does not accept their format.
func listFilesToConvert(l core.FileLimits) map[string]core.Media {
	all := map[string]core.Media{}
	for _, format := range core.ConvertibleFormats {
		m := Image(Mime(format), Size(2000, 1600), Convertible())
		if l.ConversionOrNil(m.FileFacts) != nil {
			all["converted from "+format] = m
		}
	}
	return all
}

// withRatio sets the width-to-height ratio, with the smallest sides that the limits allow.
func withRatio(l core.FileLimits, r float64) Change {
	side := float64(max(l.MinWidth, l.MinHeight, 100))
	if r < 1 {
		return Size(int(side), int(side/r))
	}
	return Size(int(side*r), int(side))
}

// newPublishableDraft returns a draft of the shape. ok is false if the check refuses it, or if the network cannot get
// its files.
func (s shape) newPublishableDraft(r network.Network, h Harness) (d network.Draft, ok bool) {
	d = network.Draft{Text: text, Title: h.Simplest.Title, Media: s.media, Settings: json.RawMessage(`{}`)}
	for _, f := range r.Describe().Fields {
		if slices.ContainsFunc(f.Choices, func(c network.Choice) bool { return c.Value == s.kind }) {
			d.Settings = json.RawMessage(fmt.Sprintf(`{%q: %q}`, f.Name, s.kind))
		}
	}
	issues, _ := r.CheckDraft(d)
	if len(issues) == 1 && issues[0].Code == core.IssueTextNotAllowed.Code {
		d.Text = ""
		issues, _ = r.CheckDraft(d)
	}
	if h.hidden && r.DeliveryFor(d).Files == network.Pulled {
		return d, false
	}
	return d, len(issues) == 0 && !slices.Contains(h.Unfinished, s.kind)
}

// isPushed reports whether the connector sends the files of a draft.
func isPushed(n network.Network, h Harness, d network.Draft) bool {
	files := n.DeliveryFor(d).Files
	return files == network.Pushed || files == network.Either && h.hidden
}

// newItemFromDraft returns an item with the content of a draft and real files.
func (w *World) newItemFromDraft(d network.Draft) network.Item {
	w.t.Helper()
	it := w.NewItem(d.Text)
	it.Title, it.Settings, it.Files = d.Title, d.Settings, w.NewFiles(d.Media...)
	for i, jpeg := range network.ConversionForEachFile(w.Net, d) {
		if jpeg != nil {
			it.Files[i] = w.convertFile(it.Files[i], *jpeg)
		}
	}
	if issues, _ := w.Net.CheckDraft(it.DraftWithoutAccount()); len(issues) != 0 {
		w.t.Fatalf("the generated files do not match the draft: %+v", issues)
	}
	return it
}

// hashFiles returns the hashes of an item's files, in order.
func (w *World) hashFiles(it network.Item) []string {
	var all []string
	for _, f := range it.Files {
		all = append(all, w.hashFile(f))
	}
	return all
}

// checkOnlyVisiblePostIs checks that the item is the only visible post and has its files in their order, and that the
// worker has the post's id.
func (w *World) checkOnlyVisiblePostIs(it network.Item, k *Worker) {
	w.t.Helper()
	one := w.requireOnePost(it.Text)
	if k.ID != one.ID && (k.ID != "" || !k.mayLackID) || k.URL != "" && k.URL != one.URL {
		w.t.Errorf("the worker has the id %q and the address %q for the post %+v", k.ID, k.URL, one)
	}
	var sums []string
	for _, m := range one.Media {
		sums = append(sums, m.SHA256)
	}
	if want := w.hashFiles(it); !slices.Equal(want, sums) {
		w.t.Errorf("want the files %v, but the post has %v", want, sums)
	}
}

// testFilesAtLimits tests that the network accepts whatever the check allows, and shows the same bytes.
func testFilesAtLimits(t *testing.T, h Harness) {
	rules := NewWorld(t, h).Net
	taken := map[string]bool{}
	for _, s := range listShapes(rules.Describe()) {
		d, ok := s.newPublishableDraft(rules, h)
		if !ok {
			continue
		}
		taken[s.kind] = true
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			w := NewWorld(t, h)
			it := w.newItemFromDraft(d)
			k := w.NewWorker(it)
			if do := k.Run(); do != core.DoLive {
				t.Fatalf("ended with %s after %v: %v", do, k.calls, k.failed)
			}
			w.checkOnlyVisiblePostIs(it, k)
			link, err := w.Net.FetchLink(t.Context(), k.it, k.ID)
			if err != nil {
				t.Fatalf("no link to %q: %v", k.ID, err)
			}
			if status := w.fetchStatus(w.Client.BrowserURL(link)); status != http.StatusOK {
				t.Errorf("the post's page has status %d", status)
			}
		})
	}
	for kind, c := range rules.Describe().Limits.ContentTypes {
		if c.Max > 0 && !taken[kind] && !slices.Contains(h.Unfinished, kind) && !h.hidden {
			t.Errorf("no %s was accepted", kind)
		}
	}
	if h.hidden && len(taken) == 0 {
		t.Error("no post was accepted")
	}
}

// testLostCalls loses each call of a post with files once, before or after it takes effect, with and without a crash
// of the worker. The post must never be published twice, and may be given up only if nothing shows what happened to the
// irreversible call.
func testLostCalls(t *testing.T, h Harness) {
	rules := NewWorld(t, h).Net
	for _, s := range listShapes(rules.Describe()) {
		d, ok := s.newPublishableDraft(rules, h)
		if !ok || !s.plain || len(d.Media) > 2 {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			w := NewWorld(t, h)
			k := w.NewWorker(w.newItemFromDraft(d))
			w.StartRecording()
			if do := k.Run(); do != core.DoLive {
				t.Fatalf("ended with %s after %v: %v", do, k.calls, k.failed)
			}
			calls := w.RecordedSteps()
			for n, do := range calls {
				unknowable := !k.pub.Flow.CanRepeatCall() && do == core.DoPublish
				for i := range 4 {
					arrives, crash := i&1 != 0, i&2 != 0
					name := fmt.Sprintf("call %d of %d for %s, arrives %v, crash %v", n+1, len(calls), do, arrives, crash)
					t.Run(name, func(t *testing.T) {
						t.Parallel()
						testLostCall(t, h, d, n+1, arrives, crash, unknowable)
					})
				}
			}
		})
	}
}

// testLostCall loses the nth call. With unknowable, nothing can show what happened to this call.
func testLostCall(t *testing.T, h Harness, d network.Draft, n int, arrives, crash, unknowable bool) {
	w := NewWorld(t, h)
	it := w.newItemFromDraft(d)
	w.LoseRequest(n, arrives)
	k := w.NewWorker(it)
	k.crash, k.mayLackID = crash, h.NoSearchWithoutText && it.Text == ""
	do := k.Run()
	switch {
	case unknowable && !arrives:
		if do != core.DoOutcomeUnknown || len(w.VisiblePosts()) != 0 {
			t.Fatalf("want unknown and nothing visible, got %s and %v", do, w.VisiblePosts())
		}
		return
	case do != core.DoLive:
		t.Fatalf("ended with %s after %v: %v", do, k.calls, k.failed)
	}
	w.checkOnlyVisiblePostIs(it, k)
	if one := w.VisiblePosts()[0]; arrives && one.PublishCalls != 1 {
		t.Errorf("%d publishing calls for a post that was already published: %v", one.PublishCalls, k.calls)
	}
}

// testSlowProcessing tests a network that takes minutes to process files: the publishing call is not repeated while the
// network processes them, even if its response was lost.
func testSlowProcessing(t *testing.T, h Harness) {
	rules := NewWorld(t, h).Net
	for _, s := range listShapes(rules.Describe()) {
		d, ok := s.newPublishableDraft(rules, h)
		if !ok || !s.plain {
			continue
		}
		for _, fault := range []string{"", sim.DropAfterAccept, sim.TruncatedJSON, sim.ServerError} {
			t.Run(s.name+" "+fault, func(t *testing.T) {
				t.Parallel()
				w := NewWorld(t, h)
				if err := w.Kit.SetOption(string(rules.Describe().ID)+".process_seconds", "600"); err != nil {
					t.Fatal(err)
				}
				if fault != "" {
					w.AddFault(sim.Fault{Call: "publish", Kind: fault, Accept: true})
				}
				it := w.newItemFromDraft(d)
				k := w.NewWorker(it)
				k.mayLackID = fault != "" && h.NoSearchWithoutText && it.Text == ""
				if do := k.Run(); do != core.DoLive {
					t.Fatalf("ended with %s after %v: %v", do, k.calls, k.failed)
				}
				w.checkOnlyVisiblePostIs(it, k)
				if one := w.VisiblePosts()[0]; one.PublishCalls != 1 {
					t.Errorf("%d publishing calls: %v", one.PublishCalls, k.calls)
				}
			})
		}
	}
}

// testUnfetchableFiles tests that posts whose files the network cannot fetch fail with a message and are not visible.
func testUnfetchableFiles(t *testing.T, h Harness) {
	rules := NewWorld(t, h).Net
	for _, s := range listShapes(rules.Describe()) {
		d, ok := s.newPublishableDraft(rules, h)
		if !ok || !s.plain || isPushed(rules, h, d) {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			w := NewWorld(t, h)
			it := w.newItemFromDraft(d)
			w.AddFault(sim.Fault{Call: sim.CallFetch, Kind: sim.ServerError, Times: new(0)})
			k := w.NewWorker(it)
			if do := k.Run(); do != core.DoFail || len(w.VisiblePosts()) != 0 {
				t.Fatalf("ended with %s after %v, visible: %v", do, k.calls, w.VisiblePosts())
			}
			if k.failed == nil && k.said == "" {
				t.Error("no message gives the reason")
			}
			w.Kit.Faults.Clear()
			w.AddFault(sim.Fault{Call: sim.CallFetch, Kind: sim.ServerError})
			k = w.NewWorker(it)
			if do := k.Run(); do == core.DoLive {
				w.checkOnlyVisiblePostIs(it, k)
			}
		})
	}
}

// testUnreadableFiles tests that posts whose files the connector cannot read fail and are not visible. A post whose
// files can be read later goes live.
func testUnreadableFiles(t *testing.T, h Harness) {
	rules := NewWorld(t, h).Net
	for _, s := range listShapes(rules.Describe()) {
		d, ok := s.newPublishableDraft(rules, h)
		if !ok || !s.plain || !isPushed(rules, h, d) {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			w := NewWorld(t, h)
			it := w.newItemFromDraft(d)
			left := -1
			for i, f := range it.Files {
				it.Files[i].Open = func(ctx context.Context) (io.ReadSeekCloser, error) {
					if left != 0 {
						left--
						return nil, errors.New("the file cannot be read")
					}
					return f.Open(ctx)
				}
			}
			if do := w.NewWorker(it).Run(); do != core.DoFail || len(w.VisiblePosts()) != 0 {
				t.Fatalf("ended with %s, visible: %v", do, w.VisiblePosts())
			}
			left = 1
			k := w.NewWorker(it)
			if do := k.Run(); do != core.DoLive {
				t.Fatalf("ended with %s after %v: %v", do, k.calls, k.failed)
			}
			w.checkOnlyVisiblePostIs(it, k)
		})
	}
}

// testInterruptedUpload interrupts an upload several times. It checks that each call continues where the last one was
// interrupted, so that no byte arrives twice.
func testInterruptedUpload(t *testing.T, h Harness) {
	rules := NewWorld(t, h).Net
	for _, s := range listShapes(rules.Describe()) {
		d, ok := s.newPublishableDraft(rules, h)
		if !ok || !s.plain || d.Media[0].Kind != core.FileVideo {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			w := NewWorld(t, h)
			it := w.newItemFromDraft(d)
			it.Files[0] = padFile(it.Files[0], 4<<20)
			size := it.Files[0].Bytes
			const breaks = 3
			left, open := breaks, it.Files[0].Open
			it.Files[0].Open = func(ctx context.Context) (io.ReadSeekCloser, error) {
				file, err := open(ctx)
				if left == 0 {
					return file, err
				}
				left--
				return &brokenFile{file, size / (breaks + 1)}, err
			}
			k := w.NewWorker(it)
			if do := k.Run(); do != core.DoLive {
				t.Fatalf("ended with %s after %v: %v", do, k.calls, k.failed)
			}
			if got := w.received.Load(); left != 0 || got < size || got > size+slack {
				t.Errorf("the network received %d of %d bytes, and %d breaks are left", got, size, left)
			}
			w.checkOnlyVisiblePostIs(it, k)
		})
	}
}

// slack is more than all other request bodies together.
const slack = 256 << 10

// brokenFile returns an error after a number of bytes.
type brokenFile struct {
	io.ReadSeekCloser
	left int64
}

func (f *brokenFile) Read(p []byte) (int, error) {
	if f.left <= 0 {
		return 0, errors.New("the file ends early")
	}
	n, err := f.ReadSeekCloser.Read(p[:min(int64(len(p)), f.left)])
	f.left -= int64(n)
	return n, err
}

// testPreparation tests that nothing is visible before the arm, and that a post that was prepared ahead goes live once,
// at its time.
func testPreparation(t *testing.T, h Harness) {
	rules := NewWorld(t, h).Net
	for _, s := range append(listShapes(rules.Describe()), shape{name: "the simplest", plain: true, media: h.Simplest.Media}) {
		d, ok := s.newPublishableDraft(rules, h)
		if !ok || !s.plain {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			w := NewWorld(t, h)
			it := w.newItemFromDraft(d)
			k := w.NewWorker(it)
			k.early = true
			do := core.DoPoll
			for n := 0; n < limitClaims && do != core.DoAwait; n++ {
				do = k.runClaim()
				w.refuseGateWaitsAndWaitIdle()
				w.Advance(time.Minute)
			}
			if do != core.DoAwait || slices.Contains(k.calls, core.DoPublish) {
				t.Fatalf("before the publishing time: ended with %s after %v: %v", do, k.calls, k.failed)
			}
			w.Advance(rules.DeliveryFor(d).Ahead)
			if all := w.VisiblePosts(); len(all) != 0 {
				t.Fatalf("visible before the publishing time: %v", all)
			}
			k.early = false
			if do := k.Run(); do != core.DoLive {
				t.Fatalf("ended with %s after %v: %v", do, k.calls, k.failed)
			}
			w.checkOnlyVisiblePostIs(it, k)
		})
	}
}
