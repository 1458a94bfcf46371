package web_test

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/media/mediatest"
)

// uploadComposerFiles presses the button for files with a form of pairs and new files.
func (b *browser) uploadComposerFiles(target string, pairs []string, files map[string][]byte) *page {
	b.r.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for i := 0; i < len(pairs); i += 2 {
		must(b.r.t, form.WriteField(pairs[i], pairs[i+1]))
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		content := files[name]
		part, err := form.CreateFormFile("upload", name)
		must(b.r.t, err)
		_, err = part.Write(content)
		must(b.r.t, err)
	}
	must(b.r.t, form.Close())
	return b.send(http.MethodPost, target, body.String(), "Content-Type", form.FormDataContentType())
}

// chosen are the names of the files that the form has, in order.
func (p *page) chosen() (names []string) {
	for _, n := range p.all(testid("file") + " .file-name") {
		names = append(names, textOf(n))
	}
	return names
}

func TestComposerOffersACarouselOnlySettingsThatAreSent(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	first, second := s.ws.File("noon.jpg", mediatest.JPEG(640, 640)), s.ws.File("bell.jpg", mediatest.JPEG(640, 640))
	input := `[name="settings.instagram.altText"]`
	one := []string{"account", s.ws.Account("instagram").ID, "text", "Both", "when", "draft", "media", first.ID}
	carousel := append(slices.Clone(one), "media", second.ID)
	if page := s.b.post("/compose/plan", one...); len(page.all(input)) != 1 {
		t.Error("a description of the only image is not offered")
	}
	if page := s.b.post("/compose/plan", carousel...); len(page.all(input)) != 0 || len(page.all(testid("plan-row"))) != 1 {
		t.Errorf("a carousel: %s", page.text())
	}
	page := s.b.post("/compose/plan", append(carousel, "settings.instagram.altText", "A bell")...)
	page.one(t, input)
	if got := textOf(page.one(t, testid("setting-instagram-altText-error"))); !strings.Contains(got, "is not used") {
		t.Errorf("beside what was typed before: %q", got)
	}
	page.one(t, testid("plan-row")+`[data-ok="true"]`)
}

func TestFilesOfTheLibraryAreChosenAndOrdered(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	first, second := s.ws.File("noon.jpg", mediatest.JPEG(640, 640)), s.ws.File("bell.jpg", mediatest.JPEG(640, 640))
	page := s.b.get("/compose").is(t, http.StatusOK)
	if n := len(page.all(testid("library-file"))); n != 2 || len(page.chosen()) != 0 {
		t.Fatalf("%d files are offered, and %v are chosen already", n, page.chosen())
	}
	pairs := []string{"account", s.threads.ID, "text", "Both", "when", "draft", "media", first.ID, "media", second.ID}
	page = s.b.uploadComposerFiles("/compose/files", pairs, nil).is(t, http.StatusOK)
	if got := page.chosen(); !slices.Equal(got, []string{"noon.jpg", "bell.jpg"}) ||
		len(page.all(testid("library-file"))) != 0 || page.value(t, "text") != "Both" {
		t.Fatalf("chosen are %v: %s", got, page.text())
	}
	page.one(t, `[name="settings.threads.altText"]`) // of use to a post with files
	page = s.b.post("/compose/plan", append(pairs, "earlier", second.ID)...).is(t, http.StatusOK)
	if got := page.chosen(); !slices.Equal(got, []string{"bell.jpg", "noon.jpg"}) {
		t.Errorf("moved earlier: %v", got)
	}
	page = s.b.post("/compose/plan", append(pairs, "later", first.ID)...).is(t, http.StatusOK)
	if got := page.chosen(); !slices.Equal(got, []string{"bell.jpg", "noon.jpg"}) {
		t.Errorf("moved later: %v", got)
	}
	page = s.b.post("/compose/plan", append(pairs, "remove", first.ID)...).is(t, http.StatusOK)
	if got := page.chosen(); !slices.Equal(got, []string{"bell.jpg"}) || len(page.all(testid("library-file"))) != 1 {
		t.Errorf("removed: %v", got)
	}
	s.b.post("/posts", pairs...).is(t, http.StatusSeeOther)
	if got := s.all()[0].MediaIDs; !slices.Equal(got, []string{first.ID, second.ID}) {
		t.Errorf("the post has %v", got)
	}
}

