package app_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
)

func upload(size int64) contract.CreateUpload {
	return contract.CreateUpload{Filename: "photo.jpg", Mime: "image/jpeg", Size: size}
}

func reserve(t *testing.T, h *apptest.Harness, c core.Caller, size int64) contract.Upload {
	t.Helper()
	made, err := h.App.ReserveUpload(t.Context(), c, upload(size))
	must(t, err)
	return made
}

func token(u contract.Upload) string { return u.UploadURL[strings.LastIndex(u.UploadURL, "/")+1:] }

func put(t *testing.T, a *app.App, u contract.Upload, body []byte) error {
	t.Helper()
	_, err := a.Intake().ReceiveUpload(t.Context(), token(u), int64(len(body)), bytes.NewReader(body))
	return err
}

// charged is how many bytes the workspace is charged with. It fails when that is not what its files say.
func charged(t *testing.T, h *apptest.Harness, ws *apptest.Workspace) int64 {
	t.Helper()
	var used, sum int64
	must(t, h.Pool.QueryRow(t.Context(), `SELECT coalesce((SELECT used FROM usage_storage WHERE workspace_id = $1), 0),
		(SELECT coalesce(sum(charged), 0) FROM media WHERE workspace_id = $1)`, ws.ID).Scan(&used, &sum))
	if used != sum {
		t.Errorf("%d bytes are counted, the files have %d", used, sum)
	}
	who, err := h.App.Whoami(t.Context(), ws.Owner)
	must(t, err)
	if who.Usage.Storage.UsedBytes != used {
		t.Errorf("whoami says %d bytes, %d are counted", who.Usage.Storage.UsedBytes, used)
	}
	return used
}

// blobs lists what is kept of files; receipts of posts are kept beside them.
func blobs(t *testing.T, h *apptest.Harness) (keys []string) {
	t.Helper()
	must(t, h.Config.Blobs.Each(t.Context(), "", "", func(key string, _ int64, _ time.Time) error {
		if strings.HasPrefix(key, "media/") {
			keys = append(keys, key)
		}
		return nil
	}))
	return keys
}

func TestAFileIsReservedAndBrought(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	folder := ws.Folder("photos", "")
	in := upload(5)
	in.FolderID = &folder.ID
	made, err := h.App.ReserveUpload(t.Context(), ws.Key(core.Write).Caller, in)
	must(t, err)
	if !strings.HasPrefix(made.UploadURL, apptest.PublicURL+"/upload/") ||
		!made.ExpiresAt.Equal(h.Clock.Now().Add(time.Hour)) {
		t.Errorf("the reservation is %+v", made)
	}
	m, err := h.App.GetMedia(t.Context(), ws.Owner, made.MediaID)
	if err != nil || m.Status != "uploading" || m.Kind != "image" || m.Size != 5 || m.Mime != "image/jpeg" ||
		m.OriginalName != "photo.jpg" ||
		*m.FolderID != folder.ID || m.FailReason != nil || m.Width != nil || m.ThumbnailURL != nil || len(m.Tags) != 0 {
		t.Errorf("before its bytes: %+v, %v", m, err)
	}
	if n := charged(t, h, ws); n != 5 {
		t.Errorf("%d bytes are reserved", n)
	}
	must(t, put(t, h.App, made, []byte("hello")))
	if m, err = h.App.GetMedia(t.Context(), ws.Owner, made.MediaID); err != nil || m.Status != "processing" {
		t.Errorf("with its bytes: %+v, %v", m, err)
	}
	keys := blobs(t, h)
	if len(keys) != 1 || charged(t, h, ws) != 5 {
		t.Fatalf("kept: %v", keys)
	}
	object, err := h.Config.Blobs.Open(t.Context(), keys[0])
	must(t, err)
	defer object.Close()
	if got, err := io.ReadAll(object); err != nil || string(got) != "hello" {
		t.Errorf("the bytes are %q, %v", got, err)
	}
	want(t, core.CodeAlreadyUploaded, put(t, h.App, made, []byte("hello")))
	want(t, core.CodeAlreadyUploaded, put(t, h.App, made, []byte("hell")))
}

func TestAnUploadOfAnotherLengthIsRefused(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	made := reserve(t, h, ws.Owner, 5)
	for _, length := range []int64{-1, 0, 4, 6, 1 << 40} {
		_, err := h.App.Intake().ReceiveUpload(t.Context(), token(made), length, iotest.ErrReader(errors.New("the body was read")))
		want(t, core.CodeSizeMismatch, err)
	}
	must(t, put(t, h.App, made, []byte("hello")))
}

