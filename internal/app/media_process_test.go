package app_test

import (
	"context"
	"errors"
	"io"
	"net/url"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/blob"
	"belfry/internal/core"
	"belfry/internal/intake"
	"belfry/internal/media/mediatest"
	"belfry/internal/restore"
)

func TestAPhotoBecomesReadyWithItsFactsAndThumbnail(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	m := ws.File("photo.jpg", mediatest.JPEG(640, 480))
	if m.Status != "ready" || m.Kind != "image" || m.Mime != "image/jpeg" || *m.Width != 640 || *m.Height != 480 ||
		m.DurationMs != nil ||
		m.FailReason != nil || m.ThumbnailURL == nil || !strings.HasPrefix(*m.ThumbnailURL, h.MediaURL+"/media/") {
		t.Fatalf("it is %+v", m)
	}
	if n := charged(t, h, ws); n != m.Size {
		t.Errorf("%d bytes are counted", n)
	}
	if got := serve(t, h, *m.ThumbnailURL); got.Mime != "image/jpeg" || len(got.bytes) < 100 ||
		string(got.bytes[:2]) != "\xff\xd8" {
		t.Errorf("the thumbnail is %+v", got)
	}
	if keys := blobs(t, h); len(keys) != 2 {
		t.Errorf("kept: %v", keys)
	}
}

type served struct {
	intake.File
	bytes []byte
}

func serve(t *testing.T, h *apptest.Harness, address string) served {
	t.Helper()
	u, err := url.Parse(address)
	must(t, err)
	f, err := h.App.Intake().AwaitGateAndOpenFile(t.Context(), path.Base(path.Dir(u.Path)))
	must(t, err)
	defer f.Content.Close()
	all, err := io.ReadAll(f.Content)
	must(t, err)
	return served{f, all}
}

func TestAVideoBecomesReadyWithItsLength(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	m := h.Workspace("one").File("clip.mp4", mediatest.MP4(mediatest.Movie{}))
	if m.Status != "ready" || m.Kind != "video" || m.Mime != "video/mp4" || *m.Width != 1080 || *m.Height != 1920 ||
		*m.DurationMs != 3000 || m.ThumbnailURL == nil {
		t.Errorf("it is %+v", m)
	}
}

func TestAFileThatIsNotTakenFailsWithAReason(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	for name, content := range map[string]string{
		"photo.jpg": "<svg xmlns='http://www.w3.org/2000/svg'/>", "paper.pdf": "%PDF-1.7\n",
		"cut.jpg": string(mediatest.JPEG(64, 64)[:200]),
		"lie.mp4": string(mediatest.PNG(10, 10)),
	} {
		m := ws.File(name, []byte(content))
		if m.Status != "failed" || m.FailReason == nil || !strings.HasSuffix(*m.FailReason, ".") || m.ThumbnailURL != nil ||
			m.Size != int64(len(content)) {
			t.Errorf("%s: %+v", name, m)
		}
	}
	if n := charged(t, h, ws); n != 0 {
		t.Errorf("%d bytes of files that failed are counted", n)
	}
	h.WorkDiscards()
	if keys := blobs(t, h); len(keys) != 0 {
		t.Errorf("kept: %v", keys)
	}
}

// What tells where a photo was taken is served to nobody; the size settles to what is kept.
func TestACopyWithoutThePlaceIsKept(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	plain := mediatest.JPEG(64, 64)
	comment := "\xff\xfe\x00\x0dhome of ada" // a JPEG comment
	content := append([]byte(string(plain[:2])+comment), plain[2:]...)
	m := ws.File("photo.jpg", content)
	if m.Status != "ready" || m.Size >= int64(len(content)) || charged(t, h, ws) != m.Size {
		t.Fatalf("it is %+v, of %d bytes", m, len(content))
	}
	h.WorkDiscards()
	keys := blobs(t, h)
	if len(keys) != 2 {
		t.Errorf("kept: %v", keys)
	}
	for _, key := range keys {
		object, err := h.Config.Blobs.Open(t.Context(), key)
		must(t, err)
		text, err := io.ReadAll(object)
		must(t, errors.Join(err, object.Close()))
		if strings.Contains(string(text), "home of ada") {
			t.Errorf("%s tells of the maker", key)
		}
	}
}

