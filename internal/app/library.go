package app

import (
	"context"
	"errors"
	"slices"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/store"
)

// LibraryFilter filters and orders the files in the dashboard's library. Fields with the zero value do not filter.
type LibraryFilter struct {
	Folder string   // a folder's id, or "root"
	Kind   string   // image or video
	Query  string   // text in the name, title, description or tags
	Tags   []string // of each file
	// Use is UseUnused for files that no post uses, UseUsable for files that a post can use, or UseRemoved for files whose
	// bytes were deleted after publishing. Without UseRemoved, such files are not listed.
	Use   string
	Sort  string // oldest, name or largest; "" for newest first
	After string // the id of the last file on the previous page
	Limit int
}

// Values of LibraryFilter.Use.
const (
	UseUnused  = "unused"
	UseRemoved = "removed"
	UseUsable  = "usable"
)

// LibraryPage is a page of the dashboard's library.
type LibraryPage struct {
	Files []LibraryFile
	// NextCursor is the id of the page's last file, or "" on the last page.
	NextCursor string
}

// LibraryFile is a file in the dashboard's library.
type LibraryFile struct {
	contract.Media
	// DeletedAt is when the bytes will be deleted; zero if they are kept.
	DeletedAt time.Time
}

// ListLibraryFiles lists files for the dashboard. If in.After is a file that has been deleted, the list starts from the
// beginning.
func (a *App) ListLibraryFiles(ctx context.Context, c core.Caller, in LibraryFilter) (LibraryPage, error) {
	t, err := a.authorize(c, core.Read)
	if err != nil {
		return LibraryPage{}, err
	}
	f, err := parseLibraryFilter(ctx, t, in)
	if err != nil {
		return LibraryPage{}, err
	}
	list, more, err := listMediaPage(ctx, t, f)
	if err != nil {
		return LibraryPage{}, err
	}
	pending, err := t.MediaIDsUsedByPendingPosts(ctx, convertAll(list, func(m store.Media) core.MediaID { return m.ID }))
	if err != nil {
		return LibraryPage{}, err
	}
	page := LibraryPage{Files: convertAll(list, func(m store.Media) LibraryFile {
		return LibraryFile{a.mediaOf(t, m), a.deletionTimeOrZero(m, slices.Contains(pending, m.ID))}
	})}
	if more {
		page.NextCursor = list[len(list)-1].ID.String()
	}
	return page, nil
}

// deletionTimeOrZero returns when the bytes of a file will be deleted, or zero if they are kept. inUse reports that a
// pending post uses the file.
func (a *App) deletionTimeOrZero(m store.Media, inUse bool) time.Time {
	if m.Status != core.MediaReady || m.Blob == "" || m.Pinned || inUse || m.PublishedAt.IsZero() {
		return time.Time{}
	}
	return a.intake.KeptUntil(m.PublishedAt)
}

// FindNeighboursInLibrary returns the ids of the files directly before and after a file in a list. It ignores in.After
// and in.Limit. The file itself need not match the filter: its place is where it would be listed.
func (a *App) FindNeighboursInLibrary(
	ctx context.Context, c core.Caller, in LibraryFilter, fileID string,
) (previousOrEmpty, nextOrEmpty string, err error) {
	t, err := a.authorize(c, core.Read)
	if err != nil {
		return "", "", err
	}
	in.After, in.Limit = fileID, 1
	f, err := parseLibraryFilter(ctx, t, in)
	if err != nil || f.After == nil {
		return "", "", err
	}
	for _, found := range []struct {
		reversed bool
		id       *string
	}{{true, &previousOrEmpty}, {false, &nextOrEmpty}} {
		f.Reversed = found.reversed
		files, err := t.ListMedia(ctx, f)
		if err != nil {
			return "", "", err
		}
		for _, file := range files {
			*found.id = file.ID.String()
		}
	}
	return previousOrEmpty, nextOrEmpty, nil
}

func parseLibraryFilter(ctx context.Context, t store.Tenant, in LibraryFilter) (store.MediaFilter, error) {
	f, err := parseMediaFilter(ctx, t, contract.ListMedia{
		FolderID: in.Folder, Kind: in.Kind, Q: in.Query, Limit: in.Limit,
	}, in.Tags...)
	if err != nil {
		return f, err
	}
	// Files that are still being uploaded are not listed.
	f.Statuses, f.Kept = []core.MediaStatus{core.MediaProcessing, core.MediaReady, core.MediaFailed}, true
	switch in.Use {
	case "":
	case UseUnused:
		f.Unused = true
	case UseRemoved:
		f.Kept, f.Purged = false, true
	case UseUsable:
		f.Statuses = []core.MediaStatus{core.MediaReady}
	default:
		return f, core.Invalid("use", "%q is not a valid value for this filter.", in.Use).
			WithHint("Use %s, %s or %s.", UseUsable, UseUnused, UseRemoved)
	}
	switch f.Sort = store.MediaSort(in.Sort); f.Sort {
	case store.SortNewest, store.SortOldest, store.SortName, store.SortLargest:
	default:
		return f, core.Invalid("sort", "%q is not a valid sort order.", in.Sort)
	}
	if in.After == "" {
		return f, nil
	}
	id, err := core.ParseID[core.MediaKind](in.After)
	if err != nil {
		return f, core.WithNotFoundPath("after", err)
	}
	last, err := t.Media(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return f, nil
	}
	f.After = &last
	return f, err
}