func TestAnUploadThatBreaksOffMayBeRepeated(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	made := reserve(t, h, ws.Owner, 5)
	for _, body := range []io.Reader{strings.NewReader("hel"), io.MultiReader(strings.NewReader("he"), iotest.ErrReader(errors.New("reset")))} {
		_, err := h.App.Intake().ReceiveUpload(t.Context(), token(made), 5, body)
		want(t, core.CodeInvalidRequest, err)
		if keys := blobs(t, h); len(keys) != 0 || charged(t, h, ws) != 5 {
			t.Errorf("left behind: %v", keys)
		}
	}
	must(t, put(t, h.App, made, []byte("hello")))
}

// A sender that hangs holds its upload for a lease; one whose process died, no longer than that.
func TestOfTwoUploadsAtOnceOneIsRefused(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	made := reserve(t, h, ws.Owner, 5)
	body, sender := io.Pipe()
	first := make(chan error, 1)
	go func() {
		_, err := h.App.Intake().ReceiveUpload(t.Context(), token(made), 5, body)
		first <- err
	}()
	_, err := sender.Write([]byte("he"))
	must(t, err)
	if e := want(t, core.CodeUploadInProgress, put(t, h.App, made, []byte("HELLO"))); e.RetryAfter != 30 {
		t.Errorf("retry after %d", e.RetryAfter)
	}
	h.Clock.Advance(31 * time.Second) // the first did not renew its claim: as if it were dead
	must(t, put(t, h.App, made, []byte("HELLO")))
	_, err = sender.Write([]byte("llo"))
	must(t, err)
	must(t, sender.Close())
	want(t, core.CodeAlreadyUploaded, <-first)
	keys := blobs(t, h)
	if len(keys) != 1 || charged(t, h, ws) != 5 {
		t.Fatalf("kept: %v", keys)
	}
	object, err := h.Config.Blobs.Open(t.Context(), keys[0])
	must(t, err)
	defer object.Close()
	if got, err := io.ReadAll(object); err != nil || string(got) != "HELLO" {
		t.Errorf("the bytes are %q, %v", got, err)
	}
}

func TestAnUploadAddressIsForOneFileOneHourAndOneUse(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	made := reserve(t, h, ws.Owner, 5)
	good := token(made)
	for _, bad := range []string{"", "x", good + "A", good[:len(good)-1], strings.ToLower(good), good[1:]} {
		_, err := h.App.Intake().ReceiveUpload(t.Context(), bad, 5, strings.NewReader("hello"))
		want(t, core.CodeNotFound, err)
	}
	_, err := h.App.Intake().AwaitGateAndOpenFile(t.Context(), good) // signed for another purpose
	want(t, core.CodeNotFound, err)
	h.Clock.Advance(time.Hour)
	want(t, core.CodeUploadExpired, put(t, h.App, made, []byte("hello")))

	uploaded := reserve(t, h, ws.Owner, 5)
	must(t, put(t, h.App, uploaded, []byte("hello")))
	h.Clock.Advance(time.Hour)
	want(t, core.CodeAlreadyUploaded, put(t, h.App, uploaded, []byte("hello"))) // the first answer may have been lost

	gone := reserve(t, h, ws.Owner, 5)
	must(t, h.App.DeleteMedia(t.Context(), ws.Owner, gone.MediaID))
	want(t, core.CodeNotFound, put(t, h.App, gone, []byte("hello")))
}

func TestABadReservationIsRefused(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	for name, change := range map[string]func(*contract.CreateUpload){
		"size":     func(in *contract.CreateUpload) { in.Size = 0 },
		"mime":     func(in *contract.CreateUpload) { in.Mime = "jpeg" },
		"filename": func(in *contract.CreateUpload) { in.Filename = "a\nb" },
	} {
		in := upload(5)
		change(&in)
		_, err := h.App.ReserveUpload(t.Context(), ws.Owner, in)
		if e := want(t, core.CodeInvalidRequest, err); e.Path != name {
			t.Errorf("%s: %+v", name, e)
		}
	}
	_, err := h.App.ReserveUpload(t.Context(), ws.Member(core.RoleViewer), upload(5))
	want(t, core.CodeInsufficientScope, err)
	if n := charged(t, h, ws); n != 0 {
		t.Errorf("%d bytes are reserved", n)
	}
}

