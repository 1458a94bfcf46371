package web_test

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/media/mediatest"
)

// files are the names of the files that a page of the library lists, in order.
func (p *page) files() string {
	var names []string
	for _, n := range p.all(testid("file") + " .gallery-name") {
		names = append(names, textOf(n))
	}
	return strings.Join(names, " ")
}

// follow sends the browser where a page leads.
func (b *browser) follow(p *page) *page {
	b.r.t.Helper()
	return b.get(p.is(b.r.t, http.StatusSeeOther).Header.Get("Location")).is(b.r.t, http.StatusOK)
}

func TestTheLibraryListsFilesByFolderAndFilter(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	folder := s.ws.Folder("Summer", "")
	inside := s.ws.Folder("Beach", folder.ID)
	s.Clock.Advance(time.Second)
	noon := s.ws.File("noon.jpg", mediatest.JPEG(64, 64))
	s.Clock.Advance(time.Second)
	s.ws.File("clip.mp4", mediatest.MP4(mediatest.Movie{}))
	_, err := s.App.EditMedia(t.Context(), s.ws.Owner, contract.EditMedia{ID: noon.ID, FolderID: contract.Some(inside.ID)})
	must(t, err)
	for address, want := range map[string]string{
		"/media":                              "clip.mp4 noon.jpg",
		"/media?sort=name&view=list":          "clip.mp4 noon.jpg",
		"/media?kind=image":                   "noon.jpg",
		"/media?q=CLIP":                       "clip.mp4",
		"/media?folder=root":                  "clip.mp4",
		"/media?folder=" + inside.ID:          "noon.jpg",
		"/media?folder=" + folder.ID:          "",
		"/media?use=unused&kind=video":        "clip.mp4",
		"/media?use=removed":                  "",
		"/media?after=" + noon.ID:             "",
		"/media?sort=oldest&after=" + noon.ID: "clip.mp4",
	} {
		page := s.b.get(address).is(t, http.StatusOK)
		if got := page.files(); got != want {
			t.Errorf("%s lists %q; want %q", address, got, want)
		}
		if empty := len(page.all(testid("empty"))); (empty == 1) != (want == "") {
			t.Errorf("%s: %d empty states", address, empty)
		}
	}
	page := s.b.get("/media?folder=" + inside.ID)
	if got := textOf(page.one(t, ".crumbs")); got != "All filesSummerBeach" {
		t.Errorf("the way to the folder is %q", got)
	}
	s.b.get("/media?folder=x").is(t, http.StatusNotFound)
	s.b.get("/media?sort=random").is(t, http.StatusBadRequest)
}

func TestTheLibraryHasPages(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	s.ws.File("first.jpg", mediatest.JPEG(64, 64))
	_, err := s.Pool.Exec(t.Context(), `
		INSERT INTO media (id, workspace_id, status, original_name, kind, mime, size, charged, created_at)
		SELECT gen_random_uuid(), workspace_id, 'ready', 'more ' || n, kind, mime, 1, 0, created_at + n * interval '1 second'
		FROM media, generate_series(1, 70) n`)
	must(t, err)
	page := s.b.get("/media").is(t, http.StatusOK)
	if n := len(page.all(testid("file"))); n != 60 || len(page.all(testid("first-page"))) != 0 {
		t.Errorf("the first page has %d files", n)
	}
	page = s.b.get(attribute(page.one(t, testid("next-page")), "href")).is(t, http.StatusOK)
	if n := len(page.all(testid("file"))); n != 11 || len(page.all(testid("next-page"))) != 0 {
		t.Errorf("the second page has %d files", n)
	}
	page.one(t, testid("first-page"))
	pick := s.b.part(http.MethodGet, "/media/pick").is(t, http.StatusOK)
	if n := len(pick.all(testid("picker-file"))); n != 60 {
		t.Errorf("the dialog has %d files", n)
	}
	more := s.b.get(attribute(pick.one(t, "#picker-more button"), "hx-get"), "HX-Request", "true", "HX-Target", "picker-more").
		is(t, http.StatusOK)
	if n := len(more.all(testid("picker-file"))); n != 11 || len(more.all(testid("picker"))) != 0 {
		t.Errorf("it continues with %d files", n)
	}
}

