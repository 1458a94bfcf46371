package app_test

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/fetch"
	"belfry/internal/fetch/fetchtest"
	"belfry/internal/media/mediatest"
)

// onWorld makes the App fetch files from a world of one server.
func onWorld(w *fetchtest.World) func(*app.Config) {
	return func(cfg *app.Config) {
		cfg.Fetch = fetch.New(fetch.Config{Lookup: w.Lookup, Dial: w.Dial, Roots: w.Roots(), DelayUnit: time.Millisecond})
	}
}

func fromURL(t *testing.T, h *apptest.Harness, ws *apptest.Workspace, address string) contract.Media {
	t.Helper()
	m, err := h.App.AddMediaForDownload(t.Context(), ws.Owner, contract.MediaFromURL{URL: address})
	must(t, err)
	return m
}

// fetched runs the worker once and answers what became of the file.
func fetched(t *testing.T, h *apptest.Harness, ws *apptest.Workspace, m contract.Media) contract.Media {
	t.Helper()
	must(t, h.App.Intake().ClaimAndDownloadFile(t.Context(), ws.ID, ws.MediaID(m)))
	return ws.Media(m.ID)
}

// fails checks that the file failed, and that nothing of it is left.
func fails(t *testing.T, h *apptest.Harness, ws *apptest.Workspace, m contract.Media, reason string) {
	t.Helper()
	if m.Status != "failed" || m.FailReason == nil || !strings.Contains(*m.FailReason, reason) {
		t.Errorf("it is %+v, of %v", m, m.FailReason)
	}
	if n := charged(t, h, ws); n != 0 {
		t.Errorf("%d bytes are counted", n)
	}
	if keys := blobs(t, h); len(keys) != 0 {
		t.Errorf("kept: %v", keys)
	}
}

// photo answers a picture, with the size or without.
func photo(said bool) http.HandlerFunc {
	content := mediatest.JPEG(64, 48)
	return func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("called") {
			rw.Header().Set("Content-Disposition", `attachment; filename="bell.jpg"`)
		}
		if !said {
			_ = http.NewResponseController(rw).Flush()
		}
		_, _ = rw.Write(content)
	}
}

func TestAFileIsFetched(t *testing.T) {
	t.Parallel()
	for _, said := range []bool{true, false} {
		h := apptest.New(t, onWorld(fetchtest.New(t, photo(said))))
		ws := h.Workspace("one")
		folder := ws.Folder("photos", "")
		in := contract.MediaFromURL{URL: "https://example.com/a/tower.jpg?key=secret", FolderID: &folder.ID}
		m, err := h.App.AddMediaForDownload(t.Context(), ws.Key(core.Write).Caller, in)
		must(t, err)
		if m.Status != "uploading" || m.OriginalName != "tower.jpg" || m.Kind != "image" || m.Size != 0 ||
			*m.FolderID != folder.ID || m.Tags == nil || m.FailReason != nil {
			t.Errorf("before its bytes: %+v", m)
		}
		if charged(t, h, ws) != 0 || h.Jobs("fetch") != 1 {
			t.Errorf("%d bytes, %d jobs", charged(t, h, ws), h.Jobs("fetch"))
		}
		m = fetched(t, h, ws, m)
		if size := int64(len(mediatest.JPEG(64, 48))); m.Status != "processing" || m.Size != size ||
			charged(t, h, ws) != size || h.Jobs("process") != 1 {
			t.Errorf("with its bytes: %+v", m)
		}
		must(t, h.App.Intake().ClaimAndProcessFile(t.Context(), ws.ID, ws.MediaID(m)))
		if m = ws.Media(m.ID); m.Status != "ready" || *m.Width != 64 || charged(t, h, ws) != m.Size ||
			m.Mime != "image/jpeg" {
			t.Errorf("in the end: %+v", m)
		}
		if again := fetched(t, h, ws, m); again.Status != "ready" {
			t.Errorf("after one job too many: %+v", again)
		}
		if n := len(blobs(t, h)); n != 2 {
			t.Errorf("%d blobs", n)
		}
	}
}

