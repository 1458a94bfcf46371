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
	plain      bool // at no bound
	media      []core.Media
}

// shapes are the posts with files that a network's limits speak of: of every content type the fewest and the
// most files, of one kind and mixed, and files at every bound. Not all are taken: the check decides.
func shapes(d network.Description) []shape {
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
			small := Image(Size(320, 320)) // soon encoded
			kinds = append(kinds, small)
			for name, m := range bounds(small, *c.Image) {
				add(name, slices.Repeat([]core.Media{m}, c.Min)...)
			}
		}
		if c.Video != nil {
			kinds = append(kinds, Video())
			for name, m := range bounds(Video(), *c.Video) {
				add(name, slices.Repeat([]core.Media{m}, c.Min)...)
			}
		}
		for _, m := range kinds {
			plain(fmt.Sprintf("%d of %s", c.Min, m.Mime), Files(c.Min, m)...)
			add(fmt.Sprintf("%d of %s", c.Max, m.Mime), Files(c.Max, m)...)
		}
		if len(kinds) == 2 {
			plain("image and video", kinds...)
			plain("video and image", kinds[1], kinds[0])
		}
	}
	return all
}

// bounds are files at each bound of the limits; m is one that has none of them.
func bounds(m core.Media, l core.FileLimits) map[string]core.Media {
	all := map[string]core.Media{}
	add := func(name string, on bool, c Change) {
		if on {
			all[name] = changed(m, []Change{c})
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
	add("narrowest", l.MinRatio > 0, ratio(l, l.MinRatio*1.001))
	add("widest", l.MaxRatio > 0, ratio(l, l.MaxRatio*0.999))
	add("smallest", l.MinWidth > 0, Size(l.MinWidth, l.MinHeight))
	add("largest", l.MaxWidth > 0, Size(l.MaxWidth, l.MaxWidth*9/16))
	add("shortest", m.Kind == core.FileVideo, Lasting(max(l.MinDurationMs, 100)))
	add("longest", l.MaxDurationMs > 0, Lasting(l.MaxDurationMs))
	add("slowest", l.MinFPS > 0, FPS(l.MinFPS))
	add("fastest", l.MaxFPS > 0, FPS(l.MaxFPS))
	return all
}

// ratio makes the picture of a width to height, as small as the limits allow.
func ratio(l core.FileLimits, r float64) Change {
	side := float64(max(l.MinWidth, l.MinHeight, 100))
	if r < 1 {
		return Size(int(side), int(side/r))
	}
	return Size(int(side*r), int(side))
}

// draft is a post of the shape in the words that its kind takes; ok reports whether the check lets it pass, and whether
// its files can get to the network.
func (s shape) draft(r network.Network, h Harness) (d network.Draft, ok bool) {
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

// pushes reports whether the connector sends the files of a draft.
func pushes(n network.Network, h Harness, d network.Draft) bool {
	files := n.DeliveryFor(d).Files
	return files == network.Pushed || files == network.Either && h.hidden
}

// post is a draft with real files on its way out.
func (w *World) post(d network.Draft) network.Item {
	w.t.Helper()
	it := w.Item(d.Text)
	it.Title, it.Settings, it.Files = d.Title, d.Settings, w.Files(d.Media...)
	if issues, _ := w.Net.CheckDraft(it.Draft()); len(issues) != 0 {
		w.t.Fatalf("the files made are others than were asked for: %+v", issues)
	}
	return it
}

// sums are of the files of an item, in order.
func (w *World) sums(it network.Item) []string {
	var all []string
	for _, f := range it.Files {
		all = append(all, w.sum(f))
	}
	return all
}

// shown checks that the item is the one visible post, with its very files in its order, and that the worker
// knows which it is.
func (w *World) shown(it network.Item, k *Worker) {
	w.t.Helper()
	one := w.exactlyOne(it.Text)
	if k.ID != one.ID || k.URL != "" && k.URL != one.URL {
		w.t.Errorf("bound %q at %q to %+v", k.ID, k.URL, one)
	}
	var sums []string
	for _, m := range one.Media {
		sums = append(sums, m.SHA256)
	}
	if want := w.sums(it); !slices.Equal(want, sums) {
		w.t.Errorf("want the files %v, the post has %v", want, sums)
	}
}

// publishesFiles: whatever the check lets pass, the network takes, and shows the very bytes.
func publishesFiles(t *testing.T, h Harness) {
	rules := NewWorld(t, h).Net
	taken := map[string]bool{}
	for _, s := range shapes(rules.Describe()) {
		d, ok := s.draft(rules, h)
		if !ok {
			continue
		}
		taken[s.kind] = true
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			w := NewWorld(t, h)
			it := w.post(d)
			k := w.Publish(it)
			if do := k.Run(); do != core.DoLive {
				t.Fatalf("ended with %s after %v: %v", do, k.calls, k.failed)
			}
			w.shown(it, k)
			link, err := w.Net.FetchLink(t.Context(), k.it, k.ID)
			if err != nil {
				t.Fatalf("no link to %q: %v", k.ID, err)
			}
			if status := w.open(w.Client.BrowserURL(link)); status != http.StatusOK {
				t.Errorf("the page of the post answers %d", status)
			}
		})
	}
	for kind, c := range rules.Describe().Limits.ContentTypes {
		if c.Max > 0 && !taken[kind] && !slices.Contains(h.Unfinished, kind) && !h.hidden {
			t.Errorf("no %s was taken", kind)
		}
	}
	if h.hidden && len(taken) == 0 {
		t.Error("nothing was taken")
	}
}

// filesSurviveLoss loses each call of a post with files once, before it arrives and after, and has the worker
// survive that or die in that call: the post is never there twice, and is given up only where the irreversible
// call itself leaves no trace.
func filesSurviveLoss(t *testing.T, h Harness) {
	rules := NewWorld(t, h).Net
	for _, s := range shapes(rules.Describe()) {
		d, ok := s.draft(rules, h)
		if !ok || !s.plain || len(d.Media) > 2 {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			w := NewWorld(t, h)
			k := w.Publish(w.post(d))
			w.Watch()
			if do := k.Run(); do != core.DoLive {
				t.Fatalf("ended with %s after %v: %v", do, k.calls, k.failed)
			}
			calls := w.Watched()
			for n, do := range calls {
				only := !k.pub.Flow.IsRepeatable() && do == core.DoPublish
				for i := range 4 {
					arrives, crash := i&1 != 0, i&2 != 0
					name := fmt.Sprintf("call %d of %d for %s, arrives %v, crash %v", n+1, len(calls), do, arrives, crash)
					t.Run(name, func(t *testing.T) {
						t.Parallel()
						losesOne(t, h, d, n+1, arrives, crash, only)
					})
				}
			}
		})
	}
}