func TestFoldersAreMadeRenamedMovedAndDeleted(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	page := s.b.follow(s.b.post("/media/folders", "name", " Summer ", "parent", ""))
	if page.says(t, "Folder Summer created."); textOf(page.one(t, testid("folder-name"))) != "Summer" {
		t.Errorf("the page is %s", page.text())
	}
	folders, err := s.App.ListFolders(t.Context(), s.ws.Owner)
	must(t, err)
	summer := folders.Folders[0].ID
	page = s.b.post("/media/folders", "name", "summer").is(t, http.StatusConflict)
	if page.one(t, testid("new-folder-error")); attribute(page.one(t, "#new-folder"), "value") != "summer" {
		t.Error("what was typed is lost")
	}
	s.b.follow(s.b.post("/media/folders", "name", "Beach", "parent", summer))
	page = s.b.follow(s.b.post("/media/folders/"+summer, "name", "Autumn", "parent", ""))
	page.says(t, "Folder Autumn saved.")
	page = s.b.post("/media/folders/"+summer, "name", "", "parent", "").is(t, http.StatusBadRequest)
	page.one(t, testid("folder-name-error"))
	page = s.b.follow(s.b.post("/media/folders/" + summer + "/delete"))
	page.says(t, "The folder is not empty.")
	folders, err = s.App.ListFolders(t.Context(), s.ws.Owner)
	must(t, err)
	for _, f := range folders.Folders {
		if f.ID == summer {
			continue
		}
		s.b.follow(s.b.post("/media/folders/"+f.ID, "name", "Beach", "parent", ""))
		s.b.follow(s.b.post("/media/folders/" + f.ID + "/delete"))
	}
	s.b.follow(s.b.post("/media/folders/"+summer+"/delete")).says(t, "Folder Autumn deleted.")
	s.b.post("/media/folders/"+summer+"/delete").is(t, http.StatusNotFound)
}

func TestSelectedFilesAreChangedTogether(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	folder := s.ws.Folder("Summer", "")
	a, z := s.ws.File("a.jpg", mediatest.JPEG(64, 64)), s.ws.File("z.jpg", mediatest.JPEG(64, 64))
	both := []string{"file", a.ID, "file", z.ID, "back", "kind=image"}
	edit := func(says string, pairs ...string) *page {
		t.Helper()
		answer := s.b.post("/media/edit", append(pairs, both...)...)
		if to := answer.Header.Get("Location"); to != "/media?kind=image" {
			t.Errorf("it leads to %s", to)
		}
		p := s.b.follow(answer)
		p.says(t, says)
		return p
	}
	const selected = "[data-selects][checked]"
	if n := len(edit("2 files moved.", "act", "move", "folder", folder.ID).all(selected)); n != 0 {
		t.Errorf("%d files are still selected after they were moved", n)
	}
	bells := edit("2 files tagged with “bells”.", "act", "tag", "tag", " bells ")
	bells.one(t, testid("flash-next")+`[href="/media?tag=bells"]`)
	if n := len(bells.all(selected)); n != 2 {
		t.Errorf("%d of 2 tagged files are still selected", n)
	}
	tagged := edit("2 files tagged with “noon” and “dusk”.", "act", "tag", "tag", "noon, dusk,")
	if to := attribute(tagged.one(t, testid("flash-next")), "href"); to != "/media?tag=noon&tag=dusk" {
		t.Errorf("the link to the tagged files leads to %s", to)
	}
	if got := s.ws.Media(z.ID).Tags; !slices.Equal(got, []string{"bells", "noon", "dusk"}) {
		t.Errorf("the tags are %q", got)
	}
	edit("2 files no longer tagged with “noon” and “dusk”.", "act", "untag", "tag", "noon, dusk")
	if got := s.ws.Media(z.ID).Tags; !slices.Equal(got, []string{"bells"}) {
		t.Errorf("the tags are %q", got)
	}
	edit("2 files pinned.", "act", "pin")
	if got := s.ws.Media(a.ID); *got.FolderID != folder.ID || got.Tags[0] != "bells" || !got.Pinned {
		t.Errorf("the file is %+v", got)
	}
	edit("2 files no longer tagged with “bells”.", "act", "untag", "tag", "bells")
	edit("2 files unpinned.", "act", "unpin")
	edit("2 files moved.", "act", "move", "folder", "root")
	if got := s.ws.Media(z.ID); got.FolderID != nil || len(got.Tags) != 0 || got.Pinned {
		t.Errorf("the file is %+v", got)
	}
	edit("2 files tagged with “a”, “b”, “c”, “d”, “e” and 2 others.", "act", "tag", "tag", "a,b,c,d,e,f,g")
	edit("Enter a tag.", "act", "tag")
	s.b.follow(s.b.post("/media/edit", "act", "pin")).says(t, "Select 1 to 200 files.")
}