func TestFilesAreUploadedInTheComposer(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	s.processFiles()
	pairs := []string{"account", s.threads.ID, "text", "A new one", "when", "draft"}
	page := s.b.uploadComposerFiles("/compose/files", pairs, map[string][]byte{`C:\photos\new.jpg`: mediatest.JPEG(640, 640)})
	if got := page.is(t, http.StatusOK).chosen(); !slices.Equal(got, []string{"new.jpg"}) {
		t.Fatalf("chosen are %v: %s", got, page.text())
	}
	s.b.post("/posts", append(pairs, "media", attribute(page.one(t, testid("file")+" [name=media]"), "value"))...).
		is(t, http.StatusSeeOther)
	if files := s.all()[0].MediaIDs; len(files) != 1 || s.ws.Media(files[0]).OriginalName != "new.jpg" {
		t.Errorf("the post has %v", files)
	}

	page = s.b.uploadComposerFiles("/compose/files", pairs, map[string][]byte{"page.jpg": []byte("<!doctype html>")})
	page.is(t, http.StatusBadRequest).one(t, testid("media-error"))
	if page.says(t, "page.jpg cannot be used."); len(page.chosen()) != 0 || page.value(t, "text") != "A new one" {
		t.Errorf("%v is chosen: %s", page.chosen(), page.text())
	}
	// Without the button for files, a browser sends a file's name alone.
	page = s.b.post("/posts", append(pairs, "upload", "late.jpg")...).is(t, http.StatusBadRequest)
	if page.says(t, "late.jpg has not been uploaded yet."); len(s.all()) != 1 {
		t.Error("the post went out without its file")
	}
	s.b.post("/compose/files", pairs...).is(t, http.StatusUnsupportedMediaType)
	s.b.send(http.MethodPost, "/compose/files", "--b", "Content-Type", "multipart/form-data; boundary=b").
		is(t, http.StatusBadRequest)
}

// A person who ticked a file wants no post without it, even if somebody has deleted it meanwhile.
func TestAFormNamingAFileThatIsGoneIsRefused(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	kept, gone := s.ws.File("kept.jpg", mediatest.JPEG(640, 640)), s.ws.File("gone.jpg", mediatest.JPEG(640, 640))
	must(t, s.App.DeleteMedia(t.Context(), s.ws.Owner, gone.ID))
	foreign := s.Workspace("two").File("foreign.jpg", mediatest.JPEG(640, 640))
	draft := s.ws.Draft("before", s.threads)
	for _, id := range []string{gone.ID, foreign.ID, "med_01kbmwz6v3f1ht6hz9n8q4w2ce", "nonsense"} {
		pairs := []string{"account", s.threads.ID, "text", "With both", "when", "now", "media", kept.ID, "media", id}
		for _, target := range []string{"/posts", "/posts/" + draft.ID + "/edit"} {
			page := s.b.post(target, pairs...).is(t, http.StatusBadRequest)
			page.one(t, testid("media-error"))
			page.says(t, "no longer in the library")
			if got := page.chosen(); !slices.Equal(got, []string{"kept.jpg"}) || page.value(t, "text") != "With both" {
				t.Errorf("%s: the form has %v: %s", id, got, page.text())
			}
		}
	}
	if all := s.all(); len(all) != 1 || all[0].Status != "draft" || all[0].Text != "before" {
		t.Errorf("the posts are %+v", all)
	}
}

