package app_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/blob"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/intake"
	"belfry/internal/media/mediatest"
	"belfry/internal/store"
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
	first, err := h.App.Intake().OpenOriginalOrMakeJPEG(t.Context(), m, jpeg)
	must(t, err)
	must(t, h.Config.Blobs.Delete(t.Context(), m.Blob))
	replica := h.Replica(func(c *app.Config) { c.Decoder = intake.NewDecoder() })
	again, err := replica.Intake().OpenOriginalOrMakeJPEG(t.Context(), m, jpeg)
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
			object, err := h.App.Intake().OpenOriginalOrMakeJPEG(t.Context(), m, &core.Conversion{Width: width, Height: 24, MaxBytes: 100_000})
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

// deleteBeforePut calls once before it stores a JPEG.
type deleteBeforePut struct {
	blob.Store
	once *sync.Once
	call func()
}

func (d deleteBeforePut) Put(ctx context.Context, key string, r io.Reader, size int64) error {
	if strings.HasSuffix(key, ".jpg") {
		d.once.Do(d.call)
	}
	return d.Store.Put(ctx, key, r, size)
}

// Such a JPEG stayed until the next daily sweep.
func TestAnImageThatIsDeletedWhileItIsConvertedLeavesNoJPEG(t *testing.T) {
	t.Parallel()
	var during func()
	h := apptest.New(t, func(c *app.Config) {
		c.Blobs = deleteBeforePut{c.Blobs, new(sync.Once), func() { during() }}
	})
	ws := h.Workspace("one")
	file := ws.File("wide.png", mediatest.PNG(64, 48))
	m, err := h.Store.In(ws.ID).Media(t.Context(), ws.MediaID(file))
	must(t, err)
	during = func() {
		must(t, h.App.DeleteMedia(t.Context(), ws.Owner, file.ID))
		h.WorkDiscards()
	}
	_, err = h.App.Intake().OpenOriginalOrMakeJPEG(t.Context(), m, &core.Conversion{Width: 32, Height: 24, MaxBytes: 100_000})
	if !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("the error is %v", err)
	}
	if left := storedKeys(t, h.Config.Blobs); len(left) != 0 {
		t.Errorf("%q are left", left)
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

// putOrder records the keys in the order in which their bytes are stored.
type putOrder struct {
	blob.Store
	mu            *sync.Mutex
	keys, lookups *[]string
}

func (p putOrder) Open(ctx context.Context, key string) (blob.Object, error) {
	p.mu.Lock()
	*p.lookups = append(*p.lookups, key)
	p.mu.Unlock()
	return p.Store.Open(ctx, key)
}

func (p putOrder) Put(ctx context.Context, key string, r io.Reader, size int64) error {
	err := p.Store.Put(ctx, key, r, size)
	p.mu.Lock()
	defer p.mu.Unlock()
	*p.keys = append(*p.keys, key)
	return err
}

// Someone who uploads a file sees its thumbnail, although the images of many posts are being converted.
func TestAThumbnailDoesNotWaitForAllConversions(t *testing.T) {
	t.Parallel()
	order := putOrder{mu: new(sync.Mutex), keys: new([]string), lookups: new([]string)}
	h := apptest.New(t, func(c *app.Config) {
		order.Store = c.Blobs
		c.Blobs = order
	})
	ws := h.Workspace("one")
	const conversions = 12
	var images []store.Media
	for range conversions {
		id := ws.MediaID(ws.File("wide.png", mediatest.PNG(2000, 1500)))
		m, err := h.Store.In(ws.ID).Media(t.Context(), id)
		must(t, err)
		images = append(images, m)
	}
	upload := ws.Upload("new.png", mediatest.PNG(64, 48))
	*order.keys, *order.lookups = nil, nil
	var all sync.WaitGroup
	for _, m := range images {
		all.Go(func() {
			object, err := h.App.Intake().OpenOriginalOrMakeJPEG(t.Context(), m, &core.Conversion{Width: 1600, Height: 1200, MaxBytes: 4_000_000})
			if err != nil {
				t.Error(err)
				return
			}
			if err := object.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	h.Eventually("all conversions wait", func() bool {
		order.mu.Lock()
		defer order.mu.Unlock()
		return len(*order.lookups) >= conversions
	})
	must(t, h.App.Intake().ClaimAndProcessFile(t.Context(), ws.ID, ws.MediaID(upload)))
	all.Wait()
	isThumbnail := func(key string) bool { return !strings.HasSuffix(key, ".jpg") }
	if before := slices.IndexFunc(*order.keys, isThumbnail); before < 0 || before > conversions/2 {
		t.Errorf("%d of %d conversions came first", before, conversions)
	}
}

// heldJPEGs is a store in which JPEGs made by a conversion are stored only once release is closed.
type heldJPEGs struct {
	blob.Store
	storing, release chan struct{}
}

func (h heldJPEGs) Put(ctx context.Context, key string, r io.Reader, size int64) error {
	if strings.HasSuffix(key, ".jpg") {
		close(h.storing)
		<-h.release
	}
	return h.Store.Put(ctx, key, r, size)
}

// Storing can be slow, and needs no memory for pictures.
func TestAThumbnailDoesNotWaitUntilAJPEGIsStored(t *testing.T) {
	t.Parallel()
	slow := heldJPEGs{storing: make(chan struct{}), release: make(chan struct{})}
	h := apptest.New(t, func(c *app.Config) {
		slow.Store = c.Blobs
		c.Blobs = slow
	})
	ws := h.Workspace("one")
	m, err := h.Store.In(ws.ID).Media(t.Context(), ws.MediaID(ws.File("wide.png", mediatest.PNG(64, 48))))
	must(t, err)
	upload := ws.MediaID(ws.Upload("new.png", mediatest.PNG(64, 48)))
	converted := make(chan error)
	go func() {
		object, err := h.App.Intake().OpenOriginalOrMakeJPEG(t.Context(), m, &core.Conversion{Width: 32, Height: 24, MaxBytes: 100_000})
		if err == nil {
			err = object.Close()
		}
		converted <- err
	}()
	<-slow.storing
	limited, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	must(t, h.App.Intake().ClaimAndProcessFile(limited, ws.ID, upload))
	if f, err := h.Store.In(ws.ID).Media(t.Context(), upload); err != nil || f.Thumbnail == "" {
		t.Errorf("while a JPEG is stored, the thumbnail is %q: %v", f.Thumbnail, err)
	}
	close(slow.release)
	must(t, <-converted)
}