// "View tagged files" showed the files with the first of several tags.
func TestTheLibraryShowsFilesWithAllOfSeveralTags(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	for name, tags := range map[string][]string{"both.jpg": {"noon", "dusk"}, "one.jpg": {"noon"}, "comma.jpg": {"noon, dusk"}} {
		file := s.ws.File(name, mediatest.JPEG(64, 64))
		_, err := s.App.EditMedia(t.Context(), s.ws.Owner, contract.EditMedia{ID: file.ID, Tags: &tags})
		must(t, err)
	}
	shown := func(p *page) (names []string) {
		for _, n := range p.all(".gallery-name") {
			names = append(names, textOf(n))
		}
		return names
	}
	both := s.b.get("/media?tag=noon&tag=dusk").is(t, http.StatusOK)
	if got := shown(both); !slices.Equal(got, []string{"both.jpg"}) {
		t.Errorf("with both tags, it shows %q", got)
	}
	both.says(t, "Tag: noon", "Tag: dusk")
	both.one(t, ".filter-chip[href='/media?tag=noon']")
	if label := textOf(both.one(t, "label[for=filter-tag-2]")); label != "Tag 2" {
		t.Errorf("the second tag's label is %q", label)
	}
	if label := textOf(s.b.get("/media?tag=noon").one(t, "label[for=filter-tag-1]")); label != "Tag" {
		t.Errorf("the only tag's label is %q", label)
	}
	if form := both.form(t, "form.filter-form"); !slices.Equal(form["tag"], []string{"noon", "dusk"}) {
		t.Errorf("the filter keeps the tags %q", form["tag"])
	}
	if got := shown(s.b.get("/media?tag=noon%2C+dusk")); !slices.Equal(got, []string{"comma.jpg"}) {
		t.Errorf("with a tag that has a comma, it shows %q", got)
	}
	s.b.get("/media?tag="+strings.Repeat("x", 10_001)).is(t, http.StatusBadRequest)
}

func TestDeletingFilesAsksOnceAndKeepsThoseInUse(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	a, z := s.ws.File("a.jpg", mediatest.JPEG(64, 64)), s.ws.File("z.jpg", mediatest.JPEG(64, 64))
	draft := s.ws.Draft("waits", s.threads)
	_, err := s.App.EditPost(t.Context(), s.ws.Owner, contract.EditPost{ID: draft.ID, MediaIDs: &[]string{z.ID}})
	must(t, err)
	asked := s.b.post("/media/delete", "file", a.ID, "file", z.ID, "back", "sort=name").is(t, http.StatusOK)
	asked.says(t, "Delete 1 file?", "a.jpg", "1 file will not be deleted, because a post still needs it: z.jpg.")
	if s.ws.Media(a.ID).ID == "" {
		t.Error("it was deleted without being asked")
	}
	s.b.follow(s.b.send(http.MethodPost, "/media/delete", asked.form(t, testid("confirm-form")).Encode())).
		says(t, "1 file deleted.")
	if _, err := s.App.GetMedia(t.Context(), s.ws.Owner, a.ID); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("the file is there: %v", err)
	}
	s.b.post("/media/delete", "file", a.ID).is(t, http.StatusNotFound)
	const kept = "1 file was not deleted, because a post still needs it: z.jpg"
	refused := s.b.post("/media/delete", "file", z.ID).is(t, http.StatusConflict)
	refused.says(t, kept, "they are under “Used in”")
	refused.one(t, testid("file"))
	s.b.follow(s.b.post("/media/delete", "file", z.ID, "sure", "yes")).says(t, "0 files deleted. "+kept)
}