// The error that said so came after the posts were made.
func TestADescriptionThatIsTooLongMakesNoPost(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	one, two := s.ws.File("one.jpg", mediatest.JPEG(640, 640)), s.ws.File("two.jpg", mediatest.JPEG(640, 640))
	draft := s.ws.Draft("before", s.threads)
	pairs := []string{
		"account", s.threads.ID, "text", "With both", "when", "draft", "media", one.ID, "media", two.ID,
		"alt." + two.ID, strings.Repeat("a", 10_001),
	}
	for _, target := range []string{"/posts", "/posts/" + draft.ID + "/edit"} {
		page := s.b.post(target, pairs...).is(t, http.StatusBadRequest)
		if page.value(t, "text") != "With both" || len(page.value(t, "alt."+two.ID)) != 10_001 {
			t.Errorf("%s: the form has lost what was entered", target)
		}
	}
	if all := s.all(); len(all) != 1 || all[0].Text != "before" {
		t.Errorf("the posts are %+v", all)
	}
}

// However many files there are, their person waits once.
func TestTheComposerDoesNotWaitForEveryFile(t *testing.T) {
	t.Parallel()
	s := newStudio(t) // which processes no files
	files := map[string][]byte{
		"a.jpg": mediatest.JPEG(64, 64), "b.jpg": mediatest.JPEG(64, 64), "c.jpg": mediatest.JPEG(64, 64),
	}
	began := time.Now()
	page := s.b.uploadComposerFiles("/compose/files", []string{"account", s.threads.ID, "when", "draft"}, files).is(t, http.StatusOK)
	if took := time.Since(began); len(page.chosen()) != 3 || took > 18*time.Second {
		t.Errorf("after %s, chosen are %v", took, page.chosen())
	}
}

func TestAFileThatCannotBeUsedLeavesTheOthers(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	s.processFiles()
	files := map[string][]byte{
		"a.jpg": mediatest.JPEG(64, 64), "page.jpg": []byte("<!doctype html>"), "z.jpg": mediatest.JPEG(64, 64),
	}
	page := s.b.uploadComposerFiles("/compose/files", []string{"account", s.threads.ID, "when", "draft"}, files).
		is(t, http.StatusBadRequest)
	names := page.chosen()
	slices.Sort(names)
	if page.says(t, "page.jpg cannot be used."); !slices.Equal(names, []string{"a.jpg", "z.jpg"}) {
		t.Errorf("chosen are %v", names)
	}
}

// processFiles processes files as they arrive, as a worker does.
func (s *studio) processFiles() {
	ctx, cancel := context.WithCancel(context.WithoutCancel(s.t.Context()))
	var working sync.WaitGroup
	s.t.Cleanup(func() {
		cancel()
		working.Wait()
	})
	working.Go(func() {
		for tick := time.NewTicker(20 * time.Millisecond); ctx.Err() == nil; <-tick.C {
			list, err := s.App.ListMedia(ctx, s.ws.Owner, contract.ListMedia{Status: "processing"})
			for _, m := range list.Media {
				err = errors.Join(err, s.App.Intake().ClaimAndProcessFile(ctx, s.ws.ID, s.ws.MediaID(m)))
			}
			if err != nil && ctx.Err() == nil {
				s.t.Error(err)
			}
		}
	})
}

