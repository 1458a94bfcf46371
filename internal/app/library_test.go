package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/media/mediatest"
)

func namesOf(list []app.LibraryFile) (names []string) {
	for _, m := range list {
		names = append(names, m.OriginalName)
	}
	return names
}

func TestNeighboursInTheLibrary(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	h.Clock.Advance(time.Second)
	var ids [4]string
	for i := range ids { // at the same time, with the same name and of the same size
		ids[i] = ws.File("same.jpg", mediatest.JPEG(64, 64)).ID
	}
	clip := ws.File("clip.mp4", mediatest.MP4(mediatest.Movie{})).ID
	foreign := h.Workspace("two").File("foreign.jpg", mediatest.JPEG(64, 64)).ID
	deleted := ws.File("deleted.jpg", mediatest.JPEG(64, 64)).ID
	must(t, h.App.DeleteMedia(t.Context(), ws.Owner, deleted))

	images := func(sort string) app.LibraryFilter { return app.LibraryFilter{Kind: "image", Sort: sort} }
	for name, c := range map[string]struct {
		in             app.LibraryFilter
		file           string
		previous, next string
	}{
		"by time":                     {images(""), ids[1], ids[2], ids[0]},
		"from the oldest":             {images("oldest"), ids[1], ids[0], ids[2]},
		"by name":                     {images("name"), ids[1], ids[0], ids[2]},
		"by size":                     {images("largest"), ids[1], ids[2], ids[0]},
		"of a search":                 {app.LibraryFilter{Query: "same", Sort: "largest"}, ids[1], ids[2], ids[0]},
		"on a later page":             {app.LibraryFilter{Kind: "image", Sort: "name", After: ids[2], Limit: 2}, ids[1], ids[0], ids[2]},
		"of a file not in the list":   {images("name"), clip, "", ids[0]},
		"of another workspace's file": {images("name"), foreign, "", ""},
		"of a deleted file":           {images("name"), deleted, "", ""},
	} {
		previous, next, err := h.App.FindNeighboursInLibrary(t.Context(), ws.Owner, c.in, c.file)
		must(t, err)
		if previous != c.previous || next != c.next {
			t.Errorf("%s: the neighbours are %q and %q; want %q and %q", name, previous, next, c.previous, c.next)
		}
	}
	_, _, err := h.App.FindNeighboursInLibrary(t.Context(), ws.Owner, app.LibraryFilter{Sort: "random"}, ids[0])
	want(t, core.CodeInvalidRequest, err)
}