func TestTooManyFilesToDeleteAreRefusedInASentence(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	file := s.ws.File("a.jpg", mediatest.JPEG(64, 64))
	many := strings.Repeat("file="+file.ID+"&", 201)
	s.b.follow(s.b.send(http.MethodPost, "/media/delete", many)).says(t, "Select 1 to 200 files.")
}

func TestAFileHasAPage(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	folder := s.ws.Folder("Summer", "")
	file := s.ws.File("noon.jpg", mediatest.JPEG(640, 480))
	draft := s.ws.Draft("The bell at noon", s.threads)
	_, err := s.App.EditPost(t.Context(), s.ws.Owner, contract.EditPost{ID: draft.ID, MediaIDs: &[]string{file.ID}})
	must(t, err)
	address := "/media/files/" + file.ID
	page := s.b.get(address).is(t, http.StatusOK)
	page.says(t, "noon.jpg", "JPEG image", "640 × 480", "The bell at noon", "Kept until the last post with this file is live, and for 72 hours after that.")
	if src := attribute(page.one(t, testid("viewer")+" img"), "src"); !strings.HasSuffix(src, "/file.jpg") {
		t.Errorf("the picture is %s", src)
	}
	drawer := s.b.part(http.MethodGet, address).is(t, http.StatusOK)
	if len(drawer.all(".rail")) != 0 {
		t.Error("the drawer has a frame")
	}
	drawer.one(t, testid("file-page"))

	s.b.follow(s.b.post(address, "name", "Noon", "description", "A bell", "tags", "bells, noon,,bells", "folder", folder.ID,
		"pinned", "true", "back", "folder="+folder.ID)).says(t, "noon.jpg saved.")
	got := s.ws.Media(file.ID)
	if *got.Title != "Noon" || *got.Description != "A bell" || strings.Join(got.Tags, " ") != "bells noon" ||
		*got.FolderID != folder.ID || !got.Pinned {
		t.Errorf("the file is %+v", got)
	}
	long := strings.Repeat("x", 2001)
	page = s.b.post(address, "name", long, "description", "Still here", "tags", "", "folder", "root").is(t, http.StatusBadRequest)
	page.one(t, testid("file-name-error"))
	if page.value(t, "name") != long || page.value(t, "description") != "Still here" {
		t.Error("what was typed is lost")
	}
	s.b.follow(s.b.post(address, "name", "", "description", "", "tags", "", "folder", "root"))
	if got := s.ws.Media(file.ID); got.Title != nil || got.Description != nil || len(got.Tags) != 0 || got.FolderID != nil || got.Pinned {
		t.Errorf("the file is %+v", got)
	}
}

// The name was only a placeholder, so a person could not correct one letter of it.
func TestTheNameOfAFileCanBeCorrectedAndRemoved(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	file := s.ws.File("noom.jpg", mediatest.JPEG(64, 64))
	address := "/media/files/" + file.ID
	for _, c := range []struct{ typed, shown string }{{"noom.jpg", "noom.jpg"}, {"noon.jpg", "noon.jpg"}, {" ", "noom.jpg"}} {
		s.b.follow(s.b.post(address, "name", c.typed, "description", "", "tags", "", "folder", "root"))
		title, page := s.ws.Media(file.ID).Title, s.b.get(address)
		if name := page.value(t, "name"); name != c.shown || (title == nil) != (c.shown == "noom.jpg") {
			t.Errorf("after %q, the form shows %q, and the title is %v", c.typed, name, title)
		}
	}
}

func TestTheListOfFilesHasABoxForAllInItsHead(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	s.ws.File("noon.jpg", mediatest.JPEG(64, 64))
	s.b.get("/media?view=list").one(t, ".files-table thead [data-selects-all]")
	s.b.get("/media").one(t, ".files-head [data-selects-all]")
}

