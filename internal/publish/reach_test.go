package publish_test

import (
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/media/mediatest"
)

// A server can lose its public address after a post was queued. The post then fails at once, in words that help.
func TestAPostWhoseFilesCannotBeDownloadedFailsUnsent(t *testing.T) {
	b := newBench(t)
	p := b.post(request("a", now(), b.ws.Account("threads")), b.photo())
	id, err := core.ParseID[core.PostKind](p.ID)
	must(t, err)
	worker := b.Replica(func(c *app.Config) { c.NetworksURL = "" })
	calls := len(b.Sim.Calls.ListLast(0))
	must(t, worker.Engine().PublishOrPrepare(b.Context(), "a worker", b.ws.ID, id))
	p = b.ws.Post(p)
	if p.Status != "failed" || p.Error.Code != "media_unreachable" || p.Error.Hint == nil {
		t.Errorf("the post is %s: %+v", p.Status, p.Error)
	}
	if n := len(b.Sim.Calls.ListLast(0)) - calls; n != 0 {
		t.Errorf("the network was called %d times", n)
	}
	if p = b.after(time.Hour, p); p.Status != "failed" || p.Attempts != 1 {
		t.Errorf("it was tried again: %s after %d", p.Status, p.Attempts)
	}
	_, err = b.App.RetryPost(b.Context(), b.ws.Owner, contract.RetryPost{ID: p.ID})
	must(t, err)
	b.goesLive(b.ws.Post(p)) // once the server has an address again
}

// Where the network takes bytes too, the post goes live without a public address.
func TestAPostGoesLiveWithFilesThatCannotBeDownloaded(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("facebook")
	photo, film := b.photo(), b.ws.File("clip.mp4", mediatest.MP4(mediatest.Movie{Size: 3 << 20}))
	worker := b.Replica(func(c *app.Config) { c.NetworksURL = "" })
	for text, files := range map[string][]contract.Media{"photos": {photo, photo}, "a film": {film}} {
		p := b.post(request(text, now(), account), files...)
		id, err := core.ParseID[core.PostKind](p.ID)
		must(t, err)
		for range 5 {
			must(t, worker.Engine().PublishOrPrepare(b.Context(), "a worker", b.ws.ID, id))
			must(t, b.Sim.WaitIdle(b.Context()))
			b.Clock.Advance(time.Minute)
		}
		if p = b.ws.Post(p); p.Status != "live" || b.Visible(text) != 1 {
			t.Errorf("%s: the post is %s: %+v", text, p.Status, p.Error)
		}
	}
	if n := b.calls("upload"); n != 5 { // two photos, and a film in parts of 1 MiB
		t.Errorf("%d calls sent bytes", n)
	}
	for _, p := range b.Sim.Posts.All() {
		for _, m := range p.Media {
			if want := map[string]int64{"photos": photo.Size, "a film": film.Size}[p.Text]; m.Bytes != want {
				t.Errorf("%s has %d bytes; want %d", p.Text, m.Bytes, want)
			}
		}
	}
}
