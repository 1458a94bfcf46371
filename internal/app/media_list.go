package app

import (
	"cmp"
	"context"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/store"
)

// ListMedia lists files, newest first.
func (a *App) ListMedia(ctx context.Context, c core.Caller, in contract.ListMedia) (contract.MediaList, error) {
	t, err := a.enter(c, core.Read)
	if err != nil {
		return contract.MediaList{}, err
	}
	f, err := mediaFilter(ctx, t, in)
	if err != nil {
		return contract.MediaList{}, err
	}
	page := f.Limit
	f.Limit++ // one more tells whether there is a next page
	list, err := t.ListMedia(ctx, f)
	if err != nil {
		return contract.MediaList{}, err
	}
	var out contract.MediaList
	if len(list) > page {
		list = list[:page]
		out.NextCursor = new(core.Cursor[core.MediaKind]{At: list[page-1].CreatedAt, ID: list[page-1].ID}.String())
	}
	out.Media = convertAll(list, func(m store.Media) contract.Media { return a.mediaOf(t, m) })
	return out, nil
}

// rootFolder selects files that are not in a folder.
const rootFolder = "root"

func mediaFilter(ctx context.Context, t store.Tenant, in contract.ListMedia) (store.MediaFilter, error) {
	f := store.MediaFilter{Kind: core.FileKind(in.Kind), Contains: in.Q, Tag: in.Tag, Root: in.FolderID == rootFolder}
	var err error
	if f.Limit, err = pageSize(in.Limit); err != nil {
		return f, err
	}
	if f.Kind != "" && f.Kind != core.FileImage && f.Kind != core.FileVideo {
		return f, core.Invalid("kind", "%q is not a kind of file.", in.Kind).WithHint("Use image or video.")
	}
	f.Statuses, err = parseStatuses(
		in.Status, "file", core.MediaUploading, core.MediaProcessing, core.MediaReady, core.MediaFailed,
	)
	if err != nil {
		return f, err
	}
	if err := cmp.Or(core.CheckText("q", in.Q, maxMediaDescription), core.CheckText("tag", in.Tag, maxMediaDescription)); err != nil {
		return f, err
	}
	if f.After, err = core.ParseCursor[core.MediaKind](in.Cursor); err != nil {
		return f, err
	}
	if f.Root {
		return f, nil
	}
	f.Folder, err = findNamed(ctx, "query.folderId", in.FolderID, t.Folder)
	return f, err
}