// Looking at many files took an open and a close of the drawer for each, and no file named its folder.
func TestAFileLeadsToItsNeighboursInTheListAndNamesItsFolder(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	folder := s.ws.Folder("Summer", "")
	var ids []string
	for _, name := range []string{"a.jpg", "b.jpg", "c.jpg"} {
		file := s.ws.File(name, mediatest.JPEG(64, 64))
		_, err := s.App.EditMedia(t.Context(), s.ws.Owner, contract.EditMedia{ID: file.ID, FolderID: contract.Some(folder.ID)})
		must(t, err)
		ids = append(ids, file.ID)
	}
	list := "?folder=" + folder.ID + "&sort=name"
	page := s.b.get("/media/files/" + ids[1] + list)
	for id, to := range map[string]string{"previous-file": ids[0], "next-file": ids[2]} {
		if link := attribute(page.one(t, testid(id)), "href"); link != "/media/files/"+to+list {
			t.Errorf("%s leads to %q", id, link)
		}
	}
	page.one(t, testid("previous-file")+"[data-arrow=ArrowLeft]")
	page.one(t, testid("next-file")+"[data-arrow=ArrowRight]")
	page.says(t, "Go from an open file to the previous or next one")
	if got := textOf(page.one(t, testid("file-folder"))); got != "Summer" {
		t.Errorf("the folder is %q", got)
	}
	for id, missing := range map[string]string{ids[0]: "previous-file", ids[2]: "next-file"} {
		if len(s.b.part(http.MethodGet, "/media/files/"+id+list).all(testid(missing))) != 0 {
			t.Errorf("there is a %s of the list's first or last", missing)
		}
	}
	if len(s.b.get("/media/files/"+ids[1]+"?sort=unknown").is(t, http.StatusOK).all(testid("next-file"))) != 0 {
		t.Error("a list that does not exist has a next file")
	}
}

func TestFilesAreUploadedWithoutAScript(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	folder := s.ws.Folder("Summer", "")
	files := map[string][]byte{"a.jpg": mediatest.JPEG(64, 64), "z.jpg": mediatest.JPEG(64, 64)}
	pairs := []string{"folder", folder.ID, "back", "folder=" + folder.ID}
	page := s.b.follow(s.b.uploadComposerFiles("/media/files", pairs, files))
	page.says(t, "2 files uploaded.", "Processing")
	if got := page.files(); got != "a.jpg z.jpg" {
		t.Errorf("the folder lists %q", got)
	}
	files["empty.jpg"], files["none.jpg"] = nil, nil
	s.b.follow(s.b.uploadComposerFiles("/media/files", pairs, files)).says(t, "2 files uploaded. "+
		"empty.jpg was not uploaded. The file is empty. 1 other file was not uploaded either.")
	s.b.follow(s.b.uploadComposerFiles("/media/files", pairs, nil)).says(t, "Select a file.")
}

func TestAScriptReservesUploadsOnce(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	content := mediatest.JPEG(64, 64)
	pairs := []string{"form", "AFORMTHATWASDRAWNSOMETIME2", "filename", "noon.jpg", "mime", "", "size", "7", "folder", ""}
	pairs[7] = strconv.Itoa(len(content))
	var first, second contract.Upload
	must(t, json.Unmarshal([]byte(s.b.post("/media/uploads", pairs...).is(t, http.StatusCreated).body), &first))
	must(t, json.Unmarshal([]byte(s.b.post("/media/uploads", pairs...).is(t, http.StatusCreated).body), &second))
	if first.MediaID == "" || first != second {
		t.Errorf("%+v is not %+v", second, first)
	}
	_, err := s.App.Intake().ReceiveUpload(t.Context(), path.Base(first.UploadURL), int64(len(content)), bytes.NewReader(content))
	must(t, err)
	status := func() contract.Media {
		t.Helper()
		var list contract.MediaList
		must(t, json.Unmarshal([]byte(s.b.get("/media/uploads?id="+first.MediaID+"&id=nonsense").is(t, http.StatusOK).body), &list))
		if len(list.Media) != 1 {
			t.Fatalf("the files are %+v", list)
		}
		return list.Media[0]
	}
	if got := status().Status; got != "processing" {
		t.Errorf("the file is %s", got)
	}
	must(t, s.App.Intake().ClaimAndProcessFile(t.Context(), s.ws.ID, s.ws.MediaID(s.ws.Media(first.MediaID))))
	if got := status(); got.Status != "ready" || got.ThumbnailURL == nil {
		t.Errorf("the file is %+v", got)
	}
	s.b.post("/media/uploads/"+first.MediaID+"/cancel").is(t, http.StatusOK)
	s.b.post("/media/uploads/"+first.MediaID+"/cancel").is(t, http.StatusNotFound)

	var refused contract.Error
	must(t, json.Unmarshal([]byte(s.b.post("/media/uploads", "filename", "", "size", "5").is(t, http.StatusBadRequest).body), &refused))
	if refused.Message == "" || apiWords.MatchString(refused.Message+refused.Hint) {
		t.Errorf("the refusal is %+v", refused)
	}
	s.b.post("/media/uploads", "filename", "a.jpg", "size", "5", "folder", "x").is(t, http.StatusNotFound)
	s.b.post("/media/uploads", "filename", "a.jpg", "size", "many").is(t, http.StatusBadRequest)
}