func TestAFetchedFilesName(t *testing.T) {
	t.Parallel()
	h := apptest.New(t, onWorld(fetchtest.New(t, photo(true))))
	ws := h.Workspace("one")
	for _, c := range []struct{ url, given, before, after string }{
		{"https://example.com/tower.mp4", "", "tower.mp4", "tower.mp4"},
		{"https://example.com/get?called", "", "get", "bell.jpg"},
		{"https://example.com/get?called", "mine.png", "mine.png", "mine.png"},
		{"https://example.com", "", "file", "file"},
		{"https://example.com/?called", "", "file", "bell.jpg"},
		{"https://example.com/a/..%2f..%2fetc%2fpasswd", "", "passwd", "passwd"},
	} {
		m, err := h.App.AddMediaForDownload(t.Context(), ws.Owner, contract.MediaFromURL{URL: c.url, Filename: c.given})
		must(t, err)
		if after := fetched(t, h, ws, m); m.OriginalName != c.before || after.OriginalName != c.after {
			t.Errorf("%+v: %q, then %q", c, m.OriginalName, after.OriginalName)
		}
	}
}

// What fails for the moment is tried again, ever later, and fails in the end.
func TestASourceThatIsAwayIsAskedAgain(t *testing.T) {
	t.Parallel()
	var answers atomic.Pointer[http.HandlerFunc]
	away := http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusBadGateway) })
	answers.Store(&away)
	w := fetchtest.New(t, func(rw http.ResponseWriter, r *http.Request) { (*answers.Load())(rw, r) })
	h := apptest.New(t, onWorld(w))
	ws := h.Workspace("one")
	comes, never := fromURL(t, h, ws, "https://example.com/comes.jpg"), fromURL(t, h, ws, "https://example.com/never.jpg")
	var last contract.Media
	for i, wait := range []time.Duration{15 * time.Second, time.Minute, 4 * time.Minute, 16 * time.Minute} {
		if last = fetched(t, h, ws, never); last.Status != "uploading" {
			t.Fatalf("after %d tries: %+v", i+1, last)
		}
		h.Clock.Advance(wait - time.Second)
		must(t, h.App.Intake().RequeueOrFailStalledFiles(t.Context()))
		before := h.Jobs("fetch")
		h.Clock.Advance(time.Second)
		must(t, h.App.Intake().RequeueOrFailStalledFiles(t.Context()))
		if n := h.Jobs("fetch"); n != before+1 {
			t.Errorf("%d jobs are new after %v", n-before, wait)
		}
		must(t, h.App.Intake().ClaimAndDownloadFile(t.Context(), ws.ID, ws.MediaID(comes)))
		if i == 2 {
			there := photo(true)
			answers.Store(&there)
			if m := fetched(t, h, ws, comes); m.Status != "processing" {
				t.Errorf("when it is there: %+v", m)
			}
			must(t, h.App.DeleteMedia(t.Context(), ws.Owner, comes.ID))
			h.WorkDiscards()
			answers.Store(&away)
		}
	}
	fails(t, h, ws, fetched(t, h, ws, never), "could not be downloaded")
	asked := len(w.Asked())
	fetched(t, h, ws, never)
	if len(w.Asked()) != asked {
		t.Error("it is asked for again")
	}
}

func TestASourceThatGivesNothingFailsAtOnce(t *testing.T) {
	t.Parallel()
	w := fetchtest.New(t, func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/inside" {
			http.Redirect(rw, r, "https://127.0.0.1/secrets", http.StatusFound)
			return
		}
		http.NotFound(rw, r)
	})
	h := apptest.New(t, onWorld(w))
	ws := h.Workspace("one")
	said := map[string]bool{}
	for _, address := range []string{"https://example.com/gone", "https://example.com/inside", "https://nowhere.example.com/"} {
		m := fetched(t, h, ws, fromURL(t, h, ws, address))
		fails(t, h, ws, m, "could not be downloaded")
		said[*m.FailReason] = true
	}
	if len(said) != 1 {
		t.Errorf("a person can tell them apart: %v", said)
	}
	for _, to := range w.Dials() {
		if to != fetchtest.Here() {
			t.Errorf("dialed %v", to)
		}
	}
}