// decisions.md, Plans: 500 MB per file and 2 GB in all on free.
func TestReservationsKeepToThePlan(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.WorkspaceOn(core.PlanFree, "one", "UTC")
	_, err := h.App.ReserveUpload(t.Context(), ws.Owner, upload(500_000_001))
	if e := want(t, core.CodeQuotaExceeded, err); *e.Quota != (core.QuotaFacts{Limit: 500_000_000, Used: 500_000_001}) {
		t.Errorf("the figures are %+v", e.Quota)
	}
	for range 4 {
		reserve(t, h, ws.Owner, 500_000_000)
	}
	_, err = h.App.ReserveUpload(t.Context(), ws.Owner, upload(1))
	if e := want(t, core.CodeQuotaExceeded, err); *e.Quota != (core.QuotaFacts{
		Limit: 2_000_000_000,
		Used:  2_000_000_000,
	}) {
		t.Errorf("the figures are %+v", e.Quota)
	}
	ws.Use(core.PlanCreator)
	reserve(t, h, ws.Owner, 2_000_000_000)
	ws.Use(core.PlanFree) // what is there stays; the next one is refused
	_, err = h.App.ReserveUpload(t.Context(), ws.Owner, upload(1))
	want(t, core.CodeQuotaExceeded, err)
	h.Clock.Advance(time.Hour) // unused reservations count no more, whether or not the sweep has come by
	reserve(t, h, ws.Owner, 7)
	if n := charged(t, h, ws); n != 7 {
		t.Errorf("%d bytes are counted", n)
	}
	list, err := h.App.ListMedia(t.Context(), ws.Owner, contract.ListMedia{Status: "failed"})
	if err != nil || len(list.Media) != 5 || list.Media[0].FailReason == nil {
		t.Errorf("the expired ones: %+v, %v", list, err)
	}
}

func TestTheLastByteIsReservedOnce(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.WorkspaceOn(core.PlanFree, "one", "UTC")
	replicas := []*app.App{h.App, h.Replica()}
	var granted atomic.Int32
	var wg sync.WaitGroup
	for i := range 30 {
		wg.Go(func() {
			_, err := replicas[i%2].ReserveUpload(t.Context(), ws.Owner, upload(100_000_000))
			switch {
			case err == nil:
				granted.Add(1)
			case core.CodeOf(err) != core.CodeQuotaExceeded:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if granted.Load() != 20 || charged(t, h, ws) != 2_000_000_000 {
		t.Errorf("%d were granted", granted.Load())
	}
}

// A hundred at once, one in three broken off and repeated: all rows right, bytes counted exactly.
func TestAHundredUploadsAtOnce(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	content := bytes.Repeat([]byte("bell"), 5_000)
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			made, err := h.App.ReserveUpload(t.Context(), ws.Owner, upload(int64(len(content))))
			if err != nil {
				t.Error(err)
				return
			}
			if i%3 == 0 {
				_, err := h.App.Intake().ReceiveUpload(t.Context(), token(made), int64(len(content)), bytes.NewReader(content[:i*100]))
				if core.CodeOf(err) != core.CodeInvalidRequest {
					t.Errorf("broken off: %v", err)
				}
			}
			if err := put(t, h.App, made, content); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := charged(t, h, ws); n != int64(100*len(content)) {
		t.Errorf("%d bytes are counted", n)
	}
	if keys := blobs(t, h); len(keys) != 100 {
		t.Errorf("%d blobs are kept", len(keys))
	}
	if n, err := h.Config.Blobs.RemoveUnfinishedPuts(t.Context(), time.Now().Add(time.Hour)); err != nil || n != 0 {
		t.Errorf("left over: %d, %v", n, err)
	}
	list, err := h.App.ListMedia(t.Context(), ws.Owner, contract.ListMedia{Status: "processing", Limit: 100})
	if err != nil || len(list.Media) != 100 || list.NextCursor != nil {
		t.Errorf("%d files, %v", len(list.Media), err)
	}
}

// The storage does not take the bytes: that is no fault of the sender, who may try again.
func TestAnUploadThatCannotBeStoredIsNoFaultOfTheSender(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	made := reserve(t, h, ws.Owner, 5)
	full := h.Replica(func(cfg *app.Config) { cfg.Blobs = fullStore{cfg.Blobs} })
	if err := put(t, full, made, []byte("hello")); core.CodeOf(err) != core.CodeInternal {
		t.Errorf("the answer is %v", err)
	}
	must(t, put(t, h.App, made, []byte("hello")))
}

// On a plan that bounds no file, two sizes that no file has made a sum that the database refused: a 500.
func TestASizeThatNoFileHasIsRefused(t *testing.T) {
	t.Parallel()
	plans := core.DefaultPlans()
	plans[core.PlanOwner] = core.Plan{Name: core.PlanOwner}
	h := apptest.New(t, func(c *app.Config) { c.Plans = plans })
	ws := h.Workspace("one")
	for range 2 {
		_, err := h.App.ReserveUpload(t.Context(), ws.Owner, upload(math.MaxInt64))
		want(t, core.CodeInvalidRequest, err)
	}
	reserve(t, h, ws.Owner, 5<<40)
}