func TestTheLibraryIsFilteredOrderedAndPaged(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	folder := ws.Folder("photos", "")
	for i, name := range []string{"b.jpg", "A.jpg", "c.jpg", "d.jpg"} {
		h.Clock.Advance(time.Second)
		file := ws.File(name, mediatest.JPEG(64*(i+1), 64))
		if name == "c.jpg" {
			_, err := h.App.EditMedia(t.Context(), ws.Owner, contract.EditMedia{
				ID: file.ID, FolderID: contract.Some(folder.ID), Tags: &[]string{"bells"}, Description: contract.Some("A rope"),
			})
			must(t, err)
		}
		if name == "d.jpg" {
			_, err := h.App.EditMedia(t.Context(), ws.Owner, contract.EditMedia{ID: file.ID, Tags: &[]string{"bells", "noon"}})
			must(t, err)
		}
	}
	h.Clock.Advance(time.Second)
	ws.File("clip.mp4", mediatest.MP4(mediatest.Movie{}))
	reserve(t, h, ws.Owner, 5) // what is still uploaded is no file yet
	h.Workspace("two").File("foreign.jpg", mediatest.JPEG(64, 64))

	for name, c := range map[string]struct {
		in   app.LibraryFilter
		want string
	}{
		"newest first":  {app.LibraryFilter{}, "clip.mp4 d.jpg c.jpg A.jpg b.jpg"},
		"oldest first":  {app.LibraryFilter{Sort: "oldest"}, "b.jpg A.jpg c.jpg d.jpg clip.mp4"},
		"by name":       {app.LibraryFilter{Sort: "name"}, "A.jpg b.jpg c.jpg clip.mp4 d.jpg"},
		"a folder":      {app.LibraryFilter{Folder: folder.ID}, "c.jpg"},
		"no folder":     {app.LibraryFilter{Folder: "root", Sort: "name"}, "A.jpg b.jpg clip.mp4 d.jpg"},
		"videos":        {app.LibraryFilter{Kind: "video"}, "clip.mp4"},
		"a tag":         {app.LibraryFilter{Tags: []string{"bells"}}, "d.jpg c.jpg"},
		"two tags":      {app.LibraryFilter{Tags: []string{"noon", "bells"}}, "d.jpg"},
		"a description": {app.LibraryFilter{Query: "ROPE"}, "c.jpg"},
		"a short text":  {app.LibraryFilter{Query: "cl"}, "clip.mp4"},
		"two of them":   {app.LibraryFilter{Query: ".jpg", Folder: "root", Sort: "oldest"}, "b.jpg A.jpg d.jpg"},
		"nothing":       {app.LibraryFilter{Query: "zyzzyva"}, ""},
	} {
		list, err := h.App.ListLibraryFiles(t.Context(), ws.Owner, c.in)
		must(t, err)
		if got := strings.Join(namesOf(list.Files), " "); got != c.want {
			t.Errorf("%s: %s; want %s", name, got, c.want)
		}
		for i, file := range list.Files {
			want := [2]string{}
			if i > 0 {
				want[0] = list.Files[i-1].ID
			}
			if i < len(list.Files)-1 {
				want[1] = list.Files[i+1].ID
			}
			previous, next, err := h.App.FindNeighboursInLibrary(t.Context(), ws.Owner, c.in, file.ID)
			must(t, err)
			if got := [2]string{previous, next}; got != want {
				t.Errorf("%s: the neighbours of %s are %v; want %v", name, file.OriginalName, got, want)
			}
		}
		var paged []string
		for in := c.in; ; {
			in.Limit = 1
			page, err := h.App.ListLibraryFiles(t.Context(), ws.Owner, in)
			must(t, err)
			paged = append(paged, namesOf(page.Files)...)
			if page.NextCursor == "" {
				break
			}
			in.After = page.NextCursor
		}
		if got := strings.Join(paged, " "); got != c.want {
			t.Errorf("%s, page by page: %s; want %s", name, got, c.want)
		}
	}
	list, err := h.App.ListLibraryFiles(t.Context(), ws.Owner, app.LibraryFilter{Sort: "largest"})
	must(t, err)
	if !slices.IsSortedFunc(list.Files, func(a, b app.LibraryFile) int { return int(b.Size - a.Size) }) || len(list.Files) != 5 {
		t.Errorf("largest first: %v", namesOf(list.Files))
	}
	for _, bad := range []app.LibraryFilter{{Sort: "random"}, {Use: "often"}, {Kind: "audio"}, {Query: "\x00"}} {
		_, err := h.App.ListLibraryFiles(t.Context(), ws.Owner, bad)
		want(t, core.CodeInvalidRequest, err)
	}
	for _, bad := range [][]string{{"bells", "\x00"}, {strings.Repeat("x", 10_001)}, make([]string, 201)} {
		_, err := h.App.ListLibraryFiles(t.Context(), ws.Owner, app.LibraryFilter{Tags: bad})
		if e := want(t, core.CodeInvalidRequest, err); e.Path != "tag" || strings.Contains(e.Message, "post") {
			t.Errorf("of %d tags, it says at %s: %s", len(bad), e.Path, e.Message)
		}
	}
	for _, bad := range []app.LibraryFilter{{Folder: "x"}, {After: "x"}} {
		_, err := h.App.ListLibraryFiles(t.Context(), ws.Owner, bad)
		want(t, core.CodeNotFound, err)
	}
}