func TestAFetchedFileIsHeldToThePlan(t *testing.T) {
	t.Parallel()
	var size atomic.Int64
	serve := func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/unsaid" {
			_ = http.NewResponseController(rw).Flush()
		}
		_, _ = rw.Write(make([]byte, size.Load()))
	}
	plans := core.DefaultPlans()
	plan := plans[core.PlanCreator]
	plan.FileBytes, plan.StorageBytes = new(int64(20_000_000)), new(int64(30_000_000))
	plans[core.PlanCreator] = plan
	h := apptest.New(t, onWorld(fetchtest.New(t, serve)), func(cfg *app.Config) { cfg.Plans = plans })
	ws := h.WorkspaceOn(core.PlanCreator, "one", "UTC")
	for _, path := range []string{"/said", "/unsaid"} {
		size.Store(20_000_001)
		fails(t, h, ws, fetched(t, h, ws, fromURL(t, h, ws, "https://example.com"+path)), "larger than the subscription plan")
		size.Store(20_000_000)
		first := fetched(t, h, ws, fromURL(t, h, ws, "https://example.com"+path))
		size.Store(10_000_001)
		second := fetched(t, h, ws, fromURL(t, h, ws, "https://example.com"+path))
		if first.Status != "processing" || second.Status != "failed" || !strings.Contains(*second.FailReason, "no storage left") ||
			charged(t, h, ws) != 20_000_000 {
			t.Errorf("%s: %s and %s, %d bytes are counted", path, first.Status, second.Status, charged(t, h, ws))
		}
		size.Store(10_000_000)
		third := fetched(t, h, ws, fromURL(t, h, ws, "https://example.com"+path))
		if third.Status != "processing" || charged(t, h, ws) != 30_000_000 {
			t.Errorf("%s: the last byte: %+v", path, third)
		}
		_, err := h.App.AddMediaForDownload(t.Context(), ws.Owner, contract.MediaFromURL{URL: "https://example.com/"})
		want(t, core.CodeQuotaExceeded, err)
		must(t, h.App.DeleteMedia(t.Context(), ws.Owner, first.ID))
		must(t, h.App.DeleteMedia(t.Context(), ws.Owner, third.ID))
		h.WorkDiscards()
	}
}

func TestFetchRefusals(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws, other := h.Workspace("one"), h.Workspace("two")
	const address = "https://example.com/a.jpg"
	for _, c := range []struct {
		by   core.Caller
		in   contract.MediaFromURL
		want core.Code
	}{
		{ws.Member(core.RoleViewer), contract.MediaFromURL{URL: address}, core.CodeInsufficientScope},
		{ws.Owner, contract.MediaFromURL{URL: "http://example.com/a.jpg"}, core.CodeInvalidRequest},
		{ws.Owner, contract.MediaFromURL{URL: "https://10.0.0.1/a.jpg"}, core.CodeInvalidRequest},
		{ws.Owner, contract.MediaFromURL{URL: address, Filename: "a\nb"}, core.CodeInvalidRequest},
		{ws.Owner, contract.MediaFromURL{URL: address, Filename: strings.Repeat("a", 256)}, core.CodeInvalidRequest},
		{ws.Owner, contract.MediaFromURL{URL: address, FolderID: new(other.Folder("theirs", "").ID)}, core.CodeNotFound},
		{ws.Owner, contract.MediaFromURL{URL: "http://example.com", FolderID: new("x")}, core.CodeInvalidRequest},
	} {
		_, err := h.App.AddMediaForDownload(t.Context(), c.by, c.in)
		want(t, c.want, err)
	}
	list, err := h.App.ListMedia(t.Context(), ws.Owner, contract.ListMedia{})
	if err != nil || len(list.Media) != 0 || h.Jobs("fetch") != 0 {
		t.Errorf("left: %+v, %d jobs, %v", list, h.Jobs("fetch"), err)
	}
}

// At least 120 hostile addresses, through the operation and the worker: nothing but the world's own server is ever
// dialed, and all failures read alike.
func TestHostileAddressesAreNotFetched(t *testing.T) {
	t.Parallel()
	w := fetchtest.Hostile(t, http.NotFound)
	h := apptest.New(t, onWorld(w))
	ws := h.Workspace("one")
	addresses := fetchtest.Misshapen()
	for _, host := range fetchtest.Inside() {
		addresses = append(addresses, "https://"+host+"/a.jpg")
	}
	if len(addresses) < 120 {
		t.Errorf("only %d addresses", len(addresses))
	}
	var atOnce, later atomic.Int32
	var all sync.WaitGroup
	turn := make(chan struct{}, 8) // as many of one workspace are fetched at once
	for _, address := range addresses {
		all.Go(func() {
			turn <- struct{}{}
			defer func() { <-turn }()
			m, err := h.App.AddMediaForDownload(t.Context(), ws.Owner, contract.MediaFromURL{URL: address})
			if core.CodeOf(err) == core.CodeInvalidRequest {
				atOnce.Add(1)
				return
			}
			later.Add(1)
			if err == nil {
				err = h.App.Intake().ClaimAndDownloadFile(t.Context(), ws.ID, ws.MediaID(m))
			}
			if err != nil {
				t.Errorf("%q: %v", address, err)
				return
			}
			if m = ws.Media(m.ID); m.Status != "failed" || !strings.Contains(*m.FailReason, "could not be downloaded") {
				t.Errorf("%q: %+v", address, m)
			}
		})
	}
	all.Wait()
	if dialed := w.Dials(); len(dialed) > 0 {
		t.Errorf("dialed %v", dialed)
	}
	if charged(t, h, ws) != 0 || len(blobs(t, h)) != 0 || atOnce.Load() < 60 || later.Load() < 30 {
		t.Errorf("%d refused at once, %d later, kept %v", atOnce.Load(), later.Load(), blobs(t, h))
	}
}

