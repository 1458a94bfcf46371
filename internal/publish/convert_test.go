package publish_test

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/blob"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/media/mediatest"
	"belfry/internal/network/sim"
)

// photos are pictures in formats that each network refuses, beside one that it accepts.
func (b *bench) photosToConvert(name string) []contract.Media {
	b.t.Helper()
	png, webp := b.ws.File("wide.png", mediatest.PNG(2400, 1800)), b.ws.File("wide.webp", mediatest.WebP(2400, 1800))
	return map[string][]contract.Media{
		"instagram": {png, webp, b.photo()}, "facebook": {webp, b.photo()}, "threads": {webp, b.photo()},
		"tiktok": {png, b.photo()},
	}[name]
}

func TestANetworkGetsJPEGsOfPicturesWhoseFormatItRefuses(t *testing.T) {
	for name, width := range map[string]int{"instagram": 1440, "facebook": 2400, "threads": 1440, "tiktok": 1440} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			files := b.photosToConvert(name)
			b.goesLive(b.post(request("made of others", now(), b.ws.Account(name)), files...))
			b.checkShownAsJPEG(files, width)
		})
	}
}

// Bytes that the connector sends are announced with their length, which is known once the JPEG is made.
func TestConvertedPicturesAreSentWithoutAPublicAddress(t *testing.T) {
	b := newBench(t)
	files := b.photosToConvert("facebook")
	p := b.post(request("made of others", now(), b.ws.Account("facebook")), files...)
	id, err := core.ParseID[core.PostKind](p.ID)
	must(t, err)
	worker := b.Replica(func(c *app.Config) { c.NetworksURL = "" })
	must(t, worker.Engine().PublishOrPrepare(b.Context(), "a worker", b.ws.ID, id))
	if p = b.ws.Post(p); p.Status != "live" {
		t.Fatalf("the post is %s: %+v", p.Status, p.Error)
	}
	b.checkShownAsJPEG(files, 2400)
}

// Photos that are uploaded again for a post that was armed before were announced with the largest size that they may
// have, so every retry failed.
func TestConvertedPicturesAreSentAgainForAPostThatWasRefused(t *testing.T) {
	b := newBench(t)
	files := b.photosToConvert("facebook")
	b.Fault(fault("facebook", "publish", "reject"))
	p := b.post(request("made of others", now(), b.ws.Account("facebook")), files...)
	id, err := core.ParseID[core.PostKind](p.ID)
	must(t, err)
	worker := b.Replica(func(c *app.Config) { c.NetworksURL = "" })
	work := func() {
		t.Helper()
		must(t, worker.Engine().PublishOrPrepare(b.Context(), "a worker", b.ws.ID, id))
		p = b.ws.Post(p)
	}
	work()
	b.Clock.Advance(3 * time.Minute)
	if work(); p.Status != "failed" {
		t.Fatalf("the refused post is %s", p.StatusLine)
	}
	b.Clock.Advance(25 * time.Hour) // Facebook deletes the photos
	b.ws.Retry(p)
	for range 3 {
		work()
		b.Clock.Advance(10 * time.Minute)
	}
	if p.Status != "live" {
		t.Fatalf("the post is %s: %+v", p.StatusLine, p.Error)
	}
	b.checkShownAsJPEG(files, 2400)
}

// checkShownAsJPEG checks that the network shows all files as JPEG, those that it accepts byte for byte.
func (b *bench) checkShownAsJPEG(files []contract.Media, width int) {
	b.t.Helper()
	shown := b.Sim.Posts.All()[0].Media
	if len(shown) != len(files) {
		b.t.Fatalf("%d files are shown", len(shown))
	}
	for i, m := range shown {
		switch {
		case m.Kind != sim.JPEG:
			b.t.Errorf("file %d is shown as %s", i, m.Kind)
		case files[i].Mime == "image/jpeg":
			if m.Bytes != files[i].Size {
				b.t.Errorf("a JPEG of %d bytes is shown with %d", files[i].Size, m.Bytes)
			}
		case m.Width != width || m.Height != width*3/4:
			b.t.Errorf("file %d is %d by %d", i, m.Width, m.Height)
		}
	}
}

// slowBlob is a store with an object that opens once release is closed.
type slowBlob struct {
	blob.Store
	key     string
	onAsk   func()
	release chan struct{}
}

func (s slowBlob) Open(ctx context.Context, key string) (blob.Object, error) {
	if key == s.key {
		s.onAsk()
		<-s.release
	}
	return s.Store.Open(ctx, key)
}

// The images of all posts are converted one after another. Posts that had to wait for longer than a call may take
// failed, and tried again later.
func TestAPostWaitsForItsTurnToConvertImages(t *testing.T) {
	for name, pushed := range map[string]bool{"facebook": true, "threads": false} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			account, files, first := b.ws.Account(name), b.photosToConvert(name), b.photosToConvert(name)[0]
			firstID, err := core.ParseID[core.MediaKind](first.ID)
			must(t, err)
			stored, err := b.Store.In(b.ws.ID).Media(t.Context(), firstID)
			must(t, err)
			asked := make(chan struct{})
			slow := slowBlob{
				key: stored.Blob, onAsk: sync.OnceFunc(func() { close(asked) }), release: make(chan struct{}),
			}
			worker := b.Replica(func(c *app.Config) {
				c.Schedule.Lease = time.Second
				slow.Store = c.Blobs
				c.Blobs = slow
				if pushed {
					c.NetworksURL = ""
				}
			})
			converted := make(chan error)
			go func() {
				object, err := worker.Intake().OpenOriginalOrMakeJPEG(t.Context(), stored, &core.Conversion{Width: 8, Height: 6, MaxBytes: 100_000})
				if err == nil {
					err = object.Close()
				}
				converted <- err
			}()
			<-asked
			p := b.post(request("waits", now(), account), files...)
			id, err := core.ParseID[core.PostKind](p.ID)
			must(t, err)
			b.exec(`UPDATE publications SET due_at = due_at - interval '2 hours'`) // for as long, no worker ran
			must(t, worker.Engine().PublishOrPrepare(b.Context(), "a worker", b.ws.ID, id))
			b.wants(b.ws.Post(p), "queued", 0, "created", "queued", "publishing")
			close(slow.release)
			must(t, <-converted)
			b.goesLive(p)
			b.wants(b.ws.Post(p), "live", 1, "created", "queued", "publishing", "live")
		})
	}
}

func TestAThumbnailIsConverted(t *testing.T) {
	b := newBench(t)
	in := request("With a cover", now(), b.ws.Account("youtube"))
	in.Title = "A ride"
	in.PerPlatform = map[string]json.RawMessage{"youtube": json.RawMessage(`{"useCoverAsThumbnail":true}`)}
	video := b.ws.File("clip.mp4", mediatest.MP4(mediatest.Movie{}))
	post := b.post(in, video, b.ws.File("cover.webp", mediatest.WebP(1280, 720)))
	b.goesLive(post)
	id, err := core.ParseID[core.PostKind](post.ID)
	must(t, err)
	if again, err := b.App.Engine().RunFinalStepOrAddNote(b.Context(), b.ws.ID, id, "thumbnail"); err != nil || again != 0 {
		t.Errorf("%v, %v", again, err)
	}
	if one := b.Sim.Posts.All()[0]; one.Extra["thumbnail"] == "" {
		t.Errorf("visible: %+v; events %+v", one, b.ws.Post(post))
	}
}
