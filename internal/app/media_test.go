package app_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"belfry/internal/app/apptest"
	"belfry/internal/blob"
	"belfry/internal/contract"
	"belfry/internal/core"
)

// fullStore has no room.
type fullStore struct{ blob.Store }

func (fullStore) Put(context.Context, string, io.Reader, int64) error {
	return errors.New("no space left on device")
}

func TestAFileIsDescribedMovedAndPinned(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	folder := ws.Folder("photos", "")
	id := reserve(t, h, ws.Owner, 5).MediaID
	pinned, tags := true, []string{"summer", "Sea"}
	got, err := h.App.EditMedia(t.Context(), ws.Key(core.Write).Caller, contract.EditMedia{
		ID:    id,
		Title: contract.Some("At sea"), Description: contract.Some("a long day"), Tags: &tags,
		FolderID: contract.Some(folder.ID), Pinned: &pinned,
	})
	if err != nil || *got.Title != "At sea" || *got.Description != "a long day" || !slices.Equal(got.Tags, tags) ||
		*got.FolderID != folder.ID || !got.Pinned {
		t.Errorf("edited: %+v, %v", got, err)
	}
	if read, err := h.App.GetMedia(t.Context(), ws.Key(core.Read).Caller, id); err != nil || fmt.Sprint(read) == "" ||
		*read.Title != "At sea" || !read.Pinned {
		t.Errorf("read: %+v, %v", read, err)
	}
	want(t, core.CodeConflict, h.App.DeleteEmptyFolder(t.Context(), ws.Owner, folder.ID))
	null := contract.Opt[string]{Set: true, Null: true}
	got, err = h.App.EditMedia(t.Context(), ws.Owner, contract.EditMedia{ID: id, Title: null, FolderID: null})
	if err != nil || got.Title != nil || got.FolderID != nil || got.Description == nil || !got.Pinned {
		t.Errorf("with less: %+v, %v", got, err)
	}
	for _, in := range []contract.EditMedia{
		{Title: contract.Some("a\x00")}, {Description: contract.Some(strings.Repeat("x", 10_001))}, {Tags: &[]string{""}},
	} {
		in.ID = id
		_, err := h.App.EditMedia(t.Context(), ws.Owner, in)
		want(t, core.CodeInvalidRequest, err)
	}
	_, err = h.App.EditMedia(t.Context(), ws.Member(core.RoleViewer), contract.EditMedia{ID: id})
	want(t, core.CodeInsufficientScope, err)
}

func TestAFileIsDeletedAndItsBytesGivenBackOnce(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	folder := ws.Folder("photos", "")
	made := reserve(t, h, ws.Owner, 5)
	_, err := h.App.EditMedia(t.Context(), ws.Owner, contract.EditMedia{ID: made.MediaID, FolderID: contract.Some(folder.ID)})
	must(t, err)
	must(t, put(t, h.App, made, []byte("hello")))
	want(t, core.CodeInsufficientScope, h.App.DeleteMedia(t.Context(), ws.Member(core.RoleViewer), made.MediaID))
	errs := make(chan error, 8)
	for range cap(errs) {
		go func() { errs <- h.App.DeleteMedia(t.Context(), ws.Owner, made.MediaID) }()
	}
	deleted := 0
	for range cap(errs) {
		if err := <-errs; err == nil {
			deleted++
		} else {
			want(t, core.CodeNotFound, err)
		}
	}
	if deleted != 1 || charged(t, h, ws) != 0 {
		t.Errorf("deleted %d times", deleted)
	}
	_, err = h.App.GetMedia(t.Context(), ws.Owner, made.MediaID)
	want(t, core.CodeNotFound, err)
	must(t, h.App.DeleteEmptyFolder(t.Context(), ws.Owner, folder.ID))
}

func TestFilesAreListedPageByPageAndFiltered(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	folder := ws.Folder("photos", "")
	var ids []string
	for i := range 7 {
		h.Clock.Advance(time.Second)
		in := contract.CreateUpload{Filename: fmt.Sprintf("50%%_%d.mp4", i), Mime: "video/mp4", Size: 1}
		if i%2 == 0 {
			in = contract.CreateUpload{
				Filename: fmt.Sprintf("photo %d.jpg", i), Mime: "image/jpeg", Size: 1,
				FolderID: &folder.ID,
			}
		}
		made, err := h.App.ReserveUpload(t.Context(), ws.Owner, in)
		must(t, err)
		ids = append(ids, made.MediaID)
	}
	_, err := h.App.EditMedia(t.Context(), ws.Owner, contract.EditMedia{
		ID: ids[1], Tags: &[]string{"a", "b", "Herbst"}, Title: contract.Some("Bells"),
	})
	must(t, err)
	var seen []string
	in := contract.ListMedia{Limit: 3}
	for page := 0; ; page++ {
		list, err := h.App.ListMedia(t.Context(), ws.Key(core.Read).Caller, in)
		must(t, err)
		for _, m := range list.Media {
			seen = append(seen, m.ID)
		}
		if page == 0 {
			reserve(t, h, ws.Owner, 1) // newer than the page: not shown
			must(t, h.App.DeleteMedia(t.Context(), ws.Owner, ids[5]))
		}
		if list.NextCursor == nil {
			break
		}
		in.Cursor = *list.NextCursor
	}
	slices.Reverse(seen)
	if !slices.Equal(seen, ids) {
		t.Errorf("page by page: %v; want %v", seen, ids)
	}
	for name, c := range map[string]struct {
		in   contract.ListMedia
		want int
	}{
		"in the folder":    {contract.ListMedia{FolderID: folder.ID}, 4},
		"at the root":      {contract.ListMedia{FolderID: "root"}, 3},
		"videos":           {contract.ListMedia{Kind: "video"}, 2},
		"of two states":    {contract.ListMedia{Status: "ready,uploading"}, 7},
		"of another state": {contract.ListMedia{Status: "ready"}, 0},
		"by name":          {contract.ListMedia{Q: "50%_"}, 2},
		"by title":         {contract.ListMedia{Q: "bELLs"}, 1},
		"by text in a tag": {contract.ListMedia{Q: "herb"}, 1},
		"by tag":           {contract.ListMedia{Tag: "b"}, 1},
		"by no tag":        {contract.ListMedia{Tag: "B"}, 0},
	} {
		if list, err := h.App.ListMedia(t.Context(), ws.Owner, c.in); err != nil || len(list.Media) != c.want {
			t.Errorf("%s: %d, %v", name, len(list.Media), err)
		}
	}
	for _, bad := range []contract.ListMedia{{Limit: 101}, {Limit: -1}, {Kind: "audio"}, {Status: "gone"}, {Q: "\x00"}, {Tag: "\xff"}, {Cursor: "x"}} {
		_, err := h.App.ListMedia(t.Context(), ws.Owner, bad)
		want(t, core.CodeInvalidRequest, err)
	}
}