// FileCard is a file with all data for its page.
type FileCard struct {
	contract.Media
	URL string // a signed address of the bytes; "" if there are none
	// Posts are the newest posts with the file, without titles that are not published. MorePosts reports that there are
	// older ones.
	Posts     []contract.Post
	MorePosts bool
	// InUse reports that a pending post uses the file.
	InUse bool
	// DeletedAt is when the bytes will be deleted; zero if they are kept.
	DeletedAt time.Time
	// Retention is how long bytes are kept after the last post with them went live.
	Retention time.Duration
}

// postsOfFile is the maximum number of posts that the page of a file lists.
const postsOfFile = 20

// GetFileCard returns a file with all data for its page in the dashboard.
func (a *App) GetFileCard(ctx context.Context, c core.Caller, id string) (FileCard, error) {
	t, mediaID, err := authorizeAndParseID[core.MediaKind](a, c, core.Read, id)
	if err != nil {
		return FileCard{}, err
	}
	m, err := t.Media(ctx, mediaID)
	if err != nil {
		return FileCard{}, err
	}
	card := FileCard{Media: a.mediaOf(t, m), Retention: a.intake.Retention()}
	posts, err := t.PostsWithMedia(ctx, mediaID, postsOfFile+1)
	if err != nil {
		return FileCard{}, err
	}
	if card.MorePosts = len(posts) > postsOfFile; card.MorePosts {
		posts = posts[:postsOfFile]
	}
	card.Posts = convertAll(posts, a.postOfWithoutUnusedTitle)
	pending, err := t.MediaIDsUsedByPendingPosts(ctx, []core.MediaID{mediaID})
	if err != nil {
		return FileCard{}, err
	}
	card.InUse = len(pending) > 0
	if m.Status == core.MediaReady && m.Blob != "" {
		card.URL = a.intake.FileURL(t.WorkspaceID(), m, nil, "")
	}
	card.DeletedAt = a.deletionTimeOrZero(m, card.InUse)
	return card, nil
}

// maxFileBatch is how many files one request can change.
const maxFileBatch = 200

// FileBatch is a change to many files. Fields that are not set change nothing.
type FileBatch struct {
	IDs       []string
	FolderID  contract.Opt[string] // null for the top level
	AddTag    string
	RemoveTag string
	Pinned    *bool
}

// EditFiles changes many files and returns how many of them exist. A file that already has the maximum number of tags
// gets no further tag.
func (a *App) EditFiles(ctx context.Context, c core.Caller, in FileBatch) (found int, err error) {
	t, ids, err := authorizeWriteAndParseFileIDs(a, c, in.IDs)
	if err != nil {
		return 0, err
	}
	edit := store.MediaEdit{
		Move: in.FolderID.Set, AddTag: in.AddTag, RemoveTag: in.RemoveTag, MostTags: core.MaxTags, Pinned: in.Pinned,
	}
	if edit.Folder, err = parseFolderIDOrCurrent("folderId", in.FolderID, edit.Folder); err != nil {
		return 0, err
	}
	if in.AddTag != "" {
		if err := core.CheckContent("", "", "", []string{in.AddTag}); err != nil {
			return 0, err
		}
	}
	err = t.Tx(ctx, func(t store.Tenant) error {
		edited, err := t.EditManyMedia(ctx, ids, edit)
		if err != nil {
			return core.WithNotFoundPath("folderId", err)
		}
		found = len(edited)
		return auditBulkFileChange(ctx, t, c, edited, edit)
	})
	return found, err
}

// DeleteFiles deletes files and frees their storage. It keeps the files that a pending post uses, and returns
// their names.
func (a *App) DeleteFiles(ctx context.Context, c core.Caller, ids []string,
) (deleted int, namesInUse []string, err error) {
	t, parsed, err := authorizeWriteAndParseFileIDs(a, c, ids)
	if err != nil {
		return 0, nil, err
	}
	err = t.Tx(ctx, func(t store.Tenant) error {
		gone, kept, err := a.intake.DeleteFiles(ctx, t, parsed)
		if err != nil {
			return err
		}
		deleted, namesInUse = len(gone), convertAll(kept, func(m store.Media) string { return m.Name })
		return auditFileDeletion(ctx, t, c, gone)
	})
	return deleted, namesInUse, err
}

// FindFilesInUse returns the ids of those of the given files that a pending post uses. DeleteFiles keeps them.
func (a *App) FindFilesInUse(ctx context.Context, c core.Caller, ids []string) (idsInUse []string, err error) {
	t, parsed, err := authorizeWriteAndParseFileIDs(a, c, ids)
	if err != nil {
		return nil, err
	}
	inUse, err := t.MediaIDsUsedByPendingPosts(ctx, parsed)
	return convertAll(inUse, core.MediaID.String), err
}

// checkFileBatchSize returns invalid_request unless there are 1 to maxFileBatch ids.
func checkFileBatchSize(ids []string) error {
	if len(ids) == 0 || len(ids) > maxFileBatch {
		return core.Invalid("ids", "Select 1 to %d files.", maxFileBatch)
	}
	return nil
}

// authorizeWriteAndParseFileIDs is authorize for a change to many files. It also checks their number and parses their
// ids.
func authorizeWriteAndParseFileIDs(a *App, c core.Caller, ids []string) (store.Tenant, []core.MediaID, error) {
	t, err := a.authorize(c, core.Write)
	if err != nil {
		return t, nil, err
	}
	if err := checkFileBatchSize(ids); err != nil {
		return t, nil, err
	}
	parsed, err := parseIDs[core.MediaKind]("ids", ids)
	return t, parsed, err
}