func TestLookingAtAFileTwiceDoesNothingTwice(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	m := ws.Upload("photo.png", mediatest.PNG(64, 64))
	var wg sync.WaitGroup
	for _, a := range []*app.App{h.App, h.Replica(), h.App, h.Replica()} {
		wg.Go(func() {
			if err := a.Intake().ClaimAndProcessFile(t.Context(), ws.ID, ws.MediaID(m)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := ws.Media(m.ID); got.Status != "ready" || charged(t, h, ws) != got.Size || len(blobs(t, h)) != 2 {
		t.Errorf("it is %+v, kept are %v", got, blobs(t, h))
	}
	must(t, h.App.Intake().ClaimAndProcessFile(t.Context(), ws.ID, ws.MediaID(m)))
}

// flaky fails to open what is kept a number of times.
type flaky struct {
	blob.Store
	left *int
}

func (f flaky) Open(ctx context.Context, key string) (blob.Object, error) {
	if *f.left > 0 {
		*f.left--
		return nil, errors.New("connection reset")
	}
	return f.Store.Open(ctx, key)
}

func TestATransientFailureIsTriedAgainByTheSweep(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	m := ws.Upload("photo.png", mediatest.PNG(64, 64))
	left := 2
	worker := h.Replica(func(c *app.Config) { c.Blobs = flaky{c.Blobs, &left} })
	for try := range 2 {
		if err := worker.Intake().ClaimAndProcessFile(t.Context(), ws.ID, ws.MediaID(m)); err == nil {
			t.Fatalf("try %d went well", try+1)
		}
		if got := ws.Media(m.ID); got.Status != "processing" || got.FailReason != nil {
			t.Errorf("after try %d: %+v", try+1, got)
		}
		h.Clock.Advance(15 * time.Minute)
		must(t, h.App.Intake().RequeueOrFailStalledFiles(t.Context()))
		if n := h.Jobs("process"); n != try+2 { // the upload's own, and the sweeps'
			t.Errorf("after try %d there were %d jobs", try+1, n)
		}
	}
	must(t, worker.Intake().ClaimAndProcessFile(t.Context(), ws.ID, ws.MediaID(m)))
	if got := ws.Media(m.ID); got.Status != "ready" {
		t.Errorf("at last: %+v", got)
	}

	lost := ws.Upload("photo.png", mediatest.PNG(64, 64))
	left = 100
	for range 5 {
		_ = worker.Intake().ClaimAndProcessFile(t.Context(), ws.ID, ws.MediaID(lost)) // it fails, as above
	}
	if got := ws.Media(lost.ID); got.Status != "failed" || strings.Contains(*got.FailReason, "reset") ||
		charged(t, h, ws) != ws.Media(m.ID).Size {
		t.Errorf("after five tries: %+v", got)
	}
}

// A worker that died holds a file no longer than its lease; the sweep brings the file to another.
func TestAFileOfADeadWorkerIsTakenUp(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	m := ws.Upload("photo.png", mediatest.PNG(64, 64))
	_, err := h.Pool.Exec(t.Context(), `UPDATE media SET lease_epoch = lease_epoch + 1, lease_until = clock() + interval '30s', next_at = clock() + interval '30s'`)
	must(t, err)
	must(t, h.App.Intake().ClaimAndProcessFile(t.Context(), ws.ID, ws.MediaID(m)))
	if got := ws.Media(m.ID); got.Status != "processing" {
		t.Errorf("while it is held: %+v", got)
	}
	h.Clock.Advance(30 * time.Second)
	must(t, h.App.Intake().RequeueOrFailStalledFiles(t.Context()))
	if n := h.Jobs("process"); n != 2 {
		t.Errorf("%d jobs", n)
	}
	must(t, h.App.Intake().ClaimAndProcessFile(t.Context(), ws.ID, ws.MediaID(m)))
	if got := ws.Media(m.ID); got.Status != "ready" {
		t.Errorf("afterwards: %+v", got)
	}
}

func TestAnUnusedReservationFailsWhenItExpires(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	made := reserve(t, h, ws.Owner, 5)
	h.Clock.Advance(59 * time.Minute)
	must(t, h.App.Intake().RequeueOrFailStalledFiles(t.Context()))
	if got := ws.Media(made.MediaID); got.Status != "uploading" || charged(t, h, ws) != 5 {
		t.Errorf("before its time: %+v", got)
	}
	h.Clock.Advance(time.Minute)
	must(t, h.App.Intake().RequeueOrFailStalledFiles(t.Context()))
	if got := ws.Media(made.MediaID); got.Status != "failed" || got.FailReason == nil || charged(t, h, ws) != 0 {
		t.Errorf("after it: %+v", got)
	}
	want(t, core.CodeUploadExpired, put(t, h.App, made, []byte("hello")))
}

func TestAddressesOfFilesEndAndAreTheSameForAWhile(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	m := ws.File("photo.png", mediatest.PNG(64, 64))
	h.Clock.Advance(time.Hour)
	if again := ws.Media(m.ID); *again.ThumbnailURL != *m.ThumbnailURL {
		t.Error("the address is another one within the hour")
	}
	u, err := url.Parse(*m.ThumbnailURL)
	must(t, err)
	h.Clock.Advance(23 * time.Hour)
	serve(t, h, *m.ThumbnailURL)
	h.Clock.Advance(24 * time.Hour)
	_, err = h.App.Intake().AwaitGateAndOpenFile(t.Context(), path.Base(path.Dir(u.Path)))
	want(t, core.CodeNotFound, err)
	fresh := ws.Media(m.ID)
	must(t, h.App.DeleteMedia(t.Context(), ws.Owner, m.ID))
	u, err = url.Parse(*fresh.ThumbnailURL)
	must(t, err)
	_, err = h.App.Intake().AwaitGateAndOpenFile(t.Context(), path.Base(path.Dir(u.Path)))
	want(t, core.CodeNotFound, err)
}

func TestBytesThatNothingNamesAreSwept(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	m := ws.File("photo.png", mediatest.PNG(64, 64))
	must(t, h.Config.Blobs.Put(t.Context(), "media/xx/orphan", strings.NewReader("x"), 1))
	must(t, h.App.Intake().DeleteUnreferencedBlobsIfDue(t.Context())) // young by the files' own clock, which the harness does not set
	if keys := blobs(t, h); len(keys) != 3 {
		t.Errorf("kept: %v", keys)
	}
	h.Clock.Advance(24 * time.Hour) // until the next sweep
	later := h.Replica(func(c *app.Config) { c.Now = func() time.Time { return time.Now().Add(25 * time.Hour) } })
	must(t, later.Intake().DeleteUnreferencedBlobsIfDue(t.Context()))
	if keys := blobs(t, h); len(keys) != 2 || ws.Media(m.ID).Status != "ready" {
		t.Errorf("kept: %v", keys)
	}
}

// Receipts of published posts are named by no row, and a restore needs them for months.
func TestTheSweepOfBytesKeepsReceipts(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	book := restore.NewReceipts(h.Config.Blobs, time.Now)
	must(t, book.Write(t.Context(), restore.Receipt{Post: "post_1"}))
	later := h.Replica(func(c *app.Config) { c.Now = func() time.Time { return time.Now().Add(25 * time.Hour) } })
	must(t, later.Intake().DeleteUnreferencedBlobsIfDue(t.Context()))
	kept := 0
	must(t, book.EachSince(t.Context(), time.Time{}, func(restore.Receipt) error { kept++; return nil }))
	if kept != 1 {
		t.Errorf("%d receipts are left, want 1", kept)
	}
}

// stops is a store at whose first use the worker is asked to stop.
type stops struct {
	blob.Store
	stop func()
}

func (s stops) Open(ctx context.Context, key string) (blob.Object, error) {
	s.stop()
	return s.Store.Open(ctx, key)
}

// A worker that stops gives the file back at once, and that does not count as a try: after five restarts of the
// service a good file failed.
func TestAStopWhileAFileIsLookedAtIsNoFailure(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	m := ws.Upload("photo.png", mediatest.PNG(64, 64))
	for range 6 {
		ctx, stop := context.WithCancel(t.Context())
		worker := h.Replica(func(c *app.Config) { c.Blobs = stops{c.Blobs, stop} })
		must(t, worker.Intake().ClaimAndProcessFile(ctx, ws.ID, ws.MediaID(m)))
		if got := ws.Media(m.ID); got.Status != "processing" {
			t.Fatalf("after a stop: %+v", got)
		}
	}
	must(t, h.App.Intake().RequeueOrFailStalledFiles(t.Context()))
	if n := h.Jobs("process"); n != 2 {
		t.Errorf("%d jobs, want the upload's own and the sweep's", n)
	}
	must(t, h.App.Intake().ClaimAndProcessFile(t.Context(), ws.ID, ws.MediaID(m)))
	if got := ws.Media(m.ID); got.Status != "ready" {
		t.Errorf("at last: %+v", got)
	}
}

// counting counts the bytes that are read of what is kept.
type counting struct {
	blob.Store
	read *atomic.Int64
}

type countedObject struct {
	blob.Object
	read *atomic.Int64
}

func (c counting) Open(ctx context.Context, key string) (blob.Object, error) {
	object, err := c.Store.Open(ctx, key)
	return countedObject{object, c.read}, err
}

func (o countedObject) ReadAt(b []byte, at int64) (int, error) {
	n, err := o.Object.ReadAt(b, at)
	o.read.Add(int64(n))
	return n, err
}

// A film was read twice to be cleaned: once to learn a size that cleaning does not change.
func TestCleaningAVideoReadsItOnce(t *testing.T) {
	t.Parallel()
	var read atomic.Int64
	h := apptest.New(t, func(c *app.Config) { c.Blobs = counting{c.Blobs, &read} })
	ws := h.Workspace("one")
	film := mediatest.MP4(mediatest.Movie{Place: "+46.0-7.0/", Size: 8 << 20})
	m := ws.File("clip.mp4", film)
	if m.Status != "ready" || m.Size != int64(len(film)) {
		t.Fatalf("it is %+v", m)
	}
	if n := read.Load(); n > int64(len(film))*3/2 {
		t.Errorf("%d bytes were read of a file of %d", n, len(film))
	}
}

// panicking panics when what is kept is read after something was put, which is the thumbnail.
type panicking struct {
	blob.Store
	put *atomic.Bool
}

type panickingObject struct {
	blob.Object
	put *atomic.Bool
}

func (p panicking) Put(ctx context.Context, key string, r io.Reader, size int64) error {
	p.put.Store(true)
	return p.Store.Put(ctx, key, r, size)
}

func (p panicking) Open(ctx context.Context, key string) (blob.Object, error) {
	object, err := p.Store.Open(ctx, key)
	return panickingObject{object, p.put}, err
}

func (o panickingObject) ReadAt(b []byte, at int64) (int, error) {
	if o.put.Load() {
		panic("index out of range")
	}
	return o.Object.ReadAt(b, at)
}

// The process in which a file is cleaned also publishes posts.
func TestAPanicWhileCleaningFailsTheFileAlone(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	plain := mediatest.JPEG(64, 64)
	m := ws.Upload("photo.jpg", append([]byte(string(plain[:2])+"\xff\xfe\x00\x0dhome of ada"), plain[2:]...))
	worker := h.Replica(func(c *app.Config) { c.Blobs = panicking{c.Blobs, new(atomic.Bool)} })
	err := worker.Intake().ClaimAndProcessFile(t.Context(), ws.ID, ws.MediaID(m))
	if err == nil || !strings.Contains(err.Error(), "index out of range") {
		t.Errorf("error %v", err)
	}
	if got := ws.Media(m.ID); got.Status != "processing" {
		t.Errorf("it is %+v", got)
	}
	must(t, h.App.Intake().ClaimAndProcessFile(t.Context(), ws.ID, ws.MediaID(m)))
	if got := ws.Media(m.ID); got.Status != "ready" {
		t.Errorf("after another try it is %+v", got)
	}
}