// losesOne loses the nth call; only tells that it is the one call that nothing can tell about.
func losesOne(t *testing.T, h Harness, d network.Draft, n int, arrives, crash, only bool) {
	w := NewWorld(t, h)
	it := w.post(d)
	w.Lose(n, arrives)
	k := w.Publish(it)
	k.crash = crash
	do := k.Run()
	switch {
	case only && !arrives:
		if do != core.DoOutcomeUnknown || len(w.Visible()) != 0 {
			t.Fatalf("want unknown and nothing visible, got %s and %v", do, w.Visible())
		}
		return
	case do != core.DoLive:
		t.Fatalf("ended with %s after %v: %v", do, k.calls, k.failed)
	}
	w.shown(it, k)
	if one := w.Visible()[0]; arrives && one.PublishCalls != 1 {
		t.Errorf("what had arrived was called for %d times: %v", one.PublishCalls, k.calls)
	}
}

// filesTakeTime: a network that processes files for minutes is waited for, and what it has taken and does not
// show yet is not called for again, be the answer lost or not.
func filesTakeTime(t *testing.T, h Harness) {
	rules := NewWorld(t, h).Net
	for _, s := range shapes(rules.Describe()) {
		d, ok := s.draft(rules, h)
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
					w.Fault(sim.Fault{Call: "publish", Kind: fault, Accept: true})
				}
				it := w.post(d)
				k := w.Publish(it)
				if do := k.Run(); do != core.DoLive {
					t.Fatalf("ended with %s after %v: %v", do, k.calls, k.failed)
				}
				w.shown(it, k)
				if one := w.Visible()[0]; one.PublishCalls != 1 {
					t.Errorf("it was called for %d times by %v", one.PublishCalls, k.calls)
				}
			})
		}
	}
}

