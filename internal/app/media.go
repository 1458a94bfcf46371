package app

import (
	"context"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/store"
)

// Maximum lengths of a file's texts, in bytes.
const (
	maxMediaTitle       = 2_000
	maxMediaDescription = 10_000
)

// GetMedia returns a file's record.
func (a *App) GetMedia(ctx context.Context, c core.Caller, id string) (contract.Media, error) {
	t, mediaID, err := authorizeAndParseID[core.MediaKind](a, c, core.Read, id)
	if err != nil {
		return contract.Media{}, err
	}
	m, err := t.Media(ctx, mediaID)
	return a.mediaOf(t, m), err
}

// EditMedia changes a file's texts and tags, its folder, and whether it is pinned (Spec §4, Media).
func (a *App) EditMedia(ctx context.Context, c core.Caller, in contract.EditMedia) (contract.Media, error) {
	t, mediaID, err := authorizeWriteAndParseID[core.MediaKind](a, c, in.ID, checkMediaTexts(in))
	if err != nil {
		return contract.Media{}, err
	}
	var m store.Media
	err = t.Tx(ctx, func(t store.Tenant) error {
		if m, err = t.LockMedia(ctx, mediaID); err != nil {
			return err
		}
		if err := checkRevisionIfShown("file", in.Revision, a.mediaOf(t, m).Revision()); err != nil {
			return err
		}
		before := m
		if m.Folder, err = parseFolderIDOrCurrent("folderId", in.FolderID, m.Folder); err != nil {
			return err
		}
		if in.Title.Set {
			m.Title = in.Title.V
		}
		if in.Description.Set {
			m.Description = in.Description.V
		}
		m.Tags, m.Pinned = valueOr(in.Tags, m.Tags), valueOr(in.Pinned, m.Pinned)
		if err := t.UpdateMediaDetails(ctx, m); err != nil {
			return core.WithNotFoundPath("folderId", err)
		}
		return auditFileChange(ctx, t, c, before, m)
	})
	return a.mediaOf(t, m), err
}

func checkMediaTexts(in contract.EditMedia) error {
	if err := core.CheckContent("", "", "", valueOr(in.Tags, nil)); err != nil {
		return err
	}
	if err := core.CheckText("title", "The title", in.Title.V, maxMediaTitle); err != nil {
		return err
	}
	return core.CheckText("description", "The description", in.Description.V, maxMediaDescription)
}

// DeleteMedia deletes a file and frees its storage. It returns conflict if a pending post uses the file.
// Published posts keep the file's id.
func (a *App) DeleteMedia(ctx context.Context, c core.Caller, id string) error {
	t, mediaID, err := authorizeAndParseID[core.MediaKind](a, c, core.Write, id)
	if err != nil {
		return err
	}
	return t.Tx(ctx, func(t store.Tenant) error {
		deleted, err := a.intake.DeleteFile(ctx, t, mediaID)
		if err != nil {
			return err
		}
		return auditFileDeletion(ctx, t, c, []store.Media{deleted})
	})
}

// mediaOf converts a file to its record.
func (a *App) mediaOf(t store.Tenant, m store.Media) contract.Media {
	out := contract.Media{
		ID: m.ID.String(), Kind: string(m.Kind), OriginalName: m.Name, Mime: m.Mime, Size: m.Bytes, Status: string(m.Status),
		FailReason: contract.NilIfZero(m.FailReason),
		Width:      contract.NilIfZero(m.Width), Height: contract.NilIfZero(m.Height),
		DurationMs: contract.NilIfZero(m.DurationMs),
		Title:      contract.NilIfZero(m.Title), Description: contract.NilIfZero(m.Description),
		Tags: m.Tags, Pinned: m.Pinned,
		PublishedAt: contract.TimeOrNil(m.PublishedAt), PurgedAt: contract.TimeOrNil(m.PurgedAt),
		CreatedAt: contract.Time{Time: m.CreatedAt},
	}
	if !m.Folder.IsZero() {
		out.FolderID = new(m.Folder.String())
	}
	if m.Thumbnail != "" {
		out.ThumbnailURL = new(a.intake.ThumbnailURL(t.WorkspaceID(), m))
	}
	return out
}