func TestAViewerSeesTheLibraryAndChangesNothing(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	folder, file := s.ws.Folder("Summer", ""), s.ws.File("noon.jpg", mediatest.JPEG(64, 64))
	viewer := s.seat(s.ws.Member(core.RoleViewer))
	for _, address := range []string{"/media", "/media?folder=" + folder.ID, "/media/files/" + file.ID} {
		page := viewer.get(address).is(t, http.StatusOK)
		if n := len(page.all("main form[method=post], main [type=checkbox]")); n != 0 {
			t.Errorf("%s offers %d forms and check boxes", address, n)
		}
	}
	for _, address := range []string{
		"/media/edit", "/media/delete", "/media/folders", "/media/folders/" + folder.ID, "/media/folders/" + folder.ID + "/delete",
		"/media/files/" + file.ID, "/media/uploads", "/media/uploads/" + file.ID + "/cancel",
	} {
		viewer.post(address, "file", file.ID, "act", "pin", "name", "x", "filename", "x.jpg", "size", "5").is(t, http.StatusForbidden)
	}
	viewer.uploadComposerFiles("/media/files", nil, map[string][]byte{"a.jpg": mediatest.JPEG(64, 64)}).is(t, http.StatusForbidden)
}

// Forms with files are spooled to disk: without a bound, one person could fill it.
func TestAPersonSendsFewFormsWithFilesAtOnce(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	var sent []*io.PipeWriter
	answers := make(chan *httptest.ResponseRecorder)
	for range 2 {
		body, writer := io.Pipe()
		form := multipart.NewWriter(writer)
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/w/"+s.slug(t)+"/media/files", body)
		request.Header = s.b.header.Clone()
		request.Header.Set("Content-Type", form.FormDataContentType())
		request.RemoteAddr, request.Host = s.b.peer, s.b.host
		for _, c := range s.b.cookies {
			request.AddCookie(c)
		}
		go func() {
			recorder := httptest.NewRecorder()
			s.server.ServeHTTP(recorder, request)
			answers <- recorder
		}()
		_, err := form.CreateFormFile("upload", "slow.jpg") // read: the form is being sent
		must(t, err)
		sent = append(sent, writer)
	}
	s.b.uploadComposerFiles("/media/files", nil, map[string][]byte{"a.jpg": mediatest.JPEG(64, 64)}).is(t, http.StatusTooManyRequests).
		says(t, "You are already sending 2 forms with files.")
	for _, writer := range sent {
		must(t, writer.Close())
		<-answers
	}
	s.b.follow(s.b.uploadComposerFiles("/media/files", nil, map[string][]byte{"a.jpg": mediatest.JPEG(64, 64)})).says(t, "1 file uploaded.")
}

func TestSigningInLeadsBackToTheLibrary(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	stranger := s.browser()
	stranger.get("/w/"+s.slug(t)+"/media?folder=root&kind=video").
		leads(t, "/sign-in?next="+url.QueryEscape("/w/"+s.slug(t)+"/media?folder=root&kind=video"))
}

func (s *studio) slug(t *testing.T) string {
	t.Helper()
	who, err := s.App.Whoami(t.Context(), s.ws.Owner)
	must(t, err)
	return who.Workspace.Slug
}