func TestFilesOfADraftAreChanged(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	first, second := s.ws.File("noon.jpg", mediatest.JPEG(640, 640)), s.ws.File("bell.jpg", mediatest.JPEG(640, 640))
	made, err := s.App.CreatePosts(t.Context(), s.ws.Owner, contract.CreatePosts{PlanPosts: contract.PlanPosts{
		Targets: contract.Targets{AccountIDs: []string{s.threads.ID}}, MediaIDs: []string{first.ID}, Text: "One",
	}, Confirm: true})
	must(t, err)
	draft := "/posts/" + made.Posts[0].ID
	form := func(media ...string) []string {
		pairs := []string{"text", "One", "when", "draft", "media", ""}
		for _, id := range media {
			pairs = append(pairs, "media", id)
		}
		return pairs
	}
	page := s.b.uploadComposerFiles(draft+"/edit/files", form(first.ID, second.ID), nil).is(t, http.StatusOK)
	if got := page.chosen(); !slices.Equal(got, []string{"noon.jpg", "bell.jpg"}) {
		t.Errorf("chosen are %v", got)
	}
	for _, media := range [][]string{{first.ID, second.ID}, {second.ID}, nil} {
		s.b.post(draft+"/edit", form(media...)...).leads(t, draft)
		if got := s.all()[0].MediaIDs; !slices.Equal(got, media) && len(got)+len(media) > 0 {
			t.Errorf("the draft has %v, want %v", got, media)
		}
	}
}

// A form of a gigabyte was spooled to disk for a workspace that had room for a few bytes. Here, nothing can be spooled.
func TestFilesThatTheWorkspaceHasNoRoomForAreNotSpooled(t *testing.T) {
	s := newStudio(t, func(c *app.Config) {
		c.Plans = maps.Clone(c.Plans)
		owner := c.Plans[core.PlanOwner]
		owner.StorageBytes = new(int64(1_000_000))
		c.Plans[core.PlanOwner] = owner
	})
	t.Setenv("TMPDIR", "/nowhere")
	pairs := []string{"account", s.threads.ID, "text", "Not lost", "when", "draft"}
	large := map[string][]byte{"large.jpg": make([]byte, 3<<20)}
	page := s.b.uploadComposerFiles("/compose/files", pairs, large).is(t, http.StatusPaymentRequired)
	if page.says(t, "of its 1 MB"); page.value(t, "text") != "Not lost" {
		t.Error("the text is lost")
	}
	page = s.b.follow(s.b.uploadComposerFiles("/media/files", nil, large).is(t, http.StatusSeeOther))
	page.says(t, "of its 1 MB")
	if list, err := s.App.ListMedia(t.Context(), s.ws.Owner, contract.ListMedia{}); err != nil || len(list.Media) != 0 {
		t.Errorf("%d files were reserved, %v", len(list.Media), err)
	}
}

// Inputs without a value, or with a long name, took any amount of memory.
func TestAFormThatIsTooLargeMayNotHaveAnyNumberOfInputs(t *testing.T) {
	t.Parallel()
	s := newStudio(t, func(c *app.Config) {
		c.Plans = maps.Clone(c.Plans)
		owner := c.Plans[core.PlanOwner]
		owner.StorageBytes = new(int64(1_000_000))
		c.Plans[core.PlanOwner] = owner
	})
	large := map[string][]byte{"large.jpg": make([]byte, 3<<20)}
	var empty, long []string
	for range 1_001 {
		empty = append(empty, "tag", "")
	}
	for range 12 {
		long = append(long, strings.Repeat("x", 100_000), "")
	}
	for name, pairs := range map[string][]string{"empty inputs": empty, "long names": long} {
		page := s.b.uploadComposerFiles("/compose/files", pairs, large)
		if page.StatusCode != http.StatusBadRequest {
			t.Errorf("a form with %s is answered %d", name, page.StatusCode)
		}
	}
}

func TestViewersAddNoFiles(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	viewer := s.seat(s.ws.Member(core.RoleViewer))
	viewer.uploadComposerFiles("/compose/files", nil, map[string][]byte{"a.jpg": mediatest.JPEG(64, 64)}).is(t, http.StatusForbidden)
	if page := viewer.get("/compose"); page.StatusCode != http.StatusForbidden {
		t.Errorf("the composer answers %d", page.StatusCode)
	}
}