// A text may be in files beyond those that a search examines first.
func TestASearchFindsFilesBeyondTheFirstThousands(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	ws.File("the needle.jpg", mediatest.JPEG(64, 64))
	_, err := h.Pool.Exec(t.Context(), `
		INSERT INTO media (id, workspace_id, status, original_name, kind, mime, size, charged, created_at)
		SELECT gen_random_uuid(), workspace_id, 'ready', 'hay ' || n, kind, mime, 1, 0, created_at + interval '1 day' FROM media, generate_series(1, 6000) n`)
	must(t, err)
	for query, found := range map[string]int{"the needle": 1, "hay 5999": 1, "hay": 50, "nowhere": 0} {
		list, err := h.App.ListLibraryFiles(t.Context(), ws.Owner, app.LibraryFilter{Query: query})
		if must(t, err); len(list.Files) != found {
			t.Errorf("%s is found %d times", query, len(list.Files))
		}
	}
}

func TestAFilesPageSaysWhoUsesItAndWhenItIsDeleted(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	file := b.photo()
	card := func() app.FileCard {
		t.Helper()
		card, err := b.App.GetFileCard(t.Context(), b.ws.Owner, file.ID)
		must(t, err)
		list, err := b.App.ListLibraryFiles(t.Context(), b.ws.Owner, app.LibraryFilter{})
		must(t, err)
		for _, listed := range list.Files {
			if !listed.DeletedAt.Equal(card.DeletedAt) {
				t.Errorf("the list says that it is deleted at %s, and its page at %s", listed.DeletedAt, card.DeletedAt)
			}
		}
		return card
	}
	if c := card(); len(c.Posts) != 0 || c.InUse || !c.DeletedAt.IsZero() || c.URL == "" || c.Retention != 72*time.Hour {
		t.Errorf("a new file: %+v", c)
	}
	unused := func() int {
		t.Helper()
		list, err := b.App.ListLibraryFiles(t.Context(), b.ws.Owner, app.LibraryFilter{Use: app.UseUnused})
		must(t, err)
		return len(list.Files)
	}
	if unused() != 1 {
		t.Error("a new file is in use")
	}
	b.live(account, file)
	live := b.Clock.Now()
	if c := card(); len(c.Posts) != 1 || c.InUse || !c.DeletedAt.Equal(live.Add(72*time.Hour)) || unused() != 0 {
		t.Errorf("a published file: %+v", c)
	}
	draft := b.post(request("again", draft(), account), file)
	if c := card(); len(c.Posts) != 2 || c.Posts[0].ID != draft.ID || !c.InUse || !c.DeletedAt.IsZero() {
		t.Errorf("a file of a draft: %+v", c)
	}
	must(t, b.App.DeletePost(t.Context(), b.ws.Owner, draft.ID))
	_, err := b.App.EditFiles(t.Context(), b.ws.Owner, app.FileBatch{IDs: []string{file.ID}, Pinned: new(true)})
	must(t, err)
	if c := card(); !c.DeletedAt.IsZero() {
		t.Errorf("a pinned file: %+v", c)
	}
	_, err = b.App.EditFiles(t.Context(), b.ws.Owner, app.FileBatch{IDs: []string{file.ID}, Pinned: new(false)})
	must(t, err)
	b.Clock.Advance(72 * time.Hour)
	must(t, b.App.Intake().PurgeFilesPastRetention(b.Context()))
	if c := card(); c.PurgedAt == nil || c.URL != "" || !c.DeletedAt.IsZero() {
		t.Errorf("a purged file: %+v", c)
	}
	for use, found := range map[string]int{"": 0, app.UseRemoved: 1, app.UseUsable: 0} {
		list, err := b.App.ListLibraryFiles(t.Context(), b.ws.Owner, app.LibraryFilter{Use: use})
		if must(t, err); len(list.Files) != found {
			t.Errorf("%q lists %d", use, len(list.Files))
		}
	}
}