// filesThatCannotBeFetched fail with the network's words, and nothing is visible. Nobody fetches what is pushed.
func filesThatCannotBeFetched(t *testing.T, h Harness) {
	rules := NewWorld(t, h).Net
	for _, s := range shapes(rules.Describe()) {
		d, ok := s.draft(rules, h)
		if !ok || !s.plain || pushes(rules, h, d) {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			w := NewWorld(t, h)
			it := w.post(d)
			w.Fault(sim.Fault{Call: sim.CallFetch, Kind: sim.ServerError, Times: new(0)})
			k := w.Publish(it)
			if do := k.Run(); do != core.DoFail || len(w.Visible()) != 0 {
				t.Fatalf("ended with %s after %v, visible: %v", do, k.calls, w.Visible())
			}
			if k.failed == nil && k.said == "" {
				t.Error("nobody says why")
			}
			w.Kit.Faults.Clear()
			w.Fault(sim.Fault{Call: sim.CallFetch, Kind: sim.ServerError})
			k = w.Publish(it)
			if do := k.Run(); do == core.DoLive {
				w.shown(it, k)
			}
		})
	}
}

// filesThatCannotBeRead by the connector that sends them fail, and nothing is visible; what can be read later goes
// live.
func filesThatCannotBeRead(t *testing.T, h Harness) {
	rules := NewWorld(t, h).Net
	for _, s := range shapes(rules.Describe()) {
		d, ok := s.draft(rules, h)
		if !ok || !s.plain || !pushes(rules, h, d) {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			w := NewWorld(t, h)
			it := w.post(d)
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
			if do := w.Publish(it).Run(); do != core.DoFail || len(w.Visible()) != 0 {
				t.Fatalf("ended with %s, visible: %v", do, w.Visible())
			}
			left = 1
			k := w.Publish(it)
			if do := k.Run(); do != core.DoLive {
				t.Fatalf("ended with %s after %v: %v", do, k.calls, k.failed)
			}
			w.shown(it, k)
		})
	}
}

// resumesUploads breaks off the file each time after a part of it, and expects that the rest of it is sent, from where
// it broke off: not a byte arrives twice.
func resumesUploads(t *testing.T, h Harness) {
	rules := NewWorld(t, h).Net
	for _, s := range shapes(rules.Describe()) {
		d, ok := s.draft(rules, h)
		if !ok || !s.plain || d.Media[0].Kind != core.FileVideo {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			w := NewWorld(t, h)
			it := w.post(d)
			it.Files[0] = padded(it.Files[0], 4<<20)
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
			k := w.Publish(it)
			if do := k.Run(); do != core.DoLive {
				t.Fatalf("ended with %s after %v: %v", do, k.calls, k.failed)
			}
			if got := w.received.Load(); left != 0 || got < size || got > size+slack {
				t.Errorf("for a file of %d bytes %d arrived, and %d breaks are left", size, got, left)
			}
			w.shown(it, k)
		})
	}
}

// slack is more than all other bodies of requests together.
const slack = 256 << 10

// brokenFile breaks off after a number of bytes.
type brokenFile struct {
	io.ReadSeekCloser
	left int64
}

func (f *brokenFile) Read(p []byte) (int, error) {
	if f.left <= 0 {
		return 0, errors.New("the file breaks off")
	}
	n, err := f.ReadSeekCloser.Read(p[:min(int64(len(p)), f.left)])
	f.left -= int64(n)
	return n, err
}

// preparesInvisibly: whatever precedes the arm shows nothing, also when the post is given up then, and a post that was
// prepared ahead goes live once at its time.
func preparesInvisibly(t *testing.T, h Harness) {
	rules := NewWorld(t, h).Net
	for _, s := range append(shapes(rules.Describe()), shape{name: "the simplest", plain: true, media: h.Simplest.Media}) {
		d, ok := s.draft(rules, h)
		if !ok || !s.plain {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			w := NewWorld(t, h)
			it := w.post(d)
			k := w.Publish(it)
			k.early = true
			do := core.DoPoll
			for n := 0; n < limitClaims && do != core.DoAwait; n++ {
				do = k.claim()
				w.rest()
				w.Advance(time.Minute)
			}
			if do != core.DoAwait || slices.Contains(k.calls, core.DoPublish) {
				t.Fatalf("before the time it ended with %s after %v: %v", do, k.calls, k.failed)
			}
			w.Advance(rules.DeliveryFor(d).Ahead)
			if all := w.Visible(); len(all) != 0 {
				t.Fatalf("visible before the time: %v", all)
			}
			k.early = false
			if do := k.Run(); do != core.DoLive {
				t.Fatalf("ended with %s after %v: %v", do, k.calls, k.failed)
			}
			w.shown(it, k)
		})
	}
}