// ReserveUpload reserves storage for a file and returns the address to which its bytes are uploaded (Spec §4, Media).
// Its errors are those of intake.Service.ReserveUpload.
func (a *App) ReserveUpload(ctx context.Context, c core.Caller, in contract.CreateUpload) (contract.Upload, error) {
	t, err := a.authorize(c, core.Write)
	if err != nil {
		return contract.Upload{}, err
	}
	return a.intake.ReserveUpload(ctx, t, in, func(t store.Tenant, out contract.Upload) error {
		return saveAnswerIfReplayRequested(ctx, t, out)
	})
}

// AddMediaForDownload adds a file that a worker will download, and returns its record (Spec §4, Media). Its errors are
// those of intake.Service.AddFileAndEnqueueDownload.
func (a *App) AddMediaForDownload(ctx context.Context, c core.Caller,
	in contract.MediaFromURL,
) (contract.Media, error) {
	t, err := a.authorize(c, core.Write)
	if err != nil {
		return contract.Media{}, err
	}
	m, err := a.intake.AddFileAndEnqueueDownload(ctx, t, in, func(t store.Tenant, m store.Media) error {
		return saveAnswerIfReplayRequested(ctx, t, a.mediaOf(t, m))
	})
	return a.mediaOf(t, m), err
}

// ListMedia lists files, newest first.
func (a *App) ListMedia(ctx context.Context, c core.Caller, in contract.ListMedia) (contract.MediaList, error) {
	t, err := a.authorize(c, core.Read)
	if err != nil {
		return contract.MediaList{}, err
	}
	f, err := parseMediaFilter(ctx, t, in)
	if err != nil {
		return contract.MediaList{}, err
	}
	list, more, err := listMediaPage(ctx, t, f)
	if err != nil {
		return contract.MediaList{}, err
	}
	var out contract.MediaList
	if more {
		last := list[len(list)-1]
		out.NextCursor = new(core.Cursor[core.MediaKind]{At: last.CreatedAt, ID: last.ID}.String())
	}
	out.Media = convertAll(list, func(m store.Media) contract.Media { return a.mediaOf(t, m) })
	return out, nil
}

// listMediaPage lists one page of files. more reports that there is a next page.
func listMediaPage(
	ctx context.Context, t store.Tenant, f store.MediaFilter,
) (list []store.Media, more bool, err error) {
	page := f.Limit
	f.Limit++ // one more row shows whether there is a next page
	if list, err = t.ListMedia(ctx, f); len(list) > page {
		return list[:page], true, err
	}
	return list, false, err
}

// rootFolder selects files that are not in a folder.
const rootFolder = "root"

// parseMediaFilter parses the filters of a request. Files must have in.Tag, if it is set, and all of moreTags. It
// returns not_found for a folder that does not exist.
func parseMediaFilter(ctx context.Context, t store.Tenant, in contract.ListMedia,
	moreTags ...string,
) (store.MediaFilter, error) {
	f := store.MediaFilter{
		Kind: core.FileKind(in.Kind), Contains: in.Q, Tags: moreTags, Root: in.FolderID == rootFolder,
	}
	var err error
	if f.Limit, err = parsePageSizeOrDefault(in.Limit); err != nil {
		return f, err
	}
	if f.Kind != "" && f.Kind != core.FileImage && f.Kind != core.FileVideo {
		return f, core.Invalid("kind", "%q is not a valid kind of file.", in.Kind).WithHint("Use image or video.")
	}
	f.Statuses, err = parseStatuses(
		in.Status, "file", core.MediaUploading, core.MediaProcessing, core.MediaReady, core.MediaFailed,
	)
	if err != nil {
		return f, err
	}
	if err := core.CheckText("q", "The search text", in.Q, maxMediaDescription); err != nil {
		return f, err
	}
	if in.Tag != "" {
		f.Tags = append(f.Tags, in.Tag)
	}
	if len(f.Tags) > core.MaxTags {
		return f, core.Invalid("tag", "The filter has more than %d tags.", core.MaxTags)
	}
	for _, tag := range f.Tags {
		if err := core.CheckText("tag", "The tag", tag, maxMediaDescription); err != nil {
			return f, err
		}
	}
	after, err := core.ParseCursor[core.MediaKind](in.Cursor)
	if err != nil {
		return f, err
	}
	if after != nil {
		f.After = &store.Media{Media: core.Media{ID: after.ID}, CreatedAt: after.At}
	}
	if f.Root {
		return f, nil
	}
	f.Folder, err = parseOptionalExistingID(ctx, "query.folderId", in.FolderID, t.Folder)
	return f, err
}