// Where a file comes from is kept sealed, told to nobody and forgotten once the file is there.
func TestASourceIsKeptSealed(t *testing.T) {
	t.Parallel()
	h := apptest.New(t, onWorld(fetchtest.New(t, photo(true))))
	ws := h.Workspace("one")
	m := fromURL(t, h, ws, "https://example.com/a.jpg?key=canary")
	kept := func() (source []byte) {
		must(t, h.Pool.QueryRow(t.Context(), `SELECT source FROM media WHERE id = $1`, ws.MediaID(m)).Scan(&source))
		return source
	}
	if source := kept(); len(source) == 0 || bytes.Contains(source, []byte("canary")) {
		t.Errorf("kept as %q", source)
	}
	fetched(t, h, ws, m)
	if source := kept(); source != nil {
		t.Errorf("still kept: %q", source)
	}
}

func TestOneOfManyFetchesAFile(t *testing.T) {
	t.Parallel()
	w := fetchtest.New(t, photo(true))
	h := apptest.New(t, onWorld(w))
	ws := h.Workspace("one")
	m := fromURL(t, h, ws, "https://example.com/a.jpg")
	var all sync.WaitGroup
	for _, a := range []*app.App{h.App, h.Replica(), h.App, h.Replica()} {
		all.Go(func() {
			if err := a.Intake().ClaimAndDownloadFile(t.Context(), ws.ID, ws.MediaID(m)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := ws.Media(m.ID); got.Status != "processing" || len(w.Asked()) != 1 || len(blobs(t, h)) != 1 ||
		charged(t, h, ws) != got.Size || h.Jobs("process") != 1 {
		t.Errorf("it is %+v after %d requests", got, len(w.Asked()))
	}
}

// halfWay is a server that waits in the middle of a file, and the signal that it does.
func halfWay(t *testing.T) (w *fetchtest.World, waits chan struct{}) {
	t.Helper()
	waits = make(chan struct{}, 10)
	return fetchtest.New(t, func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Length", "1000")
		_, _ = rw.Write(make([]byte, 500))
		_ = http.NewResponseController(rw).Flush()
		waits <- struct{}{}
		<-r.Context().Done()
	}), waits
}

// A worker that stops gives the file back, and that does not count as a try.
func TestAWorkerThatStopsGivesTheFileBack(t *testing.T) {
	t.Parallel()
	w, waits := halfWay(t)
	h := apptest.New(t, onWorld(w))
	ws := h.Workspace("one")
	m := fromURL(t, h, ws, "https://example.com/a.jpg")
	for range 6 { // more than the tries
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- h.App.Intake().ClaimAndDownloadFile(ctx, ws.ID, ws.MediaID(m)) }()
		<-waits
		stop()
		must(t, <-done)
		must(t, h.App.Intake().RequeueOrFailStalledFiles(t.Context()))
	}
	if got := ws.Media(m.ID); got.Status != "uploading" || h.Jobs("fetch") != 7 || len(blobs(t, h)) != 0 {
		t.Errorf("it is %+v, with %d jobs", got, h.Jobs("fetch"))
	}
	if n, err := h.Config.Blobs.RemoveUnfinishedPuts(t.Context(), time.Now().Add(time.Hour)); err != nil || n != 0 {
		t.Errorf("left over: %d, %v", n, err)
	}
}

func TestAFileDeletedWhileItIsFetchedLeavesNothing(t *testing.T) {
	t.Parallel()
	asked, deleted := make(chan struct{}), make(chan struct{})
	h := apptest.New(t, onWorld(fetchtest.New(t, func(rw http.ResponseWriter, _ *http.Request) {
		close(asked)
		<-deleted
		_, _ = rw.Write(make([]byte, 500))
	})))
	ws := h.Workspace("one")
	m := fromURL(t, h, ws, "https://example.com/a.jpg")
	done := make(chan error, 1)
	go func() { done <- h.App.Intake().ClaimAndDownloadFile(t.Context(), ws.ID, ws.MediaID(m)) }()
	<-asked
	must(t, h.App.DeleteMedia(t.Context(), ws.Owner, m.ID))
	close(deleted)
	must(t, <-done)
	if charged(t, h, ws) != 0 || len(blobs(t, h)) != 0 {
		t.Errorf("left: %v", blobs(t, h))
	}
}

// The storage does not take the bytes: it is tried again, and what is said in the end blames nobody else.
func TestAFetchedFileThatCannotBeStored(t *testing.T) {
	t.Parallel()
	h := apptest.New(t, onWorld(fetchtest.New(t, photo(true))), func(cfg *app.Config) { cfg.Blobs = fullStore{cfg.Blobs} })
	ws := h.Workspace("one")
	m := fromURL(t, h, ws, "https://example.com/a.jpg")
	for range 4 {
		if got := fetched(t, h, ws, m); got.Status != "uploading" {
			t.Fatalf("it is %+v", got)
		}
	}
	fails(t, h, ws, fetched(t, h, ws, m), "could not be processed")
}

func TestARepeatedRequestFetchesOnce(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	from, ok := app.FindOperation("media_from_url")
	if !ok {
		t.Fatal("there is no such operation")
	}
	ask := func() (app.Answer, error) {
		return h.App.RunOperation(t.Context(), from, app.Request{
			Caller: ws.Owner, Decode: app.NewFixedInputDecoder(contract.MediaFromURL{URL: "https://example.com/a.jpg"}),
			ReplayKey: &app.ReplayKey{Route: "POST /media/from-url", Key: "k", Body: []byte("b"), Status: 202},
		})
	}
	first, err := ask()
	must(t, err)
	again, err := ask()
	if err != nil || first.Replayed || !again.Replayed || again.Status != 202 || !bytes.Equal(again.Body, first.Body) ||
		h.Jobs("fetch") != 1 {
		t.Errorf("%+v, %v", again, err)
	}
}

// Sources of one workspace that are slow hold up nobody else's files.
func TestAWorkspaceFetchesAFewFilesAtOnce(t *testing.T) {
	t.Parallel()
	w, waits := halfWay(t)
	h := apptest.New(t, onWorld(w))
	one, two := h.Workspace("one"), h.Workspace("two")
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	start := func(ws *apptest.Workspace) {
		m := fromURL(t, h, ws, "https://example.com/a.jpg")
		all.Go(func() {
			if err := h.App.Intake().ClaimAndDownloadFile(ctx, ws.ID, ws.MediaID(m)); err != nil {
				t.Error(err)
			}
		})
		<-waits
	}
	for range 8 {
		start(one)
	}
	ninth := fromURL(t, h, one, "https://example.com/a.jpg")
	if m := fetched(t, h, one, ninth); m.Status != "uploading" || len(w.Asked()) != 8 {
		t.Errorf("it is %+v after %d requests", m, len(w.Asked()))
	}
	start(two)
	stop()
	all.Wait()
	before := h.Jobs("fetch")
	h.Clock.Advance(10 * time.Second)
	must(t, h.App.Intake().RequeueOrFailStalledFiles(t.Context()))
	if n := h.Jobs("fetch") - before; n != 10 {
		t.Errorf("%d files get another turn", n)
	}
}

func TestAnAddressOverHTTPIsToldSo(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	owner := h.Workspace("one").Owner
	for address, says := range map[string]string{
		"http://example.org/a.jpg": "Files cannot be downloaded from an address that begins with http://.",
		"ftp://example.org/a.jpg":  "Files cannot be downloaded from this address.",
	} {
		_, err := h.App.AddMediaForDownload(t.Context(), owner, contract.MediaFromURL{URL: address})
		if e := core.ErrorOrInternal(err); e.Code != core.CodeInvalidRequest || e.Message != says {
			t.Errorf("%s: %v", address, err)
		}
	}
}