// The second sending of a new folder was refused because the name was in use, and of a deletion because there was no
// folder.
func TestAFormOfAFolderOrAFileThatIsSentTwiceActsOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ form, at, says string }{
		"create": {`form[action$="/media/folders"]`, "", "Folder Summer created."},
		"edit":   {"form:has(" + testid("save-folder") + ")", "", "Folder Summer saved."},
		"delete": {"form:has(" + testid("save-folder") + ")", "/delete", "Folder Beach deleted."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStudio(t)
			page := s.b.get("/media?folder="+s.ws.Folder("Beach", "").ID).is(t, http.StatusOK)
			values, at := page.form(t, c.form), attribute(page.one(t, c.form), "action")+c.at
			if c.at == "" {
				values.Set("name", "Summer")
			}
			first := s.b.send(http.MethodPost, at, values.Encode()).is(t, http.StatusSeeOther)
			s.b.get("/media").says(t, c.says)
			s.b.send(http.MethodPost, at, values.Encode()).leads(t, first.Header.Get("Location"))
			s.b.get("/media").says(t, c.says)
		})
	}
	t.Run("delete a file", func(t *testing.T) {
		t.Parallel()
		s := newStudio(t)
		page := s.b.get("/media/files/" + s.ws.File("noon.jpg", mediatest.JPEG(640, 480)).ID)
		asked := s.submit(page, "form:has("+testid("delete-file")+")").is(t, http.StatusOK)
		for range 2 {
			s.submit(asked, testid("confirm-form")).leads(t, "/media")
			s.b.get("/media").says(t, "1 file deleted.")
		}
	})
}

// A change of several files that was sent twice undid what another tab had done in between.
func TestAChangeOfSeveralFilesThatIsSentTwiceActsOnce(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	id := s.ws.File("noon.jpg", mediatest.JPEG(64, 64)).ID
	page := s.b.get("/media")
	pin := []string{"file", id, "act", "pin"}
	s.submit(page, "#files", pin...).leads(t, "/media")
	_, err := s.App.EditMedia(t.Context(), s.ws.Owner, contract.EditMedia{ID: id, Pinned: new(false)})
	must(t, err)
	s.submit(page, "#files", pin...).leads(t, "/media")
	s.b.get("/media").says(t, "1 file pinned.")
	if s.ws.Media(id).Pinned {
		t.Error("the second sending pinned the file again")
	}
	s.submit(page, "#files", "file", id, "act", "tag", "tag", "bells").leads(t, "/media")
	if got := s.ws.Media(id).Tags; !slices.Equal(got, []string{"bells"}) {
		t.Errorf("another action of the same form: the tags are %q", got)
	}
}

func TestAFormWithAFolderThatWasDeletedLosesNothing(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	folder := s.ws.Folder("Summer", "").ID
	inside, beach := s.b.get("/media?folder="+folder), s.ws.Folder("Beach", "").ID
	edited := s.b.get("/media?folder=" + beach)
	id := s.ws.File("noon.jpg", mediatest.JPEG(64, 64)).ID
	file, list := s.b.get("/media/files/"+id), s.b.get("/media")
	must(t, s.App.DeleteEmptyFolder(t.Context(), s.ws.Owner, folder))

	const gone = "The folder no longer exists."
	saved := s.submit(file, testid("file-form"), "description", "A bell", "folder", folder).is(t, http.StatusBadRequest)
	saved.says(t, gone, "A bell")
	s.submit(saved, testid("file-form")).leads(t, "/media")
	if got := s.ws.Media(id).Description; got == nil || *got != "A bell" {
		t.Errorf("the description is %v", got)
	}
	moved := s.submit(list, "#files", "file", id, "act", "move", "folder", folder)
	s.b.follow(moved).says(t, gone, "Choose another folder.")
	created := s.submit(inside, `form[action$="/media/folders"]`, "name", "Coast").is(t, http.StatusBadRequest)
	created.says(t, "The parent folder no longer exists.")
	s.b.follow(s.submit(created, `form[action$="/media/folders"]`)).says(t, "Folder Coast created.")
	renamed := s.submit(edited, "form:has("+testid("save-folder")+")", "name", "Shore", "parent", folder)
	renamed.is(t, http.StatusBadRequest).says(t, "The parent folder no longer exists.")
	s.b.follow(s.submit(renamed, "form:has("+testid("save-folder")+")")).says(t, "Folder Shore saved.")
	sent := s.b.uploadComposerFiles("/media/files", []string{"folder", folder, "back", "folder=" + folder},
		map[string][]byte{"new.jpg": mediatest.JPEG(64, 64)})
	s.b.follow(sent).says(t, "new.jpg was not uploaded. "+gone, "Upload to the top level, or open another folder first.")
}