// A switch that is on by default could not be turned off: a form does not send what is not ticked.
func TestSwitchesThatAreOnByDefaultCanBeTurnedOff(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	channel := s.ws.Account("youtube")
	const embeddable = "settings.youtube.embeddable"
	page := s.b.get("/compose?account="+channel.ID).is(t, http.StatusOK)
	page.one(t, `[type=checkbox][name="`+embeddable+`"][checked]`)
	clip := s.ws.File("clip.mp4", mediatest.MP4(mediatest.Movie{}))
	pairs := []string{
		"account", channel.ID, "title", "One", "when", "draft", "media", clip.ID, embeddable, "false",
	}
	settings := func() string { return string(s.all()[0].Settings) }
	s.b.post("/posts", append(pairs, embeddable, "true")...).is(t, http.StatusSeeOther)
	if got := settings(); got != "{}" {
		t.Errorf("what is as it is by default is stored: %s", got)
	}
	s.b.post("/posts", pairs...).is(t, http.StatusSeeOther)
	if got := settings(); !strings.Contains(got, `"embeddable": false`) {
		t.Fatalf("the settings are %s", got)
	}
	if page = s.b.get("/posts/" + s.all()[0].ID + "/edit"); len(page.all(`[name="`+embeddable+`"][checked]`)) != 0 {
		t.Error("the draft's form has it on")
	}
}

// The input took milliseconds, although players show seconds.
func TestTimesInAVideoAreEnteredInSeconds(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	account := s.ws.Account("tiktok")
	const cover = "settings.tiktok.coverMs"
	clip := s.ws.File("clip.mp4", mediatest.MP4(mediatest.Movie{}))
	s.b.post("/posts", "account", account.ID, "when", "draft", "media", clip.ID, cover, "1.5").is(t, http.StatusSeeOther)
	p := s.all()[0]
	if got := string(p.Settings); !strings.Contains(got, `"coverMs": 1500`) {
		t.Errorf("the settings are %s", got)
	}
	page := s.b.get("/posts/" + p.ID + "/edit")
	page.one(t, `[name="`+cover+`"][value="1.5"][step=any]`)
	if !strings.Contains(textOf(page.one(t, "main")), "Seconds from the start of the video") {
		t.Error("the form does not say that the time is in seconds")
	}
	if text := textOf(s.b.get("/posts/"+p.ID).one(t, "main")); !strings.Contains(text, "1.5 s") {
		t.Errorf("the post shows %s", text)
	}
}

// The input counted the photos from 0, although the files beside it are numbered from 1.
func TestPeopleCountTheFilesOfAPostFromOne(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	account := s.ws.Account("tiktok")
	const cover = "settings.tiktok.photoCoverIndex"
	pairs := []string{"account", account.ID, "text", "hello", "when", "draft"}
	for _, name := range []string{"a.jpg", "b.jpg"} {
		pairs = append(pairs, "media", s.ws.File(name, mediatest.JPEG(1080, 1080)).ID)
	}
	s.b.post("/posts", append(pairs, cover, "2")...).is(t, http.StatusSeeOther)
	p := s.all()[0]
	if got := string(p.Settings); !strings.Contains(got, `"photoCoverIndex": 1`) {
		t.Errorf("the settings are %s", got)
	}
	page := s.b.get("/posts/" + p.ID + "/edit")
	page.one(t, `[name="`+cover+`"][value="2"][min="1"][max="35"]`)
	if !strings.Contains(textOf(page.one(t, "main")), "such as 1 for the first file") {
		t.Error("the form does not say how the files are counted")
	}
	if text := textOf(s.b.get("/posts/"+p.ID).one(t, testid("settings")+" dd")); text != "2" {
		t.Errorf("the post shows %q", text)
	}
	for number, want := range map[string]string{
		"0": "Cover photo must be the number of a file in the post, such as 1.",
		"3": "The cover must be one of the post's photos.",
	} {
		s.b.part(http.MethodPost, "/compose/plan", append(pairs, cover, number)...).says(t, want)
	}
}