func TestManyFilesAreChangedAtOnce(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws, two := h.Workspace("one"), h.Workspace("two")
	folder, theirs := ws.Folder("photos", ""), two.Folder("theirs", "")
	a, z := ws.File("a.jpg", mediatest.JPEG(64, 64)), ws.File("z.jpg", mediatest.JPEG(64, 64))
	foreign := two.File("foreign.jpg", mediatest.JPEG(64, 64))
	full := make([]string, core.MaxTags)
	for i := range full {
		full[i] = fmt.Sprint(i)
	}
	_, err := h.App.EditMedia(t.Context(), ws.Owner, contract.EditMedia{ID: z.ID, Tags: &full})
	must(t, err)
	all := []string{a.ID, z.ID, foreign.ID}
	for _, in := range []app.FileBatch{
		{FolderID: contract.Some(folder.ID)},
		{AddTag: "bells"},
		{AddTag: "bells"},
		{AddTag: "gone"},
		{RemoveTag: "gone"},
		{Pinned: new(true)},
	} {
		in.IDs = all
		if n, err := h.App.EditFiles(t.Context(), ws.Owner, in); err != nil || n != 2 {
			t.Errorf("%+v changed %d, %v", in, n, err)
		}
	}
	got := ws.Media(a.ID)
	if *got.FolderID != folder.ID || !slices.Equal(got.Tags, []string{"bells"}) || !got.Pinned {
		t.Errorf("the file is %+v", got)
	}
	if got := ws.Media(z.ID); !slices.Equal(got.Tags, full) {
		t.Errorf("a file with all tags that it may have has %d", len(got.Tags))
	}
	if got := two.Media(foreign.ID); got.FolderID != nil || len(got.Tags) != 0 || got.Pinned {
		t.Errorf("another workspace's file is %+v", got)
	}
	_, err = h.App.EditFiles(t.Context(), ws.Owner, app.FileBatch{IDs: all, FolderID: contract.Some(theirs.ID)})
	want(t, core.CodeNotFound, err)
	_, err = h.App.EditFiles(t.Context(), ws.Owner, app.FileBatch{IDs: all, AddTag: "a\x00"})
	want(t, core.CodeInvalidRequest, err)
	_, err = h.App.EditFiles(t.Context(), ws.Owner, app.FileBatch{})
	want(t, core.CodeInvalidRequest, err)
	_, err = h.App.EditFiles(t.Context(), ws.Member(core.RoleViewer), app.FileBatch{IDs: all, Pinned: new(false)})
	want(t, core.CodeInsufficientScope, err)
}

func TestFilesThatPostsWaitForAreNotDeletedWithTheOthers(t *testing.T) {
	b := newBench(t)
	account := b.ws.Account("threads")
	waits, published, unused := b.photo(), b.photo(), b.photo()
	b.post(request("waits", draft(), account), waits)
	b.live(account, published)
	two := b.Workspace("two")
	foreign := two.File("foreign.jpg", mediatest.JPEG(64, 64))
	ids := []string{waits.ID, published.ID, unused.ID, foreign.ID}
	inUse, err := b.App.FindFilesInUse(t.Context(), b.ws.Owner, ids)
	if must(t, err); !slices.Equal(inUse, []string{waits.ID}) {
		t.Errorf("%v are in use", inUse)
	}
	if inUse, err := b.App.FindFilesInUse(t.Context(), two.Owner, ids); err != nil || len(inUse) > 0 {
		t.Errorf("in the other workspace, %v are in use (%v)", inUse, err)
	}
	deleted, used, err := b.App.DeleteFiles(t.Context(), b.ws.Owner, ids)
	must(t, err)
	if deleted != 2 || !slices.Equal(used, []string{waits.OriginalName}) {
		t.Errorf("%d deleted; %v are used", deleted, used)
	}
	if kept := charged(t, b.Harness, b.ws); kept != b.ws.Media(waits.ID).Size {
		t.Errorf("%d bytes are charged", kept)
	}
	b.WorkDiscards()
	if left := blobs(t, b.Harness); len(left) != 4 { // a file and its thumbnail, of two workspaces
		t.Errorf("left are %v", left)
	}
	_, _, err = b.App.DeleteFiles(t.Context(), b.ws.Member(core.RoleViewer), []string{waits.ID})
	want(t, core.CodeInsufficientScope, err)
	_, err = b.App.FindFilesInUse(t.Context(), b.ws.Member(core.RoleViewer), []string{waits.ID})
	want(t, core.CodeInsufficientScope, err)
}