func TestAChangeOfFilesThatWereDeletedSaysSo(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	id := s.ws.File("noon.jpg", mediatest.JPEG(64, 64)).ID
	page := s.b.get("/media")
	must(t, s.App.DeleteMedia(t.Context(), s.ws.Owner, id))
	for _, act := range []string{"pin", "tag"} {
		answer := s.submit(page, "#files", "file", id, "act", act, "tag", "bells")
		s.b.follow(answer).says(t, "The selected files no longer exist.")
	}
}

func TestTheTagsOfAFileAreShown(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	id := s.ws.File("noon.jpg", mediatest.JPEG(64, 64)).ID
	_, err := s.App.EditMedia(t.Context(), s.ws.Owner, contract.EditMedia{ID: id, Tags: &[]string{"bells", "at noon"}})
	must(t, err)
	if got := textOf(s.b.get("/media").one(t, ".gallery-tags")); got != "Tags: bells, at noon" {
		t.Errorf("the tile says %q", got)
	}
	if got := textOf(s.b.get("/media").one(t, ".gallery-tags [dir=auto]")); got != "bells, at noon" {
		t.Errorf("%q has the direction of its first letter", got)
	}
	s.b.get("/media/files/"+id).one(t, testid("file-tags")+` [href="/media?tag=at+noon"]`)
}

// On a phone, these links replace the tree of folders.
func TestTheTopLevelLinksToItsFoldersAndToFilesInNone(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	if links := s.b.get("/media").all(testid("subfolders")); links != nil {
		t.Error("there are no folders, but links to them")
	}
	s.ws.Folder("Summer", "")
	top := s.b.get("/media")
	top.one(t, testid("subfolders")+` [href="/media?folder=root"]`)
	if n := len(top.all(testid("subfolders") + " a")); n != 2 {
		t.Errorf("there are %d links; want that to the folder, too", n)
	}
	s.b.get("/media?folder=root").one(t, `.crumbs [href="/media"]`)
}

// Of two tabs with the same folder, the last one to save overwrote the other without a word.
func TestAFolderThatChangedInAnotherTabIsNotOverwrittenUnseen(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	id, other := s.ws.Folder("Beach", "").ID, s.ws.Folder("Coast", "").ID
	form := "form:has(" + testid("save-folder") + ")"
	one, two := s.b.get("/media?folder="+id), s.b.get("/media?folder="+id)
	s.submit(one, form, "name", "Summer").leads(t, "/media?folder="+id)

	refused := s.submit(two, form, "parent", other).is(t, http.StatusConflict)
	refused.says(t, "This folder was changed after you opened the page. Its path is now Summer.")
	values := refused.form(t, form)
	if values.Get("name") != "Beach" || values.Get("parent") != other {
		t.Errorf("the form has %v", values)
	}
	s.submit(refused, form).leads(t, "/media?folder="+id)
	folder, err := s.App.GetFolder(t.Context(), s.ws.Owner, id)
	must(t, err)
	if folder.Name != "Beach" || folder.ParentID == nil || *folder.ParentID != other {
		t.Errorf("after saving again, the folder is %+v", folder)
	}
}

// Of two tabs with the same file, the last one to save overwrote the other without a word.
func TestAFileThatChangedInAnotherTabIsNotOverwrittenUnseen(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	id := s.ws.File("noon.jpg", mediatest.JPEG(640, 480)).ID
	one, two := s.b.get("/media/files/"+id), s.b.get("/media/files/"+id)
	for range 2 { // sent twice, it acts once
		s.submit(one, testid("file-form"), "description", "A bell", "tags", "bells, noon").leads(t, "/media")
	}

	refused := s.submit(two, testid("file-form"), "name", "Midday").is(t, http.StatusConflict)
	refused.says(t, "This file was changed after you opened it")
	saved := textOf(refused.one(t, testid("saved-version")))
	if !strings.Contains(saved, "A bell") || !strings.Contains(saved, "bells, noon") {
		t.Errorf("the version shown as saved is %q", saved)
	}
	if got := s.ws.Media(id); got.Title != nil || *got.Description != "A bell" {
		t.Errorf("the file is %+v", got)
	}
	s.submit(refused, testid("file-form")).leads(t, "/media")
	if got := s.ws.Media(id); got.Description != nil || *got.Title != "Midday" {
		t.Errorf("after saving again, the file is %+v", got)
	}
}
