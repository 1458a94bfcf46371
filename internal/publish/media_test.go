package publish_test

import (
	"context"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/blob"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/media/mediatest"
	"belfry/internal/network"
)

// recorder records the items that were sent to a network.
type recorder struct {
	network.Network
	sent *[]network.Item
}

func (r recorder) CreateHandle(ctx context.Context, it network.Item) (string, error) {
	*r.sent = append(*r.sent, it)
	return r.Network.CreateHandle(ctx, it)
}

func (r recorder) Publish(ctx context.Context, it network.Item, handle string) (network.Status, error) {
	*r.sent = append(*r.sent, it)
	return r.Network.Publish(ctx, it, handle)
}

// recording returns the App with networks whose calls are recorded.
func (b *bench) recording() (*app.App, *[]network.Item) {
	b.t.Helper()
	var sent []network.Item
	return b.through(func(n network.Network) network.Network { return recorder{n, &sent} }), &sent
}

// through returns the App with each network wrapped, and with other changes to its configuration.
func (b *bench) through(wrap func(network.Network) network.Network, changes ...func(*app.Config)) *app.App {
	b.t.Helper()
	return b.Replica(append(changes, func(c *app.Config) {
		var drivers []network.Driver
		for _, n := range c.Networks.Connectors() {
			drivers = append(drivers,
				network.Driver{ID: n.Describe().ID, New: func(network.Environment) (network.Network, error) {
					return wrap(n), nil
				}})
		}
		set, err := network.NewSet(drivers, network.Environment{})
		must(b.t, err)
		c.Networks = set
	})...)
}

// throughOnly is through for one network.
func (b *bench) throughOnly(platform core.Platform, wrap func(network.Network) network.Network) *app.App {
	b.t.Helper()
	return b.through(func(n network.Network) network.Network {
		if n.Describe().ID != platform {
			return n
		}
		return wrap(n)
	})
}

func TestTheNetworkGetsTheFilesWithAddressesThatLast(t *testing.T) {
	for _, name := range []string{"threads", "facebook"} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			one, two := b.photo(), b.ws.File("two.png", mediatest.PNG(320, 320))
			p := b.post(request("a", now(), b.ws.Account(name)), two, one, two)
			worker, sent := b.recording()
			id, err := core.ParseID[core.PostKind](p.ID)
			must(t, err)
			must(t, worker.Engine().PublishOrPrepare(b.Context(), "a worker", b.ws.ID, id))
			if p = b.ws.Post(p); len(*sent) == 0 || p.Error != nil {
				t.Fatalf("%d calls; the post is %s: %+v", len(*sent), p.Status, p.Error)
			}
			files := (*sent)[0].Files
			if len(files) != 3 || files[0].ID.String() != two.ID || files[1].ID.String() != one.ID ||
				files[2].ID.String() != two.ID {
				t.Fatalf("sent: %+v", files)
			}
			b.Clock.Advance(24 * time.Hour)
			for i, f := range files {
				served, err := b.App.Intake().AwaitGateAndOpenFile(t.Context(), path.Base(path.Dir(f.URL)))
				must(t, err)
				content, err := io.ReadAll(served.Content)
				must(t, errors.Join(err, served.Content.Close()))
				if served.Mime != f.Mime || int64(len(content)) != f.Bytes || f.Bytes == 0 {
					t.Errorf("file %d is served as %s with %d bytes", i, served.Mime, len(content))
				}
			}
		})
	}
}

// From the upload to the network's page: what everybody sees are the bytes that were brought, in their order.
func TestAPostGoesLiveWithItsFiles(t *testing.T) {
	for _, name := range []string{"threads", "facebook"} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			account := b.ws.Account(name)
			one, two := b.photo(), b.ws.File("two.png", mediatest.PNG(640, 320))
			film := b.ws.File("clip.mp4", mediatest.MP4(mediatest.Movie{}))
			for text, files := range map[string][]contract.Media{"one": {one}, "some": {two, one, two}, "a film": {film}} {
				b.goesLive(b.post(request(text, now(), account), files...))
				var shown []int64
				for _, p := range b.Sim.Posts.All() {
					if p.Text == text {
						for _, m := range p.Media {
							shown = append(shown, m.Bytes)
						}
					}
				}
				var sent []int64
				for _, f := range files {
					sent = append(sent, f.Size)
				}
				if !slices.Equal(shown, sent) {
					t.Errorf("%s: %v bytes are shown; want %v", text, shown, sent)
				}
			}
		})
	}
}

// Whatever became of the bytes: the post fails and says so, and the network is not asked for anything.
func TestAPostWhoseFileIsLostFailsUnsent(t *testing.T) {
	for _, name := range []string{"threads", "facebook"} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			file := b.photo()
			p := b.post(request("a", now(), b.ws.Account(name)), file)
			for _, key := range b.blobKeys() {
				must(t, b.Config.Blobs.Delete(t.Context(), key))
			}
			calls := len(b.Sim.Calls.ListLast(0))
			p = b.ws.Work(p)
			if p.Status != "failed" || p.Error.Code != "media_purged" || !strings.Contains(p.Error.Message, "photo.jpg") ||
				p.Error.Hint == nil {
				t.Errorf("the post is %s: %+v", p.Status, p.Error)
			}
			if n := len(b.Sim.Calls.ListLast(0)); n != calls || b.Visible("a") != 0 {
				t.Errorf("the network was called %d times", n-calls)
			}
			if p = b.after(time.Hour, p); p.Status != "failed" || p.Attempts != 1 {
				t.Errorf("it was tried again: %s after %d", p.Status, p.Attempts)
			}
		})
	}
}

// A store that does not answer is no reason to give up.
func TestAPostWaitsForAStoreThatDoesNotAnswer(t *testing.T) {
	b := newBench(t)
	p := b.post(request("a", now(), b.ws.Account("threads")), b.photo())
	id, err := core.ParseID[core.PostKind](p.ID)
	must(t, err)
	left := 1
	worker := b.Replica(func(c *app.Config) { c.Blobs = unreliable{c.Blobs, &left} })
	must(t, worker.Engine().PublishOrPrepare(b.Context(), "a worker", b.ws.ID, id))
	if p = b.ws.Post(p); p.Status != "failed" || p.Error.Code != "network_unreachable" ||
		!strings.Contains(p.Error.Message, "photo.jpg") {
		t.Errorf("the post is %s: %+v", p.Status, p.Error)
	}
	if p = b.after(time.Minute, p); p.Error != nil {
		t.Errorf("afterwards it is %s: %+v", p.Status, p.Error)
	}
}

// unreliable fails a number of times to open files.
type unreliable struct {
	blob.Store
	left *int
}

func (u unreliable) Open(ctx context.Context, key string) (blob.Object, error) {
	if *u.left > 0 {
		*u.left--
		return nil, errors.New("connection reset")
	}
	return u.Store.Open(ctx, key)
}

func (b *bench) blobKeys() (keys []string) {
	b.t.Helper()
	must(b.t, b.Config.Blobs.Each(b.Context(), "", "", func(key string, _ int64, _ time.Time) error {
		keys = append(keys, key)
		return nil
	}))
	return keys
}
